#include "text/name_index.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/find_text.h"
#include "base/name_hash.h"

namespace lockstep {

namespace {

// A file of code has a new name every thirty to forty bytes at first, and then ever fewer.
constexpr std::size_t kBytesPerSlot = 16;
constexpr std::size_t kFewestSlots = 64;

constexpr std::array<bool, 256> make_is_part() {
  std::array<bool, 256> out{};
  for (std::size_t c = 0; c < out.size(); ++c) out[c] = is_name_char(static_cast<char>(c));
  return out;
}
constexpr std::array<bool, 256> kIsPart = make_is_part();

std::size_t end_of_name(std::string_view text, std::size_t at) {
  while (at < text.size() && kIsPart[static_cast<unsigned char>(text[at])]) ++at;
  return at;
}

}  // namespace

NameIndex::NameIndex(std::string_view text)
    : slots_(std::bit_ceil(std::max(kFewestSlots, text.size() / kBytesPerSlot))) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_name(text, at);
    if (end > at) add(text, at, end - at);
    at = end + 1;
  }
}

std::string_view NameIndex::name_at(std::string_view text, std::size_t offset) {
  return text.substr(offset, end_of_name(text, offset) - offset);
}

void NameIndex::add(std::string_view text, std::size_t offset, std::size_t size) {
  if ((count_ + 1) * 2 > slots_.size()) grow();
  const std::string_view name = text.substr(offset, size);
  const std::uint32_t hash = name_hash(name);
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash & mask;
  for (; slots_[i] != 0; i = (i + 1) & mask) {
    if (slots_[i] >> 32 == hash && name_at(text, offset_in(slots_[i])) == name) return;
  }
  slots_[i] = std::uint64_t{hash} << 32 | static_cast<std::uint32_t>(offset + 1);
  ++count_;
}

void NameIndex::grow() {
  std::vector<std::uint64_t> old(slots_.size() * 2);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const std::uint64_t slot : old) {
    if (slot == 0) continue;
    std::size_t i = (slot >> 32) & mask;
    while (slots_[i] != 0) i = (i + 1) & mask;
    slots_[i] = slot;
  }
}

std::size_t NameIndex::first_of(std::string_view text, std::string_view name) const {
  if (slots_.empty()) return std::string_view::npos;
  const std::uint32_t hash = name_hash(name);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash & mask; slots_[i] != 0; i = (i + 1) & mask) {
    if (slots_[i] >> 32 == hash && name_at(text, offset_in(slots_[i])) == name) return offset_in(slots_[i]);
  }
  return std::string_view::npos;
}

std::size_t NameIndex::find(std::string_view text, std::string_view name, std::size_t from) const {
  // Of `a.b`, or of a name in Greek letters, only the ends are looked at.
  if (name.empty() || !std::all_of(name.begin(), name.end(), is_name_char)) return find_name(text, name, from);
  const std::size_t first = first_of(text, name);
  return first == std::string_view::npos || from <= first ? first : find_name(text, name, from);
}

}  // namespace lockstep
