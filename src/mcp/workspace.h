// The repository that a session works on, held in memory: the linked tree as it is on disk now, and the changes that
// were asked about. Each question first makes sure that what it is answered from is what stands on disk: one stat a
// file; only what changed is read and parsed again, then everything is linked anew.
//
// One thread at a time. Bounded: one tree and kMostChanges changes are kept, and the parsed files that these use.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "driver/documents.h"
#include "driver/pipeline.h"
#include "driver/verification.h"
#include "mcp/word_index.h"
#include "repo/repository.h"
#include "repo/tree_watch.h"
#include "report/graph/graph.h"
#include "report/report.h"

namespace lockstep::mcp {

/// Told of each phase of long work before it starts; false: the asker no longer wants the answer.
using Progress = std::function<bool(std::string_view phase)>;

/// A change, analysed, with what was made of it.
struct LiveChange {
  std::unique_ptr<driver::AnalysedChange> analysed;
  driver::ChangeWords words;
  report::Report report;
  /// Of the after side: what each training step surely calls, by edges with a single target.
  std::unordered_set<program::FunctionId> surely_in_step;
  std::string version;                           ///< Differs when anything that answers depend on does.
  std::map<std::string, std::string> documents;  ///< By name, as they were first asked for.
  std::unique_ptr<writer::CitedSides> cited;     ///< What documents are held against; made when first asked for.
};

class Workspace {
 public:
  struct Options {
    std::string directory = ".";
    std::size_t jobs = 1;
    std::optional<rules::Settings> settings;
  };
  /// Error: no such folder.
  static Result<Workspace> open(Options options);

  /// The tree as it is on disk now, linked. Errors name what is wrong with the tree or its configuration; "cancelled".
  Result<const driver::Tree*> linked(const Progress& progress);
  /// As `linked`, with its mesh and step path.
  Result<const driver::Tree*> analysed(const Progress& progress);
  /// Of the same tree: the ranked graph; all rules' findings; an index of the words in its names and docstrings.
  Result<const report::GraphModel*> graph(const Progress& progress);
  Result<const report::Report*> findings(const Progress& progress);
  Result<const WordIndex*> words(const Progress& progress);
  /// Of the tree that `linked` gave last: differs when its text does.
  [[nodiscard]] const std::string& version() const { return version_; }

  /// A change by name: BASE..HEAD, BASE...HEAD, a commit, or `--worktree`. Patch files and pull requests are refused: a
  /// text of the repository must not be able to talk an agent into reading other files or asking a network.
  Result<LiveChange*> change(const std::string& name, const Progress& progress);
  /// What a document about the tree, or about the change of that name, is held against.
  Result<const writer::CitedSides*> cited(const Progress& progress);
  Result<const writer::CitedSides*> cited(const std::string& change_name, const Progress& progress);
  /// "explain", "dive", "review" or "graph" of a change, as Markdown or (graph) text.
  Result<std::string> document(const std::string& kind, const std::string& change_name, const Progress& progress);

  /// Whether the tree is loaded and nothing was written since.
  [[nodiscard]] bool is_current() const;
  [[nodiscard]] const repo::Repository& repository() const { return repository_; }
  /// The folder's name, for titles.
  [[nodiscard]] std::string title() const;

  static constexpr std::size_t kMostChanges = 2;

 private:
  explicit Workspace(Options options, repo::Repository repository)
      : options_(std::move(options)), repository_(std::move(repository)) {}
  Result<void> refresh_snapshot();
  Result<repo::ChangeInput> parse_change_name(const std::string& name, std::string& key);
  Result<std::unique_ptr<LiveChange>> load_change(const repo::ChangeInput& input, const Progress& progress);
  void keep_facts(driver::FactsByContent facts);
  driver::PipelineOptions pipeline(const Progress& progress) const;

  Options options_;
  repo::Repository repository_;
  driver::FactsByContent facts_;
  repo::Snapshot snapshot_;
  repo::TreeWatch watch_;
  std::uint64_t generation_ = 0;  ///< Counts snapshots taken.
  std::string python_key_;        ///< Of the files that tree_ was linked from.
  std::unique_ptr<driver::Tree> tree_;
  std::string version_;
  bool has_mesh_ = false;
  std::unique_ptr<report::GraphModel> graph_;
  std::unique_ptr<report::Report> report_;
  std::unique_ptr<WordIndex> words_;
  std::unique_ptr<writer::CitedSides> cited_;
  std::uint64_t cited_generation_ = 0;  ///< Files other than Python may be written without a new link.
  std::list<std::pair<std::string, std::unique_ptr<LiveChange>>> changes_;  ///< Last used first.
};

}  // namespace lockstep::mcp
