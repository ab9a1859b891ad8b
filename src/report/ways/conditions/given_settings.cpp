#include "report/ways/conditions/given_settings.h"

#include <algorithm>
#include <optional>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/argument_dictionaries.h"
#include "report/source/defaults.h"
#include "report/source/field_setters.h"
#include "report/source/given_arguments.h"
#include "report/source/held_settings.h"
#include "report/source/local_values.h"
#include "rules/calls/signatures.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

void add(std::vector<ReadSetting>& settings, const ReadSetting& setting) {
  const auto known = std::find_if(settings.begin(), settings.end(), [&](const ReadSetting& one) {
    const bool may_be_it =
        one.declared_by == setting.declared_by || !one.declared_by.valid() || !setting.declared_by.valid();
    return one.name == setting.name && may_be_it;
  });
  if (known == settings.end()) {
    settings.push_back(setting);
  } else if (!setting.declared_by.valid()) {
    known->declared_by = {};
  }
}

/// The place of `*name` or `**name` among the function's parameters, where it holds what was given; nullopt for others.
std::optional<std::size_t> place_of_rest(const FunctionDef* function, const Expr& name, Parameter::Kind kind) {
  const std::string_view text = rules::name_of(&name);
  const Parameter* rest = text.empty() ? nullptr : rules::parameter_named(function, text);
  if (rest == nullptr || rest->parameter_kind != kind || rules::binds_name(*function, text)) return std::nullopt;
  const auto& all = function->parameters->all;
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), rest) - all.begin());
}

}  // namespace

program::ClassId settings_class(const Program& program, FunctionId function, const Node& node) {
  const auto* member = as<Attribute>(&node);
  const auto* variable = member == nullptr ? nullptr : as<Name>(member->value);
  if (variable == nullptr || !function.valid()) return {};
  std::vector<program::ClassId> classes = program.instance_classes(function, *variable);
  const Parameter* parameter = rules::parameter_named(program.functions()[function].def(), variable->id);
  if (classes.size() != 1 && parameter != nullptr && parameter->annotation != nullptr) {
    const program::Reference to = program.resolve(function, *parameter->annotation);
    if (to.kind == program::Reference::Kind::kClass) classes = {to.cls};
  }
  if (classes.size() != 1 || !is_named_for_settings(program.classes()[classes.front()].name)) return {};
  const program::Field* field = program.find_field(classes.front(), member->name.text);
  return field != nullptr && field->in_class_body ? classes.front() : program::ClassId();
}

std::vector<ReadSetting> settings_read(const Program& program, FunctionId function, const Node& expression) {
  std::vector<ReadSetting> out;
  const program::ClassId owner = program.functions()[function].owner;
  const auto visit = [&](const auto& self, const Node& node) -> void {
    const HeldSetting held = setting_held_by(program, owner, node);
    if (held.stays) add(out, {held.name, held.declared_by});
    const std::string_view name = held.name.empty() ? config_attribute(node) : std::string_view();
    if (!name.empty()) add(out, {name, class_declaring(program, function, static_cast<const Expr&>(node), name)});
    if (name.empty() && held.name.empty()) {
      const program::ClassId declaring = settings_class(program, function, node);
      if (declaring.valid()) add(out, {static_cast<const Attribute&>(node).name.text, declaring});
    }
    for_each_child(node, [&](const Node* child) { self(self, *child); });
  };
  visit(visit, expression);
  return out;
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
  Asked out{function, name, kByKeyword, function, true};
  if (def == nullptr) return out;
  const auto& all = def->parameters->all;
  const auto found = std::find_if(all.begin(), all.end(), [&](const Parameter* one) { return one->name.text == name; });
  if (found == all.end()) return out;
  const Parameter::Kind kind = (*found)->parameter_kind;
  if (kind == Parameter::Kind::kPositionalOrKeyword || kind == Parameter::Kind::kPositionalOnly)
    out.index = static_cast<std::size_t>(found - all.begin());
  out.by_name = kind != Parameter::Kind::kPositionalOnly;
  return out;
}

