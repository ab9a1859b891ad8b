#include "report/ways/given_settings.h"

#include <algorithm>
#include <optional>
#include <string>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/defaults.h"
#include "report/source/held_settings.h"
#include "rules/bindings.h"
#include "rules/expressions.h"
#include "rules/signatures.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

void add(std::vector<ReadSetting>& settings, const ReadSetting& setting) {
  const bool is_known =
      std::any_of(settings.begin(), settings.end(), [&](const ReadSetting& one) { return one.name == setting.name; });
  if (!is_known) settings.push_back(setting);
}

/// The `**rest` of a function; empty where it has none.
std::string_view rest_of(const FunctionDef& function, Parameter::Kind kind) {
  const auto& all = function.parameters->all;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Parameter* one) { return one->parameter_kind == kind; });
  return found == all.end() ? std::string_view() : (*found)->name.text;
}

/// What `{"key": value}` and `dict(key=value)` hold under the key; nullopt where that does not show, null for nothing.
std::optional<const Expr*> held_under(const Expr& expression, std::string_view key) {
  if (const auto* dict = as<Dict>(&expression)) {
    const Expr* out = nullptr;
    for (std::size_t i = 0; i < dict->keys.size(); ++i) {
      if (dict->keys[i] == nullptr || rules::text_of(dict->keys[i]).empty()) return std::nullopt;
      if (rules::text_of(dict->keys[i]) == key) out = dict->values[i];
    }
    return out;
  }
  const auto* call = as<Call>(&expression);
  if (call == nullptr || rules::name_of(call->callee) != "dict" || !call->arguments.empty() ||
      rules::has_spread_keywords(*call))
    return std::nullopt;
  return rules::keyword_value(*call, key);
}

}  // namespace

std::vector<ReadSetting> settings_read(const Program& program, FunctionId function, const Node& expression) {
  std::vector<ReadSetting> out;
  const program::ClassId owner = program.functions()[function].owner;
  const auto visit = [&](const auto& self, const Node& node) -> void {
    const HeldSetting held = setting_held_by(program, owner, node);
    if (!held.name.empty()) add(out, {held.name, held.declared_by});
    const std::string_view name = held.name.empty() ? config_attribute(node) : std::string_view();
    if (!name.empty()) add(out, {name, {}});
    for_each_child(node, [&](const Node* child) { self(self, *child); });
  };
  visit(visit, expression);
  return out;
}

const Expr* only_value_of(const FunctionDef& function, std::string_view local) {
  std::size_t bound = 0;
  walk_of<Name>(function, Nested::kEnter,
                [&](const Name* one) { bound += one->id == local && one->context != ExprContext::kLoad ? 1 : 0; });
  if (bound != 1 || rules::parameter_named(&function, local) != nullptr) return nullptr;
  const Expr* value = nullptr;
  walk_statements(function, Nested::kSkip, [&](const Stmt* statement) {
    const auto* assign = as<Assign>(statement);
    if (assign != nullptr && assign->targets.size() == 1 && rules::name_of(assign->targets[0]) == local)
      value = assign->value;
  });
  return value;
}

GivenValues GivenSettings::of(FunctionId function, std::string_view parameter) const {
  constexpr std::size_t kMostAsked = 24;
  Search search;
  ask(parameter_of(function, parameter), search);
  for (std::size_t next = 0; next < search.open.size(); ++next) {
    const Asked asked = search.open[next];
    if (next >= kMostAsked) {
      search.found.has_others = true;
      break;
    }
    for (const program::CallId id : program_.callers_of(asked.function)) {
      const program::CallSite& site = program_.calls()[id];
      if (!program::is_test_path(program_.module_of(site.caller).path)) look_at(site, asked, search);
    }
  }
  return search.found;
}

GivenSettings::Asked GivenSettings::parameter_of(FunctionId function, std::string_view name) const {
  const FunctionDef* def = program_.functions()[function].def();
  Asked out{function, name, kByKeyword, function};
  if (def == nullptr) return out;
  const auto& all = def->parameters->all;
  const auto found = std::find_if(all.begin(), all.end(), [&](const Parameter* one) { return one->name.text == name; });
  if (found == all.end() || (*found)->parameter_kind != Parameter::Kind::kPositionalOrKeyword) return out;
  // `self`, which is not written.
  const bool is_static = std::any_of(def->decorators.begin(), def->decorators.end(),
                                     [](const Expr* one) { return rules::last_part_of(one) == "staticmethod"; });
  const std::size_t own = program_.functions()[function].owner.valid() && !is_static ? 1 : 0;
  const auto index = static_cast<std::size_t>(found - all.begin());
  if (index >= own) out.index = index - own;
  return out;
}

void GivenSettings::ask(const Asked& asked, Search& search) const {
  if (search.seen.emplace(asked.function.value, asked.name).second) search.open.push_back(asked);
}

