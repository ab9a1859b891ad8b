// What no playbook should hold: secrets, text that people do not see, orders against whoever runs the agent, tools of
// one agent only, more words than anybody wants to pay for in each session.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/secrets.h"
#include "base/strings.h"
#include "playbook/check_parts.h"

namespace lockstep::playbook {

namespace {

using rules::Severity;

void check_secrets(const Page& page, std::uint32_t line, Ledger& ledger) {
  const std::string_view text = page.source.line(line);
  const auto accuse = [&](std::string_view what) {
    ledger.accuse(finding_at(page, line, "playbook-secret", Severity::kP1,
                             fmt::format("the line holds what looks like {}", what),
                             "Whoever reads the repository, or the log of an agent that read it, can use it",
                             "revoke it, and name the variable that holds it instead"));
  };
  if (contains(text, "-----BEGIN") && contains(text, "PRIVATE KEY")) accuse("a private key");
  const std::vector<FoundSecret> found = find_secrets(text);
  if (!found.empty()) accuse(found.front().what);
}

/// Code points that nobody sees, or that turn text around. Zero-width joiners belong to emoji and are left alone.
std::string_view hidden_character(std::string_view text) {
  for (std::size_t i = 0; i + 2 < text.size(); ++i) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    if (byte(i) == 0xE2 && byte(i + 1) == 0x80) {
      if (byte(i + 2) == 0x8B) return "a zero-width space";
      if (byte(i + 2) >= 0xAA && byte(i + 2) <= 0xAE) return "a character that turns the direction of text";
    }
    if (byte(i) == 0xE2 && byte(i + 1) == 0x81) {
      if (byte(i + 2) == 0xA0) return "a word joiner";
      if (byte(i + 2) >= 0xA6 && byte(i + 2) <= 0xA9) return "a character that turns the direction of text";
    }
    if (byte(i) == 0xF3 && byte(i + 1) == 0xA0 && (byte(i + 2) == 0x80 || byte(i + 2) == 0x81))
      return "invisible tag characters";
  }
  return {};
}

void check_hidden(const Page& page, std::uint32_t line, Ledger& ledger) {
  const std::string_view text = page.source.line(line);
  const std::string_view hidden = hidden_character(text);
  const std::string lower = to_lower(text);
  const bool styled =
      contains(lower, "style=") && (contains(lower, "display:none") || contains(lower, "display: none") ||
                                    contains(lower, "font-size:0") || contains(lower, "font-size: 0"));
  if (hidden.empty() && !styled) return;
  ledger.accuse(
      finding_at(page, line, "playbook-hidden-text", Severity::kP1,
                 fmt::format("the line holds {}",
                             hidden.empty() ? std::string_view("text that is styled to be invisible") : hidden),
                 "An agent reads what a reviewer does not see", "remove it"));
}

// Comments are read by agents and by nobody else.
void check_comments(const Page& page, Ledger& ledger) {
  static constexpr std::array<std::string_view, 12> kOrders = {"ignore ",   "you must", "assistant",     "ai agent",
                                                               "the agent", "execute",  "do not tell",   "instructions",
                                                               "curl ",     "wget ",    "system prompt", "always "};
  for (const CodeLine& line : page.html) {
    const std::string lower = to_lower(page.source.line(line.line));
    if (!contains(lower, "<!--") || contains(lower, "markdownlint") || contains(lower, "prettier")) continue;
    const auto order =
        std::find_if(kOrders.begin(), kOrders.end(), [&](std::string_view word) { return contains(lower, word); });
    if (order == kOrders.end()) continue;
    ledger.accuse(finding_at(page, line.line, "playbook-hidden-text", Severity::kP2, "an HTML comment gives orders",
                             "An agent reads what a rendered page does not show", "say it in the open, or remove it"));
  }
}

// One for a page: what follows is more of the same.
bool check_injection(const Page& page, std::uint32_t line, Ledger& ledger) {
  static constexpr std::array<std::string_view, 17> kPhrases = {"ignore all previous",
                                                                "ignore previous instructions",
                                                                "ignore any previous",
                                                                "ignore the above",
                                                                "ignore prior instructions",
                                                                "disregard all previous",
                                                                "disregard previous",
                                                                "disregard the above",
                                                                "forget all previous",
                                                                "forget your instructions",
                                                                "your system prompt",
                                                                "system prompt override",
                                                                "do not tell the user",
                                                                "don't tell the user",
                                                                "without telling the user",
                                                                "do not mention this to the user",
                                                                "exfiltrate"};
  const std::string lower = to_lower(page.plain_line(line));
  const auto phrase =
      std::find_if(kPhrases.begin(), kPhrases.end(), [&](std::string_view one) { return contains(lower, one); });
  if (phrase == kPhrases.end()) return false;
  rules::Finding finding = finding_at(
      page, line, "playbook-injection", Severity::kP2,
      fmt::format("the line speaks past whoever runs the agent: \"{}\"", *phrase),
      "Text of this kind is how a repository takes over the agents that read it; many agents refuse the whole file",
      "say what to do, without a word about other instructions");
  finding.certainty = rules::FindingCertainty::kQuestion;
  ledger.accuse(std::move(finding));
  return true;
}

// Tools that one product's agent has; an agent of another has nothing of that name.
void check_followable(const Page& page, std::uint32_t line, Ledger& ledger) {
  static constexpr std::array<std::string_view, 6> kTools = {"`apply_patch`",     "`Read` tool", "`str_replace_editor`",
                                                             "`AskUserQuestion`", "`TodoWrite`", "`edit_file` tool"};
  const std::string_view text = page.source.line(line);
  std::vector<std::string> named;
  for (const std::string_view tool : kTools) {
    if (contains(text, tool)) named.push_back(std::string(tool));
  }
  if (named.empty() || speaks_of_absence(sentence_at(page, line, named.front()))) return;
  ledger.accuse(finding_at(page, line, "playbook-unfollowable", Severity::kP3,
                           fmt::format("only some agents have {}", join(named, ", ")),
                           "Nothing in the repository has this name, so other agents cannot follow the line",
                           "say what to do, not with which tool"));
}

/// What a file that is read in every session may cost.
constexpr std::size_t kManyTokens = 2500;

struct Section {
  std::string name;
  std::size_t tokens = 0;
  bool has_fact = false;
};

void check_size(const Playbook& playbook, Ledger& ledger) {
  const Page& page = playbook.page;
  const std::size_t tokens = token_count(page.source.bytes());
  if (playbook.kind != PlaybookKind::kGuide || tokens <= kManyTokens) return;
  std::vector<Section> sections;
  for (std::size_t i = 0; i < page.headings.size(); ++i) {
    const std::uint32_t first = page.headings[i].line;
    const std::uint32_t last =
        i + 1 < page.headings.size() ? page.headings[i + 1].line : static_cast<std::uint32_t>(page.source.line_count());
    Section section{page.headings[i].text, 0, false};
    for (std::uint32_t line = first; line < last; ++line) section.tokens += token_count(page.source.line(line));
    const auto inside = [&](std::uint32_t line) { return line >= first && line < last; };
    section.has_fact =
        std::any_of(page.codes.begin(), page.codes.end(), [&](const CodeSpan& code) { return inside(code.line); }) ||
        std::any_of(page.blocks.begin(), page.blocks.end(),
                    [&](const CodeBlock& block) { return !block.lines.empty() && inside(block.lines.front().line); });
    sections.push_back(std::move(section));
  }
  std::stable_sort(sections.begin(), sections.end(), [](const Section& a, const Section& b) {
    return std::pair(a.has_fact, b.tokens) < std::pair(b.has_fact, a.tokens);
  });
  std::vector<std::string> candidates;
  for (const Section& section : sections) {
    if (candidates.size() < 4 && section.tokens >= 40)
      candidates.push_back(fmt::format("\"{}\" ({}{})", section.name, section.tokens,
                                       section.has_fact ? "" : ", names nothing of this repository"));
  }
  ledger.accuse(finding_at(
      page, 0, "playbook-size", Severity::kP3, fmt::format("about {} tokens are read in every session", tokens),
      "Long playbooks cost tokens and attention in each task, also where they do not apply",
      fmt::format("move what only some tasks need to a skill; the first candidates: {}", join(candidates, ", "))));
}

}  // namespace

std::size_t token_count(std::string_view text) { return (text.size() + 3) / 4; }

void check_hygiene(const Facts&, const Playbook& playbook, Ledger& ledger) {
  const Page& page = playbook.page;
  bool injected = false;
  for (std::uint32_t line = 0; line < page.source.line_count(); ++line) {
    check_secrets(page, line, ledger);
    check_hidden(page, line, ledger);
    injected = injected || check_injection(page, line, ledger);
    if (page.is_prose[line]) check_followable(page, line, ledger);
  }
  check_comments(page, ledger);
  check_size(playbook, ledger);
}

}  // namespace lockstep::playbook
