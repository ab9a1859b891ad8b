// Code that goes over all fields of a dataclass: what meets a new field without naming it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "program/program.h"

namespace lockstep::report {

/// A call of dataclasses.fields, asdict or astuple.
struct FieldLoop {
  program::FunctionId function;  ///< That makes it; the module's body at top level.
  std::uint32_t line = 0;
  std::string_view kept_in;  ///< "x" where the statement keeps what it makes of them in `self.x`; empty elsewhere.
  std::vector<program::FunctionId> readers;  ///< Further methods of that class that read `self.x`.
};

/// The calls outside tests that go over the fields of one of `classes`, for each of these: they are given it, a class
/// derived from it, an object by an annotated parameter, or `self` or `cls` in one of these or in a base. By path and
/// line.
std::vector<std::vector<FieldLoop>> field_loops(const program::Program& program,
                                                std::span<const program::ClassId> classes);

}  // namespace lockstep::report
