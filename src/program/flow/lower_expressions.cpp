#include <algorithm>
#include <charconv>

#include "program/flow/lowering.h"

namespace lockstep::program::flow {
namespace {

using python::NodeKind;
using python::ScopeKind;

/// Longest string constant that is followed as a key or attribute name; longer ones are just strings.
constexpr std::size_t kMaxTextBytes = 80;

bool is_key_text(std::string_view text) {
  return text.size() <= kMaxTextBytes && !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
           const auto byte = static_cast<unsigned char>(c);
           return std::isalnum(byte) != 0 || c == '_' || c == '.' || c == '-' || c == '/' || c == ':' || byte >= 0x80;
         });
}

/// False for expressions that run nothing but what their parts run, and for those that say themselves what they run.
bool may_run_code(NodeKind kind) {
  return kind != NodeKind::kName && kind != NodeKind::kConstant && kind != NodeKind::kCall &&
         kind != NodeKind::kAttribute && kind != NodeKind::kLambda && kind != NodeKind::kTuple &&
         kind != NodeKind::kList && kind != NodeKind::kNamedExpr;
}

/// `lambda: …`, `partial(f, x)`.
bool makes_callable(const python::Expr* value) {
  if (python::is<python::Lambda>(value)) return true;
  const auto* call = python::as<python::Call>(value);
  if (call == nullptr) return false;
  const auto* name = python::as<python::Name>(call->callee);
  const auto* member = python::as<python::Attribute>(call->callee);
  return (name != nullptr ? name->id : member != nullptr ? member->name.text : std::string_view()) == "partial";
}

std::string_view method_of(python::UnaryOperator op) {
  switch (op) {
    case python::UnaryOperator::kInvert:
      return "__invert__";
    case python::UnaryOperator::kPlus:
      return "__pos__";
    case python::UnaryOperator::kMinus:
      return "__neg__";
    case python::UnaryOperator::kNot:
      return "__bool__";
  }
  return {};
}

}  // namespace

std::string_view method_of(python::BinaryOperator op) {
  static constexpr std::string_view kMethods[] = {"__add__", "__sub__", "__mul__",     "__matmul__", "__truediv__",
                                                  "__mod__", "__pow__", "__lshift__",  "__rshift__", "__or__",
                                                  "__xor__", "__and__", "__floordiv__"};
  return kMethods[static_cast<std::size_t>(op)];
}

std::string_view method_of(python::CompareOperator op) {
  switch (op) {
    case python::CompareOperator::kEq:
      return "__eq__";
    case python::CompareOperator::kNotEq:
      return "__ne__";
    case python::CompareOperator::kLt:
      return "__lt__";
    case python::CompareOperator::kLtE:
      return "__le__";
    case python::CompareOperator::kGt:
      return "__gt__";
    case python::CompareOperator::kGtE:
      return "__ge__";
    case python::CompareOperator::kIn:
    case python::CompareOperator::kNotIn:
      return "__contains__";
    default:
      return {};
  }
}

Slot Lowering::expression(const python::Expr* expression) {
  if (expression == nullptr) return 0;
  const Slot slot = expression_kind(*expression);
  switch (expression->kind) {
    case NodeKind::kName:
    case NodeKind::kAttribute:
    case NodeKind::kCall:
    case NodeKind::kSubscript:
    case NodeKind::kAwait:
    case NodeKind::kIfExp:
      if (slot != 0 && slot != nothing_) code_.expressions.emplace_back(expression, slot);
      break;
    default:
      break;
  }
  if (may_doubt() && may_run_code(expression->kind)) doubt();
  return slot == nothing_ ? 0 : slot;
}

