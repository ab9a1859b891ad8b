// Changed functions -> which CUDA stream waits for which stream or event in them, before and after the change. What
// overlaps, and what must not, follows from these orders alone.
//
// Left out: waits of the host (costs), streams that only run something, and orders in functions that do not change.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// One order, and where it holds.
struct StreamOrder {
  std::string words;                ///< Marked text: "the current stream waits for `allgather_stream`".
  std::vector<std::string> before;  ///< Marked names of the functions, with their conditions, in the order of weight.
  std::vector<std::string> after;
};

/// Those that hold in other functions, or under other conditions, than before: at most `most`; empty where one alone
/// differs, which the steps tell, and where the change adds or removes all these functions, whose code shows them.
std::vector<StreamOrder> changed_stream_orders(const DocumentInputs& inputs, const Story& story, std::size_t most);

}  // namespace lockstep::report
