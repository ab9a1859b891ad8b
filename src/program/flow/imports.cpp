// What imports and free names stand for: slots of other modules where they bind the name (all of their bindings flow
// into it), values otherwise.
#include <algorithm>

#include "base/strings.h"
#include "program/flow/solver.h"

namespace lockstep::program::flow {
namespace {

/// Longest chain of star-imports that is followed.
constexpr int kMaxHops = 20;

}  // namespace

ModuleId Solver::module_of_op(OpId op) const {
  const OpId base = base_op(op);
  const auto is_before = [](OpId wanted, const std::pair<OpId, ModuleId>& module) { return wanted < module.first; };
  return std::prev(std::upper_bound(module_ops_.begin(), module_ops_.end(), base, is_before))->second;
}

Slot Solver::export_slot(ModuleId module, NameId name) const {
  const auto& exports = exports_[module.index()];
  const auto found = std::lower_bound(exports.begin(), exports.end(), std::pair(name, Slot{0}));
  return found != exports.end() && found->first == name ? found->second : 0;
}

void Solver::bind_reference(Slot dst, const Reference& reference) {
  using Kind = Reference::Kind;
  if (reference.kind == Kind::kExternal) {
    graph_.add_value(dst, values_.intern(ValueKind::kExternal, name_id(reference.name)));
  } else if (reference.kind == Kind::kModule && reference.module.valid()) {
    graph_.add_value(dst, values_.intern(ValueKind::kModule, reference.module.value));
  } else if (reference.kind == Kind::kModule) {
    graph_.add_value(dst, values_.intern(ValueKind::kNamespace, name_id(reference.name)));
  }
}

void Solver::import_op(OpId id) {
  const Op op = op_of(id);
  const ModuleId importer = module_of_op(id);
  const python::ImportedName& imported = program_.modules()[importer].facts->imports[op.a];
  if (imported.name.empty()) return bind_reference(op.dst, resolver_.imported(importer, imported));
  const std::string dotted_name = resolver_.absolute_name(importer, imported.level, imported.module);
  if (dotted_name.empty()) return bind_reference(op.dst, resolver_.imported(importer, imported));
  const Reference owner = resolver_.import_module(importer, dotted_name);
  if (owner.kind == Reference::Kind::kExternal && imported.level > 0) return;
  bind_module_member(op.dst, id, owner, imported.name, 0);
}

void Solver::bind_module_member(Slot dst, OpId op, const Reference& owner, std::string_view name, int depth) {
  const ModuleId importer = module_of_op(op);
  if (depth > kMaxHops) return;
  if (owner.kind != Reference::Kind::kModule) return bind_reference(dst, resolver_.member(owner, name, importer));
  if (owner.module.valid()) {
    const Slot slot = export_slot(owner.module, name_id(name));
    if (slot != 0 && owner.module == importer && op_of(op).code == OpCode::kImport) {
      // `from . import x` in a package: x is the submodule.
      const std::string path = program_.modules()[owner.module].name + "." + std::string(name);
      if (const Reference inner = resolver_.import_module(importer, path); inner.kind == Reference::Kind::kModule) {
        return bind_reference(dst, inner);
      }
    }
    if (slot != 0) {
      graph_.add_edge(slot, dst);
      return;
    }
    if (bind_star(dst, owner.module, name, depth + 1)) return;
  }
  const std::string& base = owner.module.valid() ? program_.modules()[owner.module].name : owner.name;
  const Reference submodule = resolver_.import_module(importer, base + "." + std::string(name));
  if (submodule.kind == Reference::Kind::kModule) return bind_reference(dst, submodule);
  if (!owner.module.valid()) return;
  // PEP 562: module-level __getattr__ answers for names that the module does not have.
  if (const Slot getter = export_slot(owner.module, name_id("__getattr__")); getter != 0) {
    use(getter, {UseKind::kCallee, add_call(op, {}, CallKind::kImplicit, dst)});
  }
}

bool Solver::bind_star(Slot dst, ModuleId module, std::string_view name, int depth) {
  if (depth > kMaxHops) return false;
  const auto& imports = program_.modules()[module].facts->imports;
  for (auto import = imports.rbegin(); import != imports.rend(); ++import) {
    if (import->name != "*" || import->scope != python::ScopeId(0)) continue;
    const std::string dotted_name = resolver_.absolute_name(module, import->level, import->module);
    const Reference from = resolver_.import_module(module, dotted_name);
    if (from.kind != Reference::Kind::kModule || !from.module.valid() || from.module == module) continue;
    if (!resolver_.exports(from.module, name)) continue;
    if (const Slot slot = export_slot(from.module, name_id(name)); slot != 0) {
      graph_.add_edge(slot, dst);
      return true;
    }
    if (bind_star(dst, from.module, name, depth + 1)) return true;
  }
  return false;
}

void Solver::global_op(OpId id) {
  const Op op = op_of(id);
  const std::string name = names_[op.name];
  const ModuleId module = module_of_op(id);
  if (bind_star(op.dst, module, name, 0)) return;
  if (is_builtin(name)) {
    graph_.add_value(op.dst, values_.intern(ValueKind::kExternal, name_id("builtins." + name)));
    return;
  }
  // A single star-import from outside must be where the name comes from.
  std::string outside;
  for (const python::ImportedName& import : program_.modules()[module].facts->imports) {
    if (import.name != "*" || import.level != 0) continue;
    const Reference from = resolver_.import_module(module, import.module);
    if (from.kind != Reference::Kind::kExternal) continue;
    if (!outside.empty()) return;
    outside = from.name;
  }
  if (outside.empty()) return;
  graph_.add_value(op.dst, values_.intern(ValueKind::kExternal, name_id(outside + "." + name)));
}

}  // namespace lockstep::program::flow
