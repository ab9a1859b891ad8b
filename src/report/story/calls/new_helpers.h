// A new function that several changed functions call now: one story, told of it with who calls it and what these no
// longer do themselves, not once of each of them.
//   for peer in peers:                     # in four functions
//       dist.recv(tensor, peer)     ->     self._run_batched(tensors, peers)
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

/// A changed function that calls the new one.
struct HelperTaker {
  const Actor* actor = nullptr;
  std::uint32_t line = 0;   ///< Of its first call of it, from 0.
  bool only_takes = false;  ///< Nothing else changes in it but messages and the place of its statements.
};

struct NewHelper {
  const Actor* helper = nullptr;
  std::vector<HelperTaker> takers;    ///< By path and line; two at least.
  bool has_others = false;            ///< Other functions outside tests call it, too.
  std::vector<std::string> given_up;  ///< What each of them called, or one of which each did, and none calls any more.
  bool does_it = false;               ///< It does so itself, or communicates in place of that.
  bool left_loops = false;            ///< All that they called so stood in loops.
  std::string where;  ///< The conditions around each call of it, where all stand under the same; marked.
};

/// Without functions that have code of their callers: that is told as moved.
std::vector<NewHelper> new_helpers(const DocumentInputs& inputs, const std::vector<Actor>& actors);

/// The one that the function does nothing but to take up; null for others.
const NewHelper* helper_taken_by(const std::vector<NewHelper>& helpers, const Actor& actor);

/// Such a helper comes before the functions that do nothing but to take it up; of these the first stands for the
/// others.
void weigh_new_helpers(const DocumentInputs& inputs, std::vector<Actor>& actors);

/// "Called now by `f` (`a.py:3`) and `g` (`a.py:9`), which no longer call `dist.recv` or `dist.send` themselves. Each
/// of these calls stands where `x` is set."
std::string helper_words(const DocumentInputs& inputs, const NewHelper& helper);

/// The same behind a blank, of an actor that is such a helper; empty for others.
std::string words_as_helper(const DocumentInputs& inputs, const std::vector<NewHelper>& helpers, const Actor& actor);

/// "`g` (`a.py:9`) takes up `_run_batched` likewise." of the functions that do nothing else, without those that are
/// `shown`; empty where there are no others.
std::string other_takers_words(const DocumentInputs& inputs, const NewHelper& helper,
                               const std::set<const Actor*>& shown);

}  // namespace lockstep::report
