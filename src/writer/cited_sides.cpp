#include "writer/cited_sides.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/hash.h"
#include "base/paths.h"
#include "base/strings.h"
#include "base/worker_pool.h"
#include "rules/pages.h"
#include "rules/rule.h"
#include "writer/cited_facts.h"

namespace lockstep::writer {

namespace {

constexpr std::size_t kFewPaths = 8;
constexpr std::size_t kMostJoints = 8;        // of an option's words
constexpr std::size_t kMostMatches = 10'000;  // of one shown line in one file

constexpr std::size_t kCommitId = 40;
constexpr std::string_view kHexDigits = "0123456789abcdef";

// What fixes recommend in place of something need not be in the tree yet.
constexpr std::array<std::string_view, 3> kRecommended = {"masked_fill", "nonzero_static", "non_blocking"};

// As editors number lines; nothing behind the last line end.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::size_t start = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\n' && text[at] != '\r') continue;
    lines.emplace_back(text.substr(start, at - start));
    if (text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n') ++at;
    start = at + 1;
  }
  if (start < text.size()) lines.emplace_back(text.substr(start));
  return lines;
}

// Without a comment behind it: up to white space, "#", white space.
std::string_view code_part(std::string_view line) {
  const std::size_t at = line.find(" # ");
  if (at != std::string_view::npos) return line.substr(0, at);
  return line.ends_with(" #") ? line.substr(0, line.size() - 2) : line;
}

std::string text_of(const repo::Snapshot& snapshot, std::size_t index) {
  const Result<std::string> bytes = snapshot.read(index);
  return bytes && !repo::is_binary(*bytes) ? *bytes : std::string();
}

using WordSet = std::unordered_set<std::uint64_t>;

bool is_option_character(char c) {
  return c == '-' || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// "--like-this", with its dashes.
void add_options(std::string_view text, WordSet& words) {
  for (std::size_t at = 0; (at = text.find("--", at)) != std::string_view::npos;) {
    std::size_t end = at + 2;
    while (end < text.size() && is_option_character(text[end])) ++end;
    if (end > at + 2 && text[at + 2] != '-') words.insert(hash64(text.substr(at, end - at)));
    at = end;
  }
}

// A whole id of a commit that begins with `prefix`, apart from other words.
bool has_commit_id(std::string_view text, std::string_view prefix) {
  const auto is_apart = [](char c) { return !is_option_character(c) || c == '-'; };
  for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string_view::npos; ++at) {
    const std::string_view id = text.substr(at, kCommitId);
    const bool ends = at + kCommitId >= text.size() || is_apart(text[at + kCommitId]);
    if (id.size() == kCommitId && id.find_first_not_of(kHexDigits) == std::string_view::npos && ends &&
        (at == 0 || is_apart(text[at - 1])))
      return true;
  }
  return false;
}

// Names; those of members (behind a dot, or quoted as for getattr) with a dot before them too.
void add_words(std::string_view text, WordSet& words) {
  std::string member;
  for_each_word(text, [&](std::string_view word, std::size_t offset) {
    words.insert(hash64(word));
    const char before = offset == 0 ? ' ' : text[offset - 1];
    const std::size_t end = offset + word.size();
    const bool is_quoted = (before == '"' || before == '\'') && end < text.size() && text[end] == before;
    if (before == '.' || is_quoted) words.insert(hash64(member.assign(".").append(word)));
  });
  add_options(text, words);
}

// Words of the files of `indices`, each with its path's.
void add_file_words(const repo::Snapshot& snapshot, const std::vector<std::size_t>& indices, std::size_t jobs,
                    WordSet& words) {
  const std::size_t parts = std::max<std::size_t>(1, std::min(jobs, indices.size()));
  std::vector<WordSet> found(parts);
  parallel_for(parts, jobs, [&](std::size_t part) {
    for (std::size_t i = part; i < indices.size(); i += parts) {
      const repo::FileEntry& entry = snapshot.files()[indices[i]];
      add_words(entry.path, found[part]);
      if (entry.kind == repo::FileKind::file) add_words(text_of(snapshot, indices[i]), found[part]);
    }
  });
  for (const WordSet& one : found) words.insert(one.begin(), one.end());
}

}  // namespace

std::string single_spaced(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\t' || c == '\f' || c == '\r' || c == '\n';
    if (!is_space) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return std::string(trim(out));
}

CitedFile::CitedFile(std::string_view text) : lines_(lines_of(text)) {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    std::string line = single_spaced(lines_[i]);
    by_code_.emplace_back(code_part(line), i);
    by_text_.emplace_back(std::move(line), i);
  }
  std::sort(by_text_.begin(), by_text_.end());
  std::sort(by_code_.begin(), by_code_.end());
  add_words(text, words_);
}

