// What tests put a stand-in for: `monkeypatch.setattr(lib, "f", …)`, `mock.patch("lib.f")`, `lib.f = stub`. What calls
// the name in such a test runs the stand-in. Read off the tests' own code and that of the fixtures and helpers in test
// files.
#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "program/program.h"

namespace lockstep::report {

/// A name that a function of the tests binds to something else.
struct Replacement {
  std::string_view name;
  program::ModuleId module;  ///< That holds the name; none of a class's or an object's attribute.
  program::ClassId cls;      ///< That holds it; none of a module's. Neither: of an object of which nothing is known.
  bool is_sure = true;       ///< Not under a condition, and what was there is not kept to be called all the same.
  /// Where in the function that binds it: from the place on, a `with` block, or all of it.
  Span scope;
  Span text;  ///< Of the call or statement that binds it.

  auto operator<=>(const Replacement& other) const {
    return std::tuple(module.value, cls.value, name, is_sure) <=>
           std::tuple(other.module.value, other.cls.value, other.name, other.is_sure);
  }
  bool operator==(const Replacement& other) const { return (*this <=> other) == 0; }
};

enum class Replaced : std::uint8_t { kNo, kMaybe, kSurely };

class TestReplacements {
 public:
  explicit TestReplacements(const program::Program& program) : program_(program) {}

  /// Those in the code and the decorators of one function of a test file.
  const std::vector<Replacement>& of(program::FunctionId function) const;
  /// Whether, while `replacement` holds, `call` runs a stand-in instead of `callee`.
  [[nodiscard]] Replaced effect(const Replacement& replacement, program::CallId call, program::FunctionId callee) const;

 private:
  void read(program::FunctionId function, std::vector<Replacement>& out) const;

  const program::Program& program_;
  mutable std::unordered_map<std::uint32_t, std::vector<Replacement>> known_;
};

}  // namespace lockstep::report
