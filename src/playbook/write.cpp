#include "playbook/write.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/strings.h"
#include "playbook/check.h"

namespace lockstep::playbook {

namespace {

/// Commits that the history is read from: enough for habits to show, few enough to be of this year.
constexpr std::size_t kCommits = 400;
/// Where the written text pretends to be while it is checked.
constexpr std::string_view kCheckedAs = "AGENTS.md";

std::string text_of(const DraftLine& line) { return fmt::format("- {}: {}", line.lead, line.text); }

std::string with_sources(const DraftLine& line) {
  std::vector<std::string> places;
  for (const Place& place : line.sources) {
    const std::string text = fmt::format("{}:{}", place.path, place.line + 1);
    if (std::find(places.begin(), places.end(), text) == places.end() && places.size() < 4) places.push_back(text);
  }
  return fmt::format("{} <!-- {} -->", text_of(line), join(places, ", "));
}

std::string title_of(const DraftInputs& inputs) {
  const Project* project = inputs.ground.tools.project_in("");
  std::string name = project != nullptr ? project->name : std::string();
  if (name.empty()) name = inputs.main_package;
  return name.empty() ? std::string("# Working here") : fmt::format("# Working on {}", name);
}

std::string render(const std::string& title, const std::vector<DraftSection>& sections, bool sources) {
  std::string text = title + "\n";
  for (const DraftSection& section : sections) {
    if (section.lines.empty()) continue;
    text += fmt::format("\n## {}\n\n", section.title);
    for (const DraftLine& line : section.lines) text += (sources ? with_sources(line) : text_of(line)) + "\n";
  }
  return text;
}

CheckResult check_text(const DraftInputs& inputs, std::string path, std::string text) {
  Playbooks playbooks;
  playbooks.read.push_back({read_page(std::move(path), std::move(text)), PlaybookKind::kGuide});
  return hold_playbooks(inputs.ground, playbooks, inputs.repository, inputs.revision);
}

// Leaves out what the check does not bear. A line's accusation is found by its text.
void drop_accused(const DraftInputs& inputs, const std::string& title, std::vector<DraftSection>& sections) {
  const std::string text = render(title, sections, false);
  const std::vector<std::string_view> lines = split_lines(text);
  std::set<std::string, std::less<>> accused;
  for (const rules::Finding& finding : check_text(inputs, std::string(kCheckedAs), text).findings) {
    if (finding.rule != "playbook-size" && finding.start_line < lines.size())
      accused.emplace(lines[finding.start_line]);
  }
  for (DraftSection& section : sections)
    std::erase_if(section.lines, [&](const DraftLine& line) { return accused.contains(text_of(line)); });
}

// Keeps what is worth most within the budget.
void fit(const std::string& title, std::vector<DraftSection>& sections, std::size_t tokens) {
  while (token_count(render(title, sections, false)) > tokens) {
    DraftSection* poorest = nullptr;
    std::size_t at = 0;
    for (DraftSection& section : sections) {
      for (std::size_t i = 0; i < section.lines.size(); ++i) {
        if (poorest != nullptr && section.lines[i].worth > poorest->lines[at].worth) continue;
        poorest = &section;
        at = i;
      }
    }
    if (poorest == nullptr) return;
    poorest->lines.erase(poorest->lines.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

std::vector<DraftSection> draft_all(const DraftInputs& inputs) {
  return {draft_setup(inputs),       draft_commands(inputs), draft_layout(inputs),
          draft_conventions(inputs), draft_plumbing(inputs), draft_history(inputs)};
}

DraftInputs draft_inputs(const WriteInputs& inputs, const Ground& ground) {
  DraftInputs drafts{
      ground, inputs.repository, inputs.revision, {}, main_package_of(inputs.program), importers_in(inputs.program)};
  if (inputs.repository != nullptr) drafts.commits = inputs.repository->recent_commits(inputs.revision, kCommits);
  return drafts;
}

/// "- Lead: rest" → "Lead", with the marks of emphasis gone; empty for other lines.
std::string lead_of(std::string_view line) {
  std::string_view text = trim(line);
  if (!text.starts_with("- ") && !text.starts_with("* ")) return {};
  const std::size_t colon = text.find(": ");
  if (colon == std::string_view::npos) return {};
  return to_lower(replace_all(trim(text.substr(2, colon - 2)), "*", ""));
}

/// Line numbers that lines were read off move with every change; where only they differ, nothing is stale.
std::map<std::string, std::string> lines_by_lead(const std::vector<DraftSection>& sections) {
  std::map<std::string, std::string> lines;
  for (const DraftSection& section : sections) {
    for (const DraftLine& line : section.lines) lines.emplace(to_lower(replace_all(line.lead, "*", "")), text_of(line));
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

/// Lines with their terminators.
std::vector<std::string> lines_with_ends(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::size_t next = end == std::string_view::npos ? text.size() : end + 1;
    lines.emplace_back(text.substr(at, next - at));
    at = next;
  }
  return lines;
}

std::string end_of(std::string_view line) {
  if (line.ends_with("\r\n")) return "\r\n";
  return line.ends_with('\n') ? "\n" : "";
}

bool is_stale(const rules::Finding& finding) {
  return finding.rule != "playbook-size" && finding.rule != "playbook-duplicate" && finding.rule != "playbook-conflict";
}

/// One round: every line that is false and can be renewed is. Lines that were tried already stay.
bool renew(const CheckResult& checked, const std::map<std::string, std::string>& fresh, std::vector<std::string>& lines,
           std::set<std::string>& tried) {
  bool changed = false;
  std::set<std::uint32_t> done;
  for (const rules::Finding& finding : checked.findings) {
    if (!is_stale(finding) || finding.start_line >= lines.size() || done.contains(finding.start_line)) continue;
    std::string& line = lines[finding.start_line];
    std::string replacement;
    if (finding.suggestion) {
      replacement = trim(*finding.suggestion).empty() ? std::string() : *finding.suggestion;
      while (replacement.ends_with('\n') || replacement.ends_with('\r')) replacement.pop_back();
    } else if (const auto found = fresh.find(lead_of(line)); found != fresh.end()) {
      replacement = found->second;
    }
    if (replacement.empty() || !tried.insert(line).second) continue;
    replacement += end_of(line);
    if (replacement == line) continue;
    line = std::move(replacement);
    done.insert(finding.start_line);
    changed = true;
  }
  return changed;
}

}  // namespace

std::string write_playbook(const WriteInputs& inputs) {
  const Ground ground = gather_ground(inputs.snapshot, inputs.program, {}, inputs.jobs);
  const DraftInputs drafts = draft_inputs(inputs, ground);
  std::vector<DraftSection> sections = draft_all(drafts);
  const std::string title = title_of(drafts);
  drop_accused(drafts, title, sections);
  fit(title, sections, inputs.tokens);
  return render(title, sections, inputs.sources);
}

Updated update_playbook(const WriteInputs& inputs, const std::string& path, const std::string& text) {
  constexpr int kMostRounds = 8;
  const Ground ground = gather_ground(inputs.snapshot, inputs.program, {path}, inputs.jobs);
  const DraftInputs drafts = draft_inputs(inputs, ground);
  std::vector<DraftSection> sections = draft_all(drafts);
  drop_accused(drafts, title_of(drafts), sections);
  const std::map<std::string, std::string> fresh = lines_by_lead(sections);
  const std::vector<std::string> before = lines_with_ends(text);
  std::vector<std::string> lines = before;
  std::set<std::string> tried;
  CheckResult checked = check_text(drafts, path, text);
  for (int round = 0; round < kMostRounds && renew(checked, fresh, lines, tried); ++round)
    checked = check_text(drafts, path, joined(lines));
  Updated updated{joined(lines), 0, {}, {}};
  for (std::size_t i = 0; i < lines.size(); ++i) updated.renewed += lines[i] != before[i] ? 1u : 0u;
  for (const rules::Finding& finding : checked.findings) {
    if (is_stale(finding)) updated.left.push_back({finding.start_line, finding.message, finding.fix});
  }
  return updated;
}

}  // namespace lockstep::playbook
