// What the checks of one playbook share: the facts they hold claims against and the ledger they write to. Private to
// this room.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "playbook/check.h"
#include "playbook/files.h"
#include "playbook/lazy.h"
#include "playbook/names.h"
#include "playbook/options.h"
#include "playbook/paths.h"
#include "playbook/sections.h"
#include "playbook/shell.h"
#include "playbook/tools.h"
#include "playbook/words.h"

namespace lockstep::playbook {

/// The facts.
struct Facts {
  const repo::Snapshot& snapshot;
  const program::Program& program;
  const Paths& paths;
  const Words& words;
  const Tools& tools;
  const Names& names;
  const Lazy<ScriptOptions>& options;
  const Lazy<Sections>& sections;
  const Playbooks& playbooks;
  /// Names that the playbooks' own code blocks define: what the reader is told to write.
  std::set<std::string, std::less<>> introduced;
  const std::set<std::string, std::less<>>& taken;  ///< As in Ground.
  bool holds_only_taken;                            ///< The same.
};

/// A path that does not exist; the history decides what is said of it, or whether anything is.
struct MissingPath {
  rules::Finding finding;
  const Page* page = nullptr;
  std::string path;            ///< From the root.
  std::string written;         ///< As the line has it.
  bool only_if_known = false;  ///< Accused only where the history had it.
};

class Ledger {
 public:
  void hold() { ++held_; }
  void accuse(rules::Finding finding) { findings_.push_back(std::move(finding)); }
  void accuse(MissingPath missing) { missing_.push_back(std::move(missing)); }

  /// What `ask` says, asked once for each `question`. It reads much of the code: after kMostQuestions different ones
  /// the answer is `without`, so that a hostile page costs no more.
  template <typename Ask>
  bool answer(const std::string& question, bool without, const Ask& ask) {
    const auto known = answers_.find(question);
    if (known != answers_.end()) return known->second;
    if (answers_.size() >= kMostQuestions) return without;
    return answers_.emplace(question, ask()).first->second;
  }
  static constexpr std::size_t kMostQuestions = 300;

  std::size_t held_ = 0;
  std::vector<rules::Finding> findings_;
  std::vector<MissingPath> missing_;
  std::map<std::string, bool> answers_;
};

/// A finding on one line of a page.
rules::Finding finding_at(const Page& page, std::uint32_t line, std::string_view rule, rules::Severity severity,
                          std::string message, std::string why, std::string fix);
/// Adds the line with `from` replaced by `to` as the suggestion, where `from` stands in it exactly once.
void suggest(rules::Finding& finding, const Page& page, std::string_view from, std::string_view to);

/// The same with every `from` that stands as a whole path or name replaced.
void suggest_everywhere(rules::Finding& finding, const Page& page, std::string_view from, std::string_view to);

/// The sentence of the paragraph in which `text` stands at `line`, without back-quotes and asterisks, lower case.
std::string sentence_at(const Page& page, std::uint32_t line, std::string_view text);
/// The sentence speaks of what is not there or must not be used: "no longer", "never", "instead of", ….
bool speaks_of_absence(std::string_view sentence);
/// The sentence tells the reader to make something, or says that a run makes it.
bool speaks_of_making(std::string_view sentence);
/// The sentence speaks of another repository or an installed library.
bool speaks_of_elsewhere(std::string_view sentence);
/// The page has its reader fetch files from another branch or repository, so that bare names may be of there.
bool takes_from_a_branch(const Page& page);
/// Examples for the reader to fill in: "path/to/x", "your_", "my_", "foo".
bool is_placeholder(std::string_view text);

/// What a stretch of text says if it is a path.
struct PathText {
  std::string path;
  bool glob = false;
  bool has_folder = false;  ///< More than a bare file name.
  bool has_extension = false;
};
std::optional<PathText> as_path(std::string_view text);

enum class PathUse : std::uint8_t { kMention, kCommand };
/// Holds a path that a page names, seen from the root, from `folder` and by its last components.
void hold_path(const Facts& facts, const Page& page, std::uint32_t line, std::string_view text, PathUse use,
               std::string_view folder, Ledger& ledger);

// The checks; each holds one kind of claim of one page.
void check_paths(const Facts& facts, const Page& page, Ledger& ledger);
void check_links(const Facts& facts, const Page& page, Ledger& ledger);
void check_names(const Facts& facts, const Page& page, Ledger& ledger);
/// "`pkg/a.py:name`": the file holds the name.
void check_named_places(const Facts& facts, const Page& page, Ledger& ledger);
void check_commands(const Facts& facts, const Page& page, Ledger& ledger);
void check_settings(const Facts& facts, const Page& page, Ledger& ledger);
void check_front_matter(const Facts& facts, const Playbook& playbook, Ledger& ledger);
void check_hygiene(const Facts& facts, const Playbook& playbook, Ledger& ledger);
/// Over all playbooks: contradictions, repetitions, broken links.
void check_together(const Facts& facts, Ledger& ledger);

/// Whether an inline code span is a command that check_commands holds.
bool is_command(std::string_view text);
/// Holds `--flag` as a flag of this repository's scripts in general; `is_given`: a command gives it to one of them.
void hold_flag(const Facts& facts, const Page& page, std::uint32_t line, std::string_view text, bool is_given,
               Ledger& ledger);
/// Numbers in claims that two playbooks can contradict each other in: (subject, value) of one page's line.
struct Statement {
  std::string subject;
  std::string value;
  std::uint32_t line = 0;
};
std::vector<Statement> statements_of(const Page& page);

}  // namespace lockstep::playbook
