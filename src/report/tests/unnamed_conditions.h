// What has to be set for the changed lines of a function to run, held against the code of tests that runs for those
// that lead to it: where that names none of it, they reach the function and not what changes in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/source/import_closure.h"
#include "report/story/story.h"
#include "report/tests/set_for_test.h"
#include "report/tests/test_settings.h"

namespace lockstep::report {

class UnnamedConditions {
 public:
  /// All must outlive it.
  UnnamedConditions(const program::Program& program, const TestSettings& settings, const SetForTest& set,
                    ImportClosure& closure)
      : program_(program), settings_(settings), set_(set), closure_(closure) {}

  /// Settings and parameters, off by default, without one of which nothing that changes in the function runs, where no
  /// code that may run for one of `tests` sets any of them. None where something runs without them
  /// or goes, where other code may set them, and where there are no tests.
  [[nodiscard]] std::vector<std::string> of(const Actor& actor, const std::vector<TestReach>& tests) const;

  /// Whether a test shows that it sets what has to be set for anything that changes in the function to run.
  enum class Naming : std::uint8_t {
    kNowhere,  ///< No code of tests that may run for it has the names: it cannot set it.
    kInFiles,
    kItself,  ///< Its own code, its helpers or what sets it up has them; also where nothing has to be set.
  };
  /// For each of `tests`; all kItself where it is not known what is needed.
  [[nodiscard]] std::vector<Naming> naming_of(const Actor& actor, const std::vector<TestReach>& tests) const;

 private:
  /// One of these has to be set.
  using AnyOf = std::vector<std::string>;

  /// What each of the conditions that `condition` (negated: its opposite) sets asks for: all have to be met.
  [[nodiscard]] std::vector<AnyOf> asked(program::FunctionId function, const python::Expr& condition,
                                         bool negated) const;
  [[nodiscard]] std::vector<AnyOf> asked_by(program::FunctionId function, const Step& step) const;
  /// Whether the parameter is off by default, and no call outside tests gives it but by a value that has its name.
  [[nodiscard]] bool is_off_parameter(program::FunctionId function, std::string_view name) const;
  [[nodiscard]] std::string_view off_parameter_held(program::FunctionId function, std::string_view attribute) const;
  [[nodiscard]] bool may_set(program::FunctionId test, const AnyOf& any,
                             const std::vector<program::ModuleId>& modules) const;
  /// The modules of tests that the test loads.
  [[nodiscard]] std::vector<program::ModuleId> loaded_by(program::FunctionId test) const;

  const program::Program& program_;
  const TestSettings& settings_;
  const SetForTest& set_;
  ImportClosure& closure_;
};

}  // namespace lockstep::report
