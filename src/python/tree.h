// The syntax tree of one Python file: typed nodes in an arena, close to CPython's own `ast` module so that it can be
// checked against it. Nodes are immutable after parsing and refer to each other by pointer; all of them, and all text
// they refer to, live as long as the ParsedFile (parser.h) that owns their arena and source.
//
// Differences from `ast`: async variants are a flag; `elif` is an If in `orelse`, as in ast; parentheses leave no node;
// broken code leaves ErrorStmt / ErrorExpr, which ast does not have.
//
// Invariant: no node is more than kMaxTreeDepth levels below its Module (the parser turns deeper code into ErrorExpr /
// ErrorStmt and a problem), so recursion over a tree cannot overflow a normal 8 MiB stack.
#pragma once

#include <cstdint>
#include <string_view>

#include "python/node.h"

namespace lockstep::python {

inline constexpr int kMaxTreeDepth = 1000;

// ---------------------------------------------------------------------------------------------------------------------
// Parts

/// One parameter of a function or lambda.
struct Parameter : Node {
  static constexpr NodeKind kKind = NodeKind::kParameter;
  enum class Kind : std::uint8_t { kPositionalOnly, kPositionalOrKeyword, kVarArgs, kKeywordOnly, kVarKeywords };
  Kind parameter_kind;
  Identifier name;            ///< Without the stars.
  const Expr* annotation;     ///< May be null.
  const Expr* default_value;  ///< May be null.
  // span: name and annotation, as ast.arg (stars and default are outside).
};

/// All parameters, in the order of the source.
struct Parameters : Node {
  static constexpr NodeKind kKind = NodeKind::kParameters;
  Seq<Parameter> all;
};

/// `name=value` or `**value` in a call or class header.
struct Keyword : Node {
  static constexpr NodeKind kKind = NodeKind::kKeyword;
  Identifier name;  ///< Empty text for `**value`.
  const Expr* value;
};

/// `name as asname` in an import. For `import a.b.c`, name is the dotted text "a.b.c"; for `*`, "*".
struct Alias : Node {
  static constexpr NodeKind kKind = NodeKind::kAlias;
  Identifier name;
  Identifier as_name;  ///< Empty text where there is none.
};

/// `for target in iterable if a if b` inside a comprehension.
struct Comprehension : Node {
  static constexpr NodeKind kKind = NodeKind::kComprehension;
  bool is_async;
  const Expr* target;
  const Expr* iterable;
  Seq<Expr> conditions;
};

struct ExceptHandler : Node {
  static constexpr NodeKind kKind = NodeKind::kExceptHandler;
  const Expr* type;  ///< May be null (bare except).
  Identifier name;   ///< Empty text where there is none.
  Seq<Stmt> body;
};

struct WithItem : Node {
  static constexpr NodeKind kKind = NodeKind::kWithItem;
  const Expr* context;
  const Expr* target;  ///< May be null.
};

struct MatchCase : Node {
  static constexpr NodeKind kKind = NodeKind::kMatchCase;
  const Pattern* pattern;
  const Expr* guard;  ///< May be null.
  Seq<Stmt> body;
};

/// PEP 695 type parameter: `T: bound = default`, `*Ts`, `**P`.
struct TypeParam : Node {
  static constexpr NodeKind kKind = NodeKind::kTypeParam;
  enum class Kind : std::uint8_t { kTypeVar, kTypeVarTuple, kParamSpec };
  Kind type_param_kind;
  Identifier name;
  const Expr* bound;          ///< May be null.
  const Expr* default_value;  ///< May be null (PEP 696).
};

/// A whole file.
struct Module : Node {
  static constexpr NodeKind kKind = NodeKind::kModule;
  Seq<Stmt> body;
};

// ---------------------------------------------------------------------------------------------------------------------
// Statements

/// `def` and `async def`. span starts at `def` / `async` (as ast: decorators are outside).
struct FunctionDef : Stmt {
  static constexpr NodeKind kKind = NodeKind::kFunctionDef;
  bool is_async;
  Identifier name;
  Seq<TypeParam> type_params;
  const Parameters* parameters;
  const Expr* returns;  ///< May be null.
  Seq<Expr> decorators;
  Seq<Stmt> body;
};

struct ClassDef : Stmt {
  static constexpr NodeKind kKind = NodeKind::kClassDef;
  Identifier name;
  Seq<TypeParam> type_params;
  Seq<Expr> bases;
  Seq<Keyword> keywords;
  Seq<Expr> decorators;
  Seq<Stmt> body;
};

struct Return : Stmt {
  static constexpr NodeKind kKind = NodeKind::kReturn;
  const Expr* value;  ///< May be null.
};

struct Delete : Stmt {
  static constexpr NodeKind kKind = NodeKind::kDelete;
  Seq<Expr> targets;
};

/// `a = b = value`: targets from left to right.
struct Assign : Stmt {
  static constexpr NodeKind kKind = NodeKind::kAssign;
  Seq<Expr> targets;
  const Expr* value;
};

/// `type Name[T] = value`.
struct TypeAlias : Stmt {
  static constexpr NodeKind kKind = NodeKind::kTypeAlias;
  const Expr* name;
  Seq<TypeParam> type_params;
  const Expr* value;
};

enum class BinaryOperator : std::uint8_t {
  kAdd,
  kSub,
  kMult,
  kMatMult,
  kDiv,
  kMod,
  kPow,
  kLShift,
  kRShift,
  kBitOr,
  kBitXor,
  kBitAnd,
  kFloorDiv,
};

struct AugAssign : Stmt {
  static constexpr NodeKind kKind = NodeKind::kAugAssign;
  BinaryOperator op;
  const Expr* target;
  const Expr* value;
};

struct AnnAssign : Stmt {
  static constexpr NodeKind kKind = NodeKind::kAnnAssign;
  const Expr* target;
  const Expr* annotation;
  const Expr* value;  ///< May be null.
  bool is_simple;     ///< A bare name without parentheses.
};

struct For : Stmt {
  static constexpr NodeKind kKind = NodeKind::kFor;
  bool is_async;
  const Expr* target;
  const Expr* iterable;
  Seq<Stmt> body;
  Seq<Stmt> orelse;
};

struct While : Stmt {
  static constexpr NodeKind kKind = NodeKind::kWhile;
  const Expr* condition;
  Seq<Stmt> body;
  Seq<Stmt> orelse;
};

/// `elif` is one If alone in `orelse`.
struct If : Stmt {
  static constexpr NodeKind kKind = NodeKind::kIf;
  const Expr* condition;
  Seq<Stmt> body;
  Seq<Stmt> orelse;
};

struct With : Stmt {
  static constexpr NodeKind kKind = NodeKind::kWith;
  bool is_async;
  Seq<WithItem> items;
  Seq<Stmt> body;
};

struct Match : Stmt {
  static constexpr NodeKind kKind = NodeKind::kMatch;
  const Expr* subject;
  Seq<MatchCase> cases;
};

struct Raise : Stmt {
  static constexpr NodeKind kKind = NodeKind::kRaise;
  const Expr* exception;  ///< May be null.
  const Expr* cause;      ///< May be null.
};

/// `try`; `is_star` for `except*`.
struct Try : Stmt {
  static constexpr NodeKind kKind = NodeKind::kTry;
  bool is_star;
  Seq<Stmt> body;
  Seq<ExceptHandler> handlers;
  Seq<Stmt> orelse;
  Seq<Stmt> finally_body;
};

struct Assert : Stmt {
  static constexpr NodeKind kKind = NodeKind::kAssert;
  const Expr* test;
  const Expr* message;  ///< May be null.
};

struct Import : Stmt {
  static constexpr NodeKind kKind = NodeKind::kImport;
  Seq<Alias> names;
};

struct ImportFrom : Stmt {
  static constexpr NodeKind kKind = NodeKind::kImportFrom;
  std::uint32_t level;  ///< Number of leading dots.
  Identifier module;    ///< Dotted text; empty for `from . import x`.
  Seq<Alias> names;
};

struct Global : Stmt {
  static constexpr NodeKind kKind = NodeKind::kGlobal;
  Identifiers names;
};

struct Nonlocal : Stmt {
  static constexpr NodeKind kKind = NodeKind::kNonlocal;
  Identifiers names;
};

struct ExprStmt : Stmt {
  static constexpr NodeKind kKind = NodeKind::kExprStmt;
  const Expr* value;
};

struct Pass : Stmt {
  static constexpr NodeKind kKind = NodeKind::kPass;
};
struct Break : Stmt {
  static constexpr NodeKind kKind = NodeKind::kBreak;
};
struct Continue : Stmt {
  static constexpr NodeKind kKind = NodeKind::kContinue;
};
/// Source that could not be understood; its span covers what was skipped. A problem in the ParsedFile says why.
struct ErrorStmt : Stmt {
  static constexpr NodeKind kKind = NodeKind::kErrorStmt;
};

// ---------------------------------------------------------------------------------------------------------------------
// Expressions

enum class ExprContext : std::uint8_t { kLoad, kStore, kDel };
enum class BoolOperator : std::uint8_t { kAnd, kOr };
enum class UnaryOperator : std::uint8_t { kInvert, kNot, kPlus, kMinus };
enum class CompareOperator : std::uint8_t { kEq, kNotEq, kLt, kLtE, kGt, kGtE, kIs, kIsNot, kIn, kNotIn };

struct BoolOp : Expr {
  static constexpr NodeKind kKind = NodeKind::kBoolOp;
  BoolOperator op;
  Seq<Expr> values;
};

struct NamedExpr : Expr {
  static constexpr NodeKind kKind = NodeKind::kNamedExpr;
  const Expr* target;
  const Expr* value;
};

struct BinOp : Expr {
  static constexpr NodeKind kKind = NodeKind::kBinOp;
  BinaryOperator op;
  const Expr* left;
  const Expr* right;
};

struct UnaryOp : Expr {
  static constexpr NodeKind kKind = NodeKind::kUnaryOp;
  UnaryOperator op;
  const Expr* operand;
};

struct Lambda : Expr {
  static constexpr NodeKind kKind = NodeKind::kLambda;
  const Parameters* parameters;
  const Expr* body;
};

/// `body if condition else orelse`.
struct IfExp : Expr {
  static constexpr NodeKind kKind = NodeKind::kIfExp;
  const Expr* condition;
  const Expr* body;
  const Expr* orelse;
};

/// A key is null for `**value`. `keys` and `values` have the same length.
struct Dict : Expr {
  static constexpr NodeKind kKind = NodeKind::kDict;
  Seq<Expr> keys;
  Seq<Expr> values;
};

struct Set : Expr {
  static constexpr NodeKind kKind = NodeKind::kSet;
  Seq<Expr> elements;
};

struct ListComp : Expr {
  static constexpr NodeKind kKind = NodeKind::kListComp;
  const Expr* element;
  Seq<Comprehension> generators;
};

struct SetComp : Expr {
  static constexpr NodeKind kKind = NodeKind::kSetComp;
  const Expr* element;
  Seq<Comprehension> generators;
};

struct DictComp : Expr {
  static constexpr NodeKind kKind = NodeKind::kDictComp;
  const Expr* key;
  const Expr* value;
  Seq<Comprehension> generators;
};

struct GeneratorExp : Expr {
  static constexpr NodeKind kKind = NodeKind::kGeneratorExp;
  const Expr* element;
  Seq<Comprehension> generators;
};

struct Await : Expr {
  static constexpr NodeKind kKind = NodeKind::kAwait;
  const Expr* value;
};

struct Yield : Expr {
  static constexpr NodeKind kKind = NodeKind::kYield;
  const Expr* value;  ///< May be null.
};

struct YieldFrom : Expr {
  static constexpr NodeKind kKind = NodeKind::kYieldFrom;
  const Expr* value;
};

/// `left ops[0] comparators[0] ops[1] comparators[1] …`
struct Compare : Expr {
  static constexpr NodeKind kKind = NodeKind::kCompare;
  const Expr* left;
  std::span<const CompareOperator> ops;
  Seq<Expr> comparators;
};

struct Call : Expr {
  static constexpr NodeKind kKind = NodeKind::kCall;
  const Expr* callee;
  Seq<Expr> arguments;  ///< Positional, `Starred` among them.
  Seq<Keyword> keywords;
};

/// `{value!conversion:format_spec}` inside an f-string.
struct FormattedValue : Expr {
  static constexpr NodeKind kKind = NodeKind::kFormattedValue;
  const Expr* value;
  char conversion;          ///< 's', 'r', 'a' or 0.
  const Expr* format_spec;  ///< A JoinedStr, or null.
};

/// An f-string (t-strings are not Python 3.13): Constants and FormattedValues.
struct JoinedStr : Expr {
  static constexpr NodeKind kKind = NodeKind::kJoinedStr;
  Seq<Expr> values;
};

enum class ConstantKind : std::uint8_t { kNone, kTrue, kFalse, kEllipsis, kInt, kFloat, kComplex, kStr, kBytes };

struct Constant : Expr {
  static constexpr NodeKind kKind = NodeKind::kConstant;
  ConstantKind constant_kind;
  bool has_u_prefix;      ///< `u"…"`, which ast records as kind='u'.
  std::string_view text;  ///< kStr, kBytes: the value (UTF-8; lone surrogates as WTF-8); numbers: as written.
};

struct Attribute : Expr {
  static constexpr NodeKind kKind = NodeKind::kAttribute;
  ExprContext context;
  const Expr* value;
  Identifier name;
};

struct Subscript : Expr {
  static constexpr NodeKind kKind = NodeKind::kSubscript;
  ExprContext context;
  const Expr* value;
  const Expr* index;
};

struct Starred : Expr {
  static constexpr NodeKind kKind = NodeKind::kStarred;
  ExprContext context;
  const Expr* value;
};

struct Name : Expr {
  static constexpr NodeKind kKind = NodeKind::kName;
  ExprContext context;
  std::string_view id;
};

struct List : Expr {
  static constexpr NodeKind kKind = NodeKind::kList;
  ExprContext context;
  Seq<Expr> elements;
};

struct Tuple : Expr {
  static constexpr NodeKind kKind = NodeKind::kTuple;
  ExprContext context;
  Seq<Expr> elements;
};

struct Slice : Expr {
  static constexpr NodeKind kKind = NodeKind::kSlice;
  const Expr* lower;  ///< May be null.
  const Expr* upper;  ///< May be null.
  const Expr* step;   ///< May be null.
};

struct ErrorExpr : Expr {
  static constexpr NodeKind kKind = NodeKind::kErrorExpr;
};

// ---------------------------------------------------------------------------------------------------------------------
// Patterns

struct MatchValue : Pattern {
  static constexpr NodeKind kKind = NodeKind::kMatchValue;
  const Expr* value;
};
/// None, True or False.
struct MatchSingleton : Pattern {
  static constexpr NodeKind kKind = NodeKind::kMatchSingleton;
  ConstantKind value;
};
struct MatchSequence : Pattern {
  static constexpr NodeKind kKind = NodeKind::kMatchSequence;
  Seq<Pattern> patterns;
};
struct MatchMapping : Pattern {
  static constexpr NodeKind kKind = NodeKind::kMatchMapping;
  Seq<Expr> keys;
  Seq<Pattern> patterns;
  Identifier rest;  ///< Empty text where there is no `**rest`.
};
struct MatchClass : Pattern {
  static constexpr NodeKind kKind = NodeKind::kMatchClass;
  const Expr* cls;
  Seq<Pattern> patterns;
  Identifiers keyword_names;
  Seq<Pattern> keyword_patterns;
};
struct MatchStar : Pattern {
  static constexpr NodeKind kKind = NodeKind::kMatchStar;
  Identifier name;  ///< Empty text for `*_`.
};
/// `pattern as name`, a capture `name`, or the wildcard `_` (no pattern, no name).
struct MatchAs : Pattern {
  static constexpr NodeKind kKind = NodeKind::kMatchAs;
  const Pattern* pattern;  ///< May be null.
  Identifier name;         ///< May be empty.
};
struct MatchOr : Pattern {
  static constexpr NodeKind kKind = NodeKind::kMatchOr;
  Seq<Pattern> patterns;
};

static_assert(sizeof(Node) == 12);

// ---------------------------------------------------------------------------------------------------------------------
// Walking

/// Calls `visit(const Node*)` for each direct child of `node`, in the order of the source (decorators first for
/// definitions; null children are skipped). Defined for every kind; see tree_walk.h.
template <class Visitor>
void for_each_child(const Node& node, Visitor&& visit);

}  // namespace lockstep::python
