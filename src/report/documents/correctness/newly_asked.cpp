#include "report/documents/correctness/newly_asked.h"

#include <algorithm>

#include "report/source/code.h"
#include "report/source/defaults.h"
#include "report/source/local_values.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr int kMostDepth = 3;  // Of locals that stand for others.

/// Of the source text of a default: `False`, `None`, a plain text.
Value value_of_text(std::string_view text) {
  Value out;
  if (text == "None") {
    out.kind = Value::Kind::kNone;
  } else if (text == "False" || text == "True") {
    out.kind = Value::Kind::kBool;
    out.truth = text == "True";
  } else if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front()) {
    out.kind = Value::Kind::kText;
    out.text = text.substr(1, text.size() - 2);
    out.truth = !out.text.empty();
  }
  return out;
}

class NewDefaults {
 public:
  NewDefaults(const Story& story, const Actor& actor, const FunctionDef& def)
      : story_(story), actor_(actor), def_(def) {}

  [[nodiscard]] std::optional<bool> holds(const Expr& condition, int depth = 0) const {
    if (const auto* unary = as<UnaryOp>(&condition); unary != nullptr && unary->op == UnaryOperator::kNot) {
      const std::optional<bool> inner = holds(*unary->operand, depth);
      return inner ? std::optional(!*inner) : std::nullopt;
    }
    if (const auto* parts = as<BoolOp>(&condition)) {
      const bool deciding = parts->op == BoolOperator::kOr;
      bool are_all_known = true;
      for (const Expr* part : parts->values) {
        const std::optional<bool> known = holds(*part, depth);
        if (known == deciding) return deciding;
        are_all_known = are_all_known && known.has_value();
      }
      return are_all_known ? std::optional(!deciding) : std::nullopt;
    }
    const Expr* held = depth < kMostDepth ? only_value_of(def_, rules::name_of(&condition)) : nullptr;
    if (held != nullptr) return holds(*held, depth + 1);
    return holds_with(condition, [&](const Expr& part) { return value(part); });
  }

 private:
  /// What is new is what it is by default; unknown for others.
  [[nodiscard]] Value value(const Expr& part) const {
    if (const std::string_view setting = config_attribute(part); !setting.empty()) {
      const auto is_it = [&](const Flag& flag) { return flag.is_new && flag.name == setting && !flag.more_may_read; };
      const auto found = std::find_if(story_.flags.begin(), story_.flags.end(), is_it);
      if (found == story_.flags.end()) return {};
      return value_of_text(found->argument_default.empty() ? found->default_value : found->argument_default);
    }
    const std::string_view name = rules::name_of(&part);
    const Parameter* parameter = rules::parameter_named(&def_, name);
    if (parameter == nullptr || rules::binds_name(def_, name)) return {};
    const auto& all = actor_.change->differences;
    const bool is_new = std::any_of(all.begin(), all.end(), [&](const change::Difference& one) {
      return one.kind == change::DifferenceKind::kParameterAdded && one.name == name;
    });
    return is_new ? value_of(parameter->default_value) : Value();
  }

  const Story& story_;
  const Actor& actor_;
  const FunctionDef& def_;
};

/// The condition under which the check refuses, and whether it has to hold for that; null for others.
std::pair<const Expr*, bool> refused_by(const Step& step) {
  if (const auto* claim = as<Assert>(step.node)) return {claim->test, false};
  const auto* branch = as<If>(step.node);
  return {branch == nullptr ? nullptr : branch->condition, true};
}

}  // namespace

bool asks_for_what_is_new(const Story& story, const Actor& actor, std::size_t index) {
  const auto* def = actor.change->after ? as<FunctionDef>(actor.change->after->node) : nullptr;
  if (def == nullptr) return false;
  const NewDefaults defaults(story, actor, *def);
  const Step& step = actor.steps.after[index];
  const auto [condition, wanted] = refused_by(step);
  if (condition != nullptr && defaults.holds(*condition) == !wanted) return true;
  const std::vector<Guard> guards = guards_of(*def, step.span);
  return std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
    return guard.condition != nullptr && !is<While>(guard.statement) &&
           defaults.holds(*guard.condition) == guard.negated;
  });
}

}  // namespace lockstep::report
