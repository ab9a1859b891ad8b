#include "playbook/propose.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "base/strings.h"
#include "playbook/check_parts.h"
#include "rules/rule.h"

namespace lockstep::playbook {

namespace {

using Words = std::array<std::string_view, 9>;  // the rest may be empty

/// A rule of Lockstep and how people ask for what it finds: a word of each list, in one sentence.
struct Wish {
  std::string_view rule;
  Words about;
  Words says;
};

constexpr std::array<Wish, 9> kWishes = {{
    {"host-sync-in-step",
     {".item()", "host sync", "device-to-host", "d2h", "cpu sync", "cuda sync", "synchronize"},
     {"step", "training loop", "forward", "hot path", "critical path"}},
    {"rank-divergent-collective",
     {"collective", "all-reduce", "all_reduce", "barrier", "deadlock"},
     {"every rank", "all ranks", "same order", "each rank", "rank-dependent", "conditional"}},
    {"missing-test",
     {"unit test", "add tests", "tests for", "a test for", "include tests", "with tests"},
     {"new feature", "new function", "new code", "every change", "each change", "new module", "bug fix", "every pr"}},
    {"unguarded-import", {"import"}, {"try/except", "importerror", "optional depend", "have_te", "guard"}},
    {"flag-without-reader",
     {"flag", "option", "knob", "argument"},
     {"unused", "dead", "without a reader", "nobody reads"}},
    {"undeclared-choice", {"choices"}, {"argparse", "add_argument", "declare"}},
    {"defaults-disagree", {"default"}, {"in sync", "same default", "agree", "in two places"}},
    {"signature-mismatch", {"signature"}, {"override", "subclass", "base class", "caller"}},
    {"forward-called-directly", {".forward("}, {"call", "directly", "hook"}},
}};

bool has_any(std::string_view text, const Words& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return !word.empty() && contains(text, word); });
}

/// The sentence orders something; how strongly tells the severity.
std::string_view severity_of(std::string_view sentence) {
  static constexpr Words kStrict = {"must ",   "must not", "never ",    "always ",  "required",
                                    "do not ", "don't ",   "mandatory", "forbidden"};
  static constexpr Words kMild = {"should ", "avoid ", "guard ", "ensure ", "make sure", "add tests"};
  if (has_any(sentence, kStrict)) return "P1";
  return has_any(sentence, kMild) ? "P2" : "";
}

std::string one_line(std::string_view line) {
  std::string text;
  for (const char c : trim(line)) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    text += control ? ' ' : c;
  }
  constexpr std::size_t kMost = 160;
  if (text.size() <= kMost) return text;
  return std::string(cut_at_character(text, kMost)) + "…";
}

using Found = std::map<std::pair<std::string, std::string>, Proposal>;  // table and key

void propose_severities(const Page& page, std::uint32_t line, const rules::Settings& present, Found& found) {
  // The paragraph's sentence that begins on this line or holds it.
  const std::string sentence = sentence_at(page, line, trim(page.plain_line(line)));
  const std::string_view severity = severity_of(sentence);
  if (severity.empty()) return;
  for (const Wish& wish : kWishes) {
    if (!has_any(sentence, wish.about) || !has_any(sentence, wish.says)) continue;
    const std::string id(wish.rule);
    if (rules::find_rule(id) == nullptr || present.severities.contains(id)) continue;
    const auto& off = present.disabled_rules;
    if (std::find(off.begin(), off.end(), id) != off.end()) continue;  // a person said otherwise
    found.try_emplace({"rules.severity", id}, Proposal{"rules.severity", id, std::string(severity), page.path, line,
                                                       one_line(page.plain_line(line))});
  }
}

// "Do not edit `third_party/`": what nobody may change need not be reported on.
void propose_exclusions(const Page& page, const CodeSpan& code, const Paths& paths, const rules::Settings& present,
                        Found& found) {
  static constexpr Words kHandsOff = {"do not edit",  "don't edit", "never edit",   "do not modify", "never modify",
                                      "do not touch", "vendored",   "is generated", "auto-generated"};
  const std::string sentence = sentence_at(page, code.line, code.text);
  if (!has_any(sentence, kHandsOff)) return;
  std::string_view text = trim(code.text);
  while (text.ends_with('/')) text.remove_suffix(1);
  const bool folder = paths.has_folder(text);
  // Lockstep reports on Python.
  if (!folder && !(paths.has_file(text) && text.ends_with(".py"))) return;
  const std::string glob = folder ? fmt::format("{}/**", text) : std::string(text);
  const auto& known = present.excluded_paths;
  if (std::find(known.begin(), known.end(), glob) != known.end()) return;
  found.try_emplace({"paths", glob},
                    Proposal{"paths", glob, {}, page.path, code.line, one_line(page.plain_line(code.line))});
}

