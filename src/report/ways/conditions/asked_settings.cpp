#include "report/ways/conditions/asked_settings.h"

#include <algorithm>

#include "python/tree_walk.h"
#include "report/source/defaults.h"
#include "report/source/held_settings.h"
#include "report/source/local_values.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::Program;

namespace {

constexpr int kMostLocals = 3;  // Each held by the next.

/// The class that declares the field which the attribute reads, of all classes that its object may have.
ClassId declaring_of_all(const Program& program, FunctionId function, const Attribute& attribute) {
  ClassId out;
  for (const ClassId held : program.instance_classes(function, *attribute.value)) {
    const ClassId declaring = declaring_class(program, held, attribute.name.text);
    if (!declaring.valid()) continue;  // That one has no such field, so it is not read there.
    if (out.valid() && out != declaring) return {};
    out = declaring;
  }
  return out;
}

void add_once(std::vector<ReadSetting>& out, const ReadSetting& setting) {
  const auto known =
      std::find_if(out.begin(), out.end(), [&](const ReadSetting& one) { return one.name == setting.name; });
  if (known == out.end()) {
    out.push_back(setting);
  } else if (!known->declared_by.valid()) {
    known->declared_by = setting.declared_by;
  }
}

/// Its parameter of that name, which nothing in it binds anew.
bool is_kept_parameter(const FunctionDef& def, std::string_view name) {
  const Parameter* parameter = rules::parameter_named(&def, name);
  return parameter != nullptr && parameter->parameter_kind != Parameter::Kind::kVarArgs &&
         parameter->parameter_kind != Parameter::Kind::kVarKeywords && !rules::binds_name(def, name);
}

/// A setting as it is, or what `not`, `and`, `or` and comparisons make of settings and locals: what a call or an index
/// makes of one is something else.
bool is_made_of_settings(const Expr& value) {
  const auto are = [](const auto& all) {
    return std::all_of(all.begin(), all.end(), [](const Expr* one) { return is_made_of_settings(*one); });
  };
  if (const auto* both = as<BoolOp>(&value)) return are(both->values);
  if (const auto* opposite = as<UnaryOp>(&value)) return is_made_of_settings(*opposite->operand);
  if (const auto* compare = as<Compare>(&value))
    return is_made_of_settings(*compare->left) && are(compare->comparators);
  // `config.kind in ("a", "b")`
  const auto are_constants = [](const auto& all) {
    return std::all_of(all.begin(), all.end(), [](const Expr* one) { return is<Constant>(one); });
  };
  if (const auto* list = as<List>(&value)) return are_constants(list->elements);
  if (const auto* tuple = as<Tuple>(&value)) return are_constants(tuple->elements);
  if (const auto* set = as<Set>(&value)) return are_constants(set->elements);
  if (is<Constant>(&value) || is<Name>(&value) || is<Attribute>(&value)) return true;
  // `config.kind if is_global else "plain"`
  if (const auto* either = as<IfExp>(&value))
    return is_made_of_settings(*either->body) && is_made_of_settings(*either->orelse);
  const auto* call = as<Call>(&value);
  return call != nullptr && rules::name_of(call->callee) == "getattr";
}

}  // namespace

std::vector<ReadSetting> AskedSettings::of(FunctionId function, const Expr& expression, bool through_names) const {
  std::vector<ReadSetting> out;
  add(function, expression, through_names ? kMostLocals : 0, Asked::kRead, out);
  return out;
}

std::vector<ReadSetting> AskedSettings::of_value(FunctionId function, const Expr& value, bool through_names) const {
  std::vector<ReadSetting> out;
  add(function, value, through_names ? kMostLocals : 0, Asked::kValue, out);
  return out;
}

ReadSetting AskedSettings::held_as_it_is(FunctionId function, const Expr& expression) const {
  if (const HeldSetting of_part = setting_of_part(program_, expression); !of_part.name.empty())
    return {of_part.name, of_part.declared_by};
  if (const std::string_view name = config_attribute(expression); !name.empty()) {
    const auto* attribute = as<Attribute>(&expression);
    const bool is_known = attribute != nullptr && function.valid();
    return {name, is_known ? declaring_of_all(program_, function, *attribute) : ClassId()};
  }
  if (!function.valid()) return {};
  const HeldSetting held = setting_held_by(program_, program_.functions()[function].owner, expression);
  if (held.stays) return {held.name, held.declared_by};
  const FunctionDef* def = program_.functions()[function].def();
  const std::string_view name = rules::name_of(&expression);
  if (def == nullptr || name.empty() || !is_kept_parameter(*def, name)) return {};
  GivenValues given = given_.of(function, name);
  if (given.settings.size() != 1) return {};
  const bool is_one = given.constants.empty() && !given.has_others;
  return is_one || given.settings.front().name == name ? given.settings.front() : ReadSetting();
}

