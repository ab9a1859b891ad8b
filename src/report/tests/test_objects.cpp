#include "report/tests/test_objects.h"

#include <algorithm>
#include <unordered_set>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/source/held_settings.h"
#include "report/source/local_values.h"
#include "report/tests/reached_code.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::FunctionId;

bool TestObjects::is_below(ClassId cls, ClassId other) const {
  const auto& line = program_.classes()[cls].linearized;
  return std::find(line.begin(), line.end(), other) != line.end();
}

bool TestObjects::sets(FunctionId function, std::string_view name) const {
  const FunctionDef* def = program_.functions()[function].def();
  if (def == nullptr) return true;
  bool found = false;
  walk(*def, Nested::kEnter, [&](const Node* node) {
    const auto* attribute = as<Attribute>(node);
    found = found || (attribute != nullptr && attribute->context != ExprContext::kLoad && attribute->name.text == name);
    // `setattr(x, "name", …)`, `patch.object(x, "name", …)`, `{"name": …}`.
    const auto* text = as<Constant>(node);
    found = found || (text != nullptr && text->constant_kind == ConstantKind::kStr && text->text == name);
  });
  return found;
}

Value TestObjects::value_of_setting(FunctionId function, const Expr* config, std::string_view setting,
                                    int depth) const {
  constexpr int kDeepest = 3;
  const FunctionDef* def = program_.functions()[function].def();
  if (config == nullptr || def == nullptr || depth > kDeepest) return {};
  if (const std::string_view name = rules::name_of(config); !name.empty())
    return value_of_setting(function, as<Call>(only_value_of(*def, name)), setting, depth + 1);
  const auto* made = as<Call>(config);
  if (made == nullptr || rules::has_spread_keywords(*made) || rules::has_spread_arguments(*made)) return {};
  const Expr* given = rules::keyword_value(*made, setting);
  if (callee_name(*made) == "replace" && made->arguments.size() == 1)
    return given != nullptr ? value_of(given) : value_of_setting(function, made->arguments[0], setting, depth + 1);
  const program::Reference to = program_.resolve(function, *made->callee);
  if (to.kind != program::Reference::Kind::kClass) return {};
  const auto& line = program_.classes()[to.cls].linearized;
  if (std::any_of(line.begin(), line.end(),
                  [&](ClassId one) { return times_set(program_.classes()[one], setting) > 0; }))
    return {};
  if (given != nullptr) return value_of(given);
  // By place it may be given, too.
  if (!made->arguments.empty()) return {};
  for (const ClassId one : line) {
    for (const program::Field& field : program_.classes()[one].fields) {
      if (field.in_class_body && field.name == setting) return value_of(field.default_value);
    }
  }
  return {};
}

Value TestObjects::value_where_made(FunctionId function, const Call& made, ClassId cls,
                                    std::string_view attribute) const {
  const program::Field* field = program_.find_field(cls, attribute);
  if (field == nullptr || field->default_value == nullptr || !field->assigned_in.valid() ||
      program_.find_method(cls, "__init__") != field->assigned_in)
    return {};
  const FunctionDef* init = program_.functions()[field->assigned_in].def();
  const std::string_view setting = config_attribute(*field->default_value);
  const auto* read = as<Attribute>(field->default_value);
  const std::string_view name = read == nullptr ? std::string_view() : rules::name_of(read->value);
  if (init == nullptr || setting.empty() || name.empty() || rules::parameter_named(init, name) == nullptr) return {};
  // It reads another configuration than it is given.
  if (rules::binds_name(*init, name)) return {};
  if (rules::has_spread_keywords(made) || rules::has_spread_arguments(made)) return {};
  const Expr* config = rules::keyword_value(made, name);
  for (std::size_t i = 1; i < init->parameters->all.size() && config == nullptr; ++i) {
    if (init->parameters->all[i]->name.text == name && i - 1 < made.arguments.size()) config = made.arguments[i - 1];
  }
  return value_of_setting(function, config, setting, 0);
}

/// Whether code that is not the test's own, and that the test reaches, makes an object of the class.
bool TestObjects::is_made_elsewhere(FunctionId test, ClassId cls) const {
  const std::vector<FunctionId>& code = stand_ins_.code_of(test);
  std::unordered_set<std::uint32_t> constructors;
  std::vector<FunctionId> making;
  for (const ClassId one : program::with_descendants(program_, cls)) {
    const FunctionId constructor = program_.find_method(one, "__init__");
    if (!constructor.valid() || !constructors.insert(constructor.value).second) continue;
    for (const program::CallId id : program_.callers_of(constructor)) {
      const program::CallSite& site = program_.calls()[id];
      const bool makes = std::any_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& to) {
        return to.function == constructor && to.kind == program::CallKind::kConstructor;
      });
      if (makes && std::find(code.begin(), code.end(), site.caller) == code.end()) making.push_back(site.caller);
    }
  }
  return reaches_any(program_, code, making);
}

TestObjects::Held TestObjects::held(FunctionId test, FunctionId function, const Expr& part) const {
  const ClassId owner = program_.functions()[function].owner;
  const HeldSetting held = owner.valid() ? setting_held_by(program_, owner, part) : HeldSetting();
  if (held.name.empty() || !held.stays) return {};
  const std::string_view attribute = attribute_of_self(part);
  Value all;
  bool is_one = true;
  for (const FunctionId one : stand_ins_.code_of(test)) {
    const FunctionDef* def = program_.functions()[one].def();
    if (def == nullptr) return {};
    walk_of<Call>(*def, Nested::kEnter, [&](const Call* call) {
      if (!is_one) return;
      const program::Reference to = program_.resolve(one, *call->callee);
      if (to.kind != program::Reference::Kind::kClass || !is_below(to.cls, owner)) return;
      Value value = value_where_made(one, *call, to.cls, attribute);
      is_one = value.kind != Value::Kind::kUnknown && (all.kind == Value::Kind::kUnknown || is_same_value(all, value));
      all = std::move(value);
    });
    if (!is_one) return {};
  }
  if (all.kind == Value::Kind::kUnknown) return {};
  for (const FunctionId one : stand_ins_.code_of(test)) {
    if (sets(one, held.name) || sets(one, attribute)) return {};
  }
  if (is_made_elsewhere(test, owner)) return {};
  return {std::move(all), held.name, held.declared_by};
}

}  // namespace lockstep::report
