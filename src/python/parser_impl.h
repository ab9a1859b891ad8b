// The recursive-descent parser behind parser.h. Its members are grouped by what they read, one source file a group.
//
// How errors work: fail() notes one problem and turns the current token into kError, which no rule accepts. Every rule
// then runs out of tokens to accept and returns quickly with some placeholder, without any check of its own; the
// statement that is being read sees failed_, becomes an ErrorStmt (or gets an ErrorExpr in its header) and recover()
// goes on at the next logical line.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "python/lexer.h"
#include "python/parser.h"
#include "python/tree.h"

namespace lockstep::python {

class Parser {
 public:
  /// Parses `file.source` into the rest of `file`.
  explicit Parser(ParsedFile& file);
  void parse_module();

 private:
  // --- tokens ---
  void advance() {
    if (failed_) return;
    prev_end_ = tok_.end;
    tok_ = lexer_.next();
  }
  /// Over kNewline, kIndent and kDedent, which belong to no node.
  void advance_layout() {
    if (!failed_) tok_ = lexer_.next();
  }
  bool accept(TokenKind kind) {
    if (tok_.kind != kind) return false;
    advance();
    return true;
  }
  void expect(TokenKind kind, const char* message) {
    if (!accept(kind)) fail(message);
  }
  [[nodiscard]] bool at(TokenKind kind) const { return tok_.kind == kind; }
  [[nodiscard]] std::string_view text_of(const Token& token) const {
    return source_.substr(token.begin, token.end - token.begin);
  }
  [[nodiscard]] bool at_name(std::string_view text) const {
    return tok_.kind == TokenKind::kName && text_of(tok_) == text;
  }
  /// Gives up on the statement: `message` is about the current token.
  void fail(const char* message) { fail_at(tok_.span(), message); }
  void fail_at(Span span, const char* message);
  void add_problem(Span span, std::string message);
  /// Skips the rest of the logical line that began at `begin`.
  void recover(std::uint32_t begin);
  void leave_fstring();
  bool restart_behind_first_line(std::uint32_t begin);
  void restart(std::uint32_t line_start, std::uint32_t begin);

  // --- nodes ---
  template <class T>
  T* make(std::uint32_t begin) {
    T* node = arena_.make<T>();
    node->kind = T::kKind;
    node->span = {begin, prev_end_};
    return node;
  }
  /// Sets the height of `node` above its children; too high a tree fails.
  void raise_over(Node* node, std::initializer_list<const Node*> children);
  template <class T>
  void raise_over(Node* node, Seq<T> children);
  void raise_to(Node* node, unsigned height);
  /// Takes what was pushed since `mark` off the stack, into the arena.
  template <class T>
  Seq<T> pop_nodes(std::size_t mark);
  void push(const Node* node) { stack_.push_back(node); }
  template <class T>
  Seq<T> single(const T* node);
  ErrorExpr* error_expression(Span span);
  Identifier identifier(const Token& token);
  Identifier expect_identifier(const char* message);
  std::string_view normalized(const Token& token);

  // --- parser_statements.cpp: simple statements ---
  void parse_statements_until_dedent();
  void parse_statement();
  void parse_simple_line();
  Stmt* parse_small_statement();
  Stmt* parse_expression_statement(std::uint32_t begin);
  Stmt* parse_assignment(std::uint32_t begin, Expr* first);
  Stmt* parse_annotated_assignment(std::uint32_t begin, Expr* target);
  Stmt* parse_return(std::uint32_t begin);
  Stmt* parse_delete(std::uint32_t begin);
  Stmt* parse_raise(std::uint32_t begin);
  Stmt* parse_assert(std::uint32_t begin);
  Stmt* parse_global(std::uint32_t begin);
  template <class T>
  Stmt* parse_word(std::uint32_t begin);
  void push_error_statement(std::uint32_t begin);

  // --- parser_imports.cpp ---
  Stmt* parse_import(std::uint32_t begin);
  Stmt* parse_import_from(std::uint32_t begin);
  Identifier parse_dotted_name();
  const Alias* parse_alias(bool dotted);

