// One place that reads a value -> what it does with it: hands it on, keeps it, or decides by it. By the syntax around
// the place alone; what is only written into texts, logs and errors decides nothing.
#pragma once

#include <string_view>
#include <vector>

#include "python/tree.h"

namespace lockstep::report {

struct ValueUse {
  enum class Kind : std::uint8_t {
    kNothing,
    kHandsOn,     ///< `call` gets it as it is.
    kKeeps,       ///< `statement` gives it, as it is, to `target`.
    kBranch,      ///< The condition of an `if` or `while`.
    kChoice,      ///< Of a value: `a if x else b`, `x and b`, `x == b`, `x or b`.
    kCheck,       ///< An `assert`.
    kArithmetic,  ///< It is reckoned with, or indexed with.
  };
  Kind kind = Kind::kNothing;
  const python::Stmt* statement = nullptr;   ///< Innermost.
  const python::Expr* expression = nullptr;  ///< The condition; what is chosen or reckoned.
  const python::Call* call = nullptr;
  const python::Expr* argument = nullptr;  ///< Of the call.
  const python::Expr* target = nullptr;
};

/// What is done with `read`, which stands below `parents`, the innermost last.
ValueUse use_of(const python::Expr& read, const std::vector<const python::Node*>& parents);

/// 1 for a condition that holds where `name` is None (`x is None`, `not x`), -1 for one that holds where it is not, 0
/// for others.
int asks_for_none(const python::Expr& condition, std::string_view name);

/// Where a statement of the function gives the name another value first; UINT32_MAX where none does, 0 where that is
/// not worked out. `keeps_given`: not counting what is done only where the name is None.
std::uint32_t first_binding(const python::FunctionDef& def, std::string_view name, bool keeps_given = false);

/// What a branch comes to.
struct BranchEffect {
  /// 0: nothing but logs; 1: refuses, or names; 2: sets, calls, returns; 3: reckons, or gathers in what was there.
  int rank = 0;
  /// The most telling statement of the branch itself; a block in it where all that counts stands in blocks.
  const python::Stmt* first = nullptr;
  std::size_t others = 0;  ///< Simple statements that count beside it.
};
BranchEffect effect_of(python::Seq<python::Stmt> branch);

/// The statement; of one with a block its first line, up to the block.
Span header_of(const python::Stmt& statement);

}  // namespace lockstep::report
