#include "report/ways/scripts/script_settings.h"

#include <algorithm>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::CallId;
using program::ClassId;
using program::FunctionId;

namespace {

constexpr int kMostDepth = 4;

/// What an object is read from: `x` of `x.name` and of `getattr(x, "name")`.
struct Read {
  const Expr* holder = nullptr;
  std::string_view name;
};
Read read_of(const Expr& expression) {
  if (const auto* attribute = as<Attribute>(&expression)) return {attribute->value, attribute->name.text};
  const auto* call = as<Call>(&expression);
  const auto* callee = call == nullptr ? nullptr : as<Name>(call->callee);
  const bool asks = callee != nullptr && callee->id == "getattr" && call->arguments.size() >= 2;
  if (!asks || rules::text_of(call->arguments[1]).empty()) return {};
  return {call->arguments[0], rules::text_of(call->arguments[1])};
}

bool is_self(const Expr& expression) {
  const auto* name = as<Name>(&expression);
  return name != nullptr && name->id == "self";
}

/// Visits what a function's body stores to attributes called `name`, by whatever it is stored: the object, null where
/// it may be any; and whether it stores to that name for sure.
template <class Visit>
void for_each_store(const Node& node, std::string_view name, const Visit& visit) {
  if (const auto* attribute = as<Attribute>(&node)) {
    if (attribute->name.text == name && attribute->context != ExprContext::kLoad) visit(attribute->value, true);
  } else if (const auto* call = as<Call>(&node)) {
    if (callee_name(*call) == "setattr" && call->arguments.size() == 3) {
      const std::string_view set = rules::text_of(call->arguments[1]);
      if (set == name || !is<Constant>(call->arguments[1])) visit(call->arguments[0], set == name);
    }
    for (const Keyword* keyword : call->keywords) {
      if (keyword->name.text == name && callee_name(*call) == "replace") visit(static_cast<const Expr*>(nullptr), true);
    }
  }
  for_each_child(node, [&](const Node* child) { for_each_store(*child, name, visit); });
}

}  // namespace

std::optional<bool> ScriptSettings::holds(const ScriptReach& script, FunctionId function, const Expr& condition) {
  return holds_with(condition, [&](const Expr& part) { return value_of_read(&script, function, part, 0); });
}

std::optional<bool> ScriptSettings::holds_by_default(FunctionId function, const Expr& condition) {
  return holds_with(condition, [&](const Expr& part) { return value_of_read(nullptr, function, part, 0); });
}

/// Of `object.name`: what all classes that the object may be of declare as its default, or what a method stores there.
Value ScriptSettings::value_of_read(const ScriptReach* script, FunctionId function, const Expr& expression, int depth) {
  const Read read = read_of(expression);
  if (read.holder == nullptr || depth > kMostDepth) return {};
  std::vector<ClassId> classes;
  const ClassId owner = program_.functions()[function].owner;
  if (is_self(*read.holder) && owner.valid()) {
    classes = {owner};
  } else {
    classes = program_.instance_classes(function, *read.holder);
  }
  Value all;
  for (const ClassId cls : classes) {
    // Of the classes that an annotation of a base allows, those without the attribute are not what is read.
    const bool has_none = program_.find_field(cls, read.name) == nullptr &&
                          !program_.find_method(cls, read.name).valid() &&
                          !program_.find_method(cls, "__getattr__").valid();
    if (has_none && is<Attribute>(&expression) && Defaults::declares(program_.classes()[cls])) continue;
    const program::Field* field = only_field(cls, read.name);
    if (field == nullptr) return {};
    Value one;
    if (field->in_class_body) {
      const bool is_default = script != nullptr ? stays(*script, cls, read.name) : !is_part_put_in(*field, cls);
      if (is_default) one = value_of(field->default_value);
    } else if (field->default_value != nullptr && !is_set_outside(script, cls, read.name)) {
      one = value_of_read(script, field->assigned_in, *field->default_value, depth + 1);
    }
    if (one.kind == Value::Kind::kUnknown) return {};
    if (all.kind != Value::Kind::kUnknown && (all.kind != one.kind || all.text != one.text)) return {};
    all = one;
  }
  return all;
}

/// The field where one statement alone, in the class or above it, gives its value.
const program::Field* ScriptSettings::only_field(ClassId cls, std::string_view name) {
  const program::Field* field = program_.find_field(cls, name);
  if (field == nullptr) return nullptr;
  const auto [known, is_new] = only_.try_emplace({cls.value, name}, true);
  if (is_new) {
    std::size_t stores = 0;
    std::vector<ClassId> line = program_.classes()[cls].linearized;
    for (const ClassId heir : program::with_descendants(program_, cls)) line.push_back(heir);
    std::sort(line.begin(), line.end());
    line.erase(std::unique(line.begin(), line.end()), line.end());
    for (const ClassId each : line) {
      for (const program::Field& own : program_.classes()[each].fields) {
        if (own.name == name && own.in_class_body) ++stores;
      }
      for (const FunctionId method : program_.classes()[each].methods) {
        for_each_store(*program_.functions()[method].node, name, [&](const Expr* object, bool) {
          if (object != nullptr && is_self(*object)) ++stores;
        });
      }
    }
    known->second = stores == 1;
  }
  return known->second ? field : nullptr;
}

