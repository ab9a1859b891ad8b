// Steps of all functions of a change laid beside one another: code and checks that one function leaves to another, and
// steps in which nothing differs but a name that the change gives anew (`self.total_count` that everywhere became
// `self.pool_size`): what runs is the same there.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Sets Step::elsewhere: a step that one function loses and one other gains went there; code is handed over, not
/// dropped and written anew. And Actor::extracted_from of a new function that is made of such steps.
void match_hand_overs(std::vector<Actor>& actors);
/// The same of a check (an assertion, a branch that only raises) that goes, where one new check has its message.
void match_checks(std::vector<Actor>& actors);
/// The same of an early way out (`if not self.enable: return`) that goes, where all functions outside tests that call
/// this one ask the same anew before they do: a method of the base class, say, that asks once for all overrides of a
/// hook.
void match_guards(const program::Program& after, std::vector<Actor>& actors);
/// Sets Step::taken_from of what functions of which nothing is left did before, checks above all.
void match_taken_over(std::vector<Actor>& actors);
/// The same of a check that comes, where one function of the change loses the check with its message.
void match_moved_checks(std::vector<Actor>& actors);

/// Sets Step::renames of both sides. An attribute counts as given another name if `self.old = x` became `self.new = x`,
/// if the old name stands nowhere in the touched functions' files any more and the new one stood nowhere in them
/// before. A local variable does if `old = x` became `new = x` and the function uses either name on one side only. Of a
/// definition that the change calls otherwise all uses do (definition_names.h).
void mark_renames(const DocumentInputs& inputs, std::vector<Actor>& actors);

/// Sets Step::renames, too, of steps in which nothing differs but that a local stands for a value that the other side
/// writes out, or the other way round: `if should_log:` behind `should_log = self.log(step)` asks what `if
/// self.log(step):` asked.
void mark_hoisted(const DocumentInputs& inputs, std::vector<Actor>& actors);

/// "follows the new name `pool_size` of `total_count`", for what the function's steps rename; empty where none does.
std::string rename_words(const Actor& actor);

}  // namespace lockstep::report
