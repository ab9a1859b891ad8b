// What a new call costs below it: collectives, waits of the host and allocations of the functions that it enters, a few
// calls deep. What any changed function came to before the change is not new: calls move between them; nor what the
// methods did come to of a class in whose place a new one stands (replaced_classes.h). In a function of
// a training step what the others came to outside one is new.
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

  /// What `call`, one that the change adds, surely leads to. Functions are followed once. `trains`: the call stands in
  /// a training step, which does not come to what is asked whether it is for inference.
  std::vector<EnteredWork> of(const python::Call& call, bool trains);

  /// Whether the function is one that methods came to before in whose place new ones stand (replaced_classes.h).
  [[nodiscard]] bool is_of_replaced(program::FunctionId function) const;

  /// "`callback()` (place) calls what it gets from an attribute, which was not followed; `setattr(…)` (place) sets it":
  /// the first such call in what was followed; empty where there is none.
  [[nodiscard]] const std::string& not_followed() const { return not_followed_; }

  /// How many functions were looked at so far.
  [[nodiscard]] std::size_t followed() const { return followed_; }

 private:
  /// A function below the new call.
  struct Entered {
    program::FunctionId function;
    int depth = 0;
    bool is_backward = false;  ///< A backward pass runs it.
    bool is_conditional = false;
    program::ClassId self;  ///< Of the object on which it runs; none: not known.
    BoundArguments known;   ///< What the calls on the way give it.
  };
  /// `through`: the new call.
  void look_at(program::CallId through, const Entered& at, bool trains, std::vector<EnteredWork>& out) const;
  /// Whether nothing on the way comes to a place of the function.
  [[nodiscard]] bool is_shut(const Entered& at, Span place, bool trains) const;
  /// The class of the object on which the call runs what it enters, where it is that on which its own function runs.
  [[nodiscard]] program::ClassId kept_self(program::CallId call, program::ClassId self) const;

  const DocumentInputs& inputs_;
  /// Whether what the function does is no news of a call in a training step, or of one elsewhere.
  [[nodiscard]] bool is_known(std::string_view qualified_name, bool trains) const;

  std::set<std::string_view> known_;          ///< Qualified names of what changed functions came to before.
  std::set<std::string_view> of_replaced_;    ///< Of these what methods in whose place new ones stand did.
  std::set<std::string_view> known_in_step_;  ///< Of these what those in a training step did, where there are any.
  std::set<std::uint32_t> seen_;
  std::size_t followed_ = 0;
  std::string not_followed_;
};

}  // namespace lockstep::report