Slot Lowering::expression_kind(const python::Expr& node) {
  switch (node.kind) {
    case NodeKind::kName:
      return load_name(static_cast<const python::Name&>(node).id, &node);
    case NodeKind::kConstant:
      return constant(static_cast<const python::Constant&>(node));
    case NodeKind::kAttribute: {
      const auto& attribute = static_cast<const python::Attribute&>(node);
      const Slot object = expression(attribute.value);
      if (object == 0) return 0;
      const NameId name = name_id(attribute.name.text);
      Slot loaded = emit_value(OpCode::kLoad, &node, object, name);
      const Slot base = place_base(attribute.value, object);
      const std::uint32_t read = static_cast<std::uint32_t>(code_.ops.size() - 1);
      if (const Slot written = known_value(base, false, name + 1, loaded); written != 0) {
        code_.ops.back().c = written;
        doubt_others(base, name + 1);
      } else if (const std::uint32_t last = may_follow_call(object) ? call_before(attribute.value, base, name) : kNone;
                 last != kNone) {
        read_after(last, attribute.value, read);
        doubt_others(base, name + 1);
      } else if (may_doubt()) {
        doubt();
      }
      for (const Refinement& known : frame_->refinements) {
        if (known.base != object || known.name != name) continue;
        loaded = emit_value(OpCode::kNarrow, &node, loaded);
        code_.ops.back().b = known.classes;
        code_.ops.back().flags = known.holds ? 0 : 1;
      }
      return loaded;
    }
    case NodeKind::kCall:
      return call(static_cast<const python::Call&>(node));
    case NodeKind::kSubscript:
      return subscript(static_cast<const python::Subscript&>(node));
    case NodeKind::kBinOp: {
      const auto& operation_node = static_cast<const python::BinOp&>(node);
      const Slot left = expression(operation_node.left);
      const Slot right = expression(operation_node.right);
      return operation(OpCode::kBinary, &node, left, right, method_of(operation_node.op));
    }
    case NodeKind::kUnaryOp: {
      const auto& unary = static_cast<const python::UnaryOp&>(node);
      const auto* number = python::as<python::Constant>(unary.operand);
      if (unary.op == python::UnaryOperator::kMinus && number != nullptr && number->text == "1") {
        return emit_value(OpCode::kInteger, &node, static_cast<std::uint32_t>(-1));
      }
      return operation(OpCode::kUnary, &node, expression(unary.operand), 0, method_of(unary.op));
    }
    case NodeKind::kCompare:
      return compare(static_cast<const python::Compare&>(node));
    case NodeKind::kBoolOp: {
      std::vector<Slot> values;
      for (const python::Expr* value : static_cast<const python::BoolOp&>(node).values) {
        if (const Slot slot = expression(value); slot != 0) values.push_back(slot);
        doubt();  // __bool__ may have run
      }
      return either(values, &node);
    }
    case NodeKind::kIfExp:
      return conditional(static_cast<const python::IfExp&>(node));
    case NodeKind::kLambda:
      return lambda(static_cast<const python::Lambda&>(node));
    case NodeKind::kNamedExpr: {
      const auto& walrus = static_cast<const python::NamedExpr&>(node);
      const Slot value = expression(walrus.value);
      LexicalScope* scope = frame_->scope;
      while (scope->kind == ScopeKind::kComprehension && scope->parent != nullptr) scope = scope->parent;
      if (const auto* name = python::as<python::Name>(walrus.target)) store_in(scope, name_id(name->id), value, &node);
      return value;
    }
    case NodeKind::kList:
      return sequence(node, ContainerKind::kList, static_cast<const python::List&>(node).elements);
    case NodeKind::kTuple:
      return sequence(node, ContainerKind::kTuple, static_cast<const python::Tuple&>(node).elements);
    case NodeKind::kSet:
      return sequence(node, ContainerKind::kSet, static_cast<const python::Set&>(node).elements);
    case NodeKind::kDict:
      return dict(static_cast<const python::Dict&>(node));
    case NodeKind::kListComp:
      return comprehension(node, ContainerKind::kList, static_cast<const python::ListComp&>(node).generators);
    case NodeKind::kSetComp:
      return comprehension(node, ContainerKind::kSet, static_cast<const python::SetComp&>(node).generators);
    case NodeKind::kGeneratorExp:
      return comprehension(node, ContainerKind::kGenerator, static_cast<const python::GeneratorExp&>(node).generators);
    case NodeKind::kDictComp:
      return comprehension(node, ContainerKind::kDict, static_cast<const python::DictComp&>(node).generators);
    case NodeKind::kAwait:
      forget_places();
      return expression(static_cast<const python::Await&>(node).value);
    case NodeKind::kYield: {
      forget_places();
      if (frame_->yielded == 0) frame_->yielded = new_slot();
      copy(expression(static_cast<const python::Yield&>(node).value), frame_->yielded, &node);
      return 0;
    }
    case NodeKind::kYieldFrom: {
      forget_places();
      if (frame_->yielded == 0) frame_->yielded = new_slot();
      const Slot source = expression(static_cast<const python::YieldFrom&>(node).value);
      if (source != 0) copy(emit_value(OpCode::kIterate, &node, source), frame_->yielded, &node);
      return 0;
    }
    case NodeKind::kJoinedStr:
      for (const python::Expr* value : static_cast<const python::JoinedStr&>(node).values) expression(value);
      return builtin_value("str", &node);
    case NodeKind::kFormattedValue: {
      const auto& formatted = static_cast<const python::FormattedValue&>(node);
      expression(formatted.value);
      expression(formatted.format_spec);
      return 0;
    }
    case NodeKind::kStarred:
      return expression(static_cast<const python::Starred&>(node).value);
    case NodeKind::kSlice: {
      const auto& slice = static_cast<const python::Slice&>(node);
      expression(slice.lower);
      expression(slice.upper);
      expression(slice.step);
      return 0;
    }
    default:
      return 0;
  }
}

