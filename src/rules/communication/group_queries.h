// Ranks and sizes of process groups as one function asks for them: `get_tensor_model_parallel_rank()`,
// `self.dp_group.size()`, `dist.get_rank(group=tp_group)` -> which, and over which mesh dimensions. By names alone
// (mesh/dimensions.h); local variables with one assignment are followed.
//
// Left out: groups that come in as parameters without a telling name, and names that say "part of a group".
#pragma once

#include <optional>
#include <string>

#include "mesh/dimensions.h"
#include "program/program.h"

namespace lockstep::rules {

/// A query of the own rank in a group, or of its size.
struct GroupQuery {
  enum class Kind : std::uint8_t { kRank, kSize } kind = Kind::kRank;
  mesh::Bits dimensions = 0;
};

class GroupQueries {
 public:
  GroupQueries(const program::Program& program, program::FunctionId function)
      : program_(program), function_(function) {}

  /// Nullopt where the expression is no such query, or its group is not known.
  [[nodiscard]] std::optional<GroupQuery> of(const python::Expr& expression) const;
  /// Dimensions that a group expression spans; nullopt where that is not known.
  [[nodiscard]] std::optional<mesh::Bits> group(const python::Expr& expression) const;
  /// "tp", "dp and cp".
  [[nodiscard]] std::string describe(mesh::Bits dimensions) const { return table_.describe(dimensions); }
  /// The value of the only assignment to a local name; null where there are others or none.
  [[nodiscard]] const python::Expr* only_value(const python::Expr& name) const;

 private:
  [[nodiscard]] std::optional<mesh::Bits> named_by_call(std::string_view name, const python::Call& call) const;

  const program::Program& program_;
  const program::FunctionId function_;
  mesh::DimensionTable table_;
};

}  // namespace lockstep::rules
