#include "report/story/steps/mended_imports.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/strings.h"
#include "change/names.h"
#include "program/module_names.h"
#include "program/queries.h"
#include "report/document.h"
#include "report/source/code.h"
#include "rules/names/failing_imports.h"

namespace lockstep::report {

using change::FileSummary;
using program::ModuleId;
using program::Program;
using python::ImportedName;

namespace {

/// A name that a file takes from another module than before, or from none any more.
struct Pair {
  const ImportedName* old = nullptr;
  const ImportedName* now = nullptr;  ///< Null: from none.
  std::string from, to;
};

std::string full_name(const std::string& module, const ImportedName& import) {
  return fmt::format("{}.{}", module, import.name);
}

/// The imports `from … import name` at the top of a module, with the dotted names of their modules.
std::vector<std::pair<const ImportedName*, std::string>> top_imports(const Program& program, ModuleId id) {
  std::vector<std::pair<const ImportedName*, std::string>> out;
  const program::Module& module = program.modules()[id];
  for (const ImportedName& one : module.facts->imports) {
    if (one.name.empty() || one.name == "*" || !rules::always_runs(program, id, one)) continue;
    std::string from = program::absolute_name(module, one.level, one.module);
    if (!from.empty()) out.emplace_back(&one, std::move(from));
  }
  return out;
}

std::vector<Pair> pairs_of(const Program& before, ModuleId then, const Program& after, ModuleId now) {
  const auto names_of = [](const Program& program, ModuleId id) {
    std::set<std::string> names;
    const program::Module& module = program.modules()[id];
    for (const ImportedName& one : module.facts->imports)
      names.insert(full_name(program::absolute_name(module, one.level, one.module), one));
    return names;
  };
  std::vector<Pair> out;
  const std::set<std::string> had = names_of(before, then), has = names_of(after, now);
  const auto imports = top_imports(after, now);
  for (const auto& [old, from] : top_imports(before, then)) {
    if (has.contains(full_name(from, *old))) continue;
    Pair pair{old, nullptr, from, {}};
    for (const auto& [one, to] : imports) {
      if (pair.now != nullptr || one->name != old->name || one->bound_as != old->bound_as ||
          had.contains(full_name(to, *one)))
        continue;
      pair.now = one;
      pair.to = to;
    }
    out.push_back(std::move(pair));
  }
  return out;
}

/// Whether the module's own statements define the name, and no import brings it.
bool defines(const Program& program, ModuleId id, std::string_view name) {
  bool found = false;
  for (const python::Binding& one : program.modules()[id].facts->scopes[python::ScopeId(0)].bindings) {
    if (one.name != name) continue;
    if (one.kind != python::BindingKind::kFunction && one.kind != python::BindingKind::kClass &&
        one.kind != python::BindingKind::kAssign)
      return false;
    found = true;
  }
  return found;
}

/// The function or class that a name of a module is; empty for others, and where the module binds it more than once.
std::string object_of(const Program& program, ModuleId id, std::string_view name) {
  const auto& bindings = program.modules()[id].facts->scopes[python::ScopeId(0)].bindings;
  const auto count =
      std::count_if(bindings.begin(), bindings.end(), [&](const python::Binding& one) { return one.name == name; });
  if (count > 1) return {};
  const program::Reference found = program.resolve(id, name);
  if (found.kind == program::Reference::Kind::kFunction) return program.functions()[found.function].qualified_name;
  if (found.kind == program::Reference::Kind::kClass) return program.classes()[found.cls].qualified_name;
  return {};
}

class Finder {
 public:
  explicit Finder(const DocumentInputs& inputs) : inputs_(inputs) {}

  std::vector<ReplacedImport> run() {
    for (const FileSummary& file : inputs_.change->files) {
      const ModuleId then = inputs_.before->find_path(file.file->old_path);
      const ModuleId now = inputs_.after->find_path(file.file->new_path);
      if (then.valid() && now.valid() && !program::is_test_path(file.file->new_path)) look_at(file, then, now);
    }
    std::vector<ReplacedImport> out;
    for (auto& [key, found] : found_) add(std::move(found), out);
    std::stable_sort(out.begin(), out.end(), [](const ReplacedImport& a, const ReplacedImport& b) {
      return std::make_pair(!a.failed, b.files.size()) < std::make_pair(!b.failed, a.files.size());
    });
    return out;
  }

