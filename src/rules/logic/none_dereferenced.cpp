// none-dereferenced: a value is dereferenced in the very branch in which it is None (`if x is None: x.items()`), or
// right after a line that tests it (`size = x.get("a") if x else 0`, then `x.get("b")`).
//
// Left out: values that anything in between may set, uses under a further condition, values tested somewhere before.

#include <fmt/format.h>

#include <algorithm>

#include "python/tree_walk.h"
#include "rules/function_view.h"
#include "rules/local_rule.h"
#include "rules/names/names.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "none-dereferenced";

/// The place that `x is None` (or, with `negated`, `x is not None`) tests.
const Expr* compared_with_none(const Expr& condition, bool negated) {
  const auto test = none_test(condition);
  return test && test->by_identity && test->is_none != negated && is_place(*test->subject) ? test->subject : nullptr;
}

bool is_simple(const Stmt& statement) {
  return is<Assign>(&statement) || is<ExprStmt>(&statement) || is<Return>(&statement) || is<AugAssign>(&statement) ||
         is<AnnAssign>(&statement);
}

/// `config.get("key")`, `getattr(config, "key", None)`: what gives None where there is nothing.
bool may_give_none(const Expr& value) {
  const auto* call = as<Call>(&value);
  if (call == nullptr || !call->keywords.empty()) return false;
  const auto* method = as<Attribute>(call->callee);
  if (method != nullptr) return method->name.text == "get" && call->arguments.size() == 1 && !is<Call>(method->value);
  return name_of(call->callee) == "getattr" && call->arguments.size() == 3 && is_none(call->arguments[2]);
}

class FunctionScan : FunctionView {
 public:
  FunctionScan(const Program& program, const ScopeNames& names, FunctionId function, std::vector<Hit>& hits)
      : FunctionView(program, function, hits), names_(names) {}

  void run() {
    for (const Seq<Stmt> block : blocks_of(*row_.node)) {
      for (std::size_t i = 0; i < block.size(); ++i) {
        if (const auto* branch = as<If>(block[i])) {
          if (const Expr* place = compared_with_none(*branch->condition, false)) in_branch(*place, branch->body);
          if (const Expr* place = compared_with_none(*branch->condition, true)) in_branch(*place, branch->orelse);
        } else {
          after_guard(block, i);
        }
      }
    }
  }

 private:
  using Text = std::string;
  [[nodiscard]] Text text(const Expr& expression) const { return squeezed(facts_, expression.span); }

  /// A variable of this function: a call cannot set it.
  [[nodiscard]] bool is_local(const Expr& place) const {
    const auto scope = facts_.scope_of_node.find(row_.node);
    if (!is<Name>(&place) || scope == facts_.scope_of_node.end() || row_.def() == nullptr) return false;
    const python::Scope& own = facts_.scopes[scope->second];
    const std::string_view name = name_of(&place);
    const auto declared = [&](const std::vector<std::string_view>& list) {
      return std::find(list.begin(), list.end(), name) != list.end();
    };
    if (declared(own.global_names) || declared(own.nonlocal_names)) return false;
    return !names_.bindings(scope->second, name).empty();
  }

  /// Everything that sets the variable gives it a container: the test never holds.
  [[nodiscard]] bool is_never_none(const Expr& place) const {
    const auto scope = facts_.scope_of_node.find(row_.node);
    if (!is<Name>(&place) || scope == facts_.scope_of_node.end()) return false;
    const auto& bindings = names_.bindings(scope->second, name_of(&place));
    return !bindings.empty() && std::all_of(bindings.begin(), bindings.end(), [](const Binding* binding) {
      const auto* assign = as<Assign>(binding->owner);
      const auto* annotated = as<AnnAssign>(binding->owner);
      const Expr* value = assign != nullptr ? assign->value : annotated != nullptr ? annotated->value : nullptr;
      return is<Dict>(value) || is<List>(value) || is<ListComp>(value) || is<DictComp>(value) || is<Tuple>(value);
    });
  }

  /// The first dereference of `place` that is evaluated whatever comes; null where there is none.
  [[nodiscard]] const Expr* dereference(const Node& node, const Text& place) const {
    if (is<Lambda>(&node) || is<IfExp>(&node) || is<ListComp>(&node) || is<SetComp>(&node) || is<DictComp>(&node) ||
        is<GeneratorExp>(&node)) {
      return nullptr;
    }
    if (const auto* parts = as<BoolOp>(&node)) return dereference(*parts->values[0], place);
    if (const auto* compare = as<Compare>(&node); compare != nullptr && compare->ops.size() > 1)
      return dereference(*compare->left, place);
    const Expr* base = nullptr;
    if (const auto* attribute = as<Attribute>(&node); attribute != nullptr && attribute->context == ExprContext::kLoad)
      base = attribute->name.text.starts_with("__") ? nullptr : attribute->value;
    if (const auto* subscript = as<Subscript>(&node)) base = subscript->value;
    if (base != nullptr && is_place(*base) && text(*base) == place) return base;
    const Expr* found = nullptr;
    for_each_child(node, [&](const Node* child) {
      if (found == nullptr) found = dereference(*child, place);
    });
    return found;
  }

