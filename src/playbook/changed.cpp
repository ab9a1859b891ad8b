#include "playbook/changed_parts.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>

#include "base/strings.h"
#include "program/queries.h"

namespace lockstep::playbook {

namespace {

TextSet words_of(const Playbooks& playbooks) {
  TextSet words;
  for (const Playbook& playbook : playbooks.read) add_words(playbook.page.source.bytes(), words);
  return words;
}

/// Files that say how tools work: a number in them may make a line false without a word going.
bool is_setting(std::string_view path) {
  const std::string_view name = name_of(path);
  for (const std::string_view end : {".toml", ".cfg", ".ini", ".yaml", ".yml", ".flake8", "pylintrc", "Makefile",
                                     "CODEOWNERS", ".python-version", ".txt", ".json"}) {
    if (name.ends_with(end)) return true;
  }
  return false;
}

/// What of a change may make lines false.
struct Reach {
  TextSet gone;             ///< Words of the pages that some file loses.
  bool settings = false;    ///< Files that say how tools work are changed.
  bool new_on_top = false;  ///< There is a new file at the root or among the settings.
  bool tests = false;       ///< Tests are changed, and playbooks pick tests by parts of names (`-k`).
  bool playbooks = false;   ///< Playbooks are changed.
  [[nodiscard]] bool empty() const { return gone.empty() && !settings && !new_on_top && !tests && !playbooks; }
};

Reach reach_of(const ChangedInputs& inputs, const Playbooks& playbooks) {
  const TextSet known = words_of(playbooks);
  Reach reach;
  const bool picks_tests = std::any_of(playbooks.read.begin(), playbooks.read.end(), [](const Playbook& playbook) {
    return contains(playbook.page.source.bytes(), " -k ");
  });
  const auto note_gone = [&](std::string_view before, std::string_view after) {
    std::unordered_set<std::string_view> old_words, new_words;
    add_words(before, old_words);
    add_words(after, new_words);
    for (const std::string_view word : old_words) {
      if (!new_words.contains(word) && known.contains(word)) reach.gone.emplace(word);
    }
  };
  for (const repo::FileChange& file : inputs.diff.files) {
    if (playbook_kind(file.new_path)) reach.playbooks = true;
    if (picks_tests && program::is_test_path(file.old_path)) reach.tests = true;
    if (is_setting(file.new_path) || is_setting(file.old_path)) reach.settings = true;
    if (file.old_path.empty() && (!contains(file.new_path, "/") || file.new_path.starts_with('.')))
      reach.new_on_top = true;
    if (file.new_path != file.old_path) note_gone(file.old_path, file.new_path);
    note_gone(read(inputs.before, file.old_path), read(inputs.after, file.new_path));
  }
  return reach;
}

// A line that the change does not write is newly false only where something that it names goes, a setting changes, or
// something comes that it says there is none of.
bool may_be_new(const rules::Finding& finding, std::string_view line, const Reach& reach, const ChangedInputs& inputs) {
  const repo::FileChange* file = inputs.diff.find_after(finding.path);
  if (file != nullptr) return true;
  if (reach.tests && finding.rule == "playbook-test") return true;
  if (reach.new_on_top && finding.rule == "playbook-absence") return true;
  const bool is_name = finding.rule == "playbook-path" || finding.rule == "playbook-link" ||
                       finding.rule == "playbook-symbol" || finding.rule == "playbook-absence";
  if (reach.settings && !is_name) return true;
  TextSet words;
  add_words(line, words);
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return reach.gone.contains(word); });
}

/// Prose claims by what looks like a name, a path or a flag: "the file is gone" speaks of no file called "gone".
bool looks_like_name(std::string_view token) {
  while (!token.empty() && !in_word(token.back())) token.remove_suffix(1);
  return token.find_first_of("/_.:=-@") != std::string_view::npos ||
         (token.size() > 1 &&
          std::any_of(token.begin() + 1, token.end(), [](char c) { return (c >= 'A' && c <= 'Z') || c == '`'; }));
}

/// By line: the words in code, in the targets of links and in what looks like a name.
std::vector<TextSet> named_words(const Page& page) {
  std::vector<TextSet> words(page.source.line_count());
  for (const CodeSpan& code : page.codes) add_words(code.text, words[code.line]);
  for (const Link& link : page.links) add_words(link.target, words[link.line]);
  for (const CodeBlock& block : page.blocks) {
    for (const CodeLine& line : block.lines) add_words(line.text, words[line.line]);
  }
  for (std::uint32_t line = 0; line < words.size(); ++line) {
    for (const std::string_view token : split(page.source.line(line), ' ')) {
      if (looks_like_name(token)) add_words(token, words[line]);
    }
  }
  return words;
}

/// The playbooks without what the change cannot make false, which need not be held. All of them where a setting or a
/// new file may change what any line says.
Playbooks narrowed(const Playbooks& playbooks, const Reach& reach, const ChangedInputs& inputs) {
  Playbooks result = playbooks;
  if (reach.settings || reach.new_on_top) return result;
  for (Playbook& playbook : result.read) {
    Page& page = playbook.page;
    if (inputs.diff.find_after(page.path) != nullptr) continue;
    const std::vector<TextSet> words = named_words(page);
    std::vector<bool> kept(words.size());
    for (std::uint32_t line = 0; line < kept.size(); ++line) {
      const std::string_view text = page.source.line(line);
      kept[line] = (reach.tests && (contains(text, "pytest") || contains(text, " -k ") || contains(text, "::"))) ||
                   std::any_of(words[line].begin(), words[line].end(),
                               [&](const std::string& word) { return reach.gone.contains(word); });
    }
    keep_lines(page, kept);
  }
  return result;
}

}  // namespace

std::vector<rules::Finding> lines_made_false(const ChangedInputs& inputs) {
  const Playbooks after = read_playbooks(inputs.after, Paths(inputs.after), {});
  if (after.read.empty()) return {};
  const Reach reach = reach_of(inputs, after);
  if (reach.empty()) return {};
  Ground ground = ground_of(inputs.after, inputs.program_after, after, inputs.jobs);
  ground.taken = reach.gone;
  std::vector<rules::Finding> findings = claims_found(ground, after, narrowed(after, reach, inputs));
  std::erase_if(findings, [&](const rules::Finding& finding) {
    return !may_be_new(finding, line_of(finding, after), reach, inputs);
  });
  return newly_false(inputs, std::move(findings), ground, after, Family::kPlaybooks,
                     [&] { return read_playbooks(inputs.before, Paths(inputs.before), {}); });
}

}  // namespace lockstep::playbook
