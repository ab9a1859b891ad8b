// What of a change is in use: new definitions that no code outside tests names yet, and functions whose last call the
// change takes out. By names, in Python code, so that a table, a registry or a callback counts as a use.
//
// Left out: names that are put together at run time, and configuration files.
#pragma once

#include <set>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

struct UseOfChange {
  /// New functions and classes of module level that no code outside tests names, but the others of them.
  std::set<const change::EntityChange*> unnamed;
  std::vector<LastCall> last_calls;
};
UseOfChange use_of_change(const DocumentInputs& inputs);

/// Fills Actor::is_unnamed and loses_last_call, and Story::last_calls.
void find_use(const DocumentInputs& inputs, Story& story);

/// What runs leads: of new definitions that nothing names yet, of functions that nothing calls any more and of code
/// that only moved to a function of its own each weighs less than the heaviest that does more.
void weigh_use(std::vector<Actor>& actors);

/// "No Python code outside tests names the new `A` and `B` yet." and "The change takes out the last call of `f`: …";
/// empty where neither is so.
std::vector<std::string> use_sentences(const DocumentInputs& inputs, const Story& story);

/// The same of one actor, for where its way is told: empty where it is in use, or where that is not known.
std::string use_of_actor(const DocumentInputs& inputs, const Story& story, const Actor& actor);

}  // namespace lockstep::report
