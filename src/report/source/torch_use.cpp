#include "report/source/torch_use.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "program/queries.h"
#include "report/source/import_closure.h"
#include "report/source/standard_modules.h"

namespace lockstep::report {

namespace {

bool is_torch(std::string_view package) {
  static constexpr std::string_view kTorch[] = {"torch", "triton", "transformer_engine", "apex", "flash_attn"};
  return std::find(std::begin(kTorch), std::end(kTorch), package) != std::end(kTorch);
}

/// Packages that load no PyTorch, whatever else is installed.
bool does_without_torch(std::string_view package) {
  static constexpr std::string_view kOthers[] = {"aiohttp",       "attr",       "attrs",
                                                 "bs4",           "click",      "colorama",
                                                 "cryptography",  "dateutil",   "dotenv",
                                                 "fastapi",       "filelock",   "flask",
                                                 "git",           "github",     "httpx",
                                                 "jinja2",        "jsonschema", "markdown",
                                                 "numpy",         "packaging",  "pip",
                                                 "pkg_resources", "psutil",     "pydantic",
                                                 "quart",         "regex",      "requests",
                                                 "rich",          "setuptools", "simplejson",
                                                 "six",           "sphinx",     "starlette",
                                                 "tabulate",      "toml",       "tomli",
                                                 "tqdm",          "typer",      "typing_extensions",
                                                 "urllib3",       "uvicorn",    "wheel",
                                                 "yaml",          "zmq"};
  return std::find(std::begin(kOthers), std::end(kOthers), package) != std::end(kOthers);
}

/// What modules of a program may load of PyTorch.
class TorchUse {
 public:
  explicit TorchUse(const program::Program& program) : program_(program), closure_(program) {
    for (const program::Module& module : program.modules()) tops_.insert(module.name.substr(0, module.name.find('.')));
  }

  /// Whether a process that loads the module may have loaded PyTorch.
  bool may_run_with(program::ModuleId module) {
    if (may_load(module)) return true;
    const std::vector<bool> loaders = closure_.loading(module);
    for (std::size_t i = 0; i < loaders.size(); ++i) {
      if (loaders[i] && !program::is_test_path(program_.modules()[program::ModuleId(i)].path) &&
          may_load(program::ModuleId(i)))
        return true;
    }
    return false;
  }

 private:
  /// By itself or through what it loads.
  bool may_load(program::ModuleId module) {
    const std::vector<int>& loaded = closure_.from(module);
    for (std::size_t i = 0; i < loaded.size(); ++i) {
      if (loaded[i] >= 0 && may_import(program::ModuleId(i))) return true;
    }
    return false;
  }

  /// By its own imports.
  bool may_import(program::ModuleId id) {
    const auto [known, is_new] = may_import_.try_emplace(id.value);
    if (!is_new) return known->second;
    const program::Module& module = program_.modules()[id];
    static constexpr std::string_view kComputed[] = {"import_module", "__import__", "exec_module", "load_module",
                                                     "run_module",    "run_path",   "entry_points"};
    const auto has = [&](std::string_view name) { return module.facts->has_name(name); };
    const auto& imports = module.facts->imports;
    known->second = std::any_of(std::begin(kComputed), std::end(kComputed), has) ||
                    std::any_of(imports.begin(), imports.end(),
                                [&](const python::ImportedName& one) { return may_be_torch(module, one); });
    return known->second;
  }

  [[nodiscard]] bool may_be_torch(const program::Module& module, const python::ImportedName& import) const {
    if (import.level > 0 || import.in_type_checking) return false;
    const std::string_view name = import.module.empty() ? import.name : import.module;
    const std::string package(name.substr(0, name.find('.')));
    if (is_torch(package)) return true;
    if (is_standard_module(package) || does_without_torch(package) || tops_.contains(package)) return false;
    const std::string beside = module.path.substr(0, module.path.rfind('/') + 1) + package;
    return !program_.find_path(beside + ".py").valid() && !program_.find_path(beside + "/__init__.py").valid();
  }

  const program::Program& program_;
  ImportClosure closure_;
  std::unordered_set<std::string> tops_;  ///< First parts of the names of the repository's modules.
  std::unordered_map<std::uint32_t, bool> may_import_;
};

}  // namespace

bool may_use_torch(const DocumentInputs& inputs) {
  TorchUse use(*inputs.after);
  return std::any_of(inputs.change->files.begin(), inputs.change->files.end(), [&](const change::FileSummary& file) {
    const program::ModuleId id = inputs.after->find_path(file.file->new_path);
    // What is gone may have been what did.
    if (!id.valid()) return file.is_python;
    return !program::is_test_path(file.file->new_path) && use.may_run_with(id);
  });
}

}  // namespace lockstep::report