void GivenSettings::look_at(const program::CallSite& site, const Asked& asked, Search& search) const {
  const auto* call = as<Call>(site.node);
  const auto target = std::find_if(site.targets.begin(), site.targets.end(),
                                   [&](const program::CallTarget& one) { return one.function == asked.function; });
  const bool is_direct =
      call != nullptr && target != site.targets.end() &&
      (target->kind == program::CallKind::kDirect || target->kind == program::CallKind::kConstructor);
  if (call == nullptr) {
    search.found.has_others = true;
    return;
  }
  if (const Expr* value = rules::keyword_value(*call, asked.name)) return take(site.caller, *value, search);
  if (!is_direct) {
    search.found.has_others = true;
    return;
  }
  const FunctionDef* caller = program_.functions()[site.caller].def();
  for (std::size_t i = 0; i < call->arguments.size(); ++i) {
    if (const auto* spread = as<Starred>(call->arguments[i])) {
      // `*args` of the caller holds what its own calls give by place.
      const bool is_own = caller != nullptr && i == 0 && call->arguments.size() == 1 &&
                          rules::name_of(spread->value) == rest_of(*caller, Parameter::Kind::kVarArgs) &&
                          caller->parameters->all.front()->parameter_kind == Parameter::Kind::kVarArgs;
      if (!is_own && asked.index != kByKeyword && asked.index >= i) search.found.has_others = true;
      break;
    }
    if (i == asked.index) return take(site.caller, *call->arguments[i], search);
  }
  for (const Keyword* keyword : call->keywords) {
    if (keyword->name.text.empty() && look_in_spread(site.caller, *keyword->value, asked, search)) return;
  }
  take_default(asked, search);
}

/// Whether what `**spread` holds tells all that the call gives.
bool GivenSettings::look_in_spread(FunctionId caller, const Expr& spread, const Asked& asked, Search& search) const {
  const FunctionDef* def = program_.functions()[caller].def();
  const std::string_view name = rules::name_of(&spread);
  if (def == nullptr || name.empty()) {
    const auto held = held_under(spread, asked.name);
    if (!held) search.found.has_others = true;
    if (held && *held != nullptr) take(caller, **held, search);
    return !held || *held != nullptr;
  }
  if (name == rest_of(*def, Parameter::Kind::kVarKeywords) && !rules::binds_name(*def, name)) {
    const bool takes_all = rest_of(*def, Parameter::Kind::kVarArgs) == def->parameters->all.front()->name.text;
    ask({caller, asked.name, takes_all ? asked.index : kByKeyword, asked.has_default}, search);
    return true;
  }
  bool is_given = false;
  bool is_bound = false;
  bool may_be_left_out = false;
  const auto note = [&](const Expr& value, bool is_whole) {
    const auto held = held_under(value, asked.name);
    if (!held) {
      search.found.has_others = true;
      is_given = true;
    } else if (*held != nullptr) {
      take(caller, **held, search);
      is_given = true;
    } else {
      may_be_left_out = may_be_left_out || is_whole;
    }
  };
  walk_statements(*def, Nested::kSkip, [&](const Stmt* statement) {
    if (const auto* assign = as<Assign>(statement); assign != nullptr && assign->targets.size() == 1) {
      const auto* item = as<Subscript>(assign->targets[0]);
      if (rules::name_of(assign->targets[0]) == name) {
        is_bound = true;
        note(*assign->value, true);
      } else if (item != nullptr && rules::name_of(item->value) == name && rules::text_of(item->index) == asked.name) {
        take(caller, *assign->value, search);
        is_given = true;
      }
    }
  });
  walk_of<Call>(*def, Nested::kSkip, [&](const Call* call) {
    const auto* member = as<Attribute>(call->callee);
    if (member == nullptr || member->name.text != "update" || rules::name_of(member->value) != name) return;
    if (const Expr* value = rules::keyword_value(*call, asked.name)) {
      take(caller, *value, search);
      is_given = true;
    }
    for (const Expr* argument : call->arguments) note(*argument, false);
  });
  if (!is_bound) search.found.has_others = true;
  return (is_given && !may_be_left_out) || !is_bound;
}

void GivenSettings::take(FunctionId caller, const Expr& value, Search& search) const {
  constexpr int kMostLocals = 4;
  const FunctionDef* def = program_.functions()[caller].def();
  const Expr* given = &value;
  for (int i = 0; i < kMostLocals; ++i) {
    const std::string_view name = rules::name_of(given);
    if (name.empty() || def == nullptr) break;
    if (rules::parameter_named(def, name) != nullptr) {
      if (rules::binds_name(*def, name)) break;
      return ask(parameter_of(caller, name), search);
    }
    const Expr* held = only_value_of(*def, name);
    if (held == nullptr) break;
    given = held;
  }
  if (value_of(given).kind != Value::Kind::kUnknown) {
    search.found.constants.push_back(given);
    return;
  }
  const HeldSetting held = setting_held_by(program_, program_.functions()[caller].owner, *given);
  if (!held.name.empty()) return add(search.found.settings, {held.name, held.declared_by});
  if (const std::string_view name = config_attribute(*given); !name.empty())
    return add(search.found.settings, {name, {}});
  search.found.has_others = true;
}

void GivenSettings::take_default(const Asked& asked, Search& search) const {
  const FunctionDef* def = program_.functions()[asked.has_default].def();
  const Parameter* parameter = rules::parameter_named(def, asked.name);
  if (parameter == nullptr) return;
  if (parameter->default_value != nullptr && value_of(parameter->default_value).kind != Value::Kind::kUnknown) {
    search.found.constants.push_back(parameter->default_value);
  } else if (parameter->default_value != nullptr) {
    search.found.has_others = true;
  }
}

}  // namespace lockstep::report
