// A large change -> its parts: files that belong together by folder, each with what changed most in it, the weightiest
// first; and files that change alike as one line.
#pragma once

#include <string>
#include <vector>

#include "report/document.h"
#include "report/story/story.h"

namespace lockstep::report {

/// Files whose change reads the same and which are of one kind; the first stands for them.
struct AlikeFiles {
  std::vector<const change::FileSummary*> files;
  std::size_t lines_added = 0;
  std::size_t lines_removed = 0;
};

/// In the order of `files`, by first member.
std::vector<AlikeFiles> alike(const std::vector<const change::FileSummary*>& files);
/// "`a/b.yaml`" or "`a/b.yaml`, `a/c.yaml` and 12 more files".
std::string alike_names(const AlikeFiles& group, std::size_t most);

/// Those with the most files first.
std::vector<AlikeFiles> largest_first(std::vector<AlikeFiles> groups);
/// One item a group, the largest first: names, kind, lines, what changes.
std::vector<std::string> alike_items(const std::vector<const change::FileSummary*>& files, std::size_t most);

/// Whether a change is told in parts: more files than a reader keeps in mind.
bool is_told_in_parts(const DocumentInputs& inputs);
/// One item a part: folder, size, what changed most there. The weightiest first, tests last. `told`: items that stand
/// before them; of what these tell nothing is told again. `in_short`: definitions of the first part that are told in a
/// line each; of others two at most, of tests one.
std::vector<std::string> part_items(const DocumentInputs& inputs, const Story& story, std::size_t most,
                                    std::size_t in_short = 1, const std::vector<std::string>& told = {});

}  // namespace lockstep::report