  /// The statement sets the place, or what it hangs on; or, for what is no local variable, calls something.
  [[nodiscard]] bool may_set(const Node& statement, const Expr& place, const Text& wanted) const {
    const bool local = is_local(place);
    bool sets = false;
    const auto look = [&](const Node* node) {
      const auto* name = as<Name>(node);
      const auto* attribute = as<Attribute>(node);
      const bool stored = (name != nullptr && name->context != ExprContext::kLoad) ||
                          (attribute != nullptr && attribute->context != ExprContext::kLoad);
      if (stored) {
        const Text changed = squeezed(facts_, node->span);
        sets = sets || changed == wanted ||
               (wanted.size() > changed.size() && wanted.starts_with(changed) && wanted[changed.size()] == '.');
      }
      sets = sets || (!local && (is<Call>(node) || is<Await>(node))) || is<Global>(node) || is<Import>(node) ||
             is<ImportFrom>(node);
    };
    walk(statement, Nested::kEnter, look);
    return sets;
  }

  void in_branch(const Expr& place, Seq<Stmt> body) {
    const Text wanted = text(place);
    if (is_never_none(place)) return;
    for (const Stmt* statement : body) {
      const Node* evaluated = is_simple(*statement) ? static_cast<const Node*>(statement) : nullptr;
      if (const auto* loop = as<For>(statement)) evaluated = loop->iterable;
      if (const auto* branch = as<If>(statement)) evaluated = branch->condition;
      const Expr* used = evaluated == nullptr ? nullptr : dereference(*evaluated, wanted);
      if (used != nullptr && (is_local(place) || !calls_before(*evaluated, *used))) {
        report(*used, place, Severity::kP0, fmt::format("`{}` is None here, and is used as if it were not", wanted),
               "The line raises AttributeError or TypeError whenever the branch is taken.",
               "Turn the test round, or leave the branch before this line.", "tested here");
        return;
      }
      if (may_set(*statement, place, wanted) || is<Return>(statement) || is<Raise>(statement)) return;
    }
  }

  /// Something is called that may set the place before it is read.
  static bool calls_before(const Node& evaluated, const Expr& used) {
    bool found = false;
    walk_of<Call>(evaluated, Nested::kSkip,
                  [&](const Call* call) { found = found || (call->span.end <= used.span.begin); });
    return found;
  }

  /// `a = x.f if x is not None else b` at `at`: plain assignments that follow and dereference x all the same.
  void after_guard(Seq<Stmt> block, std::size_t at) {
    const auto* assign = as<Assign>(block[at]);
    const auto* choice = assign == nullptr ? nullptr : as<IfExp>(assign->value);
    if (choice == nullptr) return;
    const Expr* place = compared_with_none(*choice->condition, true);
    if (place == nullptr && is<Name>(choice->condition) && given_none(block, at, name_of(choice->condition)))
      place = choice->condition;
    if (place == nullptr) return;
    const Text wanted = text(*place);
    if (dereference(*choice->body, wanted) == nullptr || is_tested_before(wanted, *choice)) return;
    if (may_set(*assign, *place, wanted)) return;
    for (std::size_t i = at + 1; i < block.size() && is<Assign>(block[i]); ++i) {
      if (const Expr* used = dereference(*block[i], wanted)) {
        report(*used, *place, Severity::kP1, fmt::format("`{}` may be None here: the line before tests it", wanted),
               "Where the test above finds None, this line raises AttributeError or TypeError.",
               fmt::format("Test `{}` here, too.", wanted), "tested here");
        return;
      }
      if (may_set(*block[i], *place, wanted)) return;
    }
  }

  /// The last assignment of the name in the block gives None where something is missing.
  static bool given_none(Seq<Stmt> block, std::size_t before, std::string_view name) {
    for (std::size_t i = before; i-- > 0;) {
      const auto* assign = as<Assign>(block[i]);
      if (assign == nullptr || assign->targets.size() != 1 || name_of(assign->targets[0]) != name) continue;
      return may_give_none(*assign->value);
    }
    return false;
  }

  /// Some test before this one asks about the place, and may have left, or may stand around.
  [[nodiscard]] bool is_tested_before(const Text& wanted, const Expr& place) const {
    bool found = false;
    walk(*row_.node, Nested::kSkip, [&](const Node* node) {
      if (node->span.begin >= place.span.begin) return;
      const Expr* condition = nullptr;
      if (const auto* branch = as<If>(node)) condition = branch->condition;
      if (const auto* loop = as<While>(node)) condition = loop->condition;
      if (const auto* assertion = as<Assert>(node)) condition = assertion->test;
      found = found || (condition != nullptr && squeezed(facts_, condition->span).find(wanted) != Text::npos);
    });
    return found;
  }

  void report(const Expr& used, const Expr& place, Severity severity, std::string message, std::string why,
              std::string fix, std::string evidence) {
    const auto certainty = severity == Severity::kP0 ? FindingCertainty::kProven : FindingCertainty::kLikely;
    Hit hit =
        make_hit(program_, kRule, row_.module, used.span,
                 {severity, certainty, Category::kCorrectness, std::move(message), std::move(why), std::move(fix)});
    hit.finding.evidence.push_back(evidence_at(program_, row_.module, place.span, std::move(evidence)));
    hits_.push_back(std::move(hit));
  }

  const ScopeNames& names_;
};

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  const program::Module& row = program.modules()[module];
  const ScopeNames names(*row.facts);
  for (const FunctionId function : row.functions) FunctionScan(program, names, function, hits).run();
}

}  // namespace

void run_none_dereferenced(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