/// Whether the whole expression is a setting.
bool AskedSettings::reads_setting(FunctionId function, const Node& node) const {
  return !setting_of_part(program_, node).name.empty() || !config_attribute(node).empty() ||
         settings_class(program_, function, node).valid() ||
         (function.valid() && !setting_held_by(program_, program_.functions()[function].owner, node).name.empty());
}

/// Whether what the call gives comes from settings and constants alone, or asks for one: `is_on(args.kind)`,
/// `isinstance(args.kind, str)`, `args.kind.startswith(prefix)`.
bool AskedSettings::takes_only_settings(FunctionId function, const Call& call) const {
  static constexpr std::string_view kAsking[] = {"all", "any", "bool", "getattr", "int", "isinstance", "len", "str"};
  if (std::find(std::begin(kAsking), std::end(kAsking), rules::name_of(call.callee)) != std::end(kAsking)) return true;
  if (const auto* method = as<Attribute>(call.callee); method != nullptr && reads_setting(function, *method->value))
    return true;
  // The state of an object counts, too; and an object is there whatever it is given.
  static constexpr std::string_view kBuiltin[] = {"abs", "float",  "max", "min",  "round",
                                                  "set", "sorted", "sum", "tuple"};
  const program::Reference callee = program_.resolve(function, *call.callee);
  if (callee.kind != program::Reference::Kind::kFunction && callee.kind != program::Reference::Kind::kExternal &&
      std::find(std::begin(kBuiltin), std::end(kBuiltin), rules::name_of(call.callee)) == std::end(kBuiltin))
    return false;
  const auto comes_from_settings = [&](const auto& self, const Node& node) -> bool {
    if (reads_setting(function, node)) return true;
    if (is<Name>(&node) || is<Attribute>(&node) || is<Call>(&node)) return false;
    bool do_all = true;
    for_each_child(node, [&](const Node* child) { do_all = do_all && self(self, *child); });
    return do_all;
  };
  const auto is_setting = [&](const Expr* argument) { return comes_from_settings(comes_from_settings, *argument); };
  return std::all_of(call.arguments.begin(), call.arguments.end(), is_setting) &&
         std::all_of(call.keywords.begin(), call.keywords.end(),
                     [&](const Keyword* keyword) { return is_setting(keyword->value); });
}

void AskedSettings::add(FunctionId function, const Node& node, int depth, Asked asked,
                        std::vector<ReadSetting>& out) const {
  if (const HeldSetting of_part = setting_of_part(program_, node); !of_part.name.empty())
    return add_once(out, {of_part.name, of_part.declared_by});
  const std::string_view read = config_attribute(node);
  if (!read.empty()) {
    const auto* attribute = as<Attribute>(&node);
    add_once(out, {read, attribute == nullptr || !function.valid() ? ClassId()
                                                                   : declaring_of_all(program_, function, *attribute)});
  }
  if (const ClassId declaring = read.empty() ? settings_class(program_, function, node) : ClassId(); declaring.valid())
    add_once(out, {static_cast<const Attribute&>(node).name.text, declaring});
  if (function.valid()) {
    const HeldSetting held = setting_held_by(program_, program_.functions()[function].owner, node);
    if (!held.name.empty()) add_once(out, {held.name, held.declared_by});
    if (const auto* name = as<Name>(&node); name != nullptr && depth > 0) add_named(function, *name, depth, out);
  }
  const auto* call = asked == Asked::kValue && read.empty() && function.valid() ? as<Call>(&node) : nullptr;
  if (call != nullptr && !takes_only_settings(function, *call)) return;
  // What an object holds is no setting because the object comes from one: `attention = config.layers[0]`.
  const bool is_of_object = is<Attribute>(&node) || is<Subscript>(&node) || is<Call>(&node);
  for_each_child(node, [&](const Node* child) {
    if (!is<Lambda>(child)) add(function, *child, is_of_object && is<Name>(child) ? 0 : depth, asked, out);
  });
}

/// A local that is set once, and a parameter for which nothing but settings and constants is given.
void AskedSettings::add_named(FunctionId function, const Name& name, int depth, std::vector<ReadSetting>& out) const {
  const FunctionDef* def = program_.functions()[function].def();
  if (def == nullptr || name.context != ExprContext::kLoad) return;
  if (is_kept_parameter(*def, name.id)) {
    const GivenValues given = given_.of(function, name.id);
    for (const ReadSetting& one : given.settings) {
      // Where some calls give something else, the parameter is that setting by its name alone.
      if (!given.has_others || one.name == name.id) add_once(out, one);
    }
    return;
  }
  const Expr* value = only_value_of(*def, name.id);
  if (value != nullptr && is_made_of_settings(*value)) add(function, *value, depth - 1, Asked::kValue, out);
}

}  // namespace lockstep::report
