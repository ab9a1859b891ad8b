// `import` and `from … import`.
#include "python/parser_impl.h"

namespace lockstep::python {

// `a.b.c`, as one text without blanks.
Identifier Parser::parse_dotted_name() {
  const std::uint32_t begin = tok_.begin;
  Identifier first = expect_identifier("expected a module name");
  if (!at(TokenKind::kDot)) return first;
  std::string joined(first.text);
  while (accept(TokenKind::kDot)) {
    joined += '.';
    joined += expect_identifier("expected a module name").text;
  }
  const Span span{begin, prev_end_};
  const std::string_view written = source_.substr(begin, span.size());
  return {written == joined ? written : arena_.copy(std::string_view(joined)), span};
}

const Alias* Parser::parse_alias(bool dotted) {
  const std::uint32_t begin = tok_.begin;
  const Identifier name = dotted ? parse_dotted_name() : expect_identifier("expected a name to import");
  const Identifier as_name = accept(TokenKind::kAs) ? expect_identifier("expected a name after 'as'") : Identifier{};
  auto* node = make<Alias>(begin);
  node->name = name;
  node->as_name = as_name;
  return node;
}

Stmt* Parser::parse_import(std::uint32_t begin) {
  advance();
  const std::size_t mark = stack_.size();
  do {
    push(parse_alias(true));
  } while (accept(TokenKind::kComma));
  auto* node = make<Import>(begin);
  node->names = pop_nodes<Alias>(mark);
  return node;
}

Stmt* Parser::parse_import_from(std::uint32_t begin) {
  advance();
  std::uint32_t level = 0;
  for (; at(TokenKind::kDot) || at(TokenKind::kEllipsis); advance()) level += at(TokenKind::kDot) ? 1 : 3;
  const Identifier module = level > 0 && at(TokenKind::kImport) ? Identifier{} : parse_dotted_name();
  expect(TokenKind::kImport, "expected 'import'");
  const std::size_t mark = stack_.size();
  const std::uint32_t names_begin = tok_.begin;
  if (accept(TokenKind::kStar)) {
    auto* all = make<Alias>(names_begin);
    all->name = {source_.substr(names_begin, 1), all->span};
    push(all);
  } else if (accept(TokenKind::kLeftParen)) {
    do {
      if (at(TokenKind::kRightParen) && stack_.size() > mark) break;  // after a trailing comma
      push(parse_alias(false));
    } while (accept(TokenKind::kComma));
    expect(TokenKind::kRightParen, "expected ')'");
  } else {
    do {
      push(parse_alias(false));
    } while (accept(TokenKind::kComma));
  }
  auto* node = make<ImportFrom>(begin);
  node->level = level;
  node->module = module;
  node->names = pop_nodes<Alias>(mark);
  return node;
}

}  // namespace lockstep::python
