// Similar files are found through the lines that they share: an index from line to deleted files gives each added file
// its few likely origins, and only these are compared in full. That stays close to linear where comparing all pairs
// would not.
#include "repo/renames.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/hash.h"
#include "base/paths.h"
#include "base/strings.h"

namespace lockstep::repo {
namespace {

constexpr std::size_t kMaxTotalBytes = 64u << 20;  // Files past this sum are compared by content id only.
constexpr std::size_t kMaxFileBytes = 1u << 20;    // Larger files are hardly ever written by hand.
constexpr std::size_t kMaxFilesPerLine = 8;        // A line in more deleted files than this tells little.
constexpr std::size_t kMaxCandidates = 8;          // Deleted files compared in full with one added file.

// Lines of one file as (hash, bytes of all its occurrences), sorted by hash.
struct LineBag {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> lines;
  std::uint64_t size_bytes = 0;
};

LineBag bag_of(std::string_view bytes) {
  LineBag bag;
  bag.size_bytes = bytes.size();
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
  for (std::size_t start = 0; start < bytes.size();) {
    const std::size_t newline = bytes.find('\n', start);
    const std::size_t end = newline == std::string_view::npos ? bytes.size() : newline + 1;
    all.emplace_back(hash64(bytes.substr(start, end - start)), end - start);
    start = end;
  }
  std::sort(all.begin(), all.end());
  for (const auto& [hash, size_bytes] : all) {
    if (!bag.lines.empty() && bag.lines.back().first == hash) {
      bag.lines.back().second += size_bytes;
    } else {
      bag.lines.emplace_back(hash, size_bytes);
    }
  }
  return bag;
}

int similarity_percent(const LineBag& a, const LineBag& b) {
  std::uint64_t shared_bytes = 0;
  for (auto left = a.lines.begin(), right = b.lines.begin(); left != a.lines.end() && right != b.lines.end();) {
    if (left->first < right->first) {
      ++left;
    } else if (right->first < left->first) {
      ++right;
    } else {
      shared_bytes += std::min(left->second, right->second);
      ++left, ++right;
    }
  }
  const std::uint64_t larger = std::max(a.size_bytes, b.size_bytes);
  return larger == 0 ? 0 : static_cast<int>(shared_bytes * 100 / larger);
}

class RenameFinder {
 public:
  RenameFinder(const Snapshot& before, const std::vector<std::size_t>& deleted, const Snapshot& after,
               const std::vector<std::size_t>& added)
      : before_(before),
        deleted_(deleted),
        after_(after),
        added_(added),
        deleted_taken_(deleted.size(), false),
        added_taken_(added.size(), false) {}

  std::vector<RenamePair> run() {
    pair_equal();
    pair_similar();
    std::sort(pairs_.begin(), pairs_.end(), [](const RenamePair& a, const RenamePair& b) { return a.added < b.added; });
    return std::move(pairs_);
  }

 private:
  [[nodiscard]] const FileEntry& old_file(std::size_t d) const { return before_.files()[deleted_[d]]; }
  [[nodiscard]] const FileEntry& new_file(std::size_t a) const { return after_.files()[added_[a]]; }

  void take(std::size_t d, std::size_t a, int percent) {
    deleted_taken_[d] = added_taken_[a] = true;
    pairs_.push_back({d, a, percent});
  }

  // Files with the same id: those that kept their name first, then in path order.
  void pair_equal() {
    std::map<std::pair<std::string_view, std::string_view>, std::vector<std::size_t>> by_name;  // (id, name) → deleted
    std::map<std::string_view, std::vector<std::size_t>> by_id;
    for (std::size_t d = deleted_.size(); d-- > 0;) {  // Backwards: the lists are used from their ends.
      if (!pairable(old_file(d)) || old_file(d).size_bytes == 0) continue;
      by_name[{old_file(d).content_id, name_of(old_file(d).path)}].push_back(d);
      by_id[old_file(d).content_id].push_back(d);
    }
    const auto pair_from = [&](std::vector<std::size_t>& candidates, std::size_t a) {
      while (!candidates.empty() && deleted_taken_[candidates.back()]) candidates.pop_back();
      if (candidates.empty() || old_file(candidates.back()).kind != new_file(a).kind) return;
      take(candidates.back(), a, 100);
    };
    for (std::size_t a = 0; a < added_.size(); ++a) {
      const auto found = by_name.find({new_file(a).content_id, name_of(new_file(a).path)});
      if (found != by_name.end()) pair_from(found->second, a);
    }
    for (std::size_t a = 0; a < added_.size(); ++a) {
      const auto found = by_id.find(new_file(a).content_id);
      if (!added_taken_[a] && found != by_id.end()) pair_from(found->second, a);
    }
  }

  static bool pairable(const FileEntry& file) { return file.kind != FileKind::submodule; }

  std::optional<LineBag> read_bag(const Snapshot& snapshot, std::size_t index) {
    const FileEntry& file = snapshot.files()[index];
    if (file.kind != FileKind::file || file.size_bytes > kMaxFileBytes) return std::nullopt;
    if (total_bytes_ + file.size_bytes > kMaxTotalBytes) return std::nullopt;
    const Result<std::string> bytes = snapshot.read(index);
    if (!bytes) return std::nullopt;
    total_bytes_ += bytes->size();
    return bag_of(*bytes);
  }

