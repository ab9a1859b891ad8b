// A text -> which names stand in it (find_text.h: runs of letters, digits and underscores), and where each stands
// first. Most files hold none of the names that are asked for: that is said without reading the text again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

namespace lockstep {

/// Refers to the text by offsets alone: what it was made of must be given with each question.
class NameIndex {
 public:
  NameIndex() = default;
  explicit NameIndex(std::string_view text);

  /// Where a name stands first in the text; npos where it does not. `name` must be one.
  [[nodiscard]] std::size_t first_of(std::string_view text, std::string_view name) const;
  /// As find_name(text, name, from) of base/find_text.h, of whatever is no name, too.
  [[nodiscard]] std::size_t find(std::string_view text, std::string_view name, std::size_t from = 0) const;

  /// Calls `visit(std::string_view)` once for each different name, at its first place; in no order.
  template <class Visit>
  void for_each(std::string_view text, const Visit& visit) const {
    for (const std::uint64_t slot : slots_) {
      if (slot != 0) visit(name_at(text, offset_in(slot)));
    }
  }

 private:
  static std::string_view name_at(std::string_view text, std::size_t offset);
  static std::size_t offset_in(std::uint64_t slot) { return static_cast<std::uint32_t>(slot) - 1; }
  void add(std::string_view text, std::size_t offset, std::size_t size);
  void grow();

  /// A hash in the upper half, an offset and 1 in the lower one; 0 is free. Their number is a power of two.
  std::vector<std::uint64_t> slots_;
  std::size_t count_ = 0;
};

/// The index of one text, made when it is first asked for, by whatever thread.
class LazyNameIndex {
 public:
  /// Always of the same text.
  [[nodiscard]] const NameIndex& of(std::string_view text) const {
    std::call_once(once_, [&] { index_ = NameIndex(text); });
    return index_;
  }

 private:
  mutable std::once_flag once_;
  mutable NameIndex index_;
};

}  // namespace lockstep
