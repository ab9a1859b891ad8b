#include "playbook/changed.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>

#include "base/strings.h"
#include "program/queries.h"

namespace lockstep::playbook {

namespace {

using TextSet = std::set<std::string, std::less<>>;

bool in_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

// Words of three characters and more: shorter ones name nothing. Into any set of texts.
template <class Words>
void add_words(std::string_view text, Words& words) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && in_word(text[end])) ++end;
    if (end - at >= 3) words.emplace(text.substr(at, end - at));
    at = end + 1;
  }
}

std::string read(const repo::Snapshot& snapshot, const std::string& path) {
  if (path.empty()) return {};
  const Result<std::string> text = snapshot.read(path);
  return text && !repo::is_binary(*text) ? *text : std::string();
}

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

/// Which pages are held, and how it is told.
enum class Family : std::uint8_t { kPlaybooks, kDocumentation };

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

/// Leaves of a page only what stands on the lines that are `kept`.
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

/// Code and settings whose names documentation uses; data is none.
bool is_named_in_documentation(std::string_view path) {
  for (const std::string_view end : {".py", ".sh", ".toml", ".yaml", ".yml", ".cfg"}) {
    if (path.ends_with(end)) return true;
  }
  return false;
}

/// What the removed lines of a change hold that documentation may speak of.
struct Taken {
  TextSet words;       ///< Names.
  TextSet flags;       ///< "--some-flag".
  TextSet file_names;  ///< Of files that are gone or are called otherwise.
};

Taken taken_by(const ChangedInputs& inputs) {
  Taken taken;
  for (const repo::FileChange& file : inputs.diff.files) {
    if (file.new_path != file.old_path && !file.old_path.empty()) taken.file_names.emplace(name_of(file.old_path));
    if (!is_named_in_documentation(file.old_path)) continue;
    for (const repo::Hunk& hunk : file.lines.hunks()) {
      for (const repo::DiffLine& line : hunk.lines) {
        if (line.kind != repo::LineKind::removed) continue;
        add_words(line.text, taken.words);
        for (std::size_t at = line.text.find("--"); at != std::string::npos; at = line.text.find("--", at + 2)) {
          std::size_t end = at + 2;
          while (end < line.text.size() && (in_word(line.text[end]) || line.text[end] == '-')) ++end;
          if (end > at + 4) taken.flags.insert(line.text.substr(at, end - at));
        }
      }
    }
  }
  std::erase_if(taken.words, [](const std::string& word) { return word.front() >= '0' && word.front() <= '9'; });
  return taken;
}

bool has_any(std::string_view text, const TextSet& parts) {
  return std::any_of(parts.begin(), parts.end(), [&](const std::string& part) { return contains(text, part); });
}

/// Documentation of one side of the change that has to be held.
class Documentation {
 public:
  explicit Documentation(const ChangedInputs& inputs) : inputs_(inputs), taken_(taken_by(inputs)) {}

  /// Those pages of the side after with the lines that have to be held, nothing else on them; `whole`: the same pages
  /// with all their lines.
  Playbooks narrowed(Playbooks& whole) {
    const Paths paths(inputs_.after);
    std::vector<std::string> wanted;
    for (const std::string& path : paths.files()) {
      if (!is_documentation(path)) continue;
      const repo::FileChange* file = inputs_.diff.find_after(path);
      const std::string text = read(inputs_.after, path);
      if (file != nullptr || speaks_of_taken(text)) wanted.push_back(path);
    }
    if (wanted.empty()) return {};
    whole = read_playbooks(inputs_.after, paths, wanted);
    std::erase_if(whole.read, [](const Playbook& one) { return !is_documentation(one.page.path); });
    Playbooks result = whole;
    for (Playbook& one : result.read) {
      const repo::FileChange* file = inputs_.diff.find_after(one.page.path);
      std::vector<bool> kept(one.page.source.line_count());
      for (std::uint32_t line = 0; line < kept.size(); ++line)
        kept[line] =
            (file != nullptr && file->lines.is_added_line(line)) || speaks_of_taken(one.page.source.line(line));
      keep_lines(one.page, kept);
    }
    return result;
  }

