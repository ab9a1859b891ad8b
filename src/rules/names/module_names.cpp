#include "rules/names/module_names.h"

#include <algorithm>
#include <string>
#include <vector>

#include "program/module_names.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/names/compiled_endings.h"
#include "rules/names/names.h"

namespace lockstep::rules {

using namespace python;
using program::ModuleId;

namespace {

constexpr int kMaxStarDepth = 8;

/// Attributes that the import system gives every module.
bool is_module_attribute(std::string_view name) { return name.starts_with("__") && name.ends_with("__"); }

/// Attributes assigned on anything but `self` and `cls`: `module.name = …`, `setattr(module, "name", …)`.
void collect_stored_attributes(const FileFacts& facts, std::unordered_set<std::string_view>& stored) {
  walk(facts.tree(), Nested::kEnter, [&](const Node* node) {
    if (const auto* attribute = as<Attribute>(node)) {
      const auto* base = as<Name>(attribute->value);
      const bool is_own = base != nullptr && (base->id == "self" || base->id == "cls");
      if (attribute->context == ExprContext::kStore && !is_own) stored.insert(attribute->name.text);
    } else if (const auto* call = as<Call>(node)) {
      const auto* callee = as<Name>(call->callee);
      const auto* method = as<Attribute>(call->callee);
      const bool sets = (callee != nullptr && callee->id == "setattr") ||
                        (method != nullptr && (method->name.text == "setattr" || method->name.text == "object"));
      if (!sets) return;
      for (const Expr* argument : call->arguments) {
        const auto* text = as<Constant>(argument);
        if (text != nullptr && text->constant_kind == ConstantKind::kStr) stored.insert(text->text);
      }
    }
  });
}

/// Names of the files that are built as modules, up to their first dot: from a file in one folder a build may make a
/// module of another package.
std::unordered_set<std::string_view> compiled_stems(const repo::Snapshot& files) {
  std::unordered_set<std::string_view> stems;
  for (const repo::FileEntry& entry : files.files()) {
    const std::string_view file = std::string_view(entry.path).substr(entry.path.rfind('/') + 1);
    if (is_compiled_file(file)) stems.insert(file.substr(0, file.find('.')));
  }
  return stems;
}

}  // namespace

ModuleNames::ModuleNames(const program::Program& program, const repo::Snapshot* files)
    : program_(program), files_(files), entries_(program.modules().size()) {
  for (std::size_t i = 0; i < program.modules().size(); ++i) fill(ModuleId(i));
}

bool ModuleNames::is_assigned_as_attribute(std::string_view name) const {
  const auto [known, is_new] = assigned_.try_emplace(name, false);
  if (!is_new) return known->second;
  for (std::size_t i = 0; i < program_.modules().size() && !known->second; ++i) {
    const program::Module& module = program_.modules()[ModuleId(i)];
    // What a test puts in the place of a name has to be there.
    if (!module.facts->has_name(name) || program::is_test_path(module.path)) continue;
    const auto [stored, is_unread] = stored_attributes_.try_emplace(ModuleId(i));
    if (is_unread) collect_stored_attributes(*module.facts, stored->second);
    known->second = stored->second.contains(name);
  }
  return known->second;
}

bool ModuleNames::is_dynamic(ModuleId id) const {
  const auto [at, is_new] = dynamic_.try_emplace(id, false);
  if (is_new) {
    const FileFacts& facts = *program_.modules()[id].facts;
    at->second = entries_[id.index()].has_getattr || !facts.file->problems.empty() || has_dynamic_names(facts) ||
                 replaces_modules(facts);
  }
  return at->second;
}

void ModuleNames::fill(ModuleId id) {
  const program::Module& module = program_.modules()[id];
  const FileFacts& facts = *module.facts;
  Entry& entry = entries_[id.index()];
  for (const Binding& binding : facts.scopes[ScopeId(0)].bindings) {
    if (binding.kind == BindingKind::kDelete || binding.kind == BindingKind::kAnnotation) continue;
    if (binding.name == "__getattr__") entry.has_getattr = true;
    const bool is_import = binding.kind == BindingKind::kImport;
    const auto [at, is_new] = entry.names.try_emplace(binding.name, is_import);
    at->second = at->second && is_import;
  }
  // A name is for type checking only if all of its bindings are imports under TYPE_CHECKING.
  for (const ImportedName& import : facts.imports) {
    if (import.scope != ScopeId(0)) continue;
    if (import.name == "*") {
      const ModuleId target = imported_module(id, import.level, import.module);
      if (target.valid()) {
        entry.stars.push_back(target);
      } else {
        entry.opaque_star = true;
      }
    } else if (!import.in_type_checking) {
      entry.names[import.bound_as] = false;
    }
  }
}

ModuleId ModuleNames::imported_module(ModuleId from, std::uint32_t level, std::string_view dotted) const {
  return program_.find_module(program::absolute_name(program_.modules()[from], level, dotted));
}

bool ModuleNames::is_imported_as_module(ModuleId module, std::string_view name) const {
  if (!imported_names_) {
    imported_names_.emplace();
    for (const program::Module& each : program_.modules()) {
      for (const ImportedName& import : each.facts->imports) {
        std::string full = program::absolute_name(each, import.level, import.module);
        // Importing `a.b.c` imports `a.b` and `a` before it.
        while (!full.empty() && imported_names_->insert(full).second)
          full.resize(full.find('.') == std::string::npos ? 0 : full.rfind('.'));
      }
    }
  }
  return imported_names_->contains(program_.modules()[module].name + "." + std::string(name));
}

ModuleNames::Answer ModuleNames::has(ModuleId module, std::string_view name) const {
  const Answer answer = has_within(module, name, kMaxStarDepth);
  const bool is_missing = answer == Answer::kNo || answer == Answer::kOnlyTypeChecking;
  const bool is_made = is_missing && (is_assigned_as_attribute(name) || is_imported_as_module(module, name) ||
                                      may_be_other_file(module, name));
  return is_made ? Answer::kUnknown : answer;
}

bool ModuleNames::may_be_other_file(ModuleId module, std::string_view name) const {
  const program::Module& row = program_.modules()[module];
  if (files_ == nullptr || !row.is_package) return false;
  const std::string start = row.path.substr(0, row.path.rfind('/') + 1) + std::string(name);
  const auto& files = files_->files();
  auto at = std::lower_bound(files.begin(), files.end(), start,
                             [](const repo::FileEntry& entry, const std::string& path) { return entry.path < path; });
  for (; at != files.end() && at->path.starts_with(start); ++at) {
    const std::string_view rest = std::string_view(at->path).substr(start.size());
    const bool is_folder = rest.starts_with('/') || (rest.empty() && at->kind != repo::FileKind::file);
    if (is_folder || (rest.starts_with('.') && is_compiled_file(rest))) return true;
  }
  if (!compiled_) compiled_ = compiled_stems(*files_);
  return compiled_->contains(name);
}

ModuleNames::Answer ModuleNames::has_within(ModuleId module, std::string_view name, int depth) const {
  const Entry& entry = entries_[module.index()];
  const auto own = entry.names.find(name);
  if (own != entry.names.end() && !own->second) return Answer::kYes;
  if (is_module_attribute(name)) return Answer::kYes;
  if (program_.find_module(program_.modules()[module].name + "." + std::string(name)).valid()) return Answer::kYes;
  if (entry.opaque_star || depth == 0 || is_dynamic(module)) return Answer::kUnknown;
  for (const ModuleId star : entry.stars) {
    const Answer below = has_within(star, name, depth - 1);
    if (below != Answer::kNo) return below;
  }
  return own != entry.names.end() ? Answer::kOnlyTypeChecking : Answer::kNo;
}

bool ModuleNames::has_opaque_star_import(ModuleId module) const {
  const Entry& entry = entries_[module.index()];
  if (entry.opaque_star) return true;
  return std::any_of(entry.stars.begin(), entry.stars.end(), [&](ModuleId star) {
    const Entry& target = entries_[star.index()];
    return is_dynamic(star) || target.opaque_star || !target.stars.empty();
  });
}

bool ModuleNames::star_imports_name(ModuleId module, std::string_view name) const {
  const auto& stars = entries_[module.index()].stars;
  return std::any_of(stars.begin(), stars.end(), [&](ModuleId star) {
    return entries_[star.index()].names.contains(name) ||
           program_.find_module(program_.modules()[star].name + "." + std::string(name)).valid();
  });
}

std::vector<std::string_view> ModuleNames::definers(std::string_view name) const {
  std::vector<std::string_view> modules;
  const auto add = [&](ModuleId module) { modules.push_back(program_.modules()[module].name); };
  for (const program::Function& function : program_.functions()) {
    const bool top_level = !function.owner.valid() &&
                           (!function.enclosing.valid() ||
                            program_.functions()[function.enclosing].kind == program::FunctionKind::kModuleBody);
    if (top_level && function.name == name && function.kind == program::FunctionKind::kFunction) add(function.module);
  }
  for (const program::Class& cls : program_.classes()) {
    if (cls.name == name && !cls.owner.valid() && !cls.enclosing.valid()) add(cls.module);
  }
  std::sort(modules.begin(), modules.end());
  modules.erase(std::unique(modules.begin(), modules.end()), modules.end());
  return modules;
}

}  // namespace lockstep::rules
