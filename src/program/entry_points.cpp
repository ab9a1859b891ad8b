#include <algorithm>
#include <array>

#include "base/strings.h"
#include "program/queries.h"
#include "program/unmade_closures.h"
#include "python/main_check.h"
#include "python/tree_walk.h"

namespace lockstep::program {
namespace {

/// Names of functions that run once every training step, in the trainers that we know (Megatron-LM's `train_step`,
/// Lightning's and Hugging Face's `training_step`, torchtitan's `train_step`, DeepSpeed's `train_batch`).
constexpr auto kStepNames =
    std::to_array<std::string_view>({"forward_backward_step", "forward_step", "forward_step_func", "train_batch",
                                     "train_one_step", "train_step", "training_step"});

bool runs_as_script(const Module& module) { return python::has_main_check(module.facts->tree().body); }

bool is_test_function(const Program& program, FunctionId id) {
  const Function& function = program.functions()[id];
  return function.name.starts_with("test_") && !function.enclosing.valid() && function.kind == FunctionKind::kFunction;
}

/// Public, at module level, called by nobody in the repository, and listed in `__init__.py`'s module.
bool is_public_api(const Program& program, FunctionId id) {
  const Function& function = program.functions()[id];
  if (function.kind != FunctionKind::kFunction || function.owner.valid() || function.enclosing.valid()) return false;
  return !function.name.starts_with('_') && program.callers_of(id).empty();
}

bool is_module_method(const Program& program, const Function& function, std::string_view name) {
  return function.owner.valid() && function.name == name &&
         (program.derives_from(function.owner, "torch.nn.Module") ||
          program.derives_from(function.owner, "torch.nn.modules.module.Module"));
}

bool is_hot_root(const Program& program, const Function& function) {
  if (std::binary_search(kStepNames.begin(), kStepNames.end(), function.name)) return true;
  if (!function.owner.valid()) return false;
  if (is_module_method(program, function, "forward")) return true;
  if (function.name == "backward" || function.name == "forward") {
    return program.derives_from(function.owner, "torch.autograd.Function");
  }
  const bool is_optimizer = program.derives_from(function.owner, "torch.optim.Optimizer") ||
                            to_lower(program.classes()[function.owner].name).find("optimizer") != std::string::npos;
  return function.name == "step" && is_optimizer;
}

}  // namespace

bool is_test_path(std::string_view path) {
  std::string_view file = path;
  for (std::size_t slash = file.find('/'); slash != std::string_view::npos; slash = file.find('/')) {
    const std::string_view folder = file.substr(0, slash);
    if (folder == "tests" || folder == "test" || folder == "testing") return true;
    file.remove_prefix(slash + 1);
  }
  // Not `gpu_sniff_test.py`: in repositories that keep their tests in folders of their own that tests hardware.
  return file.starts_with("test_") || file == "conftest.py";
}

bool has_name(const Program& program, std::string_view name) {
  for (const Module& module : program.modules()) {
    if (module.facts->has_name(name)) return true;
  }
  return false;
}

bool is_helper_path(std::string_view path) {
  static constexpr std::string_view kFolders[] = {"tools",       "examples", "scripts", "benchmarks",
                                                  "experiments", "tests",    "test",    "docs"};
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/')) {
    if (std::find(std::begin(kFolders), std::end(kFolders), path.substr(0, slash)) != std::end(kFolders)) return true;
    path.remove_prefix(slash + 1);
  }
  return false;
}

std::vector<Entry> entry_points(const Program& program) {
  std::vector<Entry> entries;
  for (const Module& module : program.modules()) {
    const bool is_test = is_test_path(module.path);
    if (runs_as_script(module) && !is_test) entries.push_back({module.body, EntryKind::kScript});
    for (const FunctionId id : module.functions) {
      if (is_test && is_test_function(program, id)) entries.push_back({id, EntryKind::kTest});
      if (!is_test && is_public_api(program, id)) entries.push_back({id, EntryKind::kPublicApi});
    }
  }
  std::sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
    const std::string& first = program.functions()[a.function].qualified_name;
    const std::string& second = program.functions()[b.function].qualified_name;
    return first != second ? first < second : a.function < b.function;
  });
  return entries;
}

std::vector<Reached> step_path(const Program& program, std::span<const std::string> roots) {
  std::vector<FunctionId> sources;
  for (std::size_t i = 0; i < program.functions().size(); ++i) {
    const Function& function = program.functions()[FunctionId(i)];
    if (is_test_path(program.modules()[function.module].path)) continue;
    const auto matches = [&](const std::string& pattern) { return glob_match(pattern, function.qualified_name); };
    const bool is_root =
        roots.empty() ? is_hot_root(program, function) : std::any_of(roots.begin(), roots.end(), matches);
    if (is_root) sources.push_back(FunctionId(i));
  }
  const UnmadeClosures unmade(program);
  return reachable_from(program, sources, program.functions().size(),
                        [&](FunctionId function) { return unmade.contains(function); });
}

}  // namespace lockstep::program
