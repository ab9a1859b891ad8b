// What claims are held against, gathered once for a revision: its paths, words, tool configuration, names and flags.
// Shared by whoever checks playbooks and whoever writes one. Leaves out the playbooks themselves.
#pragma once

#include <set>
#include <string>

#include "playbook/files.h"
#include "playbook/lazy.h"
#include "playbook/names.h"
#include "playbook/options.h"
#include "playbook/paths.h"
#include "playbook/sections.h"
#include "playbook/tools.h"
#include "playbook/words.h"
#include "program/program.h"
#include "repo/snapshot.h"

namespace lockstep::playbook {

/// Refers to the snapshot and the program, which outlive it.
struct Ground {
  const repo::Snapshot& snapshot;
  const program::Program& program;
  Paths paths;
  Words words;  ///< Of all files but playbooks: a name that only they hold exists nowhere.
  Tools tools;
  Names names;
  Lazy<ScriptOptions> options;
  Lazy<Sections> sections;
  /// Words on lines that a change took away: one that stands nowhere else now was a name, whatever it looks like.
  std::set<std::string, std::less<>> taken = {};
  bool holds_only_taken = false;  ///< Of bare and dotted names none but these: the pages speak of other programs, too.
};

/// `extra` are files that count as playbooks whatever their names are.
Ground gather_ground(const repo::Snapshot& snapshot, const program::Program& program,
                     const std::set<std::string, std::less<>>& extra, std::size_t jobs);

}  // namespace lockstep::playbook
