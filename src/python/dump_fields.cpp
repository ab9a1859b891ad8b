#include "python/dump_fields.h"

namespace lockstep::python::dump_internal {

namespace {

template <class T>
const T& to(const Node* node) {
  return static_cast<const T&>(*node);
}

// As ast has it: the character's number, -1 where there is none.
int conversion_of(const FormattedValue& value) { return value.conversion == 0 ? -1 : value.conversion; }

}  // namespace

void Dumper::definition(const Node* node) {
  switch (node->kind) {
    case NodeKind::kFunctionDef:
      return put(to<FunctionDef>(node).is_async ? "AsyncFunctionDef" : "FunctionDef", node, to<FunctionDef>(node).name,
                 to<FunctionDef>(node).parameters, to<FunctionDef>(node).body, to<FunctionDef>(node).decorators,
                 to<FunctionDef>(node).returns, to<FunctionDef>(node).type_params);
    case NodeKind::kClassDef:
      return put("ClassDef", node, to<ClassDef>(node).name, to<ClassDef>(node).bases, to<ClassDef>(node).keywords,
                 to<ClassDef>(node).body, to<ClassDef>(node).decorators, to<ClassDef>(node).type_params);
    case NodeKind::kTypeAlias:
      return put("TypeAlias", node, to<TypeAlias>(node).name, to<TypeAlias>(node).type_params,
                 to<TypeAlias>(node).value);
    default:
      return put("ErrorStmt", node);
  }
}

void Dumper::block_statement(const Node* node) {
  switch (node->kind) {
    case NodeKind::kFor:
      return put(to<For>(node).is_async ? "AsyncFor" : "For", node, to<For>(node).target, to<For>(node).iterable,
                 to<For>(node).body, to<For>(node).orelse);
    case NodeKind::kWhile:
      return put("While", node, to<While>(node).condition, to<While>(node).body, to<While>(node).orelse);
    case NodeKind::kIf:
      return put("If", node, to<If>(node).condition, to<If>(node).body, to<If>(node).orelse);
    case NodeKind::kWith:
      return put(to<With>(node).is_async ? "AsyncWith" : "With", node, to<With>(node).items, to<With>(node).body);
    case NodeKind::kMatch:
      return put("Match", node, to<Match>(node).subject, to<Match>(node).cases);
    case NodeKind::kTry:
      return put(to<Try>(node).is_star ? "TryStar" : "Try", node, to<Try>(node).body, to<Try>(node).handlers,
                 to<Try>(node).orelse, to<Try>(node).finally_body);
    default:
      return definition(node);
  }
}

void Dumper::assignment(const Node* node) {
  switch (node->kind) {
    case NodeKind::kAssign:
      return put("Assign", node, to<Assign>(node).targets, to<Assign>(node).value);
    case NodeKind::kAugAssign:
      return put("AugAssign", node, to<AugAssign>(node).target, name_of(to<AugAssign>(node).op),
                 to<AugAssign>(node).value);
    case NodeKind::kAnnAssign:
      return put("AnnAssign", node, to<AnnAssign>(node).target, to<AnnAssign>(node).annotation,
                 to<AnnAssign>(node).value, int{to<AnnAssign>(node).is_simple});
    case NodeKind::kDelete:
      return put("Delete", node, to<Delete>(node).targets);
    default:
      return block_statement(node);
  }
}

void Dumper::statement(const Node* node) {
  switch (node->kind) {
    case NodeKind::kReturn:
      return put("Return", node, to<Return>(node).value);
    case NodeKind::kRaise:
      return put("Raise", node, to<Raise>(node).exception, to<Raise>(node).cause);
    case NodeKind::kAssert:
      return put("Assert", node, to<Assert>(node).test, to<Assert>(node).message);
    case NodeKind::kImport:
      return put("Import", node, to<Import>(node).names);
    case NodeKind::kImportFrom:
      return put("ImportFrom", node, to<ImportFrom>(node).module, to<ImportFrom>(node).names,
                 static_cast<int>(to<ImportFrom>(node).level));
    case NodeKind::kGlobal:
      return put("Global", node, to<Global>(node).names);
    case NodeKind::kNonlocal:
      return put("Nonlocal", node, to<Nonlocal>(node).names);
    case NodeKind::kExprStmt:
      return put("Expr", node, to<ExprStmt>(node).value);
    case NodeKind::kPass:
      return put("Pass", node);
    case NodeKind::kBreak:
      return put("Break", node);
    case NodeKind::kContinue:
      return put("Continue", node);
    default:
      return assignment(node);
  }
}

void Dumper::operation(const Node* node) {
  switch (node->kind) {
    case NodeKind::kBoolOp:
      return put("BoolOp", node, std::string_view(to<BoolOp>(node).op == BoolOperator::kAnd ? "And" : "Or"),
                 to<BoolOp>(node).values);
    case NodeKind::kNamedExpr:
      return put("NamedExpr", node, to<NamedExpr>(node).target, to<NamedExpr>(node).value);
    case NodeKind::kBinOp:
      return put("BinOp", node, to<BinOp>(node).left, name_of(to<BinOp>(node).op), to<BinOp>(node).right);
    case NodeKind::kUnaryOp:
      return put("UnaryOp", node, name_of(to<UnaryOp>(node).op), to<UnaryOp>(node).operand);
    case NodeKind::kLambda:
      return put("Lambda", node, to<Lambda>(node).parameters, to<Lambda>(node).body);
    case NodeKind::kIfExp:
      return put("IfExp", node, to<IfExp>(node).condition, to<IfExp>(node).body, to<IfExp>(node).orelse);
    case NodeKind::kCompare:
      return put("Compare", node, to<Compare>(node).left, to<Compare>(node).ops, to<Compare>(node).comparators);
    case NodeKind::kAwait:
      return put("Await", node, to<Await>(node).value);
    case NodeKind::kYield:
      return put("Yield", node, to<Yield>(node).value);
    case NodeKind::kYieldFrom:
      return put("YieldFrom", node, to<YieldFrom>(node).value);
    default:
      return comprehension(node);
  }
}

void Dumper::comprehension(const Node* node) {
  switch (node->kind) {
    case NodeKind::kListComp:
      return put("ListComp", node, to<ListComp>(node).element, to<ListComp>(node).generators);
    case NodeKind::kSetComp:
      return put("SetComp", node, to<SetComp>(node).element, to<SetComp>(node).generators);
    case NodeKind::kGeneratorExp:
      return put("GeneratorExp", node, to<GeneratorExp>(node).element, to<GeneratorExp>(node).generators);
    case NodeKind::kDictComp:
      return put("DictComp", node, to<DictComp>(node).key, to<DictComp>(node).value, to<DictComp>(node).generators);
    default:
      return put("ErrorExpr", node);
  }
}

void Dumper::expression(const Node* node) {
  switch (node->kind) {
    case NodeKind::kConstant:
      return constant(to<Constant>(node));
    case NodeKind::kDict:
      return put("Dict", node, to<Dict>(node).keys, to<Dict>(node).values);
    case NodeKind::kSet:
      return put("Set", node, to<Set>(node).elements);
    case NodeKind::kCall:
      return put("Call", node, to<Call>(node).callee, to<Call>(node).arguments, to<Call>(node).keywords);
    case NodeKind::kFormattedValue:
      return put("FormattedValue", node, to<FormattedValue>(node).value, conversion_of(to<FormattedValue>(node)),
                 to<FormattedValue>(node).format_spec);
    case NodeKind::kJoinedStr:
      return put("JoinedStr", node, to<JoinedStr>(node).values);
    case NodeKind::kAttribute:
      return put("Attribute", node, to<Attribute>(node).value, to<Attribute>(node).name,
                 name_of(to<Attribute>(node).context));
    case NodeKind::kSubscript:
      return put("Subscript", node, to<Subscript>(node).value, to<Subscript>(node).index,
                 name_of(to<Subscript>(node).context));
    case NodeKind::kStarred:
      return put("Starred", node, to<Starred>(node).value, name_of(to<Starred>(node).context));
    case NodeKind::kName:
      return put("Name", node, to<Name>(node).id, name_of(to<Name>(node).context));
    case NodeKind::kList:
      return put("List", node, to<List>(node).elements, name_of(to<List>(node).context));
    case NodeKind::kTuple:
      return put("Tuple", node, to<Tuple>(node).elements, name_of(to<Tuple>(node).context));
    case NodeKind::kSlice:
      return put("Slice", node, to<Slice>(node).lower, to<Slice>(node).upper, to<Slice>(node).step);
    default:
      return operation(node);
  }
}

void Dumper::pattern(const Node* node) {
  switch (node->kind) {
    case NodeKind::kMatchValue:
      return put("MatchValue", node, to<MatchValue>(node).value);
    case NodeKind::kMatchSingleton:
      return put("MatchSingleton", node, name_of(to<MatchSingleton>(node).value));
    case NodeKind::kMatchSequence:
      return put("MatchSequence", node, to<MatchSequence>(node).patterns);
    case NodeKind::kMatchMapping:
      return put("MatchMapping", node, to<MatchMapping>(node).keys, to<MatchMapping>(node).patterns,
                 to<MatchMapping>(node).rest);
    case NodeKind::kMatchClass:
      return put("MatchClass", node, to<MatchClass>(node).cls, to<MatchClass>(node).patterns,
                 to<MatchClass>(node).keyword_names, to<MatchClass>(node).keyword_patterns);
    case NodeKind::kMatchStar:
      return put("MatchStar", node, to<MatchStar>(node).name);
    case NodeKind::kMatchAs:
      return put("MatchAs", node, to<MatchAs>(node).pattern, to<MatchAs>(node).name);
    case NodeKind::kMatchOr:
      return put("MatchOr", node, to<MatchOr>(node).patterns);
    default:
      return part(node);
  }
}

void Dumper::part(const Node* node) {
  switch (node->kind) {
    case NodeKind::kTypeParam:
      return type_param(to<TypeParam>(node));
    case NodeKind::kParameters:
      return parameters(to<Parameters>(node));
    case NodeKind::kParameter:
      return parameter(to<Parameter>(node));
    case NodeKind::kModule:
      return put("~Module", node, to<Module>(node).body);
    case NodeKind::kKeyword:
      return put("keyword", node, to<Keyword>(node).name, to<Keyword>(node).value);
    case NodeKind::kAlias:
      return put("alias", node, to<Alias>(node).name, to<Alias>(node).as_name);
    case NodeKind::kComprehension:
      return put("~comprehension", node, to<Comprehension>(node).target, to<Comprehension>(node).iterable,
                 to<Comprehension>(node).conditions, int{to<Comprehension>(node).is_async});
    case NodeKind::kExceptHandler:
      return put("ExceptHandler", node, to<ExceptHandler>(node).type, to<ExceptHandler>(node).name,
                 to<ExceptHandler>(node).body);
    case NodeKind::kWithItem:
      return put("~withitem", node, to<WithItem>(node).context, to<WithItem>(node).target);
    case NodeKind::kMatchCase:
      return put("~match_case", node, to<MatchCase>(node).pattern, to<MatchCase>(node).guard, to<MatchCase>(node).body);
    default:
      return put("Unknown", node);
  }
}

void Dumper::type_param(const TypeParam& param) {
  switch (param.type_param_kind) {
    case TypeParam::Kind::kTypeVar:
      return put("TypeVar", &param, param.name, param.bound, param.default_value);
    case TypeParam::Kind::kTypeVarTuple:
      return put("TypeVarTuple", &param, param.name, param.default_value);
    case TypeParam::Kind::kParamSpec:
      return put("ParamSpec", &param, param.name, param.default_value);
  }
}

}  // namespace lockstep::python::dump_internal
