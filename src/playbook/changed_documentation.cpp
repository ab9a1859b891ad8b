// Documentation that a change makes false: which lines of which pages are held.
#include <algorithm>
#include <map>
#include <unordered_set>

#include "base/strings.h"
#include "playbook/changed_parts.h"

namespace lockstep::playbook {

namespace {

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

/// Claims that documentation makes of this repository and nothing else. Of a line that the change does not write, also
/// names that the change took away.
bool is_sure_of_documentation(const rules::Finding& finding, const ChangedInputs& inputs) {
  static const std::set<std::string_view> kSure = {"playbook-path", "playbook-link", "playbook-option", "playbook-test",
                                                   "playbook-config"};
  if (kSure.contains(finding.rule)) return true;
  if (finding.rule != "playbook-symbol") return false;
  return finding.certainty == rules::FindingCertainty::kProven || inputs.diff.find_after(finding.path) == nullptr;
}

}  // namespace

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
