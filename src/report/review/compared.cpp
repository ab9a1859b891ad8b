#include "report/review/compared.h"

#include <set>
#include <string_view>

namespace lockstep::report {

Compared compared_in(const repo::SnapshotDiff& diff, const Coverage& coverage) {
  Compared compared;
  compared.files = diff.files.size();
  std::set<std::string_view> python;
  for (const repo::FileChange& file : diff.files) {
    const std::string_view path = file.path();
    if (!path.ends_with(".py") && !path.ends_with(".pyi")) continue;
    ++compared.python_files;
    python.insert(file.new_path);
  }
  for (const Coverage::Problem& problem : coverage.problems) {
    if (python.erase(problem.path) > 0) compared.unread.push_back(problem);
  }
  return compared;
}

}  // namespace lockstep::report
