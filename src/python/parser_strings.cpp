// String literals: several side by side make one; f-strings become JoinedStr nodes of constants and fields.
#include "python/parser_impl.h"
#include "python/string_literals.h"

namespace lockstep::python {

struct Parser::StringParts {
  std::size_t stack_mark;  ///< Finished values are on the node stack from here on.
  std::size_t text_mark;   ///< Text that could not stay a view of the source is in text_ from here on.
  bool has_fstring = false;
  bool is_bytes = false;
  bool has_u_prefix = false;
  // Text since the last field.
  bool has_text = false;
  bool is_copied = false;  ///< The text is in text_, else it is `view`.
  std::string_view view = {};
  Span text_span = {};
};

// `piece`: what the text's node covers; `body`: the text itself.
void Parser::add_text(StringParts& parts, Span piece, Span body, const Token& start, bool is_encoded) {
  const std::string_view text = source_.substr(body.begin, body.size());
  const bool is_raw = start.has(token_flags::kRaw), is_bytes = start.has(token_flags::kBytes);
  const bool must_decode = is_bytes || (is_encoded && (!is_raw || text.find('\r') != std::string_view::npos));
  if (!parts.has_text) {
    parts.has_text = true;
    parts.text_span = piece;
    parts.view = text;
    parts.is_copied = false;
    parts.has_u_prefix = start.has(token_flags::kUnicode);
    if (!must_decode) return;
  } else if (!parts.is_copied) {
    text_ += parts.view;
  }
  parts.is_copied = true;
  parts.text_span.end = piece.end;
  if (!must_decode) {
    text_ += text;
  } else if (const char* wrong = decode_string(text, is_raw, is_bytes, text_)) {
    fail_at(piece, wrong);
  }
}

// The value of the text so far, in the arena or the source; empties text_.
std::string_view Parser::take_text(StringParts& parts) {
  std::string_view text = parts.view;
  if (parts.is_copied) {
    text = arena_.copy(std::string_view(text_).substr(parts.text_mark));
    text_.resize(parts.text_mark);
  }
  parts.has_text = parts.is_copied = false;
  parts.view = {};
  return text;
}

void Parser::flush_text(StringParts& parts) {
  if (!parts.has_text) return;
  const std::string_view text = take_text(parts);
  if (text.empty()) return;
  auto* node = make<Constant>(parts.text_span.begin);
  node->span = parts.text_span;
  node->constant_kind = ConstantKind::kStr;
  node->has_u_prefix = parts.has_u_prefix;
  node->text = text;
  push(node);
}

Expr* Parser::parse_strings() {
  const std::uint32_t begin = tok_.begin;
  StringParts parts{stack_.size(), text_.size()};
  bool is_first = true;
  while (at(TokenKind::kString) || at(TokenKind::kFStringStart)) {
    const bool is_bytes = tok_.has(token_flags::kBytes);
    if (!is_first && is_bytes != parts.is_bytes) fail("cannot mix bytes and nonbytes literals");
    parts.is_bytes = is_bytes;
    is_first = false;
    if (at(TokenKind::kString)) {
      read_plain_string(parts);
    } else if (at(TokenKind::kFStringStart)) {
      read_fstring(parts);
    }
  }
  if (parts.has_fstring) {
    flush_text(parts);
    auto* node = make<JoinedStr>(begin);
    node->values = pop_nodes<Expr>(parts.stack_mark);
    raise_over(node, node->values);
    return node;
  }
  auto* node = make<Constant>(begin);
  node->constant_kind = parts.is_bytes ? ConstantKind::kBytes : ConstantKind::kStr;
  node->has_u_prefix = parts.has_u_prefix;
  node->text = take_text(parts);
  return node;
}

void Parser::read_plain_string(StringParts& parts) {
  const Token token = tok_;
  const std::uint32_t quotes = token.has(token_flags::kTriple) ? 3 : 1;
  advance();
  const Span body{token.begin + token.prefix_size + quotes, token.end - quotes};
  add_text(parts, token.span(), body, token, token.has(token_flags::kEncoded));
}

// ---------------------------------------------------------------------------------------------------------------------
// f-strings

void Parser::read_fstring(StringParts& parts) {
  const Token start = tok_;
  parts.has_fstring = true;
  if (fstring_depth_++ == 0) {
    outer_fstring_ = start;
    outer_fstring_brackets_ = lexer_.bracket_depth();
  }
  while (!failed_) {
    const FStringText text = lexer_.fstring_text(start, false);
    add_fstring_text(parts, text, start);
    if (text.stop == FStringStop::kField) {
      read_field(parts, start, text.span.end);
    } else if (text.stop == FStringStop::kError) {
      fail_in_text(text);
    } else if (text.stop == FStringStop::kQuote) {
      break;
    }
  }
  --fstring_depth_;
  if (failed_) return;
  tok_ = start;
  tok_.end = lexer_.offset();
  advance();
}

void Parser::add_fstring_text(StringParts& parts, const FStringText& text, const Token& start) {
  if (text.span.size() == 0) return;
  Span piece = text.span;
  if (text.stop == FStringStop::kEscapedBrace) ++piece.end;  // the node covers both braces
  add_text(parts, piece, text.span, start, text.is_encoded);
}

void Parser::fail_in_text(const FStringText& text) {
  tok_ = {TokenKind::kError, 0, 0, text.span.end, text.span.end};
  fail(lexer_.error_message());
}

// `{value=!conversion:spec}`; `begin` is at the brace, which the lexer has passed.
void Parser::read_field(StringParts& parts, const Token& start, std::uint32_t begin) {
  if (failed_) return;
  const Lexer::Field outer = lexer_.enter_field();
  if (lexer_.bracket_depth() > kMaxBrackets)
    return fail_at({begin, begin + 1}, "f-string: expressions nested too deeply");
  prev_end_ = begin + 1;
  advance_layout();
  const Expr* value = parse_yield_or_star_expressions();
  const bool shows_source = at(TokenKind::kAssign);
  if (shows_source) {
    advance();
    if (!failed_) add_shown_source(parts, {begin + 1, tok_.begin});
  }
  char conversion = at(TokenKind::kExclamation) ? read_conversion() : '\0';
  const Expr* spec = at(TokenKind::kColon) ? read_format_spec(start, tok_.begin) : nullptr;
  if (spec == nullptr && !at(TokenKind::kRightBrace)) fail("f-string: expecting '}'");
  if (failed_) return;
  if (spec == nullptr) prev_end_ = tok_.end;
  lexer_.leave_field(outer, spec != nullptr);
  if (shows_source && conversion == '\0' && spec == nullptr) conversion = 'r';
  flush_text(parts);
  auto* node = make<FormattedValue>(begin);
  node->value = value;
  node->conversion = conversion;
  node->format_spec = spec;
  raise_over(node, {value, spec});
  push(node);
}

// The text of `{value=}` as it is written, without comments.
void Parser::add_shown_source(StringParts& parts, Span shown) {
  const Token as_raw{.flags = token_flags::kRaw};
  auto comment = std::lower_bound(file_.comments.begin(), file_.comments.end(), shown.begin,
                                  [](const Comment& c, std::uint32_t offset) { return c.span.begin < offset; });
  std::uint32_t from = shown.begin;
  for (; comment != file_.comments.end() && comment->span.begin < shown.end; ++comment) {
    add_text(parts, shown, {from, comment->span.begin}, as_raw, true);
    from = comment->span.end;
  }
  add_text(parts, shown, {from, shown.end}, as_raw, true);
}

char Parser::read_conversion() {
  advance();
  const std::string_view name = text_of(tok_);
  if (!at(TokenKind::kName) || tok_.begin != prev_end_ || (name != "r" && name != "s" && name != "a")) {
    fail("f-string: invalid conversion character: expected 's', 'r', or 'a'");
    return '\0';
  }
  advance();
  return name[0];
}

// After the field's colon, which is at `begin`; takes the field's closing brace.
const Expr* Parser::read_format_spec(const Token& start, std::uint32_t begin) {
  StringParts parts{stack_.size(), text_.size()};
  std::uint32_t end = begin + 1;
  while (!failed_) {
    const FStringText text = lexer_.fstring_text(start, true);
    add_fstring_text(parts, text, start);
    end = text.span.end;
    if (text.stop == FStringStop::kField) {
      read_field(parts, start, text.span.end);
    } else if (text.stop == FStringStop::kError) {
      fail_in_text(text);
    } else if (text.stop == FStringStop::kQuote) {
      fail("f-string: expecting '}'");
    } else if (text.stop == FStringStop::kFieldEnd) {
      break;
    }
  }
  flush_text(parts);
  auto* node = make<JoinedStr>(begin);
  node->span = {begin, end};
  node->values = pop_nodes<Expr>(parts.stack_mark);
  raise_over(node, node->values);
  prev_end_ = lexer_.offset();
  return node;
}

}  // namespace lockstep::python