  // --- parser_compound.cpp, parser_definitions.cpp: statements with blocks ---
  struct Block {
    Seq<Stmt> body;
    bool header_is_broken = false;  ///< The header had an error: its parts must not be used.
    bool is_missing = false;        ///< And no indented block follows it; `body` is one ErrorStmt.
    Span header;                    ///< Of a broken header: all of it.
  };
  /// Reads `: block`. `levels`: how many levels below the statement that is being read the block's statements stand.
  Block parse_block(int levels = 1);
  Seq<Stmt> parse_indented_block(int levels);
  void enter_levels(int levels) {
    statement_depth_ += levels;
    height_limit_ = static_cast<unsigned>(kMaxTreeDepth - statement_depth_ - kHeaderLevels);
  }
  Block parse_block_after_broken_header(int levels);
  Block parse_else_block(TokenKind keyword);
  const Expr* header_part(const Block& block, const Expr* part);
  bool parse_compound_statement();
  Stmt* parse_if(std::uint32_t begin);
  Stmt* parse_while(std::uint32_t begin);
  Stmt* parse_for(std::uint32_t begin, bool is_async);
  Stmt* parse_with(std::uint32_t begin, bool is_async);
  void parse_with_items();
  bool parse_parenthesized_with_items();
  void parse_with_item();
  const Expr* parse_with_target();
  void push_with_item(std::uint32_t begin, const Expr* context, const Expr* target);
  Stmt* parse_try(std::uint32_t begin);
  const ExceptHandler* parse_handler(bool& is_star);
  Stmt* parse_async(std::uint32_t begin, Seq<Expr> decorators);
  Stmt* parse_function(std::uint32_t begin, bool is_async, Seq<Expr> decorators);
  Stmt* parse_class(std::uint32_t begin, Seq<Expr> decorators);
  Stmt* parse_decorated(std::uint32_t begin);
  Seq<TypeParam> parse_type_params();
  const TypeParam* parse_type_param();
  Stmt* parse_type_alias(std::uint32_t begin);

  // --- parser_parameters.cpp ---
  const Parameters* parse_parameters(TokenKind end, bool is_lambda);
  struct ParameterState;
  void parse_parameter(ParameterState& state);
  void parse_star_parameter(ParameterState& state);
  Parameter* parse_named_parameter(ParameterState& state, Parameter::Kind kind);

  // --- parser_patterns.cpp ---
  [[nodiscard]] bool looks_like_match();
  Stmt* parse_match(std::uint32_t begin);
  void parse_misplaced_in_match();
  const MatchCase* parse_case();
  const Pattern* parse_top_pattern();
  const Pattern* parse_maybe_star_pattern();
  const Pattern* parse_pattern();
  const Pattern* parse_or_pattern();
  const Pattern* parse_closed_pattern();
  const Pattern* parse_group_or_sequence(std::uint32_t begin);
  const Pattern* parse_sequence(std::uint32_t begin, TokenKind close);
  const Pattern* finish_sequence(std::uint32_t begin, std::size_t mark, TokenKind close);
  Expr* parse_mapping_key();
  const Pattern* parse_mapping(std::uint32_t begin);
  const Pattern* parse_name_pattern(std::uint32_t begin);
  const Pattern* parse_class_pattern(std::uint32_t begin, const Expr* cls);
  const Pattern* parse_literal_pattern(std::uint32_t begin);
  Expr* parse_signed_number();
  Expr* parse_dotted_value();

  // --- parser_expressions.cpp ---
  Expr* parse_star_expressions();
  Expr* parse_star_expression();
  Expr* parse_star_named_expression();
  Expr* parse_named_expression();
  Expr* parse_expression();
  Expr* parse_yield_or_star_expressions();
  Expr* parse_yield();
  Expr* parse_lambda();
  Expr* parse_disjunction();
  Expr* parse_bitwise_or();
  Expr* parse_binary(int lowest);
  Expr* parse_not();
  Expr* parse_bool_operation(std::uint32_t begin, Expr* left);
  Expr* parse_comparison(std::uint32_t begin, Expr* left);
  bool read_compare_operator(CompareOperator& op);
  Expr* parse_unary();
  Expr* parse_star(ExprContext context = ExprContext::kLoad);
  Expr* parse_tuple_rest(std::uint32_t begin, Expr* first, Expr* (Parser::*element)());

  // --- parser_primaries.cpp ---
  Expr* parse_primary();
  Expr* parse_postfix(std::uint32_t begin, Expr* value);
  Expr* parse_call(std::uint32_t begin, Expr* callee);
  struct Arguments {
    Seq<Expr> positional;
    Seq<Keyword> keywords;
  };
  struct ArgumentState {
    bool saw_keyword = false;
    bool saw_double_star = false;
  };
  Arguments parse_arguments(bool allows_generator);
  void parse_argument(ArgumentState& state);
  void push_keyword(std::uint32_t begin, Identifier name);
  Arguments pop_arguments(std::size_t mark);
  Expr* parse_subscript(std::uint32_t begin, Expr* value);
  Expr* parse_slices();
  Expr* parse_slice();
  Expr* parse_atom();
  Expr* parse_name();
  Expr* parse_number();
  Expr* parse_constant(ConstantKind kind);