Slot Lowering::builtin_value(std::string_view name, const python::Node* node) {
  const NameId id = name_id(name);
  Slot& slot = builtin_values_[id];
  if (slot == 0) slot = emit_value(OpCode::kBuiltinValue, node, 0, id);
  return slot;
}

Slot Lowering::text_constant(std::string_view text, const python::Node* node) {
  const NameId id = name_id(text);
  Slot& slot = texts_[id];
  if (slot == 0) slot = emit_value(OpCode::kText, node, 0, id);
  return slot;
}

Slot Lowering::constant(const python::Constant& node) {
  using Kind = python::ConstantKind;
  const auto integer = [&](std::uint32_t value) {
    Slot& slot = integers_[value];
    if (slot == 0) slot = emit_value(OpCode::kInteger, &node, value);
    return slot;
  };
  switch (node.constant_kind) {
    case Kind::kStr:
      return is_key_text(node.text) ? text_constant(node.text, &node) : builtin_value("str", &node);
    case Kind::kTrue:
      return integer(1);
    case Kind::kFalse:
      return integer(0);
    case Kind::kInt: {
      std::uint32_t value = 0;
      const auto [end, error] = std::from_chars(node.text.data(), node.text.data() + node.text.size(), value);
      const bool is_small = error == std::errc{} && end == node.text.data() + node.text.size() && value < 256;
      return is_small ? integer(value) : 0;
    }
    case Kind::kBytes:
      return builtin_value("bytes", &node);
    default:
      return 0;
  }
}

Slot Lowering::either(std::span<const Slot> values, const python::Node* node) {
  if (values.empty()) return 0;
  if (std::all_of(values.begin(), values.end(), [&](Slot slot) { return slot == values.front(); })) return values[0];
  const Slot joined = new_slot();
  for (const Slot value : values) copy(value, joined, node);
  return joined;
}

Slot Lowering::conditional(const python::IfExp& node) {
  expression(node.condition);
  std::vector<Slot> values;
  for (const bool holds : {true, false}) {
    doubt();
    const std::size_t mark = frame_->variables.mark();
    const std::size_t refinements = frame_->refinements.size();
    refine(node.condition, holds);
    if (const Slot slot = expression(holds ? node.body : node.orelse); slot != 0) values.push_back(slot);
    frame_->refinements.resize(refinements);
    frame_->variables.take_back(mark, false);
  }
  return either(values, &node);
}

