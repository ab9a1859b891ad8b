// What there was to compare: without it a review that found nothing would sound the same as one that read nothing.
#pragma once

#include <cstddef>
#include <vector>

#include "repo/diff.h"
#include "report/report.h"

namespace lockstep::report {

struct Compared {
  std::size_t files = 0;                  ///< That differ.
  std::size_t python_files = 0;           ///< Of these.
  std::vector<Coverage::Problem> unread;  ///< Of Python files that differ, on the after side; the first of each.
};

Compared compared_in(const repo::SnapshotDiff& diff, const Coverage& coverage);

}  // namespace lockstep::report
