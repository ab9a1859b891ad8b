// What became of the commits that a change's message says it takes back or brings again.
#pragma once

#include <string>
#include <vector>

#include "repo/change_spec.h"
#include "report/document.h"

namespace lockstep::report {

/// "The change takes back `1a2b3c4` “Title” (2026-01-28), line for line." of each such commit, in marked text.
std::vector<std::string> named_commit_sentences(const std::vector<repo::NamedCommit>& named);

/// Whether it is the heading below which a document says why the change was made.
bool begins_why(const Block& block);

/// Puts these sentences where the document begins to say why the change was made; nowhere else.
void tell_named_commits(const std::vector<repo::NamedCommit>& named, Document& document);

}  // namespace lockstep::report