  /// The same pages before the change.
  [[nodiscard]] Playbooks before(const Playbooks& after) const {
    std::vector<std::string> wanted;
    for (const Playbook& one : after.read) {
      const repo::FileChange* file = inputs_.diff.find_after(one.page.path);
      wanted.push_back(file != nullptr ? file->old_path : one.page.path);
    }
    std::erase(wanted, std::string());
    if (wanted.empty()) return {};
    Playbooks pages = read_playbooks(inputs_.before, Paths(inputs_.before), wanted);
    std::erase_if(pages.read, [](const Playbook& one) { return !is_documentation(one.page.path); });
    return pages;
  }

  /// Names of the removed lines that pages have and no Python code has any more.
  [[nodiscard]] const TextSet& gone() const { return gone_; }

 private:
  bool speaks_of_taken(std::string_view text) {
    std::unordered_set<std::string_view> words;
    add_words(text, words);
    bool is_named = false;
    bool any_touched = false;
    for (const std::string_view word : words) {
      if (taken_.words.find(word) == taken_.words.end()) continue;
      any_touched = true;
      is_named = is_named || is_gone(word);
    }
    // What a default is, a line says in words.
    if (is_named || (any_touched && contains(text, "default"))) return true;
    return has_any(text, taken_.file_names) || has_any(text, taken_.flags);
  }

  bool is_gone(std::string_view word) {
    const auto known = asked_.find(word);
    if (known != asked_.end()) return known->second;
    const auto& modules = inputs_.program_after.modules();
    const bool gone = std::none_of(modules.begin(), modules.end(),
                                   [&](const program::Module& module) { return module.facts->has_name(word); });
    if (gone) gone_.emplace(word);
    asked_.emplace(word, gone);
    return gone;
  }

  const ChangedInputs& inputs_;
  const Taken taken_;
  TextSet gone_;
  std::map<std::string, bool, std::less<>> asked_;  ///< Whether a name is in no Python code any more.
};

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

Ground ground_of(const repo::Snapshot& snapshot, const program::Program& program, const Playbooks& playbooks,
                 std::size_t jobs) {
  std::set<std::string, std::less<>> read;
  for (const Playbook& playbook : playbooks.read) read.insert(playbook.page.path);
  return gather_ground(snapshot, program, read, jobs);
}

/// `part` of the playbooks `all`.
std::vector<rules::Finding> claims_found(const Ground& ground, const Playbooks& all, const Playbooks& part) {
  std::vector<rules::Finding> findings = hold_playbooks(ground, part, nullptr, "", &all).findings;
  std::erase_if(findings, [](const rules::Finding& finding) { return !is_claim(finding.rule); });
  return findings;
}

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

/// Claims that documentation makes of this repository and nothing else. Of a line that the change does not write, also
/// names that the change took away.
bool is_sure_of_documentation(const rules::Finding& finding, const ChangedInputs& inputs) {
  static const std::set<std::string_view> kSure = {"playbook-path", "playbook-link", "playbook-option", "playbook-test",
                                                   "playbook-config"};
  if (kSure.contains(finding.rule)) return true;
  if (finding.rule != "playbook-symbol") return false;
  return finding.certainty == rules::FindingCertainty::kProven || inputs.diff.find_after(finding.path) == nullptr;
}

/// Of `findings` on the side after, those that were not so before; `before` gives the pages of that side.
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
    return !may_be_new(finding, std::get<2>(key_of(finding, after)), reach, inputs);
  });
  return newly_false(inputs, std::move(findings), ground, after, Family::kPlaybooks,
                     [&] { return read_playbooks(inputs.before, Paths(inputs.before), {}); });
}

std::vector<rules::Finding> documentation_made_false(const ChangedInputs& inputs) {
  Documentation documentation(inputs);
  Playbooks after;
  const Playbooks part = documentation.narrowed(after);
  if (after.read.empty()) return {};
  Ground ground = ground_of(inputs.after, inputs.program_after, after, inputs.jobs);
  ground.taken = documentation.gone();
  ground.holds_only_taken = true;
  std::vector<rules::Finding> findings = claims_found(ground, after, part);
  std::erase_if(findings, [&](const rules::Finding& finding) { return !is_sure_of_documentation(finding, inputs); });
  return newly_false(inputs, std::move(findings), ground, after, Family::kDocumentation,
                     [&] { return documentation.before(after); });
}

}  // namespace lockstep::playbook
