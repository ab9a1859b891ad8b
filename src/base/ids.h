// Typed 4-byte ids into dense tables. An id is valid for one run of the program only; what is compared across
// runs or written out uses qualified names instead.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace lockstep {

/// An index into the table of things tagged `Tag`. `Id{}` is "none"; `valid()` tells.
template <class Tag>
struct Id {
  static constexpr std::uint32_t kNone = 0xffffffffu;
  std::uint32_t value = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : value(static_cast<std::uint32_t>(index)) {}

  [[nodiscard]] constexpr bool valid() const { return value != kNone; }
  [[nodiscard]] constexpr std::size_t index() const { return value; }
  friend constexpr auto operator<=>(Id, Id) = default;
};

}  // namespace lockstep

template <class Tag>
struct std::hash<lockstep::Id<Tag>> {
  std::size_t operator()(lockstep::Id<Tag> id) const noexcept { return id.value * 0x9e3779b97f4a7c15ull; }
};
