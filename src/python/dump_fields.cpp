#include "python/dump_fields.h"

namespace lockstep::python::dump_internal {

namespace {

template <class T>
const T& to(const Node* node) {
  return static_cast<const T&>(*node);
}

}  // namespace

void Dumper::definition(const Node* node) {
  if (const auto* function = as<FunctionDef>(node)) {
    begin(function->is_async ? "AsyncFunctionDef" : "FunctionDef", node);
    text(function->name.text);
    out_ += ',';
    parameters(*function->parameters);
    children(function->body);
    children(function->decorators);
    child(function->returns);
    children(function->type_params);
  } else if (const auto* cls = as<ClassDef>(node)) {
    begin("ClassDef", node);
    text(cls->name.text);
    children(cls->bases);
    children(cls->keywords);
    children(cls->body);
    children(cls->decorators);
    children(cls->type_params);
  }
}

void Dumper::block_statement(const Node* node) {
  switch (node->kind) {
    case NodeKind::kFor:
      begin(to<For>(node).is_async ? "AsyncFor" : "For", node);
      child(to<For>(node).target);
      child(to<For>(node).iterable);
      children(to<For>(node).body);
      children(to<For>(node).orelse);
      break;
    case NodeKind::kWhile:
      begin("While", node);
      child(to<While>(node).condition);
      children(to<While>(node).body);
      children(to<While>(node).orelse);
      break;
    case NodeKind::kIf:
      begin("If", node);
      child(to<If>(node).condition);
      children(to<If>(node).body);
      children(to<If>(node).orelse);
      break;
    case NodeKind::kWith:
      begin(to<With>(node).is_async ? "AsyncWith" : "With", node);
      children(to<With>(node).items);
      children(to<With>(node).body);
      break;
    case NodeKind::kMatch:
      begin("Match", node);
      child(to<Match>(node).subject);
      children(to<Match>(node).cases);
      break;
    case NodeKind::kTry:
      begin(to<Try>(node).is_star ? "TryStar" : "Try", node);
      children(to<Try>(node).body);
      children(to<Try>(node).handlers);
      children(to<Try>(node).orelse);
      children(to<Try>(node).finally_body);
      break;
    default: definition(node); break;
  }
}

void Dumper::statement(const Node* node) {
  switch (node->kind) {
    case NodeKind::kReturn: begin("Return", node), child(to<Return>(node).value); break;
    case NodeKind::kDelete: begin("Delete", node), children(to<Delete>(node).targets); break;
    case NodeKind::kAssign:
      begin("Assign", node);
      children(to<Assign>(node).targets);
      child(to<Assign>(node).value);
      break;
    case NodeKind::kTypeAlias:
      begin("TypeAlias", node);
      child(to<TypeAlias>(node).name);
      children(to<TypeAlias>(node).type_params);
      child(to<TypeAlias>(node).value);
      break;
    case NodeKind::kAugAssign:
      begin("AugAssign", node);
      child(to<AugAssign>(node).target);
      text(name_of(to<AugAssign>(node).op));
      child(to<AugAssign>(node).value);
      break;
    case NodeKind::kAnnAssign:
      begin("AnnAssign", node);
      child(to<AnnAssign>(node).target);
      child(to<AnnAssign>(node).annotation);
      child(to<AnnAssign>(node).value);
      boolean(to<AnnAssign>(node).is_simple);
      break;
    case NodeKind::kRaise:
      begin("Raise", node);
      child(to<Raise>(node).exception);
      child(to<Raise>(node).cause);
      break;
    case NodeKind::kAssert:
      begin("Assert", node);
      child(to<Assert>(node).test);
      child(to<Assert>(node).message);
      break;
    case NodeKind::kImport: begin("Import", node), children(to<Import>(node).names); break;
    case NodeKind::kImportFrom:
      begin("ImportFrom", node);
      name(to<ImportFrom>(node).module);
      children(to<ImportFrom>(node).names);
      out_ += ',' + std::to_string(to<ImportFrom>(node).level);
      break;
    case NodeKind::kGlobal: begin("Global", node), names(to<Global>(node).names); break;
    case NodeKind::kNonlocal: begin("Nonlocal", node), names(to<Nonlocal>(node).names); break;
    case NodeKind::kExprStmt: begin("Expr", node), child(to<ExprStmt>(node).value); break;
    case NodeKind::kPass: begin("Pass", node); break;
    case NodeKind::kBreak: begin("Break", node); break;
    case NodeKind::kContinue: begin("Continue", node); break;
    case NodeKind::kErrorStmt: begin("ErrorStmt", node); break;
    default: block_statement(node); break;
  }
  out_ += ']';
}

void Dumper::comprehension(const Node* node) {
  switch (node->kind) {
    case NodeKind::kListComp:
      begin("ListComp", node);
      child(to<ListComp>(node).element);
      children(to<ListComp>(node).generators);
      break;
    case NodeKind::kSetComp:
      begin("SetComp", node);
      child(to<SetComp>(node).element);
      children(to<SetComp>(node).generators);
      break;
    case NodeKind::kGeneratorExp:
      begin("GeneratorExp", node);
      child(to<GeneratorExp>(node).element);
      children(to<GeneratorExp>(node).generators);
      break;
    case NodeKind::kDictComp:
      begin("DictComp", node);
      child(to<DictComp>(node).key);
      child(to<DictComp>(node).value);
      children(to<DictComp>(node).generators);
      break;
    default: begin("ErrorExpr", node); break;
  }
}

void Dumper::expression(const Node* node) {
  switch (node->kind) {
    case NodeKind::kConstant: return constant(to<Constant>(node));
    case NodeKind::kBoolOp:
      begin("BoolOp", node);
      text(to<BoolOp>(node).op == BoolOperator::kAnd ? "And" : "Or");
      children(to<BoolOp>(node).values);
      break;
    case NodeKind::kNamedExpr:
      begin("NamedExpr", node);
      child(to<NamedExpr>(node).target);
      child(to<NamedExpr>(node).value);
      break;
    case NodeKind::kBinOp:
      begin("BinOp", node);
      child(to<BinOp>(node).left);
      text(name_of(to<BinOp>(node).op));
      child(to<BinOp>(node).right);
      break;
    case NodeKind::kUnaryOp:
      begin("UnaryOp", node);
      text(name_of(to<UnaryOp>(node).op));
      child(to<UnaryOp>(node).operand);
      break;
    case NodeKind::kLambda:
      begin("Lambda", node);
      out_ += ',';
      parameters(*to<Lambda>(node).parameters);
      child(to<Lambda>(node).body);
      break;
    case NodeKind::kIfExp:
      begin("IfExp", node);
      child(to<IfExp>(node).condition);
      child(to<IfExp>(node).body);
      child(to<IfExp>(node).orelse);
      break;
    case NodeKind::kDict:
      begin("Dict", node);
      children(to<Dict>(node).keys);
      children(to<Dict>(node).values);
      break;
    case NodeKind::kSet: begin("Set", node), children(to<Set>(node).elements); break;
    case NodeKind::kAwait: begin("Await", node), child(to<Await>(node).value); break;
    case NodeKind::kYield: begin("Yield", node), child(to<Yield>(node).value); break;
    case NodeKind::kYieldFrom: begin("YieldFrom", node), child(to<YieldFrom>(node).value); break;
    case NodeKind::kCompare: {
      begin("Compare", node);
      child(to<Compare>(node).left);
      std::string_view separator = ",[";
      for (const CompareOperator op : to<Compare>(node).ops) {
        out_ += separator;
        append_json_string(name_of(op), out_);
        separator = ",";
      }
      out_ += ']';
      children(to<Compare>(node).comparators);
      break;
    }
    case NodeKind::kCall:
      begin("Call", node);
      child(to<Call>(node).callee);
      children(to<Call>(node).arguments);
      children(to<Call>(node).keywords);
      break;
    case NodeKind::kFormattedValue:
      begin("FormattedValue", node);
      child(to<FormattedValue>(node).value);
      out_ += ',' + std::to_string(to<FormattedValue>(node).conversion == 0 ? -1 : to<FormattedValue>(node).conversion);
      child(to<FormattedValue>(node).format_spec);
      break;
    case NodeKind::kJoinedStr: begin("JoinedStr", node), children(to<JoinedStr>(node).values); break;
    case NodeKind::kAttribute:
      begin("Attribute", node);
      child(to<Attribute>(node).value);
      text(to<Attribute>(node).name.text);
      text(name_of(to<Attribute>(node).context));
      break;
    case NodeKind::kSubscript:
      begin("Subscript", node);
      child(to<Subscript>(node).value);
      child(to<Subscript>(node).index);
      text(name_of(to<Subscript>(node).context));
      break;
    case NodeKind::kStarred:
      begin("Starred", node);
      child(to<Starred>(node).value);
      text(name_of(to<Starred>(node).context));
      break;
    case NodeKind::kName:
      begin("Name", node);
      text(to<Name>(node).id);
      text(name_of(to<Name>(node).context));
      break;
    case NodeKind::kList:
      begin("List", node);
      children(to<List>(node).elements);
      text(name_of(to<List>(node).context));
      break;
    case NodeKind::kTuple:
      begin("Tuple", node);
      children(to<Tuple>(node).elements);
      text(name_of(to<Tuple>(node).context));
      break;
    case NodeKind::kSlice:
      begin("Slice", node);
      child(to<Slice>(node).lower);
      child(to<Slice>(node).upper);
      child(to<Slice>(node).step);
      break;
    default: comprehension(node); break;
  }
  out_ += ']';
}

void Dumper::part(const Node* node) {
  switch (node->kind) {
    case NodeKind::kModule: begin_without_position("Module"), children(to<Module>(node).body); break;
    case NodeKind::kKeyword: begin("keyword", node), name(to<Keyword>(node).name), child(to<Keyword>(node).value); break;
    case NodeKind::kAlias: begin("alias", node), name(to<Alias>(node).name), name(to<Alias>(node).as_name); break;
    case NodeKind::kComprehension:
      begin_without_position("comprehension");
      child(to<Comprehension>(node).target);
      child(to<Comprehension>(node).iterable);
      children(to<Comprehension>(node).conditions);
      boolean(to<Comprehension>(node).is_async);
      break;
    case NodeKind::kExceptHandler:
      begin("ExceptHandler", node);
      child(to<ExceptHandler>(node).type);
      name(to<ExceptHandler>(node).name);
      children(to<ExceptHandler>(node).body);
      break;
    case NodeKind::kWithItem:
      begin_without_position("withitem");
      child(to<WithItem>(node).context);
      child(to<WithItem>(node).target);
      break;
    case NodeKind::kMatchCase:
      begin_without_position("match_case");
      child(to<MatchCase>(node).pattern);
      child(to<MatchCase>(node).guard);
      children(to<MatchCase>(node).body);
      break;
    case NodeKind::kTypeParam: {
      const auto& param = to<TypeParam>(node);
      const bool is_type_var = param.type_param_kind == TypeParam::Kind::kTypeVar;
      begin(is_type_var                                               ? "TypeVar"
            : param.type_param_kind == TypeParam::Kind::kTypeVarTuple ? "TypeVarTuple"
                                                                      : "ParamSpec",
            node);
      text(param.name.text);
      if (is_type_var) child(param.bound);
      child(param.default_value);
      break;
    }
    default: begin("Unknown", node); break;
  }
}

void Dumper::pattern_or_part(const Node* node) {
  switch (node->kind) {
    case NodeKind::kMatchValue: begin("MatchValue", node), child(to<MatchValue>(node).value); break;
    case NodeKind::kMatchSingleton:
      begin("MatchSingleton", node);
      text(name_of(to<MatchSingleton>(node).value));
      break;
    case NodeKind::kMatchSequence: begin("MatchSequence", node), children(to<MatchSequence>(node).patterns); break;
    case NodeKind::kMatchMapping:
      begin("MatchMapping", node);
      children(to<MatchMapping>(node).keys);
      children(to<MatchMapping>(node).patterns);
      name(to<MatchMapping>(node).rest);
      break;
    case NodeKind::kMatchClass:
      begin("MatchClass", node);
      child(to<MatchClass>(node).cls);
      children(to<MatchClass>(node).patterns);
      names(to<MatchClass>(node).keyword_names);
      children(to<MatchClass>(node).keyword_patterns);
      break;
    case NodeKind::kMatchStar: begin("MatchStar", node), name(to<MatchStar>(node).name); break;
    case NodeKind::kMatchAs:
      begin("MatchAs", node);
      child(to<MatchAs>(node).pattern);
      name(to<MatchAs>(node).name);
      break;
    case NodeKind::kMatchOr: begin("MatchOr", node), children(to<MatchOr>(node).patterns); break;
    default: part(node); break;
  }
  out_ += ']';
}

}  // namespace lockstep::python::dump_internal
