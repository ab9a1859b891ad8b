// Walks over syntax trees: the children of one node, the blocks of one statement, and pre-order visits of everything
// below a node. Recursion is safe: tree.h bounds the depth of every tree.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "python/tree.h"

namespace lockstep::python {

namespace walk_internal {

template <class Visitor>
void one(const Node* child, Visitor& visit) {
  if (child != nullptr) visit(child);
}

template <class T, class Visitor>
void each(Seq<T> children, Visitor& visit) {
  for (const T* child : children) one(child, visit);
}

/// keys[0], values[0], keys[1], values[1], …
template <class A, class B, class Visitor>
void pairs(Seq<A> keys, Seq<B> values, Visitor& visit) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i < keys.size()) one(keys[i], visit);
    one(values[i], visit);
  }
}

/// Positional and keyword arguments as they stand in the source: `f(a, k=1, *rest)`.
template <class Visitor>
void arguments(Seq<Expr> positional, Seq<Keyword> keywords, Visitor& visit) {
  std::size_t next_keyword = 0;
  for (const Expr* argument : positional) {
    while (next_keyword < keywords.size() && keywords[next_keyword]->span.begin < argument->span.begin) {
      visit(static_cast<const Node*>(keywords[next_keyword++]));
    }
    visit(static_cast<const Node*>(argument));
  }
  while (next_keyword < keywords.size()) visit(static_cast<const Node*>(keywords[next_keyword++]));
}

template <class T>
const T& to(const Node& node) {
  return static_cast<const T&>(node);
}

template <class Visitor>
void statement_children(const Node& node, Visitor& visit) {
  switch (node.kind) {
    case NodeKind::kFunctionDef: {
      const auto& n = to<FunctionDef>(node);
      each(n.decorators, visit);
      each(n.type_params, visit);
      one(n.parameters, visit);
      one(n.returns, visit);
      each(n.body, visit);
      break;
    }
    case NodeKind::kClassDef: {
      const auto& n = to<ClassDef>(node);
      each(n.decorators, visit);
      each(n.type_params, visit);
      arguments(n.bases, n.keywords, visit);
      each(n.body, visit);
      break;
    }
    case NodeKind::kReturn: one(to<Return>(node).value, visit); break;
    case NodeKind::kDelete: each(to<Delete>(node).targets, visit); break;
    case NodeKind::kAssign:
      each(to<Assign>(node).targets, visit);
      one(to<Assign>(node).value, visit);
      break;
    case NodeKind::kTypeAlias:
      one(to<TypeAlias>(node).name, visit);
      each(to<TypeAlias>(node).type_params, visit);
      one(to<TypeAlias>(node).value, visit);
      break;
    case NodeKind::kAugAssign:
      one(to<AugAssign>(node).target, visit);
      one(to<AugAssign>(node).value, visit);
      break;
    case NodeKind::kAnnAssign:
      one(to<AnnAssign>(node).target, visit);
      one(to<AnnAssign>(node).annotation, visit);
      one(to<AnnAssign>(node).value, visit);
      break;
    case NodeKind::kFor:
      one(to<For>(node).target, visit);
      one(to<For>(node).iterable, visit);
      each(to<For>(node).body, visit);
      each(to<For>(node).orelse, visit);
      break;
    case NodeKind::kWhile:
      one(to<While>(node).condition, visit);
      each(to<While>(node).body, visit);
      each(to<While>(node).orelse, visit);
      break;
    case NodeKind::kIf:
      one(to<If>(node).condition, visit);
      each(to<If>(node).body, visit);
      each(to<If>(node).orelse, visit);
      break;
    case NodeKind::kWith:
      each(to<With>(node).items, visit);
      each(to<With>(node).body, visit);
      break;
    case NodeKind::kMatch:
      one(to<Match>(node).subject, visit);
      each(to<Match>(node).cases, visit);
      break;
    case NodeKind::kRaise:
      one(to<Raise>(node).exception, visit);
      one(to<Raise>(node).cause, visit);
      break;
    case NodeKind::kTry:
      each(to<Try>(node).body, visit);
      each(to<Try>(node).handlers, visit);
      each(to<Try>(node).orelse, visit);
      each(to<Try>(node).finally_body, visit);
      break;
    case NodeKind::kAssert:
      one(to<Assert>(node).test, visit);
      one(to<Assert>(node).message, visit);
      break;
    case NodeKind::kImport: each(to<Import>(node).names, visit); break;
    case NodeKind::kImportFrom: each(to<ImportFrom>(node).names, visit); break;
    case NodeKind::kExprStmt: one(to<ExprStmt>(node).value, visit); break;
    default: break;  // kGlobal, kNonlocal, kPass, kBreak, kContinue, kErrorStmt
  }
}