  void pair_similar() {
    std::vector<std::string_view> old_extensions, new_extensions;
    for (std::size_t d = 0; d < deleted_.size(); ++d) {
      if (!deleted_taken_[d]) old_extensions.push_back(extension_of(old_file(d).path));
    }
    for (std::size_t a = 0; a < added_.size(); ++a) {
      if (!added_taken_[a]) new_extensions.push_back(extension_of(new_file(a).path));
    }
    std::sort(old_extensions.begin(), old_extensions.end());
    std::sort(new_extensions.begin(), new_extensions.end());
    // Only what may pair is read: most changes add files without deleting any.
    std::vector<std::optional<LineBag>> old_bags(deleted_.size());
    for (std::size_t d = 0; d < deleted_.size(); ++d) {
      const std::string_view extension = extension_of(old_file(d).path);
      if (deleted_taken_[d] || !std::binary_search(new_extensions.begin(), new_extensions.end(), extension)) continue;
      old_bags[d] = read_bag(before_, deleted_[d]);
    }
    const LineIndex index = index_of(old_bags);
    std::vector<RenamePair> candidates;
    for (std::size_t a = 0; a < added_.size(); ++a) {
      const std::string_view extension = extension_of(new_file(a).path);
      if (added_taken_[a] || !std::binary_search(old_extensions.begin(), old_extensions.end(), extension)) continue;
      if (const std::optional<LineBag> bag = read_bag(after_, added_[a])) {
        add_candidates(a, *bag, old_bags, index, candidates);
      }
    }
    take_best(std::move(candidates));
  }

  // Line hash → the deleted files that hold it; a full list means too many.
  using LineIndex = std::unordered_map<std::uint64_t, std::vector<std::uint32_t>>;

  static LineIndex index_of(const std::vector<std::optional<LineBag>>& bags) {
    LineIndex index;
    for (std::size_t d = 0; d < bags.size(); ++d) {
      if (!bags[d]) continue;
      for (const auto& line : bags[d]->lines) {
        std::vector<std::uint32_t>& holders = index[line.first];
        if (holders.size() <= kMaxFilesPerLine) holders.push_back(static_cast<std::uint32_t>(d));
      }
    }
    return index;
  }

  void add_candidates(std::size_t a, const LineBag& bag, const std::vector<std::optional<LineBag>>& old_bags,
                      const LineIndex& index, std::vector<RenamePair>& candidates) const {
    std::map<std::uint32_t, std::uint64_t> shared_bytes;
    for (const auto& [hash, size_bytes] : bag.lines) {
      const auto found = index.find(hash);
      if (found == index.end() || found->second.size() > kMaxFilesPerLine) continue;
      for (const std::uint32_t d : found->second) shared_bytes[d] += size_bytes;
    }
    std::vector<std::pair<std::uint64_t, std::uint32_t>> likely;
    for (const auto& [d, bytes] : shared_bytes) {
      if (extension_of(old_file(d).path) == extension_of(new_file(a).path)) likely.emplace_back(bytes, d);
    }
    std::sort(likely.begin(), likely.end(), [](const auto& x, const auto& y) {
      return x.first != y.first ? x.first > y.first : x.second < y.second;
    });
    if (likely.size() > kMaxCandidates) likely.resize(kMaxCandidates);
    for (const auto& [bytes, d] : likely) {
      const int percent = similarity_percent(*old_bags[d], bag);
      if (percent >= kMinSimilarityPercent) candidates.push_back({d, a, percent});
    }
  }

  void take_best(std::vector<RenamePair> candidates) {
    const auto key = [&](const RenamePair& pair) {
      const bool renamed = name_of(old_file(pair.deleted).path) != name_of(new_file(pair.added).path);
      return std::tuple(-pair.similarity_percent, renamed, pair.added, pair.deleted);
    };
    std::sort(candidates.begin(), candidates.end(),
              [&](const RenamePair& a, const RenamePair& b) { return key(a) < key(b); });
    for (const RenamePair& pair : candidates) {
      if (!deleted_taken_[pair.deleted] && !added_taken_[pair.added]) {
        take(pair.deleted, pair.added, pair.similarity_percent);
      }
    }
  }

  const Snapshot& before_;
  const std::vector<std::size_t>& deleted_;
  const Snapshot& after_;
  const std::vector<std::size_t>& added_;
  std::vector<bool> deleted_taken_, added_taken_;
  std::vector<RenamePair> pairs_;
  std::size_t total_bytes_ = 0;
};

}  // namespace

int similarity_percent(std::string_view a, std::string_view b) { return similarity_percent(bag_of(a), bag_of(b)); }

std::string_view extension_of(std::string_view path) {
  const std::string_view name = name_of(path);
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot);
}

std::vector<RenamePair> find_renames(const Snapshot& before, const std::vector<std::size_t>& deleted,
                                     const Snapshot& after, const std::vector<std::size_t>& added) {
  if (deleted.empty() || added.empty()) return {};
  return RenameFinder(before, deleted, after, added).run();
}

}  // namespace lockstep::repo
