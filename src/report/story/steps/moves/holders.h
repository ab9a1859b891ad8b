// Which functions gain steps, and how a run gets to them from a function that loses some.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "report/inputs.h"
#include "report/story/steps/moves/moving_steps.h"

namespace lockstep::report {

/// Whether the actor is a function outside tests of which a side has steps.
bool is_changed_code(const Actor& actor);

class Holders {
 public:
  Holders(const DocumentInputs& inputs, const std::vector<Actor>& actors);

  /// Those that `from` leads to or is led to from: its calls first, in their order, then what calls it, then what it
  /// reaches through new functions, then new functions that no call was found to lead to.
  [[nodiscard]] std::vector<Connection> connections_of(const LosingFunction& from) const;

  /// All of them, by their function on the after side.
  [[nodiscard]] const std::map<program::FunctionId, Holder>& all() const { return holders_; }

 private:
  [[nodiscard]] const Holder* holder_of(program::FunctionId function) const;
  [[nodiscard]] const python::Call* table_call(const LosingFunction& from, const Holder& holder) const;

  const DocumentInputs& inputs_;
  std::map<program::FunctionId, Holder> holders_;
  std::set<program::FunctionId> added_;
};

}  // namespace lockstep::report
