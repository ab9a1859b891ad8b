// Versions of local variables while a function is lowered: the current version of each variable, and what happens to
// versions where control flow splits and meets.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "program/flow/code.h"

namespace lockstep::program::flow {

/// A variable of the function being lowered (its own, or one of a class body or comprehension inside it).
using VariableId = std::uint32_t;
inline constexpr VariableId kNoVariable = kNone;

struct Variable {
  Slot current = 0;            ///< 0: not bound yet.
  Slot cell = 0;               ///< What nested functions read; 0 while none does.
  std::uint32_t bound_at = 0;  ///< Moment (Variables::moment) of the current version.
  bool is_shared = false;      ///< Assigned by other functions too (global, nonlocal): reads see the cell.
  /// `x: T`, seen so far: what is assigned later has that type as well. Null where there is none.
  const python::Expr* annotation = nullptr;
};

/// What one branch did: variables it changed with their version at its end.
struct Branch {
  std::vector<std::pair<VariableId, Slot>> changes;
  bool is_dead = false;  ///< Ends in return, raise, break or continue.
};

class Variables {
 public:
  VariableId add() {
    all_.emplace_back();
    return static_cast<VariableId>(all_.size() - 1);
  }
  [[nodiscard]] Variable& operator[](VariableId id) { return all_[id]; }
  [[nodiscard]] const Variable& operator[](VariableId id) const { return all_[id]; }

  void set(VariableId id, Slot version) {
    log_.emplace_back(id, all_[id].current);
    all_[id].current = version;
    all_[id].bound_at = ++moment_;
  }

  [[nodiscard]] std::size_t mark() const { return log_.size(); }
  [[nodiscard]] std::uint32_t moment() { return ++moment_; }

  /// Ends a branch begun at `mark`: reports its changes and goes back to the state before it.
  Branch take_back(std::size_t mark, bool is_dead);

  /// All versions that variables had since `mark`, the one before it included: (variable, version), sorted.
  [[nodiscard]] std::vector<std::pair<VariableId, Slot>> versions_since(std::size_t mark) const;

 private:
  std::vector<Variable> all_;
  std::vector<std::pair<VariableId, Slot>> log_;  ///< (variable, version before the change)
  std::uint32_t moment_ = 0;
};

}  // namespace lockstep::program::flow
