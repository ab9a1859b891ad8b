// Numbers: https://docs.python.org/3/reference/lexical_analysis.html#numeric-literals
#include <cstring>

#include "python/characters.h"
#include "python/lexer.h"

namespace lockstep::python {

namespace {

bool is_decimal(char c) { return is_digit(c); }
bool is_binary(char c) { return c == '0' || c == '1'; }
bool is_octal(char c) { return c >= '0' && c <= '7'; }
bool is_hexadecimal(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// Words that may follow a number without a space, as in `1if x else 2`.
bool starts_operator_word(const char* at) {
  const auto starts = [&](const char* word) { return std::strncmp(at, word, std::strlen(word)) == 0; };
  switch (*at) {
    case 'a':
      return starts("and");
    case 'e':
      return starts("else");
    case 'f':
      return starts("for");
    case 'i':
      return at[1] == 'f' || at[1] == 'n' || at[1] == 's';
    case 'n':
      return starts("not");
    case 'o':
      return starts("or");
    default:
      return false;
  }
}

}  // namespace

// Digits with single underscores between them; false where an underscore stands wrong or no digit comes.
bool Lexer::digits(bool (*is_one)(char)) {
  while (true) {
    if (!is_one(*at_)) return false;
    while (is_one(*at_)) ++at_;
    if (*at_ != '_') return true;
    ++at_;
  }
}

Token Lexer::finish_number(const char* begin, std::uint8_t flags, const char* what) {
  if ((is_name_byte(*at_) || is_beyond_ascii(*at_)) && !starts_operator_word(at_)) {
    while (is_name_byte(*at_)) ++at_;
    return error(begin, what);
  }
  Token result = token(TokenKind::kNumber, begin);
  result.flags = flags;
  return result;
}

Token Lexer::number(const char* begin) {
  constexpr const char* kDecimal = "invalid decimal literal";
  at_ = begin;
  const auto bad = [&](const char* what) {
    while (is_name_byte(*at_)) ++at_;
    return error(begin, what);
  };
  const auto prefixed = [&](bool (*is_one)(char), const char* what) {
    at_ += at_[2] == '_' ? 3 : 2;
    return digits(is_one) ? finish_number(begin, 0, what) : bad(what);
  };
  if (*at_ == '0') {
    switch (at_[1]) {
      case 'x':
      case 'X':
        return prefixed(is_hexadecimal, "invalid hexadecimal literal");
      case 'o':
      case 'O':
        return prefixed(is_octal, "invalid octal literal");
      case 'b':
      case 'B':
        return prefixed(is_binary, "invalid binary literal");
      default:
        break;
    }
  }
  std::uint8_t flags = 0;
  if (*at_ != '.' && !digits(is_decimal)) return bad(kDecimal);
  const char* const integer_end = at_;
  if (*at_ == '.') {
    ++at_;
    flags = token_flags::kFloat;
    if (is_digit(*at_) && !digits(is_decimal)) return bad(kDecimal);
  }
  if (*at_ == 'e' || *at_ == 'E') {
    const int sign = at_[1] == '+' || at_[1] == '-' ? 1 : 0;
    if (is_digit(at_[1 + sign])) {
      at_ += 1 + sign;
      flags = token_flags::kFloat;
      if (!digits(is_decimal)) return bad(kDecimal);
    }
  }
  if (*at_ == 'j' || *at_ == 'J') {
    ++at_;
    flags = token_flags::kComplex;
  }
  if (flags == 0 && *begin == '0') {
    for (const char* c = begin; c < integer_end; ++c) {
      if (*c != '0' && *c != '_') return bad("leading zeros in decimal integer literals are not permitted");
    }
  }
  return finish_number(begin, flags, flags == token_flags::kComplex ? "invalid imaginary literal" : kDecimal);
}

}  // namespace lockstep::python
