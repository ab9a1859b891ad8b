// The collective that a call comes to through calls of which it is known what they enter.
#pragma once

#include <optional>
#include <string_view>

#include "mesh/mesh.h"
#include "program/program.h"

namespace lockstep::report {

struct ReachedCollective {
  program::FunctionId function;        ///< That issues it.
  const python::Node* node = nullptr;  ///< The call there.
  std::string_view operation;          ///< "all_reduce"
};

/// The nearest one below a call, on which no argument that is handed on closes the way; nothing where only calls that
/// may enter several functions lead to one.
std::optional<ReachedCollective> collective_reached(const program::Program& program, const mesh::MeshAnalysis& mesh,
                                                    program::CallId call);

/// The same where the call may enter several functions, each of which can come to collectives: that of the first for
/// which one is known.
std::optional<ReachedCollective> collective_reached_by_any(const program::Program& program,
                                                           const mesh::MeshAnalysis& mesh, program::CallId call);

}  // namespace lockstep::report
