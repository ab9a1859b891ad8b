// Which modules have to do with a change: a name that stands in another one rarely means the same thing there.
#pragma once

#include <map>
#include <set>
#include <string>

#include "report/inputs.h"
#include "report/source/import_closure.h"

namespace lockstep::writer {

class Nearness {
 public:
  explicit Nearness(const report::DocumentInputs& inputs);

  /// Whether a module stands in a folder of changed code outside tests, imports a changed module, or is imported by
  /// one.
  [[nodiscard]] bool is_near(program::ModuleId module);

 private:
  [[nodiscard]] bool looks_near(program::ModuleId module);

  const program::Program& program_;
  report::ImportClosure closure_;
  std::set<program::ModuleId> changed_;
  std::set<std::string> folders_;
  std::map<program::ModuleId, bool> known_;
};

}  // namespace lockstep::writer
