// A new function that several changed functions call now: one story, told of it with who calls it and what these no
// longer do themselves, not once of each of them.
//   for peer in peers:                     # in four functions
//       dist.recv(tensor, peer)     ->     self._run_batched(tensors, peers)
#pragma once

#include <set>
#include <string>
#include <vector>

#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

/// What Story::helpers holds.
std::vector<NewHelper> new_helpers(const DocumentInputs& inputs, const std::vector<Actor>& actors);

/// The one that the function does nothing but to take up; null for others.
const NewHelper* helper_taken_by(const std::vector<NewHelper>& helpers, const Actor& actor);

/// Such a helper comes before the functions that do nothing but to take it up; of these the first stands for the
/// others.
void weigh_new_helpers(const std::vector<NewHelper>& helpers, std::vector<Actor>& actors);

/// "Called now by `f` (`a.py:3`) and `g` (`a.py:9`), which no longer call `dist.recv` or `dist.send` themselves. Each
/// of these calls stands where `x` is set."
std::string helper_words(const DocumentInputs& inputs, const NewHelper& helper);

/// The same behind a blank, of an actor that is such a helper; empty for others.
std::string words_as_helper(const DocumentInputs& inputs, const std::vector<NewHelper>& helpers, const Actor& actor);

/// "`g` (`a.py:9`) takes up `_run_batched` likewise." of the functions that do nothing else, without those that are
/// `shown`; empty where there are no others.
std::string other_takers_words(const DocumentInputs& inputs, const NewHelper& helper,
                               const std::set<const change::EntityChange*>& shown);

}  // namespace lockstep::report
