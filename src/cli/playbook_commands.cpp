#include "cli/playbook_commands.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>

#include "base/strings.h"
#include "cli/files.h"
#include "cli/loading.h"
#include "driver/playbook.h"
#include "render/findings.h"

namespace lockstep::cli {

namespace {

driver::PlaybookRequest request_of(const Options& options) {
  return {options.revision, options.paths, job_count(options)};
}

int run_check(const Options& options, const repo::Repository& repository, Timings& timings) {
  const Result<driver::CheckedPlaybooks> checked = driver::check_playbooks(repository, request_of(options), timings);
  if (!checked) return stop(checked.error());
  if (checked->playbooks == 0 && !options.quiet)
    fmt::print(stderr,
               "lockstep: no playbook found (AGENTS.md, CLAUDE.md, SKILL.md, .cursorrules, copilot-instructions.md)\n");
  const render::ReportSubject subject{LOCKSTEP_VERSION, "", options.revision.value_or("the working tree"), "", "", ""};
  std::string bytes;
  if (options.format == "json") {
    bytes = render::render_json(checked->report, subject);
  } else if (options.format == "sarif") {
    bytes = render::render_sarif(checked->report, subject);
  } else {
    bytes = driver::write_playbook_check(*checked);
  }
  const Result<void> written = write_output(options.output, bytes);
  if (!written) return stop(written.error());
  return options.fail_on && report::reaches(checked->report, *options.fail_on) ? 1 : 0;
}

// Where the result goes: a symbolic link is written through, never replaced.
std::optional<std::string> output_of(const Options& options, const playbook::Updated& updated) {
  if (!options.output || updated.followed_to.empty()) return options.output;
  std::error_code error;
  if (!std::filesystem::is_symlink(*options.output, error)) return options.output;
  const std::filesystem::path real = std::filesystem::canonical(*options.output, error);
  return error ? options.output : std::optional<std::string>(real.string());
}

int run_write(const Options& options, const repo::Repository& repository, Timings& timings) {
  driver::PlaybookWriteRequest request;
  request.revision = options.revision;
  request.update = options.update;
  if (options.tokens > 0) request.tokens = options.tokens;
  request.sources = options.sources;
  request.jobs = job_count(options);
  const Result<playbook::Updated> updated = driver::write_playbook(repository, request, timings);
  if (!updated) return stop(updated.error());
  const Result<void> written = write_output(output_of(options, *updated), updated->text);
  if (!written) return stop(written.error());
  if (!options.update || options.quiet) return 0;
  if (!updated->followed_to.empty())
    fmt::print(stderr, "lockstep: {} is a symbolic link to {}, which is what was renewed\n", *options.update,
               updated->followed_to);
  fmt::print(stderr, "lockstep: {} renewed, {} left to a person\n", count_of(updated->renewed, "line"),
             count_of(updated->left.size(), "finding"));
  for (const playbook::LeftLine& left : updated->left)
    fmt::print(stderr, "  line {}: {} ({})\n", left.line + 1, left.message, left.fix);
  return 0;
}

int run_rules(const Options& options, const repo::Repository& repository) {
  const Result<std::string> proposed =
      driver::propose_rules(repository, {options.revision, options.paths, 1}, options.config);
  if (!proposed) return stop(proposed.error());
  const Result<void> written = write_output(options.output, *proposed);
  return written ? 0 : stop(written.error());
}

}  // namespace

int run_playbook(const Options& options, Timings& timings) {
  const Result<repo::Repository> repository = repo::Repository::open(options.directory);
  if (!repository) return stop(repository.error());
  if (options.command == Command::kPlaybookWrite) return run_write(options, *repository, timings);
  if (options.command == Command::kPlaybookRules) return run_rules(options, *repository);
  return run_check(options, *repository, timings);
}

}  // namespace lockstep::cli
