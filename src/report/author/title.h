// Which changed definition a change's title speaks of.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// "#123" of a title that ends in "(#123)" or holds it; empty where it holds none.
std::string_view number_in(std::string_view title);
/// Whether the name holds a word of the title that titles do not say of any change.
bool shares_words(std::string_view title, std::string_view name);
/// Those of its words that tell what happens: of five letters and more, none that titles say of any change, and none
/// that the name or the path of a changed definition outside tests has, for such words are all over the change.
std::set<std::string> telling_title_words(const DocumentInputs& inputs, const Story& story);
/// How many of the words the text has, whatever their endings.
std::size_t count_held(const std::set<std::string>& words, std::string_view text);

/// The changed function that holds words of the title which few others of the change hold, in its name, its docstring
/// or its new code, and clearly more of them than the heaviest does, becomes the heaviest: what a title names carries
/// the change, however much else had to follow. Trifles do not.
void weigh_title(const DocumentInputs& inputs, std::vector<Actor>& actors);

/// What the title writes as code does becomes the heaviest: a function, a class by its methods, or the function of
/// which new code names it where the heaviest has nothing to do with it. Else a new function or class whose name is
/// made of the title's words, and that new code of another file uses: it is what the title says that the change adds.
void weigh_named_in_title(const DocumentInputs& inputs, std::vector<Actor>& actors);

/// Where the title says that something goes ("Prevent X from running with Y"), the changed function of which the lines
/// that go speak of it becomes the heaviest, however much else came.
void weigh_removal(const DocumentInputs& inputs, std::vector<Actor>& actors);

}  // namespace lockstep::report
