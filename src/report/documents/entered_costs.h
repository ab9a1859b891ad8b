// What a new call costs below it: collectives, waits of the host and allocations of the functions that it enters, a few
// calls deep. What any changed function came to before the change is not new: calls move between them. Where functions
// of a training step change, what the others came to outside one is new in it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "report/source/bound_arguments.h"
#include "report/story/story.h"

namespace lockstep::report {

/// Work that a new call leads to.
struct EnteredWork {
  enum class Kind : unsigned char { kCollective, kHostSync, kAllocation };
  Kind kind = Kind::kAllocation;
  std::string words;            ///< Marked: the call that does it, or the collective with its group.
  std::string where;            ///< Marked place of it.
  program::FunctionId in;       ///< The function that does it.
  bool is_conditional = false;  ///< Somewhere below the new call a condition is asked first.
};

/// Whether the function is decorated to keep what it returned (`functools.lru_cache`): what it does once for each of
/// its arguments is no work of every step.
bool keeps_results(const program::Program& program, program::FunctionId function);

/// For one change, call by call.
class EnteredCosts {
 public:
  EnteredCosts(const DocumentInputs& inputs, const Story& story);

  /// What `call`, one that the change adds, surely leads to. Functions are followed once.
  std::vector<EnteredWork> of(const python::Call& call);

  /// How many functions were looked at so far.
  [[nodiscard]] std::size_t followed() const { return followed_; }

 private:
  /// `through`: the new call; `is_backward`: a backward pass runs it; `known`: what the calls on the way give the
  /// function.
  void look_at(program::CallId through, program::FunctionId function, bool is_backward, bool is_conditional,
               const BoundArguments& known, std::vector<EnteredWork>& out) const;

  const DocumentInputs& inputs_;
  /// Qualified names of what changed functions, of these in a training step where there are any, came to before.
  std::set<std::string_view> known_;
  std::set<std::uint32_t> seen_;
  std::size_t followed_ = 0;
};

}  // namespace lockstep::report