template <class T, class Visitor>
void comprehension_children(const Node& node, Visitor& visit) {
  one(to<T>(node).element, visit);
  each(to<T>(node).generators, visit);
}

template <class Visitor>
void expression_children(const Node& node, Visitor& visit) {
  switch (node.kind) {
    case NodeKind::kBoolOp: each(to<BoolOp>(node).values, visit); break;
    case NodeKind::kNamedExpr:
      one(to<NamedExpr>(node).target, visit);
      one(to<NamedExpr>(node).value, visit);
      break;
    case NodeKind::kBinOp:
      one(to<BinOp>(node).left, visit);
      one(to<BinOp>(node).right, visit);
      break;
    case NodeKind::kUnaryOp: one(to<UnaryOp>(node).operand, visit); break;
    case NodeKind::kLambda:
      one(to<Lambda>(node).parameters, visit);
      one(to<Lambda>(node).body, visit);
      break;
    case NodeKind::kIfExp:
      one(to<IfExp>(node).body, visit);
      one(to<IfExp>(node).condition, visit);
      one(to<IfExp>(node).orelse, visit);
      break;
    case NodeKind::kDict: pairs(to<Dict>(node).keys, to<Dict>(node).values, visit); break;
    case NodeKind::kSet: each(to<Set>(node).elements, visit); break;
    case NodeKind::kListComp: comprehension_children<ListComp>(node, visit); break;
    case NodeKind::kSetComp: comprehension_children<SetComp>(node, visit); break;
    case NodeKind::kGeneratorExp: comprehension_children<GeneratorExp>(node, visit); break;
    case NodeKind::kDictComp:
      one(to<DictComp>(node).key, visit);
      one(to<DictComp>(node).value, visit);
      each(to<DictComp>(node).generators, visit);
      break;
    case NodeKind::kAwait: one(to<Await>(node).value, visit); break;
    case NodeKind::kYield: one(to<Yield>(node).value, visit); break;
    case NodeKind::kYieldFrom: one(to<YieldFrom>(node).value, visit); break;
    case NodeKind::kCompare:
      one(to<Compare>(node).left, visit);
      each(to<Compare>(node).comparators, visit);
      break;
    case NodeKind::kCall:
      one(to<Call>(node).callee, visit);
      arguments(to<Call>(node).arguments, to<Call>(node).keywords, visit);
      break;
    case NodeKind::kFormattedValue:
      one(to<FormattedValue>(node).value, visit);
      one(to<FormattedValue>(node).format_spec, visit);
      break;
    case NodeKind::kJoinedStr: each(to<JoinedStr>(node).values, visit); break;
    case NodeKind::kAttribute: one(to<Attribute>(node).value, visit); break;
    case NodeKind::kSubscript:
      one(to<Subscript>(node).value, visit);
      one(to<Subscript>(node).index, visit);
      break;
    case NodeKind::kStarred: one(to<Starred>(node).value, visit); break;
    case NodeKind::kList: each(to<List>(node).elements, visit); break;
    case NodeKind::kTuple: each(to<Tuple>(node).elements, visit); break;
    case NodeKind::kSlice:
      one(to<Slice>(node).lower, visit);
      one(to<Slice>(node).upper, visit);
      one(to<Slice>(node).step, visit);
      break;
    default: break;  // kConstant, kName, kErrorExpr
  }
}