Slot Lowering::operation(OpCode op, const python::Node* node, Slot left, Slot right, std::string_view method) {
  if ((left == 0 && right == 0) || method.empty()) return 0;
  const Slot dst = emit_value(op, node, left, name_id(method));
  code_.ops.back().b = right;
  return dst;
}

Slot Lowering::compare(const python::Compare& node) {
  Slot left = expression(node.left);
  Slot result = 0;
  for (std::size_t i = 0; i < node.comparators.size(); ++i) {
    const Slot right = expression(node.comparators[i]);
    const bool is_membership =
        node.ops[i] == python::CompareOperator::kIn || node.ops[i] == python::CompareOperator::kNotIn;
    const std::string_view method = method_of(node.ops[i]);
    result = is_membership ? operation(OpCode::kUnary, &node, right, 0, method)
                           : operation(OpCode::kBinary, &node, left, right, method);
    left = right;
  }
  return result;
}

bool Lowering::is_parameter(const python::Expr* expression) {
  const auto* name = python::as<python::Name>(expression);
  if (name == nullptr) return false;
  const NameId known = name_ids_.find(code_.names, name->id);
  if (known == kNone) return false;
  for (const Frame* frame = frame_; frame != nullptr; frame = frame->parent) {
    const auto& names = frame->parameter_names;
    if (std::find(names.begin(), names.end(), known) != names.end()) return true;
  }
  return false;
}

/// A call of `callee`: where it is a parameter of a function around this one, that function wraps it.
void Lowering::note_wrapped(const python::Name& callee) {
  const NameId known = name_ids_.find(code_.names, callee.id);
  for (Frame* frame = frame_; frame != nullptr; frame = frame->parent) {
    const auto& names = frame->parameter_names;
    if (std::find(names.begin(), names.end(), known) == names.end()) continue;
    frame->wraps_parameter = frame->wraps_parameter || frame != frame_;
    return;
  }
}

std::vector<Argument> Lowering::call_arguments(python::Seq<python::Expr> arguments,
                                               python::Seq<python::Keyword> keywords) {
  std::vector<Argument> list;
  for (const python::Expr* argument : arguments) {
    const bool is_star = python::is<python::Starred>(argument);
    list.push_back({expression(argument), is_star ? Argument::kStar : Argument::kPositional});
  }
  for (const python::Keyword* keyword : keywords) {
    const bool is_star = keyword->name.text.empty();
    list.push_back({expression(keyword->value), is_star ? Argument::kDoubleStar : name_id(keyword->name.text)});
  }
  return list;
}

/// The method around the code that is lowered, or the outermost function where there is none.
const Frame* Lowering::method_frame() const {
  const Frame* method = frame_;
  while (method->parent != nullptr && !method->parent->is_module &&
         !function_of(code_.functions[method->function]).owner.valid()) {
    method = method->parent;
  }
  return method;
}

/// The class that `__class__` and super() mean; none outside of methods.
ClassId Lowering::owner_of_method() const { return function_of(code_.functions[method_frame()->function]).owner; }

Slot Lowering::super_call(const python::Call& node) {
  const FunctionCode& function = code_.functions[method_frame()->function];
  const ClassId owner = owner_of_method();
  if (!owner.valid() || function.parameter_names.empty()) return 0;
  // The receiver is the method's first parameter, read through a cell from a nested function.
  const Slot receiver = load_name(code_.names[function.parameter_names.front()], &node);
  const Slot dst = emit_value(OpCode::kSuper, &node, receiver);
  code_.ops.back().b = relative(owner);
  return dst;
}

