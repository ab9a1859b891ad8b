// A change without Python definitions -> what the documents tell of it: workflows with what starts them and their jobs,
// sections of documents with their first sentences, which kinds of files can reach a run; drawings of jobs and
// sections.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/diagram.h"
#include "report/document.h"
#include "report/inputs.h"

namespace lockstep::report {

/// Jobs of the changed workflows on both sides, with what starts them, waits for what and calls what; else the changed
/// sections of documents. None where neither is in the change.
std::optional<Diagram> files_picture(const DocumentInputs& inputs);
/// What that drawing shows, as a caption.
std::string files_picture_caption(const DocumentInputs& inputs);

/// "`a.yml` is started by `push` to `main`; job `x` of `b.yml` calls it.": one item a changed workflow.
std::vector<std::string> workflow_starts(const DocumentInputs& inputs);

/// A table of the new and changed jobs of a workflow, or sections of a document; empty for other files.
struct FileTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};
FileTable file_table(const DocumentInputs& inputs, const change::FileSummary& file, std::size_t most_rows);

/// Whether files changed that a run of training or an installation may read or execute, Python aside: native code,
/// scripts, configuration, dependencies, build files.
bool may_reach_runs(const change::Change& change);
/// Beside Python: what changes in settings, dependencies, jobs, scripts and native code, one item a file, the largest
/// first; at most `most`. Documentation, lock files and data are left to the list of files.
std::vector<std::string> other_file_items(const DocumentInputs& inputs, std::size_t most);
/// What a change without Python definitions affects, in one or two sentences.
std::string files_impact(const DocumentInputs& inputs);

/// Comment blocks that grant or refuse rights give no reasons and explain nothing.
bool is_licence_text(std::string_view text);

}  // namespace lockstep::report
