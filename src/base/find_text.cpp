#include "base/find_text.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>

#include <array>
#include <bit>
#endif

namespace lockstep {

namespace {

#ifdef __SSE2__

/// By character how common it is in Python code, 0 for rare.
constexpr std::array<std::uint8_t, 256> make_commonness() {
  constexpr std::string_view kCommonFirst = " etrasoni_ld\npcumfgh.,=\"b)(ky:vw-xTNqz[]#EAP'SCR`LO1MDI0F2G";
  std::array<std::uint8_t, 256> out{};
  for (std::size_t i = 0; i < kCommonFirst.size(); ++i)
    out[static_cast<unsigned char>(kCommonFirst[i])] = static_cast<std::uint8_t>(kCommonFirst.size() - i);
  return out;
}
constexpr std::array<std::uint8_t, 256> kCommonness = make_commonness();

/// Where the two rarest characters of a text of two or more stand, in order.
std::pair<std::size_t, std::size_t> rarest_two(std::string_view part) {
  const auto commonness = [&](std::size_t at) { return kCommonness[static_cast<unsigned char>(part[at])]; };
  std::size_t first = 0, second = part.size() - 1;
  if (commonness(second) < commonness(first)) std::swap(first, second);
  for (std::size_t i = 1; i + 1 < part.size(); ++i) {
    if (commonness(i) < commonness(first)) {
      second = std::exchange(first, i);
    } else if (commonness(i) < commonness(second)) {
      second = i;
    }
  }
  return std::minmax(first, second);
}

constexpr std::size_t kAtOnce = 16;

/// Where `part`, of two characters or more, stands first. At least kAtOnce places of it must fit into the text.
const char* find_at_once(std::string_view text, std::string_view part) {
  const auto [first, second] = rarest_two(part);
  const __m128i one = _mm_set1_epi8(part[first]);
  const __m128i other = _mm_set1_epi8(part[second]);
  const auto places_from = [&, first = first, second = second](const char* at) {
    const auto* ones = reinterpret_cast<const __m128i*>(at + first);
    const auto* others = reinterpret_cast<const __m128i*>(at + second);
    const __m128i both =
        _mm_and_si128(_mm_cmpeq_epi8(_mm_loadu_si128(ones), one), _mm_cmpeq_epi8(_mm_loadu_si128(others), other));
    return static_cast<std::uint32_t>(_mm_movemask_epi8(both));
  };
  const char* const last_block = text.data() + (text.size() - part.size() + 1 - kAtOnce);
  for (const char* at = text.data();; at += kAtOnce) {
    // The last places are looked at together with some that were.
    if (at > last_block) at = last_block;
    for (std::uint32_t places = places_from(at); places != 0; places &= places - 1) {
      const char* const place = at + std::countr_zero(places);
      if (std::memcmp(place, part.data(), part.size()) == 0) return place;
    }
    if (at == last_block) return nullptr;
  }
}

#endif

const char* find(std::string_view text, std::string_view part) {
  if (part.size() == 1) return static_cast<const char*>(std::memchr(text.data(), part.front(), text.size()));
#ifdef __SSE2__
  if (text.size() + 1 >= part.size() + kAtOnce) return find_at_once(text, part);
#endif
  return static_cast<const char*>(memmem(text.data(), text.size(), part.data(), part.size()));
}

}  // namespace

std::size_t find_text(std::string_view text, std::string_view part, std::size_t from) {
  if (from > text.size()) return std::string_view::npos;
  if (part.empty()) return from;
  if (part.size() > text.size() - from) return std::string_view::npos;
  const char* const found = find(text.substr(from), part);
  return found == nullptr ? std::string_view::npos : static_cast<std::size_t>(found - text.data());
}

}  // namespace lockstep
