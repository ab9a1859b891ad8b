// Hashing of bytes (xxHash), for content ids, fingerprints and hash tables keyed by text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep {

/// 64-bit XXH3 of `bytes`; the same on every machine.
std::uint64_t hash64(std::string_view bytes, std::uint64_t seed = 0);
/// 32 lower-case hexadecimal digits of the 128-bit XXH3 of `bytes`.
std::string hash128_hex(std::string_view bytes);

/// Transparent hash for unordered containers keyed by std::string, so that a string_view can be looked up.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return hash64(text); }
};

}  // namespace lockstep
