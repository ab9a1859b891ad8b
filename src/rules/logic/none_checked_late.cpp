// none-checked-late: a value is dereferenced, and only then tested for None, in one straight run of statements.
//
// Left out: tests in other blocks, values assigned in between, and uses that are themselves under a condition.

#include <fmt/format.h>

#include <map>
#include <set>

#include "python/tree_walk.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;

constexpr std::string_view kRule = "none-checked-late";

const Expr* tested_for_none(const Expr& condition) {
  const auto test = none_test(condition);
  return test && test->by_identity && is_place(*test->subject) ? test->subject : nullptr;
}

/// One block of statements: what has surely been dereferenced so far, by source text.
class BlockScan {
 public:
  BlockScan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits)
      : program_(program), module_(module), facts_(*program.modules()[module].facts), hits_(hits) {}

  /// `owner`: the statement that the block belongs to, or the module.
  void run(Seq<Stmt> block, const Node& owner) {
    used_.clear();
    known_.clear();
    if (const auto* around = as<If>(&owner)) note_guard(*around);
    for (const Stmt* statement : block) {
      find_tests(*statement);
      note_guard(*statement);
      if (is_simple(*statement)) {
        collect(statement);
      } else if (const auto* branch = as<If>(statement)) {
        collect_condition(*branch->condition);
      }
      forget_assigned(*statement);
    }
  }

 private:
  static bool is_simple(const Stmt& statement) {
    return is<Assign>(&statement) || is<ExprStmt>(&statement) || is<Return>(&statement) || is<AugAssign>(&statement) ||
           is<Assert>(&statement) || is<AnnAssign>(&statement);
  }

  /// `if x is None: return`, `assert x is not None`: a later test is needless, but nothing raises.
  void note_guard(const Stmt& statement) {
    const auto* branch = as<If>(&statement);
    const auto* assertion = as<Assert>(&statement);
    const Expr* condition = branch != nullptr ? branch->condition : assertion != nullptr ? assertion->test : nullptr;
    if (condition == nullptr) return;
    walk_of<Compare>(*condition, Nested::kSkip, [&](const Compare* compare) {
      if (const Expr* tested = tested_for_none(*compare)) known_.insert(squeezed(facts_, tested->span));
    });
    if (const auto* compare = as<Compare>(condition)) {
      if (const Expr* tested = tested_for_none(*compare)) known_.insert(squeezed(facts_, tested->span));
    }
  }

  /// Tests of the statement's own expressions (not of blocks inside it).
  void find_tests(const Stmt& statement) {
    const Expr* condition = nullptr;
    if (const auto* branch = as<If>(&statement)) condition = branch->condition;
    if (const auto* assertion = as<Assert>(&statement)) condition = assertion->test;
    if (const auto* assign = as<Assign>(&statement)) condition = assign->value;
    if (condition == nullptr) return;
    // The first part of `a is not None and …`; later parts are evaluated under the earlier ones.
    if (const auto* parts = as<BoolOp>(condition)) condition = parts->values[0];
    const Expr* tested = tested_for_none(*condition);
    if (tested == nullptr) return;
    const std::string text = squeezed(facts_, tested->span);
    const auto used = used_.find(text);
    if (used != used_.end() && !known_.contains(text)) report(*tested, *used->second);
  }

  void collect_condition(const Expr& condition) {
    const auto* parts = as<BoolOp>(&condition);
    collect(parts != nullptr ? parts->values[0] : &condition);
  }

  /// Dereferences that are evaluated whatever comes: not behind `and`, `or`, `if else`, lambdas and comprehensions.
  void collect(const Node* node) {
    if (is<Lambda>(node) || is<IfExp>(node) || is<ListComp>(node) || is<SetComp>(node) || is<DictComp>(node) ||
        is<GeneratorExp>(node)) {
      return;
    }
    if (const auto* annotated = as<AnnAssign>(node)) {
      if (annotated->value != nullptr) collect(annotated->value);
      return;
    }
    if (const auto* parts = as<BoolOp>(node)) return collect(parts->values[0]);
    const Expr* base = nullptr;
    if (const auto* attribute = as<Attribute>(node); attribute != nullptr && attribute->context == ExprContext::kLoad)
      base = attribute->value;
    if (const auto* subscript = as<Subscript>(node)) base = subscript->value;
    if (base != nullptr && is_place(*base)) used_.try_emplace(squeezed(facts_, base->span), base);
    for_each_child(*node, [&](const Node* child) { collect(child); });
  }

  /// Assignments anywhere in the statement end what was known of the name and all that starts with it.
  void forget_assigned(const Stmt& statement) {
    const auto forget = [&](const Node* node) {
      const auto* name = as<Name>(node);
      const auto* attribute = as<Attribute>(node);
      const bool stored = (name != nullptr && name->context != ExprContext::kLoad) ||
                          (attribute != nullptr && attribute->context != ExprContext::kLoad);
      if (!stored) return;
      const std::string text = squeezed(facts_, node->span);
      std::erase_if(used_,
                    [&](const auto& entry) { return entry.first == text || entry.first.starts_with(text + "."); });
    };
    walk(statement, Nested::kSkip, forget);
  }

  void report(const Expr& tested, const Expr& used) {
    const std::string text = quote(facts_, tested.span);
    Finding finding = finding_at(program_, kRule, module_, used.span);
    finding.severity = Severity::kP1;
    finding.certainty = FindingCertainty::kLikely;
    finding.category = Category::kCorrectness;
    finding.message = fmt::format("`{}` is used before it is tested for None", text);
    finding.why = "Where the test would find None, this line has already raised AttributeError or TypeError.";
    finding.fix = fmt::format("Test `{}` first, or drop the test if it is never None.", text);
    finding.evidence.push_back(evidence_at(program_, module_, tested.span, "it is tested here"));
    hits_.push_back(hit_of(program_, module_, std::move(finding)));
  }

  const program::Program& program_;
  const program::ModuleId module_;
  const FileFacts& facts_;
  std::vector<Hit>& hits_;
  std::map<std::string, const Expr*> used_;  // Source text -> first dereference.
  std::set<std::string> known_;              // Tested for None before, one way or the other.
};

void scan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  BlockScan blocks(program, module, hits);
  const auto visit = [&](const Node& node) { for_each_block(node, [&](Seq<Stmt> block) { blocks.run(block, node); }); };
  const Module& tree = program.modules()[module].facts->tree();
  visit(tree);
  walk_statements(tree, Nested::kEnter, [&](const Stmt* statement) { visit(*statement); });
}

}  // namespace

void run_none_checked_late(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
