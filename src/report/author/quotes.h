// Comments and docstrings of the after side -> the sentences among them that the change itself writes and that give
// reasons. A sentence counts as the change's own where a line of it is added and the old version did not say it.
// Quotes only; nothing is inferred.
#pragma once

#include <vector>

#include "report/author/why.h"

namespace lockstep::report {

/// What docstrings of new functions and classes say must be, or what they are not meant for, with the sentence before:
/// at most `most`, of the weightiest.
std::vector<Saying> demands_in_docstrings(const DocumentInputs& inputs, const Story& story, std::size_t most);

/// What new module docstrings and documents, and docstrings and comments of the central entities say of reasons; what
/// says plainly why before the rest; at most `most`.
std::vector<Saying> reasons_in_sources(const DocumentInputs& inputs, const Story& story, std::size_t most);
/// What comments above changed steps, and the messages of new checks, say where nothing gives a reason.
std::vector<Saying> remarks_in_sources(const DocumentInputs& inputs, const Story& story, std::size_t most);
/// Where not even these say anything: the reason that a test of the change gives; else what its tests say that they
/// check.
std::vector<Saying> reasons_in_tests(const DocumentInputs& inputs, const Story& story);
std::vector<Saying> remarks_in_tests(const DocumentInputs& inputs, const Story& story, std::size_t most);

}  // namespace lockstep::report
