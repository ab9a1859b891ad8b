#include "report/documents/content/changed_imports.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "change/names.h"
#include "change/summary.h"
#include "program/module_names.h"
#include "report/document.h"
#include "report/documents/file_parts.h"
#include "report/source/code.h"
#include "report/source/standard_modules.h"
#include "report/story/steps/mended_imports.h"

namespace lockstep::report {

using change::Difference;
using change::DifferenceKind;
using change::FileSummary;

namespace {

/// Whether the file has an import on that side of which `is_it(module, name)` holds: absolute names, that of the module
/// and that of what is imported.
template <typename IsIt>
bool has_import(const program::Program& program, const std::string& path, IsIt is_it) {
  const program::ModuleId id = program.find_path(path);
  if (!id.valid()) return false;
  const program::Module& module = program.modules()[id];
  return std::any_of(module.facts->imports.begin(), module.facts->imports.end(), [&](const python::ImportedName& one) {
    const std::string from = program::absolute_name(module, one.level, one.module);
    return is_it(from, one.name.empty() ? from : fmt::format("{}.{}", from, one.name));
  });
}

/// Whether the file has the import for type checkers alone: under `if TYPE_CHECKING:`, where no run comes.
bool is_for_types(const program::Program& program, const std::string& path, const std::string& name) {
  const program::ModuleId id = program.find_path(path);
  if (!id.valid()) return false;
  const program::Module& module = program.modules()[id];
  bool is_there = false;
  for (const python::ImportedName& one : module.facts->imports) {
    const std::string from = program::absolute_name(module, one.level, one.module);
    if ((one.name.empty() ? from : fmt::format("{}.{}", from, one.name)) != name) continue;
    if (!one.in_type_checking) return false;
    is_there = true;
  }
  return is_there;
}

/// Whether the file imports something of the module that holds `name` (or is it) on that side.
bool imports_from(const program::Program& program, const std::string& path, const std::string& name) {
  const std::string home = program.find_module(name).valid() || name.rfind('.') == std::string::npos
                               ? name
                               : name.substr(0, name.rfind('.'));
  return has_import(program, path,
                    [&](const std::string& from, const std::string& full) { return from == home || full == home; });
}

/// "x" of `from a.b import x`; empty for `import a.x`, and for what goes by another name there.
std::string_view taken_name(const Difference& difference) {
  const std::string& text = difference.after.empty() ? difference.before : difference.after;
  return text == change::last_part(difference.name) && text.size() < difference.name.size() ? std::string_view(text)
                                                                                            : std::string_view();
}

/// "a.b" of "a.b.x".
std::string_view module_of(std::string_view name) { return name.substr(0, name.rfind('.')); }

/// Whether lines of the file that the change adds are of imports that both sides have: they only moved, or are laid out
/// anew.
bool moves_imports(const DocumentInputs& inputs, const FileSummary& file) {
  const program::ModuleId now = inputs.after->find_path(file.file->new_path);
  if (!now.valid()) return false;
  const program::Module& module = inputs.after->modules()[now];
  std::set<const python::Node*> touched, differing;
  for (const python::ImportedName& one : module.facts->imports) {
    const std::string from = program::absolute_name(module, one.level, one.module);
    const std::string name = one.name.empty() ? from : fmt::format("{}.{}", from, one.name);
    const auto is_it = [&](const std::string&, const std::string& full) { return full == name; };
    if (!has_import(*inputs.before, file.file->old_path, is_it)) differing.insert(one.statement);
    const std::uint32_t first = module.facts->source().line_of(one.statement->span.begin);
    const std::uint32_t last = module.facts->source().line_of(one.statement->span.end);
    for (std::uint32_t line = first; line <= last; ++line) {
      if (inputs.change->touches_after(file.file->new_path, line)) touched.insert(one.statement);
    }
  }
  // A name that goes leaves the others on its line as they were.
  const program::ModuleId then = inputs.before->find_path(file.file->old_path);
  std::set<std::string> gone;
  if (then.valid()) {
    const program::Module& old = inputs.before->modules()[then];
    for (const python::ImportedName& one : old.facts->imports) {
      const std::string from = program::absolute_name(old, one.level, one.module);
      const std::string name = fmt::format("{}.{}", from, one.name);
      const auto is_it = [&](const std::string&, const std::string& full) { return full == name; };
      if (!one.name.empty() && !has_import(*inputs.after, file.file->new_path, is_it)) gone.insert(from);
    }
  }
  return std::any_of(module.facts->imports.begin(), module.facts->imports.end(), [&](const python::ImportedName& one) {
    return touched.contains(one.statement) && !differing.contains(one.statement) &&
           !gone.contains(program::absolute_name(module, one.level, one.module));
  });
}

}  // namespace

std::vector<std::string> replaced_import_items(const DocumentInputs& inputs, bool with_files) {
  std::vector<std::string> items;
  for (const ReplacedImport& one : replaced_imports(inputs))
    items.push_back(capitalised(replaced_import_words(inputs, one, with_files)));
  if (items.empty()) return items;
  std::vector<std::string> moved;
  for (const FileSummary& file : inputs.change->files) {
    if (change::tells_only_imports(file) && moves_imports(inputs, file)) moved.push_back(place(file.file->path()));
  }
  if (!moved.empty() && moved.size() <= 4)
    items.push_back(
        fmt::format("Other changed lines of {} only move imports or lay them out anew.", join_words(moved)));
  return items;
}

std::string told_as_imports(const DocumentInputs& inputs) {
  std::string out = join(replaced_import_items(inputs, true), " ");
  if (out.empty()) return out;
  std::vector<const FileSummary*> others;
  const std::vector<ReplacedImport> replaced = replaced_imports(inputs);
  for (const FileSummary* file : files_in_order(inputs)) {
    const bool is_told = change::tells_only_imports(*file) &&
                         std::any_of(replaced.begin(), replaced.end(), [&](const ReplacedImport& one) {
                           return std::find(one.files.begin(), one.files.end(), file) != one.files.end();
                         });
    if (!is_told) others.push_back(file);
  }
  if (others.empty()) return out;
  return fmt::format("{} It also changes {}, most in {}: {}", out, count_of(others.size(), "other file"),
                     place(others.front()->file->path()), as_sentence(from_backquotes(others.front()->summary)));
}

std::vector<std::string> previous_imports(const DocumentInputs& inputs) {
  constexpr std::size_t kMost = 8;
  std::vector<std::string> items;
  for (const ReplacedImport& one : replaced_imports(inputs)) {
    std::vector<std::string> places;
    for (std::size_t i = 0; i < one.files.size() && i < kMost; ++i)
      places.push_back(place(one.files[i]->file->old_path, one.old_lines[i]));
    if (one.files.size() > kMost) places.push_back(count_of(one.files.size() - kMost, "more file"));
    std::vector<std::string> names;
    for (const std::string& name : one.names) names.push_back(code(name));
    const bool is_one = names.size() == 1;
    const std::string_view what = one.failed
                                      ? (is_one ? "which bound no such name: the import raised an "
                                                : "which bound no such names: the import raised an ")
                                      : (is_one ? "which took it from elsewhere" : "which took them from elsewhere");
    items.push_back(fmt::format("{} {} imported from {} (before the change at {}), {}{}.", join_words(names),
                                is_one ? "was" : "were", code(one.from), join_words(places), what,
                                one.failed ? code("ImportError") : std::string()));
  }
  return items;
}

std::vector<std::string> import_items(const DocumentInputs& inputs, const Story& story) {
  constexpr std::size_t kMost = 6;
  struct Told {
    std::string_view one, several;  // The verbs.
    std::string what;
    std::set<std::string> paths;
  };
  std::vector<Told> told;
  const auto tell = [&](const std::string& path, std::string_view one, std::string_view several, std::string what) {
    const auto known = std::find_if(told.begin(), told.end(),
                                    [&](const Told& other) { return other.one == one && other.what == what; });
    if (known == told.end())
      told.push_back({one, several, std::move(what), {path}});
    else
      known->paths.insert(path);
  };
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest) continue;
    const std::string& path = actor.change->latest().path;
    const auto is_import = [](const Difference& d) {
      return d.kind == DifferenceKind::kImportAdded || d.kind == DifferenceKind::kImportRemoved;
    };
    const auto is_partner = [&](const Difference& d, const Difference& other) {
      return is_import(d) && is_import(other) && d.kind != other.kind && d.name != other.name &&
             taken_name(d) == taken_name(other);
    };
    for (const Difference& d : actor.change->differences) {
      if (!is_import(d)) continue;
      const bool added = d.kind == DifferenceKind::kImportAdded;
      const std::string name = d.name.empty() ? (added ? d.after : d.before) : d.name;
      const auto& other = added ? actor.change->before : actor.change->after;
      // A second import that comes or goes, or one that moves, is none.
      const program::Program& program = added ? *inputs.before : *inputs.after;
      const auto is_it = [&](const std::string&, const std::string& full) { return full == name; };
      if (other && has_import(program, other->path, is_it)) continue;
      // The same name from another module is told once.
      if (!taken_name(d).empty()) {
        const auto& all = actor.change->differences;
        const auto partner =
            std::find_if(all.begin(), all.end(), [&](const Difference& one) { return is_partner(d, one); });
        if (partner != all.end()) {
          const std::string_view to = added ? d.name : partner->name, from = added ? partner->name : d.name;
          tell(
              path, "imports", "import",
              fmt::format("{} from {} instead of {}", code(taken_name(d)), code(module_of(to)), code(module_of(from))));
          continue;
        }
      }
      const bool is_known = other && imports_from(program, other->path, name);
      const bool is_of_types = is_for_types(added ? *inputs.after : *inputs.before, path, name);
      const std::string_view what = is_of_types ? " (for type checkers alone)"
                                    : is_known || is_standard_module(name.substr(0, name.find('.'))) ? ""
                                    : added ? " (new dependency)"
                                            : " (dependency gone)";
      tell(path, added ? "now imports" : "no longer imports", added ? "now import" : "no longer import",
           fmt::format("{}{}", code(name), what));
    }
  }
  std::vector<std::string> items;
  for (const Told& one : told) {
    constexpr std::size_t kMostNames = 8;
    std::vector<std::string> names;
    for (const std::string& path : one.paths) {
      if (names.size() < kMostNames || one.paths.size() == kMostNames + 1) names.push_back(place(path));
    }
    const bool is_one = names.size() == 1;
    if (one.paths.size() > names.size()) names.push_back(count_of(one.paths.size() - names.size(), "more file"));
    items.push_back(fmt::format("{} {} {}", join_words(names), is_one ? one.one : one.several, one.what));
  }
  std::sort(items.begin(), items.end());
  if (items.size() > kMost) {
    const std::size_t rest = items.size() - kMost + 1;
    items.resize(kMost - 1);
    items.push_back(fmt::format("and {}.", count_of(rest, "more changed import")));
  }
  return items;
}

}  // namespace lockstep::report