/// Whether the script has a library fill the fields of configurations from its command line: all of them may be set.
bool ScriptSettings::fills_fields(const ScriptReach& script) {
  const auto [known, is_new] = fills_.try_emplace(&script, false);
  if (!is_new) return known->second;
  const auto fills = [](std::string_view name) {
    return name == "tyro.cli" || name == "jsonargparse.CLI" || name == "simple_parsing.parse" ||
           name.ends_with(".HfArgumentParser");
  };
  for (const FunctionId function : script.order()) {
    for (const CallId call : program_.functions()[function].calls) {
      for (const program::CallTarget& target : program_.calls()[call].targets)
        known->second = known->second || fills(target.external);
    }
    if (known->second) break;
  }
  return known->second;
}

bool ScriptSettings::stays(const ScriptReach& script, ClassId cls, std::string_view name) {
  if (fills_fields(script)) return false;
  const auto [known, is_new] = stays_.try_emplace({&script, {cls.value, name}}, false);
  if (!is_new) return known->second;
  bool is_made = false;
  for (const ClassId heir : program::with_descendants(program_, cls)) {
    for (const CallId call : made_.makers_of(heir)) {
      if (!script.reaches(program_.calls()[call].caller)) continue;
      is_made = true;
      if (is_set_where_made(call, heir, name)) return false;
    }
  }
  // An object that nothing known makes may hold anything.
  return known->second = is_made && !is_set_outside(&script, cls, name);
}

/// Whether code outside tests puts in the part of a configuration that is `None` without it: some runs have it, and no
/// setting of theirs says so.
bool ScriptSettings::is_part_put_in(const program::Field& field, ClassId cls) const {
  if (!Defaults::is_part(field)) return false;
  const std::vector<CallId>& makers = made_.makers_of(cls);
  return std::any_of(makers.begin(), makers.end(), [&](CallId call) {
    return !program::is_test_path(program_.module_of(program_.calls()[call].caller).path) &&
           is_set_where_made(call, cls, field.name);
  });
}

bool ScriptSettings::is_set_where_made(CallId call, ClassId cls, std::string_view name) const {
  const auto* made = as<Call>(program_.calls()[call].node);
  const program::Class& of = program_.classes()[cls];
  const bool is_plain = of.is_dataclass && !program_.find_method(cls, "__init__").valid();
  if (made == nullptr || !is_plain || !made->arguments.empty()) return true;
  return std::any_of(made->keywords.begin(), made->keywords.end(),
                     [&](const Keyword* keyword) { return keyword->name.text.empty() || keyword->name.text == name; });
}

/// Whether the text of a module names the attribute, or stores to attributes by computed names.
bool ScriptSettings::may_store(program::ModuleId module, std::string_view name) {
  const auto text = [&] { return program_.modules()[module].facts->source().bytes(); };
  std::vector<Known>& named = named_[name];
  named.resize(program_.modules().size());
  Known& known = named[module.index()];
  if (known == Known::kNot) known = contains(text(), name) || sets_computed(module) ? Known::kYes : Known::kNo;
  return known == Known::kYes;
}

bool ScriptSettings::sets_computed(program::ModuleId module) {
  sets_computed_.resize(program_.modules().size());
  Known& known = sets_computed_[module.index()];
  if (known == Known::kNot)
    known = contains(program_.modules()[module].facts->source().bytes(), "setattr(") ? Known::kYes : Known::kNo;
  return known == Known::kYes;
}

/// Whether code that the script reaches, or any outside tests, may store the attribute into an object of the class
/// other than by the method of the class that gives it its value.
bool ScriptSettings::is_set_outside(const ScriptReach* script, ClassId cls, std::string_view name) {
  if (script == nullptr) return false;
  const auto may_be = [&](FunctionId function, const Expr& object, bool is_named) {
    const ClassId owner = program_.functions()[function].owner;
    if (is_self(object) && owner.valid()) return false;  // only_field counts these.
    const std::vector<ClassId> classes = program_.instance_classes(function, object);
    if (classes.empty()) {
      // `args` of argparse is of no class of the repository. Names that are computed are those of parameters, mostly.
      const auto* whole = as<Name>(&object);
      return is_named && (whole == nullptr || !whole->id.ends_with("args"));
    }
    return std::any_of(classes.begin(), classes.end(), [&](ClassId each) {
      const auto& line = program_.classes()[each].linearized;
      const auto& own = program_.classes()[cls].linearized;
      return std::find(line.begin(), line.end(), cls) != line.end() ||
             std::find(own.begin(), own.end(), each) != own.end();
    });
  };
  for (const FunctionId function : script->order()) {
    const program::Function& each = program_.functions()[function];
    if (each.node == nullptr || each.kind == program::FunctionKind::kModuleBody || !may_store(each.module, name))
      continue;
    bool is_set = false;
    for_each_store(*each.node, name, [&](const Expr* object, bool is_named) {
      is_set = is_set || object == nullptr || may_be(function, *object, is_named);
    });
    if (is_set) return true;
  }
  return false;
}

}  // namespace lockstep::report
