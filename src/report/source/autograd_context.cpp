#include "report/source/autograd_context.h"

#include <algorithm>
#include <optional>
#include <set>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

/// The name of the first parameter of a function that has one; empty for others.
std::string_view context_name(const FunctionDef* def) {
  return def == nullptr || def->parameters->all.empty() ? std::string_view() : def->parameters->all.front()->name.text;
}

/// "flag" of `ctx.flag`; empty for others.
std::string_view attribute_of(const Expr* expression, std::string_view context) {
  const auto* member = as<Attribute>(expression);
  return member != nullptr && rules::name_of(member->value) == context ? member->name.text : std::string_view();
}

}  // namespace

BoundArguments context_bound_by(const Program& program, const program::CallSite& site, FunctionId backward,
                                const BoundArguments& known) {
  BoundArguments out;
  const program::ClassId owner = program.functions()[backward].owner;
  if (!owner.valid()) return out;
  const FunctionId forward = program.find_method(owner, "forward");
  const FunctionDef* def = forward.valid() ? program.functions()[forward].def() : nullptr;
  const std::string_view context = context_name(def);
  if (context.empty()) return out;
  const BoundArguments bound = bound_by(program, site, forward, known);
  std::set<std::string_view> several;
  walk_of<Attribute>(*def, Nested::kEnter, [&](const Attribute* member) {
    const std::string_view name = member->context == ExprContext::kLoad ? "" : attribute_of(member, context);
    if (!name.empty() && !out.emplace(name, BoundArgument()).second) several.insert(name);
  });
  walk_of<Assign>(*def, Nested::kSkip, [&](const Assign* assign) {
    for (const Expr* target : assign->targets) {
      const auto place = out.find(attribute_of(target, context));
      if (place == out.end()) continue;
      const Value value = value_of(assign->value);
      const auto given = bound.find(rules::name_of(assign->value));
      if (value.kind != Value::Kind::kUnknown) {
        place->second = {value, value.kind != Value::Kind::kNone};
      } else if (given != bound.end()) {
        place->second = given->second;
      }
    }
  });
  std::erase_if(out, [&](const auto& one) {
    const bool is_known = one.second.value.kind != Value::Kind::kUnknown || one.second.is_not_none;
    return !is_known || several.contains(one.first);
  });
  return out;
}

bool is_ruled_out_by_context(const Program& program, FunctionId backward, Span place, const BoundArguments& context) {
  const FunctionDef* def = program.functions()[backward].def();
  const std::string_view name = context_name(def);
  if (context.empty() || name.empty()) return false;
  const auto held = [&](const Expr* part) -> const BoundArgument* {
    const auto found = context.find(attribute_of(part, name));
    return found == context.end() ? nullptr : &found->second;
  };
  const auto holds = [&](const Expr& condition) -> std::optional<bool> {
    if (const auto test = rules::none_test(condition)) {
      const BoundArgument* one = held(test->subject);
      if (one == nullptr) return std::nullopt;
      if (one->is_not_none) return !test->is_none;
      return one->value.kind == Value::Kind::kNone ? std::optional(test->is_none) : std::nullopt;
    }
    return holds_with(condition, [&](const Expr& part) {
      const BoundArgument* one = held(&part);
      return one == nullptr ? Value() : one->value;
    });
  };
  const std::vector<Guard> guards = guards_of(*def, place);
  return std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
    if (guard.condition == nullptr || !is<If>(guard.statement)) return false;
    const std::optional<bool> decided = holds(*guard.condition);
    return decided && *decided == guard.negated;
  });
}

}  // namespace lockstep::report
