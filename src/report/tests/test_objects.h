// What the objects hold that a test makes: attributes that take a setting over (`self.enable = config.enable`), where
// the test itself makes the configuration that it gives them.
#pragma once

#include <string_view>

#include "program/program.h"
#include "report/source/defaults.h"
#include "report/tests/test_stand_ins.h"

namespace lockstep::report {

class TestObjects {
 public:
  /// Both must outlive it.
  TestObjects(const program::Program& program, const TestStandIns& stand_ins)
      : program_(program), stand_ins_(stand_ins) {}

  struct Held {
    Value value;
    std::string_view setting;      ///< That the attribute holds.
    program::ClassId declared_by;  ///< The setting; none where that is not known.
  };
  /// What `part`, an attribute of `self` in code of `function`, holds of every object that the test makes of its class;
  /// unknown where two hold different values, or one may be made where it is not seen.
  [[nodiscard]] Held held(program::FunctionId test, program::FunctionId function, const python::Expr& part) const;

 private:
  [[nodiscard]] Value value_where_made(program::FunctionId function, const python::Call& made, program::ClassId cls,
                                       std::string_view attribute) const;
  [[nodiscard]] Value value_of_setting(program::FunctionId function, const python::Expr* config,
                                       std::string_view setting, int depth) const;
  /// Whether the function sets something by that name, other than where it makes an object.
  [[nodiscard]] bool sets(program::FunctionId function, std::string_view name) const;
  [[nodiscard]] bool is_made_elsewhere(program::FunctionId test, program::ClassId cls) const;
  [[nodiscard]] bool is_below(program::ClassId cls, program::ClassId other) const;

  const program::Program& program_;
  const TestStandIns& stand_ins_;
};

}  // namespace lockstep::report
