// A hash of names for tables that compare what they find: by the first and the last eight bytes, and the length.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace lockstep {

/// Of names in source code, which are short: several times as fast as hash64. For tables in memory alone.
inline std::uint32_t name_hash(std::string_view name) {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  const std::size_t size = std::min<std::size_t>(name.size(), sizeof first);
  std::memcpy(&first, name.data(), size);
  std::memcpy(&last, name.data() + name.size() - size, size);
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  const std::uint64_t mixed = (first * kOdd ^ (last + name.size())) * kOdd;
  return static_cast<std::uint32_t>(mixed >> 32);
}

}  // namespace lockstep
