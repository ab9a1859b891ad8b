// Repository → a short AGENTS.md, or an old one with its stale lines renewed. What is written is held against the same
// ground as any playbook, and a line that the check does not bear is left out: the output is clean by construction.
#pragma once

#include <string>
#include <vector>

#include "playbook/draft.h"
#include "program/program.h"
#include "repo/repository.h"
#include "repo/snapshot.h"

namespace lockstep::playbook {

struct WriteInputs {
  const repo::Snapshot& snapshot;
  const program::Program& program;               ///< Of the snapshot.
  const repo::Repository* repository = nullptr;  ///< For the history; null without one.
  std::string revision;                          ///< From where the history is read.
  std::size_t tokens = 1500;                     ///< At most so many in the text without its sources.
  bool sources = false;                          ///< Each line carries where it was read off, in a comment.
  std::size_t jobs = 1;
};

/// Markdown. Lines worth less are left out first where the budget is small.
std::string write_playbook(const WriteInputs& inputs);

/// A stale line that was not renewed, for a person to look at. Lines count from 0, in the new text.
struct LeftLine {
  std::uint32_t line = 0;
  std::string message;
  std::string fix;
};

struct Updated {
  std::string text;
  std::size_t renewed = 0;  ///< Lines that differ now.
  std::vector<LeftLine> left;
  std::string followed_to;  ///< The file that was renewed, where the one that was named is a symbolic link to it.
};

/// `text` of the playbook `path` with the lines renewed that the check calls false: by the check's own suggestion, or
/// by the line that write_playbook has under the same lead. All others stay byte for byte.
Updated update_playbook(const WriteInputs& inputs, const std::string& path, const std::string& text);

}  // namespace lockstep::playbook
