#include "report/ways/scripts/missing_imports.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/module_names.h"
#include "program/queries.h"
#include "report/source/compiled_modules.h"

namespace lockstep::report {

using program::ModuleId;
using program::Program;

namespace {

/// What is built, or written by a tool, where the code is installed: `_C`, `helpers_cpp`, `rpc_pb2`, `_version`.
bool is_made_by_builds(std::string_view name) {
  if (name.starts_with('_')) return true;
  for (const std::string_view end : {"_C", "_cpp", "_cuda", "_ext", "_extension", "_pb2", "_pb2_grpc", "version"}) {
    if (name.ends_with(end)) return true;
  }
  return false;
}

class Finder {
 public:
  Finder(const Program& program, const repo::Snapshot* files) : program_(program), compiled_(program, files) {
    for (const program::Module& module : program.modules()) {
      for (std::size_t dot = module.name.find('.'); dot != std::string::npos; dot = module.name.find('.', dot + 1))
        packages_.insert(std::string_view(module.name).substr(0, dot));
    }
  }

  std::vector<std::string> run() {
    const std::size_t count = program_.modules().size();
    std::vector<std::string> out(count);
    std::vector<ModuleId> order;
    for (std::size_t i = 0; i < count; ++i) {
      const program::Module& module = program_.modules()[ModuleId(i)];
      if (program::is_test_path(module.path)) continue;
      for (const python::ImportedName& import : module.facts->imports) {
        if (!may_always_run(import)) continue;
        std::string name = missing_name(module, import);
        if (name.empty() || !always_runs(module, import)) continue;
        out[i] = std::move(name);
        order.emplace_back(i);
        break;
      }
    }
    if (order.empty()) return out;
    const std::vector<std::vector<ModuleId>> importers = importers_that_always_load();
    for (std::size_t next = 0; next < order.size(); ++next) {
      for (const ModuleId importer : importers[order[next].index()]) {
        if (!out[importer.index()].empty()) continue;
        out[importer.index()] = out[order[next].index()];
        order.push_back(importer);
      }
    }
    return out;
  }

 private:
  /// In the module's own scope, and not where a failure is expected.
  static bool may_always_run(const python::ImportedName& import) {
    return import.scope.index() == 0 && !import.in_type_checking && !import.in_try;
  }
  /// Whether nothing stands around it.
  bool always_runs(const program::Module& module, const python::ImportedName& import) {
    auto [known, is_new] = statements_.try_emplace(&module);
    if (is_new) {
      for (const python::Stmt* statement : module.facts->tree().body) known->second.insert(statement);
    }
    return known->second.contains(import.statement);
  }

  /// The module that a name may stand for, seen from a file: also one beside it, where that is run as a script.
  [[nodiscard]] ModuleId find(const program::Module& from, const std::string& dotted) const {
    if (const ModuleId found = program_.find_module(dotted); found.valid()) return found;
    const std::size_t slash = from.path.rfind('/');
    const std::string path =
        from.path.substr(0, slash == std::string::npos ? 0 : slash + 1) + replace_all(dotted, ".", "/");
    const ModuleId file = program_.find_path(path + ".py");
    return file.valid() ? file : program_.find_path(path + "/__init__.py");
  }

  /// Of what the import names, the first part that a package of the repository is to hold, and does not; empty for
  /// none.
  std::string missing_name(const program::Module& module, const python::ImportedName& import) {
    const std::string dotted = program::absolute_name(module, import.level, import.module);
    if (dotted.empty()) return {};
    ModuleId package;
    for (std::size_t at = dotted.find('.');; at = dotted.find('.', at + 1)) {
      const std::string name = dotted.substr(0, at);
      const ModuleId found = find(module, name);
      if (!found.valid() && package.valid()) return is_gone(package, name) ? name : std::string();
      if (!found.valid() && !packages_.contains(name)) return {};
      // What only stands beside the file has the name for scripts there alone.
      const ModuleId own = program_.find_module(name);
      package = own.valid() && program_.modules()[own].is_package ? own : ModuleId();
      if (at != std::string::npos) continue;
      // A package may hold what no file of Python code shows; of a file it is known.
      const bool is_file = own.valid() && !package.valid() && !import.name.empty() && import.name != "*";
      return is_file && lacks(found, import.name) ? dotted + "." + std::string(import.name) : std::string();
    }
  }

  /// Whether nothing in the tree is, or is built to be, the module of that name in the package.
  bool is_gone(ModuleId package, const std::string& name) {
    return lacks(package, name.substr(name.rfind('.') + 1)) && !packages_.contains(name) &&
           !compiled_.may_hold(program_.modules()[package], name);
  }

  /// Whether the module's code gives it nothing of that name.
  bool lacks(ModuleId id, std::string_view name) {
    const program::Module& module = program_.modules()[id];
    const python::FileFacts& facts = *module.facts;
    if (is_made_by_builds(name) || name.starts_with("__")) return false;
    const auto& bindings = facts.scopes.begin()->bindings;
    if (std::any_of(bindings.begin(), bindings.end(), [&](const auto& one) { return one.name == name; })) return false;
    if (std::any_of(facts.imports.begin(), facts.imports.end(), [&](const python::ImportedName& one) {
          return one.scope.index() == 0 && (one.name == "*" || one.bound_as == name);
        }))
      return false;
    const auto is_global_in = [&](const python::Scope& scope) {
      return std::find(scope.global_names.begin(), scope.global_names.end(), name) != scope.global_names.end();
    };
    if (std::any_of(facts.scopes.begin(), facts.scopes.end(), is_global_in)) return false;
    return !may_get_names_otherwise(facts.source().bytes()) && !compiled_.names(name);
  }

  /// Whether names may come into a module in ways that no binding shows. Asked last: it reads the whole text.
  static bool may_get_names_otherwise(std::string_view text) {
    constexpr std::string_view kWays[] = {"__getattr__", "__path__", "globals(", "vars(",
                                          "locals(",     "setattr(", "exec(",    "sys.modules"};
    return std::any_of(std::begin(kWays), std::end(kWays), [&](std::string_view way) { return contains(text, way); });
  }

  /// By module: those that load it whenever they are loaded.
  std::vector<std::vector<ModuleId>> importers_that_always_load() {
    std::vector<std::vector<ModuleId>> out(program_.modules().size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      const program::Module& module = program_.modules()[ModuleId(i)];
      const auto add = [&](const std::string& dotted) {
        for (std::size_t at = dotted.find('.');; at = dotted.find('.', at + 1)) {
          if (const ModuleId found = find(module, dotted.substr(0, at)); found.valid() && found.index() != i)
            out[found.index()].emplace_back(i);
          if (at == std::string::npos) return;
        }
      };
      for (const python::ImportedName& import : module.facts->imports) {
        if (!may_always_run(import) || !always_runs(module, import)) continue;
        const std::string dotted = program::absolute_name(module, import.level, import.module);
        if (dotted.empty()) continue;
        add(import.name.empty() || import.name == "*" ? dotted : dotted + "." + std::string(import.name));
      }
    }
    return out;
  }

  const Program& program_;
  std::unordered_set<std::string_view> packages_;  ///< Dotted names that other modules' names begin with.
  const CompiledModules compiled_;
  std::unordered_map<const program::Module*, std::unordered_set<const python::Node*>> statements_;
};

}  // namespace

MissingImports::MissingImports(const Program& program, const repo::Snapshot* files)
    : missing_(Finder(program, files).run()) {}

}  // namespace lockstep::report