bool CitedFile::has_word(std::string_view word) const { return words_.contains(hash64(word)); }

std::optional<std::size_t> CitedFile::find(std::string_view shown, std::size_t first, std::size_t end) const {
  const auto exact = [&](const std::vector<Key>& keys, std::string_view text) -> std::optional<std::size_t> {
    const auto at = std::lower_bound(keys.begin(), keys.end(), Key{std::string(text), first});
    if (at == keys.end() || at->first != text || at->second >= end) return std::nullopt;
    return at->second;
  };
  const std::string text = single_spaced(shown);
  std::optional<std::size_t> best = exact(by_text_, text);
  const auto take = [&](std::optional<std::size_t> other) {
    if (other && (!best || *other < *best)) best = other;
  };
  constexpr std::string_view kEllipsis = "…";
  if (text.ends_with(kEllipsis) && text.size() > 8 + kEllipsis.size() - 1) {
    const std::string_view start = trim(std::string_view(text).substr(0, text.size() - kEllipsis.size()));
    auto at = std::lower_bound(by_text_.begin(), by_text_.end(), Key{std::string(start), 0});
    for (std::size_t seen = 0; at != by_text_.end() && at->first.starts_with(start) && seen < kMostMatches;
         ++at, ++seen) {
      if (at->second >= first && at->second < end) take(at->second);
    }
  } else {
    take(exact(by_code_, code_part(text)));
  }
  return best;
}

CitedSides::CitedSides(const CitedSidesInput& input)
    : before_files_(input.before_files),
      after_files_(&input.after_files),
      diff_(input.diff),
      own_words_(single_spaced(input.own_words)),
      commits_(input.commits),
      repository_(input.repository) {
  std::vector<std::size_t> all;
  for (const CitedSide side : {CitedSide::kAfter, CitedSide::kBefore}) {
    const repo::Snapshot* files = snapshot(side);
    for (std::size_t i = 0; files != nullptr && i < files->files().size(); ++i) {
      const std::string& path = files->files()[i].path;
      if (side == CitedSide::kAfter) all.push_back(i);
      for (std::size_t slash = path.rfind('/'); slash != std::string::npos && slash > 0;
           slash = path.rfind('/', slash - 1)) {
        if (!folders_.insert(path.substr(0, slash)).second) break;
      }
      std::vector<std::string>& same_name = by_name_[std::string(name_of(path))];
      if (same_name.empty() || std::find(same_name.begin(), same_name.end(), path) == same_name.end())
        same_name.push_back(path);
    }
  }
  add_file_words(*after_files_, all, input.jobs, words_);
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; diff_ != nullptr && i < diff_->files.size(); ++i) {
    if (diff_->files[i].before_index) changed.push_back(*diff_->files[i].before_index);
  }
  if (before_files_ != nullptr) add_file_words(*before_files_, changed, input.jobs, words_);
  for (const rules::Rule& rule : rules::all_rules()) {
    words_.insert(hash64(rule.id));
    add_words(rules::rule_page(rule.id), words_);
  }
  for (const std::string_view word : kRecommended) words_.insert(hash64(word));
  for (const program::Program* program : {&input.after, input.before}) {
    if (program != nullptr) programs_.push_back(program), add_definitions(*program);
  }
}

const repo::Snapshot* CitedSides::snapshot(CitedSide side) const {
  return side == CitedSide::kAfter ? after_files_ : before_files_;
}

bool CitedSides::has_file(CitedSide side, std::string_view path) const {
  const repo::Snapshot* files = snapshot(side);
  return files != nullptr && files->find(path).has_value();
}

std::string_view CitedSides::old_path(std::string_view path) const {
  const repo::FileChange* change = diff_ == nullptr ? nullptr : diff_->find_after(path);
  return change == nullptr || change->old_path.empty() ? path : std::string_view(change->old_path);
}

bool CitedSides::has_path(std::string_view path) const {
  while (path.ends_with('/')) path.remove_suffix(1);
  return has_file(CitedSide::kAfter, path) || has_file(CitedSide::kBefore, path) || folders_.contains(path);
}

std::vector<std::string> CitedSides::ending_in(std::string_view tail) const {
  std::vector<std::string> found;
  const auto same_name = by_name_.find(name_of(tail));
  if (same_name == by_name_.end()) return found;
  const std::string suffix = "/" + std::string(tail);
  for (const std::string& path : same_name->second) {
    if (found.size() < kFewPaths && path.ends_with(suffix)) found.push_back(path);
  }
  return found;
}