template <class Visitor>
void pattern_and_part_children(const Node& node, Visitor& visit) {
  switch (node.kind) {
    case NodeKind::kMatchValue: one(to<MatchValue>(node).value, visit); break;
    case NodeKind::kMatchSequence: each(to<MatchSequence>(node).patterns, visit); break;
    case NodeKind::kMatchMapping: pairs(to<MatchMapping>(node).keys, to<MatchMapping>(node).patterns, visit); break;
    case NodeKind::kMatchClass:
      one(to<MatchClass>(node).cls, visit);
      each(to<MatchClass>(node).patterns, visit);
      each(to<MatchClass>(node).keyword_patterns, visit);
      break;
    case NodeKind::kMatchAs: one(to<MatchAs>(node).pattern, visit); break;
    case NodeKind::kMatchOr: each(to<MatchOr>(node).patterns, visit); break;
    case NodeKind::kModule: each(to<Module>(node).body, visit); break;
    case NodeKind::kParameter:
      one(to<Parameter>(node).annotation, visit);
      one(to<Parameter>(node).default_value, visit);
      break;
    case NodeKind::kParameters: each(to<Parameters>(node).all, visit); break;
    case NodeKind::kKeyword: one(to<Keyword>(node).value, visit); break;
    case NodeKind::kComprehension:
      one(to<Comprehension>(node).target, visit);
      one(to<Comprehension>(node).iterable, visit);
      each(to<Comprehension>(node).conditions, visit);
      break;
    case NodeKind::kExceptHandler:
      one(to<ExceptHandler>(node).type, visit);
      each(to<ExceptHandler>(node).body, visit);
      break;
    case NodeKind::kWithItem:
      one(to<WithItem>(node).context, visit);
      one(to<WithItem>(node).target, visit);
      break;
    case NodeKind::kMatchCase:
      one(to<MatchCase>(node).pattern, visit);
      one(to<MatchCase>(node).guard, visit);
      each(to<MatchCase>(node).body, visit);
      break;
    case NodeKind::kTypeParam:
      one(to<TypeParam>(node).bound, visit);
      one(to<TypeParam>(node).default_value, visit);
      break;
    default: break;  // kMatchSingleton, kMatchStar, kAlias
  }
}

}  // namespace walk_internal

/// Calls `visit(const Node*)` for each direct child of `node`, in the order of the source (decorators first for
/// definitions; null children are skipped). Comprehensions give the element first, as it stands.
template <class Visitor>
void for_each_child(const Node& node, Visitor&& visit) {
  if (is_statement(&node)) {
    walk_internal::statement_children(node, visit);
  } else if (is_expression(&node)) {
    walk_internal::expression_children(node, visit);
  } else {
    walk_internal::pattern_and_part_children(node, visit);
  }
}

/// Calls `visit(Seq<Stmt>)` for each block of statements directly inside `node` (a statement, handler, case or module),
/// in the order of the source: bodies, `else`, `finally`, the bodies of handlers and cases. Empty blocks are skipped.
template <class Visitor>
void for_each_block(const Node& node, Visitor&& visit) {
  using walk_internal::to;
  const auto block = [&](Seq<Stmt> statements) {
    if (!statements.empty()) visit(statements);
  };
  switch (node.kind) {
    case NodeKind::kModule: block(to<Module>(node).body); break;
    case NodeKind::kFunctionDef: block(to<FunctionDef>(node).body); break;
    case NodeKind::kClassDef: block(to<ClassDef>(node).body); break;
    case NodeKind::kFor: block(to<For>(node).body), block(to<For>(node).orelse); break;
    case NodeKind::kWhile: block(to<While>(node).body), block(to<While>(node).orelse); break;
    case NodeKind::kIf: block(to<If>(node).body), block(to<If>(node).orelse); break;
    case NodeKind::kWith: block(to<With>(node).body); break;
    case NodeKind::kExceptHandler: block(to<ExceptHandler>(node).body); break;
    case NodeKind::kMatchCase: block(to<MatchCase>(node).body); break;
    case NodeKind::kMatch:
      for (const MatchCase* match_case : to<Match>(node).cases) block(match_case->body);
      break;
    case NodeKind::kTry:
      block(to<Try>(node).body);
      for (const ExceptHandler* handler : to<Try>(node).handlers) block(handler->body);
      block(to<Try>(node).orelse);
      block(to<Try>(node).finally_body);
      break;
    default: break;
  }
}

