#include "rules/settings/args_sources.h"

#include <algorithm>

#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/names/computed_attributes.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {

using namespace python;
using program::FunctionId;
using program::Program;
using program::Reference;

bool ArgsSources::gets_args(FunctionId id) {
  const FileFacts& facts = *program_.module_of(id).facts;
  const Node& function = *program_.functions()[id].node;
  const auto scope = facts.scope_of_node.find(&function);
  if (scope == facts.scope_of_node.end()) return false;
  const auto& bindings = facts.scopes[scope->second].bindings;
  const auto is_args = [](const Binding& each) { return each.name == "args"; };
  if (std::count_if(bindings.begin(), bindings.end(), is_args) != 1) return false;
  const auto* assign = as<Assign>(std::find_if(bindings.begin(), bindings.end(), is_args)->owner);
  const auto* call = assign == nullptr ? nullptr : as<Call>(assign->value);
  if (call == nullptr || assign->targets.size() != 1 || !is<Name>(assign->targets[0])) return false;
  const std::string_view name = last_part_of(call->callee);
  // get_args of another package, or of nobody: its flags are not seen here.
  const Reference getter = program_.resolve(id, *call->callee);
  const bool is_ours = getter.kind == Reference::Kind::kFunction;
  const bool is_method = name == "parse_args" && getter.kind != Reference::Kind::kExternal;
  if (is_ours ? name != "get_args" && name != "parse_args" : !is_method) return false;
  return !parsers_.takes_flags_of_others(is_ours ? getter.function : id) &&
         !reaches({id, "args"}, &Use::fills, filled_);
}

bool ArgsSources::hands_args_away(FunctionId id) { return reaches({id, "args"}, &Use::hands_away, handed_away_); }

void ArgsSources::note_call(const Call& call, const Holder& holder, Use& use) const {
  const auto& [function, name] = holder;
  const auto is_it = [&](const Expr* value) { return name_of(value) == name; };
  const bool by_keyword =
      std::any_of(call.keywords.begin(), call.keywords.end(), [&](const Keyword* each) { return is_it(each->value); });
  if (!by_keyword && std::none_of(call.arguments.begin(), call.arguments.end(), is_it)) return;
  const auto targets = entered_by(program_, call);
  if (targets.empty()) use.hands_away = use.hands_away || !is_harmless(program_, call);
  const Signatures signatures(program_);
  for (const program::CallTarget* target : targets) {
    const auto signature = signatures.of_target(program_.calls()[program_.call_of(&call)], *target);
    if (!signature) {
      use.hands_away = true;
      continue;
    }
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const AcceptedParameter* parameter = is_it(call.arguments[i]) ? parameter_at(*signature, call, i) : nullptr;
      if (parameter != nullptr) use.handed_to.emplace_back(target->function, parameter->name);
    }
    for (const Keyword* each : call.keywords) {
      const AcceptedParameter* parameter = is_it(each->value) ? signature->find(each->name.text) : nullptr;
      if (parameter != nullptr) use.handed_to.emplace_back(target->function, parameter->name);
    }
  }
}

const ArgsSources::Use& ArgsSources::use_by(const Holder& holder) {
  const auto [known, is_new] = uses_.try_emplace(holder);
  Use& use = known->second;
  if (!is_new) return use;
  const Node& node = *program_.functions()[holder.first].node;
  use.fills = sets_computed_attributes(node, holder.second);
  walk_of<Call>(node, Nested::kEnter, [&](const Call* call) { note_call(*call, holder, use); });
  return use;
}

/// True if `first`, or a function that it hands the settings to, does `what`.
bool ArgsSources::reaches(const Holder& first, bool Use::*what, ReachMemory<Holder>& memory) {
  return memory.reaches(first, [&](const Holder& holder, std::vector<Holder>& next) {
    const Use& use = use_by(holder);
    next = use.handed_to;
    return use.*what;
  });
}

}  // namespace lockstep::rules
