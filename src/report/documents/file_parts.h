// Changed files in the documents: their order, the words for what they are and what became of them, and the lines
// that change in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/document.h"
#include "report/inputs.h"

namespace lockstep::report {

/// Files of the change, central ones first; each with its summary.
std::vector<const change::FileSummary*> files_in_order(const DocumentInputs& inputs);
/// "new", "modified", "deleted", "renamed", …
std::string_view kind_word(const repo::FileChange& file);
/// What kind of files changed where no code did: "documentation", "CI configuration".
std::string category_words(const change::Change& change);
std::string_view category_word(change::FileCategory category);

/// The lines that a change adds to and removes from a file, as a diff of at most `most_lines`.
CodeBlock file_excerpt(const change::FileSummary& file, std::size_t most_lines);

}  // namespace lockstep::report
