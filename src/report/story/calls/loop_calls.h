// Calls that communicate, or make the host wait, and that a change takes out of a loop or puts into one: what is done
// once in place of once in each round. And calls that take the place of others so.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"
#include "report/story/wording/words.h"

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

/// ", once after the loop over `xs` and no longer in each pass of it" of an edit (kChanged) of the after side by which
/// a call takes the place of another one, where one of the two stands in a loop more than the other; empty for others.
std::string passes_words(const StepComparison& steps, std::size_t index);

/// ", once after the loop over `xs`, each pass of which called `f` before" of a new call right behind a loop that was
/// there, and that no longer holds a call which is more than a means; empty for others.
std::string behind_loop_words(const StepComparison& steps, std::size_t index, const WordsContext& before,
                              const WordsContext& after);

}  // namespace lockstep::report
