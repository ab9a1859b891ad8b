#include "report/ways/conditions/stored_settings.h"

#include <algorithm>
#include <vector>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::ModuleId;

namespace {

bool is_self_or_class(const Expr* expression) {
  const auto* name = as<Name>(expression);
  return name != nullptr && (name->id == "self" || name->id == "cls");
}

std::string_view attribute_read(const Node& node) {
  const auto* attribute = as<Attribute>(&node);
  return attribute != nullptr ? attribute->name.text : config_attribute(node);
}

bool reads(std::string_view name, const Node& node) {
  bool found = attribute_read(node) == name;
  for_each_child(node, [&](const Node* child) { found = found || reads(name, *child); });
  return found;
}

bool reads_one_of(const std::set<std::string_view>& names, const Node& node) {
  const std::string_view name = attribute_read(node);
  bool found = !name.empty() && names.contains(name);
  for_each_child(node, [&](const Node* child) { found = found || reads_one_of(names, *child); });
  return found;
}

}  // namespace

bool StoredSettings::contains(std::string_view name) {
  find();
  return names_->contains(name);
}

bool StoredSettings::are_read_in(const Expr& condition) {
  find();
  return reads_one_of(*names_, condition);
}

bool StoredSettings::are_computed_in(const Expr& condition) {
  find();
  return reads_one_of(computed_, condition);
}

void StoredSettings::find() {
  if (names_) return;
  names_.emplace();
  for (std::size_t i = 0; i < program_.modules().size(); ++i) {
    const ModuleId module(i);
    // A tool or an example sets them for its own runs.
    const std::string_view path = program_.modules()[module].path;
    if (program::is_test_path(path) || program::is_helper_path(path)) continue;
    walk_statements(program_.modules()[module].facts->tree(), Nested::kEnter,
                    [&](const Stmt* statement) { note(module, *statement); });
  }
}

void StoredSettings::note(ModuleId module, const Stmt& statement) {
  if (const auto* assign = as<Assign>(&statement)) {
    for (const Expr* target : assign->targets) note_target(module, *target, assign->value);
  } else if (const auto* declared = as<AnnAssign>(&statement); declared != nullptr && declared->value != nullptr) {
    note_target(module, *declared->target, declared->value);
  } else if (const auto* grown = as<AugAssign>(&statement)) {
    note_target(module, *grown->target, nullptr);
  } else if (const auto* lone = as<ExprStmt>(&statement); lone != nullptr && is<Call>(lone->value)) {
    note_call(module, *as<Call>(lone->value));
  }
}

void StoredSettings::note_target(ModuleId module, const Expr& target, const Expr* value) {
  if (const auto* tuple = as<Tuple>(&target)) {
    const auto* values = as<Tuple>(value);
    const bool is_paired = values != nullptr && values->elements.size() == tuple->elements.size();
    for (std::size_t i = 0; i < tuple->elements.size(); ++i)
      note_target(module, *tuple->elements[i], is_paired ? values->elements[i] : nullptr);
    return;
  }
  const auto* attribute = as<Attribute>(&target);
  if (attribute == nullptr) return;
  const bool is_of_other = !is_self_or_class(attribute->value);
  if (is_set_already(module, target.span, attribute->name.text)) return;
  if (is_of_other && value != nullptr && !is<Constant>(value) && !is<Attribute>(value))
    computed_.insert(attribute->name.text);
  if (!is_of_other && !is_own_setting(module, *attribute)) return;
  note_value(module, attribute->name.text, value, target.span);
}

/// `setattr(args, "name", value)` and argparse's `parser.set_defaults(name=value)`.
void StoredSettings::note_call(ModuleId module, const Call& call) {
  const std::string_view callee = callee_name(call);
  if (callee == "setattr" && call.arguments.size() == 3) {
    const std::string_view name = rules::text_of(call.arguments[1]);
    if (!name.empty()) note_value(module, name, call.arguments[2], call.span);
  } else if (callee == "set_defaults") {
    for (const Keyword* keyword : call.keywords) {
      if (!keyword->name.text.empty()) note_value(module, keyword->name.text, keyword->value, call.span);
    }
  }
}

void StoredSettings::note_value(ModuleId module, std::string_view name, const Expr* value, Span place) {
  // `config.seed = args.seed` passes on what was declared.
  const auto* passed_on = as<Attribute>(value);
  if (names_->contains(name) || (passed_on != nullptr && passed_on->name.text == name)) return;
  const Value declared = defaults_.value_of_name(name);
  const Value stored = passed_on != nullptr ? defaults_.value_of_name(passed_on->name.text) : value_of(value);
  const bool is_known = declared.kind != Value::Kind::kUnknown;
  if ((passed_on != nullptr && !is_known) || is_same_value(declared, stored) || is_not_reached(module, place)) return;
  names_->insert(name);
}

/// Of `self.name`: whether the class declares it as a setting of its own.
bool StoredSettings::is_own_setting(ModuleId module, const Attribute& target) const {
  const FunctionId function = program_.function_at(module, target.span.begin);
  const program::ClassId owner = function.valid() ? program_.functions()[function].owner : program::ClassId();
  const program::Field* field = owner.valid() ? program_.find_field(owner, target.name.text) : nullptr;
  return field != nullptr && field->in_class_body && Defaults::declares(program_.classes()[owner]);
}

/// Whether a condition around the place does not hold where all settings are as declared.
bool StoredSettings::is_not_reached(ModuleId module, Span place) const {
  const FunctionId function = program_.function_at(module, place.begin);
  return function.valid() && has_failing_guard(function, place, "");
}

/// Whether the place runs only where somebody set the setting: where nobody does, what is stored there changes nothing.
///   if args.config_file is not None:
///       args = load(args.config_file)            # which stores `config_file` into what it returns
bool StoredSettings::is_set_already(ModuleId module, Span place, std::string_view name) const {
  const FunctionId function = program_.function_at(module, place.begin);
  if (!function.valid() || program_.functions()[function].kind == program::FunctionKind::kModuleBody) return false;
  if (has_failing_guard(function, place, name)) return true;
  bool is_called = false;
  for (const program::CallId call : program_.callers_of(function)) {
    const program::CallSite& site = program_.calls()[call];
    const std::string_view path = program_.module_of(site.caller).path;
    if (program::is_test_path(path) || program::is_helper_path(path)) continue;
    if (!has_failing_guard(site.caller, site.node->span, name)) return false;
    is_called = true;
  }
  return is_called;
}

/// Whether a condition around the place, in the function, does not hold where all settings are as declared; with a
/// `name`, one that reads that setting.
bool StoredSettings::has_failing_guard(FunctionId function, Span place, std::string_view name) const {
  const Node* node = program_.functions()[function].node;
  if (node == nullptr) return false;
  const program::ClassId owner = program_.functions()[function].owner;
  const bool is_settings = owner.valid() && Defaults::declares(program_.classes()[owner]);
  const std::vector<Guard> guards = guards_of(*node, place);
  return std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
    if (guard.condition == nullptr || (!name.empty() && !reads(name, *guard.condition))) return false;
    const auto holds = holds_with(*guard.condition, [&](const Expr& part) {
      const auto* attribute = as<Attribute>(&part);
      const bool is_own = attribute != nullptr && is_settings && is_self_or_class(attribute->value);
      const std::string_view read = is_own ? attribute->name.text : config_attribute(part);
      return read.empty() ? Value() : defaults_.value_of_name(read);
    });
    return holds && *holds == guard.negated;
  });
}

}  // namespace lockstep::report
