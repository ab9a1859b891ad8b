#include "program/resolve.h"

#include <algorithm>
#include <iterator>

#include "base/strings.h"
#include "program/module_names.h"
#include "python/tree_walk.h"

namespace lockstep::program {
namespace {

using python::Binding;
using python::BindingKind;
using python::ScopeId;
using python::ScopeKind;
using Kind = Reference::Kind;

/// Longest chain of imports and aliases that is followed; cycles end here.
constexpr int kMaxHops = 40;

Reference external(std::string name) {
  Reference reference;
  reference.kind = Kind::kExternal;
  reference.name = std::move(name);
  return reference;
}

Reference module_reference(ModuleId id, std::string name) {
  Reference reference;
  reference.kind = Kind::kModule;
  reference.module = id;
  reference.name = std::move(name);
  return reference;
}

Reference variable(ModuleId module, std::string_view name) {
  Reference reference;
  reference.kind = Kind::kVariable;
  reference.module = module;
  reference.name = name;
  return reference;
}

bool is_internal(const Reference& reference) {
  return reference.kind == Kind::kFunction || reference.kind == Kind::kClass || reference.kind == Kind::kModule;
}

/// The assigned value if `binding` is `name = value` with a bare target, or null.
const python::Expr* plain_value(const Binding& binding) {
  if (binding.kind != BindingKind::kAssign) return nullptr;
  if (const auto* annotated = python::as<python::AnnAssign>(binding.owner)) return annotated->value;
  const auto* assign = python::as<python::Assign>(binding.owner);
  if (assign == nullptr) return nullptr;
  const bool is_target = std::any_of(assign->targets.begin(), assign->targets.end(),
                                     [&](const python::Expr* target) { return target == binding.node; });
  return is_target ? assign->value : nullptr;
}

void add_listed(const python::Expr* value, std::vector<std::string_view>& out) {
  python::Seq<python::Expr> elements;
  if (const auto* list = python::as<python::List>(value)) elements = list->elements;
  if (const auto* tuple = python::as<python::Tuple>(value)) elements = tuple->elements;
  if (const auto* sum = python::as<python::BinOp>(value)) {
    add_listed(sum->left, out);
    return add_listed(sum->right, out);
  }
  for (const python::Expr* element : elements) {
    const auto* text = python::as<python::Constant>(element);
    if (text != nullptr && text->constant_kind == python::ConstantKind::kStr) out.push_back(text->text);
  }
}

}  // namespace

std::vector<std::string_view> dunder_all(const python::FileFacts& facts) {
  std::vector<std::string_view> names;
  for (const Binding& binding : facts.scopes[ScopeId(0)].bindings) {
    if (binding.name != "__all__") continue;
    if (const auto* assign = python::as<python::Assign>(binding.owner)) add_listed(assign->value, names);
    if (const auto* annotated = python::as<python::AnnAssign>(binding.owner)) add_listed(annotated->value, names);
    if (const auto* more = python::as<python::AugAssign>(binding.owner)) add_listed(more->value, names);
  }
  return names;
}

std::span<const std::pair<std::string_view, std::uint32_t>> Resolver::bindings_of(ModuleId module,
                                                                                  std::string_view name) const {
  const ModuleNames& names = index_.names[module.index()];
  const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
  const auto [first, last] = std::equal_range(names.begin(), names.end(), std::pair(name, 0u), less);
  return {names.data() + (first - names.begin()), static_cast<std::size_t>(last - first)};
}

Resolver::Bound Resolver::bound_in(ModuleId module, ScopeId scope, std::string_view name) const {
  const auto& bindings = program_.modules()[module].facts->scopes[scope].bindings;
  Bound out;
  const auto& indexed = index_.long_scopes[module.index()];
  if (const auto found = indexed.find(scope.value); found != indexed.end()) {
    const ModuleNames& names = found->second;
    const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
    const auto [first, last] = std::equal_range(names.begin(), names.end(), std::pair(name, 0u), less);
    if (first != last) out = {&bindings[std::prev(last)->second], static_cast<std::size_t>(last - first)};
    return out;
  }
  for (const Binding& binding : bindings) {
    if (binding.name != name) continue;
    out.last = &binding;
    ++out.count;
  }
  return out;
}

const python::ImportedName* Resolver::import_of(ModuleId module, const python::Node* alias) const {
  const auto& imports = program_.modules()[module].facts->imports;
  const auto before = [](const python::ImportedName& a, std::uint32_t begin) { return a.span.begin < begin; };
  const auto found = std::lower_bound(imports.begin(), imports.end(), alias->span.begin, before);
  return found != imports.end() && found->span == alias->span ? &*found : nullptr;
}

bool Resolver::exports(ModuleId module, std::string_view name) const {
  const auto& listed = index_.all[module.index()];
  // An `__all__` that is computed says nothing we can read: fall back to the rule for modules without one.
  if (listed.empty()) return !name.starts_with('_');
  return std::binary_search(listed.begin(), listed.end(), name);
}

std::string Resolver::absolute_name(ModuleId importer, std::uint32_t level, std::string_view module) const {
  return program::absolute_name(program_.modules()[importer], level, module);
}

Reference Resolver::import_module(ModuleId importer, std::string_view dotted) const {
  const auto known = [&](std::string_view name) -> Reference {
    if (const auto found = index_.module_by_name.find(name); found != index_.module_by_name.end()) {
      return module_reference(found->second, std::string(name));
    }
    if (index_.namespaces.contains(name)) return module_reference(ModuleId{}, std::string(name));
    return {};
  };
  // A script's own folder comes first on its search path.
  const std::string& folder = index_.script_folder[importer.index()];
  if (!folder.empty()) {
    const Reference sibling = known(folder + "." + std::string(dotted));
    if (sibling.module.valid()) return sibling;
  }
  const Reference found = known(dotted);
  if (found.kind != Kind::kUnknown) return found;
  const ModuleId sibling = sibling_in_package(importer, dotted);
  return sibling.valid() ? module_reference(sibling, program_.modules()[sibling].name) : external(std::string(dotted));
}

// A file of a package that is run as a script, or by a test runner from its folder, finds its siblings by their bare
// names too. Only where `from x import a, b` takes what the sibling file binds: the name alone may be an installed
// library's.
ModuleId Resolver::sibling_in_package(ModuleId importer, std::string_view name) const {
  const Module& module = program_.modules()[importer];
  const std::size_t dot = module.name.rfind('.');
  if (module.is_package || dot == std::string::npos || name.find('.') != std::string_view::npos) return {};
  const auto found = index_.module_by_name.find(module.name.substr(0, dot + 1) + std::string(name));
  if (found == index_.module_by_name.end() || program_.modules()[found->second].is_package) return {};
  bool takes_any = false;
  for (const python::ImportedName& imported : module.facts->imports) {
    if (imported.level != 0 || imported.module != name || imported.name.empty() || imported.name == "*") continue;
    if (bindings_of(found->second, imported.name).empty()) return {};
    takes_any = true;
  }
  return takes_any ? found->second : ModuleId{};
}

Reference Resolver::imported(ModuleId importer, const python::ImportedName& imported) const {
  return imported_at(importer, imported, 0);
}

Reference Resolver::imported_at(ModuleId importer, const python::ImportedName& imported, int depth) const {
  if (depth > kMaxHops) return {};
  if (imported.name.empty()) {
    const bool binds_head = imported.bound_as == imported.module.substr(0, imported.module.find('.'));
    return import_module(importer, binds_head ? imported.bound_as : imported.module);
  }
  const std::string module = absolute_name(importer, imported.level, imported.module);
  if (module.empty() && imported.level > 0) {
    // `from . import x` in a file at the root.
    const Reference sibling = import_module(importer, imported.name);
    return sibling.kind == Kind::kModule ? sibling : Reference{};
  }
  const Reference owner = import_module(importer, module);
  if (owner.kind == Kind::kExternal && imported.level > 0) return {};
  return member_at(owner, imported.name, importer, depth + 1);
}

Reference Resolver::member(const Reference& owner, std::string_view name, ModuleId importer) const {
  return member_at(owner, name, importer, 0);
}

Reference Resolver::member_at(const Reference& owner, std::string_view name, ModuleId importer, int depth) const {
  if (depth > kMaxHops) return {};
  switch (owner.kind) {
    case Kind::kExternal:
      return external(owner.name + "." + std::string(name));
    case Kind::kModule: {
      if (owner.module.valid()) {
        Reference symbol = module_symbol(owner.module, name, depth + 1);
        if (symbol.kind != Kind::kUnknown) return symbol;
      }
      const std::string& base = owner.module.valid() ? program_.modules()[owner.module].name : owner.name;
      Reference submodule = import_module(importer, base + "." + std::string(name));
      return submodule.kind == Kind::kModule ? submodule : Reference{};
    }
    case Kind::kClass: {
      Reference found;
      if (const ClassId nested =
              program_.find_class(program_.classes()[owner.cls].qualified_name + "." + std::string(name));
          nested.valid()) {
        found.kind = Kind::kClass;
        found.cls = nested;
      } else if (const FunctionId method = program_.find_method(owner.cls, name); method.valid()) {
        found.kind = Kind::kFunction;
        found.function = method;
      }
      return found;
    }
    default:
      return {};
  }
}

Reference Resolver::binding_value(ModuleId module, ScopeId scope, const Binding& binding, int depth) const {
  Reference found;
  if (binding.kind == BindingKind::kFunction) {
    found.kind = Kind::kFunction;
    found.function = program_.function_of(binding.node);
  } else if (binding.kind == BindingKind::kClass) {
    found.kind = Kind::kClass;
    found.cls = program_.class_of(binding.node);
  } else if (binding.kind == BindingKind::kImport) {
    const python::ImportedName* import = import_of(module, binding.node);
    if (import != nullptr) found = imported_at(module, *import, depth + 1);
  } else if (const python::Expr* value = plain_value(binding); value != nullptr && value != binding.node) {
    const bool is_alias = python::is<python::Name>(value) || python::is<python::Attribute>(value);
    if (is_alias) found = resolve_at(module, scope, *value, depth + 1);
  }
  return found;
}

Reference Resolver::module_symbol(ModuleId module, std::string_view name, int depth) const {
  if (depth > kMaxHops) return {};
  const auto range = bindings_of(module, name);
  if (range.empty()) return star_symbol(module, name, depth + 1);
  const auto& bindings = program_.modules()[module].facts->scopes[ScopeId(0)].bindings;
  // Of several bindings (try/except, if/else, redefinition) the last inside the repository wins, then the first
  // outside.
  Reference best = variable(module, name);
  for (const auto& [text, at] : range) {
    Reference found = binding_value(module, ScopeId(0), bindings[at], depth + 1);
    if (is_internal(found) || (found.kind == Kind::kExternal && !is_internal(best) && best.kind != Kind::kExternal)) {
      best = std::move(found);
    } else if (found.kind == Kind::kVariable && best.kind == Kind::kVariable) {
      best = std::move(found);
    }
  }
  return best;
}

Reference Resolver::star_symbol(ModuleId module, std::string_view name, int depth) const {
  if (depth > kMaxHops) return {};
  Reference outside;
  const auto& imports = program_.modules()[module].facts->imports;
  for (auto import = imports.rbegin(); import != imports.rend(); ++import) {
    if (import->name != "*" || import->scope != ScopeId(0)) continue;
    const Reference from = import_module(module, absolute_name(module, import->level, import->module));
    if (from.kind == Kind::kModule && from.module.valid() && from.module != module && exports(from.module, name)) {
      Reference found = module_symbol(from.module, name, depth + 1);
      if (found.kind != Kind::kUnknown) return found;
    }
  }
  return outside;
}

Reference Resolver::name(ModuleId module, ScopeId scope, std::string_view text) const {
  return name_at(module, scope, text, 0);
}

Reference Resolver::name_at(ModuleId module, ScopeId scope, std::string_view text, int depth) const {
  if (depth > kMaxHops) return {};
  const auto& scopes = program_.modules()[module].facts->scopes;
  for (ScopeId id = scope; id.valid() && id != ScopeId(0); id = scopes[id].parent) {
    if (scopes[id].kind == ScopeKind::kClass && id != scope) continue;
    const auto [last, count] = bound_in(module, id, text);
    if (last == nullptr) continue;
    const bool is_known = count == 1 || last->kind == BindingKind::kImport || last->kind == BindingKind::kFunction;
    return is_known ? binding_value(module, id, *last, depth + 1) : Reference{};
  }
  Reference found = module_symbol(module, text, depth + 1);
  if (found.kind == Kind::kUnknown && is_builtin(text)) return external("builtins." + std::string(text));
  return found;
}

Reference Resolver::resolve(ModuleId module, ScopeId scope, const python::Expr& expression) const {
  return resolve_at(module, scope, expression, 0);
}

Reference Resolver::resolve_at(ModuleId module, ScopeId scope, const python::Expr& expression, int depth) const {
  std::vector<std::string_view> parts;
  const python::Expr* at = &expression;
  for (;;) {
    if (const auto* attribute = python::as<python::Attribute>(at)) {
      parts.push_back(attribute->name.text);
      at = attribute->value;
    } else if (const auto* subscript = python::as<python::Subscript>(at); subscript != nullptr && parts.empty()) {
      at = subscript->value;
    } else {
      break;
    }
  }
  const auto* head = python::as<python::Name>(at);
  if (head == nullptr) return {};
  Reference found = name_at(module, scope, head->id, depth + 1);
  for (auto part = parts.rbegin(); part != parts.rend() && found.kind != Kind::kUnknown; ++part) {
    found = member_at(found, *part, module, depth + 1);
  }
  return found;
}

Reference Resolver::resolve(ModuleId module, std::string_view dotted_text) const {
  const auto parts = split(dotted_text, '.');
  Reference found = name_at(module, ScopeId(0), parts.front(), 0);
  for (std::size_t i = 1; i < parts.size() && found.kind != Kind::kUnknown; ++i) {
    found = member_at(found, parts[i], module, 0);
  }
  return found;
}

}  // namespace lockstep::program
