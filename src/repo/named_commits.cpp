#include "repo/named_commits.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/strings.h"
#include "repo/diff.h"

namespace lockstep::repo {
namespace {

constexpr auto kWords = std::to_array<std::string_view>(
    {"revert", "reverts", "reverted", "reverting", "reapply", "reapplies", "re-apply", "reland", "re-land", "relands",
     "back out", "backs out", "cherry picked", "cherry-picked", "cherry-pick"});

bool is_word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Where one of the words ends in the text (in small letters), from `from` on; npos where there is none.
std::size_t end_of_word(std::string_view text, std::size_t from) {
  std::size_t best = std::string_view::npos;
  for (const std::string_view word : kWords) {
    for (std::size_t at = text.find(word, from); at != std::string_view::npos; at = text.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      const bool is_whole =
          (at == 0 || !is_word_char(text[at - 1])) && (end == text.size() || !is_word_char(text[end]));
      if (is_whole) best = std::min(best, end);
      if (is_whole) break;
    }
  }
  return best;
}

/// The id that the text begins with, behind "commit", "of", "from" and quotes; empty where there is none.
std::string id_at_start(std::string_view text) {
  constexpr std::string_view kBetween[] = {"commit", "commits", "from", "of", "changes", "the", "in", "this"};
  for (int words = 0; words < 4; ++words) {
    while (!text.empty() && !is_word_char(text.front())) {
      if (text.front() == '.' || text.front() == '#' || text.front() == '"') return {};
      text.remove_prefix(1);
    }
    std::size_t end = 0;
    while (end < text.size() && is_word_char(text[end])) ++end;
    const std::string_view word = text.substr(0, end);
    constexpr std::size_t kShortest = 7;
    constexpr std::size_t kLongest = 40;
    const bool is_hex = std::all_of(word.begin(), word.end(), [](char c) {
      return std::isdigit(static_cast<unsigned char>(c)) != 0 || (c >= 'a' && c <= 'f');
    });
    const bool has_digit =
        std::any_of(word.begin(), word.end(), [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
    if (word.size() >= kShortest && word.size() <= kLongest && is_hex && has_digit) return std::string(word);
    if (std::find(std::begin(kBetween), std::end(kBetween), word) == std::end(kBetween)) return {};
    text.remove_prefix(end);
  }
  return {};
}

/// Without "(#12)" at its end.
std::string_view without_number(std::string_view title) {
  while (title.ends_with(' ')) title.remove_suffix(1);
  const std::size_t open = title.rfind("(#");
  if (title.ends_with(')') && open != std::string_view::npos) title = title.substr(0, open);
  while (title.ends_with(' ')) title.remove_suffix(1);
  return title;
}

/// Lines that a file gains or loses, each with how often.
struct Lines {
  std::map<std::string, int> added;
  std::map<std::string, int> removed;
  std::size_t count = 0;
};

using Paths = std::pair<std::string, std::string>;

/// By the file's paths, in the order of the alphabet: a renaming and its reverse are of the same files.
std::map<Paths, Lines> lines_of(const Snapshot& before, const Snapshot& after) {
  std::map<Paths, Lines> out;
  for (const FileChange& file : diff_snapshots(before, after, {0, 1}).files) {
    Paths paths{file.old_path.empty() ? file.new_path : file.old_path,
                file.new_path.empty() ? file.old_path : file.new_path};
    if (paths.second < paths.first) std::swap(paths.first, paths.second);
    Lines& lines = out[paths];
    for (const Hunk& hunk : file.lines.hunks()) {
      for (const DiffLine& line : hunk.lines) {
        if (line.kind == LineKind::context) continue;
        ++(line.kind == LineKind::added ? lines.added : lines.removed)[line.text];
        ++lines.count;
      }
    }
    // Which of two equal lines a difference takes for the one that stays is chance.
    for (auto at = lines.added.begin(); at != lines.added.end();) {
      const auto gone = lines.removed.find(at->first);
      const int both = gone == lines.removed.end() ? 0 : std::min(at->second, gone->second);
      lines.count -= 2 * static_cast<std::size_t>(both);
      if (both > 0 && (gone->second -= both) == 0) lines.removed.erase(gone);
      at = (at->second -= both) == 0 ? lines.added.erase(at) : std::next(at);
    }
  }
  return out;
}

std::size_t in_both(const std::map<std::string, int>& a, const std::map<std::string, int>& b) {
  std::size_t out = 0;
  for (const auto& [line, count] : a) {
    const auto found = b.find(line);
    if (found != b.end()) out += static_cast<std::size_t>(std::min(count, found->second));
  }
  return out;
}

class Finder {
 public:
  Finder(const Repository& repository, const ChangeSides& sides) : repository_(repository), sides_(sides) {}

  std::vector<NamedCommit> find() {
    constexpr std::size_t kMost = 3;
    std::vector<NamedCommit> out;
    for (const CommitReference& reference : commits_named_in(sides_.title, sides_.body)) {
      if (out.size() >= kMost) break;
      std::optional<NamedCommit> named = compare(reference, sides_.before_commit);
      if (!named) continue;
      const CommitInfo of = named->info;
      out.push_back(std::move(*named));
      // What was taken back, or brought again, once already.
      const std::vector<CommitReference> deeper = commits_named_in(of.subject, of.body);
      if (deeper.empty()) continue;
      std::optional<NamedCommit> older = compare(deeper.front(), of.id);
      if (!older || older->relation == NamedCommit::Relation::kOther) continue;
      older->is_through_last = true;
      out.push_back(std::move(*older));
    }
    return out;
  }

 private:
  /// The commit that is meant, an ancestor of `head`.
  std::optional<CommitInfo> resolve(const CommitReference& reference, const std::string& head) const {
    if (!reference.id.empty()) {
      Result<CommitInfo> info = repository_.commit_info(reference.id);
      if (!info) return std::nullopt;
      const Result<std::string> shared = repository_.merge_base(info->id, head);
      if (!shared || *shared != info->id) return std::nullopt;
      return std::move(*info);
    }
    const auto is_it = [&](std::string_view subject) {
      if (!reference.number.empty()) return subject.ends_with("(" + reference.number + ")");
      return subject == reference.title ||
             (without_number(subject) == reference.title && subject.size() > reference.title.size());
    };
    for (const CommitInfo& one : newest(head)) {
      if (is_it(one.subject)) return one;
    }
    return std::nullopt;
  }

  /// The newest thousand commits or so that `head` comes after, itself among them, newest first.
  std::vector<CommitInfo> newest(const std::string& head) const {
    for (const std::string_view back : {"~1000", "~300", "~100", "~30", "~10", "~5", "~3", "~2", "~1"}) {
      const Result<std::string> base = repository_.resolve(head + std::string(back));
      if (!base) continue;
      Result<std::vector<CommitInfo>> commits = repository_.commits_between(*base, head);
      if (!commits) return {};
      std::reverse(commits->begin(), commits->end());
      if (Result<CommitInfo> last = repository_.commit_info(*base)) commits->push_back(std::move(*last));
      return std::move(*commits);
    }
    return {};
  }

  std::optional<NamedCommit> compare(const CommitReference& reference, const std::string& head) {
    std::optional<CommitInfo> info = resolve(reference, head);
    if (!info || info->id == sides_.after_commit || !known_.insert(info->id).second || info->parents.empty())
      return std::nullopt;
    Result<Snapshot> before = repository_.snapshot_at(info->parents.front());
    Result<Snapshot> after = repository_.snapshot_at(info->id);
    if (!before || !after) return std::nullopt;
    if (!own_) own_ = lines_of(sides_.before, sides_.after);
    const std::map<Paths, Lines> others = lines_of(*before, *after);
    NamedCommit out;
    std::size_t all = 0;
    std::size_t same = 0;
    std::size_t opposite = 0;
    for (const auto& [paths, lines] : others) {
      all += lines.count;
      const auto own = own_->find(paths);
      if (own == own_->end()) continue;
      same += in_both(lines.added, own->second.added) + in_both(lines.removed, own->second.removed);
      opposite += in_both(lines.added, own->second.removed) + in_both(lines.removed, own->second.added);
    }
    if (all == 0) return std::nullopt;
    const std::size_t most = std::max(same, opposite);
    if (2 * most >= all)
      out.relation = same > opposite ? NamedCommit::Relation::kSame : NamedCommit::Relation::kOpposite;
    if (out.relation != NamedCommit::Relation::kOther)
      out.differing = differing(*own_, others, out.relation == NamedCommit::Relation::kSame);
    // A number or a title may stand there for another reason.
    if (out.relation == NamedCommit::Relation::kOther && reference.id.empty()) return std::nullopt;
    out.info = std::move(*info);
    return out;
  }

  static std::vector<std::string> differing(const std::map<Paths, Lines>& own, const std::map<Paths, Lines>& others,
                                            bool is_same) {
    std::set<std::string> out;
    const auto look = [&](const Paths& paths) {
      static const Lines kNone;
      const auto mine = own.find(paths);
      const auto theirs = others.find(paths);
      const Lines& a = mine == own.end() ? kNone : mine->second;
      const Lines& b = theirs == others.end() ? kNone : theirs->second;
      const bool fits = mine != own.end() && theirs != others.end() && a.added == (is_same ? b.added : b.removed) &&
                        a.removed == (is_same ? b.removed : b.added);
      if (!fits) out.insert(paths.second);
    };
    for (const auto& [paths, lines] : own) look(paths);
    for (const auto& [paths, lines] : others) look(paths);
    return {out.begin(), out.end()};
  }

  const Repository& repository_;
  const ChangeSides& sides_;
  std::set<std::string> known_;
  std::optional<std::map<Paths, Lines>> own_;
};

}  // namespace

std::vector<CommitReference> commits_named_in(std::string_view title, std::string_view body) {
  std::vector<CommitReference> out;
  const auto add = [&](CommitReference reference) {
    const bool is_known = std::any_of(out.begin(), out.end(), [&](const CommitReference& one) {
      return one.id == reference.id && one.title == reference.title && one.number == reference.number;
    });
    if (!is_known) out.push_back(std::move(reference));
  };
  const std::string small_title = to_lower(title);
  const std::string small_body = to_lower(body);
  const std::size_t word = end_of_word(small_title, 0);
  if (word != std::string::npos) {
    if (std::string id = id_at_start(std::string_view(small_title).substr(word)); !id.empty())
      add({std::move(id), {}, {}});
  }
  for (std::size_t at = end_of_word(small_body, 0); at != std::string::npos; at = end_of_word(small_body, at)) {
    if (std::string id = id_at_start(std::string_view(small_body).substr(at)); !id.empty())
      add({std::move(id), {}, {}});
  }
  if (!out.empty() || word == std::string::npos) return out;
  // `Revert "Title (#12)" (#15)`: what stands between the first quote and the last.
  const std::size_t open = title.find('"', word);
  const std::size_t close = title.rfind('"');
  if (open != std::string_view::npos && open - word <= 4 && close > open) {
    add({{}, std::string(title.substr(open + 1, close - open - 1)), {}});
    return out;
  }
  // "Revert the two of #12 and #13 (#15)"
  const std::string_view own = without_number(title);
  for (std::size_t at = own.find('#', word); at != std::string_view::npos; at = own.find('#', at + 1)) {
    std::size_t end = at + 1;
    while (end < own.size() && std::isdigit(static_cast<unsigned char>(own[end])) != 0) ++end;
    if (end > at + 2) add({{}, {}, std::string(own.substr(at, end - at))});
  }
  return out;
}

void find_named_commits(const Repository& repository, ChangeSides& sides) {
  if (!repository.is_git() || sides.before_commit.empty()) return;
  sides.named = Finder(repository, sides).find();
}

}  // namespace lockstep::repo
