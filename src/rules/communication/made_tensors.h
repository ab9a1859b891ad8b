// How many elements a new tensor has, and of which type, as far as the call that makes it says:
// `torch.zeros(size, 4, dtype=torch.int64).cuda()`.
//
// Left out: tensors made of other tensors, shapes held in a variable, types that are no `torch.…` by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"

namespace lockstep::rules {

struct MadeTensor {
  std::uint64_t number = 1;             ///< Product of the dimensions that are numbers.
  std::vector<std::string> dimensions;  ///< The others, as they are written; sorted.
  bool may_be_more = false;             ///< `[a, b]`: each may be a list itself.
  std::string_view type;                ///< "int64"; empty where it is not said.

  [[nodiscard]] bool operator==(const MadeTensor&) const = default;
};

/// What the expression makes, seen from `function`; nullopt where it is no call that says so.
std::optional<MadeTensor> made_tensor(const program::Program& program, program::FunctionId function,
                                      const python::Expr& expression);

/// How two tensors differ.
struct Unlike {
  bool is_certain = false;  ///< False where a dimension that one has may be 1.
  std::string one, other;   ///< "3 elements", "`torch.int64`", "the dimension `n`".
};

/// Nullopt where they are alike, or may be. Types of one width without fractions are alike: their bits mean the same.
std::optional<Unlike> difference(const MadeTensor& one, const MadeTensor& other);

}  // namespace lockstep::rules
