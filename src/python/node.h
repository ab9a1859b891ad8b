// What every node of a syntax tree (tree.h) is: its kind, the bytes it covers, sequences of nodes, and asking a node
// what it is.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "text/source.h"

namespace lockstep::python {

enum class NodeKind : std::uint8_t {
  // Statements
  kFunctionDef,
  kClassDef,
  kReturn,
  kDelete,
  kAssign,
  kTypeAlias,
  kAugAssign,
  kAnnAssign,
  kFor,
  kWhile,
  kIf,
  kWith,
  kMatch,
  kRaise,
  kTry,
  kAssert,
  kImport,
  kImportFrom,
  kGlobal,
  kNonlocal,
  kExprStmt,
  kPass,
  kBreak,
  kContinue,
  kErrorStmt,
  // Expressions
  kBoolOp,
  kNamedExpr,
  kBinOp,
  kUnaryOp,
  kLambda,
  kIfExp,
  kDict,
  kSet,
  kListComp,
  kSetComp,
  kDictComp,
  kGeneratorExp,
  kAwait,
  kYield,
  kYieldFrom,
  kCompare,
  kCall,
  kFormattedValue,
  kJoinedStr,
  kConstant,
  kAttribute,
  kSubscript,
  kStarred,
  kName,
  kList,
  kTuple,
  kSlice,
  kErrorExpr,
  // Patterns of `case`
  kMatchValue,
  kMatchSingleton,
  kMatchSequence,
  kMatchMapping,
  kMatchClass,
  kMatchStar,
  kMatchAs,
  kMatchOr,
  // Parts
  kModule,
  kParameter,
  kParameters,
  kKeyword,
  kAlias,
  kComprehension,
  kExceptHandler,
  kWithItem,
  kMatchCase,
  kTypeParam,
};

/// What every node is: a kind and the bytes it covers. `height` is for expressions, patterns and parts: how many levels
/// of nodes lie below (the parser keeps trees within kMaxTreeDepth by it); 0 for statements and what holds statements.
struct Node {
  NodeKind kind;
  std::uint16_t height = 0;
  Span span;
};
struct Stmt : Node {};
struct Expr : Node {};
struct Pattern : Node {};

/// Arena-owned sequences. (`std::span` of pointers; elements are never null unless said.)
template <class T>
using Seq = std::span<const T* const>;
/// Arena-owned names, each with its own span.
struct Identifier {
  std::string_view text;  ///< NFKC-normalised, as Python compares names.
  Span span;
};
using Identifiers = std::span<const Identifier>;

/// `node` as a `T`, or null where it is of another kind (or null).
template <class T>
const T* as(const Node* node) {
  return node != nullptr && node->kind == T::kKind ? static_cast<const T*>(node) : nullptr;
}
template <class T>
bool is(const Node* node) {
  return node != nullptr && node->kind == T::kKind;
}

inline bool is_statement(const Node* node) { return node != nullptr && node->kind <= NodeKind::kErrorStmt; }
inline bool is_expression(const Node* node) {
  return node != nullptr && node->kind >= NodeKind::kBoolOp && node->kind <= NodeKind::kErrorExpr;
}

}  // namespace lockstep::python
