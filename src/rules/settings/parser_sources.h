// Whether the source shows all flags of the parser whose command line a function reads: where the parser was made, what
// was done with it on its way, and what fills it. Linked program in, answers out.
//
// Left out: settings that a global keeps (`get_args()` that returns one): what fills it is not followed.
#pragma once

#include <compare>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "program/program.h"
#include "rules/names/field_values.h"
#include "rules/names/names_of_modules.h"
#include "rules/syntax/reach_memory.h"

namespace lockstep::rules {

/// The functions of the repository that the call enters, methods too.
std::vector<const program::CallTarget*> entered_by(const program::Program& program, const python::Call& call);
/// True if the call is known not to change what it is given: a built-in function, or one of another package.
bool is_harmless(const program::Program& program, const python::Call& call);

class ParserSources {
 public:
  explicit ParserSources(const program::Program& program) : program_(program), fields_(program), names_(program) {}

  /// True if `getter`, what it calls to get the settings, or what makes and fills its parser, has flags from another
  /// package, from a table, or from something that is not known: not all of their names are seen here.
  bool takes_flags_of_others(program::FunctionId getter);

 private:
  /// One thing to look at. (f, "", null): what the function does. (f, name, null): where the parser of this name comes
  /// from. (f, name, call): the same where `call` enters the function. (f, "", call): what `call`, made in f, returns.
  /// (class, ""): what the methods of the class do. (class, name): the parser that its objects keep under this name.
  struct Place {
    program::FunctionId function{};
    std::string_view name{};
    const python::Call* call = nullptr;
    program::ClassId cls{};

    auto operator<=>(const Place&) const = default;
  };

  /// What is found at one place.
  struct Step {
    bool is_open = false;  ///< Flags come from what is not seen.
    std::vector<Place> next{};
  };

  Step look(const Place& place);
  void function(program::FunctionId function, Step& step);
  void name(program::FunctionId function, std::string_view name, const python::Call* through, Step& step);
  void parameter(program::FunctionId function, std::string_view name, const python::Call* through, Step& step);
  void given(program::FunctionId function, std::string_view name, const python::Call& call, Step& step);
  void result(program::FunctionId function, const python::Call& call, Step& step);
  void origin(program::FunctionId function, const python::Expr* made, const python::Call* through, Step& step);
  void parents_of(program::FunctionId function, const python::Call& call, Step& step);
  void members(program::ClassId owner, Step& step);
  void field(program::ClassId owner, std::string_view name, Step& step);
  void field_of_module(const program::Reference& named, Step& step);

  const program::Program& program_;
  ReachMemory<Place> memory_;
  std::unordered_map<program::FunctionId, bool> sets_computed_;  ///< Attributes, by getter.
  FieldValues fields_;
  NamesOfModules names_;
};

}  // namespace lockstep::rules
