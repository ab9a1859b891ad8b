// What tests put a stand-in for: `monkeypatch.setattr(lib, "f", …)`, `mock.patch("lib.f")`, `lib.f = stub`. What calls
// the name in such a test runs the stand-in. Read off the tests' own code and that of the fixtures and helpers in test
// files.
#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "program/program.h"

namespace lockstep::report {

/// A name that a function of the tests binds to something else.
struct Replacement {
  std::string_view name;
  program::ModuleId module;  ///< That holds the name; none of a class's or an object's attribute.
  program::ClassId cls;      ///< That holds it; none of a module's. Neither: of an object of which nothing is known.
  bool is_sure = true;       ///< Not under a condition, and what was there is not kept to be called all the same.
  program::FunctionId by;    ///< That binds it.
  /// Where in `by`: from the place on until it is undone, a `with` block, or all of it.
  Span scope;
  bool is_lasting = false;  ///< Holds on in what called `by`: not a decorator's, nor one of a block that has ended.
  Span text;                ///< The name where the call or statement gives it.

  auto operator<=>(const Replacement& other) const {
    return std::tuple(module.value, cls.value, name, is_sure) <=>
           std::tuple(other.module.value, other.cls.value, other.name, other.is_sure);
  }
  bool operator==(const Replacement& other) const { return (*this <=> other) == 0; }
};

enum class Replaced : std::uint8_t { kNo, kMaybe, kSurely };

/// Whether a value can be called by nobody: `True`, `None`, a number, a text. Where one is stored on an object of which
/// nothing is known, that is a setting, and no stand-in of a function of that name.
bool is_plain_constant(const python::Expr& value);

class TestReplacements {
 public:
  /// What holds a name: a module or a class; neither where nothing is known of it.
  struct Holder {
    program::ModuleId module;
    program::ClassId cls;
  };

  explicit TestReplacements(const program::Program& program) : program_(program) {}

  /// Those in the code and the decorators of one function of a test file.
  const std::vector<Replacement>& of(program::FunctionId function) const;
  /// Whether, while `replacement` holds, `call` runs a stand-in instead of `callee`.
  [[nodiscard]] Replaced effect(const Replacement& replacement, program::CallId call, program::FunctionId callee) const;

 private:
  void read(program::FunctionId function, std::vector<Replacement>& out) const;
  /// Whether what stands in for a name may be what it stands in for, or call it.
  [[nodiscard]] bool may_run(program::FunctionId function, const python::Expr& stand_in, const Holder& holder,
                             std::string_view name) const;

  const program::Program& program_;
  mutable std::unordered_map<std::uint32_t, std::vector<Replacement>> known_;
  mutable std::unordered_map<std::uint32_t, std::unordered_set<std::uint32_t>> reaching_;  ///< Of what is replaced.
};

}  // namespace lockstep::report
