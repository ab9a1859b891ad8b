// Comments and docstrings of the after side -> the sentences among them that the change itself writes and that give
// reasons. A sentence counts as the change's own where a line of it is added and the old version did not say it.
// Quotes only; nothing is inferred.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/author/why.h"

namespace lockstep::report {

std::size_t words_in(std::string_view text);
/// The paragraphs' first `most_words` words, whole paragraphs as far as they fit; at least the first.
std::vector<std::string> condensed(std::vector<std::string> paragraphs, std::size_t most_words, bool& is_cut);

/// What docstrings of new functions and classes say must be, or what they are not meant for, with the sentence before:
/// at most `most`, of the weightiest.
std::vector<Saying> demands_in_docstrings(const DocumentInputs& inputs, const Story& story, std::size_t most);

/// What new module docstrings and documents, and docstrings and comments of the central entities say of reasons; what
/// says plainly why before the rest; at most `most`.
std::vector<Saying> reasons_in_sources(const DocumentInputs& inputs, const Story& story, std::size_t most);
/// What the documentation of new bases of central classes says of reasons, where the change left it as it was.
std::vector<Saying> reasons_of_bases(const DocumentInputs& inputs, const Story& story);
/// The comment that stood before the change right above a step which it adds or edits, or above the branch that the
/// step begins, where it says plainly why: of the first such step, of central functions before others.
std::vector<Saying> reasons_above_changes(const DocumentInputs& inputs, const Story& story);
/// What comments above changed steps, and the messages of new checks, say where nothing gives a reason.
std::vector<Saying> remarks_in_sources(const DocumentInputs& inputs, const Story& story, std::size_t most);
/// Where not even these say anything: the reason that a test of the change gives; else what its tests say that they
/// check.
std::vector<Saying> reasons_in_tests(const DocumentInputs& inputs, const Story& story);
std::vector<Saying> remarks_in_tests(const DocumentInputs& inputs, const Story& story, std::size_t most);

}  // namespace lockstep::report
