// `match` and the patterns of `case` (PEP 634).
#include "python/parser_impl.h"

namespace lockstep::python {

// At the name `match` where a statement starts: whether this is the statement and not a use of the name. What follows
// decides; where it could be both, the line is a `match` statement if it ends with a colon.
bool Parser::looks_like_match() {
  bool is_first = true, result = false;
  TokenKind last = TokenKind::kError;
  lexer_.look_ahead([&](const Token& token) {
    last = token.kind;
    if (!is_first) return true;
    is_first = false;
    switch (token.kind) {
      case TokenKind::kName:
      case TokenKind::kNumber:
      case TokenKind::kString:
      case TokenKind::kFStringStart:
      case TokenKind::kLeftBrace:
      case TokenKind::kTilde:
      case TokenKind::kEllipsis:
      case TokenKind::kNone:
      case TokenKind::kTrue:
      case TokenKind::kFalse:
      case TokenKind::kAwait:
      case TokenKind::kLambda:
        result = true;
        return false;
      case TokenKind::kLeftParen:
      case TokenKind::kLeftBracket:
      case TokenKind::kStar:
      case TokenKind::kPlus:
      case TokenKind::kMinus:
      case TokenKind::kNot:
        return true;
      default:
        last = TokenKind::kError;
        return false;
    }
  });
  return result || last == TokenKind::kColon;
}

Stmt* Parser::parse_match(std::uint32_t begin) {
  advance();
  const std::uint32_t subject_begin = tok_.begin;
  Expr* subject = parse_star_named_expression();
  if (at(TokenKind::kComma)) {
    subject = parse_tuple_rest(subject_begin, subject, &Parser::parse_star_named_expression);
  } else if (is<Starred>(subject)) {
    fail("cannot use starred expression here");
  }
  expect(TokenKind::kColon, "expected ':'");
  if (!failed_ && !at(TokenKind::kNewline)) fail("expected a new line after the subject of 'match'");
  if (failed_) return nullptr;
  advance_layout();
  const std::size_t mark = stack_.size();
  if (at(TokenKind::kIndent)) {
    advance_layout();
    enter_levels(1);
    while (!at(TokenKind::kDedent) && !at(TokenKind::kEndOfFile)) {
      if (at_name("case")) {
        push(parse_case());
      } else {
        parse_misplaced_in_match();
      }
    }
    enter_levels(-1);
    if (at(TokenKind::kDedent)) advance_layout();
  }
  if (stack_.size() == mark) add_problem({begin, prev_end_}, "expected a 'case' block after 'match'");
  auto* node = make<Match>(begin);
  node->subject = subject;
  node->cases = pop_nodes<MatchCase>(mark);
  return node;
}

// A statement among the cases: has no place in the tree.
void Parser::parse_misplaced_in_match() {
  const std::size_t mark = stack_.size();
  if (at(TokenKind::kIndent)) {
    add_problem(tok_.span(), "unexpected indent");
    parse_indented_block(1);
  } else {
    add_problem(tok_.span(), "expected 'case'");
    parse_statement();
  }
  stack_.resize(mark);
}

const MatchCase* Parser::parse_case() {
  const std::uint32_t begin = tok_.begin;
  line_begin_ = begin;
  advance();
  const Pattern* pattern = parse_top_pattern();
  const Expr* guard = accept(TokenKind::kIf) ? parse_named_expression() : nullptr;
  const Block block = parse_block(1);
  if (block.header_is_broken) {
    auto* value = make<MatchValue>(begin);
    value->value = error_expression(block.header);
    value->span = block.header;
    value->height = 1;
    pattern = value;
    guard = nullptr;
  }
  auto* node = make<MatchCase>(begin);
  node->pattern = pattern;
  node->guard = guard;
  node->body = block.body;
  return node;
}

// ---------------------------------------------------------------------------------------------------------------------
// Patterns

// A pattern, or a sequence without brackets.
const Pattern* Parser::parse_top_pattern() {
  const std::uint32_t begin = tok_.begin;
  const Pattern* first = parse_maybe_star_pattern();
  if (!at(TokenKind::kComma)) {
    if (is<MatchStar>(first)) fail("invalid syntax");
    return first;
  }
  const std::size_t mark = stack_.size();
  push(first);
  while (accept(TokenKind::kComma)) {
    if (at(TokenKind::kColon) || at(TokenKind::kIf)) break;
    push(parse_maybe_star_pattern());
  }
  auto* node = make<MatchSequence>(begin);
  node->patterns = pop_nodes<Pattern>(mark);
  raise_over(node, node->patterns);
  return node;
}

const Pattern* Parser::parse_maybe_star_pattern() {
  if (!at(TokenKind::kStar)) return parse_pattern();
  const std::uint32_t begin = tok_.begin;
  advance();
  Identifier name = expect_identifier("expected a name after '*'");
  if (name.text == "_") name.text = {};
  auto* node = make<MatchStar>(begin);
  node->name = name;
  return node;
}

const Pattern* Parser::parse_pattern() {
  const Level level(*this);
  const std::uint32_t begin = tok_.begin;
  const Pattern* pattern = parse_or_pattern();
  if (!accept(TokenKind::kAs)) return pattern;
  if (at_name("_")) fail("cannot use '_' as a target");
  const Identifier name = expect_identifier("invalid pattern target");
  auto* node = make<MatchAs>(begin);
  node->pattern = pattern;
  node->name = name;
  raise_over(node, {pattern});
  return node;
}

const Pattern* Parser::parse_or_pattern() {
  const std::uint32_t begin = tok_.begin;
  const Pattern* first = parse_closed_pattern();
  if (!at(TokenKind::kBar)) return first;
  const std::size_t mark = stack_.size();
  push(first);
  while (accept(TokenKind::kBar)) push(parse_closed_pattern());
  auto* node = make<MatchOr>(begin);
  node->patterns = pop_nodes<Pattern>(mark);
  raise_over(node, node->patterns);
  return node;
}

const Pattern* Parser::parse_closed_pattern() {
  const std::uint32_t begin = tok_.begin;
  const auto singleton = [&](ConstantKind kind) {
    advance();
    auto* node = make<MatchSingleton>(begin);
    node->value = kind;
    return node;
  };
  switch (tok_.kind) {
    case TokenKind::kNone:
      return singleton(ConstantKind::kNone);
    case TokenKind::kTrue:
      return singleton(ConstantKind::kTrue);
    case TokenKind::kFalse:
      return singleton(ConstantKind::kFalse);
    case TokenKind::kName:
      return parse_name_pattern(begin);
    case TokenKind::kLeftParen:
      return parse_group_or_sequence(begin);
    case TokenKind::kLeftBracket:
      return parse_sequence(begin, TokenKind::kRightBracket);
    case TokenKind::kLeftBrace:
      return parse_mapping(begin);
    default:
      return parse_literal_pattern(begin);
  }
}

const Pattern* Parser::parse_literal_pattern(std::uint32_t begin) {
  const Expr* value = at(TokenKind::kString) || at(TokenKind::kFStringStart) ? parse_strings() : parse_signed_number();
  auto* node = make<MatchValue>(begin);
  node->value = value;
  raise_over(node, {value});
  return node;
}

// `1`, `-1`, `1 + 2j`, `-1 - 2j`.
Expr* Parser::parse_signed_number() {
  const std::uint32_t begin = tok_.begin;
  const bool is_negative = accept(TokenKind::kMinus);
  if (!at(TokenKind::kNumber)) {
    fail("invalid syntax");
    return error_expression({prev_end_, prev_end_});
  }
  Expr* number = parse_number();
  if (is_negative) {
    auto* node = make<UnaryOp>(begin);
    node->op = UnaryOperator::kMinus;
    node->operand = number;
    raise_over(node, {number});
    number = node;
  }
  if (!at(TokenKind::kPlus) && !at(TokenKind::kMinus)) return number;
  const BinaryOperator op = at(TokenKind::kPlus) ? BinaryOperator::kAdd : BinaryOperator::kSub;
  advance();
  if (!at(TokenKind::kNumber) || !tok_.has(token_flags::kComplex)) {
    fail("imaginary number required in complex literal");
    return number;
  }
  const Expr* imaginary = parse_number();
  auto* node = make<BinOp>(begin);
  node->op = op;
  node->left = number;
  node->right = imaginary;
  raise_over(node, {number, imaginary});
  return node;
}

// `a.b.c`
Expr* Parser::parse_dotted_value() {
  const std::uint32_t begin = tok_.begin;
  Expr* value = parse_name();
  while (accept(TokenKind::kDot)) {
    const Identifier name = expect_identifier("expected an attribute name");
    auto* node = make<Attribute>(begin);
    node->value = value;
    node->name = name;
    raise_over(node, {value});
    value = node;
  }
  return value;
}

// A capture, `_`, a dotted value or a class pattern.
const Pattern* Parser::parse_name_pattern(std::uint32_t begin) {
  const Token first = tok_;
  const Expr* value = parse_dotted_value();
  if (at(TokenKind::kLeftParen)) return parse_class_pattern(begin, value);
  if (is<Attribute>(value)) {
    auto* node = make<MatchValue>(begin);
    node->value = value;
    raise_over(node, {value});
    return node;
  }
  auto* node = make<MatchAs>(begin);
  if (text_of(first) != "_") node->name = identifier(first);
  return node;
}

const Pattern* Parser::parse_class_pattern(std::uint32_t begin, const Expr* cls) {
  advance();
  const std::size_t mark = stack_.size();
  std::vector<Identifier> names;
  while (!at(TokenKind::kRightParen) && !failed_) {
    const Token first = tok_;
    const Pattern* pattern = parse_pattern();
    if (at(TokenKind::kAssign)) {
      if (first.kind != TokenKind::kName || pattern->span != first.span()) fail("invalid syntax");
      advance();
      names.push_back(identifier(first));
      push(parse_pattern());
    } else {
      if (!names.empty()) fail("positional patterns follow keyword patterns");
      push(pattern);
    }
    if (!accept(TokenKind::kComma)) break;
  }
  expect(TokenKind::kRightParen, "expected ')'");
  const Seq<Pattern> patterns = pop_nodes<Pattern>(mark);
  const std::size_t positional = patterns.size() - std::min(names.size(), patterns.size());
  auto* node = make<MatchClass>(begin);
  node->cls = cls;
  node->patterns = patterns.first(positional);
  node->keyword_names = arena_.copy(std::span<const Identifier>(names));
  node->keyword_patterns = patterns.subspan(positional);
  raise_over(node, patterns);
  raise_to(node, std::max<unsigned>(node->height, cls->height + 1u));
  return node;
}

const Pattern* Parser::parse_group_or_sequence(std::uint32_t begin) {
  advance();
  if (at(TokenKind::kRightParen)) return finish_sequence(begin, stack_.size(), TokenKind::kRightParen);
  const Pattern* first = parse_maybe_star_pattern();
  if (!at(TokenKind::kComma) && !is<MatchStar>(first)) {
    expect(TokenKind::kRightParen, "expected ')'");
    return first;
  }
  if (!at(TokenKind::kComma)) fail("invalid syntax");
  const std::size_t mark = stack_.size();
  push(first);
  accept(TokenKind::kComma);
  return finish_sequence(begin, mark, TokenKind::kRightParen);
}

const Pattern* Parser::parse_sequence(std::uint32_t begin, TokenKind close) {
  advance();
  return finish_sequence(begin, stack_.size(), close);
}

// The rest of a sequence, elements since `mark` being read already.
const Pattern* Parser::finish_sequence(std::uint32_t begin, std::size_t mark, TokenKind close) {
  while (!at(close) && !failed_) {
    push(parse_maybe_star_pattern());
    if (!accept(TokenKind::kComma)) break;
  }
  expect(close, "invalid syntax");
  auto* node = make<MatchSequence>(begin);
  node->patterns = pop_nodes<Pattern>(mark);
  raise_over(node, node->patterns);
  return node;
}

Expr* Parser::parse_mapping_key() {
  const bool is_word = at(TokenKind::kNone) || at(TokenKind::kTrue) || at(TokenKind::kFalse);
  if (is_word || at(TokenKind::kString) || at(TokenKind::kFStringStart)) return parse_atom();
  if (!at(TokenKind::kName)) return parse_signed_number();
  Expr* key = parse_dotted_value();
  if (!is<Attribute>(key)) fail("mapping pattern keys may only match literals and attribute lookups");
  return key;
}

const Pattern* Parser::parse_mapping(std::uint32_t begin) {
  advance();
  const std::size_t mark = stack_.size();
  std::vector<const Expr*> keys;
  Identifier rest;
  bool saw_rest = false;
  while (!at(TokenKind::kRightBrace) && !failed_) {
    if (saw_rest) fail("double star pattern must be the last in a mapping pattern");
    if (accept(TokenKind::kDoubleStar)) {
      if (at_name("_")) fail("invalid syntax");
      rest = expect_identifier("expected a name after '**'");
      saw_rest = true;
    } else {
      keys.push_back(parse_mapping_key());
      expect(TokenKind::kColon, "expected ':'");
      push(parse_pattern());
    }
    if (!accept(TokenKind::kComma)) break;
  }
  expect(TokenKind::kRightBrace, "expected '}'");
  auto* node = make<MatchMapping>(begin);
  node->keys = arena_.copy(std::span<const Expr* const>(keys));
  node->patterns = pop_nodes<Pattern>(mark);
  node->rest = rest;
  raise_over(node, node->patterns);
  for (const Expr* key : keys) raise_to(node, std::max<unsigned>(node->height, key->height + 1u));
  return node;
}

}  // namespace lockstep::python
