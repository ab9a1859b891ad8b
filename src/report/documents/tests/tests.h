// Which tests reach what changed, in words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Whether the way there runs through a function that is registered or handed on.
bool is_handed_on(const EntryPath& path);
/// Through what tests lead somewhere that may not lead there: a call of which another function may be the target, one
/// that is made for objects of a class alone, one that nobody sees (of a method of an object that a test makes).
std::string_view unsure_way(bool is_handed_on);

/// "`a`, `b` or `c`".
std::string unset_names(const std::vector<std::string>& settings);
/// One sentence on the tests of central[index]: at most `most` that reach it, nearest first; or that none does.
std::string tests_words(const DocumentInputs& inputs, const Story& story, std::size_t index, std::size_t most = 3);
/// Whether many tests may lead to central[index], none surely, and none that the change writes: the risks ask for one
/// instead of naming them.
bool may_be_tested_somewhere(const Story& story, std::size_t index);
/// The same behind the function's name; empty where there is none, or where a finding says that none reaches it. Where
/// a finding speaks of a branch of it: of the function as a whole.
std::string tests_item(const DocumentInputs& inputs, const Story& story, std::size_t index, std::size_t most = 3);
/// Of these settings those of which neither the code of a test nor a configuration of tests that the change adds or
/// edits has the name, as a name or as an option.
std::vector<const Flag*> unnamed_in_tests(const DocumentInputs& inputs, std::vector<const Flag*> flags);
/// Tests that the change adds or edits, as marked text with places, at most `limit`; and the first helpers of tests
/// that it edits.
std::vector<std::string> changed_tests(const DocumentInputs& inputs, const Story& story, std::size_t limit);

}  // namespace lockstep::report
