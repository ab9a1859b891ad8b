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

// "You are now root's assistant": a role that the text gives to its reader; not "you are now ready", "now in the
// folder".
std::string new_role(std::string_view lower) {
  constexpr std::string_view kLead = "you are now ";
  const std::size_t at = lower.find(kLead);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = lower.substr(at + kLead.size());
  const bool is_role = rest.starts_with("a ") || rest.starts_with("an ") || rest.starts_with("the ") ||
                       rest.starts_with("my ") || rest.starts_with("acting as ");
  static constexpr std::array<std::string_view, 7> kRoles = {"assistant", "agent", "ai",    "model",
                                                             "bot",       "admin", "hacker"};
  const std::vector<std::string_view> words = split(rest.substr(0, 60), ' ');
  const bool names_one = std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    while (!word.empty() && (word.back() == '.' || word.back() == ',' || word.back() == '!')) word.remove_suffix(1);
    return std::find(kRoles.begin(), kRoles.end(), word) != kRoles.end();
  });
  return is_role && names_one ? std::string(trim(kLead)) + " \u2026" : std::string();
}

// "Ignore the previous instructions" in Chinese: a verb, soon after it "previous" or "system", then "instructions".
std::string chinese_order(std::string_view text) {
  static constexpr std::array<std::string_view, 4> kVerbs = {"\u5ffd\u7565", "\u65e0\u89c6", "\u5fd8\u8bb0",
                                                             "\u4e0d\u8981\u7406\u4f1a"};
  static constexpr std::array<std::string_view, 10> kWhich = {
      "\u4e4b\u524d", "\u4ee5\u4e0a", "\u5148\u524d", "\u524d\u9762", "\u4e0a\u8ff0",
      "\u6b64\u524d", "\u6240\u6709", "\u539f\u6709", "\u7cfb\u7edf", "\u4e00\u5207"};
  static constexpr std::array<std::string_view, 5> kWhat = {"\u6307\u4ee4", "\u6307\u793a", "\u63d0\u793a",
                                                            "\u547d\u4ee4", "\u89c4\u5219"};
  constexpr std::size_t kNear = 45;  // bytes: fifteen characters
  for (const std::string_view verb : kVerbs) {
    const std::size_t at = text.find(verb);
    if (at == std::string_view::npos) continue;
    const std::string_view near = text.substr(at, kNear);
    const auto holds = [&](std::string_view word) { return contains(near, word); };
    const auto what = std::find_if(kWhat.begin(), kWhat.end(), holds);
    if (what == kWhat.end() || std::none_of(kWhich.begin(), kWhich.end(), holds)) continue;
    return std::string(near.substr(0, near.find(*what) + what->size()));
  }
  return {};
}

// One for a page: what follows is more of the same.
bool check_injection(const Page& page, std::uint32_t line, Ledger& ledger) {
  static constexpr std::array<std::string_view, 26> kPhrases = {"disregard the system prompt",
                                                                "ignore the system prompt",
                                                                "disregard your instructions",
                                                                "ignore your instructions",
                                                                "ignore all instructions",
                                                                "you are now dan",
                                                                "you are now an unrestricted",
                                                                "you are now a different",
                                                                "you are now in developer mode",
                                                                "ignore all previous",
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
  const auto listed =
      std::find_if(kPhrases.begin(), kPhrases.end(), [&](std::string_view one) { return contains(lower, one); });
  std::string phrase = listed != kPhrases.end() ? std::string(*listed) : new_role(lower);
  if (phrase.empty()) phrase = chinese_order(lower);
  if (phrase.empty()) return false;
  rules::Finding finding = finding_at(
      page, line, "playbook-injection", Severity::kP2,
      fmt::format("the line speaks past whoever runs the agent: \"{}\"", phrase),
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

/// Headings above a line, outermost first, in lower case.
std::string sections_above(const Page& page, std::uint32_t line) {
  std::string names;
  int level = 7;
  for (auto heading = page.headings.rbegin(); heading != page.headings.rend(); ++heading) {
    if (heading->line > line || heading->level >= level) continue;
    level = heading->level;
    names = to_lower(heading->text) + " / " + names;
  }
  return names;
}

// "curl … | bash" where nothing is being set up.
void check_remote_scripts(const Page& page, std::uint32_t line, Ledger& ledger) {
  const std::string text = to_lower(page.plain_line(line));
  const std::size_t fetch = std::min(text.find("curl "), text.find("wget "));
  if (fetch == std::string::npos) return;
  const std::string_view rest = std::string_view(text).substr(fetch);
  const std::size_t pipe = rest.find('|');
  std::string_view into = pipe == std::string_view::npos ? std::string_view{} : trim(rest.substr(pipe + 1));
  if (into.starts_with("sudo ")) into = trim(into.substr(5));
  const std::string_view shell = into.substr(0, into.find_first_of(" \t`\"'.,;)"));
  const bool runs = shell == "bash" || shell == "sh" || shell == "zsh" || contains(text, "<(curl ") ||
                    contains(text, "-c \"$(curl ") || contains(text, "-c \"$(wget ");
  if (!runs || speaks_of_absence(sentence_at(page, line, "curl "))) return;
  const std::string around = sections_above(page, line) + text;
  static constexpr std::array<std::string_view, 12> kSetup = {
      "install", "setup",     "set up",  "set-up",          "environment", "prerequisite",
      "rustup",  "bootstrap", "require", "getting started", "quick start", "dependenc"};
  if (std::any_of(kSetup.begin(), kSetup.end(), [&](std::string_view word) { return contains(around, word); })) return;
  ledger.accuse(finding_at(page, line, "playbook-injection", Severity::kP3,
                           "the line runs a script from the network that nobody here has read",
                           "Whoever controls the address runs commands with the rights of the agent",
                           "keep the script in the repository, or say what it does and check its digest"));
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
    check_remote_scripts(page, line, ledger);
  }
  check_comments(page, ledger);
  check_size(playbook, ledger);
}

}  // namespace lockstep::playbook
