#include "driver/playbook.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <map>
#include <memory>

#include "base/strings.h"
#include "driver/reading.h"
#include "render/markdown.h"
#include "report/review.h"

namespace lockstep::driver {

namespace {

// A playbook that lies outside the tree, as one more file at its root.
Result<std::string> read_outside(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (file == nullptr)
    return fail(fmt::format("there is no playbook '{}' in this tree, nor on disk", path),
                "give paths from the repository's root");
  std::string text;
  std::array<char, 1u << 16> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    text.append(buffer.data(), count);
    if (text.size() > (16u << 20))
      return fail(fmt::format("the playbook '{}' is larger than 16 MiB", path), "give a smaller one");
  }
  return text;
}

Result<repo::Snapshot> with_files(repo::Snapshot snapshot, std::vector<std::string>& files) {
  std::map<std::string, std::optional<repo::MemoryFile>> added;
  for (std::string& file : files) {
    if (file.starts_with("./")) file = file.substr(2);
    if (snapshot.find(file)) continue;
    Result<std::string> text = read_outside(file);
    if (!text) return tl::unexpected<Error>(text.error());
    file = repo::escape_path(file.substr(file.rfind('/') + 1));
    added[file] = repo::MemoryFile{std::move(*text), repo::FileKind::file, 0100644};
  }
  return added.empty() ? snapshot : repo::overlay_snapshot(snapshot, std::move(added));
}

}  // namespace

Result<CheckedPlaybooks> check_playbooks(const repo::Repository& repository, const PlaybookRequest& request,
                                         Timings& timings) {
  Result<repo::Snapshot> snapshot = fail("not loaded");
  std::vector<std::string> files = request.files;
  {
    const auto scope = timings.time("open and list");
    snapshot = request.revision ? repository.snapshot_at(*request.revision) : repository.current();
    if (!snapshot) return tl::unexpected<Error>(snapshot.error());
    snapshot = with_files(std::move(*snapshot), files);
    if (!snapshot) return tl::unexpected<Error>(snapshot.error());
  }
  FactsByContent facts;
  report::Coverage coverage;
  program::Program program;
  {
    const auto scope = timings.time("read and parse");
    read_facts(*snapshot, request.jobs, facts, coverage);
  }
  {
    const auto scope = timings.time("link");
    program = link_snapshot(*snapshot, facts, request.jobs);
  }
  const auto scope = timings.time("playbooks");
  playbook::CheckInputs inputs{*snapshot, program, &repository, request.revision.value_or("HEAD"), files, request.jobs};
  playbook::CheckResult result = playbook::check_playbooks(inputs);
  CheckedPlaybooks checked;
  checked.claims_held = result.claims_held;
  checked.playbooks = result.playbooks;
  checked.report = playbook::report_of(std::move(result), *snapshot);
  return checked;
}

std::string write_playbook_check(const CheckedPlaybooks& checked) {
  report::Document document = report::write_check(checked.report);
  document.title = report::prose("Playbook check");
  document.paragraph(fmt::format("{} read; {} held against the repository and found true.",
                                 count_of(checked.playbooks, "playbook"), count_of(checked.claims_held, "claim")));
  return render::render_markdown(document);
}

}  // namespace lockstep::driver
