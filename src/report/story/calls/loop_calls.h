// Calls that communicate, or make the host wait, and that a change takes out of a loop or puts into one: what is done
// once in place of once in each round.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

struct LoopCall {
  std::string name;     ///< Marked text of what is called.
  bool leaves = false;  ///< The old version called it in a loop and the new one does not; else the other way round.
  std::string loop;     ///< Marked text of the new loop, " (`for x in xs`)"; empty where it leaves one.
};

/// Of a function that was there before, in the order of its lines.
std::vector<LoopCall> loop_calls(const DocumentInputs& inputs, const Actor& actor);

/// "calls `f` in no loop any more"; empty where there are none.
std::string loop_words(const DocumentInputs& inputs, const Actor& actor);

}  // namespace lockstep::report
