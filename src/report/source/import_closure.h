// A program -> the modules that a script loads when it runs: what it imports, what that imports, and the packages
// around them. A call through a variable may enter functions that only other scripts bring in; on a way from a script
// such a step is none. Of imports by computed names (importlib) those count of which the text around what is computed
// gives the module's last part, or all but that (program/named_modules.h): every module of such a name may be loaded.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "program/named_modules.h"
#include "program/program.h"

namespace lockstep::report {

class ImportClosure {
 public:
  explicit ImportClosure(const program::Program& program) : program_(program) {}

  /// By module: how many imports lead there from `start`, which is 0; -1: none do. Kept for the next question.
  const std::vector<int>& from(program::ModuleId start);
  /// By module: whether it loads `module`, which loads itself. Costs one walk over all imports, however many ask.
  std::vector<bool> loading(program::ModuleId module);
  /// True if code other than tests imports the module by name: it is not one that only its own path brings in.
  bool is_imported(program::ModuleId module);

 private:
  const std::vector<program::ModuleId>& imports_of(program::ModuleId module);
  const std::vector<std::vector<program::ModuleId>>& importers();
  /// The modules that `module` may import by computed names.
  const std::vector<program::ModuleId>& computed_by(program::ModuleId module);
  /// `dotted` and the packages around it; a script also finds the files beside it, in `folder`.
  const std::vector<program::ModuleId>& loaded_by(const std::string& dotted, std::string_view folder);

  const program::Program& program_;
  std::string key_;  ///< Of what is looked for in `loaded_`; kept for its memory.
  std::unordered_map<std::string, std::vector<program::ModuleId>> loaded_;  ///< By folder and dotted name.
  std::unordered_map<std::uint32_t, std::vector<program::ModuleId>> imports_;
  std::map<std::uint32_t, std::vector<int>> closures_;
  std::vector<std::vector<program::ModuleId>> importers_;  ///< By module; made when first asked for.
  std::map<std::uint32_t, std::vector<program::ModuleId>> computed_;
  bool knows_computed_ = false;
};

}  // namespace lockstep::report
