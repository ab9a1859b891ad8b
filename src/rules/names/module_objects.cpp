#include "rules/names/module_objects.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "program/module_names.h"
#include "python/tree_walk.h"
#include "rules/names/new_objects.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {

using namespace python;
using program::ClassId;
using program::ModuleId;
using program::Program;

namespace {

/// The value of `name = value` at the top of a module, or what else of a file binds the name.
struct Bindings {
  const Expr* value = nullptr;             ///< Of the one statement at the top of the module that sets it.
  const ImportedName* imported = nullptr;  ///< The one import of it in the module's scope.
  std::size_t fallbacks = 0;               ///< `name = None`, beside an import.
  std::size_t others = 0;                  ///< Anything else, in whatever scope; `global name` too.
};

Bindings bindings_of(const FileFacts& facts, std::string_view name) {
  Bindings out;
  std::vector<const Node*> top;
  for (const Stmt* statement : facts.tree().body) top.push_back(statement);
  for (const python::Scope& scope : facts.scopes) {
    const bool is_module = scope.kind == ScopeKind::kModule;
    out.others += static_cast<std::size_t>(std::count(scope.global_names.begin(), scope.global_names.end(), name));
    for (const Binding& each : scope.bindings) {
      if (each.name != name) continue;
      const auto* assign = as<Assign>(each.owner);
      const auto* annotated = as<AnnAssign>(each.owner);
      const Expr* value = assign != nullptr      ? assign->targets.size() == 1 ? assign->value : nullptr
                          : annotated != nullptr ? annotated->value
                                                 : nullptr;
      if (is_module && each.kind == BindingKind::kImport) continue;  // Below, with what it imports.
      const bool is_top = std::find(top.begin(), top.end(), each.owner) != top.end();
      if (is_module && value != nullptr && is_none(value)) {
        ++out.fallbacks;
      } else if (is_module && value != nullptr && is_top && out.value == nullptr) {
        out.value = value;
      } else {
        ++out.others;
      }
    }
  }
  for (const ImportedName& each : facts.imports) {
    if (each.bound_as != name) continue;
    const bool is_first = out.imported == nullptr && each.scope == ScopeId(0) && !each.name.empty();
    if (is_first) out.imported = &each;
    out.others += is_first ? 0 : 1;
  }
  return out;
}

/// What the only statement that sets a module's variable sets it to, and where that stands: also where the module has
/// it by an import, with `None` for it where that fails.
struct Kept {
  ModuleId module;
  const Expr* value = nullptr;
  std::string_view name;
};

Kept kept_under(const Program& program, ModuleId module, std::string_view name) {
  constexpr int kMostHops = 4;
  for (int hop = 0; hop < kMostHops && module.valid(); ++hop) {
    const Bindings bindings = bindings_of(*program.modules()[module].facts, name);
    if (bindings.others > 0 || (bindings.value != nullptr) == (bindings.imported != nullptr)) return {};
    if (bindings.value != nullptr) return bindings.fallbacks == 0 ? Kept{module, bindings.value, name} : Kept{};
    name = bindings.imported->name;
    const ImportedName& import = *bindings.imported;
    module = program.find_module(program::absolute_name(program.modules()[module], import.level, import.module));
  }
  return {};
}

}  // namespace

ClassId class_of_module_object(const Program& program, const UsedNames& used, ModuleId reader, std::string_view name) {
  const Kept kept = kept_under(program, reader, name);
  const auto* call = kept.value == nullptr ? nullptr : as<Call>(kept.value);
  if (call == nullptr) return {};
  const program::Reference made = program.resolve(program.modules()[kept.module].body, *call->callee);
  if (made.kind != program::Reference::Kind::kClass || !gives_new_object(program, made.cls)) return {};
  // Through the module, or by a text: `config.CONFIG = …`, `globals()["CONFIG"] = …`. As a text, `__all__` has it.
  const std::string_view home = program.modules()[kept.module].facts->source().bytes();
  return used.writes_attribute(kept.name) || contains(home, "globals(") ? ClassId() : made.cls;
}

}  // namespace lockstep::rules
