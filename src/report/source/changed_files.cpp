#include "report/source/changed_files.h"

#include <algorithm>

namespace lockstep::report {

const repo::FileChange* file_before(const change::Change& change, std::string_view path) {
  const auto found = std::find_if(change.files.begin(), change.files.end(),
                                  [&](const change::FileSummary& one) { return one.file->old_path == path; });
  return found == change.files.end() ? nullptr : found->file;
}

}  // namespace lockstep::report