 private:
  void look_at(const FileSummary& file, ModuleId then, ModuleId now) {
    for (const Pair& pair : pairs_of(*inputs_.before, then, *inputs_.after, now)) {
      // Of what is no module of the repository nothing is known.
      const ModuleId from = inputs_.before->find_module(pair.from);
      if (!from.valid()) continue;
      ReplacedImport one{{std::string(pair.old->name)}, pair.from, pair.to};
      const ModuleId to = pair.now == nullptr ? ModuleId() : inputs_.after->find_module(pair.to);
      if (may_lack(from, pair.old->name)) {
        if (!before_) {
          before_.emplace(*inputs_.before, inputs_.before_files);
          after_.emplace(*inputs_.after, inputs_.after_files);
        }
        one.failed = rules::lacked_name(*inputs_.before, *before_, then, *pair.old).has_value();
      }
      if (one.failed) {
        if (to.valid() && after_->has(to, pair.now->name) != rules::ModuleNames::Answer::kYes) continue;
        const ModuleId still = inputs_.after->find_module(pair.from);
        one.lacks_still = still.valid() && after_->has(still, pair.old->name) == rules::ModuleNames::Answer::kNo;
      } else {
        const std::string old = to.valid() ? object_of(*inputs_.before, from, pair.old->name) : std::string();
        one.was_taken_on = !old.empty() && !defines(*inputs_.before, from, pair.old->name) &&
                           old == object_of(*inputs_.after, to, pair.now->name);
        if (!one.was_taken_on) continue;
      }
      one.is_defined = to.valid() && defines(*inputs_.after, to, pair.now->name);
      const SourceText& source = inputs_.before->modules()[then].facts->source();
      ReplacedImport& known =
          found_.try_emplace({pair.from, pair.to, one.names.front(), one.failed}, std::move(one)).first->second;
      known.files.push_back(&file);
      known.old_lines.push_back(source.line_of(pair.old->span.begin));
    }
  }

  /// Whether the module has no binding of the name that runs, and no submodule: asked first, for it takes no time.
  [[nodiscard]] bool may_lack(ModuleId from, std::string_view name) const {
    const program::Module& module = inputs_.before->modules()[from];
    const auto& bindings = module.facts->scopes[python::ScopeId(0)].bindings;
    const auto is_it = [&](const python::Binding& one) {
      return one.name == name && one.kind != python::BindingKind::kImport;
    };
    const auto brings = [&](const ImportedName& one) {
      return one.scope == python::ScopeId(0) && one.bound_as == name && !one.in_type_checking;
    };
    return std::none_of(bindings.begin(), bindings.end(), is_it) &&
           std::none_of(module.facts->imports.begin(), module.facts->imports.end(), brings) &&
           !inputs_.before->find_module(fmt::format("{}.{}", module.name, name)).valid();
  }

  /// Names that the same files take from the same module are told together.
  static void add(ReplacedImport found, std::vector<ReplacedImport>& out) {
    const auto same = std::find_if(out.begin(), out.end(), [&](const ReplacedImport& one) {
      return one.from == found.from && one.to == found.to && one.failed == found.failed &&
             one.lacks_still == found.lacks_still && one.is_defined == found.is_defined && one.files == found.files;
    });
    if (same == out.end())
      out.push_back(std::move(found));
    else
      same->names.push_back(found.names.front());
  }