void GivenSettings::ask(const Asked& asked, Search& search) const {
  if (!search.seen.emplace(asked.function.value, asked.name, asked.index, asked.by_name).second) return;
  // What a decorator makes of it may be called with anything: from a command line, say.
  if (!rules::Signatures(program_).is_transparent(asked.function) || unseen_.may_call(asked.function))
    search.found.has_others = true;
  search.open.push_back(asked);
}

void GivenSettings::look_at(const program::CallSite& site, const Asked& asked, Search& search) const {
  const auto* call = as<Call>(site.node);
  const Expr* named = call == nullptr || !asked.by_name ? nullptr : rules::keyword_value(*call, asked.name);
  if (named != nullptr) return take(site.caller, *named, search);
  const std::size_t own = unwritten_parameters(program_, site, asked.function);
  if (!gets_as_written(program_, site, asked.function) || asked.index < own) {
    search.found.has_others = true;
    return;
  }
  const FunctionDef* caller = program_.functions()[site.caller].def();
  std::size_t in_rest = kByKeyword;  // Its place among what the caller itself is given.
  for (std::size_t i = 0; i < call->arguments.size() && asked.index != kByKeyword; ++i) {
    const std::size_t index = asked.index - own;
    if (const auto* spread = as<Starred>(call->arguments[i])) {
      // `*args` of the caller holds what its own calls give by place.
      const auto rest = place_of_rest(caller, *spread->value, Parameter::Kind::kVarArgs);
      if (!rest || i + 1 != call->arguments.size()) {
        search.found.has_others = true;
        return;
      }
      in_rest = index - i + *rest;
      break;
    }
    if (i == index) return take(site.caller, *call->arguments[i], search);
  }
  for (const Keyword* keyword : call->keywords) {
    if (!keyword->name.text.empty() || !asked.by_name) continue;
    const Asked next{site.caller, asked.name, in_rest, asked.has_default, true};
    if (look_in_spread(next, *keyword->value, search)) return;
  }
  if (in_rest != kByKeyword) return ask({site.caller, asked.name, in_rest, asked.has_default, false}, search);
  take_default(asked, search);
}

/// Whether what `**spread` holds tells all that the call gives. `next`: what is to be asked of the calls of the caller,
/// where it hands on what it was given.
bool GivenSettings::look_in_spread(const Asked& next, const Expr& spread, Search& search) const {
  const FunctionId caller = next.function;
  const FunctionDef* def = program_.functions()[caller].def();
  const std::string_view name = rules::name_of(&spread);
  if (def == nullptr || name.empty()) {
    const auto held = held_under(spread, next.name);
    if (!held) search.found.has_others = true;
    if (held && *held != nullptr) take(caller, **held, search);
    return !held || *held != nullptr;
  }
  const bool is_rest = place_of_rest(def, spread, Parameter::Kind::kVarKeywords).has_value();
  const KeyWrites writes = writes_under(*def, name, next.name);
  // A dictionary that the caller did not make may hold anything.
  if (writes.has_others || (!is_rest && (!writes.is_bound || rules::parameter_named(def, name) != nullptr)))
    search.found.has_others = true;
  for (const Expr* value : writes.values) take(caller, *value, search);
  if (!is_rest) return !writes.is_bound || (!writes.values.empty() && !writes.may_lack);
  ask(next, search);
  return !writes.may_lack;
}

void GivenSettings::take(FunctionId caller, const Expr& value, Search& search) const {
  constexpr int kMostLocals = 4;
  const FunctionDef* def = program_.functions()[caller].def();
  const Expr* given = &value;
  for (int i = 0; i < kMostLocals; ++i) {
    const std::string_view name = rules::name_of(given);
    if (name.empty() || def == nullptr) break;
    if (const Parameter* own = rules::parameter_named(def, name)) {
      const bool is_rest =
          own->parameter_kind == Parameter::Kind::kVarArgs || own->parameter_kind == Parameter::Kind::kVarKeywords;
      if (is_rest || rules::binds_name(*def, name)) break;
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
  if (held.stays) return add(search.found.settings, {held.name, held.declared_by});
  if (const HeldSetting of_part = setting_of_part(program_, *given); !of_part.name.empty())
    return add(search.found.settings, {of_part.name, of_part.declared_by});
  if (const std::string_view name = config_attribute(*given); !name.empty())
    return add(search.found.settings, {name, class_declaring(program_, caller, *given, name)});
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
