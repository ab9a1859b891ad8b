#include "driver/playbook.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <memory>

#include "base/strings.h"
#include "driver/configuration.h"
#include "driver/reading.h"
#include "playbook/propose.h"
#include "render/markdown.h"
#include "repo/diff.h"
#include "report/review/review.h"

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

bool is_in_tree(const repo::Snapshot& snapshot, const std::string& path) {
  return snapshot.find(path).has_value() || playbook::Paths(snapshot).has(path);
}

Result<repo::Snapshot> with_files(repo::Snapshot snapshot, std::vector<std::string>& files) {
  std::map<std::string, std::optional<repo::MemoryFile>> added;
  for (std::string& file : files) {
    if (file.starts_with("./")) file = file.substr(2);
    if (is_in_tree(snapshot, file)) continue;
    Result<std::string> text = read_outside(file);
    if (!text) return tl::unexpected<Error>(text.error());
    file = repo::escape_path(file.substr(file.rfind('/') + 1));
    added[file] = repo::MemoryFile{std::move(*text), repo::FileKind::file, 0100644};
  }
  return added.empty() ? snapshot : repo::overlay_snapshot(snapshot, std::move(added));
}

// A folder stands for the playbooks below it. Without folders, `files` stays as it is.
Result<void> expand_folders(const repo::Snapshot& snapshot, std::vector<std::string>& files) {
  const playbook::Paths paths(snapshot);
  std::vector<std::string> expanded;
  for (std::string file : files) {
    while (file.starts_with("./")) file = file.substr(2);
    while (file.size() > 1 && file.ends_with('/')) file.pop_back();
    const bool is_root = file == "." || file.empty();
    const std::string real = is_root ? std::string() : paths.resolve(file).value_or(file);
    if (!is_root && !paths.has_folder(real)) {
      expanded.push_back(std::move(file));
      continue;
    }
    const std::size_t before = expanded.size();
    for (const std::string& path : paths.files()) {
      const bool below = is_root || (path.size() > real.size() && path.starts_with(real) && path[real.size()] == '/');
      if (below && playbook::playbook_kind(path)) expanded.push_back(path);
    }
    if (expanded.size() == before)
      return fail(fmt::format("there is no playbook below '{}'", is_root ? "." : file),
                  "playbooks are AGENTS.md, CLAUDE.md, SKILL.md, .cursorrules, copilot-instructions.md and rules of "
                  "agents; name another file to have it held as one");
  }
  files = std::move(expanded);
  return {};
}

// Text that nobody wrote for a reader is no playbook, whoever names it.
Result<void> refuse_code(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    const std::string name = to_lower(file.substr(file.rfind('/') + 1));
    const std::size_t dot = name.rfind('.');
    const std::string extension = dot == std::string::npos || dot == 0 ? std::string() : name.substr(dot + 1);
    static constexpr std::array<std::string_view, 7> kTexts = {"", "md", "mdc", "markdown", "txt", "rst", "mdx"};
    if (playbook::playbook_kind(file) || std::find(kTexts.begin(), kTexts.end(), extension) != kTexts.end()) continue;
    return fail(fmt::format("'{}' is no playbook: a .{} file says nothing to agents", file, extension),
                "name a Markdown or text file, or a folder with playbooks");
  }
  return {};
}

/// One revision, linked.
struct ReadTree {
  repo::Snapshot snapshot;
  program::Program program;
};

// `files` that are not in the tree are read from disk; what they are called there takes their place.
Result<ReadTree> read_tree(const repo::Repository& repository, const std::optional<std::string>& revision,
                           std::vector<std::string>& files, std::size_t jobs, Timings& timings) {
  ReadTree tree;
  {
    const auto scope = timings.time("open and list");
    Result<repo::Snapshot> snapshot = revision ? repository.snapshot_at(*revision) : repository.current();
    if (!snapshot) return tl::unexpected<Error>(snapshot.error());
    const Result<void> expanded = expand_folders(*snapshot, files);
    if (!expanded) return tl::unexpected<Error>(expanded.error());
    const Result<void> texts = refuse_code(files);
    if (!texts) return tl::unexpected<Error>(texts.error());
    snapshot = with_files(std::move(*snapshot), files);
    if (!snapshot) return tl::unexpected<Error>(snapshot.error());
    tree.snapshot = std::move(*snapshot);
  }
  FactsByContent facts;
  report::Coverage coverage;
  {
    const auto scope = timings.time("read and parse");
    read_facts(tree.snapshot, jobs, facts, coverage);
  }
  const auto scope = timings.time("link");
  tree.program = link_snapshot(tree.snapshot, facts, {.jobs = jobs});
  return tree;
}

}  // namespace

