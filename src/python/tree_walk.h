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
void field(Visitor& visit, const Node* child) {
  if (child != nullptr) visit(child);
}

template <class Visitor, class T>
void field(Visitor& visit, Seq<T> children) {
  for (const T* child : children) field(visit, child);
}

/// Visits what several fields hold, one field after the other.
template <class Visitor, class... Fields>
void fields(Visitor& visit, const Fields&... all) {
  (field(visit, all), ...);
}

/// keys[0], values[0], keys[1], values[1], …
template <class A, class B, class Visitor>
void pairs(Seq<A> keys, Seq<B> values, Visitor& visit) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i < keys.size()) field(visit, keys[i]);
    field(visit, values[i]);
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
void class_children(const ClassDef& cls, Visitor& visit) {
  fields(visit, cls.decorators, cls.type_params);
  arguments(cls.bases, cls.keywords, visit);
  field(visit, cls.body);
}

template <class Visitor>
void call_children(const Call& call, Visitor& visit) {
  field(visit, call.callee);
  arguments(call.arguments, call.keywords, visit);
}

template <class Visitor>
void compound_children(const Node& node, Visitor& visit) {
  switch (node.kind) {
    case NodeKind::kClassDef:
      return class_children(to<ClassDef>(node), visit);
    case NodeKind::kFunctionDef:
      return fields(visit, to<FunctionDef>(node).decorators, to<FunctionDef>(node).type_params,
                    to<FunctionDef>(node).parameters, to<FunctionDef>(node).returns, to<FunctionDef>(node).body);
    case NodeKind::kFor:
      return fields(visit, to<For>(node).target, to<For>(node).iterable, to<For>(node).body, to<For>(node).orelse);
    case NodeKind::kWhile:
      return fields(visit, to<While>(node).condition, to<While>(node).body, to<While>(node).orelse);
    case NodeKind::kIf:
      return fields(visit, to<If>(node).condition, to<If>(node).body, to<If>(node).orelse);
    case NodeKind::kWith:
      return fields(visit, to<With>(node).items, to<With>(node).body);
    case NodeKind::kMatch:
      return fields(visit, to<Match>(node).subject, to<Match>(node).cases);
    case NodeKind::kTry:
      return fields(visit, to<Try>(node).body, to<Try>(node).handlers, to<Try>(node).orelse,
                    to<Try>(node).finally_body);
    default:
      return;  // kGlobal, kNonlocal, kPass, kBreak, kContinue, kErrorStmt
  }
}

template <class Visitor>
void statement_children(const Node& node, Visitor& visit) {
  switch (node.kind) {
    case NodeKind::kReturn:
      return fields(visit, to<Return>(node).value);
    case NodeKind::kDelete:
      return fields(visit, to<Delete>(node).targets);
    case NodeKind::kAssign:
      return fields(visit, to<Assign>(node).targets, to<Assign>(node).value);
    case NodeKind::kTypeAlias:
      return fields(visit, to<TypeAlias>(node).name, to<TypeAlias>(node).type_params, to<TypeAlias>(node).value);
    case NodeKind::kAugAssign:
      return fields(visit, to<AugAssign>(node).target, to<AugAssign>(node).value);
    case NodeKind::kAnnAssign:
      return fields(visit, to<AnnAssign>(node).target, to<AnnAssign>(node).annotation, to<AnnAssign>(node).value);
    case NodeKind::kRaise:
      return fields(visit, to<Raise>(node).exception, to<Raise>(node).cause);
    case NodeKind::kAssert:
      return fields(visit, to<Assert>(node).test, to<Assert>(node).message);
    case NodeKind::kImport:
      return fields(visit, to<Import>(node).names);
    case NodeKind::kImportFrom:
      return fields(visit, to<ImportFrom>(node).names);
    case NodeKind::kExprStmt:
      return fields(visit, to<ExprStmt>(node).value);
    default:
      return compound_children(node, visit);
  }
}

template <class Visitor>
void operation_children(const Node& node, Visitor& visit) {
  switch (node.kind) {
    case NodeKind::kBoolOp:
      return fields(visit, to<BoolOp>(node).values);
    case NodeKind::kNamedExpr:
      return fields(visit, to<NamedExpr>(node).target, to<NamedExpr>(node).value);
    case NodeKind::kBinOp:
      return fields(visit, to<BinOp>(node).left, to<BinOp>(node).right);
    case NodeKind::kUnaryOp:
      return fields(visit, to<UnaryOp>(node).operand);
    case NodeKind::kLambda:
      return fields(visit, to<Lambda>(node).parameters, to<Lambda>(node).body);
    case NodeKind::kIfExp:
      return fields(visit, to<IfExp>(node).body, to<IfExp>(node).condition, to<IfExp>(node).orelse);
    case NodeKind::kListComp:
      return fields(visit, to<ListComp>(node).element, to<ListComp>(node).generators);
    case NodeKind::kSetComp:
      return fields(visit, to<SetComp>(node).element, to<SetComp>(node).generators);
    case NodeKind::kDictComp:
      return fields(visit, to<DictComp>(node).key, to<DictComp>(node).value, to<DictComp>(node).generators);
    case NodeKind::kGeneratorExp:
      return fields(visit, to<GeneratorExp>(node).element, to<GeneratorExp>(node).generators);
    case NodeKind::kAwait:
      return fields(visit, to<Await>(node).value);
    case NodeKind::kYield:
      return fields(visit, to<Yield>(node).value);
    case NodeKind::kYieldFrom:
      return fields(visit, to<YieldFrom>(node).value);
    case NodeKind::kCompare:
      return fields(visit, to<Compare>(node).left, to<Compare>(node).comparators);
    default:
      return;  // kConstant, kName, kErrorExpr
  }
}

