#include "rules/tests/name_reach.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "program/module_names.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/names/mentions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::ModuleId;

namespace {

/// Methods that Python or torch call by themselves.
bool is_called_by_itself(std::string_view method) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"forward", "backward", "step", "setup", "run", "_load_from_state_dict", "_save_to_state_dict", "state_dict",
       "load_state_dict", "extra_repr", "_apply", "get_extra_state", "set_extra_state", "named_parameters"});
  return method.starts_with("__") || std::find(kNames.begin(), kNames.end(), method) != kNames.end();
}

/// A decorator that hands what it decorates to a table or a library: `@register("x")`, `@torch.library.custom_op(…)`.
bool hands_on(const Expr& decorator) {
  const std::string_view name = last_part_of(&decorator);
  return contains(to_lower(name), "regist") || name == "custom_op" || name == "impl" || name == "command";
}

/// A base outside of the repository whose code calls public methods of its subclasses (not torch.nn.Module, which calls
/// `forward` alone).
bool has_calling_base(const program::Class& cls) {
  return std::any_of(cls.external_ancestors.begin(), cls.external_ancestors.end(), [](const std::string& base) {
    return !base.starts_with("torch.nn.") && !base.starts_with("abc.") && !base.starts_with("enum.") &&
           !base.starts_with("typing.") && base != "object";
  });
}

}  // namespace

NameReach::NameReach(const program::Program& program) : program_(program) {
  index();
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::Module& module = program.modules()[ModuleId(i)];
    if (!program::is_test_path(module.path)) continue;
    loaded_.insert(ModuleId(i));
    mention_all(module.facts->tree());
    load_imports(ModuleId(i));
    for (const FunctionId function : module.functions) entered_.insert(function);
  }
  while (!fresh_.empty() || !to_load_.empty()) {
    if (!to_load_.empty()) {
      const ModuleId module = to_load_.back();
      to_load_.pop_back();
      for (const Stmt* statement : program.modules()[module].facts->tree().body) load_statement(*statement);
      load_imports(module);
      continue;
    }
    const std::string_view name = fresh_.back();
    fresh_.pop_back();
    process(name);
  }
}

void NameReach::index() {
  for (std::size_t i = 0; i < program_.functions().size(); ++i) {
    const program::Function& row = program_.functions()[FunctionId(i)];
    if (row.kind == program::FunctionKind::kFunction) functions_[row.name].push_back(FunctionId(i));
  }
  for (std::size_t i = 0; i < program_.classes().size(); ++i)
    classes_[program_.classes()[ClassId(i)].name].push_back(ClassId(i));
}

void NameReach::load(ModuleId module) {
  if (module.valid() && loaded_.insert(module).second) to_load_.push_back(module);
}

void NameReach::load_imports(ModuleId id) {
  const program::Module& module = program_.modules()[id];
  for (const ImportedName& import : module.facts->imports) {
    if (import.name.empty() || import.name == "*") {
      load(program_.find_module(program::absolute_name(module, import.level, import.module)));
      continue;
    }
    const program::Reference target = program_.resolve(id, import.bound_as);
    load(target.module);
    if (target.cls.valid()) load(program_.classes()[target.cls].module);
    if (target.function.valid()) load(program_.functions()[target.function].module);
  }
}

/// What a module does when it is imported. What it merely defines, imports or lists in `__all__` is no use.
void NameReach::load_statement(const Stmt& statement) {
  if (is<Import>(&statement) || is<ImportFrom>(&statement)) return;
  if (const auto* def = as<FunctionDef>(&statement)) {
    if (std::any_of(def->decorators.begin(), def->decorators.end(), [](const Expr* each) { return hands_on(*each); }))
      mention(def->name.text);
    for (const Expr* decorator : def->decorators) mention_all(*decorator);
    return;
  }
  if (const auto* cls = as<ClassDef>(&statement)) {
    if (std::any_of(cls->decorators.begin(), cls->decorators.end(), [](const Expr* each) { return hands_on(*each); }))
      mention(cls->name.text);
    for (const Stmt* inner : cls->body) load_statement(*inner);
    return;
  }
  const auto* assign = as<Assign>(&statement);
  if (assign != nullptr && assign->targets.size() == 1 && name_of(assign->targets[0]) == "__all__") return;
  if (is<If>(&statement) || is<Try>(&statement) || is<With>(&statement)) {
    for_each_block(statement, [&](Seq<Stmt> block) {
      for (const Stmt* inner : block) load_statement(*inner);
    });
    return;
  }
  mention_all(statement);
}

void NameReach::enter(FunctionId function) {
  if (!entered_.insert(function).second) return;
  const program::Function& row = program_.functions()[function];
  load(row.module);
  mention_all(*row.node);
}

void NameReach::use_class(ClassId cls) {
  if (used_.contains(cls)) return;  // With all classes above it.
  for (const ClassId each : program_.classes()[cls].linearized) {
    if (used_.insert(each).second) enter_methods(program_.classes()[each]);
  }
}

void NameReach::enter_methods(const program::Class& cls) {
  load(cls.module);
  const bool all_public = has_calling_base(cls);
  for (const FunctionId method : cls.methods) {
    const std::string_view name = program_.functions()[method].name;
    if (is_called_by_itself(name) || mentioned_.contains(name) || (all_public && !name.starts_with("_"))) enter(method);
  }
}

void NameReach::mention(std::string_view name) {
  if (!name.empty() && mentioned_.insert(name).second) fresh_.push_back(name);
}

void NameReach::mention_all(const Node& node) {
  for_each_mention(node, [&](std::string_view name) { mention(name); });
}

void NameReach::process(std::string_view name) {
  if (const auto found = classes_.find(name); found != classes_.end()) {
    for (const ClassId cls : found->second) use_class(cls);
  }
  const auto found = functions_.find(name);
  if (found == functions_.end()) return;
  for (const FunctionId function : found->second) {
    const ClassId owner = program_.functions()[function].owner;
    if (!owner.valid() || used_.contains(owner)) enter(function);
  }
}

}  // namespace lockstep::rules
