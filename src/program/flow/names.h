// An index from texts to small numbers: a text's number is its place in a list that somebody else owns; and sets of
// such numbers.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/huge_pages.h"
#include "program/flow/code.h"

namespace lockstep::program::flow {

class NameIndex {
 public:
  /// The number of `text` in `texts` (anything with operator[] that gives a text); kNone where it is not known.
  template <class Texts>
  [[nodiscard]] NameId find(const Texts& texts, std::string_view text) const {
    return find(texts, text, hash_of(text));
  }
  template <class Texts>
  [[nodiscard]] NameId find(const Texts& texts, std::string_view text, std::uint32_t hash) const {
    const std::size_t mask = entries_.size() - 1;
    for (std::size_t at = hash & mask; entries_[at].id != kNone; at = (at + 1) & mask) {
      if (entries_[at].hash == hash && texts[entries_[at].id] == text) return entries_[at].id;
    }
    return kNone;
  }
  /// Adds what `find` did not find.
  void add(NameId id, std::uint32_t hash) {
    if (++count_ * 2 > entries_.size()) grow();
    put({id, hash});
  }
  static std::uint32_t hash_of(std::string_view text) { return static_cast<std::uint32_t>(hash64(text)); }

 private:
  struct Entry {
    NameId id = kNone;
    std::uint32_t hash = 0;
  };
  void put(Entry entry) {
    const std::size_t mask = entries_.size() - 1;
    std::size_t at = entry.hash & mask;
    while (entries_[at].id != kNone) at = (at + 1) & mask;
    entries_[at] = entry;
  }
  void grow() {
    HugeVector<Entry> old(entries_.size() * 4);
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.id != kNone) put(entry);
    }
  }

  HugeVector<Entry> entries_ = HugeVector<Entry>(64);
  std::size_t count_ = 0;
};

/// A set of names, a bit for each.
class NameSet {
 public:
  void add(NameId name) {
    if (name / kBits >= words_.size()) words_.resize(name / kBits + 1);
    words_[name / kBits] |= std::uint64_t{1} << name % kBits;
  }
  [[nodiscard]] bool has(NameId name) const {
    return name / kBits < words_.size() && (words_[name / kBits] >> name % kBits & 1) != 0;
  }

 private:
  static constexpr NameId kBits = 64;
  std::vector<std::uint64_t> words_;
};

}  // namespace lockstep::program::flow
