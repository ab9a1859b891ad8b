#include "report/story/settings/setting_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/defaults.h"
#include "report/source/local_values.h"
#include "report/story/wording/words.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;

namespace {

/// Whether what an attribute is read off is of the class that declares the setting, or of one below it.
bool is_of_owner(const Program& program, FunctionId function, const Expr& object, const Flag& flag) {
  const auto held = program.instance_classes(function, object);
  return !held.empty() && std::all_of(held.begin(), held.end(), [&](program::ClassId cls) {
    const auto& order = program.classes()[cls].linearized;
    return std::any_of(order.begin(), order.end(),
                       [&](program::ClassId one) { return program.classes()[one].qualified_name == flag.owner; });
  });
}

/// `args.name` of an argument, `config.name` where the object is known to be of the class that declares the setting,
/// and `self.name` in a method of that class, or of one below it.
bool is_the_setting(const Program& program, FunctionId function, const Attribute& target, const Flag& flag) {
  const FunctionDef* def = program.functions()[function].def();
  if (target.name.text != flag.name || (def != nullptr && holds_copy(*def, rules::name_of(target.value), target.span)))
    return false;
  if (!config_attribute(target).empty()) {
    const std::string holder = dotted_text(target.value);
    const bool is_arguments = holder == "args" || holder.ends_with(".args");
    if (is_arguments) return true;
    return !flag.owner.empty() && is_of_owner(program, function, *target.value, flag);
  }
  const program::ClassId owner = program.functions()[function].owner;
  if (!owner.valid() || rules::self_attribute(&target) != flag.name) return false;
  const auto& order = program.classes()[owner].linearized;
  return std::any_of(order.begin(), order.end(),
                     [&](program::ClassId cls) { return program.classes()[cls].qualified_name == flag.owner; });
}

/// Whether one of the conditions asks for the setting.
bool asks_for(const std::vector<rules::Guard>& guards, const SourceText& source, std::string_view name) {
  return std::any_of(guards.begin(), guards.end(), [&](const rules::Guard& one) {
    return one.condition != nullptr && find_name(source.slice(one.condition->span), name) != std::string_view::npos;
  });
}

/// What the text of a default stands for.
Value declared_value(const Flag& flag) {
  const std::string& text = flag.argument_default.empty() ? flag.default_value : flag.argument_default;
  if (text == "None") return {Value::Kind::kNone, false, text};
  if (text == "True" || text == "False") return {Value::Kind::kBool, text == "True", text};
  return {};
}

/// A place that gives a setting a value; marked texts.
struct Setter {
  std::string function;
  std::string place;
  std::string value;
  std::string when;  ///< The condition that it stands under; may be empty.

  [[nodiscard]] std::string who() const { return fmt::format("{} ({})", function, place); }
  [[nodiscard]] std::string where() const { return when.empty() ? std::string() : fmt::format(" where {}", when); }
};

/// "`f` (…) sets it to `True` where …". Which of several sets it on a way is not worked out: two come with their
/// conditions, of more the first is named.
std::string setters_words(const std::vector<Setter>& setters) {
  if (setters.empty()) return {};
  const Setter& first = setters.front();
  if (setters.size() > 2)
    return fmt::format("Code sets it to another value in {} places, {} among them", setters.size(), first.who());
  std::string out = fmt::format("{} sets it to {}{}", first.who(), first.value, first.where());
  if (setters.size() == 1) return out;
  const Setter& second = setters.back();
  if (second.function != first.function)
    return fmt::format("{}; {} sets it to {}{}", out, second.who(), second.value, second.where());
  return fmt::format("{}; the same function ({}) sets it to {}{}", out, second.place, second.value, second.where());
}

}  // namespace

std::string set_elsewhere(const Program& program, const Flag& flag) {
  constexpr std::size_t kMostGuards = 4;
  const Value declared = declared_value(flag);
  if (declared.kind == Value::Kind::kUnknown) return {};
  std::vector<Setter> setters;
  std::string back;  // The first that takes what was set away again.
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::Module& module = program.modules()[ModuleId(i)];
    if (program::is_test_path(module.path) || program::is_helper_path(module.path) ||
        !module.facts->has_name(flag.name))
      continue;
    const SourceText& source = module.facts->source();
    walk_of<Assign>(module.facts->tree(), Nested::kEnter, [&](const Assign* assign) {
      const auto* target = assign->targets.size() == 1 ? as<Attribute>(assign->targets[0]) : nullptr;
      const FunctionId function =
          target == nullptr ? FunctionId() : program.function_at(ModuleId(i), target->span.begin);
      if (!function.valid() || !is_the_setting(program, function, *target, flag)) return;
      const Value value = value_of(assign->value);
      const bool is_back = is_same_value(value, declared);
      if (is_back && declared.kind != Value::Kind::kBool) return;
      if (value.kind == Value::Kind::kUnknown || (is_back && !back.empty())) return;
      const std::vector<rules::Guard> guards = guards_of(*program.functions()[function].node, assign->span);
      const std::string when = guards_words(guards, source, kMostGuards);
      Setter one{code(short_name(program, function)), place(module.path, source.line_of(assign->span.begin)),
                 code(value.text), when};
      if (!is_back) {
        setters.push_back(std::move(one));
      } else if (asks_for(guards, source, flag.name)) {
        back = fmt::format("{} sets it back to {} where {}", one.who(), one.value, when);
      }
    });
  }
  const std::string out = setters_words(setters);
  if (back.empty()) return out;
  return out.empty() ? back : fmt::format("{}; {}", out, back);
}

bool is_made_otherwise(const Program& program, const Flag& flag) {
  const Value declared = declared_value(flag);
  const program::ClassId owner = flag.owner.empty() ? program::ClassId() : program.find_class(flag.owner);
  if (!owner.valid() || declared.kind == Value::Kind::kUnknown) return false;
  std::vector<std::string_view> names = {program.classes()[owner].name};
  for (const program::ClassId heir : program.subclasses_of(owner)) names.push_back(program.classes()[heir].name);
  bool found = false;
  for (const program::Module& module : program.modules()) {
    if (found || program::is_test_path(module.path) || !module.facts->has_name(flag.name)) continue;
    const auto has = [&](std::string_view name) { return module.facts->has_name(name); };
    if (std::none_of(names.begin(), names.end(), has)) continue;
    walk_of<Call>(module.facts->tree(), Nested::kEnter, [&](const Call* call) {
      if (found || std::find(names.begin(), names.end(), rules::last_part_of(call->callee)) == names.end()) return;
      const Value given = value_of(rules::keyword_value(*call, flag.name));
      found = given.kind != Value::Kind::kUnknown && !is_same_value(given, declared);
    });
  }
  return found;
}

}  // namespace lockstep::report
