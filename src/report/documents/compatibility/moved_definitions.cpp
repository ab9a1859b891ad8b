#include "report/documents/compatibility/moved_definitions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "change/names.h"
#include "program/queries.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/steps/steps.h"

namespace lockstep::report {

using change::EntityChange;
using change::EntityKind;

namespace {

bool has_both(const EntityChange& entity) { return entity.before && entity.after; }

/// Of a module itself: no method or field, and nothing that a function defines for itself.
bool is_of_module(const DocumentInputs& inputs, const EntityChange& entity) {
  if (entity.kind == EntityKind::kVariable) return true;
  if (entity.kind == EntityKind::kClass)
    return change::last_part(entity.after->qualified_name).size() + 1 +
               inputs.after->modules()[inputs.after->find_path(entity.after->path)].name.size() ==
           entity.after->qualified_name.size();
  if (entity.kind != EntityKind::kFunction || !entity.after->function.valid()) return false;
  return !inputs.after->functions()[entity.after->function].enclosing.valid();
}

/// Whether nothing differs in it, or in what it holds, but comments and layout.
bool stays_as_it_was(const DocumentInputs& inputs, const EntityChange& entity) {
  const std::string inside = entity.after->qualified_name + ".";
  const std::string was_inside = entity.before->qualified_name + ".";
  const auto differs = [](const EntityChange& one) {
    return !has_both(one) || (!one.differences.empty() && !one.is_cosmetic());
  };
  return !entity.renamed && !differs(entity) &&
         std::none_of(inputs.change->entities.begin(), inputs.change->entities.end(), [&](const EntityChange& one) {
           const bool is_inside = (one.after && one.after->qualified_name.starts_with(inside)) ||
                                  (one.before && one.before->qualified_name.starts_with(was_inside));
           return is_inside && differs(one);
         });
}

/// What leaves one file.
struct Leaving {
  std::map<std::string, std::vector<std::string>> names;  ///< By the file that they go to.
  std::size_t all = 0;
  std::size_t as_they_were = 0;
  bool is_renamed = false;             ///< Some have another name there.
  std::vector<std::string> unchanged;  ///< Qualified names.
};

/// "`a`, `b`, `c` and 4 more".
std::string shown_names(std::vector<std::string> names) {
  constexpr std::size_t kMostNames = 3;
  const std::size_t count = names.size();
  if (count <= kMostNames + 1) return join_words(names);
  names.resize(kMostNames);
  return fmt::format("{} and {} more", join(names, ", "), count - kMostNames);
}

/// Whether the module that they leave still binds all their names, by imports.
bool gives_all(const DocumentInputs& inputs, const std::string& from, const Leaving& leaving) {
  const program::ModuleId was = inputs.before->find_path(from);
  const program::ModuleId now =
      was.valid() ? inputs.after->find_module(inputs.before->modules()[was].name) : program::ModuleId();
  if (!now.valid()) return false;
  std::set<std::string> bound;
  for (const python::ImportedName& one : inputs.after->modules()[now].facts->imports) bound.insert(code(one.bound_as));
  return std::all_of(leaving.names.begin(), leaving.names.end(), [&](const auto& file) {
    return std::all_of(file.second.begin(), file.second.end(),
                       [&](const std::string& name) { return bound.contains(name); });
  });
}

std::string destinations(const Leaving& leaving) {
  constexpr std::size_t kMostFiles = 4;
  std::vector<std::pair<std::string, std::vector<std::string>>> files(leaving.names.begin(), leaving.names.end());
  std::stable_sort(files.begin(), files.end(),
                   [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  std::vector<std::string> parts;
  std::size_t rest = 0;
  for (auto& [path, names] : files) {
    if (parts.size() == kMostFiles) {
      rest += names.size();
      continue;
    }
    parts.push_back(fmt::format("{} to {} ({})", names.size(), code(path), shown_names(names)));
  }
  std::string text = join_words(parts);
  if (rest > 0) text += fmt::format(", {} to other files", rest);
  return text;
}

/// The variable of a module that the change adds and that stands for `entity` under its old name; null for none.
const EntityChange* kept_name(const DocumentInputs& inputs, const EntityChange& entity) {
  const std::string_view was = change::last_part(entity.before->qualified_name);
  const std::string_view now = change::last_part(entity.after->qualified_name);
  for (const EntityChange& one : inputs.change->entities) {
    if (one.kind != EntityKind::kVariable || one.before || change::last_part(one.after->qualified_name) != was)
      continue;
    const python::Expr* target = nullptr;
    const python::Expr* value = assigned_value(one.after->node, target);
    const auto* name = value == nullptr ? nullptr : python::as<python::Name>(value);
    if (name != nullptr && name->id == now) return &one;
  }
  return nullptr;
}

constexpr std::size_t kMostItems = 2;

/// By the file that they leave, those with the most first.
std::vector<std::pair<std::string, Leaving>> leaving_files(const DocumentInputs& inputs) {
  constexpr std::size_t kFewest = 3;
  std::map<std::string, Leaving> leaving;
  for (const EntityChange& entity : inputs.change->entities) {
    if (!has_both(entity) || !entity.moved || entity.before->path == entity.after->path) continue;
    const std::string& from = entity.before->path;
    if (program::is_test_path(from) || !is_of_module(inputs, entity)) continue;
    // A file of another name holds what it held.
    const repo::FileChange* file = inputs.change->diff->find_before(from);
    if (file != nullptr && file->new_path == entity.after->path) continue;
    Leaving& one = leaving[from];
    // Both branches of a `try` may define it.
    std::vector<std::string>& names = one.names[entity.after->path];
    std::string name = code(change::last_part(entity.after->qualified_name));
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    names.push_back(std::move(name));
    ++one.all;
    one.is_renamed = one.is_renamed || change::last_part(entity.before->qualified_name) !=
                                           change::last_part(entity.after->qualified_name);
    if (!stays_as_it_was(inputs, entity)) continue;
    ++one.as_they_were;
    one.unchanged.push_back(entity.after->qualified_name);
  }
  std::vector<std::pair<std::string, Leaving>> files(leaving.begin(), leaving.end());
  std::erase_if(files, [&](const auto& one) { return one.second.all < kFewest; });
  std::stable_sort(files.begin(), files.end(),
                   [](const auto& a, const auto& b) { return a.second.all > b.second.all; });
  if (files.size() > kMostItems) files.resize(kMostItems);
  return files;
}

}  // namespace

std::set<std::string> moved_as_they_were(const DocumentInputs& inputs) {
  std::set<std::string> out;
  for (const auto& [from, one] : leaving_files(inputs)) out.insert(one.unchanged.begin(), one.unchanged.end());
  return out;
}

std::vector<std::string> moved_definition_items(const DocumentInputs& inputs) {
  const std::vector<std::pair<std::string, Leaving>> files = leaving_files(inputs);
  std::vector<std::string> items;
  for (const auto& [from, one] : files) {
    const std::string share = one.as_they_were == one.all ? "all as they were"
                              : one.as_they_were == 0     ? "each with edits"
                              : one.as_they_were == 1     ? "one of them as it was"
                                                          : fmt::format("{} of them as they were", one.as_they_were);
    std::string item =
        one.names.size() == 1
            ? fmt::format("From {} {} definitions move to {}, {}: {}.", code(from), one.all,
                          code(one.names.begin()->first), share, shown_names(one.names.begin()->second))
            : fmt::format("From {} {} definitions move, {}: {}.", code(from), one.all, share, destinations(one));
    if (gives_all(inputs, from, one))
      item += one.is_renamed ? " By these names all can be imported from there, too."
                             : " All can still be imported from there.";
    items.push_back(std::move(item));
  }
  return items;
}

std::vector<std::string> new_name_items(const DocumentInputs& inputs) {
  constexpr std::size_t kMost = 5;
  std::vector<std::string> renamed;
  std::set<std::pair<std::string, std::string>> told;
  std::size_t more = 0;
  for (const EntityChange& entity : inputs.change->entities) {
    const bool is_wanted = entity.kind == EntityKind::kClass || entity.kind == EntityKind::kFunction;
    if (!is_wanted || !has_both(entity) || program::is_test_path(entity.after->path) || !is_of_module(inputs, entity))
      continue;
    const std::string was(change::last_part(entity.before->qualified_name));
    const std::string now(change::last_part(entity.after->qualified_name));
    if (was == now || !told.emplace(was, now).second) continue;
    if (renamed.size() == kMost) {
      ++more;
      continue;
    }
    const EntityChange* kept = kept_name(inputs, entity);
    std::string text = fmt::format("{} to {}", code(was), code(now));
    if (kept != nullptr)
      text += fmt::format(" (the old name stays: {})", place(kept->after->path, kept->after->first_line));
    renamed.push_back(std::move(text));
  }
  constexpr std::size_t kFewest = 2;
  if (renamed.size() < kFewest) return {};
  if (more > 0) renamed.push_back(fmt::format("{} more", more));
  return {fmt::format("Renames {}.", join(renamed, ", "))};
}

}  // namespace lockstep::report
