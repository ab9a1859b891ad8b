#include "playbook/words.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/name_hash.h"
#include "base/strings.h"
#include "base/worker_pool.h"
#include "playbook/files.h"
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
  // They speak of what is gone as well.
  if (is_record(file.path)) return false;
  return file.size_bytes <= (is_source(file.path) ? (4u << 20) : kMaxDataBytes);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

/// A set of hashes that a file's few hundred words, or a repository's hundred thousand, are quick to put into.
class HashSet {
 public:
  /// True if it was not there.
  bool insert(std::uint64_t hash) {
    if (hash == 0) hash = 1;  // 0 marks what is free
    if ((count_ + 1) * 2 > slots_.size()) grow();
    std::uint64_t& slot = slot_of(hash);
    if (slot == hash) return false;
    slot = hash;
    ++count_;
    return true;
  }
  [[nodiscard]] bool contains(std::uint64_t hash) const {
    if (hash == 0) hash = 1;
    return !slots_.empty() && slots_[at(hash)] == hash;
  }
  void insert_all(const HashSet& other) {
    for (const std::uint64_t hash : other.slots_) {
      if (hash != 0) insert(hash);
    }
  }

 private:
  [[nodiscard]] std::size_t at(std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = hash & mask;
    while (slots_[i] != 0 && slots_[i] != hash) i = (i + 1) & mask;
    return i;
  }
  std::uint64_t& slot_of(std::uint64_t hash) { return slots_[at(hash)]; }
  void grow() {
    std::vector<std::uint64_t> old(std::max<std::size_t>(256, slots_.size() * 2));
    old.swap(slots_);
    for (const std::uint64_t hash : old) {
      if (hash != 0) slot_of(hash) = hash;
    }
  }
  std::vector<std::uint64_t> slots_;
  std::size_t count_ = 0;
};

/// The latest words of a text, by a cheap hash: most words of a file are one of them, and known.
class LatestWords {
 public:
  /// False where it is known to have come before; true may be wrong.
  bool is_new(std::string_view word) {
    std::string_view& latest = latest_[name_hash(word) % latest_.size()];
    if (latest == word) return false;
    latest = word;
    return true;
  }

 private:
  std::array<std::string_view, 1024> latest_;
};

struct Found {
  HashSet words;
  HashSet prefixes;  ///< Of each word, up to and with each '_'.
};

void add_word(std::string_view word, Found& found) {
  if (!found.words.insert(hash64(word))) return;
  for (std::size_t i = 1; i + 1 < word.size(); ++i) {
    if (word[i] == '_') found.prefixes.insert(hash64(word.substr(0, i + 1)));
  }
}

void scan(std::string_view text, Found& found) {
  std::string joined;
  LatestWords latest;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_letter(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    bool is_dashed = false;
    for (std::size_t start = i;; start = end + 1) {
      end = start;
      while (end < text.size() && is_word(text[end])) ++end;
      const std::string_view word = text.substr(start, end - start);
      if (latest.is_new(word)) add_word(word, found);
      if (end + 1 >= text.size() || text[end] != '-' || !is_word(text[end + 1])) break;
      is_dashed = true;
    }
    if (is_dashed) {
      joined = text.substr(i, end - i);
      std::replace(joined.begin(), joined.end(), '-', '_');
      add_word(joined, found);
    }
    i = end;
  }
}

}  // namespace

struct Words::Index {
  const repo::Snapshot& snapshot;
  const program::Program& program;
  std::set<std::string, std::less<>> left_out;
  std::size_t jobs;
  std::optional<std::set<std::string, std::less<>>> only;  ///< All wanted files where there is none.
  std::once_flag once;
  Found found;

  const Found& read() {
    std::call_once(once, [this] { read_all(); });
    return found;
  }

 private:
  void read_all() {
    std::vector<std::size_t> files;
    for (std::size_t i = 0; i < snapshot.files().size(); ++i) {
      const repo::FileEntry& file = snapshot.files()[i];
      if (is_wanted(file, left_out) && (!only || only->contains(file.path))) files.push_back(i);
    }
    std::vector<Found> parts(files.size());
    parallel_for(files.size(), jobs, [&](std::size_t i) {
      const program::ModuleId module = program.find_path(snapshot.files()[files[i]].path);
      if (module.valid()) return scan(program.modules()[module].facts->source().bytes(), parts[i]);
      const Result<std::string> text = snapshot.read(files[i]);
      if (text && !repo::is_binary(*text)) scan(*text, parts[i]);
    });
    for (const Found& one : parts) {
      found.words.insert_all(one.words);
      found.prefixes.insert_all(one.prefixes);
    }
  }
};

Words::Words(const repo::Snapshot& snapshot, const program::Program& program,
             std::set<std::string, std::less<>> left_out, std::size_t jobs)
    : index_(new Index{snapshot, program, std::move(left_out), jobs, {}, {}, {}}) {}
Words::Words(Words&&) noexcept = default;
Words& Words::operator=(Words&&) noexcept = default;
Words::~Words() = default;

void Words::follow(const Words& newer, const std::set<std::string, std::less<>>& differ) {
  newer_ = &newer;
  differs_.reset(new Index{index_->snapshot, index_->program, index_->left_out, index_->jobs, differ, {}, {}});
}

template <typename Question>
bool Words::ask(const Question& question) const {
  const bool is_unknown_later = newer_ != nullptr && !question(newer_->index_->read());
  return question((is_unknown_later ? differs_ : index_)->read());
}

bool Words::has(std::string_view word) const {
  std::string text(word);
  std::replace(text.begin(), text.end(), '-', '_');
  return ask(
      [&](const Found& found) { return found.words.contains(hash64(word)) || found.words.contains(hash64(text)); });
}

bool Words::has_prefix(std::string_view prefix) const {
  std::string text(prefix);
  std::replace(text.begin(), text.end(), '-', '_');
  return ask([&](const Found& found) { return found.prefixes.contains(hash64(text)); });
}

}  // namespace lockstep::playbook
