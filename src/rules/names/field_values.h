// What code gives to the fields of objects: `self.x = …` and values in class bodies, and what others store in them.
// Linked program in, expressions out.
//
// Left out: what `setattr` and tables of attributes set.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "program/program.h"

namespace lockstep::rules {

/// Finds the values of one program, which must outlive it.
class FieldValues {
 public:
  /// A value, and the function (or body of a module) that gives it. Null for what is no plain value (`for self.x in
  /// …`).
  struct Given {
    program::FunctionId by;
    const python::Expr* value = nullptr;
  };

  explicit FieldValues(const program::Program& program) : program_(program) {}

  /// What the body of the class and its own methods give the field.
  const std::vector<Given>& of(program::ClassId cls, std::string_view name);
  /// What code outside tests gives to a field of this name of objects that it does not call `self`.
  const std::vector<Given>& from_outside(std::string_view name);

 private:
  using ByName = std::unordered_map<std::string_view, std::vector<Given>>;

  const program::Program& program_;
  std::unordered_map<program::ClassId, ByName> by_class_;
  std::optional<ByName> from_outside_;
};

}  // namespace lockstep::rules