std::vector<std::string> CitedSides::files_named(std::string_view path) const {
  while (path.starts_with("./")) path.remove_prefix(2);
  if (has_file(CitedSide::kAfter, path) || has_file(CitedSide::kBefore, path)) return {std::string(path)};
  std::vector<std::string> found = ending_in(path);
  std::erase_if(found, [&](const std::string& one) {
    return !has_file(CitedSide::kAfter, one) && !has_file(CitedSide::kBefore, one);
  });
  return found;
}

const CitedFile* CitedSides::file(CitedSide side, std::string_view path) const {
  const auto key = std::make_pair(side, std::string(path));
  if (const auto known = files_.find(key); known != files_.end()) return known->second.get();
  const repo::Snapshot* files = snapshot(side);
  const std::optional<std::size_t> index = files == nullptr ? std::nullopt : files->find(path);
  std::unique_ptr<CitedFile>& slot = files_[key];
  if (index) slot = std::make_unique<CitedFile>(text_of(*files, *index));
  return slot.get();
}

bool CitedSides::has_word(std::string_view word) const { return words_.contains(hash64(word)); }

bool CitedSides::has_option(std::string_view option) const {
  if (has_word(option)) return true;
  while (option.starts_with('-')) option.remove_prefix(1);
  const std::string value = replace_all(option, "-", "_");
  // argparse.BooleanOptionalAction makes "--no-x" of x.
  return has_word(value) || (value.starts_with("no_") && has_word(std::string_view(value).substr(3)));
}

bool CitedSides::is_option_value(std::string_view name) const {
  const auto joints = static_cast<std::size_t>(std::count(name.begin(), name.end(), '_'));
  if (joints == 0 || joints > kMostJoints) return false;
  for (std::size_t dashes = 0; dashes < (std::size_t{1} << joints); ++dashes) {
    std::string option = "--";
    std::size_t joint = 0;
    for (const char c : name) option += c == '_' && (dashes >> joint++ & 1) == 0 ? '-' : c;
    if (has_word(option)) return true;
  }
  return false;
}

bool CitedSides::has_text(std::string_view text) const {
  const auto has = [&](CitedSide side, std::string_view path) {
    const repo::Snapshot* files = snapshot(side);
    const std::optional<std::size_t> index = files == nullptr ? std::nullopt : files->find(path);
    return index && contains(text_of(*files, *index), text);
  };
  for (std::size_t i = 0; diff_ != nullptr && i < diff_->files.size(); ++i) {
    const repo::FileChange& change = diff_->files[i];
    if (has(CitedSide::kAfter, change.new_path) || has(CitedSide::kBefore, change.old_path)) return true;
  }
  return std::any_of(after_files_->files().begin(), after_files_->files().end(), [&](const repo::FileEntry& entry) {
    return entry.path.ends_with(".py") && has(CitedSide::kAfter, entry.path);
  });
}

namespace {

bool is_commit_id(std::string_view prefix) {
  return prefix.size() >= 7 && prefix.size() <= kCommitId &&
         prefix.find_first_not_of(kHexDigits) == std::string_view::npos;
}

}  // namespace

bool CitedSides::is_other_commit(std::string_view prefix) const {
  return is_commit_id(prefix) && repository_ && repository_->has_revision(prefix);
}

namespace {

std::string without_blanks(std::string_view text) {
  std::string out;
  std::copy_if(text.begin(), text.end(), std::back_inserter(out),
               [](char c) { return c != ' ' && c != '\t' && c != '\r' && c != '\n'; });
  return out;
}

/// The lines that a commit took out, and those around them; empty where they cannot be read.
std::string replaced_by(const repo::Repository& repository, std::string_view commit) {
  constexpr std::uint32_t kAround = 20;
  const Result<std::optional<std::string>> parent = repository.first_parent(commit);
  if (!parent || !*parent) return {};
  const Result<repo::Snapshot> before = repository.snapshot_at(**parent), after = repository.snapshot_at(commit);
  if (!before || !after) return {};
  std::string out;
  for (const repo::FileChange& file : repo::diff_snapshots(*before, *after, {kAround, 1}).files) {
    for (const repo::Hunk& hunk : file.lines.hunks()) {
      for (const repo::DiffLine& line : hunk.lines) {
        if (line.kind != repo::LineKind::added) out += without_blanks(line.text);
      }
      out += '\n';
    }
  }
  return out;
}

}  // namespace

bool CitedSides::stood_before(std::string_view commit, std::string_view code) const {
  if (!repository_) return false;
  auto known = replaced_.find(commit);
  if (known == replaced_.end()) known = replaced_.emplace(std::string(commit), replaced_by(*repository_, commit)).first;
  return known->second.find(without_blanks(code)) != std::string::npos;
}

