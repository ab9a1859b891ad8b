// Parentheses, lists, sets, dicts, and comprehensions.
#include "python/parser_impl.h"

namespace lockstep::python {

Expr* Parser::parse_parenthesized() {
  const std::uint32_t begin = tok_.begin;
  advance();
  if (accept(TokenKind::kRightParen)) return make<Tuple>(begin);
  if (at(TokenKind::kYield)) {
    Expr* yield = parse_yield();
    expect(TokenKind::kRightParen, "expected ')'");
    return yield;
  }
  Expr* first = parse_star_named_expression();
  if (at_comprehension()) return finish_comprehension<GeneratorExp>(begin, first, TokenKind::kRightParen);
  if (!at(TokenKind::kComma)) {
    if (is<Starred>(first)) fail("cannot use starred expression here");
    expect(TokenKind::kRightParen, "expected ')'");
    return first;
  }
  auto* tuple = static_cast<Tuple*>(parse_tuple_rest(begin, first, &Parser::parse_star_named_expression));
  expect(TokenKind::kRightParen, "expected ')'");
  tuple->span.end = prev_end_;
  return tuple;
}

Expr* Parser::parse_list() {
  const std::uint32_t begin = tok_.begin;
  const std::size_t mark = stack_.size();
  advance();
  while (!at(TokenKind::kRightBracket) && !failed_) {
    Expr* element = parse_star_named_expression();
    if (at_comprehension() && stack_.size() == mark) {
      return finish_comprehension<ListComp>(begin, element, TokenKind::kRightBracket);
    }
    push(element);
    if (!accept(TokenKind::kComma)) break;
  }
  expect(TokenKind::kRightBracket, "expected ',' or ']'");
  auto* node = make<List>(begin);
  node->elements = pop_nodes<Expr>(mark);
  raise_over(node, node->elements);
  return node;
}

Expr* Parser::parse_braces() {
  const std::uint32_t begin = tok_.begin;
  advance();
  if (at(TokenKind::kRightBrace) || at(TokenKind::kDoubleStar)) return parse_dict(begin, nullptr);
  const std::uint32_t first_begin = tok_.begin;
  Expr* first = parse_star_named_expression();
  if (at(TokenKind::kColon)) {
    if (is<Starred>(first) || (is<NamedExpr>(first) && first->span.begin == first_begin)) fail("invalid syntax");
    return parse_dict(begin, first);
  }
  if (at_comprehension()) return finish_comprehension<SetComp>(begin, first, TokenKind::kRightBrace);
  return parse_set(begin, first);
}

Expr* Parser::parse_set(std::uint32_t begin, Expr* first) {
  const std::size_t mark = stack_.size();
  push(first);
  while (accept(TokenKind::kComma)) {
    if (at(TokenKind::kRightBrace)) break;
    push(parse_star_named_expression());
  }
  expect(TokenKind::kRightBrace, "expected ',' or '}'");
  auto* node = make<Set>(begin);
  node->elements = pop_nodes<Expr>(mark);
  raise_over(node, node->elements);
  return node;
}

// `first_key`: the key before the colon at the current token; null where the first item is still to come.
// Keys and values alternate on the stack while the items are read; a `**` item has the key null.
Expr* Parser::parse_dict(std::uint32_t begin, Expr* first_key) {
  const std::size_t mark = stack_.size();
  while (!at(TokenKind::kRightBrace) && !failed_) {
    if (first_key == nullptr && accept(TokenKind::kDoubleStar)) {
      push(nullptr);
      push(parse_bitwise_or());
    } else {
      Expr* key = first_key != nullptr ? first_key : parse_expression();
      first_key = nullptr;
      expect(TokenKind::kColon, "':' expected after dictionary key");
      Expr* value = parse_expression();
      if (at_comprehension() && stack_.size() == mark) return finish_dict_comprehension(begin, key, value);
      push(key);
      push(value);
    }
    if (!accept(TokenKind::kComma)) break;
  }
  expect(TokenKind::kRightBrace, "expected ',' or '}'");
  const std::size_t count = (stack_.size() - mark) / 2;
  auto* node = make<Dict>(begin);
  auto* parts = static_cast<const Expr**>(arena_.allocate(2 * count * sizeof(const Expr*), alignof(const Expr*)));
  for (std::size_t i = 0; i < count; ++i) {
    parts[i] = static_cast<const Expr*>(stack_[mark + 2 * i]);
    parts[count + i] = static_cast<const Expr*>(stack_[mark + 2 * i + 1]);
  }
  stack_.resize(mark);
  node->keys = {parts, count};
  node->values = {parts + count, count};
  raise_over(node, Seq<Expr>{parts, 2 * count});
  return node;
}

// ---------------------------------------------------------------------------------------------------------------------
// Comprehensions

const Comprehension* Parser::parse_comprehension_clause() {
  const std::uint32_t begin = tok_.begin;
  const bool is_async = accept(TokenKind::kAsync);
  expect(TokenKind::kFor, "expected 'for'");
  const Expr* target = parse_target_list();
  expect(TokenKind::kIn, "expected 'in'");
  const Expr* iterable = parse_disjunction();
  const std::size_t mark = stack_.size();
  while (accept(TokenKind::kIf)) push(parse_disjunction());
  auto* node = make<Comprehension>(begin);
  node->is_async = is_async;
  node->target = target;
  node->iterable = iterable;
  node->conditions = pop_nodes<Expr>(mark);
  unsigned height = std::max(target->height, iterable->height) + 1u;
  for (const Expr* condition : node->conditions) height = std::max(height, condition->height + 1u);
  raise_to(node, height);
  return node;
}

Seq<Comprehension> Parser::parse_comprehension_clauses() {
  const std::size_t mark = stack_.size();
  while (at_comprehension()) push(parse_comprehension_clause());
  return pop_nodes<Comprehension>(mark);
}

template <class T>
Expr* Parser::finish_comprehension(std::uint32_t begin, Expr* element, TokenKind close) {
  if (is<Starred>(element)) fail("iterable unpacking cannot be used in comprehension");
  const Seq<Comprehension> generators = parse_comprehension_clauses();
  expect(close, "invalid syntax");
  auto* node = make<T>(begin);
  node->element = element;
  node->generators = generators;
  raise_over(node, generators);
  raise_to(node, std::max<unsigned>(node->height, element->height + 1u));
  return node;
}
template Expr* Parser::finish_comprehension<GeneratorExp>(std::uint32_t, Expr*, TokenKind);
template Expr* Parser::finish_comprehension<ListComp>(std::uint32_t, Expr*, TokenKind);
template Expr* Parser::finish_comprehension<SetComp>(std::uint32_t, Expr*, TokenKind);

Expr* Parser::finish_dict_comprehension(std::uint32_t begin, Expr* key, Expr* value) {
  const Seq<Comprehension> generators = parse_comprehension_clauses();
  expect(TokenKind::kRightBrace, "invalid syntax");
  auto* node = make<DictComp>(begin);
  node->key = key;
  node->value = value;
  node->generators = generators;
  raise_over(node, generators);
  raise_to(node, std::max<unsigned>(node->height, std::max(key->height, value->height) + 1u));
  return node;
}

}  // namespace lockstep::python
