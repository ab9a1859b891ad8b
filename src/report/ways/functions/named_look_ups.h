// Functions that a run looks up by a name which it is given: in a module that it imports by a computed name.
//   module = importlib.import_module(f"{package}.registry")
//   make = getattr(module, name)
//   make()
#pragma once

#include <optional>
#include <vector>

#include "program/named_modules.h"
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
  /// Whether `call` in `by` enters `function` because it looked it up so.
  bool is_look_up(program::FunctionId by, const python::Node* call, program::FunctionId function);

 private:
  /// What a look-up imports.
  struct Form {
    LookUp by;
    program::NameForm texts;
  };
  const std::vector<Form>& forms();

  const program::Program& program_;
  std::optional<std::vector<Form>> forms_;  ///< Found when first asked for.
};

}  // namespace lockstep::report
