// Playbooks side by side: what one says and another denies, what both say, links that point nowhere.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/strings.h"
#include "playbook/check_parts.h"

namespace lockstep::playbook {

namespace {

using rules::Severity;

struct Said {
  const Page* page;
  Statement statement;
};

// "3.12" and "3.12.4" agree.
bool agree(std::string_view a, std::string_view b) { return a.starts_with(b) || b.starts_with(a); }

void check_contradictions(const Facts& facts, Ledger& ledger) {
  std::map<std::string, std::vector<Said>> by_subject;
  for (const Playbook& playbook : facts.playbooks.read) {
    for (Statement& statement : statements_of(playbook.page)) {
      by_subject[statement.subject].push_back({&playbook.page, std::move(statement)});
    }
  }
  for (const auto& [subject, said] : by_subject) {
    for (std::size_t i = 1; i < said.size(); ++i) {
      const Said& first = said[0];
      if (agree(first.statement.value, said[i].statement.value) || first.page == said[i].page) continue;
      rules::Finding finding =
          finding_at(*said[i].page, said[i].statement.line, "playbook-conflict", Severity::kP2,
                     fmt::format("{}: {} here, {} in `{}`", subject, said[i].statement.value, first.statement.value,
                                 first.page->path),
                     "An agent that has read both follows one of them by chance", "let one file say it");
      finding.evidence.push_back(
          {first.page->path, first.statement.line, fmt::format("says {}", first.statement.value)});
      ledger.accuse(std::move(finding));
      break;
    }
  }
}

/// Shorter lines repeat by chance.
constexpr std::size_t kLongLine = 60;
constexpr std::size_t kManyLines = 3;

void check_repetitions(const Facts& facts, Ledger& ledger) {
  struct Where {
    const Page* page;
    std::uint32_t line;
  };
  std::map<std::string, Where> first_seen;
  // (earlier page, later page) → lines of the later page.
  std::map<std::pair<std::string, std::string>, std::vector<std::pair<Where, Where>>> repeated;
  for (const Playbook& playbook : facts.playbooks.read) {
    const Page& page = playbook.page;
    for (std::uint32_t line = 0; line < page.source.line_count(); ++line) {
      const std::string_view text = trim(page.source.line(line));
      if (!page.is_prose[line] || text.size() < kLongLine) continue;
      const auto [seen, is_new] = first_seen.emplace(std::string(text), Where{&page, line});
      if (!is_new && seen->second.page != &page)
        repeated[{seen->second.page->path, page.path}].push_back({seen->second, {&page, line}});
    }
  }
  for (const auto& [pages, lines] : repeated) {
    if (lines.size() < kManyLines) continue;
    const auto& [earlier, later] = lines.front();
    rules::Finding finding =
        finding_at(*later.page, later.line, "playbook-duplicate", Severity::kP3,
                   fmt::format("{} stand in `{}` word for word", count_of(lines.size(), "line"), pages.first),
                   "One of the two is forgotten when the other changes", "keep them in one file and refer to it");
    finding.evidence.push_back({earlier.page->path, earlier.line, "the first of them"});
    ledger.accuse(std::move(finding));
  }
}

void check_symbolic_links(const Facts& facts, Ledger& ledger) {
  for (const auto& [path, target] : facts.playbooks.links) {
    if (!target.empty()) {
      ledger.hold();
      continue;
    }
    const auto text = facts.paths.links().find(path);
    rules::Finding finding;
    finding.rule = "playbook-link";
    finding.severity = Severity::kP1;
    finding.category = rules::Category::kDocs;
    finding.path = path;
    const std::string target_text = text != facts.paths.links().end() ? text->second : std::string();
    const bool inside = !target_text.starts_with('/') && join_path(folder_of(path), target_text).has_value();
    finding.message = fmt::format("the symbolic link points to `{}`, which is {}", target_text,
                                  inside ? "not there" : "outside the repository");
    finding.why = "Agents that look for this file find nothing";
    finding.fix = "point it to the playbook, or remove it";
    ledger.accuse(std::move(finding));
  }
  for (const Unread& unread : facts.playbooks.unread) {
    rules::Finding finding;
    finding.rule = "playbook-size";
    finding.severity = Severity::kP2;
    finding.category = rules::Category::kDocs;
    finding.path = unread.path;
    finding.message = fmt::format("the file was not held against the repository: {}", unread.why);
    finding.why = "An agent that reads it reads what nobody checks";
    finding.fix = "make it a short text file";
    ledger.accuse(std::move(finding));
  }
}

}  // namespace

void check_together(const Facts& facts, Ledger& ledger) {
  check_contradictions(facts, ledger);
  check_repetitions(facts, ledger);
  check_symbolic_links(facts, ledger);
}

}  // namespace lockstep::playbook
