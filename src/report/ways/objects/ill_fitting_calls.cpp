#include "report/ways/objects/ill_fitting_calls.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/calls/signatures.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::CallId;
using program::FunctionId;

namespace {

using Keys = std::set<std::string_view>;

/// Adds the keys of `{"a": x}` and `dict(a=x)`; false for anything else.
bool add_keys(const Expr& value, Keys& keys) {
  if (const auto* dict = as<Dict>(&value)) {
    return std::all_of(dict->keys.begin(), dict->keys.end(), [&](const Expr* key) {
      const std::string_view text = key == nullptr ? std::string_view() : rules::text_of(key);
      keys.insert(text);
      return !text.empty();
    });
  }
  const auto* made = as<Call>(&value);
  if (made == nullptr || rules::name_of(made->callee) != "dict" || !made->arguments.empty()) return false;
  return std::all_of(made->keywords.begin(), made->keywords.end(), [&](const Keyword* one) {
    keys.insert(one->name.text);
    return !one->name.text.empty();
  });
}

/// The keys that a local dict can have where a call spreads it: it is set to literals, items of it are set by name, and
/// nobody else gets hold of it. Nullopt for any other local.
std::optional<Keys> keys_of_local(const FunctionDef& function, std::string_view local) {
  if (local.empty() || rules::parameter_named(&function, local) != nullptr) return std::nullopt;
  Keys keys;
  std::size_t understood = 0;
  std::size_t used = 0;
  bool is_known = true;
  walk_of<Assign>(function, Nested::kEnter, [&](const Assign* assign) {
    for (const Expr* target : assign->targets) {
      const auto* item = as<Subscript>(target);
      if (rules::name_of(target) == local) {
        ++understood;
        is_known = is_known && assign->targets.size() == 1 && add_keys(*assign->value, keys);
      } else if (item != nullptr && rules::name_of(item->value) == local) {
        const std::string_view key = rules::text_of(item->index);
        ++understood;
        is_known = is_known && !key.empty();
        keys.insert(key);
      }
    }
  });
  walk_of<Call>(function, Nested::kEnter, [&](const Call* call) {
    for (const Keyword* one : call->keywords) {
      if (one->name.text.empty() && rules::name_of(one->value) == local) ++understood;
    }
  });
  walk_of<Name>(function, Nested::kEnter, [&](const Name* name) { used += name->id == local ? 1 : 0; });
  return is_known && used == understood && understood > 0 ? std::optional(keys) : std::nullopt;
}

/// What the call spreads as `**options`, where that is one local; empty for others.
std::string_view spread_local(const Call& call) {
  std::string_view local;
  for (const Keyword* one : call.keywords) {
    if (!one->name.text.empty()) continue;
    if (!local.empty() || rules::name_of(one->value).empty()) return {};
    local = rules::name_of(one->value);
  }
  return local;
}

/// The local that keeps what an attribute of computed name was, before the function puts one of its own in its place:
///   f = getattr(x, name)
///   def wrapper(*a): return f(*a)
///   setattr(x, name, wrapper)
/// Empty where it puts `wrapper` nowhere, or keeps nothing.
std::string_view wrapped_by(const FunctionDef& function, std::string_view wrapper) {
  const Call* store = nullptr;
  walk_of<Call>(function, Nested::kSkip, [&](const Call* call) {
    if (rules::name_of(call->callee) == "setattr" && call->arguments.size() == 3 &&
        rules::name_of(call->arguments[2]) == wrapper)
      store = call;
  });
  std::string_view kept;
  if (store == nullptr || rules::name_of(store->arguments[1]).empty()) return kept;
  walk_of<Assign>(function, Nested::kSkip, [&](const Assign* assign) {
    const auto* read = as<Call>(assign->value);
    if (read == nullptr || rules::name_of(read->callee) != "getattr" || read->arguments.size() < 2 ||
        assign->targets.size() != 1 || assign->span.begin > store->span.begin)
      return;
    const bool is_same = rules::name_of(read->arguments[1]) == rules::name_of(store->arguments[1]) &&
                         !dotted_text(read->arguments[0]).empty() &&
                         dotted_text(read->arguments[0]) == dotted_text(store->arguments[0]);
    if (is_same) kept = rules::name_of(assign->targets.front());
  });
  return kept;
}

/// Whether the call, by the name of what it calls, is one of what the function it is said to enter stands in front of.
bool calls_wrapped(const program::Program& program, const program::CallSite& site, FunctionId target) {
  const program::Function& wrapper = program.functions()[target];
  const auto* call = as<Call>(site.node);
  const FunctionDef* around = wrapper.enclosing.valid() ? program.functions()[wrapper.enclosing].def() : nullptr;
  if (call == nullptr || around == nullptr) return false;
  const std::string_view kept = wrapped_by(*around, wrapper.name);
  return !kept.empty() && rules::last_part_of(call->callee) == kept;
}

}  // namespace

bool makes_nothing(const program::Program& program, const program::CallSite& site) {
  const auto* call = as<Call>(site.node);
  if (call == nullptr || site.targets.size() != 1 || site.targets[0].kind != program::CallKind::kConstructor ||
      !site.targets[0].function.valid() || program.functions()[site.targets[0].function].name != "__init__" ||
      program.resolve(site.caller, *call->callee).kind != program::Reference::Kind::kClass)
    return false;
  const auto accepted = rules::Signatures(program).of_target(site, site.targets[0]);
  return accepted && rules::bind_arguments(*accepted, *call);
}

bool IllFittingCalls::refuses(CallId id, FunctionId target) {
  const program::CallSite& site = program_.calls()[id];
  const auto* call = as<Call>(site.node);
  const auto entered = std::find_if(site.targets.begin(), site.targets.end(),
                                    [&](const program::CallTarget& one) { return one.function == target; });
  if (call == nullptr || entered == site.targets.end()) return false;
  const rules::Signatures signatures(program_);
  const program::Function& row = program_.functions()[target];
  const bool calls_object =
      row.owner.valid() && row.name == "__call__" && rules::last_part_of(call->callee) != row.name;
  const auto signature = calls_object ? signatures.of_function(target, 1) : signatures.of_target(site, *entered);
  if (!signature) return false;
  const FunctionDef* caller = program_.functions()[site.caller].def();
  const auto keys = caller == nullptr ? std::nullopt : keys_of_local(*caller, spread_local(*call));
  return rules::bind_arguments(*signature, *call, keys ? &*keys : nullptr).has_value();
}

bool IllFittingCalls::contains(CallId call, FunctionId target) {
  const auto& targets = program_.calls()[call].targets;
  if (targets.size() < 2) return false;
  const auto known = known_.find({call.value, target.value});
  if (known != known_.end()) return known->second;
  const bool is_refused =
      calls_wrapped(program_, program_.calls()[call], target) ||
      (refuses(call, target) && std::any_of(targets.begin(), targets.end(), [&](const program::CallTarget& other) {
         return other.function.valid() && other.function != target && !refuses(call, other.function);
       }));
  known_.emplace(std::pair(call.value, target.value), is_refused);
  return is_refused;
}

}  // namespace lockstep::report