Result<CheckedPlaybooks> check_playbooks(const repo::Repository& repository, const PlaybookRequest& request,
                                         Timings& timings) {
  std::vector<std::string> files = request.files;
  Result<ReadTree> tree = read_tree(repository, request.revision, files, request.jobs, timings);
  if (!tree) return tl::unexpected<Error>(tree.error());
  const auto scope = timings.time("playbooks");
  playbook::CheckInputs inputs{tree->snapshot, tree->program, &repository, request.revision.value_or("HEAD"),
                               files,          request.jobs};
  playbook::CheckResult result = playbook::check_playbooks(inputs);
  CheckedPlaybooks checked;
  checked.claims_held = result.claims_held;
  checked.playbooks = result.playbooks;
  checked.report = playbook::report_of(std::move(result), tree->snapshot);
  return checked;
}

Result<playbook::Updated> write_playbook(const repo::Repository& repository, const PlaybookWriteRequest& request,
                                         Timings& timings) {
  if (!request.update && !repository.is_git())
    return fail(fmt::format("'{}' is no git repository: a playbook is written from its files and its history",
                            repository.root()),
                "run it inside a git repository");
  std::vector<std::string> files;
  if (request.update) files.push_back(*request.update);
  Result<ReadTree> tree = read_tree(repository, request.revision, files, request.jobs, timings);
  if (!tree) return tl::unexpected<Error>(tree.error());
  const auto scope = timings.time("playbook");
  if (!request.update && tree->snapshot.files().empty())
    return fail("there is no file here that a playbook could speak of", "run it in a repository with files in it");
  const playbook::WriteInputs inputs{tree->snapshot, tree->program,   &repository, request.revision.value_or("HEAD"),
                                     request.tokens, request.sources, request.jobs};
  if (!request.update) return playbook::Updated{playbook::write_playbook(inputs), 0, {}, {}};
  // A symbolic link stands for what it points to: the text to renew is there.
  const playbook::Paths paths(tree->snapshot);
  const std::string path = paths.resolve(files.front()).value_or(std::string());
  if (path.empty() || !paths.has_file(path) || paths.links().contains(path))
    return fail(fmt::format("'{}' is a link that leads out of the repository, or nowhere", *request.update),
                "name the playbook itself");
  const Result<std::string> text = tree->snapshot.read(path);
  if (!text) return tl::unexpected<Error>(text.error());
  if (text->size() > playbook::kMaxPageBytes || repo::is_binary(*text))
    return fail(fmt::format("'{}' is no playbook that can be renewed", *request.update),
                "give a text file under 1 MiB");
  playbook::Updated updated = playbook::update_playbook(inputs, path, *text);
  if (path != files.front()) updated.followed_to = path;
  return updated;
}

Result<std::string> propose_rules(const repo::Repository& repository, const PlaybookRequest& request,
                                  const std::optional<std::string>& config) {
  std::vector<std::string> files = request.files;
  Result<repo::Snapshot> snapshot = request.revision ? repository.snapshot_at(*request.revision) : repository.current();
  if (snapshot) snapshot = with_files(std::move(*snapshot), files);
  if (!snapshot) return tl::unexpected<Error>(snapshot.error());
  const Result<rules::Settings> settings = config ? settings_from_file(*config) : settings_of(*snapshot);
  if (!settings) return tl::unexpected<Error>(settings.error());
  const playbook::Paths paths(*snapshot);
  return playbook::proposals_as_toml(
      playbook::propose_rules(playbook::read_playbooks(*snapshot, paths, files), paths, *settings));
}

std::string write_playbook_check(const CheckedPlaybooks& checked) {
  report::Document document = report::write_check(checked.report);
  document.title = report::prose("Playbook check");
  document.paragraph(fmt::format("{} read; {} held against the repository and found true.",
                                 count_of(checked.playbooks, "playbook"), count_of(checked.claims_held, "claim")));
  return render::render_markdown(document);
}

}  // namespace lockstep::driver
