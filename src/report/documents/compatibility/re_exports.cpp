#include "report/documents/compatibility/re_exports.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "change/names.h"
#include "program/queries.h"
#include "program/resolve.h"
#include "report/document.h"

namespace lockstep::report {

using python::FileFacts;
using python::ImportedName;

namespace {

using Names = std::set<std::string_view>;

bool is_public_name(std::string_view name) { return !name.empty() && !name.starts_with("_"); }

bool is_starred(const FileFacts& facts) {
  return std::any_of(facts.imports.begin(), facts.imports.end(),
                     [](const ImportedName& one) { return one.name == "*" && one.scope == python::ScopeId(0); });
}

Names bound_names(const FileFacts& facts) {
  Names out;
  for (const python::Binding& binding : facts.scopes[python::ScopeId(0)].bindings) out.insert(binding.name);
  return out;
}

/// What a module gives others by intent: what it lists in `__all__`, and what an `__init__.py` imports from its own
/// package.
Names given_names(const program::Module& module) {
  const FileFacts& facts = *module.facts;
  Names out;
  for (const std::string_view name : program::dunder_all(facts)) out.insert(name);
  if (!module.path.ends_with("__init__.py")) return out;
  for (const ImportedName& one : facts.imports) {
    const bool is_own = one.level > 0 || one.module.starts_with(module.name + ".");
    if (one.scope == python::ScopeId(0) && is_own && !one.in_type_checking && is_public_name(one.bound_as))
      out.insert(one.bound_as);
  }
  return out;
}

/// Names of what the change deletes or renames: those are told where they were defined.
std::set<std::string, std::less<>> gone_definitions(const DocumentInputs& inputs) {
  std::set<std::string, std::less<>> out;
  for (const change::EntityChange& entity : inputs.change->entities) {
    if (!entity.before) continue;
    const std::string_view was = change::last_part(entity.before->qualified_name);
    if (!entity.after || change::last_part(entity.after->qualified_name) != was) out.emplace(was);
  }
  return out;
}

std::string listed(std::vector<std::string> names) {
  constexpr std::size_t kMost = 4;
  const std::size_t all = names.size();
  if (all > kMost + 1) {
    names.resize(kMost);
    names.push_back(fmt::format("{} more", all - kMost));
  }
  return join_words(names);
}

}  // namespace

void add_re_exports(const DocumentInputs& inputs, std::vector<Risk>& risks) {
  std::vector<std::string> unbound;   // Marked, with the module.
  std::vector<std::string> unlisted;  // The same.
  const std::set<std::string, std::less<>> gone = gone_definitions(inputs);
  for (const change::FileSummary& file : inputs.change->files) {
    const std::string& was = file.file->old_path;
    const std::string& is = file.file->new_path;
    if (!file.is_python || was.empty() || was != is || program::is_test_path(was) || program::is_helper_path(was))
      continue;
    const program::ModuleId old_id = inputs.before->find_path(was);
    const program::ModuleId new_id = inputs.after->find_path(is);
    if (!old_id.valid() || !new_id.valid()) continue;
    const program::Module& before = inputs.before->modules()[old_id];
    const program::Module& after = inputs.after->modules()[new_id];
    // What moved out of the module is told where its definition is.
    std::set<std::string, std::less<>> moved;
    for (const change::EntityChange& entity : inputs.change->entities) {
      if (entity.before && entity.after && entity.before->path == was && entity.after->path != was)
        moved.emplace(change::last_part(entity.before->qualified_name));
    }
    const Names now = bound_names(*after.facts);
    const Names old_bound = bound_names(*before.facts);
    const std::vector<std::string_view> still = program::dunder_all(*after.facts);
    const std::vector<std::string_view> listed_before = program::dunder_all(*before.facts);
    for (const std::string_view name : given_names(before)) {
      if (gone.contains(name) || moved.contains(name) || std::find(still.begin(), still.end(), name) != still.end())
        continue;
      // A submodule is imported by its name, whether or not the package binds it.
      if (inputs.after->find_module(fmt::format("{}.{}", after.name, name)).valid()) continue;
      const std::string text = fmt::format("{} (of {})", code(name), code(before.name));
      if (!now.contains(name)) {
        const bool may_be_given = is_starred(*after.facts) || now.contains("__getattr__");
        if (old_bound.contains(name) && !may_be_given) unbound.push_back(text);
      } else if (!still.empty() && std::find(listed_before.begin(), listed_before.end(), name) != listed_before.end()) {
        unlisted.push_back(text);
      }
    }
  }
  const auto add = [&](const std::vector<std::string>& names, const std::string& concern, const std::string& answer) {
    if (names.empty()) return;
    risks.push_back({RiskKind::kCompatibility, fmt::format("{}: {}.", concern, listed(names)), answer, false});
  };
  add(unbound, "No longer importable from where it was exported",
      "Code outside the repository that imports it from there breaks; it is defined elsewhere still");
  add(unlisted, "No longer listed in " + code("__all__"), code("from \u2026 import *") + " does not give it any more");
}

}  // namespace lockstep::report
