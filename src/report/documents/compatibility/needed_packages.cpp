#include "report/documents/compatibility/needed_packages.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_set>

#include "base/strings.h"
#include "program/module_names.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/import_flags.h"

namespace lockstep::report {

using namespace python;
using program::ModuleId;
using program::Program;

namespace {

constexpr std::size_t kMostModules = 4000;  ///< That one import is followed to.
constexpr std::size_t kMostRisks = 2;

/// One name that a statement imports, absolute.
struct Wanted {
  std::string name;  ///< "acme.tools", "acme.tools.summary".
  const Stmt* statement = nullptr;
};

/// What a statement imports: of `from a import b` both `a` and `a.b`, which may be a module.
void add_wanted(const program::Module& module, const Stmt* statement, std::vector<Wanted>& out) {
  if (const auto* plain = as<Import>(statement)) {
    for (const Alias* one : plain->names) out.push_back({std::string(one->name.text), statement});
  }
  if (const auto* from = as<ImportFrom>(statement)) {
    const std::string base = program::absolute_name(module, from->level, from->module.text);
    if (base.empty()) return;
    out.push_back({base, statement});
    for (const Alias* one : from->names) out.push_back({base + "." + std::string(one->name.text), statement});
  }
}

/// What a run of the file imports in any case: statements right at its top.
std::vector<Wanted> wanted_at_top(const program::Module& module) {
  std::vector<Wanted> out;
  for (const Stmt* statement : module.facts->tree().body) add_wanted(module, statement, out);
  return out;
}

std::string_view package_of(std::string_view name) { return name.substr(0, name.find('.')); }

/// The modules of the program that importing the name runs: the packages above it, then itself.
std::vector<ModuleId> modules_run(const Program& program, std::string_view name) {
  std::vector<ModuleId> out;
  for (std::size_t end = name.find('.');; end = name.find('.', end + 1)) {
    const ModuleId module = program.find_module(name.substr(0, end));
    if (module.valid()) out.push_back(module);
    if (end == std::string_view::npos) return out;
  }
}

/// Where a package is imported.
struct Need {
  ModuleId module;
  const Stmt* statement;
};

/// The packages outside the program that importing these names comes to, each with the nearest place.
std::map<std::string, Need> needs_of(const Program& program, ModuleId start, const std::vector<Wanted>& wanted,
                                     const std::set<std::string, std::less<>>& own) {
  std::map<std::string, Need> out;
  std::unordered_set<std::uint32_t> seen = {start.value};
  std::vector<ModuleId> pending;
  const auto take = [&](ModuleId by, const std::vector<Wanted>& names) {
    for (const Wanted& one : names) {
      const std::string_view package = package_of(one.name);
      if (!own.contains(package)) {
        out.try_emplace(std::string(package), Need{by, one.statement});
        continue;
      }
      for (const ModuleId module : modules_run(program, one.name)) {
        if (seen.size() < kMostModules && seen.insert(module.value).second) pending.push_back(module);
      }
    }
  };
  take(start, wanted);
  for (std::size_t i = 0; i < pending.size(); ++i) {
    const ModuleId module = pending[i];
    take(module, wanted_at_top(program.modules()[module]));
  }
  return out;
}

/// First parts of the names of all modules of the program.
std::set<std::string, std::less<>> own_packages(const Program& program) {
  std::set<std::string, std::less<>> out;
  for (const program::Module& module : program.modules()) out.emplace(package_of(module.name));
  return out;
}

/// "quantize.py:3" of a place outside tests where the import stands in a `try` that takes import errors; empty for
/// none.
std::string guarded_at(const Program& program, std::string_view package) {
  std::string beside;  // In tools and examples.
  for (const program::Module& module : program.modules()) {
    if (program::is_test_path(module.path) || module.facts->find_name(package) == std::string_view::npos) continue;
    std::string found;
    walk_of<Try>(module.facts->tree(), Nested::kEnter, [&](const Try* attempt) {
      if (!found.empty() || !takes_import_errors(*attempt)) return;
      std::vector<Wanted> names;
      for (const Stmt* statement : attempt->body) add_wanted(module, statement, names);
      for (const Wanted& one : names) {
        if (package_of(one.name) == package)
          found = place(module.path, module.facts->source().line_of(one.statement->span.begin));
      }
    });
    if (!found.empty() && !program::is_helper_path(module.path)) return found;
    if (beside.empty()) beside = std::move(found);
  }
  return beside;
}

/// Whether a file with the project's own needs names the package.
bool is_listed(const DocumentInputs& inputs, std::string_view package) {
  if (inputs.after_files == nullptr) return false;
  std::string dashed(package);
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  for (const char* path : {"pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"}) {
    const auto text = inputs.after_files->read(path);
    if (!text) continue;
    // The list that all who install it get; what is optional stands in others.
    const std::string_view whole = *text;
    const bool is_plain = std::string_view(path) == "requirements.txt";
    const std::size_t begin = is_plain ? 0 : std::min({whole.find("\ndependencies"), whole.find("install_requires")});
    if (begin == std::string_view::npos) continue;
    const std::string_view list = is_plain ? whole : whole.substr(begin, whole.find("\n]", begin) - begin);
    if (contains(list, package) || contains(list, dashed)) return true;
  }
  return false;
}

}  // namespace

void add_needed_packages(const DocumentInputs& inputs, std::vector<Risk>& risks) {
  const Program& before = *inputs.before;
  const Program& after = *inputs.after;
  std::set<std::string, std::less<>> own_before;
  std::set<std::string, std::less<>> own_after;
  std::size_t told = 0;
  std::set<std::string> named;
  for (const change::FileSummary& file : inputs.change->files) {
    const ModuleId was = before.find_path(file.file->old_path);
    const ModuleId is = after.find_path(file.file->new_path);
    if (!was.valid() || !is.valid() || program::is_test_path(file.file->new_path)) continue;
    const std::vector<Wanted> old = wanted_at_top(before.modules()[was]);
    std::vector<Wanted> fresh = wanted_at_top(after.modules()[is]);
    std::erase_if(fresh, [&](const Wanted& one) {
      return std::any_of(old.begin(), old.end(), [&](const Wanted& other) { return other.name == one.name; });
    });
    if (fresh.empty()) continue;
    if (own_after.empty()) {
      own_before = own_packages(before);
      own_after = own_packages(after);
    }
    const std::map<std::string, Need> needed = needs_of(before, was, old, own_before);
    const program::Module& module = after.modules()[is];
    for (const Wanted& one : fresh) {
      for (const auto& [package, need] : needs_of(after, is, {one}, own_after)) {
        if (needed.contains(package) || own_before.contains(package) || named.contains(package)) continue;
        const std::string guarded = guarded_at(before, package);
        if (guarded.empty() || is_listed(inputs, package) || told == kMostRisks) continue;
        named.insert(package);
        ++told;
        const std::uint32_t line = module.facts->source().line_of(one.statement->span.begin) + 1;
        const program::Module& by = after.modules()[need.module];
        const std::string there = place(by.path, by.facts->source().line_of(need.statement->span.begin));
        const std::string way = need.module == is
                                    ? std::string()
                                    : fmt::format(": its new import of {} (line {}) leads to that of the package at {}",
                                                  code(one.name), line, there);
        risks.push_back(
            {RiskKind::kCompatibility,
             fmt::format("Importing {} needs the package {} now{}.", code(module.path), code(package),
                         way.empty() ? fmt::format(", which it imports at line {}", line) : way),
             fmt::format("Fails where {} is not installed, which {} expects and catches", code(package), guarded),
             false});
      }
    }
  }
}

}  // namespace lockstep::report
