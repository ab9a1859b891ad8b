// Conditions around calls that a test closes by what it sets: `part.handle = None` in the test or a helper of it, and
// `if self.handle is not None: …` on the way. Only where all that the test's own code gives the name is one value, and
// nothing that the test reaches gives it another. The same of attributes that hold a setting (test_objects.h), of
// parameters (test_parameters.h), and of all values that `pytest.mark.parametrize` gives.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "program/program.h"
#include "report/source/code.h"
#include "report/source/defaults.h"
#include "report/source/givings.h"
#include "report/tests/test_objects.h"
#include "report/tests/test_parameters.h"
#include "report/tests/test_stand_ins.h"

namespace lockstep::report {

class TestConditions {
 public:
  /// Both must outlive it. `is_test`: by module, whether it is one of tests.
  TestConditions(const program::Program& program, const TestStandIns& stand_ins, const std::vector<bool>& is_test)
      : program_(program),
        stand_ins_(stand_ins),
        is_test_(is_test),
        objects_(program, stand_ins),
        parameters_(program, stand_ins, is_test) {}

  /// Whether the call stands under conditions on settings, attributes or parameters.
  [[nodiscard]] bool asks(program::CallId call) const { return !asked_at(call).empty(); }
  /// Whether the call is not made with what the test sets, each time that the test calls one of `leading`: not where it
  /// sets it only after such a call.
  [[nodiscard]] bool closes(program::FunctionId test, program::CallId call,
                            const std::unordered_set<std::uint32_t>& leading) const;
  /// Whether what stands behind a guard in `function` does not run with what the test sets, as closes() has it.
  [[nodiscard]] bool closes_guard(program::FunctionId test, program::FunctionId function, const Guard& guard,
                                  const std::unordered_set<std::uint32_t>& leading) const;
  /// Whether the call stands under a comparison of a variable with constants that none of the values is which the test
  /// gets from `pytest.mark.parametrize` under that name. The variable may hold something else: the call may be made.
  [[nodiscard]] bool may_close_by_name(program::FunctionId test, program::CallId call) const;

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
    program::ClassId declared_by;           ///< A setting; none where that is not known.
  };
  [[nodiscard]] const std::vector<Asked>& asked_at(program::CallId call) const;
  [[nodiscard]] Read read_of(program::FunctionId function, const python::Expr& part) const;
  /// What the test gives: all values that it runs with, and where its code gives them, as what is put in place of
  /// something else.
  struct Given {
    std::vector<Value> values;
    std::vector<Replacement> places;
    std::string_view name;
    program::ClassId declared_by;
    std::string_view
        attribute;             ///< That takes the setting over from a configuration that the test makes; may be empty.
    program::ClassId owner;    ///< Of the attribute.
    bool is_of_place = false;  ///< It holds from its places on, and where nothing gives the name another value.
  };
  [[nodiscard]] Given given(program::FunctionId test, const Read& read) const;
  [[nodiscard]] Given find_given(program::FunctionId test, const Asked& asked, const python::Expr& part) const;
  [[nodiscard]] std::vector<Value> values_given(program::FunctionId test, program::FunctionId holder,
                                                const python::Expr* value) const;
  [[nodiscard]] bool is_closed(program::FunctionId test, const Asked& asked, program::CallId call,
                               const std::unordered_set<std::uint32_t>& leading) const;
  /// Whether what constructors give the name counts; kLeaveOutOwn: all but what they give `self`.
  enum class Constructors : std::uint8_t { kCount, kLeaveOut, kLeaveOutOwn };
  [[nodiscard]] bool may_be_given_another(program::FunctionId test, std::string_view name,
                                          const std::vector<Value>& values, program::ClassId declared_by,
                                          Constructors constructors, program::CallId without) const;
  [[nodiscard]] bool is_of(program::FunctionId function, const python::Expr& object,
                           const std::vector<program::ClassId>& classes, bool& is_known) const;
  [[nodiscard]] bool is_related(program::ClassId one, program::ClassId other) const;
  /// What gives a name a value outside tests, and by which function; null value: one that is not known.
  struct Store {
    program::FunctionId function;
    Giving giving;
    bool hands_on = false;  ///< The value that something else has under the same name.
  };
  [[nodiscard]] const std::vector<program::FunctionId>& spreading_into(program::ClassId cls) const;
  /// Whether it may give an object of the class the value.
  [[nodiscard]] bool may_be_of(const Store& store, program::ClassId cls) const;
  [[nodiscard]] const std::vector<Store>& stores_of(std::string_view name) const;

  const program::Program& program_;
  const TestStandIns& stand_ins_;
  const std::vector<bool>& is_test_;
  TestObjects objects_;
  TestParameters parameters_;
  mutable std::unordered_map<std::uint32_t, std::vector<Asked>> asked_;                    ///< By call.
  mutable std::unordered_map<std::string_view, std::vector<Store>> stores_;                ///< By name.
  mutable std::unordered_map<std::uint32_t, std::vector<program::FunctionId>> spreading_;  ///< By class.
};

}  // namespace lockstep::report
