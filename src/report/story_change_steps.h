// One added, changed or removed step of a function -> its words, whether it is told for itself, under which conditions
// it stands, and how much it tells of the change.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "report/story.h"

namespace lockstep::report {

/// Last names of functions, classes and variables that the change adds or alters, outside tests: a step that calls one
/// carries the change on.
struct ChangedNames {
  std::set<std::string, std::less<>> names;
  std::set<std::string> title;  ///< Beginnings of the words of the title.
};
ChangedNames changed_names(const DocumentInputs& inputs);

/// "hands 7 steps over to `f` and `g`" of the removed steps that other functions gain; empty where there are too few.
std::string hand_over_words(const DocumentInputs& inputs, const Actor& actor);
/// Whether step `index` of the before side, with all inside it, stands elsewhere now: in this function or another.
bool is_elsewhere(const std::vector<Step>& steps, std::size_t index);

/// How telling step `index` is, 0 most: communication, calls of changed code, branches, then the rest; checks and
/// imports last. `words` are what it does.
int rank_of(const std::vector<Step>& steps, std::size_t index, const SourceText& source, const std::string& words,
            const ChangedNames& names);

/// Whether step `index` stands in a step of this status, so that it is told with that one.
bool is_inside_status(const std::vector<Step>& steps, std::size_t index, StepStatus status);
/// Whether the added or changed step `index` of the after side is told for itself.
bool is_told_alone(const std::vector<Step>& steps, std::size_t index);
/// What the added or changed step `index` does, with what it holds and with its `else:`; "moves … up" of one that only
/// stands elsewhere now.
std::string added_words(const Actor& actor, std::size_t index, const WordsContext& before, const WordsContext& after,
                        std::size_t most_nested);
/// What the removed step `index` did, as gone: "no longer calls `f`", "drops the branch when …"; may be empty.
std::string removal_words(const std::vector<Step>& steps, std::size_t index, const WordsContext& context);
/// `text` with the conditions under which it holds; those of the sentence before it are not repeated.
std::string with_condition(const std::string& text, const std::string& where, const std::string& previous);

}  // namespace lockstep::report
