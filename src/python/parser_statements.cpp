// Simple statements: what stands on one logical line.
#include <array>

#include "python/parser_impl.h"

namespace lockstep::python {

void Parser::parse_statements_until_dedent() {
  int unexpected_indents = 0;
  while (true) {
    switch (tok_.kind) {
      case TokenKind::kEndOfFile:
        return;
      case TokenKind::kDedent:
        if (unexpected_indents == 0) return;
        --unexpected_indents;
        advance_layout();
        break;
      case TokenKind::kIndent:
        add_problem(tok_.span(), "unexpected indent");
        ++unexpected_indents;
        advance_layout();
        break;
      default:
        parse_statement();
        break;
    }
  }
}

void Parser::parse_statement() {
  line_begin_ = tok_.begin;
  if (!parse_compound_statement()) parse_simple_line();
}

void Parser::parse_simple_line() {
  while (true) {
    const std::uint32_t begin = tok_.begin;
    Stmt* statement = parse_small_statement();
    if (!failed_ && !at(TokenKind::kNewline) && !at(TokenKind::kSemicolon)) fail("invalid syntax");
    if (failed_) {
      recover(begin);
      return push_error_statement(begin);
    }
    push(statement);
    if (accept(TokenKind::kSemicolon) && !at(TokenKind::kNewline)) continue;
    return advance_layout();
  }
}

template <class T>
Stmt* Parser::parse_word(std::uint32_t begin) {
  advance();
  return make<T>(begin);
}

Stmt* Parser::parse_small_statement() {
  const std::uint32_t begin = tok_.begin;
  switch (tok_.kind) {
    case TokenKind::kReturn:
      return parse_return(begin);
    case TokenKind::kImport:
      return parse_import(begin);
    case TokenKind::kFrom:
      return parse_import_from(begin);
    case TokenKind::kRaise:
      return parse_raise(begin);
    case TokenKind::kPass:
      return parse_word<Pass>(begin);
    case TokenKind::kBreak:
      return parse_word<Break>(begin);
    case TokenKind::kContinue:
      return parse_word<Continue>(begin);
    case TokenKind::kDel:
      return parse_delete(begin);
    case TokenKind::kAssert:
      return parse_assert(begin);
    case TokenKind::kGlobal:
    case TokenKind::kNonlocal:
      return parse_global(begin);
    case TokenKind::kName:
      if (at_name("type")) {
        bool is_alias = false;
        lexer_.look_ahead([&](const Token& token) {
          is_alias = token.kind == TokenKind::kName;
          return false;
        });
        if (is_alias) return parse_type_alias(begin);
      }
      return parse_expression_statement(begin);
    default:
      return parse_expression_statement(begin);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Expressions and assignments

Stmt* Parser::parse_expression_statement(std::uint32_t begin) {
  Expr* first = parse_yield_or_star_expressions();
  if (at(TokenKind::kAssign)) return parse_assignment(begin, first);
  if (at(TokenKind::kColon)) return parse_annotated_assignment(begin, first);
  if (tok_.kind >= TokenKind::kPlusAssign && tok_.kind <= TokenKind::kDoubleSlashAssign) {
    first = to_single_target(first, "illegal target for augmented assignment");
    const auto op = static_cast<BinaryOperator>(static_cast<int>(tok_.kind) - static_cast<int>(TokenKind::kPlusAssign));
    advance();
    const Expr* value = parse_yield_or_star_expressions();
    auto* node = make<AugAssign>(begin);
    node->op = op;
    node->target = first;
    node->value = value;
    return node;
  }
  auto* node = make<ExprStmt>(begin);
  node->value = first;
  return node;
}

Stmt* Parser::parse_assignment(std::uint32_t begin, Expr* first) {
  const std::size_t mark = stack_.size();
  Expr* value = first;
  while (at(TokenKind::kAssign)) {
    push(to_target(value, ExprContext::kStore));
    advance();
    value = parse_yield_or_star_expressions();
  }
  auto* node = make<Assign>(begin);
  node->targets = pop_nodes<Expr>(mark);
  node->value = value;
  return node;
}

Stmt* Parser::parse_annotated_assignment(std::uint32_t begin, Expr* target) {
  const bool is_simple = is<Name>(target) && target->span.begin == begin;
  if (is<Tuple>(target)) fail_at(target->span, "only single target (not tuple) can be annotated");
  if (is<List>(target)) fail_at(target->span, "only single target (not list) can be annotated");
  target = to_single_target(target, "illegal target for annotation");
  advance();
  const Expr* annotation = parse_expression();
  const Expr* value = accept(TokenKind::kAssign) ? parse_yield_or_star_expressions() : nullptr;
  auto* node = make<AnnAssign>(begin);
  node->target = target;
  node->annotation = annotation;
  node->value = value;
  node->is_simple = is_simple;
  return node;
}

// ---------------------------------------------------------------------------------------------------------------------
// Statements that start with a keyword

Stmt* Parser::parse_return(std::uint32_t begin) {
  advance();
  const Expr* value = at(TokenKind::kNewline) || at(TokenKind::kSemicolon) ? nullptr : parse_star_expressions();
  auto* node = make<Return>(begin);
  node->value = value;
  return node;
}

Stmt* Parser::parse_delete(std::uint32_t begin) {
  advance();
  const std::size_t mark = stack_.size();
  do {
    if (at(TokenKind::kNewline) || at(TokenKind::kSemicolon)) break;  // after a trailing comma
    push(to_target(parse_bitwise_or(), ExprContext::kDel));
  } while (accept(TokenKind::kComma));
  if (stack_.size() == mark) fail("invalid syntax");
  auto* node = make<Delete>(begin);
  node->targets = pop_nodes<Expr>(mark);
  return node;
}

Stmt* Parser::parse_raise(std::uint32_t begin) {
  advance();
  const bool is_bare = at(TokenKind::kNewline) || at(TokenKind::kSemicolon);
  const Expr* exception = is_bare ? nullptr : parse_expression();
  const Expr* cause = !is_bare && accept(TokenKind::kFrom) ? parse_expression() : nullptr;
  auto* node = make<Raise>(begin);
  node->exception = exception;
  node->cause = cause;
  return node;
}

Stmt* Parser::parse_assert(std::uint32_t begin) {
  advance();
  const Expr* test = parse_expression();
  const Expr* message = accept(TokenKind::kComma) ? parse_expression() : nullptr;
  auto* node = make<Assert>(begin);
  node->test = test;
  node->message = message;
  return node;
}

Stmt* Parser::parse_global(std::uint32_t begin) {
  const bool is_global = at(TokenKind::kGlobal);
  advance();
  std::vector<Identifier> names;
  do {
    names.push_back(expect_identifier("expected a name"));
  } while (accept(TokenKind::kComma));
  const Identifiers kept = arena_.copy(std::span<const Identifier>(names));
  if (is_global) {
    auto* node = make<Global>(begin);
    node->names = kept;
    return node;
  }
  auto* node = make<Nonlocal>(begin);
  node->names = kept;
  return node;
}

}  // namespace lockstep::python
