#include "report/source/torch_use.h"

#include <algorithm>

#include "program/queries.h"
#include "report/source/import_closure.h"

namespace lockstep::report {

namespace {

bool imports_torch(const program::Module& module) {
  return std::any_of(module.facts->imports.begin(), module.facts->imports.end(), [](const python::ImportedName& one) {
    const std::string_view name = one.module.empty() ? one.name : one.module;
    const std::string_view package = name.substr(0, name.find('.'));
    static constexpr std::string_view kTorch[] = {"torch", "triton", "transformer_engine", "apex", "flash_attn"};
    return one.level == 0 && std::find(std::begin(kTorch), std::end(kTorch), package) != std::end(kTorch);
  });
}

}  // namespace

bool uses_torch(const DocumentInputs& inputs) {
  const program::Program& program = *inputs.after;
  ImportClosure closure(program);
  for (const change::FileSummary& file : inputs.change->files) {
    const program::ModuleId id = program.find_path(file.file->new_path);
    if (!id.valid()) {
      // What is gone may have been what did.
      if (file.is_python) return true;
      continue;
    }
    if (program::is_test_path(file.file->new_path)) continue;
    const std::vector<int>& loaded = closure.from(id);
    for (std::size_t i = 0; i < program.modules().size(); ++i) {
      if ((i < loaded.size() && loaded[i] >= 0) && imports_torch(program.modules()[program::ModuleId(i)])) return true;
    }
  }
  return false;
}

}  // namespace lockstep::report
