// Expressions above the level of calls and attributes: operators, conditionals, lambda, yield, tuples.
#include <array>

#include "python/parser_impl.h"

namespace lockstep::python {

namespace {

// How tightly operators bind, loosest first (https://docs.python.org/3/reference/expressions.html#operator-precedence).
// `**` and the unary operators are read by parse_unary().
enum Precedence : std::uint8_t {
  kNoOperator,
  kOrLevel,
  kAndLevel,
  kNotLevel,
  kCompareLevel,
  kBitOrLevel,
  kBitXorLevel,
  kBitAndLevel,
  kShiftLevel,
  kSumLevel,
  kProductLevel
};

consteval std::array<std::uint8_t, static_cast<std::size_t>(TokenKind::kCount)> precedences() {
  std::array<std::uint8_t, static_cast<std::size_t>(TokenKind::kCount)> table{};
  const auto set = [&](std::initializer_list<TokenKind> kinds, Precedence precedence) {
    for (TokenKind kind : kinds) table[static_cast<std::size_t>(kind)] = precedence;
  };
  using enum TokenKind;
  set({kOr}, kOrLevel);
  set({kAnd}, kAndLevel);
  set({kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual, kIn, kIs, kNot}, kCompareLevel);
  set({kBar}, kBitOrLevel);
  set({kCaret}, kBitXorLevel);
  set({kAmpersand}, kBitAndLevel);
  set({kLeftShift, kRightShift}, kShiftLevel);
  set({kPlus, kMinus}, kSumLevel);
  set({kStar, kAt, kSlash, kPercent, kDoubleSlash}, kProductLevel);
  return table;
}
constexpr auto kPrecedences = precedences();

consteval std::array<bool, static_cast<std::size_t>(TokenKind::kCount)> expression_starts() {
  std::array<bool, static_cast<std::size_t>(TokenKind::kCount)> table{};
  using enum TokenKind;
  for (TokenKind kind : {kName, kNumber, kString, kFStringStart, kInjected, kLeftParen, kLeftBracket, kLeftBrace,
                         kEllipsis, kTilde, kPlus, kMinus, kStar, kAwait, kFalse, kLambda, kNone, kNot, kTrue}) {
    table[static_cast<std::size_t>(kind)] = true;
  }
  return table;
}
constexpr auto kExpressionStarts = expression_starts();

}  // namespace

// ---------------------------------------------------------------------------------------------------------------------
// Tuples and stars

// After `first`, at a comma: the tuple of `first` and what follows, as `element` reads it.
Expr* Parser::parse_tuple_rest(std::uint32_t begin, Expr* first, Expr* (Parser::*element)()) {
  const std::size_t mark = stack_.size();
  push(first);
  while (accept(TokenKind::kComma)) {
    if (!kExpressionStarts[static_cast<std::size_t>(tok_.kind)]) break;
    push((this->*element)());
  }
  auto* node = make<Tuple>(begin);
  node->elements = pop_nodes<Expr>(mark);
  raise_over(node, node->elements);
  return node;
}

Expr* Parser::parse_star_expressions() {
  const std::uint32_t begin = tok_.begin;
  Expr* first = parse_star_expression();
  return at(TokenKind::kComma) ? parse_tuple_rest(begin, first, &Parser::parse_star_expression) : first;
}

Expr* Parser::parse_star_expression() { return at(TokenKind::kStar) ? parse_star() : parse_expression(); }

Expr* Parser::parse_star_named_expression() { return at(TokenKind::kStar) ? parse_star() : parse_named_expression(); }

Expr* Parser::parse_star(ExprContext context) {
  const std::uint32_t begin = tok_.begin;
  advance();
  const Expr* value = parse_bitwise_or();
  auto* node = make<Starred>(begin);
  node->context = context;
  node->value = value;
  raise_over(node, {value});
  return node;
}

Expr* Parser::parse_yield_or_star_expressions() {
  return at(TokenKind::kYield) ? parse_yield() : parse_star_expressions();
}

Expr* Parser::parse_yield() {
  const std::uint32_t begin = tok_.begin;
  advance();
  if (accept(TokenKind::kFrom)) {
    const Expr* value = parse_expression();
    auto* node = make<YieldFrom>(begin);
    node->value = value;
    raise_over(node, {value});
    return node;
  }
  const Expr* value = kExpressionStarts[static_cast<std::size_t>(tok_.kind)] ? parse_star_expressions() : nullptr;
  auto* node = make<Yield>(begin);
  node->value = value;
  raise_over(node, {value});
  return node;
}

// ---------------------------------------------------------------------------------------------------------------------
// Named expressions, conditionals, lambda

Expr* Parser::parse_named_expression() {
  const std::uint32_t begin = tok_.begin;
  Expr* target = parse_expression();
  if (!at(TokenKind::kWalrus)) return target;
  if (!is<Name>(target) || target->span.begin != begin) fail("cannot use assignment expressions with this target");
  to_target(target, ExprContext::kStore);
  advance();
  const Expr* value = parse_expression();
  auto* node = make<NamedExpr>(begin);
  node->target = target;
  node->value = value;
  raise_over(node, {target, value});
  return node;
}

Expr* Parser::parse_expression() {
  const Level level(*this);
  if (at(TokenKind::kLambda)) return parse_lambda();
  const std::uint32_t begin = tok_.begin;
  Expr* body = parse_disjunction();
  if (!at(TokenKind::kIf)) return body;
  advance();
  const Expr* condition = parse_disjunction();
  expect(TokenKind::kElse, "expected 'else' after 'if' expression");
  const Expr* orelse = parse_expression();
  auto* node = make<IfExp>(begin);
  node->condition = condition;
  node->body = body;
  node->orelse = orelse;
  raise_over(node, {condition, body, orelse});
  return node;
}

Expr* Parser::parse_lambda() {
  const std::uint32_t begin = tok_.begin;
  // There the colon starts the format spec.
  if (lexer_.is_directly_in_field()) fail("f-string: lambda expressions are not allowed without parentheses");
  advance();
  const Parameters* parameters = parse_parameters(TokenKind::kColon, true);
  expect(TokenKind::kColon, "expected ':'");
  const Expr* body = parse_expression();
  auto* node = make<Lambda>(begin);
  node->parameters = parameters;
  node->body = body;
  raise_over(node, {parameters, body});
  return node;
}

// ---------------------------------------------------------------------------------------------------------------------
// Operators

Expr* Parser::parse_disjunction() { return parse_binary(kOrLevel); }
Expr* Parser::parse_bitwise_or() { return parse_binary(kBitOrLevel); }

// Operators that bind as `lowest` or tighter, by precedence climbing.
Expr* Parser::parse_binary(int lowest) {
  const std::uint32_t begin = tok_.begin;
  Expr* left = at(TokenKind::kNot) && lowest <= kNotLevel ? parse_not() : parse_unary();
  while (true) {
    const int precedence = kPrecedences[static_cast<std::size_t>(tok_.kind)];
    if (precedence < lowest || precedence == kNoOperator) return left;
    if (precedence <= kAndLevel) {
      left = parse_bool_operation(begin, left);
    } else if (precedence == kCompareLevel) {
      left = parse_comparison(begin, left);
    } else {
      const auto op = static_cast<BinaryOperator>(static_cast<int>(tok_.kind) - static_cast<int>(TokenKind::kPlus));
      advance();
      const Expr* right = parse_binary(precedence + 1);
      auto* node = make<BinOp>(begin);
      node->op = op;
      node->left = left;
      node->right = right;
      raise_over(node, {left, right});
      left = node;
    }
  }
}

Expr* Parser::parse_bool_operation(std::uint32_t begin, Expr* left) {
  const TokenKind word = tok_.kind;
  const std::size_t mark = stack_.size();
  push(left);
  while (accept(word)) push(parse_binary(word == TokenKind::kOr ? kAndLevel : kNotLevel));
  auto* node = make<BoolOp>(begin);
  node->op = word == TokenKind::kOr ? BoolOperator::kOr : BoolOperator::kAnd;
  node->values = pop_nodes<Expr>(mark);
  raise_over(node, node->values);
  return node;
}

// At a token of kCompareLevel: takes the operator; false where it is none after all (`a not b`).
bool Parser::read_compare_operator(CompareOperator& op) {
  switch (tok_.kind) {
    case TokenKind::kIn:
      op = CompareOperator::kIn;
      advance();
      return true;
    case TokenKind::kNot:
      op = CompareOperator::kNotIn;
      advance();
      expect(TokenKind::kIn, "expected 'in' after 'not'");
      return true;
    case TokenKind::kIs:
      advance();
      op = accept(TokenKind::kNot) ? CompareOperator::kIsNot : CompareOperator::kIs;
      return true;
    default:
      if (tok_.kind < TokenKind::kEqual || tok_.kind > TokenKind::kGreaterEqual) return false;
      op = static_cast<CompareOperator>(static_cast<int>(tok_.kind) - static_cast<int>(TokenKind::kEqual));
      advance();
      return true;
  }
}

Expr* Parser::parse_comparison(std::uint32_t begin, Expr* left) {
  const std::size_t mark = stack_.size();
  std::vector<CompareOperator> more;
  std::array<CompareOperator, 4> few{};
  std::size_t count = 0;
  for (CompareOperator op{}; read_compare_operator(op); ++count) {
    if (count < few.size()) {
      few[count] = op;
    } else {
      if (more.empty()) more.assign(few.begin(), few.end());
      more.push_back(op);
    }
    push(parse_binary(kBitOrLevel));
  }
  auto* node = make<Compare>(begin);
  node->left = left;
  node->ops = arena_.copy(std::span<const CompareOperator>(more.empty() ? few.data() : more.data(), count));
  node->comparators = pop_nodes<Expr>(mark);
  raise_over(node, node->comparators);
  raise_to(node, std::max<unsigned>(node->height, left->height + 1u));
  return node;
}

Expr* Parser::parse_not() {
  const Level level(*this);
  const std::uint32_t begin = tok_.begin;
  advance();
  const Expr* operand = parse_binary(kNotLevel);
  auto* node = make<UnaryOp>(begin);
  node->op = UnaryOperator::kNot;
  node->operand = operand;
  raise_over(node, {operand});
  return node;
}

Expr* Parser::parse_unary() {
  const std::uint32_t begin = tok_.begin;
  UnaryOperator op{};
  switch (tok_.kind) {
    case TokenKind::kPlus:
      op = UnaryOperator::kPlus;
      break;
    case TokenKind::kMinus:
      op = UnaryOperator::kMinus;
      break;
    case TokenKind::kTilde:
      op = UnaryOperator::kInvert;
      break;
    default: {
      Expr* base = parse_primary();
      if (!at(TokenKind::kDoubleStar)) return base;
      const Level level(*this);
      advance();
      const Expr* exponent = parse_unary();
      auto* node = make<BinOp>(begin);
      node->op = BinaryOperator::kPow;
      node->left = base;
      node->right = exponent;
      raise_over(node, {base, exponent});
      return node;
    }
  }
  const Level level(*this);
  advance();
  const Expr* operand = parse_unary();
  auto* node = make<UnaryOp>(begin);
  node->op = op;
  node->operand = operand;
  raise_over(node, {operand});
  return node;
}

}  // namespace lockstep::python
