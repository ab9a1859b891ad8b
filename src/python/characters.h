// What each byte of Python source can begin or continue, and which words are keywords. Tables made at compile time.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "python/token.h"

namespace lockstep::python {

/// What a byte can begin, where a token may begin.
enum class CharClass : std::uint8_t {
  kPunctuation,
  kLetter,
  kDigit,
  kDot,
  kQuote,
  kSpace,
  kLineEnd,
  kHash,
  kBackslash,
  kNul,
};

namespace characters_internal {

constexpr bool is_ascii_letter(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

consteval std::array<CharClass, 256> char_classes() {
  std::array<CharClass, 256> classes{};
  for (int c = 0; c < 256; ++c) {
    CharClass& of = classes[static_cast<std::size_t>(c)];
    if (is_ascii_letter(c) || c >= 0x80) of = CharClass::kLetter;
    if (c >= '0' && c <= '9') of = CharClass::kDigit;
    if (c == '.') of = CharClass::kDot;
    if (c == '"' || c == '\'') of = CharClass::kQuote;
    if (c == ' ' || c == '\t' || c == '\f') of = CharClass::kSpace;
    if (c == '\n' || c == '\r') of = CharClass::kLineEnd;
    if (c == '#') of = CharClass::kHash;
    if (c == '\\') of = CharClass::kBackslash;
    if (c == 0) of = CharClass::kNul;
  }
  return classes;
}

consteval std::array<bool, 256> name_bytes() {
  std::array<bool, 256> bytes{};
  for (int c = 0; c < 128; ++c) bytes[static_cast<std::size_t>(c)] = is_ascii_letter(c) || (c >= '0' && c <= '9');
  return bytes;
}

}  // namespace characters_internal

inline constexpr std::array<CharClass, 256> kCharClasses = characters_internal::char_classes();
/// ASCII letters, digits and `_`.
inline constexpr std::array<bool, 256> kNameBytes = characters_internal::name_bytes();

inline CharClass char_class(char c) { return kCharClasses[static_cast<unsigned char>(c)]; }
inline bool is_name_byte(char c) { return kNameBytes[static_cast<unsigned char>(c)]; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_beyond_ascii(char c) { return static_cast<unsigned char>(c) >= 0x80; }

namespace characters_internal {

struct KeywordSlot {
  char text[9] = {};
  std::uint8_t size = 0;
  TokenKind kind = TokenKind::kName;
};

/// In the order of TokenKind, from kAnd on.
inline constexpr std::array<std::string_view, 35> kKeywords = {
    "and",      "as",    "assert",  "async", "await", "break",  "class", "continue", "def",   "del",  "elif",   "else",
    "except",   "False", "finally", "for",   "from",  "global", "if",    "import",   "in",    "is",   "lambda", "None",
    "nonlocal", "not",   "or",      "pass",  "raise", "return", "True",  "try",      "while", "with", "yield"};
static_assert(static_cast<int>(TokenKind::kYield) - static_cast<int>(TokenKind::kAnd) + 1 == 35);

/// Tells all keywords apart; `size` is at least 2.
constexpr std::uint32_t keyword_key(const char* text, std::size_t size) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  return byte(0) | byte(1) << 8 | byte(size - 1) << 16 | static_cast<std::uint32_t>(size) << 24;
}
constexpr std::size_t keyword_slot(std::uint32_t key, std::uint32_t factor) { return (key * factor) >> 25; }

/// A factor that gives each keyword a slot of its own among 128.
consteval std::uint32_t perfect_factor() {
  for (std::uint32_t factor = 0x9e3779b1u;; factor += 2) {
    std::array<bool, 128> taken{};
    bool clash = false;
    for (std::string_view word : kKeywords) {
      bool& slot = taken[keyword_slot(keyword_key(word.data(), word.size()), factor)];
      clash = clash || slot;
      slot = true;
    }
    if (!clash) return factor;
  }
}
inline constexpr std::uint32_t kFactor = perfect_factor();

consteval std::array<KeywordSlot, 128> keyword_table() {
  std::array<KeywordSlot, 128> table{};
  for (std::size_t i = 0; i < kKeywords.size(); ++i) {
    const std::string_view word = kKeywords[i];
    KeywordSlot& slot = table[keyword_slot(keyword_key(word.data(), word.size()), kFactor)];
    for (std::size_t c = 0; c < word.size(); ++c) slot.text[c] = word[c];
    slot.size = static_cast<std::uint8_t>(word.size());
    slot.kind = static_cast<TokenKind>(static_cast<std::size_t>(TokenKind::kAnd) + i);
  }
  return table;
}
inline constexpr std::array<KeywordSlot, 128> kKeywordTable = keyword_table();

}  // namespace characters_internal

/// The keyword that `text` is, or kName.
inline TokenKind keyword_kind(const char* text, std::size_t size) {
  using namespace characters_internal;
  if (size < 2 || size > 8) return TokenKind::kName;
  const KeywordSlot& candidate = kKeywordTable[keyword_slot(keyword_key(text, size), kFactor)];
  if (candidate.size != size || std::memcmp(candidate.text, text, size) != 0) return TokenKind::kName;
  return candidate.kind;
}

}  // namespace lockstep::python
