// Functions that a run looks up by a name which it is given: in a module that it imports by a computed name.
//   module = importlib.import_module(f"{package}.registry")
//   make = getattr(module, name)
//   make()
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "program/program.h"

namespace lockstep::report {

class NamedLookUps {
 public:
  explicit NamedLookUps(const program::Program& program) : program_(program) {}

  struct LookUp {
    program::FunctionId function;        ///< That looks up and calls.
    const python::Call* call = nullptr;  ///< In it, of what it looked up.
  };
  /// What outside tests looks the function up, where it is public and stands at the top of a module whose name has the
  /// form of one that is imported there; none for others. Names are taken for such only where the text around what is
  /// computed gives the module's last part, or all but that.
  std::optional<LookUp> of(program::FunctionId function);

 private:
  /// The text of a module's name around what is computed.
  struct Form {
    LookUp by;
    std::vector<std::string> texts;  ///< Between two of these stands something that is computed.
  };
  const std::vector<Form>& forms();

  const program::Program& program_;
  std::optional<std::vector<Form>> forms_;  ///< Found when first asked for.
};

}  // namespace lockstep::report
