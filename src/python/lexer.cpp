#include "python/lexer.h"

#include <utility>

#include "python/characters.h"
#include "python/identifiers.h"

namespace lockstep::python {

namespace {

constexpr const char* kContinuationAtEnd = "unexpected end of file after a line continuation";

}  // namespace

Lexer::Lexer(std::string_view text, std::vector<Comment>& comments, std::vector<Problem>& problems)
    : at_(text.data()),
      begin_(text.data()),
      end_(text.data() + text.size()),
      comments_(&comments),
      problems_(&problems) {}

Lexer::Mark Lexer::mark() const {
  return {at_, depth_, field_depth_, line_starts_, ran_into_end_, restart_candidate_, comments_->size()};
}

void Lexer::go_back(const Mark& mark) {
  at_ = mark.at;
  depth_ = mark.depth;
  field_depth_ = mark.field_depth;
  line_starts_ = mark.line_starts;
  ran_into_end_ = mark.ran_into_end;
  restart_candidate_ = mark.restart_candidate;
  comments_->resize(mark.comment_count);
}

void Lexer::problem(const char* begin, const char* end, const char* message) {
  if (problems_->size() >= kMaxProblems) return;
  problems_->push_back(
      {{static_cast<std::uint32_t>(begin - begin_), static_cast<std::uint32_t>(end - begin_)}, message});
}

Token Lexer::next() {
  if (line_starts_) return layout();
  while (true) {
    const char* begin = at_;
    while (char_class(*begin) == CharClass::kSpace) ++begin;
    at_ = begin;
    switch (char_class(*begin)) {
      case CharClass::kLetter:
        return name(begin);
      case CharClass::kDigit:
        return number(begin);
      case CharClass::kQuote:
        return string(begin, 0, 0);
      case CharClass::kDot:
        return is_digit(begin[1]) ? number(begin) : punctuation(begin);
      case CharClass::kHash:
        comment();
        break;
      case CharClass::kLineEnd:
        skip_newline();
        if (depth_ == 0) {
          line_starts_ = true;
          restart_candidate_ = 0;
          return token(TokenKind::kNewline, begin);
        }
        joined_line();
        break;
      case CharClass::kBackslash:
        ++at_;
        if (char_class(*at_) != CharClass::kLineEnd) {
          return error(begin, "unexpected character after line continuation character");
        }
        skip_newline();
        if (at_ == end_) return error(begin, kContinuationAtEnd);
        break;
      case CharClass::kNul:
        if (begin == end_) return end_of_file();
        ++at_;
        return error(begin, "source code cannot contain null bytes");
      case CharClass::kSpace:
      case CharClass::kPunctuation:
        return punctuation(begin);
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Layout

void Lexer::skip_newline() { at_ += at_[0] == '\r' && at_[1] == '\n' ? 2 : 1; }

void Lexer::comment() {
  const char* const begin = at_;
  while (*at_ != '\n' && *at_ != '\r' && (*at_ != 0 || at_ != end_)) ++at_;
  comments_->push_back({token(TokenKind::kError, begin).span()});
}

// The start of a logical line: skips blank lines and comments, then says how the indentation changed.
Token Lexer::layout() {
  if (pending_dedents_ > 0) {
    line_starts_ = --pending_dedents_ > 0;
    return token(TokenKind::kDedent, at_);
  }
  while (true) {
    const char* const first = at_;
    std::uint32_t column = 0, tabless_column = 0, continued_column = 0, continued_tabless_column = 0;
    for (bool blank = true; blank;) {
      switch (*at_) {
        case ' ':
          ++column, ++tabless_column, ++at_;
          break;
        case '\t':
          column = (column / 8 + 1) * 8, ++tabless_column, ++at_;
          break;
        case '\f':
          column = tabless_column = 0, ++at_;
          break;
        case '\\':
          // A line that is only a continuation: the first part's indentation counts.
          if (char_class(at_[1]) != CharClass::kLineEnd) {
            blank = false;
            break;
          }
          ++at_;
          skip_newline();
          if (at_ == end_) problem(first, at_, kContinuationAtEnd);
          if (continued_column == 0) continued_column = column, continued_tabless_column = tabless_column;
          column = tabless_column = 0;
          break;
        default:
          blank = false;
          break;
      }
    }
    if (*at_ == '#') {
      comment();
    } else if (char_class(*at_) == CharClass::kLineEnd) {
      skip_newline();
    } else if (at_ == end_) {
      return end_of_file();
    } else if (continued_column != 0) {
      return indentation(first, continued_column, continued_tabless_column);
    } else {
      return indentation(first, column, tabless_column);
    }
  }
}

Token Lexer::indentation(const char* first, std::uint32_t column, std::uint32_t tabless_column) {
  constexpr const char* kTabs = "inconsistent use of tabs and spaces in indentation";
  line_starts_ = false;
  const Indent top = indents_[static_cast<std::size_t>(indent_count_)];
  if (column == top.column) {
    if (tabless_column != top.tabless_column) problem(first, at_, kTabs);
    return next();
  }
  if (column > top.column) {
    if (tabless_column <= top.tabless_column) problem(first, at_, kTabs);
    if (indent_count_ == kMaxIndents) {
      problem(first, at_, "too many levels of indentation");
      return next();
    }
    indents_[static_cast<std::size_t>(++indent_count_)] = {column, tabless_column};
    return token(TokenKind::kIndent, at_);
  }
  while (column < indents_[static_cast<std::size_t>(indent_count_)].column) --indent_count_, ++pending_dedents_;
  const Indent now = indents_[static_cast<std::size_t>(indent_count_)];
  if (column != now.column) {
    // Between two levels: taken as the deeper one, which moves to the left.
    problem(first, at_, "unindent does not match any outer indentation level");
    indents_[static_cast<std::size_t>(++indent_count_)] = {column, tabless_column};
    if (--pending_dedents_ == 0) return next();
  } else if (tabless_column != now.tabless_column) {
    problem(first, at_, kTabs);
  }
  line_starts_ = --pending_dedents_ > 0;
  return token(TokenKind::kDedent, at_);
}

Token Lexer::end_of_file() {
  if (depth_ > 0) {
    ran_into_end_ = true;
    return error(at_, "a bracket was never closed");
  }
  if (!line_starts_) {
    line_starts_ = true;
    restart_candidate_ = 0;
    return token(TokenKind::kNewline, at_);
  }
  if (indent_count_ > 0) {
    --indent_count_;
    return token(TokenKind::kDedent, at_);
  }
  return token(TokenKind::kEndOfFile, at_);
}

bool Lexer::starts_statement(const char* at) const {
  if (*at == '@') return true;
  const char* end = at;
  while (is_name_byte(*end)) ++end;
  switch (keyword_kind(at, static_cast<std::size_t>(end - at))) {
    case TokenKind::kAssert:
    case TokenKind::kAsync:
    case TokenKind::kBreak:
    case TokenKind::kClass:
    case TokenKind::kContinue:
    case TokenKind::kDef:
    case TokenKind::kDel:
    case TokenKind::kElif:
    case TokenKind::kElse:
    case TokenKind::kExcept:
    case TokenKind::kFinally:
    case TokenKind::kFor:
    case TokenKind::kFrom:
    case TokenKind::kGlobal:
    case TokenKind::kIf:
    case TokenKind::kImport:
    case TokenKind::kNonlocal:
    case TokenKind::kPass:
    case TokenKind::kRaise:
    case TokenKind::kReturn:
    case TokenKind::kTry:
    case TokenKind::kWhile:
    case TokenKind::kWith:
      return true;
    default:
      return false;
  }
}

// A new line inside brackets.
void Lexer::joined_line() {
  if (restart_candidate_ != 0) return;
  const std::uint32_t limit = indents_[static_cast<std::size_t>(indent_count_)].column;
  std::uint32_t column = 0;
  const char* at = at_;
  for (; column <= limit && (*at == ' ' || *at == '\t'); ++at) column = *at == '\t' ? (column / 8 + 1) * 8 : column + 1;
  if (column <= limit && starts_statement(at)) restart_candidate_ = offset();
}

void Lexer::restart_at(std::uint32_t line_start) {
  at_ = begin_ + line_start;
  close_brackets();
  line_starts_ = true;
  restart_candidate_ = 0;
  forget_comments(line_start);
}

// What lies behind `offset` is read again.
void Lexer::forget_comments(std::uint32_t offset) {
  while (!comments_->empty() && comments_->back().span.begin >= offset) comments_->pop_back();
}

void Lexer::close_brackets() {
  depth_ = 0;
  field_depth_ = 0;
  ran_into_end_ = false;
}

// ---------------------------------------------------------------------------------------------------------------------
// Words and punctuation

Token Lexer::name(const char* begin) {
  const char* at = begin;
  while (is_name_byte(*at)) ++at;
  if (is_beyond_ascii(*at)) return name_beyond_ascii(begin);
  at_ = at;
  const auto size = static_cast<std::size_t>(at - begin);
  if (size <= 2 && char_class(*at) == CharClass::kQuote) return prefixed_string(begin, size);
  Token result = token(TokenKind::kName, begin);
  result.kind = keyword_kind(begin, size);
  return result;
}

Token Lexer::name_beyond_ascii(const char* begin) {
  const std::size_t size = identifier_length({begin, static_cast<std::size_t>(end_ - begin)});
  if (size == 0) {
    at_ = begin + 1;
    while ((static_cast<unsigned char>(*at_) & 0xc0u) == 0x80u) ++at_;
    return error(begin, "invalid character in identifier");
  }
  at_ = begin + size;
  Token result = token(TokenKind::kName, begin);
  result.flags = token_flags::kNonAscii;
  return result;
}

Token Lexer::open(const char* begin, TokenKind kind) {
  at_ = begin + 1;
  if (depth_ >= kMaxBrackets) return error(begin, "too many nested parentheses");
  ++depth_;
  return token(kind, begin);
}

Token Lexer::close(const char* begin, TokenKind kind) {
  if (depth_ > 0) --depth_;
  return operator_token(begin, kind, 1);
}

namespace {

struct Operator {
  TokenKind kind;
  int size;
};

// `<`, `<=`, `<<`, `<<=` and the like: single, with `=`, doubled, doubled with `=`.
Operator doubling(const char* at, TokenKind single, TokenKind assign, TokenKind doubled, TokenKind doubled_assign) {
  if (at[1] == at[0]) return at[2] == '=' ? Operator{doubled_assign, 3} : Operator{doubled, 2};
  return at[1] == '=' ? Operator{assign, 2} : Operator{single, 1};
}

Operator with_assign(const char* at, TokenKind single, TokenKind assign) {
  return at[1] == '=' ? Operator{assign, 2} : Operator{single, 1};
}

Operator read_operator(const char* at, bool in_field) {
  using enum TokenKind;
  switch (*at) {
    case ',':
      return {kComma, 1};
    case ';':
      return {kSemicolon, 1};
    case '~':
      return {kTilde, 1};
    case '.':
      return at[1] == '.' && at[2] == '.' ? Operator{kEllipsis, 3} : Operator{kDot, 1};
    // Directly inside a replacement field `:=` is a colon and a format spec that starts with `=`.
    case ':':
      return at[1] == '=' && !in_field ? Operator{kWalrus, 2} : Operator{kColon, 1};
    case '=':
      return with_assign(at, kAssign, kEqual);
    case '!':
      return with_assign(at, kExclamation, kNotEqual);
    case '+':
      return with_assign(at, kPlus, kPlusAssign);
    case '-':
      return at[1] == '>' ? Operator{kArrow, 2} : with_assign(at, kMinus, kMinusAssign);
    case '%':
      return with_assign(at, kPercent, kPercentAssign);
    case '@':
      return with_assign(at, kAt, kAtAssign);
    case '&':
      return with_assign(at, kAmpersand, kAmpersandAssign);
    case '|':
      return with_assign(at, kBar, kBarAssign);
    case '^':
      return with_assign(at, kCaret, kCaretAssign);
    case '*':
      return doubling(at, kStar, kStarAssign, kDoubleStar, kDoubleStarAssign);
    case '/':
      return doubling(at, kSlash, kSlashAssign, kDoubleSlash, kDoubleSlashAssign);
    case '<':
      return doubling(at, kLess, kLessEqual, kLeftShift, kLeftShiftAssign);
    case '>':
      return doubling(at, kGreater, kGreaterEqual, kRightShift, kRightShiftAssign);
    default:
      return {kError, 1};
  }
}

}  // namespace

Token Lexer::punctuation(const char* begin) {
  switch (*begin) {
    case '(':
      return open(begin, TokenKind::kLeftParen);
    case ')':
      return close(begin, TokenKind::kRightParen);
    case '[':
      return open(begin, TokenKind::kLeftBracket);
    case ']':
      return close(begin, TokenKind::kRightBracket);
    case '{':
      return open(begin, TokenKind::kLeftBrace);
    case '}':
      return close(begin, TokenKind::kRightBrace);
    default:
      break;
  }
  const Operator read = read_operator(begin, is_directly_in_field());
  if (read.kind == TokenKind::kError) {
    at_ = begin + 1;
    return error(begin, "invalid character");
  }
  return operator_token(begin, read.kind, read.size);
}

}  // namespace lockstep::python
