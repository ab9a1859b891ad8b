#include "report/path_constants.h"

#include <algorithm>
#include <cstdint>

#include "python/tree_walk.h"
#include "report/story_code.h"
#include "rules/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

bool assigns(const Node& node, std::string_view id) {
  const auto* name = as<Name>(&node);
  bool found = name != nullptr && name->id == id && name->context != ExprContext::kLoad;
  for_each_child(node, [&](const Node* child) { found = found || assigns(*child, id); });
  return found;
}

/// A constant, or a parameter of the caller that is known.
KnownValue value_passed(const Expr* expression, const KnownValues& of_caller, std::size_t step) {
  const auto* name = as<Name>(expression);
  const auto found = name == nullptr ? of_caller.end() : of_caller.find(name->id);
  return found == of_caller.end() ? KnownValue{value_of(expression), step} : found->second;
}

std::optional<bool> holds_where(const Expr& condition, const KnownValues& constants) {
  return holds_with(condition, [&](const Expr& part) {
    const auto* name = as<Name>(&part);
    const auto found = name == nullptr ? constants.end() : constants.find(name->id);
    return found == constants.end() ? Value() : found->second.value;
  });
}

std::size_t earliest_in(const Expr& condition, const KnownValues& known) {
  std::size_t earliest = SIZE_MAX;
  const auto visit = [&](const auto& walk, const Node& node) -> void {
    const auto* name = as<Name>(&node);
    const auto found = name == nullptr ? known.end() : known.find(name->id);
    if (found != known.end()) earliest = std::min(earliest, found->second.step);
    for_each_child(node, [&](const Node* child) { walk(walk, *child); });
  };
  visit(visit, condition);
  return earliest;
}

}  // namespace

KnownValues values_into(const program::Program& program, const rules::Signatures& signatures,
                        const program::CallSite& entering, program::FunctionId callee, const KnownValues& of_caller,
                        std::size_t step) {
  const auto* call = as<Call>(entering.node);
  const FunctionDef* def = program.functions()[callee].def();
  if (call == nullptr || def == nullptr) return {};
  const auto target = std::find_if(entering.targets.begin(), entering.targets.end(),
                                   [&](const program::CallTarget& one) { return one.function == callee; });
  // A callback gets its arguments from whoever calls it back.
  if (target == entering.targets.end() || target->kind == program::CallKind::kCallback) return {};
  const auto signature = signatures.of_target(entering, *target);
  if (!signature) return {};
  KnownValues out;
  const bool is_open = rules::has_spread_arguments(*call) || rules::has_spread_keywords(*call);
  for (const Parameter* parameter : def->parameters->all) {
    if (parameter->default_value != nullptr && !is_open && signature->find(parameter->name.text) != nullptr)
      out[parameter->name.text] = {value_of(parameter->default_value), step};
  }
  for (std::size_t i = 0; i < call->arguments.size() && !is_open; ++i) {
    const rules::AcceptedParameter* taken_by = rules::parameter_at(*signature, *call, i);
    if (taken_by == nullptr) return {};
    out[taken_by->name] = value_passed(call->arguments[i], of_caller, step);
  }
  for (const Keyword* keyword : call->keywords) {
    if (!keyword->name.text.empty()) out[keyword->name.text] = value_passed(keyword->value, of_caller, step);
  }
  std::erase_if(out, [&](const auto& one) {
    return one.second.value.kind == Value::Kind::kUnknown ||
           std::any_of(def->body.begin(), def->body.end(),
                       [&](const Stmt* statement) { return assigns(*statement, one.first); });
  });
  return out;
}

std::optional<std::size_t> ruled_out_by(const program::Program& program, program::FunctionId function,
                                        const KnownValues& known, const program::CallSite& next) {
  return next.node == nullptr ? std::nullopt : ruled_out_by(program, function, known, next.node->span);
}

std::optional<std::size_t> ruled_out_by(const program::Program& program, program::FunctionId function,
                                        const KnownValues& known, Span place) {
  const FunctionDef* def = program.functions()[function].def();
  if (def == nullptr || known.empty()) return std::nullopt;
  for (const Guard& guard : guards_of(*def, place)) {
    if (guard.condition == nullptr || is<While>(guard.statement)) continue;
    const auto result = holds_where(*guard.condition, known);
    if (result && *result == guard.negated) return earliest_in(*guard.condition, known);
  }
  // What is refused before.
  for (const Stmt* statement : def->body) {
    if (statement->span.begin >= place.begin) break;
    const auto* branch = as<If>(statement);
    const bool refuses = branch != nullptr && !branch->body.empty() && is<Raise>(branch->body.back());
    if (refuses && !branch->span.contains(place) && holds_where(*branch->condition, known).value_or(false))
      return earliest_in(*branch->condition, known);
  }
  return std::nullopt;
}

}  // namespace lockstep::report
