// One added, changed or removed step of a function -> its words, whether it is told for itself, under which conditions
// it stands, and how much it tells of the change.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Last names of functions, classes and variables that the change adds or alters, outside tests: a step that calls one
/// carries the change on.
struct ChangedNames {
  std::set<std::string, std::less<>> names;
  std::set<std::string> title;  ///< Beginnings of the words of the title.
  /// Names that the title writes as code does: `some_name`, `SomeName`.
  std::set<std::string> in_title;
};
ChangedNames changed_names(const DocumentInputs& inputs);
/// Whether the text has a name that the title has, written as code (`some_name`, `SomeName`).
bool names_what_title_names(const ChangedNames& names, std::string_view text);
/// Whether the source text calls one of these functions.
bool calls_one_of(const ChangedNames& names, std::string_view text);

/// How telling step `index` is, 0 most: communication, new steps that name what the title names, calls of changed code,
/// branches, then the rest; checks and imports last. `words` are what it does.
int rank_of(const std::vector<Step>& steps, std::size_t index, const SourceText& source, const std::string& words,
            const ChangedNames& names);

/// Whether a step that only works out locals does what counts by itself: it communicates, or calls code of the change.
bool tells_beyond_locals(const std::vector<Step>& steps, std::size_t index, const SourceText& source,
                         const std::string& words, const ChangedNames& names);

/// Whether all that differs is that a result is kept where it was returned at once: `return f(x)` is `r = f(x)`.
bool only_keeps_result(const Actor& actor, const Step& step);
/// `return x` where `x` keeps what the function returned before at once.
bool only_returns_kept_result(const Actor& actor, const Step& step);

/// Whether step `index` stands in a step of this status, so that it is told with that one.
bool is_inside_status(const std::vector<Step>& steps, std::size_t index, StepStatus status);
/// Whether the added or changed step `index` of the after side is told for itself.
bool is_told_alone(const std::vector<Step>& steps, std::size_t index);
/// What the added or changed step `index` does, with what it holds and with its `else:`; "moves … up" of one that only
/// stands elsewhere now.
std::string added_words(const Actor& actor, std::size_t index, const WordsContext& before, const WordsContext& after,
                        std::size_t most_nested);
/// The conditions and blocks around a step, innermost last: "x > 0", "else x > 0", "for a in b:".
std::vector<std::string> blocks_around(const std::vector<Step>& steps, std::size_t index, const SourceText& source);
/// " (moved here from `f`)" of a new check that another function of the change asked before; empty for others.
std::string moved_check_words(const DocumentInputs& inputs, const Actor& actor, std::size_t index);
/// "; formerly it did so when `a` is set" of a new branch or loop that does nothing but raise what the function raised
/// elsewhere; empty for others.
std::string former_refusals_words(const Actor& actor, std::size_t index);

/// The added calls of one function in the block of such a call ("add_argument" of many options): their indices, where
/// there are more than a few; empty for others.
std::vector<std::size_t> alike_calls(const Actor& actor, std::size_t index);
/// "adds 12 calls of `f`: with `a`, `b`, `c` and 9 others".
std::string alike_words(const Actor& actor, const std::vector<std::size_t>& calls);
/// Whether a new branch without `else` holds nothing but steps that stood in its place without it.
bool guards_what_was_there(const StepComparison& steps, std::size_t index);
/// Whether the step is a new `with` around nothing but steps that were there.
bool wraps_what_was_there(const std::vector<Step>& steps, std::size_t index);
/// `text` with the conditions under which it holds; those of the sentence before it are not repeated.
std::string with_condition(const std::string& text, const std::string& where, const std::string& previous);

}  // namespace lockstep::report
