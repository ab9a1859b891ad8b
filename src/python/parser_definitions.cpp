// Functions, classes, decorators, type parameters and `type` statements.
#include "python/parser_impl.h"

namespace lockstep::python {

Stmt* Parser::parse_async(std::uint32_t begin, Seq<Expr> decorators) {
  advance();
  if (at(TokenKind::kDef)) return parse_function(begin, true, decorators);
  if (decorators.empty() && at(TokenKind::kFor)) return parse_for(begin, true);
  if (decorators.empty() && at(TokenKind::kWith)) return parse_with(begin, true);
  fail("expected 'def', 'for' or 'with' after 'async'");
  return nullptr;
}

Stmt* Parser::parse_function(std::uint32_t begin, bool is_async, Seq<Expr> decorators) {
  advance();
  const Identifier name = expect_identifier("expected a function name");
  if (failed_) return nullptr;
  Seq<TypeParam> type_params = parse_type_params();
  expect(TokenKind::kLeftParen, "expected '('");
  const Parameters* parameters = parse_parameters(TokenKind::kRightParen, false);
  expect(TokenKind::kRightParen, "expected ')'");
  const Expr* returns = accept(TokenKind::kArrow) ? parse_expression() : nullptr;
  const Block block = parse_block();
  if (block.is_missing) return nullptr;
  if (block.header_is_broken) {
    // The name is known; what follows it is not trusted.
    auto* none = make<Parameters>(name.span.end);
    none->span = {name.span.end, name.span.end};
    parameters = none;
    type_params = {};
    returns = nullptr;
  }
  auto* node = make<FunctionDef>(begin);
  node->is_async = is_async;
  node->name = name;
  node->type_params = type_params;
  node->parameters = parameters;
  node->returns = returns;
  node->decorators = decorators;
  node->body = block.body;
  return node;
}

Stmt* Parser::parse_class(std::uint32_t begin, Seq<Expr> decorators) {
  advance();
  const Identifier name = expect_identifier("expected a class name");
  if (failed_) return nullptr;
  Seq<TypeParam> type_params = parse_type_params();
  Arguments arguments = at(TokenKind::kLeftParen) ? parse_arguments(false) : Arguments{};
  const Block block = parse_block();
  if (block.is_missing) return nullptr;
  if (block.header_is_broken) {
    type_params = {};
    arguments = {};
  }
  auto* node = make<ClassDef>(begin);
  node->name = name;
  node->type_params = type_params;
  node->bases = arguments.positional;
  node->keywords = arguments.keywords;
  node->decorators = decorators;
  node->body = block.body;
  return node;
}

Stmt* Parser::parse_decorated(std::uint32_t begin) {
  const std::size_t mark = stack_.size();
  while (at(TokenKind::kAt)) {
    line_begin_ = tok_.begin;
    advance();
    const std::uint32_t expression_begin = tok_.begin;
    const Expr* decorator = parse_named_expression();
    if (!failed_ && !at(TokenKind::kNewline)) fail("invalid syntax");
    if (failed_) {
      recover(line_begin_);
      decorator = error_expression({expression_begin, std::max(expression_begin, prev_end_)});
    } else {
      advance_layout();
    }
    push(decorator);
  }
  const Seq<Expr> decorators = pop_nodes<Expr>(mark);
  line_begin_ = tok_.begin;
  switch (tok_.kind) {
    case TokenKind::kDef:
      return parse_function(tok_.begin, false, decorators);
    case TokenKind::kClass:
      return parse_class(tok_.begin, decorators);
    case TokenKind::kAsync:
      return parse_async(tok_.begin, decorators);
    default:
      break;
  }
  // What follows is a statement of its own.
  add_problem({begin, begin + 1}, "expected a function or class definition after the decorators");
  return nullptr;
}

// ---------------------------------------------------------------------------------------------------------------------
// PEP 695

Seq<TypeParam> Parser::parse_type_params() {
  if (!accept(TokenKind::kLeftBracket)) return {};
  const std::size_t mark = stack_.size();
  do {
    if (at(TokenKind::kRightBracket) && stack_.size() > mark) break;  // after a trailing comma
    push(parse_type_param());
  } while (accept(TokenKind::kComma));
  expect(TokenKind::kRightBracket, "expected ']'");
  return pop_nodes<TypeParam>(mark);
}

const TypeParam* Parser::parse_type_param() {
  const std::uint32_t begin = tok_.begin;
  auto kind = TypeParam::Kind::kTypeVar;
  if (accept(TokenKind::kStar)) {
    kind = TypeParam::Kind::kTypeVarTuple;
  } else if (accept(TokenKind::kDoubleStar)) {
    kind = TypeParam::Kind::kParamSpec;
  }
  const Identifier name = expect_identifier("expected a type parameter");
  const Expr* bound = nullptr;
  if (kind == TypeParam::Kind::kTypeVar && accept(TokenKind::kColon)) bound = parse_expression();
  const Expr* default_value = nullptr;
  if (accept(TokenKind::kAssign)) {
    default_value = kind == TypeParam::Kind::kTypeVarTuple ? parse_star_expression() : parse_expression();
  }
  auto* node = make<TypeParam>(begin);
  node->type_param_kind = kind;
  node->name = name;
  node->bound = bound;
  node->default_value = default_value;
  raise_over(node, {bound, default_value});
  return node;
}

Stmt* Parser::parse_type_alias(std::uint32_t begin) {
  advance();  // type
  Expr* name = parse_name();
  name = to_target(name, ExprContext::kStore);
  const Seq<TypeParam> type_params = parse_type_params();
  expect(TokenKind::kAssign, "expected '='");
  const Expr* value = parse_expression();
  auto* node = make<TypeAlias>(begin);
  node->name = name;
  node->type_params = type_params;
  node->value = value;
  return node;
}

}  // namespace lockstep::python