bool CitedSides::is_commit(std::string_view prefix) const {
  if (!is_commit_id(prefix)) return false;
  if (std::any_of(commits_.begin(), commits_.end(), [&](const std::string& id) { return id.starts_with(prefix); }))
    return true;
  const auto names_it = [&](CitedSide side, std::string_view path) {
    const repo::Snapshot* files = snapshot(side);
    const std::optional<std::size_t> index = files == nullptr ? std::nullopt : files->find(path);
    return index && has_commit_id(text_of(*files, *index), prefix);
  };
  return diff_ != nullptr && std::any_of(diff_->files.begin(), diff_->files.end(), [&](const repo::FileChange& change) {
           return names_it(CitedSide::kAfter, change.new_path) || names_it(CitedSide::kBefore, change.old_path);
         });
}

std::vector<std::pair<std::size_t, std::size_t>> CitedSides::counts_of(std::string_view path) const {
  std::vector<std::pair<std::size_t, std::size_t>> counts;
  if (diff_ == nullptr) return counts;
  const repo::FileChange* change = diff_->find_after(path);
  if (change == nullptr) change = diff_->find_before(path);
  if (change == nullptr || change->binary || !change->lines_known) return counts;
  counts.emplace_back(change->lines.added_lines().size(), change->lines.removed_lines().size());
  if (change->kind == repo::ChangeKind::renamed) {
    if (const CitedFile* now = file(CitedSide::kAfter, path)) counts.emplace_back(now->lines().size(), 0);
  }
  return counts;
}

std::optional<CitedSides::ChangeCounts> CitedSides::counts_of_all() const {
  if (diff_ == nullptr) return std::nullopt;
  ChangeCounts all;
  for (const repo::FileChange& change : diff_->files) {
    if (!change.binary && !change.lines_known) return std::nullopt;
    ++all.files;
    all.lines.first += change.lines.added_lines().size();
    all.lines.second += change.lines.removed_lines().size();
  }
  return all;
}

const CitedFacts& CitedSides::facts() const {
  if (facts_ == nullptr)
    facts_ = std::make_shared<const CitedFacts>(programs_.size() > 1 ? programs_[1] : nullptr, *programs_[0]);
  return *facts_;
}

std::string CitedSides::nearest_path(std::string_view path) const {
  const std::string name(name_of(path));
  const std::vector<std::string>* candidates = nullptr;
  if (const auto same = by_name_.find(name); same != by_name_.end()) {
    candidates = &same->second;
  } else {
    const std::size_t limit = std::max<std::size_t>(2, name.size() / 4);
    std::size_t best = limit + 1;
    for (const auto& [other, paths] : by_name_) {
      const std::size_t distance = edit_distance(name, other, limit);
      if (distance < best) {
        best = distance;
        candidates = &paths;
      }
    }
  }
  if (candidates == nullptr) return {};
  std::string_view nearest;
  std::size_t best = std::string::npos;
  for (const std::string& other : *candidates) {
    const std::size_t distance = edit_distance(path, other, 200);
    if (distance < best) {
      best = distance;
      nearest = other;
    }
  }
  return std::string(nearest);
}

std::string CitedSides::nearest_name(std::string_view name) const {
  const std::size_t limit = std::max<std::size_t>(1, name.size() / 4);
  std::size_t best = limit + 1;
  std::string_view nearest;
  for (const std::string& other : names_) {
    const std::size_t difference = other.size() > name.size() ? other.size() - name.size() : name.size() - other.size();
    if (difference >= best) continue;
    const std::size_t distance = edit_distance(name, other, limit);
    if (distance < best) {
      best = distance;
      nearest = other;
    }
  }
  return std::string(nearest);
}

std::string CitedSides::place_of_line(std::string_view shown) const {
  if (trim(shown).size() < 4) return {};
  for (std::size_t i = 0; diff_ != nullptr && i < diff_->files.size(); ++i) {
    for (const CitedSide side : {CitedSide::kAfter, CitedSide::kBefore}) {
      const std::string& path = side == CitedSide::kAfter ? diff_->files[i].new_path : diff_->files[i].old_path;
      const CitedFile* known = path.empty() ? nullptr : file(side, path);
      const auto at = known == nullptr ? std::nullopt : known->find(shown, 0, known->lines().size());
      if (at) return fmt::format("{}:{}{}", path, *at + 1, side == CitedSide::kBefore ? " of the old version" : "");
    }
  }
  return {};
}

}  // namespace lockstep::writer
