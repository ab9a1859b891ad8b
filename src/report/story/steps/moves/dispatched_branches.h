// Branches of a choice that functions do now which a call enters as a table says: `if kind == Kind.START: …` became
// `HANDLERS[kind](message)`, with `@handler(Kind.START)` over the function that does what the branch did.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "report/story/steps/moves/alignment.h"
#include "report/story/steps/moves/holders.h"

namespace lockstep::report {

/// A branch of the version before that a new function does now, one of those that a call enters as a table says.
struct DispatchedBranch {
  std::size_t head = 0;  ///< Of the before side's steps.
  std::size_t end = 0;   ///< Behind its last step.
  const Holder* holder = nullptr;
  bool is_keyed = false;                ///< The function is registered for what the branch asks.
  std::vector<std::size_t> taken = {};  ///< Of the holder's after side: what came from here.
};

class DispatchedBranches {
 public:
  /// Finds those of `from`. Its words change where what was a local of it is an attribute of its object now, and
  /// steps that set such a local have an `elsewhere` then.
  DispatchedBranches(const DocumentInputs& inputs, const Holders& holders, LosingFunction& from,
                     ComparisonBudget& budget);

  /// The one that the holder does; null where there is none.
  [[nodiscard]] const DispatchedBranch* of(const Holder* holder) const;
  /// Notes that a step of the holder came from its branch.
  void note_taken(const Holder* holder, std::size_t there);
  /// Once all is compared: the heads of branches of which enough went to their function go with them; there it came
  /// from here.
  void move_heads(std::vector<Actor>& actors);

 private:
  void find();
  [[nodiscard]] std::map<std::string, const change::EntityChange*> kept_locals() const;
  [[nodiscard]] std::vector<DispatchedBranch> pair_branches(const std::vector<Span>& branches,
                                                            const std::vector<const Connection*>& ways);
  void move_repeated(const DispatchedBranch& branch);

  const DocumentInputs& inputs_;
  const Holders& holders_;
  LosingFunction& from_;
  ComparisonBudget& budget_;
  std::vector<DispatchedBranch> dispatched_;
};

}  // namespace lockstep::report