  const DocumentInputs& inputs_;
  std::optional<rules::ModuleNames> before_, after_;  ///< Made where a name may be missing.
  std::map<std::tuple<std::string, std::string, std::string, bool>, ReplacedImport> found_;
};

/// The files that are scripts.
std::set<std::string_view> scripts_of(const Program& program) {
  std::set<std::string_view> out;
  for (const program::Entry& entry : program::entry_points(program)) {
    if (entry.kind == program::EntryKind::kScript) out.insert(program.module_of(entry.function).path);
  }
  return out;
}

std::string list_of(const std::vector<std::string>& paths) {
  constexpr std::size_t kMost = 9;
  std::vector<std::string> names;
  const std::size_t shown = paths.size() <= kMost + 1 ? paths.size() : kMost;
  for (std::size_t i = 0; i < shown; ++i) names.push_back(place(paths[i]));
  if (paths.size() > shown) names.push_back(count_of(paths.size() - shown, "more file"));
  return join_words(names);
}

std::vector<std::string> paths_of(const ReplacedImport& replaced) {
  std::vector<std::string> out;
  for (const FileSummary* file : replaced.files) out.push_back(file->file->path());
  return out;
}

std::string names_of(const ReplacedImport& replaced) {
  std::vector<std::string> names;
  for (const std::string& name : replaced.names) names.push_back(code(name));
  return join_words(names);
}

/// What came of an old import that failed: "each of these 8 scripts failed at its start with an `ImportError`".
std::string failure_words(const DocumentInputs& inputs, const ReplacedImport& replaced) {
  const std::vector<std::string> paths = paths_of(replaced);
  const std::set<std::string_view> scripts = scripts_of(*inputs.after);
  const bool are_scripts =
      std::all_of(paths.begin(), paths.end(), [&](const std::string& path) { return scripts.contains(path); });
  const std::string error = code("ImportError");
  if (paths.size() == 1)
    return are_scripts ? fmt::format("{} failed at its start with an {}", place(paths.front()), error)
                       : fmt::format("whatever loaded {} failed with an {}", place(paths.front()), error);
  return are_scripts ? fmt::format("each of these {} scripts failed at its start with an {}", paths.size(), error)
                     : fmt::format("whatever loaded one of these {} files failed with an {}", paths.size(), error);
}

}  // namespace

std::vector<ReplacedImport> replaced_imports(const DocumentInputs& inputs) { return Finder(inputs).run(); }

std::string replaced_import_words(const DocumentInputs& inputs, const ReplacedImport& replaced, bool with_files) {
  const bool is_one = replaced.names.size() == 1;
  const std::string where =
      replaced.is_defined ? (is_one ? ", where it is defined," : ", where they are defined,") : std::string();
  const std::string_view are = is_one ? "is" : "are";
  const std::string head =
      replaced.to.empty()
          ? fmt::format("{} {} no longer imported from {}", names_of(replaced), are, code(replaced.from))
          : fmt::format("{} {} imported from {}{} instead of {}", names_of(replaced), are, code(replaced.to), where,
                        code(replaced.from));
  const std::string files = with_files ? list_of(paths_of(replaced)) : std::string();
  if (!replaced.failed)
    return fmt::format("{}, which only took {} from elsewhere: {}{}.", head, is_one ? "it" : "them",
                       is_one ? "it is the same object" : "they are the same objects",
                       with_files ? fmt::format(" (in {})", files) : std::string());
  const std::string_view lacks = replaced.lacks_still ? (is_one ? "binds no such name" : "binds no such names")
                                                      : (is_one ? "bound no such name" : "bound no such names");
  return fmt::format("{}, which {}: {}{}.", head, lacks, failure_words(inputs, replaced),
                     with_files && replaced.files.size() > 1 ? fmt::format(": {}", files) : std::string());
}

std::string failed_import_words(const DocumentInputs& inputs, const ReplacedImport& replaced) {
  const bool is_one = replaced.names.size() == 1;
  return fmt::format("Before the change {} {} imported from {}, which bound no such {}: {}{}.", names_of(replaced),
                     is_one ? "was" : "were", code(replaced.from), is_one ? "name" : "names",
                     failure_words(inputs, replaced),
                     replaced.files.size() > 1 ? fmt::format(": {}", list_of(paths_of(replaced))) : std::string());
}

std::string entered_imports(const DocumentInputs& inputs, bool with_files) {
  std::vector<std::string> scripts, modules;
  std::optional<std::set<std::string_view>> known;
  for (const change::EntityChange& entity : inputs.change->entities) {
    if (entity.kind != change::EntityKind::kModule || !entity.after || !entity.before) continue;
    const ModuleId id = inputs.after->find_path(entity.after->path);
    if (!id.valid() || program::is_test_path(entity.after->path)) continue;
    const program::Module& module = inputs.after->modules()[id];
    const auto is_new = [&](const ImportedName& one) {
      const std::string from = program::absolute_name(module, one.level, one.module);
      const std::string name = one.name.empty() ? from : full_name(from, one);
      return std::any_of(entity.differences.begin(), entity.differences.end(),
                         [&](const change::Difference& difference) {
                           return difference.kind == change::DifferenceKind::kImportAdded && difference.name == name;
                         }) &&
             rules::always_runs(*inputs.after, id, one);
    };
    if (std::none_of(module.facts->imports.begin(), module.facts->imports.end(), is_new)) continue;
    if (!known) known = scripts_of(*inputs.after);
    (known->contains(entity.after->path) ? scripts : modules).push_back(entity.after->path);
  }
  constexpr std::size_t kFew = 3;
  std::vector<std::string> out;
  if (scripts.size() == 1) {
    out.push_back(fmt::format("Each start of the script {} runs its changed imports.", list_of(scripts)));
  } else if (!scripts.empty() && (with_files || scripts.size() <= kFew)) {
    out.push_back(fmt::format("Each start of one of the {} scripts {} runs its changed imports.", scripts.size(),
                              list_of(scripts)));
  } else if (!scripts.empty()) {
    out.push_back(fmt::format("Each start of one of {} scripts runs its changed imports.", scripts.size()));
  }
  if (!modules.empty() && (with_files || modules.size() <= kFew)) {
    out.push_back(fmt::format("Whatever loads {} runs {} changed imports.", list_of(modules),
                              modules.size() == 1 ? "its" : "their"));
  } else if (!modules.empty()) {
    out.push_back(fmt::format("Whatever loads one of {} modules runs its changed imports.", modules.size()));
  }
  return join(out, " ");
}

}  // namespace lockstep::report
