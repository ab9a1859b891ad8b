#include "writer/pack/nearness.h"

#include <algorithm>

#include "program/queries.h"

namespace lockstep::writer {

namespace {

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(path.substr(0, slash == std::string_view::npos ? 0 : slash));
}

}  // namespace

Nearness::Nearness(const report::DocumentInputs& inputs) : program_(*inputs.after), closure_(*inputs.after) {
  for (const change::FileSummary& file : inputs.change->files) {
    const program::ModuleId module = program_.find_path(file.file->new_path);
    if (!module.valid() || program::is_test_path(file.file->new_path)) continue;
    changed_.insert(module);
    folders_.insert(folder_of(file.file->new_path));
  }
}

bool Nearness::is_near(program::ModuleId module) {
  const auto known = known_.find(module);
  return known != known_.end() ? known->second : known_.emplace(module, looks_near(module)).first->second;
}

bool Nearness::looks_near(program::ModuleId module) {
  if (changed_.contains(module) || folders_.contains(folder_of(program_.modules()[module].path))) return true;
  return std::any_of(changed_.begin(), changed_.end(), [&](program::ModuleId changed) {
    return closure_.from(changed)[module.index()] == 1 || closure_.from(module)[changed.index()] == 1;
  });
}

}  // namespace lockstep::writer
