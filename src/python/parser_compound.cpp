// Statements with blocks, other than definitions and `match`.
#include "python/parser_impl.h"

namespace lockstep::python {

// Pushes the compound statement at the current token; false where none starts here.
bool Parser::parse_compound_statement() {
  const std::uint32_t begin = tok_.begin;
  Stmt* statement = nullptr;
  switch (tok_.kind) {
    case TokenKind::kDef:
      statement = parse_function(begin, false, {});
      break;
    case TokenKind::kClass:
      statement = parse_class(begin, {});
      break;
    case TokenKind::kAt:
      statement = parse_decorated(begin);
      break;
    case TokenKind::kAsync:
      statement = parse_async(begin, {});
      break;
    case TokenKind::kIf:
      statement = parse_if(begin);
      break;
    case TokenKind::kFor:
      statement = parse_for(begin, false);
      break;
    case TokenKind::kWhile:
      statement = parse_while(begin);
      break;
    case TokenKind::kWith:
      statement = parse_with(begin, false);
      break;
    case TokenKind::kTry:
      statement = parse_try(begin);
      break;
    case TokenKind::kName:
      if (!at_name("match") || !looks_like_match()) return false;
      statement = parse_match(begin);
      break;
    default:
      return false;
  }
  if (failed_) {
    recover(begin);
    statement = nullptr;
  }
  if (statement != nullptr) {
    push(statement);
  } else {
    push_error_statement(begin);
  }
  return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Blocks

Parser::Block Parser::parse_block(int levels) {
  if (!at(TokenKind::kColon)) {
    fail("expected ':'");
    return parse_block_after_broken_header(levels);
  }
  advance();
  Block block;
  if (!at(TokenKind::kNewline)) {
    const std::size_t mark = stack_.size();
    enter_levels(levels);
    parse_simple_line();
    enter_levels(-levels);
    block.body = pop_nodes<Stmt>(mark);
    return block;
  }
  advance_layout();
  if (at(TokenKind::kIndent)) {
    block.body = parse_indented_block(levels);
  } else {
    add_problem({prev_end_, prev_end_}, "expected an indented block");
    block.body = single<Stmt>(make<ErrorStmt>(prev_end_));
  }
  return block;
}

Seq<Stmt> Parser::parse_indented_block(int levels) {
  const std::size_t mark = stack_.size();
  advance_layout();
  enter_levels(levels);
  parse_statements_until_dedent();
  enter_levels(-levels);
  if (at(TokenKind::kDedent)) advance_layout();
  return pop_nodes<Stmt>(mark);
}

Parser::Block Parser::parse_block_after_broken_header(int levels) {
  const std::uint32_t header_begin = line_begin_;
  recover(header_begin);
  Block block;
  block.header_is_broken = true;
  block.header = {header_begin, std::max(prev_end_, header_begin)};
  if (at(TokenKind::kIndent)) {
    block.body = parse_indented_block(levels);
  } else {
    block.is_missing = true;
    block.body = single<Stmt>(make<ErrorStmt>(prev_end_));
  }
  return block;
}

Parser::Block Parser::parse_else_block(TokenKind keyword) {
  if (!at(keyword)) return {};
  line_begin_ = tok_.begin;
  advance();
  return parse_block();
}

const Expr* Parser::header_part(const Block& block, const Expr* part) {
  return block.header_is_broken ? error_expression(block.header) : part;
}

// ---------------------------------------------------------------------------------------------------------------------
// if, while, for

Stmt* Parser::parse_if(std::uint32_t begin) {
  const bool is_elif = at(TokenKind::kElif);
  advance();
  const Expr* condition = parse_named_expression();
  const Block block = parse_block();
  if (block.is_missing && !is_elif) return nullptr;
  condition = header_part(block, condition);
  Seq<Stmt> orelse;
  if (at(TokenKind::kElif) && statement_depth_ < kMaxStatementDepth) {
    line_begin_ = tok_.begin;
    enter_levels(1);
    orelse = single<Stmt>(parse_if(tok_.begin));
    enter_levels(-1);
  } else {
    orelse = parse_else_block(TokenKind::kElse).body;
  }
  auto* node = make<If>(begin);
  node->condition = condition;
  node->body = block.body;
  node->orelse = orelse;
  return node;
}

Stmt* Parser::parse_while(std::uint32_t begin) {
  advance();
  const Expr* condition = parse_named_expression();
  const Block block = parse_block();
  if (block.is_missing) return nullptr;
  condition = header_part(block, condition);
  const Seq<Stmt> orelse = parse_else_block(TokenKind::kElse).body;
  auto* node = make<While>(begin);
  node->condition = condition;
  node->body = block.body;
  node->orelse = orelse;
  return node;
}

Stmt* Parser::parse_for(std::uint32_t begin, bool is_async) {
  advance();
  const Expr* target = parse_target_list();
  expect(TokenKind::kIn, "expected 'in'");
  const Expr* iterable = parse_star_expressions();
  const Block block = parse_block();
  if (block.is_missing) return nullptr;
  if (block.header_is_broken) {
    target = error_expression(block.header);
    iterable = error_expression({block.header.end, block.header.end});
  }
  const Seq<Stmt> orelse = parse_else_block(TokenKind::kElse).body;
  auto* node = make<For>(begin);
  node->is_async = is_async;
  node->target = target;
  node->iterable = iterable;
  node->body = block.body;
  node->orelse = orelse;
  return node;
}

// ---------------------------------------------------------------------------------------------------------------------
// with

void Parser::push_with_item(std::uint32_t begin, const Expr* context, const Expr* target) {
  auto* node = make<WithItem>(begin);
  node->context = context;
  node->target = target;
  raise_over(node, {context, target});
  push(node);
}

const Expr* Parser::parse_with_target() { return accept(TokenKind::kAs) ? parse_star_target() : nullptr; }

void Parser::parse_with_item() {
  const std::uint32_t begin = tok_.begin;
  const Expr* context = parse_expression();
  push_with_item(begin, context, parse_with_target());
}

// After `with`, at `(`: the parenthesis holds either items, which `:` must follow, or an expression that the first
// item starts with. Both are read the same way; what comes behind `)` decides. True where it held the items.
bool Parser::parse_parenthesized_with_items() {
  const std::uint32_t begin = tok_.begin;
  const std::size_t mark = stack_.size();
  bool has_target = false, has_more_than_expressions = false, has_comma = false;
  advance();
  while (!at(TokenKind::kRightParen) && !failed_) {
    const std::uint32_t item_begin = tok_.begin;
    Expr* context = at(TokenKind::kYield) ? parse_yield() : parse_star_named_expression();
    if (at_comprehension() && stack_.size() == mark) {
      if (is<Starred>(context)) fail("iterable unpacking cannot be used in comprehension");
      injected_ = finish_comprehension<GeneratorExp>(begin, context, TokenKind::kRightParen);
      after_injected_ = tok_;
      if (!failed_) tok_ = {TokenKind::kInjected, 0, 0, begin, prev_end_};
      return false;
    }
    const bool is_named = is<NamedExpr>(context) && context->span.begin == item_begin;
    const bool is_yield = (is<Yield>(context) || is<YieldFrom>(context)) && context->span.begin == item_begin;
    has_more_than_expressions = has_more_than_expressions || is<Starred>(context) || is_named || is_yield;
    const Expr* target = parse_with_target();
    has_target = has_target || target != nullptr;
    push_with_item(item_begin, context, target);
    has_comma = accept(TokenKind::kComma);
    if (!has_comma || is_yield) break;
  }
  expect(TokenKind::kRightParen, "expected ')'");
  const bool has_items = stack_.size() > mark;
  if (at(TokenKind::kColon) && !has_more_than_expressions && has_items) return true;
  if (has_target) fail("invalid syntax");
  const Seq<WithItem> items = pop_nodes<WithItem>(mark);
  if (items.size() == 1 && !has_comma) {
    if (is<Starred>(items[0]->context)) fail("cannot use starred expression here");
    injected_ = const_cast<Expr*>(items[0]->context);  // ours, and still being built
  } else {
    for (const WithItem* item : items) push(item->context);
    auto* tuple = make<Tuple>(begin);
    tuple->elements = pop_nodes<Expr>(mark);
    raise_over(tuple, tuple->elements);
    injected_ = tuple;
  }
  after_injected_ = tok_;
  if (!failed_) tok_ = {TokenKind::kInjected, 0, 0, begin, prev_end_};
  return false;
}

void Parser::parse_with_items() {
  if (at(TokenKind::kLeftParen) && parse_parenthesized_with_items()) return;
  do {
    parse_with_item();
  } while (accept(TokenKind::kComma));
}

Stmt* Parser::parse_with(std::uint32_t begin, bool is_async) {
  advance();
  const std::size_t mark = stack_.size();
  parse_with_items();
  Seq<WithItem> items = pop_nodes<WithItem>(mark);
  const Block block = parse_block();
  if (block.is_missing) return nullptr;
  if (block.header_is_broken) {
    auto* item = make<WithItem>(begin);
    item->context = error_expression(block.header);
    item->span = block.header;
    item->height = 1;
    items = single<WithItem>(item);
  }
  auto* node = make<With>(begin);
  node->is_async = is_async;
  node->items = items;
  node->body = block.body;
  return node;
}

// ---------------------------------------------------------------------------------------------------------------------
// try

const ExceptHandler* Parser::parse_handler(bool& is_star) {
  const std::uint32_t begin = tok_.begin;
  line_begin_ = begin;
  advance();
  is_star = accept(TokenKind::kStar);
  const Expr* type = nullptr;
  Identifier name;
  if (!at(TokenKind::kColon)) {
    type = parse_expression();
    if (accept(TokenKind::kAs)) name = expect_identifier("expected a name after 'as'");
  } else if (is_star) {
    fail("expected one or more exception types");
  }
  const Block block = parse_block(2);
  if (block.header_is_broken) name = {};
  auto* node = make<ExceptHandler>(begin);
  node->type = header_part(block, type);
  node->name = name;
  node->body = block.body;
  return node;
}

Stmt* Parser::parse_try(std::uint32_t begin) {
  advance();
  const Block block = parse_block();
  if (block.is_missing) return nullptr;
  const std::size_t mark = stack_.size();
  bool is_star = false, is_mixed = false;
  while (at(TokenKind::kExcept)) {
    bool handler_is_star = false;
    const bool is_first = stack_.size() == mark;
    push(parse_handler(handler_is_star));
    is_mixed = is_mixed || (!is_first && handler_is_star != is_star);
    is_star = handler_is_star;
  }
  const Seq<ExceptHandler> handlers = pop_nodes<ExceptHandler>(mark);
  if (is_mixed) add_problem({begin, begin + 3}, "cannot have both 'except' and 'except*' on the same 'try'");
  const Seq<Stmt> orelse = handlers.empty() ? Seq<Stmt>{} : parse_else_block(TokenKind::kElse).body;
  const Seq<Stmt> finally_body = parse_else_block(TokenKind::kFinally).body;
  if (handlers.empty() && finally_body.empty()) {
    add_problem({begin, begin + 3}, "expected 'except' or 'finally' block");
  }
  auto* node = make<Try>(begin);
  node->is_star = is_star;
  node->body = block.body;
  node->handlers = handlers;
  node->orelse = orelse;
  node->finally_body = finally_body;
  return node;
}

}  // namespace lockstep::python
