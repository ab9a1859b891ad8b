// Conditions around calls that a test closes by what it sets: `part.handle = None` in the test or a helper of it, and
// `if self.handle is not None: …` on the way. Only where all that the test's own code gives the name is one value, and
// nothing that the test reaches gives it another.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "program/program.h"
#include "report/source/code.h"
#include "report/source/defaults.h"
#include "report/tests/test_stand_ins.h"

namespace lockstep::report {

class TestConditions {
 public:
  /// Both must outlive it. `is_test`: by module, whether it is one of tests.
  TestConditions(const program::Program& program, const TestStandIns& stand_ins, const std::vector<bool>& is_test)
      : program_(program), stand_ins_(stand_ins), is_test_(is_test) {}

  /// Whether the call stands under conditions on settings or attributes.
  [[nodiscard]] bool asks(program::CallId call) const { return !asked_at(call).empty(); }
  /// Whether the call is not made with what the test sets, each time that the test calls one of `leading`: not where it
  /// sets it only after such a call.
  [[nodiscard]] bool closes(program::FunctionId test, program::CallId call,
                            const std::unordered_set<std::uint32_t>& leading) const;

 private:
  /// A condition on a call that reads settings, or attributes of the objects of a class.
  struct Asked {
    const python::Expr* condition = nullptr;
    bool negated = false;
    program::FunctionId function;
  };
  struct Read {
    std::string_view name;
    std::vector<program::ClassId> classes;  ///< Of the object; empty for a setting.
  };
  [[nodiscard]] const std::vector<Asked>& asked_at(program::CallId call) const;
  [[nodiscard]] Read read_of(program::FunctionId function, const python::Expr& part) const;
  /// A value, and where the test's code gives it: as what is put in place of something else.
  struct Given {
    Value value;
    std::vector<Replacement> places;
  };
  [[nodiscard]] Given given(program::FunctionId test, const Read& read) const;
  [[nodiscard]] bool may_be_given_another(program::FunctionId test, std::string_view name, const Value& value) const;
  [[nodiscard]] bool is_of(program::FunctionId function, const python::Expr& object,
                           const std::vector<program::ClassId>& classes, bool& is_known) const;
  /// What gives a name a value outside tests, and by which function; null value: one that is not known.
  struct Store {
    program::FunctionId function;
    const python::Expr* value = nullptr;
  };
  [[nodiscard]] const std::vector<Store>& stores_of(std::string_view name) const;

  const program::Program& program_;
  const TestStandIns& stand_ins_;
  const std::vector<bool>& is_test_;
  mutable std::unordered_map<std::uint32_t, std::vector<Asked>> asked_;      ///< By call.
  mutable std::unordered_map<std::string_view, std::vector<Store>> stores_;  ///< By name.
};

}  // namespace lockstep::report
