#include "report/source/class_members.h"

#include <algorithm>

#include "program/queries.h"

namespace lockstep::report {

bool has_own_member(const program::Program& program, program::ClassId cls, std::string_view name) {
  const program::Class& one = program.classes()[cls];
  return std::any_of(one.fields.begin(), one.fields.end(), [&](const auto& field) { return field.name == name; }) ||
         std::any_of(one.methods.begin(), one.methods.end(),
                     [&](program::FunctionId method) { return program.functions()[method].name == name; });
}

bool is_public_class(const program::Program& program, program::ClassId cls) {
  if (program::is_test_path(program.module_of(cls).path)) return false;
  for (program::ClassId at = cls; at.valid(); at = program.classes()[at].owner) {
    const program::Class& row = program.classes()[at];
    if (row.name.starts_with("_") || row.enclosing.valid()) return false;
  }
  return true;
}

}  // namespace lockstep::report