/// Whether a walk enters the bodies of functions, classes and lambdas below its root. What the enclosing scope
/// evaluates (decorators, defaults, annotations, base classes) is visited either way. Comprehensions are always entered.
enum class Nested : bool { kSkip, kEnter };

namespace walk_internal {

/// True where the visitor asks to leave out what is below a node (it returned false).
template <class Visitor, class T>
bool declined(Visitor& visit, const T* node) {
  if constexpr (std::same_as<std::invoke_result_t<Visitor&, const T*>, bool>) {
    return !visit(node);
  } else {
    visit(node);
    return false;
  }
}

template <class Visitor>
void walk_below(const Node* node, Nested nested, Visitor& visit) {
  const auto enter = [&](const Node* child) {
    if (!declined(visit, child)) walk_below(child, nested, visit);
  };
  const bool is_scope = is<FunctionDef>(node) || is<ClassDef>(node) || is<Lambda>(node);
  if (nested == Nested::kEnter || !is_scope) return for_each_child(*node, enter);
  if (const auto* function = as<FunctionDef>(node)) {
    each(function->decorators, enter);
    one(function->parameters, enter);
    one(function->returns, enter);
  } else if (const auto* cls = as<ClassDef>(node)) {
    each(cls->decorators, enter);
    arguments(cls->bases, cls->keywords, enter);
  } else {
    one(to<Lambda>(*node).parameters, enter);
  }
}

template <class Visitor>
void walk_blocks(const Node& node, Nested nested, Visitor& visit) {
  for_each_block(node, [&](Seq<Stmt> block) {
    for (const Stmt* statement : block) {
      const bool leave_out = declined(visit, statement);
      if (leave_out || (nested == Nested::kSkip && (is<FunctionDef>(statement) || is<ClassDef>(statement)))) continue;
      walk_blocks(*statement, nested, visit);
    }
  });
}

}  // namespace walk_internal

/// Calls `visit(const Node*)` for everything below `root` (not `root` itself), each node before its children, in the
/// order of the source. A visitor that returns bool leaves out what is below a node by returning false. `root` itself
/// is always entered, also where it is a function and `nested` is kSkip.
template <class Visitor>
void walk(const Node& root, Nested nested, Visitor&& visit) {
  for_each_child(root, [&](const Node* child) {
    if (!walk_internal::declined(visit, child)) walk_internal::walk_below(child, nested, visit);
  });
}

/// As `walk`, for the statements below `root` alone: `visit(const Stmt*)`. Expressions are not looked at, so this is
/// much cheaper than `walk`.
template <class Visitor>
void walk_statements(const Node& root, Nested nested, Visitor&& visit) {
  walk_internal::walk_blocks(root, nested, visit);
}

/// As `walk`, calling `visit(const Expr*)` for expressions only. A visitor that returns bool leaves out what is below
/// an expression by returning false.
template <class Visitor>
void walk_expressions(const Node& root, Nested nested, Visitor&& visit) {
  walk(root, nested, [&](const Node* node) {
    return !is_expression(node) || !walk_internal::declined(visit, static_cast<const Expr*>(node));
  });
}

/// As `walk`, calling `visit(const T*)` for nodes of one kind only: `walk_of<Call>(function, Nested::kEnter, …)`.
template <class T, class Visitor>
void walk_of(const Node& root, Nested nested, Visitor&& visit) {
  walk(root, nested, [&](const Node* node) {
    return !is<T>(node) || !walk_internal::declined(visit, static_cast<const T*>(node));
  });
}

}  // namespace lockstep::python
