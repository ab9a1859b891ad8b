// Entry, tokens, nodes, and recovery from errors. What is read where: parser_impl.h.
#include "python/parser.h"

#include <algorithm>

#include "python/encoding.h"
#include "python/identifiers.h"
#include "python/parser_impl.h"

namespace lockstep::python {

std::unique_ptr<ParsedFile> parse(std::string bytes) {
  DecodedSource decoded = decode_source(std::move(bytes));
  auto file = std::make_unique<ParsedFile>();
  file->source = SourceText(std::move(decoded.text));
  if (!decoded.problem.empty()) file->problems.push_back({{0, 0}, std::move(decoded.problem)});
  Parser(*file).parse_module();
  file->arena.close();
  std::stable_sort(file->problems.begin(), file->problems.end(),
                   [](const Problem& a, const Problem& b) { return a.span.begin < b.span.begin; });
  return file;
}

Parser::Parser(ParsedFile& file)
    : file_(file),
      arena_(file.arena),
      source_(file.source.bytes()),
      lexer_(source_, file.comments, file.problems),
      reread_budget_(4 * static_cast<std::uint64_t>(source_.size()) + 4096) {
  stack_.reserve(256);
}

void Parser::parse_module() {
  const std::size_t nul = source_.find('\0');
  if (nul != std::string_view::npos) {
    const auto at = static_cast<std::uint32_t>(nul);
    add_problem({at, at + 1}, "source code cannot contain null bytes");
  }
  enter_levels(1);
  advance_layout();
  parse_statements_until_dedent();
  prev_end_ = static_cast<std::uint32_t>(source_.size());
  auto* module = make<Module>(0);
  module->body = pop_nodes<Stmt>(0);
  file_.tree = module;
}

// ---------------------------------------------------------------------------------------------------------------------
// Nodes

void Parser::raise_to(Node* node, unsigned height) {
  if (height > height_limit_) {
    fail_at(node->span, "too deeply nested");
    height = height_limit_;
  }
  node->height = static_cast<std::uint16_t>(height);
}

void Parser::raise_over(Node* node, std::initializer_list<const Node*> children) {
  unsigned height = 0;
  for (const Node* child : children) {
    if (child != nullptr) height = std::max(height, child->height + 1u);
  }
  raise_to(node, height);
}

ErrorExpr* Parser::error_expression(Span span) {
  auto* node = make<ErrorExpr>(span.begin);
  node->span = span;
  return node;
}

std::string_view Parser::normalized(const Token& token) {
  const std::string_view text = text_of(token);
  if (!token.has(token_flags::kNonAscii)) return text;
  const std::string normal = normalize_identifier(text);
  return normal == text ? text : arena_.copy(std::string_view(normal));
}

Identifier Parser::identifier(const Token& token) { return {normalized(token), token.span()}; }

Identifier Parser::expect_identifier(const char* message) {
  if (!at(TokenKind::kName)) {
    fail(message);
    return {{}, {prev_end_, prev_end_}};
  }
  const Identifier name = identifier(tok_);
  advance();
  return name;
}

// ---------------------------------------------------------------------------------------------------------------------
// Errors

void Parser::add_problem(Span span, std::string message) {
  if (file_.problems.size() < kMaxProblems) file_.problems.push_back({span, std::move(message)});
}

void Parser::fail_at(Span span, const char* message) {
  if (failed_) return;
  failed_ = true;
  failed_in_fstring_ = fstring_depth_ > 0;
  failed_token_ = tok_;
  add_problem(span, tok_.kind == TokenKind::kError ? lexer_.error_message() : message);
  tok_.kind = TokenKind::kError;
}

// The error is inside an f-string: goes on behind it, which may be before the place that was read already.
void Parser::leave_fstring() {
  const std::uint64_t cost = lexer_.offset() - outer_fstring_.begin;
  if (cost > reread_budget_) return;
  reread_budget_ -= cost;
  lexer_.skip_fstring(outer_fstring_, outer_fstring_brackets_);
  tok_ = outer_fstring_;
  tok_.kind = TokenKind::kString;
  tok_.end = lexer_.offset();
  prev_end_ = outer_fstring_.begin;
}

void Parser::recover(std::uint32_t begin) {
  failed_ = false;
  tok_ = failed_token_;
  if (failed_in_fstring_) leave_fstring();
  while (true) {
    const std::uint32_t candidate = lexer_.restart_candidate();
    if (candidate > begin && tok_.kind != TokenKind::kNewline) {
      const std::uint64_t cost = lexer_.offset() - candidate;
      if (cost <= reread_budget_) {
        reread_budget_ -= cost;
        return restart(candidate, begin);
      }
    }
    if (lexer_.ran_into_end()) {
      if (restart_behind_first_line(begin)) return;
      lexer_.close_brackets();
    }
    switch (tok_.kind) {
      case TokenKind::kNewline:
        return advance_layout();
      case TokenKind::kEndOfFile:
      case TokenKind::kIndent:
      case TokenKind::kDedent:
        return;
      default:
        break;
    }
    if (tok_.kind == TokenKind::kFStringStart) {
      lexer_.skip_fstring(tok_, lexer_.bracket_depth());
      tok_.end = lexer_.offset();
    }
    if (tok_.end > tok_.begin) prev_end_ = std::max(prev_end_, tok_.end);
    tok_ = lexer_.next();
  }
}

// The statement swallowed the rest of the file: its first line alone is given up.
bool Parser::restart_behind_first_line(std::uint32_t begin) {
  std::size_t line_end = begin;
  bool is_continued = true;
  while (is_continued) {
    line_end = source_.find_first_of("\r\n", line_end);
    if (line_end == std::string_view::npos) return false;
    is_continued = line_end > begin && source_[line_end - 1] == '\\';
    line_end += source_.substr(line_end, 2) == "\r\n" ? 2 : 1;
  }
  const std::uint64_t cost = source_.size() - line_end;
  if (line_end == source_.size() || cost > reread_budget_) return false;
  reread_budget_ -= cost;
  restart(static_cast<std::uint32_t>(line_end), begin);
  return true;
}

void Parser::restart(std::uint32_t line_start, std::uint32_t begin) {
  lexer_.restart_at(line_start);
  const std::size_t last = source_.substr(0, line_start).find_last_not_of(" \t\f\r\n\\");
  prev_end_ = std::max(begin, last == std::string_view::npos ? begin : static_cast<std::uint32_t>(last + 1));
  advance_layout();
}

void Parser::push_error_statement(std::uint32_t begin) {
  prev_end_ = std::max(prev_end_, begin);
  push(make<ErrorStmt>(begin));
}

}  // namespace lockstep::python
