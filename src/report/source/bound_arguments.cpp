#include "report/source/bound_arguments.h"

#include <algorithm>
#include <optional>

#include "report/source/code.h"
#include "report/source/given_arguments.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

/// What an expression in a function of which `known` holds is.
std::optional<BoundArgument> argument_of(const Expr* given, const BoundArguments& known) {
  if (given == nullptr) return std::nullopt;
  if (const Value value = value_of(given); value.kind != Value::Kind::kUnknown)
    return BoundArgument{value, value.kind != Value::Kind::kNone};
  if (is<python::List>(given) || is<Tuple>(given) || is<Dict>(given) || is<python::Set>(given))
    return BoundArgument{{}, true};
  const auto* name = as<Name>(given);
  const auto found = name == nullptr ? known.end() : known.find(name->id);
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

/// `math.inf`, `float("inf")`, and `inf` of `from torch import inf`.
bool is_infinity(const Program& program, FunctionId function, const Expr& expression) {
  if (const auto* call = as<Call>(&expression)) {
    const std::string_view text = call->arguments.size() == 1 ? rules::text_of(call->arguments[0]) : "";
    return rules::name_of(call->callee) == "float" && (text == "inf" || text == "Infinity");
  }
  if (!is<Name>(&expression) && !is<Attribute>(&expression)) return false;
  const program::Reference reference = program.resolve(function, expression);
  return reference.kind == program::Reference::Kind::kExternal &&
         (reference.name == "torch.inf" || reference.name == "math.inf" || reference.name == "numpy.inf");
}

/// What a number that is known makes of a comparison with infinity; unknown for anything else.
Value compared_with_infinity(const Program& program, FunctionId function, const Expr& expression,
                             const BoundArguments& known) {
  const auto* compare = as<Compare>(&expression);
  const auto* name = compare == nullptr ? nullptr : as<Name>(compare->left);
  const auto found = name == nullptr || compare->ops.size() != 1 ? known.end() : known.find(name->id);
  if (found == known.end() || found->second.value.kind != Value::Kind::kNumber ||
      !same_number(found->second.value.text, "0") || !is_infinity(program, function, *compare->comparators[0]))
    return {};
  switch (compare->ops[0]) {
    case CompareOperator::kEq:
    case CompareOperator::kGt:
    case CompareOperator::kGtE:
      return {Value::Kind::kBool, false, "False"};
    case CompareOperator::kNotEq:
    case CompareOperator::kLt:
    case CompareOperator::kLtE:
      return {Value::Kind::kBool, true, "True"};
    default:
      return {};
  }
}

/// Whether all that the function does with the name is to turn its number into another form: `x = float(x)`.
bool only_becomes_float(const FunctionDef& def, std::string_view name) {
  std::size_t conversions = 0;
  for (const Stmt* statement : def.body) {
    const auto* assign = as<Assign>(statement);
    const auto* call = assign == nullptr || assign->targets.size() != 1 ? nullptr : as<Call>(assign->value);
    const bool converts = call != nullptr && rules::name_of(assign->targets[0]) == name &&
                          rules::name_of(call->callee) == "float" && call->arguments.size() == 1 &&
                          call->keywords.empty() && rules::name_of(call->arguments[0]) == name;
    conversions += converts ? 1 : 0;
  }
  return conversions == rules::bindings_of(def, name, Nested::kEnter);
}

/// Whether a condition of the function holds with what is known; none where that does not decide it.
std::optional<bool> holds_with_known(const Program& program, FunctionId function, const Expr& condition,
                                     const BoundArguments& known) {
  if (const auto test = rules::none_test(condition)) {
    const auto* name = as<Name>(test->subject);
    const auto found = name == nullptr ? known.end() : known.find(name->id);
    if (found == known.end()) return std::nullopt;
    if (found->second.is_not_none) return !test->is_none;
    return found->second.value.kind == Value::Kind::kNone ? std::optional(test->is_none) : std::nullopt;
  }
  return holds_with(condition, [&](const Expr& part) {
    if (const Value limit = compared_with_infinity(program, function, part, known); limit.kind != Value::Kind::kUnknown)
      return limit;
    const auto* name = as<Name>(&part);
    const auto found = name == nullptr ? known.end() : known.find(name->id);
    return found == known.end() ? Value() : found->second.value;
  });
}

/// `Function.apply(a, b)` gives its `forward` what is written, behind the context.
bool is_forward_of_autograd(const Program& program, const program::CallSite& site, FunctionId callee) {
  return program.functions()[callee].name == "forward" &&
         std::any_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& target) {
           return target.function == callee && target.kind == program::CallKind::kAutograd;
         });
}

/// The argument that stands at `index`, behind the context; unknown from `*args` on.
rules::Given given_behind_context(const Call& call, std::size_t index) {
  const auto spread =
      std::find_if(call.arguments.begin(), call.arguments.end(), [](const Expr* one) { return is<Starred>(one); });
  if (index == 0 || (spread != call.arguments.end() &&
                     index > static_cast<std::size_t>(std::distance(call.arguments.begin(), spread))))
    return {};
  if (index > call.arguments.size()) return {rules::Given::How::kNothing, nullptr};
  return {rules::Given::How::kValue, call.arguments[index - 1]};
}

}  // namespace

BoundArguments bound_by(const Program& program, const program::CallSite& site, FunctionId callee,
                        const BoundArguments& known) {
  BoundArguments out;
  const FunctionDef* def = program.functions()[callee].def();
  if (def == nullptr || !is<Call>(site.node)) return out;
  const bool is_autograd = is_forward_of_autograd(program, site, callee);
  std::size_t index = 0;
  for (const Parameter* parameter : def->parameters->all) {
    const std::string_view name = parameter->name.text;
    const std::size_t place = index++;
    const bool is_bound_anew = rules::binds_name(*def, name);
    if (is_bound_anew && !only_becomes_float(*def, name)) continue;
    const rules::Given given =
        is_autograd ? given_behind_context(*as<Call>(site.node), place) : given_by(program, site, callee, name);
    const bool is_left_out = given.how == rules::Given::How::kNothing;
    const auto bound = is_left_out ? argument_of(parameter->default_value, {}) : argument_of(given.value, known);
    if (!bound || given.how == rules::Given::How::kUnknown) continue;
    if (!is_bound_anew || bound->value.kind == Value::Kind::kNumber) out.emplace(name, *bound);
  }
  return out;
}

bool is_ruled_out(const Program& program, FunctionId function, Span place, const BoundArguments& known) {
  if (known.empty()) return false;
  const std::vector<Guard> guards = guards_of(*program.functions()[function].node, place);
  return std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
    if (guard.condition == nullptr || !is<If>(guard.statement)) return false;
    const std::optional<bool> holds = holds_with_known(program, function, *guard.condition, known);
    return holds && *holds == guard.negated;
  });
}

bool holds_surely(const Program& program, FunctionId function, const Guard& guard, const BoundArguments& known) {
  if (known.empty() || guard.condition == nullptr) return false;
  const std::optional<bool> holds = holds_with_known(program, function, *guard.condition, known);
  return holds && *holds != guard.negated;
}

}  // namespace lockstep::report
