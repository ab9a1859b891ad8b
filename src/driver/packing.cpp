#include "driver/packing.h"

#include "playbook/paths.h"
#include "report/documents/file_parts.h"

namespace lockstep::driver {

namespace {

// Whose lines are followed back: the history of a long list of files says little.
constexpr std::size_t kMostFollowed = 8;

std::vector<repo::FileHistory> history_of(const AnalysedChange& analysed, const report::DocumentInputs& inputs,
                                          const std::optional<repo::Repository>& repository) {
  if (!repository || analysed.sides.before_commit.empty()) return {};
  std::vector<repo::TouchedLines> touched;
  for (const change::FileSummary* summary : report::files_in_order(inputs)) {
    const repo::FileChange& file = *summary->file;
    if (file.old_path.empty() || file.binary || touched.size() == kMostFollowed) continue;
    touched.push_back({file.old_path, file.lines.removed_lines()});
  }
  return repo::line_histories(*repository, analysed.sides.before_commit, touched);
}

}  // namespace

PackSource::PackSource(const AnalysedChange& analysed, const report::Report& report, const ChangeWords& words,
                       const std::optional<repo::Repository>& repository, Timings& timings)
    : findings_(findings_of(report)), document_(inputs_of(analysed, findings_, words)) {
  {
    const auto scope = timings.time("playbooks");
    const playbook::Paths paths(analysed.sides.before);
    playbooks_ = playbook::read_playbooks(analysed.sides.before, paths, {});
  }
  const auto scope = timings.time("history");
  inputs_ = std::make_unique<writer::PackInputs>(
      writer::PackInputs{document_, history_of(analysed, document_, repository), &playbooks_, line_edits_of(analysed)});
}

Result<writer::Pack> pack_change(const AnalysedChange& analysed, const report::Report& report, const ChangeWords& words,
                                 const std::optional<repo::Repository>& repository, const writer::PackOptions& options,
                                 Timings& timings) {
  const PackSource source(analysed, report, words, repository, timings);
  const auto scope = timings.time("pack");
  return writer::write_pack(source.inputs(), options);
}

}  // namespace lockstep::driver
