// uneven-partition: on changed lines, ranks cut their parts out of a whole (`part = total // size`, `rank * part`), and
// nothing shows that the size divides it: no `%`, divide(), assert, padding or last rank in the function or its class,
// and nowhere in the repository a test of the same name with `%`.
//
// Left out: parts that are not cut out by rank (split and reshape raise by themselves), and extents without a name.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>

#include "base/strings.h"
#include "mesh/dimensions.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/communication/group_queries.h"
#include "rules/function_view.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using mesh::DimensionTable;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "uneven-partition";
// Words of code that looks after the rest.
constexpr auto kCares = std::to_array<std::string_view>(
    {"%", "divide(", "divisible", "divmod", "ceil", "pad", "remainder", "rest", "assert", "min(", "last", "- 1"});

/// What is divided: "hidden_size" of `self.config.hidden_size`, "x" of `x.shape[0]`, `x.size(0)` and `len(x)`.
std::string_view extent_name(const Expr& expression) {
  if (const auto* part = as<Subscript>(&expression)) {
    const auto* shape = as<Attribute>(part->value);
    return shape != nullptr && shape->name.text == "shape" ? last_part_of(shape->value) : std::string_view();
  }
  if (const auto* call = as<Call>(&expression)) {
    const std::string_view name = last_part_of(call->callee);
    const auto* method = as<Attribute>(call->callee);
    if ((name == "numel" || name == "size") && method != nullptr) return last_part_of(method->value);
    return name == "len" && call->arguments.size() == 1 ? last_part_of(call->arguments[0]) : std::string_view();
  }
  return last_part_of(&expression);
}

/// Names on the left of any `%`, and texts that messages of asserts call divisible.
class TestedNames {
 public:
  explicit TestedNames(const Program& program) {
    for (const program::Module& module : program.modules()) {
      if (module.facts->source().bytes().find('%') == std::string_view::npos &&
          module.facts->source().bytes().find("divide(") == std::string_view::npos)
        continue;
      walk(module.facts->tree(), Nested::kEnter, [&](const Node* node) {
        const auto* rest = as<BinOp>(node);
        if (rest != nullptr && rest->op == BinaryOperator::kMod) add(*rest->left);
        const auto* call = as<Call>(node);
        if (call != nullptr && !call->arguments.empty() && contains(last_part_of(call->callee), "divi"))
          add(*call->arguments[0]);
      });
    }
  }
  [[nodiscard]] bool contains_name(std::string_view name) const { return names_.contains(name); }

 private:
  void add(const Expr& expression) {
    const auto note = [&](const Node* node) {
      if (const auto* name = as<Name>(node)) names_.insert(name->id);
      if (const auto* attribute = as<Attribute>(node)) names_.insert(attribute->name.text);
    };
    note(&expression);
    walk(expression, Nested::kEnter, note);
  }

  std::unordered_set<std::string_view> names_;
};

class FunctionScan : FunctionView {
 public:
  FunctionScan(const Program& program, FunctionId function, std::optional<TestedNames>& tested, std::vector<Hit>& hits)
      : FunctionView(program, function, hits), queries_(program, function), tested_(tested) {}

  void run() {
    if (takes_care(row_.node->span)) return;
    walk_of<Assign>(*row_.node, Nested::kSkip, [&](const Assign* assign) {
      const auto* quotient = as<BinOp>(assign->value);
      const std::string_view part = assign->targets.size() == 1 ? name_of(assign->targets[0]) : std::string_view();
      if (quotient == nullptr || part.empty() || quotient->op != BinaryOperator::kFloorDiv) return;
      const Node* offset = is_group_size(*quotient->right) ? offset_of(part) : nullptr;
      if (offset != nullptr) check(*quotient, *offset);
    });
  }

 private:
  bool takes_care(Span span) const {
    const std::string_view text = facts_.source().slice(span);
    return std::any_of(kCares.begin(), kCares.end(), [&](std::string_view word) { return contains(text, word); });
  }

  bool is_group_size(const Expr& expression) const {
    const auto query = queries_.of(expression);
    if (query) return query->kind == GroupQuery::Kind::kSize;
    const std::string_view name = is<Call>(&expression) ? std::string_view() : last_part_of(&expression);
    if (!name.ends_with("_size")) return false;
    if (name.ends_with("world_size")) return true;
    const bool is_plain = contains(name, "parallel") || split(name, '_').size() == 2;
    return table_.dimensions_in(name.substr(0, name.size() - 5)).bits != 0 && is_plain;
  }

  bool is_rank(const Expr& expression) const {
    const auto query = queries_.of(expression);
    if (query) return query->kind == GroupQuery::Kind::kRank;
    const std::string_view name = last_part_of(&expression);
    return name == "rank" || name.ends_with("_rank");
  }

  /// `rank * part`: where a rank's part begins; null where no part is cut out that way.
  const Node* offset_of(std::string_view part) const {
    const Node* found = nullptr;
    walk_of<BinOp>(*row_.node, Nested::kSkip, [&](const BinOp* product) {
      if (product->op != BinaryOperator::kMult || found != nullptr) return;
      if ((name_of(product->left) == part && is_rank(*product->right)) ||
          (name_of(product->right) == part && is_rank(*product->left)))
        found = product;
    });
    return found;
  }

  void check(const BinOp& quotient, const Node& offset) {
    const std::string_view name = extent_name(*quotient.left);
    if (name.empty() || root_name(quotient.left) == "ctx") return;  // What forward has seen to.
    if (row_.owner.valid() && takes_care(program_.classes()[row_.owner].node->span)) return;
    if (!tested_) tested_.emplace(program_);
    if (tested_->contains_name(name)) return;
    const std::string what = quote(facts_, quotient.left->span, 40);
    const std::string size = quote(facts_, quotient.right->span, 40);
    Hit hit = make_hit(program_, kRule, row_.module, quotient.span,
                       {Severity::kP2, FindingCertainty::kQuestion, Category::kDistributed,
                        fmt::format("Does `{}` always divide by `{}`?", what, size),
                        "Nothing tests it, nor pads: `//` drops the rest, and the last elements belong to no rank.",
                        fmt::format("Raise where `{} % {}` is not 0, or give the rest to the last rank.", what, size)});
    hit.finding.evidence.push_back(evidence_at(program_, row_.module, offset.span, "a rank's part begins here"));
    hits_.push_back(std::move(hit));
  }

  const GroupQueries queries_;
  const DimensionTable table_;
  std::optional<TestedNames>& tested_;
};

}  // namespace

void run_uneven_partition(const RuleContext& context, std::vector<Finding>& findings) {
  std::optional<TestedNames> tested;
  const Program* of = nullptr;
  const auto scan = [&](const Program& program, ModuleId module, std::vector<Hit>& hits) {
    if (of != &program) tested.reset();
    of = &program;
    if (program.modules()[module].facts->source().bytes().find("//") == std::string_view::npos) return;
    for (const FunctionId function : program.modules()[module].functions) {
      if (program.functions()[function].def() != nullptr) FunctionScan(program, function, tested, hits).run();
    }
  };
  run_on_changed_lines(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
