#include "playbook/changed_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/strings.h"

namespace lockstep::playbook {

namespace {

/// What is claimed of the repository, as against remarks on the text.
bool is_claim(std::string_view rule) {
  static const std::set<std::string_view> kClaims = {
      "playbook-path",     "playbook-link",   "playbook-command",     "playbook-option", "playbook-test",
      "playbook-symbol",   "playbook-config", "playbook-version",     "playbook-lint",   "playbook-absence",
      "playbook-workflow", "playbook-owner",  "playbook-front-matter"};
  return kClaims.contains(rule);
}

using Key = std::tuple<std::string, std::string_view, std::string>;  // path, rule, text of the line

Key key_of(const rules::Finding& finding, const Playbooks& playbooks) {
  std::string text;
  for (const Playbook& playbook : playbooks.read) {
    if (playbook.page.path == finding.path) text = trim(playbook.page.source.line(finding.start_line));
  }
  return {finding.path, finding.rule, std::move(text)};
}

/// Of the playbooks before the change, the lines that read as those that are false after it.
Playbooks alike(const Playbooks& playbooks, const std::set<Key>& wanted) {
  std::set<std::pair<std::string, std::string>> lines;
  for (const auto& [path, rule, text] : wanted) lines.emplace(path, text);
  Playbooks result = playbooks;
  for (Playbook& playbook : result.read) {
    Page& page = playbook.page;
    std::vector<bool> kept(page.source.line_count());
    for (std::uint32_t line = 0; line < kept.size(); ++line)
      kept[line] = lines.contains({page.path, std::string(trim(page.source.line(line)))});
    keep_lines(page, kept);
  }
  return result;
}

// The file of the change that took away what the line names, if its path says so.
const repo::FileChange* cause_of(const rules::Finding& finding, const repo::SnapshotDiff& diff) {
  const repo::FileChange* found = nullptr;
  for (const repo::FileChange& file : diff.files) {
    if (file.old_path.empty() || file.old_path == file.new_path) continue;
    if (contains(finding.message, fmt::format("`{}`", file.old_path)) ||
        contains(finding.message, fmt::format("`{}`", name_of(file.old_path)))) {
      if (found != nullptr) return nullptr;
      found = &file;
    }
  }
  return found;
}

rules::Finding reported(rules::Finding finding, const ChangedInputs& inputs, std::string_view line, Family family) {
  const repo::FileChange* file = inputs.diff.find_after(finding.path);
  const bool written = file != nullptr && file->lines.in_hunk(finding.start_line);
  if (const repo::FileChange* cause = cause_of(finding, inputs.diff)) {
    if (cause->new_path.empty()) {
      finding.fix =
          fmt::format("the change removes `{}`: drop the line, or name what takes its place", cause->old_path);
    } else {
      finding.fix = fmt::format("write `{}`", cause->new_path);
      finding.evidence.push_back({cause->new_path, 0, fmt::format("`{}` is called so now", cause->old_path)});
      const std::size_t at = line.find(cause->old_path);
      if (at != std::string_view::npos && line.find(cause->old_path, at + 1) == std::string_view::npos)
        finding.suggestion =
            fmt::format("{}{}{}\n", line.substr(0, at), cause->new_path, line.substr(at + cause->old_path.size()));
    }
  }
  const bool is_playbook = family == Family::kPlaybooks;
  finding.rule = is_playbook ? "stale-playbook" : "stale-documentation";
  finding.severity = is_playbook ? rules::Severity::kP2 : std::max(finding.severity, rules::Severity::kP2);
  finding.symbol.clear();
  finding.message = fmt::format("{}: {}",
                                !written      ? "the change makes this line false"
                                : is_playbook ? "this line of the playbook is false"
                                              : "this line of the documentation does not hold after the change",
                                finding.message);
  return finding;
}

}  // namespace

bool in_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

std::string read(const repo::Snapshot& snapshot, const std::string& path) {
  if (path.empty()) return {};
  const Result<std::string> text = snapshot.read(path);
  return text && !repo::is_binary(*text) ? *text : std::string();
}

void keep_lines(Page& page, const std::vector<bool>& kept) {
  for (std::uint32_t line = 0; line < kept.size(); ++line) {
    if (!kept[line]) page.is_prose[line] = false;
  }
  const auto is_left_out = [&](const auto& each) { return !kept[each.line]; };
  std::erase_if(page.codes, is_left_out);
  std::erase_if(page.links, is_left_out);
  // A block is one script: what a line means depends on those before it.
  std::erase_if(page.blocks, [&](const CodeBlock& block) {
    return std::all_of(block.lines.begin(), block.lines.end(), is_left_out);
  });
}

std::string line_of(const rules::Finding& finding, const Playbooks& playbooks) {
  return std::get<2>(key_of(finding, playbooks));
}

Ground ground_of(const repo::Snapshot& snapshot, const program::Program& program, const Playbooks& playbooks,
                 std::size_t jobs) {
  std::set<std::string, std::less<>> read;
  for (const Playbook& playbook : playbooks.read) read.insert(playbook.page.path);
  return gather_ground(snapshot, program, read, jobs);
}

std::vector<rules::Finding> claims_found(const Ground& ground, const Playbooks& all, const Playbooks& part) {
  std::vector<rules::Finding> findings = hold_playbooks(ground, part, nullptr, "", &all).findings;
  std::erase_if(findings, [](const rules::Finding& finding) { return !is_claim(finding.rule); });
  return findings;
}

namespace {

/// What was false already: of the lines that read as those of `findings`, which the pages `after` have. `before` are
/// the pages as they were.
std::set<Key> known_before(const ChangedInputs& inputs, const Playbooks& before, const Ground& ground_after,
                           const Playbooks& after, const std::vector<rules::Finding>& findings) {
  std::set<Key> wanted, known;
  for (const rules::Finding& finding : findings) wanted.insert(key_of(finding, after));
  Ground ground = ground_of(inputs.before, inputs.program_before, before, inputs.jobs);
  TextSet differ;
  for (const repo::FileChange& file : inputs.diff.files) differ.insert(file.old_path);
  ground.words.follow(ground_after.words, differ);
  for (const rules::Finding& finding : claims_found(ground, before, alike(before, wanted)))
    known.insert(key_of(finding, before));
  return known;
}

}  // namespace

std::vector<rules::Finding> newly_false(const ChangedInputs& inputs, std::vector<rules::Finding> findings,
                                        const Ground& ground, const Playbooks& after, Family family,
                                        const std::function<Playbooks()>& before) {
  if (findings.empty()) return {};
  const std::set<Key> known = known_before(inputs, before(), ground, after, findings);
  std::vector<rules::Finding> result;
  for (rules::Finding& finding : findings) {
    const Key key = key_of(finding, after);
    if (!known.contains(key)) result.push_back(reported(std::move(finding), inputs, std::get<2>(key), family));
  }
  return result;
}

}  // namespace lockstep::playbook
