// What changed functions call, as drawings show it: which calls a change brings and takes out.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "change/earlier.h"
#include "report/story/story.h"

namespace lockstep::report {

struct DrawnCall {
  std::string label;
  std::string text;               ///< Of communication: the call as it is written.
  program::FunctionId function;   ///< Of the repository that is called; none for others.
  bool is_communication = false;  ///< Of a library: ranks meet, or send and receive.
  /// Of a call that may enter several functions: what is called, as it is written. Of more than two there is no label.
  std::string several;
  const mesh::CollectiveSite* site = nullptr;  ///< Of a collective.
  std::string_view method;                     ///< Of a call of a method of the repository: its name.
};

/// What a function calls.
struct DrawnCalls {
  std::vector<DrawnCall> calls;
  std::set<std::string_view>
      open;  ///< Names of methods that are called on what may be one of several, or is not known.
};

/// A call that a function does not make itself any more.
struct GoneCall {
  DrawnCall call;
  bool is_removed = false;     ///< The change takes out what was called.
  program::FunctionId helper;  ///< What the new version calls anew, and which makes the call; may be none.
  DrawnCall there;             ///< The helper's call.
};

class CallChanges {
 public:
  CallChanges(const DocumentInputs& inputs, const Story& story);

  /// Those of the old version with a label that the new version does not make itself, in the order of the code. A
  /// method that the other version calls on what may be of any class is neither gone nor new.
  [[nodiscard]] std::vector<GoneCall> gone(const change::EntityChange& entity) const;
  /// Those of the new version with a label that the old one did not make.
  [[nodiscard]] std::vector<DrawnCall> come(const change::EntityChange& entity) const;
  /// "removed call"; of what a helper does now that, too, and of communication that only has another group now that.
  /// Empty where the function itself goes.
  [[nodiscard]] std::string arrow_label(const GoneCall& gone, const change::EntityChange& entity) const;

 private:
  [[nodiscard]] const DrawnCalls& before(const change::EntityChange& entity) const;
  [[nodiscard]] const DrawnCalls& after(const change::EntityChange& entity) const;
  /// Whether both are one call, on the side before the change and on the one after it.
  [[nodiscard]] bool is_same(const DrawnCall& old_call, const DrawnCall& new_call) const;
  /// Whether the call of one version may be one of the other's: of a method on what may be of several classes there.
  [[nodiscard]] static bool may_be_made(const DrawnCall& call, const DrawnCalls& other);
  /// Whether the new version communicates in the same way, over another group.
  [[nodiscard]] bool has_other_group(const GoneCall& gone, const change::EntityChange& entity) const;
  /// Fills the helper, if there is one: it makes the same call, or issues the collective over the group that it is
  /// given. `fresh`: the calls that the new version brings.
  void find_helper(GoneCall& gone, const change::EntityChange& entity, const std::vector<DrawnCall>& fresh) const;

  const DocumentInputs& inputs_;
  const Story& story_;
  change::EarlierFunctions earlier_;
  mutable std::map<const change::EntityChange*, DrawnCalls> before_, after_;  ///< As far as asked for.
};

}  // namespace lockstep::report
