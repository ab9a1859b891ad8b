// Atoms, and what hangs behind them: attributes, calls, subscripts. Displays and comprehensions.
#include "python/parser_impl.h"

namespace lockstep::python {

Expr* Parser::parse_primary() {
  const std::uint32_t begin = tok_.begin;
  if (!at(TokenKind::kAwait)) return parse_postfix(begin, parse_atom());
  advance();
  const std::uint32_t value_begin = tok_.begin;
  const Expr* value = parse_postfix(value_begin, parse_atom());
  auto* node = make<Await>(begin);
  node->value = value;
  raise_over(node, {value});
  return node;
}

Expr* Parser::parse_postfix(std::uint32_t begin, Expr* value) {
  while (true) {
    switch (tok_.kind) {
      case TokenKind::kDot: {
        advance();
        const Identifier name = expect_identifier("expected an attribute name");
        auto* node = make<Attribute>(begin);
        node->value = value;
        node->name = name;
        raise_over(node, {value});
        value = node;
        break;
      }
      case TokenKind::kLeftParen:
        value = parse_call(begin, value);
        break;
      case TokenKind::kLeftBracket:
        value = parse_subscript(begin, value);
        break;
      default:
        return value;
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Calls and subscripts

Expr* Parser::parse_call(std::uint32_t begin, Expr* callee) {
  const Arguments arguments = parse_arguments(true);
  auto* node = make<Call>(begin);
  node->callee = callee;
  node->arguments = arguments.positional;
  node->keywords = arguments.keywords;
  unsigned height = callee->height + 1u;
  for (const Expr* argument : arguments.positional) height = std::max(height, argument->height + 1u);
  for (const Keyword* keyword : arguments.keywords) height = std::max(height, keyword->height + 1u);
  raise_to(node, height);
  return node;
}

// One argument other than a generator expression, pushed: `*a`, `**a`, `name=a`, `a`.
void Parser::parse_argument(ArgumentState& state) {
  const Token first = tok_;
  if (accept(TokenKind::kDoubleStar)) {
    state.saw_double_star = true;
    return push_keyword(first.begin, {{}, {first.begin, first.begin}});
  }
  if (at(TokenKind::kStar)) {
    if (state.saw_double_star) fail("iterable argument unpacking follows keyword argument unpacking");
    advance();
    const Expr* value = parse_expression();
    auto* node = make<Starred>(first.begin);
    node->value = value;
    raise_over(node, {value});
    return push(node);
  }
  Expr* value = parse_named_expression();
  if (at(TokenKind::kAssign)) {
    const bool is_name = first.kind == TokenKind::kName && is<Name>(value) && value->span == first.span();
    if (!is_name) return fail("expression cannot contain assignment, perhaps you meant \"==\"?");
    advance();
    state.saw_keyword = true;
    return push_keyword(first.begin, {static_cast<Name*>(value)->id, value->span});
  }
  if (state.saw_keyword || state.saw_double_star) fail("positional argument follows keyword argument");
  push(value);
}

void Parser::push_keyword(std::uint32_t begin, Identifier name) {
  const Expr* value = parse_expression();
  auto* node = make<Keyword>(begin);
  node->name = name;
  node->value = value;
  raise_over(node, {value});
  push(node);
}

// At `(`; takes everything up to and including `)`. A call may hold one generator expression without parentheses.
Parser::Arguments Parser::parse_arguments(bool allows_generator) {
  const std::uint32_t open = tok_.begin;
  const std::size_t mark = stack_.size();
  advance();
  ArgumentState state;
  while (!at(TokenKind::kRightParen) && !failed_) {
    parse_argument(state);
    if (at_comprehension() && allows_generator && stack_.size() == mark + 1) {
      auto* element = const_cast<Node*>(stack_.back());  // ours, being built
      stack_.pop_back();
      if (!is_expression(element) || is<Starred>(element)) fail("invalid syntax");
      Expr* generator =
          failed_ ? error_expression({open, open})
                  : finish_comprehension<GeneratorExp>(open, static_cast<Expr*>(element), TokenKind::kRightParen);
      return {single<Expr>(generator), {}};
    }
    if (!accept(TokenKind::kComma)) break;
  }
  expect(TokenKind::kRightParen, "expected ',' or ')'");
  return pop_arguments(mark);
}

Parser::Arguments Parser::pop_arguments(std::size_t mark) {
  std::size_t keyword_count = 0;
  for (std::size_t i = mark; i < stack_.size(); ++i) keyword_count += stack_[i]->kind == NodeKind::kKeyword;
  if (keyword_count == 0) return {pop_nodes<Expr>(mark), {}};
  const std::size_t count = stack_.size() - mark;
  auto* keywords = static_cast<const Keyword**>(arena_.allocate(sizeof(Keyword*) * keyword_count, alignof(Keyword*)));
  std::size_t next_keyword = 0, next_positional = mark;
  for (std::size_t i = mark; i < mark + count; ++i) {
    if (stack_[i]->kind == NodeKind::kKeyword) {
      keywords[next_keyword++] = static_cast<const Keyword*>(stack_[i]);
    } else {
      stack_[next_positional++] = stack_[i];
    }
  }
  stack_.resize(next_positional);
  return {pop_nodes<Expr>(mark), {keywords, keyword_count}};
}

Expr* Parser::parse_subscript(std::uint32_t begin, Expr* value) {
  advance();
  const Expr* index = parse_slices();
  expect(TokenKind::kRightBracket, "expected ']'");
  auto* node = make<Subscript>(begin);
  node->value = value;
  node->index = index;
  raise_over(node, {value, index});
  return node;
}

Expr* Parser::parse_slices() {
  const std::uint32_t begin = tok_.begin;
  Expr* first = parse_slice();
  if (!at(TokenKind::kComma) && !is<Starred>(first)) return first;
  const std::size_t mark = stack_.size();
  push(first);
  while (accept(TokenKind::kComma)) {
    if (at(TokenKind::kRightBracket)) break;
    push(parse_slice());
  }
  auto* node = make<Tuple>(begin);
  node->elements = pop_nodes<Expr>(mark);
  raise_over(node, node->elements);
  return node;
}

Expr* Parser::parse_slice() {
  const std::uint32_t begin = tok_.begin;
  if (at(TokenKind::kStar)) return parse_star();
  Expr* lower = at(TokenKind::kColon) ? nullptr : parse_named_expression();
  if (!at(TokenKind::kColon)) return lower;
  if (is<NamedExpr>(lower) && lower->span.begin == begin) fail("invalid syntax");
  advance();
  const auto ends = [&] { return at(TokenKind::kColon) || at(TokenKind::kComma) || at(TokenKind::kRightBracket); };
  const Expr* upper = ends() ? nullptr : parse_expression();
  const Expr* step = nullptr;
  if (accept(TokenKind::kColon) && !ends()) step = parse_expression();
  auto* node = make<Slice>(begin);
  node->lower = lower;
  node->upper = upper;
  node->step = step;
  raise_over(node, {lower, upper, step});
  return node;
}

// ---------------------------------------------------------------------------------------------------------------------
// Atoms

Expr* Parser::parse_atom() {
  switch (tok_.kind) {
    case TokenKind::kName:
      return parse_name();
    case TokenKind::kNumber:
      return parse_number();
    case TokenKind::kString:
    case TokenKind::kFStringStart:
      return parse_strings();
    case TokenKind::kLeftParen:
      return parse_parenthesized();
    case TokenKind::kLeftBracket:
      return parse_list();
    case TokenKind::kLeftBrace:
      return parse_braces();
    case TokenKind::kNone:
      return parse_constant(ConstantKind::kNone);
    case TokenKind::kTrue:
      return parse_constant(ConstantKind::kTrue);
    case TokenKind::kFalse:
      return parse_constant(ConstantKind::kFalse);
    case TokenKind::kEllipsis:
      return parse_constant(ConstantKind::kEllipsis);
    case TokenKind::kInjected:
      tok_ = after_injected_;
      return injected_;
    default:
      break;
  }
  fail("invalid syntax");
  return error_expression({prev_end_, prev_end_});
}

Expr* Parser::parse_name() {
  const Token token = tok_;
  advance();
  auto* node = make<Name>(token.begin);
  node->id = normalized(token);
  return node;
}

Expr* Parser::parse_number() {
  const Token token = tok_;
  advance();
  auto* node = make<Constant>(token.begin);
  node->constant_kind = token.has(token_flags::kComplex) ? ConstantKind::kComplex
                        : token.has(token_flags::kFloat) ? ConstantKind::kFloat
                                                         : ConstantKind::kInt;
  node->text = text_of(token);
  return node;
}

Expr* Parser::parse_constant(ConstantKind kind) {
  const std::uint32_t begin = tok_.begin;
  advance();
  auto* node = make<Constant>(begin);
  node->constant_kind = kind;
  return node;
}

}  // namespace lockstep::python