Slot Lowering::call(const python::Call& node) {
  if (const auto* name = python::as<python::Name>(node.callee)) {
    if (name->id == "super" && node.arguments.empty()) return super_call(node);
  }
  const auto* attribute = python::as<python::Attribute>(node.callee);
  const Slot callee = expression(attribute != nullptr ? attribute->value : node.callee);
  const auto* function = python::as<python::Name>(node.callee);
  const bool reads_by_name =
      function != nullptr && function->id == "getattr" && node.arguments.size() > 1 && is_parameter(node.arguments[1]);
  const bool looks_up = attribute != nullptr && !node.arguments.empty() && is_parameter(node.arguments[0]) &&
                        (attribute->name.text == "get" || attribute->name.text == "setdefault");
  frame_->per_caller =
      frame_->per_caller || reads_by_name || looks_up || (attribute == nullptr && is_parameter(node.callee));
  const bool is_nested = frame_->parent != nullptr && !frame_->parent->is_module;
  if (function != nullptr && is_nested) note_wrapped(*function);
  const NameId method = attribute != nullptr ? name_id(attribute->name.text) : kNone;
  // What is called is read before the arguments are.
  const bool may_follow = attribute != nullptr && may_follow_call(callee);
  const std::uint32_t last =
      may_follow ? call_before(attribute->value, place_base(attribute->value, callee), method) : kNone;
  const auto arguments = call_arguments(node.arguments, node.keywords);
  const Slot found_callee = attribute != nullptr ? new_slot() : 0;
  const Slot dst = emit_value(attribute != nullptr ? OpCode::kMethodCall : OpCode::kCall, &node, callee);
  Op& op = code_.ops.back();
  op.b = found_callee;
  if (attribute != nullptr) {
    op.name = method;
    op.c = known_value(place_base(attribute->value, callee), false, op.name + 1, found_callee);
  }
  set_arguments(op, arguments);
  const auto made = static_cast<std::uint32_t>(code_.ops.size() - 1);
  if (op.c == 0 && last != kNone) read_after(last, attribute->value, made);
  forget_places();
  frame_->last_op = made;
  frame_->last_op_moment = frame_->variables.moment();
  frame_->read_base = 0;
  const std::string_view callee_name = attribute != nullptr  ? std::string_view(attribute->name.text)
                                       : function != nullptr ? std::string_view(function->id)
                                                             : std::string_view();
  if (callee_name == "cast" && node.arguments.size() == 2 && node.keywords.empty()) {
    // typing.cast(T, value): where nothing is known of the value, it is a T.
    code_.seeds.push_back(
        {dst, frame_->scope->id, node.arguments[0], static_cast<std::uint32_t>(frame_->function), false, false, true});
  }
  if (attribute != nullptr) write_update(node, callee);
  if (attribute != nullptr && found_callee != 0) code_.expressions.emplace_back(attribute, found_callee);
  return dst;
}

Slot Lowering::sequence(const python::Expr& node, ContainerKind kind, python::Seq<python::Expr> elements) {
  std::vector<Argument> list;
  for (const python::Expr* element : elements) {
    const bool is_star = python::is<python::Starred>(element);
    list.push_back({expression(element), is_star ? Argument::kStar : Argument::kPositional});
  }
  const Slot dst = emit_value(OpCode::kMake, &node, new_object(kind));
  set_arguments(code_.ops.back(), list);
  if (kind == ContainerKind::kTuple && std::any_of(elements.begin(), elements.end(), makes_callable))
    code_.ops.back().flags = kHoldsCallable;
  return dst;
}

Slot Lowering::dict(const python::Dict& node) {
  struct Entry {
    Slot key;
    Slot value;
    bool is_star;
  };
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < node.values.size(); ++i) {
    const Slot key = expression(node.keys[i]);
    entries.push_back({key, expression(node.values[i]), node.keys[i] == nullptr});
  }
  const Slot dst = emit_value(OpCode::kMake, &node, new_object(ContainerKind::kDict));
  std::vector<Argument> stars;
  for (const Entry& entry : entries) {
    if (entry.is_star) stars.push_back({entry.value, Argument::kDoubleStar});
  }
  set_arguments(code_.ops.back(), stars);
  for (const Entry& entry : entries) {
    if (entry.is_star || entry.value == 0) continue;
    Op& op = emit(OpCode::kSetItem, &node);
    op.a = dst;
    op.b = entry.key;
    op.c = entry.value;
  }
  return dst;
}

