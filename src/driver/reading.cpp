#include "driver/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "base/paths.h"
#include "base/worker_pool.h"
#include "program/link.h"

namespace lockstep::driver {

bool is_python_path(std::string_view path) { return path.ends_with(".py"); }

namespace {

constexpr std::size_t kMaxLinks = 1000;

struct Job {
  std::size_t index;  // into snapshot.files()
  std::shared_ptr<const python::FileFacts> facts;
  std::string error;
};

// One job for each content that is not known yet, largest first so that the last thread does not wait for a giant.
std::vector<Job> jobs_for(const repo::Snapshot& snapshot, const FactsByContent& known) {
  std::vector<Job> jobs;
  std::unordered_map<std::string_view, std::size_t> seen;
  const auto& files = snapshot.files();
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].kind != repo::FileKind::file || !is_python_path(files[i].path)) continue;
    if (known.contains(files[i].content_id) || !seen.emplace(files[i].content_id, i).second) continue;
    jobs.push_back({i, nullptr, {}});
  }
  std::stable_sort(jobs.begin(), jobs.end(),
                   [&](const Job& a, const Job& b) { return files[a.index].size_bytes > files[b.index].size_bytes; });
  return jobs;
}

/// `target` as written in the link `path`, from the repository's root; none if it leads out of the repository.
std::optional<std::string> link_target(std::string_view path, std::string_view target) {
  if (target.starts_with('/')) return std::nullopt;
  std::optional<std::string> found = join_path(folder_of(path), target);
  return found && !found->empty() ? found : std::nullopt;
}

/// The snapshot's symbolic links, as far as they lead into it by one step. None is followed on disk.
std::vector<program::SymbolicLink> links_of(const repo::Snapshot& snapshot) {
  std::vector<program::SymbolicLink> links;
  for (const repo::FileEntry& file : snapshot.files()) {
    if (file.kind != repo::FileKind::symlink || links.size() >= kMaxLinks) continue;
    const Result<std::string> target = snapshot.read(file.path);
    if (!target || target->size() > snapshot.limits().max_path_bytes) continue;
    std::optional<std::string> resolved = link_target(file.path, repo::escape_path(*target));
    if (resolved) links.push_back({file.path, std::move(*resolved)});
  }
  return links;
}

}  // namespace

void read_facts(const repo::Snapshot& snapshot, std::size_t job_count, FactsByContent& known,
                report::Coverage& coverage) {
  std::vector<Job> jobs = jobs_for(snapshot, known);
  parallel_for(jobs.size(), job_count, [&](std::size_t i) {
    Result<std::string> bytes = snapshot.read(jobs[i].index);
    if (bytes) {
      jobs[i].facts = python::extract_facts(std::move(*bytes));
    } else {
      jobs[i].error = bytes.error().message;
    }
  });
  for (Job& job : jobs) {
    const repo::FileEntry& file = snapshot.files()[job.index];
    if (job.facts != nullptr) {
      known.emplace(file.content_id, std::move(job.facts));
    } else {
      coverage.problems.push_back({file.path, 0, std::move(job.error)});
    }
  }
}

program::LinkInput link_input(const repo::Snapshot& snapshot, const FactsByContent& known,
                              program::LinkOptions options) {
  std::vector<program::SourceFile> files;
  for (const repo::FileEntry& file : snapshot.files()) {
    if (file.kind != repo::FileKind::file || !is_python_path(file.path)) continue;
    const auto facts = known.find(file.content_id);
    if (facts != known.end()) files.push_back({file.path, facts->second});
  }
  options.links = links_of(snapshot);
  return {std::move(files), std::move(options)};
}

program::Program link_snapshot(const repo::Snapshot& snapshot, const FactsByContent& known,
                               program::LinkOptions options) {
  program::LinkInput input = link_input(snapshot, known, std::move(options));
  return program::link(std::move(input.files), input.options);
}

void cover(const program::Program& program, report::Coverage& coverage) {
  for (const program::Module& module : program.modules()) {
    ++coverage.files_read;
    const SourceText& source = module.facts->source();
    coverage.lines_read += source.line_count();
    for (const python::Problem& problem : module.facts->file->problems) {
      coverage.problems.push_back({module.path, source.line_of(problem.span.begin), problem.message});
    }
  }
  auto key = [](const report::Coverage::Problem& problem) {
    return std::tie(problem.path, problem.line, problem.message);
  };
  auto& problems = coverage.problems;
  std::sort(problems.begin(), problems.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  problems.erase(
      std::unique(problems.begin(), problems.end(), [&](const auto& a, const auto& b) { return key(a) == key(b); }),
      problems.end());
}

}  // namespace lockstep::driver
