// String literals and the text runs of f-strings: where they end. What escapes mean: string_literals.h.
#include <array>

#include "python/characters.h"
#include "python/lexer.h"

namespace lockstep::python {

namespace {

// Bytes at which the search for the end of a string has to look closer.
consteval std::array<bool, 256> string_stops(bool with_braces) {
  std::array<bool, 256> stops{};
  for (unsigned char c : {'"', '\'', '\\', '\n', '\r', '\0'}) stops[c] = true;
  stops['{'] = stops['}'] = with_braces;
  return stops;
}
constexpr std::array<bool, 256> kStringStops = string_stops(false);
constexpr std::array<bool, 256> kFStringStops = string_stops(true);

constexpr const char* kUnterminated = "unterminated string literal";
constexpr const char* kUnterminatedTriple = "unterminated triple-quoted string literal";

}  // namespace

Token Lexer::prefixed_string(const char* begin, std::size_t prefix_size) {
  std::uint8_t flags = 0;
  bool is_fstring = false;
  bool is_prefix = true;
  for (std::size_t i = 0; i < prefix_size; ++i) {
    const char lower = static_cast<char>(begin[i] | 0x20);
    const std::uint8_t before = flags;
    if (lower == 'r') flags |= token_flags::kRaw;
    if (lower == 'b') flags |= token_flags::kBytes;
    if (lower == 'u') flags |= token_flags::kUnicode;
    const bool is_f = lower == 'f' && !is_fstring;
    is_fstring = is_fstring || is_f;
    is_prefix = is_prefix && (flags != before || is_f);
  }
  const bool goes_alone = (flags & token_flags::kUnicode) != 0;
  if (!is_prefix || (prefix_size == 2 && (goes_alone || (is_fstring && (flags & token_flags::kBytes) != 0)))) {
    Token result = token(TokenKind::kName, begin);
    result.kind = keyword_kind(begin, prefix_size);
    return result;
  }
  if (!is_fstring) return string(begin, prefix_size, flags);
  const char* const quote = begin + prefix_size;
  const bool is_triple = quote[1] == quote[0] && quote[2] == quote[0];
  at_ = quote + (is_triple ? 3 : 1);
  Token result = token(TokenKind::kFStringStart, begin);
  result.flags = static_cast<std::uint8_t>(flags | (is_triple ? token_flags::kTriple : 0));
  result.prefix_size = static_cast<std::uint8_t>(prefix_size);
  return result;
}

Token Lexer::unterminated(const char* begin, bool is_triple) {
  if (is_triple) ran_into_end_ = true;
  return error(begin, is_triple ? kUnterminatedTriple : kUnterminated);
}

Token Lexer::string(const char* begin, std::size_t prefix_size, std::uint8_t flags) {
  const char* const opening = begin + prefix_size;
  const char quote = *opening;
  const bool is_triple = opening[1] == quote && opening[2] == quote;
  if (is_triple) flags |= token_flags::kTriple;
  at_ = opening + (is_triple ? 3 : 1);
  while (true) {
    while (!kStringStops[static_cast<unsigned char>(*at_)]) ++at_;
    const char c = *at_;
    if (c == quote) {
      const bool closes = !is_triple || (at_[1] == quote && at_[2] == quote);
      at_ += is_triple && closes ? 3 : 1;
      if (closes) break;
    } else if (c == '\\') {
      flags |= token_flags::kEncoded;
      ++at_;
      if (at_ != end_) ++at_;
      if (at_[-1] == '\r' && *at_ == '\n') ++at_;
    } else if (c == 0 && at_ == end_) {
      return unterminated(begin, is_triple);
    } else if (c == '\n' || c == '\r') {
      if (!is_triple) return unterminated(begin, false);
      if (c == '\r') flags |= token_flags::kEncoded;
      ++at_;
    } else {
      ++at_;  // the other quote, or a NUL
    }
  }
  Token result = token(TokenKind::kString, begin);
  result.flags = flags;
  result.prefix_size = static_cast<std::uint8_t>(prefix_size);
  return result;
}

void Lexer::skip_fstring(const Token& start, int bracket_depth) {
  depth_ = bracket_depth;
  field_depth_ = 0;
  ran_into_end_ = false;
  forget_comments(start.begin);
  string(begin_ + start.begin, start.prefix_size, 0);
}

Lexer::Field Lexer::enter_field() {
  const Field field{field_depth_};
  field_depth_ = ++depth_;
  return field;
}

void Lexer::leave_field(Field field, bool closed_by_text) {
  if (closed_by_text && depth_ > 0) --depth_;
  field_depth_ = field.outer_field_depth;
}

FStringText Lexer::fstring_text(const Token& start, bool in_format_spec) {
  const bool is_raw = start.has(token_flags::kRaw), is_triple = start.has(token_flags::kTriple);
  const char quote = begin_[start.begin + start.prefix_size];
  const char* const begin = at_;
  FStringText text;
  const auto stop = [&](FStringStop reason, const char* text_end, int consumed) {
    text.span = {static_cast<std::uint32_t>(begin - begin_), static_cast<std::uint32_t>(text_end - begin_)};
    text.stop = reason;
    at_ = text_end + consumed;
    return text;
  };
  while (true) {
    while (!kFStringStops[static_cast<unsigned char>(*at_)]) ++at_;
    const char c = *at_;
    if (c == quote) {
      if (!is_triple) return stop(FStringStop::kQuote, at_, 1);
      if (at_[1] == quote && at_[2] == quote) return stop(FStringStop::kQuote, at_, 3);
      ++at_;
    } else if (c == '{') {
      if (at_[1] == '{' && !in_format_spec) return stop(FStringStop::kEscapedBrace, at_ + 1, 1);
      return stop(FStringStop::kField, at_, 1);
    } else if (c == '}') {
      if (in_format_spec) return stop(FStringStop::kFieldEnd, at_, 1);
      if (at_[1] == '}') return stop(FStringStop::kEscapedBrace, at_ + 1, 1);
      error_message_ = "f-string: single '}' is not allowed";
      return stop(FStringStop::kError, at_, 1);
    } else if (c == '\\') {
      text.is_encoded = true;
      ++at_;
      if (!is_raw && *at_ == 'N' && at_[1] == '{') {
        while (*at_ != '}' && !(kStringStops[static_cast<unsigned char>(*at_)])) ++at_;
        if (*at_ == '}') ++at_;
      } else if (*at_ != '{' && *at_ != '}' && at_ != end_) {
        ++at_;
        if (at_[-1] == '\r' && *at_ == '\n') ++at_;
      }
    } else if ((c == 0 && at_ == end_) || ((c == '\n' || c == '\r') && !is_triple)) {
      if (is_triple) ran_into_end_ = true;
      error_message_ = is_triple ? kUnterminatedTriple : kUnterminated;
      return stop(FStringStop::kError, at_, 0);
    } else {
      if (c == '\r') text.is_encoded = true;
      ++at_;
    }
  }
}

}  // namespace lockstep::python