/// True if the words right before a code span forbid what it names: "Never use `print`", "do not call `torch.load`".
bool is_forbidden_here(std::string_view before) {
  static constexpr std::array<std::string_view, 6> kForbids = {"never", "do not", "don't", "must not", "avoid", "no"};
  static constexpr std::array<std::string_view, 8> kUses = {"use",    "call", "using", "calling",
                                                            "import", "bare", "",      "add"};
  const std::string text = to_lower(trim(before));
  for (const std::string_view forbids : kForbids) {
    for (const std::string_view uses : kUses) {
      const std::string end = uses.empty() ? std::string(forbids) : fmt::format("{} {}", forbids, uses);
      if (!text.ends_with(end)) continue;
      const std::size_t start = text.size() - end.size();
      if (start == 0 || std::isalpha(static_cast<unsigned char>(text[start - 1])) == 0) return true;
    }
  }
  return false;
}

/// The dotted name in a code span that the configuration could forbid: `print()` or `torch.load`, with a first part
/// that code can mean; empty for anything else.
std::string name_to_forbid(std::string_view text, const Paths& paths) {
  text = trim(text);
  if (text.ends_with("()")) text.remove_suffix(2);
  const bool is_name = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  });
  if (!is_name || text.front() == '.' || text.back() == '.') return {};
  static constexpr std::array<std::string_view, 4> kBuiltins = {"print", "eval", "exec", "input"};
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) {
    return std::find(kBuiltins.begin(), kBuiltins.end(), text) == kBuiltins.end() ? std::string{} : std::string(text);
  }
  static constexpr std::array<std::string_view, 5> kOutside = {"torch", "os", "sys", "numpy", "pickle"};
  const std::string_view first = text.substr(0, dot);
  const bool is_known = std::find(kOutside.begin(), kOutside.end(), first) != kOutside.end() || paths.has_folder(first);
  return is_known && !paths.has_file(text) ? std::string(text) : std::string{};
}

// "Never use `print`": a rule of the repository's own.
void propose_written(const Page& page, const CodeSpan& code, const Paths& paths, const rules::Settings& present,
                     Found& found) {
  const std::string name = name_to_forbid(code.text, paths);
  if (name.empty() || !page.is_prose[code.line]) return;
  const std::string line = page.plain_line(code.line);
  const std::size_t at = line.find(code.text);
  if (at == std::string::npos || !is_forbidden_here(std::string_view(line).substr(0, at))) return;
  for (const rules::WrittenRule& rule : present.written) {
    if (std::find(rule.forbid.begin(), rule.forbid.end(), name) != rule.forbid.end()) return;
  }
  found.try_emplace({"written", name},
                    Proposal{"written", name, {}, page.path, code.line, one_line(page.plain_line(code.line))});
}

std::string toml_string(std::string_view text) {
  return fmt::format("\"{}\"", replace_all(replace_all(text, "\\", "\\\\"), "\"", "\\\""));
}

std::string source_of(const Proposal& proposal) {
  return fmt::format("# {}:{}: {}\n", proposal.path, proposal.line + 1, proposal.sentence);
}

}  // namespace

std::vector<Proposal> propose_rules(const Playbooks& playbooks, const Paths& paths, const rules::Settings& present) {
  Found found;
  for (const Playbook& playbook : playbooks.read) {
    const Page& page = playbook.page;
    for (std::uint32_t line = 0; line < page.source.line_count(); ++line) {
      if (page.is_prose[line]) propose_severities(page, line, present, found);
    }
    for (const CodeSpan& code : page.codes) {
      propose_exclusions(page, code, paths, present, found);
      propose_written(page, code, paths, present, found);
    }
  }
  std::vector<Proposal> proposals;
  for (auto& [key, proposal] : found) proposals.push_back(std::move(proposal));
  return proposals;
}

std::string proposals_as_toml(const std::vector<Proposal>& proposals) {
  if (proposals.empty()) return "# The playbooks ask for nothing that lockstep.toml could say and does not say yet.\n";
  std::string text = "# Proposed from the playbooks. Nothing here is in force until it stands in lockstep.toml.\n";
  std::string table;
  for (const Proposal& proposal : proposals) {
    if (proposal.table == "written") {
      text += fmt::format("\n[[written]]\n{}name = {}\nforbid = [{}]\n", source_of(proposal),
                          toml_string("no " + proposal.key), toml_string(proposal.key));
      continue;
    }
    if (proposal.table != table) {
      text += fmt::format("\n[{}]\n", proposal.table);
      table = proposal.table;
      if (table == "paths") text += "exclude = [\n";
    }
    if (table == "paths") {
      text += fmt::format("  {}  {},\n", source_of(proposal), toml_string(proposal.key));
    } else {
      text += fmt::format("{}{} = {}\n", source_of(proposal), proposal.key, toml_string(proposal.value));
    }
    const bool last = &proposal == &proposals.back() || (&proposal + 1)->table != table;
    if (table == "paths" && last) text += "]\n";
  }
  return text;
}

}  // namespace lockstep::playbook
