#include "playbook/words.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/strings.h"
#include "base/worker_pool.h"
#include "playbook/paths.h"
#include "repo/diff.h"

namespace lockstep::playbook {

namespace {

// Larger ones are data (golden values, lock files, vocabularies), except sources.
constexpr std::uint64_t kMaxDataBytes = 256u << 10;

bool is_source(std::string_view path) {
  for (const std::string_view end :
       {".py", ".sh", ".cpp", ".cc", ".cu", ".h", ".cuh", ".toml", ".cfg", ".yaml", ".yml"})
    if (path.ends_with(end)) return true;
  return false;
}

bool is_wanted(const repo::FileEntry& file, const std::set<std::string, std::less<>>& left_out) {
  if (file.kind != repo::FileKind::file || left_out.contains(file.path)) return false;
  const std::string name = to_lower(name_of(file.path));
  // They speak of what is gone as well.
  if (name.starts_with("changelog") || name.starts_with("release_notes") || name.starts_with("release-notes"))
    return false;
  return file.size_bytes <= (is_source(file.path) ? (4u << 20) : kMaxDataBytes);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

struct Found {
  std::vector<std::uint64_t> words;
  std::vector<std::uint64_t> prefixes;
};

void add_word(std::string_view word, Found& found) {
  found.words.push_back(hash64(word));
  for (std::size_t i = 1; i + 1 < word.size(); ++i) {
    if (word[i] == '_') found.prefixes.push_back(hash64(word.substr(0, i + 1)));
  }
}

void settle(std::vector<std::uint64_t>& hashes) {
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
}

void scan(std::string_view text, Found& found) {
  std::string joined;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_letter(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    joined.clear();
    for (std::size_t start = i;; start = end + 1) {
      end = start;
      while (end < text.size() && is_word(text[end])) ++end;
      add_word(text.substr(start, end - start), found);
      if (!joined.empty()) joined += '_';
      joined += text.substr(start, end - start);
      const bool dashed = end + 1 < text.size() && text[end] == '-' && is_word(text[end + 1]);
      if (!dashed) break;
    }
    if (text.substr(i, end - i) != joined) add_word(joined, found);
    i = end;
  }
  settle(found.words);
  settle(found.prefixes);
}

}  // namespace

struct Words::Index {
  const repo::Snapshot& snapshot;
  std::set<std::string, std::less<>> left_out;
  std::size_t jobs;
  std::once_flag once;
  std::unordered_set<std::uint64_t> hashes;
  std::unordered_set<std::uint64_t> prefixes;  ///< Of each word, up to and with each '_'.

  Index& read() {
    std::call_once(once, [this] { read_all(); });
    return *this;
  }

 private:
  void read_all() {
    std::vector<std::size_t> files;
    for (std::size_t i = 0; i < snapshot.files().size(); ++i) {
      if (is_wanted(snapshot.files()[i], left_out)) files.push_back(i);
    }
    std::vector<Found> found(files.size());
    parallel_for(files.size(), jobs, [&](std::size_t i) {
      const Result<std::string> text = snapshot.read(files[i]);
      if (text && !repo::is_binary(*text)) scan(*text, found[i]);
    });
    for (const Found& one : found) {
      hashes.insert(one.words.begin(), one.words.end());
      prefixes.insert(one.prefixes.begin(), one.prefixes.end());
    }
  }
};

Words::Words(const repo::Snapshot& snapshot, std::set<std::string, std::less<>> left_out, std::size_t jobs)
    : index_(new Index{snapshot, std::move(left_out), jobs, {}, {}, {}}) {}
Words::Words(Words&&) noexcept = default;
Words& Words::operator=(Words&&) noexcept = default;
Words::~Words() = default;

bool Words::has(std::string_view word) const {
  std::string text(word);
  std::replace(text.begin(), text.end(), '-', '_');
  const Index& index = index_->read();
  return index.hashes.contains(hash64(word)) || index.hashes.contains(hash64(text));
}

bool Words::has_prefix(std::string_view prefix) const {
  std::string text(prefix);
  std::replace(text.begin(), text.end(), '-', '_');
  return index_->read().prefixes.contains(hash64(text));
}

}  // namespace lockstep::playbook
