// Small programs in memory, compared; and a change as lines of text that a test can spell out.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "change/change.h"

namespace lockstep::change {

using Files = std::map<std::string, std::string>;

/// A comparison with all that it refers to.
struct Compared {
  repo::Snapshot before_files, after_files;
  program::Program before, after;
  repo::SnapshotDiff diff;
  Change change;
};

/// Links both sides (their ".py" files), diffs and compares them.
std::unique_ptr<Compared> compare_files(const Files& before, const Files& after);

/// "parameter-added", …
std::string kind_name(DifferenceKind kind);
/// One line an entity ("modified method m.C.f", "moved function a.f to b.f in b.py", …) and below it, indented, one a
/// difference: "parameter-added x: - | x=1" (an absent text is "-").
std::vector<std::string> describe(const Change& change);
/// As `describe`, one side's file m.py against the other's.
std::vector<std::string> differences_of(const std::string& before, const std::string& after);
/// The same lines as they would read with the sides swapped, sorted; with lines and spans.
std::vector<std::string> full_text(const Change& change, bool swapped);

}  // namespace lockstep::change
