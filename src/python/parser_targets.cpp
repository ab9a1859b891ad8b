// What stands on the left of an assignment, after `for`, `as` and `del`.
#include "python/parser_impl.h"

namespace lockstep::python {

namespace {

const char* cannot_assign_message(const Expr& expression, bool deletes) {
  switch (expression.kind) {
    case NodeKind::kCall:
      return deletes ? "cannot delete function call" : "cannot assign to function call";
    case NodeKind::kConstant:
      return deletes ? "cannot delete literal" : "cannot assign to literal";
    case NodeKind::kJoinedStr:
      return deletes ? "cannot delete f-string" : "cannot assign to f-string";
    case NodeKind::kStarred:
      return "cannot delete starred";
    default:
      return deletes ? "cannot delete expression" : "cannot assign to expression";
  }
}

}  // namespace

Expr* Parser::to_target(Expr* expression, ExprContext context) {
  switch (expression->kind) {
    case NodeKind::kName:
      static_cast<Name*>(expression)->context = context;
      return expression;
    case NodeKind::kAttribute:
      static_cast<Attribute*>(expression)->context = context;
      return expression;
    case NodeKind::kSubscript:
      static_cast<Subscript*>(expression)->context = context;
      return expression;
    case NodeKind::kStarred: {
      if (context == ExprContext::kDel) break;
      auto* starred = static_cast<Starred*>(expression);
      starred->context = context;
      // The nodes are this parser's own and still being built: tree.h only makes them const for readers.
      to_target(const_cast<Expr*>(starred->value), context);
      return expression;
    }
    case NodeKind::kTuple:
      static_cast<Tuple*>(expression)->context = context;
      for (const Expr* element : static_cast<Tuple*>(expression)->elements) {
        to_target(const_cast<Expr*>(element), context);
      }
      return expression;
    case NodeKind::kList:
      static_cast<List*>(expression)->context = context;
      for (const Expr* element : static_cast<List*>(expression)->elements) {
        to_target(const_cast<Expr*>(element), context);
      }
      return expression;
    default:
      break;
  }
  fail_at(expression->span, cannot_assign_message(*expression, context == ExprContext::kDel));
  return expression;
}

Expr* Parser::to_single_target(Expr* expression, const char* message) {
  if (is<Name>(expression) || is<Attribute>(expression) || is<Subscript>(expression)) {
    return to_target(expression, ExprContext::kStore);
  }
  fail_at(expression->span, message);
  return expression;
}

Expr* Parser::parse_star_target() {
  if (at(TokenKind::kStar)) return to_target(parse_star(), ExprContext::kStore);
  return to_target(parse_primary(), ExprContext::kStore);
}

// `a`, `a, b`, `*a, b`: of `for`.
Expr* Parser::parse_target_list() {
  const std::uint32_t begin = tok_.begin;
  Expr* first = parse_star_target();
  if (!at(TokenKind::kComma)) return first;
  return to_target(parse_tuple_rest(begin, first, &Parser::parse_star_target), ExprContext::kStore);
}

}  // namespace lockstep::python
