// Turns source text (UTF-8) into tokens, one call a token: indentation, line joining, brackets, comments, numbers,
// strings. Of an f-string it gives the start only: the parser then asks for its text runs and reads the replacement
// fields as ordinary tokens, so that positions inside are exact and quotes may nest (PEP 701).
//
// Not here: what a string's escapes mean (string_literals.h), which words are soft keywords (the parser knows).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "python/parser.h"
#include "python/token.h"

namespace lockstep::python {

/// Limits of CPython's own tokenizer (Parser/tokenizer.h: MAXLEVEL, MAXINDENT).
inline constexpr int kMaxBrackets = 200;
inline constexpr int kMaxIndents = 100;
/// Problems of one file beyond this many are not recorded.
inline constexpr std::size_t kMaxProblems = 200;

/// What ends a run of plain text inside an f-string.
enum class FStringStop : std::uint8_t {
  kQuote,         ///< The closing quote; it is consumed.
  kField,         ///< `{`, consumed.
  kFieldEnd,      ///< `}` that ends the field whose format spec is being read, consumed.
  kEscapedBrace,  ///< `{{` or `}}`: the first brace belongs to the text, the second is skipped.
  kError,
};

struct FStringText {
  Span span;
  FStringStop stop = FStringStop::kError;
  bool is_encoded = false;  ///< Holds a backslash or a carriage return.
};

class Lexer {
 public:
  /// `text` must be followed by a NUL byte (as in std::string) and outlive the lexer. Comments and problems that
  /// leave no error token (indentation that does not fit) are appended to the two vectors.
  Lexer(std::string_view text, std::vector<Comment>& comments, std::vector<Problem>& problems);

  Token next();
  /// Tokens that follow on the same logical line, without moving: calls `visit(Token)` until it returns false or the
  /// line ends.
  template <class Visitor>
  void look_ahead(Visitor&& visit);

  /// Why the last token was kError.
  [[nodiscard]] const char* error_message() const { return error_message_; }

  // --- f-strings ---
  /// The next run of text of the f-string that began with `start`.
  FStringText fstring_text(const Token& start, bool in_format_spec);
  /// Saved by the caller around a replacement field.
  struct Field {
    int outer_field_depth = 0;
  };
  /// After `{`: from here on the text is tokens again, up to the field's own `:`, `!` or `}`.
  Field enter_field();
  /// `closed_by_text`: the field's `}` was found by fstring_text(), not as a token.
  void leave_field(Field field, bool closed_by_text);
  /// Whether the next token stands in a replacement field and not inside brackets of its own.
  [[nodiscard]] bool is_directly_in_field() const { return field_depth_ != 0 && depth_ == field_depth_; }
  /// Where the next token or text run will be searched.
  [[nodiscard]] std::uint32_t offset() const { return static_cast<std::uint32_t>(at_ - begin_); }

  // --- recovery ---
  [[nodiscard]] int bracket_depth() const { return depth_; }
  /// Start of the first line inside brackets, since the logical line began, that looks like a statement of its own: a
  /// statement keyword no deeper than the current block. 0 where there is none.
  [[nodiscard]] std::uint32_t restart_candidate() const { return restart_candidate_; }
  /// True once the end of the file was reached inside a bracket or a triple-quoted string.
  [[nodiscard]] bool ran_into_end() const { return ran_into_end_; }
  /// Goes on at `line_start` as a new logical line.
  void restart_at(std::uint32_t line_start);
  /// Closes all brackets, so that the logical line ends at the next line end.
  void close_brackets();
  /// Leaves an f-string that is not understood: goes on behind it, found as a string without fields.
  void skip_fstring(const Token& start, int bracket_depth);

 private:
  struct Mark {
    const char* at;
    int depth;
    int field_depth;
    bool line_starts;
    bool ran_into_end;
    std::uint32_t restart_candidate;
    std::size_t comment_count;
  };
  [[nodiscard]] Mark mark() const;
  void go_back(const Mark& mark);

  [[nodiscard]] Token token(TokenKind kind, const char* begin) const {
    return {kind, 0, 0, static_cast<std::uint32_t>(begin - begin_), static_cast<std::uint32_t>(at_ - begin_)};
  }
  Token operator_token(const char* begin, TokenKind kind, int size) {
    at_ = begin + size;
    return token(kind, begin);
  }
  Token error(const char* begin, const char* message) {
    error_message_ = message;
    return token(TokenKind::kError, begin);
  }
  void problem(const char* begin, const char* end, const char* message);

  // Layout
  Token layout();
  Token indentation(const char* first, std::uint32_t column, std::uint32_t tabless_column);
  Token end_of_file();
  void comment();
  void skip_newline();
  void joined_line();
  void forget_comments(std::uint32_t offset);
  [[nodiscard]] bool starts_statement(const char* at) const;

  // Words
  Token name(const char* begin);
  Token name_beyond_ascii(const char* begin);
  Token punctuation(const char* begin);
  Token open(const char* begin, TokenKind kind);
  Token close(const char* begin, TokenKind kind);
  Token number(const char* begin);
  Token finish_number(const char* begin, std::uint8_t flags, const char* what);
  bool digits(bool (*is_digit)(char));
  Token prefixed_string(const char* begin, std::size_t prefix_size);
  Token string(const char* begin, std::size_t prefix_size, std::uint8_t flags);
  Token unterminated(const char* begin, bool is_triple);

  const char* at_;
  const char* begin_;
  const char* end_;
  bool line_starts_ = true;  ///< The next token is preceded by layout.
  bool ran_into_end_ = false;
  int depth_ = 0;        ///< Open brackets, replacement fields among them.
  int field_depth_ = 0;  ///< depth_ directly inside the innermost replacement field; 0 outside.
  int pending_dedents_ = 0;
  int indent_count_ = 0;  ///< Of open blocks; indents_[indent_count_] is the innermost.
  std::uint32_t restart_candidate_ = 0;
  const char* error_message_ = "";
  std::vector<Comment>* comments_;
  std::vector<Problem>* problems_;
  struct Indent {
    std::uint32_t column = 0;          ///< Tabs go to the next multiple of 8.
    std::uint32_t tabless_column = 0;  ///< Tabs count 1: both must agree on what is deeper.
  };
  std::array<Indent, kMaxIndents + 1> indents_{};
};

template <class Visitor>
void Lexer::look_ahead(Visitor&& visit) {
  const Mark here = mark();
  while (true) {
    const Token token = next();
    if (token.kind <= TokenKind::kDedent || !visit(token)) break;
  }
  go_back(here);
}

}  // namespace lockstep::python