  // --- parser_displays.cpp ---
  Expr* parse_parenthesized();
  Expr* parse_list();
  Expr* parse_braces();
  Expr* parse_dict(std::uint32_t begin, Expr* first_key);
  Expr* finish_dict_comprehension(std::uint32_t begin, Expr* key, Expr* value);
  Expr* parse_set(std::uint32_t begin, Expr* first);
  [[nodiscard]] bool at_comprehension() const { return at(TokenKind::kFor) || at(TokenKind::kAsync); }
  Seq<Comprehension> parse_comprehension_clauses();
  const Comprehension* parse_comprehension_clause();
  template <class T>
  Expr* finish_comprehension(std::uint32_t begin, Expr* element, TokenKind close);

  // --- parser_targets.cpp ---
  Expr* parse_target_list();
  Expr* parse_star_target();
  /// Turns an expression that was read as a value into what is assigned to or deleted; fails where it cannot be.
  Expr* to_target(Expr* expression, ExprContext context);
  Expr* to_single_target(Expr* expression, const char* message);

  // --- parser_strings.cpp ---
  /// Constants and fields of one literal (or of several that stand side by side) while they are read.
  struct StringParts;
  Expr* parse_strings();
  void read_plain_string(StringParts& parts);
  void read_fstring(StringParts& parts);
  void add_fstring_text(StringParts& parts, const FStringText& text, const Token& start);
  void fail_in_text(const FStringText& text);
  void read_field(StringParts& parts, const Token& start, std::uint32_t begin);
  void add_shown_source(StringParts& parts, Span shown);
  char read_conversion();
  const Expr* read_format_spec(const Token& start, std::uint32_t begin);
  void add_text(StringParts& parts, Span piece, Span body, const Token& start, bool is_encoded);
  std::string_view take_text(StringParts& parts);
  void flush_text(StringParts& parts);

  /// Counts one level of recursion for as long as it lives.
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.recursion_ > kMaxRecursion) parser_.fail("too deeply nested");
    }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    ~Level() { --parser_.recursion_; }

   private:
    Parser& parser_;
  };
  /// Recursion of the parser itself: levels of operators, brackets and conditional expressions in one statement.
  static constexpr int kMaxRecursion = 500;
  /// Levels of statements, which leaves room for expressions below the deepest.
  static constexpr int kMaxStatementDepth = kMaxTreeDepth - 300;
  /// Nodes that may stand between a statement and an expression of its own (parameters, handlers, cases, …).
  static constexpr int kHeaderLevels = 8;

  ParsedFile& file_;
  Arena& arena_;
  std::string_view source_;
  Lexer lexer_;
  Token tok_;
  std::uint32_t prev_end_ = 0;  ///< End of the last token that is not layout.
  bool failed_ = false;
  Token failed_token_;  ///< The token at which the statement failed.
  int recursion_ = 0;
  int statement_depth_ = 0;
  bool failed_in_fstring_ = false;
  unsigned height_limit_ = 0;        ///< Levels that an expression in the current statement may have.
  std::uint32_t line_begin_ = 0;     ///< Start of the logical line that is being read.
  std::uint64_t reread_budget_ = 0;  ///< Bytes that recovery may still read twice, so that parsing stays linear.
  std::vector<const Node*> stack_;   ///< Children of unfinished nodes, innermost last.
  std::string text_;                 ///< Values of unfinished string literals, innermost last.
  Expr* injected_ = nullptr;         ///< What kInjected stands for.
  Token after_injected_;
  Token outer_fstring_;  ///< The outermost f-string that is being read.
  int fstring_depth_ = 0;
  int outer_fstring_brackets_ = 0;
};

template <class T>
void Parser::raise_over(Node* node, Seq<T> children) {
  unsigned height = 0;
  for (const T* child : children) {
    if (child != nullptr && child->height + 1u > height) height = child->height + 1u;
  }
  raise_to(node, height);
}

template <class T>
Seq<T> Parser::pop_nodes(std::size_t mark) {
  const std::size_t count = stack_.size() - mark;
  if (count == 0) return {};
  auto* nodes = static_cast<const T**>(arena_.allocate(sizeof(const T*) * count, alignof(const T*)));
  for (std::size_t i = 0; i < count; ++i) nodes[i] = static_cast<const T*>(stack_[mark + i]);
  stack_.resize(mark);
  return {nodes, count};
}

template <class T>
Seq<T> Parser::single(const T* node) {
  auto* nodes = static_cast<const T**>(arena_.allocate(sizeof(const T*), alignof(const T*)));
  nodes[0] = node;
  return {nodes, 1};
}

}  // namespace lockstep::python
