// A repository's facts → the lines of a short playbook, each with its source. Every line says something that holds at
// this revision, that a machine can verify again, and that a reader would not guess. Leaves out: advice, and which
// lines fit into a budget (write.h).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "playbook/ground.h"
#include "repo/repository.h"

namespace lockstep::playbook {

/// One item of the playbook: "- LEAD: TEXT".
struct DraftLine {
  std::string lead;            ///< What it is about; unique within its section.
  std::string text;            ///< Markdown on one line.
  int worth = 0;               ///< Lines worth more are kept first.
  std::vector<Place> sources;  ///< Where it was read off; never empty.
};

struct DraftSection {
  std::string title;
  std::vector<DraftLine> lines;
};

struct DraftInputs {
  const Ground& ground;
  const repo::Repository* repository = nullptr;  ///< For the history; null without one.
  std::string revision;                          ///< From where the history is read.
  std::vector<repo::CommitPaths> commits;        ///< Recent ones, newest first; may be empty.
  std::string main_package;                      ///< Folder of the package that most of the code is in; may be empty.
  /// Qualified names of classes and functions → the modules (by index) that import them, tests left out.
  std::map<std::string, std::set<std::uint32_t>> importers;

  [[nodiscard]] std::size_t importers_of(const std::string& qualified_name) const;
  /// How many of `commits` touch the file, or a file below the folder: what people work on is what a reader needs.
  [[nodiscard]] std::size_t commits_on(std::string_view path) const;
};

std::map<std::string, std::set<std::uint32_t>> importers_in(const program::Program& program);

/// The folder of top-level Python code (no tests, examples or tools) with the most bytes; empty where there is none.
std::string main_package_of(const program::Program& program);

DraftSection draft_setup(const DraftInputs& inputs);
DraftSection draft_commands(const DraftInputs& inputs);
DraftSection draft_layout(const DraftInputs& inputs);
DraftSection draft_conventions(const DraftInputs& inputs);
DraftSection draft_plumbing(const DraftInputs& inputs);
DraftSection draft_history(const DraftInputs& inputs);

// Parts of draft_commands and draft_plumbing with sources of their own.
void draft_tests(const DraftInputs& inputs, DraftSection& section);
void draft_options(const DraftInputs& inputs, DraftSection& section);
void draft_ci(const DraftInputs& inputs, DraftSection& section);

// What the drafts share.
/// "`name` (`path:12`)".
std::string named_place(std::string_view name, const Place& place);
/// "`a`, `b`, `c`", at most `most`, then "…and N more" where `tell_rest`.
std::string quoted_list(const std::vector<std::string>& names, std::size_t most, bool tell_rest = false);
bool is_below(std::string_view path, std::string_view folder);
/// Tests, examples, benchmarks, tools, documents, experiments: code that others do not build on.
bool is_side_code(std::string_view path);
/// Code of the main package that others build on.
bool is_own_code(const DraftInputs& inputs, std::string_view path);
Place place_of(const program::Module& module, Span span);
/// Where a definition stands.
Place place_of(const program::Program& program, program::ClassId cls);
Place place_of(const program::Program& program, program::FunctionId function);

}  // namespace lockstep::playbook
