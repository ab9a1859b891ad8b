// Options -> the change or tree that a command is about, read and analysed: from the repository, a patch or a forge.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "base/result.h"
#include "base/timings.h"
#include "cli/options.h"
#include "driver/documents.h"
#include "driver/pipeline.h"
#include "driver/pull_request.h"

namespace lockstep::cli {

/// Leaves what a command analysed to the end of the process: taking hundreds of megabytes apart piece by piece costs
/// 40 ms on Megatron-LM and helps nobody.
struct LeftToTheSystem {
  template <class Analysed>
  void operator()([[maybe_unused]] Analysed* analysed) const {
#ifdef __SANITIZE_ADDRESS__
    delete analysed;  // else it would count as lost
#endif
  }
};
using LoadedTree = std::unique_ptr<driver::Tree, LeftToTheSystem>;

struct LoadedChange {
  std::unique_ptr<driver::AnalysedChange, LeftToTheSystem> analysed;
  driver::ChangeWords words;
  std::optional<repo::Repository> repository;
  std::optional<forge::PullRequestPlace> pull_request;
  std::shared_ptr<driver::ForgeSession> session;   ///< With which it was read.
  std::shared_ptr<forge::TemporaryFolder> folder;  ///< Of the objects that `analysed` reads.
  bool is_range = false;                           ///< Named as two revisions.
};

/// Why there is nothing to look at where somebody names two revisions with the same files: a mistake, most often of a
/// script, that must not read as "nothing is wrong". None for other changes: a commit may be empty.
std::optional<Error> nothing_compared(const LoadedChange& loaded);

/// How many threads work at a time.
std::size_t job_count(const Options& options);
/// Tells on standard error, unless the user wants it quiet.
driver::Remark remark_of(const Options& options);
Result<driver::PipelineOptions> pipeline_options(const Options& options);

Result<LoadedChange> load_change(const Options& options, Timings& timings);
/// The tree's files; an error where a path that the user names is not among them.
Result<repo::Snapshot> load_snapshot(const Options& options, Timings& timings);
Result<LoadedTree> load_tree(const Options& options, Timings& timings);

}  // namespace lockstep::cli
