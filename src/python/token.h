// Tokens of Python source, as the lexer hands them to the parser one at a time.
#pragma once

#include <cstdint>

#include "text/source.h"

namespace lockstep::python {

// clang-format off
enum class TokenKind : std::uint8_t {
  // Layout and words. kError: something that is no token; Lexer::error_message() says what.
  kError, kEndOfFile, kNewline, kIndent, kDedent, kName, kNumber, kString, kFStringStart,
  kInjected,  ///< Made by the parser: an expression that it has read already stands here.
  // Punctuation
  kLeftParen, kRightParen, kLeftBracket, kRightBracket, kLeftBrace, kRightBrace, kComma, kColon, kSemicolon, kDot,
  kEllipsis, kArrow, kAssign, kWalrus, kExclamation, kTilde,
  // Binary operators, in the order of BinaryOperator
  kPlus, kMinus, kStar, kAt, kSlash, kPercent, kDoubleStar, kLeftShift, kRightShift, kBar, kCaret, kAmpersand,
  kDoubleSlash,
  // Augmented assignments, in the same order
  kPlusAssign, kMinusAssign, kStarAssign, kAtAssign, kSlashAssign, kPercentAssign, kDoubleStarAssign,
  kLeftShiftAssign, kRightShiftAssign, kBarAssign, kCaretAssign, kAmpersandAssign, kDoubleSlashAssign,
  // Comparisons, in the order of CompareOperator up to kGtE
  kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual,
  // Keywords
  kAnd, kAs, kAssert, kAsync, kAwait, kBreak, kClass, kContinue, kDef, kDel, kElif, kElse, kExcept, kFalse, kFinally,
  kFor, kFrom, kGlobal, kIf, kImport, kIn, kIs, kLambda, kNone, kNonlocal, kNot, kOr, kPass, kRaise, kReturn, kTrue,
  kTry, kWhile, kWith, kYield,
  kCount,
};
// clang-format on

/// Bits of Token::flags.
namespace token_flags {
inline constexpr std::uint8_t kNonAscii = 1;  ///< kName, kString: some byte is 0x80 or above.
// kNumber
inline constexpr std::uint8_t kFloat = 2;
inline constexpr std::uint8_t kComplex = 4;
// kString, kFStringStart
inline constexpr std::uint8_t kRaw = 2;
inline constexpr std::uint8_t kBytes = 4;
inline constexpr std::uint8_t kUnicode = 8;  ///< The prefix `u`.
inline constexpr std::uint8_t kTriple = 16;
inline constexpr std::uint8_t kEncoded = 32;  ///< Holds a backslash or a carriage return.
}  // namespace token_flags

struct Token {
  TokenKind kind = TokenKind::kError;
  std::uint8_t flags = 0;
  std::uint8_t prefix_size = 0;  ///< kString, kFStringStart: letters before the quote.
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  [[nodiscard]] Span span() const { return {begin, end}; }
  [[nodiscard]] bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
};

}  // namespace lockstep::python
