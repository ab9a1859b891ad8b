// Names that a change brings or takes away, and where they go: a field that one function fills and another reads, an
// argument that several hand on. What ties the pieces of a change together, in one sentence instead of one for each.
//
// Of Python code outside tests. Left out: names of functions, classes and settings, which are told elsewhere, and what
// only one definition knows.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

struct NameSentence {
  std::string text;
  std::vector<std::string> names;  ///< That it tells of.
  std::set<std::string> setters;   ///< Definitions (short names) of which it says to what constant they set it.
};

/// "`x` is new: a field of `A`; set to `0` in `f`; read in `h`." and "`y` is gone, formerly: …", at most `most` of
/// them, those that tie most definitions together first. A name is new if no Python file had the word before, and gone
/// if none has it after.
std::vector<NameSentence> name_sentences(const DocumentInputs& inputs, const Story& story, std::size_t most);

/// Whether all that a function newly does is to set names as these sentences say.
bool tells_all_of(const std::vector<NameSentence>& sentences, const DocumentInputs& inputs, const Actor& actor);

}  // namespace lockstep::report