Slot Lowering::comprehension(const python::Expr& node, ContainerKind kind,
                             python::Seq<python::Comprehension> generators) {
  LexicalScope* outer = frame_->scope;
  LexicalScope* inner = open_scope(ScopeKind::kComprehension, facts_.scope_of_node.at(&node), outer);
  for (std::size_t i = 0; i < generators.size(); ++i) {
    if (i > 0) frame_->scope = inner;
    const Slot iterable = expression(generators[i]->iterable);
    frame_->scope = inner;
    forget_places();
    const Slot element = iterable != 0 ? emit_value(OpCode::kIterate, generators[i], iterable) : 0;
    assign(generators[i]->target, element, generators[i]);
    for (const python::Expr* condition : generators[i]->conditions) {
      expression(condition);
      refine(condition, true);
    }
  }
  Slot key = 0;
  Slot value = 0;
  if (const auto* list = python::as<python::ListComp>(&node)) value = expression(list->element);
  if (const auto* set = python::as<python::SetComp>(&node)) value = expression(set->element);
  if (const auto* generator = python::as<python::GeneratorExp>(&node)) value = expression(generator->element);
  if (const auto* pairs = python::as<python::DictComp>(&node)) {
    key = expression(pairs->key);
    value = expression(pairs->value);
  }
  frame_->scope = outer;
  const Slot dst = emit_value(OpCode::kMake, &node, new_object(kind));
  if (kind == ContainerKind::kDict) {
    Op& op = emit(OpCode::kSetItem, &node);
    op.a = dst;
    op.b = key;
    op.c = value;
  } else {
    // An element at an unknown place.
    const Argument element{value, Argument::kStar};
    Op& op = code_.ops.back();
    op.flags = 1;
    set_arguments(op, {&element, 1});
  }
  return dst;
}

Slot Lowering::subscript(const python::Subscript& node) {
  const Slot object = expression(node.value);
  if (const auto* slice = python::as<python::Slice>(node.index)) {
    expression(slice);
    if (object == 0) return 0;
    const auto* lower = python::as<python::Constant>(slice->lower);
    std::uint32_t start = 0;
    bool is_known = slice->lower == nullptr;
    if (lower != nullptr && lower->constant_kind == python::ConstantKind::kInt) {
      const auto [end, error] = std::from_chars(lower->text.data(), lower->text.data() + lower->text.size(), start);
      is_known = error == std::errc{} && start < 64;
    }
    const Slot dst = emit_value(OpCode::kSlice, &node, object);
    code_.ops.back().b = new_object(ContainerKind::kList);
    code_.ops.back().flags = is_known ? static_cast<std::uint8_t>(start) : 255;
    return dst;
  }
  const Slot index = expression(node.index);
  frame_->per_caller = frame_->per_caller || is_parameter(node.index);
  if (object == 0) return 0;
  const Slot dst = emit_value(OpCode::kGetItem, &node, object);
  Op& op = code_.ops.back();
  op.b = index;
  op.c = known_value(place_base(node.value, object), true, place_key(node.index, index), dst);
  return dst;
}

std::vector<std::pair<std::size_t, Slot>> Lowering::defaults(const python::Parameters* parameters) {
  std::vector<std::pair<std::size_t, Slot>> values;
  if (parameters == nullptr) return values;
  for (std::size_t i = 0; i < parameters->all.size(); ++i) {
    const Slot slot = expression(parameters->all[i]->default_value);
    if (slot != 0) values.emplace_back(i, slot);
  }
  return values;
}

Slot Lowering::lambda(const python::Lambda& node) {
  PendingFunction pending{program_.function_of(&node), node.parameters, defaults(node.parameters), frame_->scope, {}};
  capture(node, &node);
  frame_->pending.push_back(std::move(pending));
  return emit_value(OpCode::kClosure, &node, relative(program_.function_of(&node)).value);
}

}  // namespace lockstep::program::flow