template <class Visitor>
void expression_children(const Node& node, Visitor& visit) {
  switch (node.kind) {
    case NodeKind::kCall:
      return call_children(to<Call>(node), visit);
    case NodeKind::kDict:
      return pairs(to<Dict>(node).keys, to<Dict>(node).values, visit);
    case NodeKind::kSet:
      return fields(visit, to<Set>(node).elements);
    case NodeKind::kFormattedValue:
      return fields(visit, to<FormattedValue>(node).value, to<FormattedValue>(node).format_spec);
    case NodeKind::kJoinedStr:
      return fields(visit, to<JoinedStr>(node).values);
    case NodeKind::kAttribute:
      return fields(visit, to<Attribute>(node).value);
    case NodeKind::kSubscript:
      return fields(visit, to<Subscript>(node).value, to<Subscript>(node).index);
    case NodeKind::kStarred:
      return fields(visit, to<Starred>(node).value);
    case NodeKind::kList:
      return fields(visit, to<List>(node).elements);
    case NodeKind::kTuple:
      return fields(visit, to<Tuple>(node).elements);
    case NodeKind::kSlice:
      return fields(visit, to<Slice>(node).lower, to<Slice>(node).upper, to<Slice>(node).step);
    default:
      return operation_children(node, visit);
  }
}

template <class Visitor>
void part_children(const Node& node, Visitor& visit) {
  switch (node.kind) {
    case NodeKind::kModule:
      return fields(visit, to<Module>(node).body);
    case NodeKind::kParameter:
      return fields(visit, to<Parameter>(node).annotation, to<Parameter>(node).default_value);
    case NodeKind::kParameters:
      return fields(visit, to<Parameters>(node).all);
    case NodeKind::kKeyword:
      return fields(visit, to<Keyword>(node).value);
    case NodeKind::kComprehension:
      return fields(visit, to<Comprehension>(node).target, to<Comprehension>(node).iterable,
                    to<Comprehension>(node).conditions);
    case NodeKind::kExceptHandler:
      return fields(visit, to<ExceptHandler>(node).type, to<ExceptHandler>(node).body);
    case NodeKind::kWithItem:
      return fields(visit, to<WithItem>(node).context, to<WithItem>(node).target);
    case NodeKind::kMatchCase:
      return fields(visit, to<MatchCase>(node).pattern, to<MatchCase>(node).guard, to<MatchCase>(node).body);
    case NodeKind::kTypeParam:
      return fields(visit, to<TypeParam>(node).bound, to<TypeParam>(node).default_value);
    default:
      return;  // kMatchSingleton, kMatchStar, kAlias
  }
}

template <class Visitor>
void pattern_children(const Node& node, Visitor& visit) {
  switch (node.kind) {
    case NodeKind::kMatchMapping:
      return pairs(to<MatchMapping>(node).keys, to<MatchMapping>(node).patterns, visit);
    case NodeKind::kMatchValue:
      return fields(visit, to<MatchValue>(node).value);
    case NodeKind::kMatchSequence:
      return fields(visit, to<MatchSequence>(node).patterns);
    case NodeKind::kMatchClass:
      return fields(visit, to<MatchClass>(node).cls, to<MatchClass>(node).patterns,
                    to<MatchClass>(node).keyword_patterns);
    case NodeKind::kMatchAs:
      return fields(visit, to<MatchAs>(node).pattern);
    case NodeKind::kMatchOr:
      return fields(visit, to<MatchOr>(node).patterns);
    default:
      return part_children(node, visit);
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
    walk_internal::pattern_children(node, visit);
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
  const auto blocks = [&](const auto&... all) { (block(all), ...); };
  switch (node.kind) {
    case NodeKind::kModule:
      return block(to<Module>(node).body);
    case NodeKind::kFunctionDef:
      return block(to<FunctionDef>(node).body);
    case NodeKind::kClassDef:
      return block(to<ClassDef>(node).body);
    case NodeKind::kFor:
      return blocks(to<For>(node).body, to<For>(node).orelse);
    case NodeKind::kWhile:
      return blocks(to<While>(node).body, to<While>(node).orelse);
    case NodeKind::kIf:
      return blocks(to<If>(node).body, to<If>(node).orelse);
    case NodeKind::kWith:
      return block(to<With>(node).body);
    case NodeKind::kExceptHandler:
      return block(to<ExceptHandler>(node).body);
    case NodeKind::kMatchCase:
      return block(to<MatchCase>(node).body);
    case NodeKind::kMatch:
      for (const MatchCase* match_case : to<Match>(node).cases) block(match_case->body);
      return;
    case NodeKind::kTry:
      block(to<Try>(node).body);
      for (const ExceptHandler* handler : to<Try>(node).handlers) block(handler->body);
      return blocks(to<Try>(node).orelse, to<Try>(node).finally_body);
    default:
      return;
  }
}

/// Whether a walk enters the bodies of functions, classes and lambdas below its root. What the enclosing scope
/// evaluates (decorators, defaults, annotations, base classes) is visited either way. Comprehensions are always
/// entered.
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
    fields(enter, function->decorators, function->parameters, function->returns);
  } else if (const auto* cls = as<ClassDef>(node)) {
    field(enter, cls->decorators);
    arguments(cls->bases, cls->keywords, enter);
  } else {
    field(enter, to<Lambda>(*node).parameters);
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
  walk(root, nested,
       [&](const Node* node) { return !is<T>(node) || !walk_internal::declined(visit, static_cast<const T*>(node)); });
}

}  // namespace lockstep::python
