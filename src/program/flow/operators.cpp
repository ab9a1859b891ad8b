// Operators, `with`, isinstance: implicit calls of dunder methods, and which values a test lets through.
#include <algorithm>

#include "program/flow/solver.h"

namespace lockstep::program::flow {
namespace {

/// The method that the right operand is asked for: __radd__ for __add__, __gt__ for __lt__.
std::string reflected(std::string_view method) {
  if (method == "__lt__") return "__gt__";
  if (method == "__gt__") return "__lt__";
  if (method == "__le__") return "__ge__";
  if (method == "__ge__") return "__le__";
  if (method == "__eq__" || method == "__ne__") return std::string(method);
  return "__r" + std::string(method.substr(2));
}

/// True for operators that give another object of the left operand's class (docs.python.org: str, pathlib; numpy docs).
bool gives_own_class(std::string_view cls, std::string_view method) {
  if (cls == "builtins.str") return method == "__add__" || method == "__mod__" || method == "__mul__";
  if (cls.starts_with("pathlib.")) return cls.ends_with("Path") && method == "__truediv__";
  static constexpr std::string_view kArithmetic[] = {"__add__",     "__sub__",      "__mul__", "__matmul__",
                                                     "__truediv__", "__floordiv__", "__mod__", "__pow__"};
  return cls == "numpy.ndarray" &&
         std::find(std::begin(kArithmetic), std::end(kArithmetic), method) != std::end(kArithmetic);
}

}  // namespace

/// Calls dunder `method` of an instance with `arguments` behind the receiver; false where its class has none.
bool Solver::call_dunder(OpId op, ValueId receiver, std::string_view method, std::span<const Argument> arguments,
                         Slot dst, CallKind kind) {
  const Value value = values_[receiver];
  if (value.kind != ValueKind::kInstance) return false;
  const Slot slot = class_attribute(ClassId(std::size_t{value.a}), name_id(method), ClassId{});
  if (slot == 0) return false;
  use(slot, {UseKind::kForce, receiver, add_call(op, arguments, kind, dst)});
  return true;
}

void Solver::binary(OpId id, ValueId value, bool is_left) {
  const Op op = op_of(id);
  const Value of = values_[value];
  const std::string method = names_[op.name];
  const bool is_comparison = method == "__eq__" || method == "__ne__" || method == "__lt__" || method == "__le__" ||
                             method == "__gt__" || method == "__ge__";
  if (of.kind == ValueKind::kExternalInstance && is_tensor_class(names_[of.a])) {
    return graph_.add_value(op.dst, values_.intern(ValueKind::kExternalInstance, known_.tensor));
  }
  const bool is_text = of.kind == ValueKind::kText;
  if (is_left && (is_text || of.kind == ValueKind::kExternalInstance)) {
    const NameId cls = is_text ? known_.str : of.a;
    if (!gives_own_class(names_[cls], method)) return;
    return graph_.add_value(op.dst, values_.intern(ValueKind::kExternalInstance, cls));
  }
  if (of.kind == ValueKind::kContainer && !is_comparison) return combine(id, value, is_left);
  if (of.kind != ValueKind::kInstance) return;
  const Argument other{is_left ? op.b : op.a, Argument::kPositional};
  if (is_left) {
    if (op.flags == 1 && call_dunder(id, value, "__i" + method.substr(2), {&other, 1}, op.dst)) return;
    call_dunder(id, value, method, {&other, 1}, op.dst);
    return;
  }
  // The right operand is asked only where the left one does not answer.
  const auto left = graph_.values(op.a);
  const NameId name = name_id(method);
  const bool left_answers = std::any_of(left.begin(), left.end(), [&](ValueId each) {
    return values_[each].kind == ValueKind::kInstance &&
           class_attribute(ClassId(std::size_t{values_[each].a}), name, ClassId{}) != 0;
  });
  if (!left_answers) call_dunder(id, value, reflected(method), {&other, 1}, op.dst);
}

/// `left + right`, `items * n`, `left | right` of containers. What stands to the left keeps its places; what is
/// appended stands behind as many as nobody counts.
void Solver::combine(OpId id, ValueId container, bool is_left) {
  const Op op = op_of(id);
  const ObjectId object = values_[container].a;
  const ContainerKind kind = objects_[object].kind;
  const bool is_sequence = kind == ContainerKind::kList || kind == ContainerKind::kTuple;
  const std::string_view method = names_[op.name];
  const bool moves = is_sequence && ((method == "__add__" && !is_left) || method == "__mul__");
  if (is_left || !moves) graph_.add_value(op.dst, container);
  if (!moves) return;
  constexpr std::uint32_t kAppended = 0xa;
  const ObjectId appended = object_of_call(id, kind, kAppended);
  graph_.add_edge(element_all(object), element_any(appended));
  graph_.add_value(op.dst, container_value(appended));
}

void Solver::unary(OpId id, ValueId value) {
  const Op op = op_of(id);
  const Value of = values_[value];
  const std::string method = names_[op.name];
  if (of.kind == ValueKind::kExternalInstance && is_tensor_class(names_[of.a])) {
    return graph_.add_value(op.dst, value);
  }
  if (call_dunder(id, value, method, {}, op.dst)) return;
  if (method == "__bool__") call_dunder(id, value, "__len__", {}, 0);
}

void Solver::enter(OpId id, ValueId value) {
  const Op op = op_of(id);
  const Value of = values_[value];
  if (op.flags == 1) {  // except … as name
    if (of.kind == ValueKind::kClass) graph_.add_value(op.dst, values_.intern(ValueKind::kInstance, of.a));
    if (of.kind == ValueKind::kExternal) graph_.add_value(op.dst, values_.intern(ValueKind::kExternalInstance, of.a));
    if (of.kind == ValueKind::kContainer) use(element_all(of.a), {UseKind::kOperandA, id});
    return;
  }
  switch (of.kind) {
    case ValueKind::kInstance: {
      const bool has_enter =
          call_dunder(id, value, "__enter__", {}, op.dst) || call_dunder(id, value, "__aenter__", {}, op.dst);
      if (!call_dunder(id, value, "__exit__", {}, 0)) call_dunder(id, value, "__aexit__", {}, 0);
      if (!has_enter) graph_.add_value(op.dst, value);
      return;
    }
    case ValueKind::kGenerator:
      return iterate(value, op.dst, id);
    case ValueKind::kExternalInstance:
      return graph_.add_value(op.dst, value);
    default:
      return;
  }
}

/// `isinstance(x, C)` with an x from outside: behind it, x is a C, where C says more. False where it does not.
bool Solver::narrow_to_heirs(ValueId value, const Op& op) {
  const Value of = values_[value];
  if (of.kind != ValueKind::kExternalInstance) return false;
  const std::string& known = names_[of.a];
  const bool is_plain = is_tensor_class(known) || known.starts_with("builtins.");
  std::vector<ValueId> classes;
  if (!classes_of_test(op.b, classes)) return false;
  std::vector<ValueId> narrowed;
  bool says_more = false;
  for (const ValueId cls : classes) {
    const Value wanted = values_[cls];
    if (wanted.kind == ValueKind::kClass) {
      const ClassId id(std::size_t{wanted.a});
      says_more = true;
      if (is_plain && !program_.derives_from(id, known)) continue;
      for (const ValueId made : made_for(id)) narrowed.push_back(made);
    } else if (known == "torch.nn.Module" && wanted.kind == ValueKind::kExternal && is_module_class(names_[wanted.a])) {
      says_more = says_more || wanted.a != of.a;
      narrowed.push_back(values_.intern(ValueKind::kExternalInstance, wanted.a));
    } else if (is_instance_of(value, cls) && !(known == "torch.nn.Module" && wanted.kind == ValueKind::kExternal &&
                                               is_tensor_class(names_[wanted.a]))) {
      narrowed.push_back(value);
    }
  }
  if (!says_more) return false;
  for (const ValueId each : narrowed) graph_.add_value(op.dst, each);
  return true;
}

void Solver::narrow(OpId id, ValueId value) {
  const Op op = op_of(id);
  const auto consider = [&](ValueId each) {
    if (op.flags == 0 && narrow_to_heirs(each, op)) return;
    if (passes(each, op.b, op.flags == 1)) graph_.add_value(op.dst, each);
  };
  const auto settled = graph_.settled(op.a);
  const auto now = graph_.values(op.a);
  const bool is_operand = std::find(now.begin(), now.end(), value) != now.end();
  if (is_operand) return consider(value);
  for (const ValueId each : settled) consider(each);
}

/// Adds the classes that the second argument of isinstance may name, those of tuples too; false where one is unknown.
bool Solver::classes_of_test(Slot classes, std::vector<ValueId>& all) const {
  const auto known = graph_.values(classes);
  if (known.empty()) return false;
  for (const ValueId cls : known) {
    if (values_[cls].kind != ValueKind::kContainer) {
      all.push_back(cls);
      continue;
    }
    const Object& object = objects_[values_[cls].a];
    for (const auto& [key, slot] : object.keyed) {
      const auto elements = graph_.values(slot);
      if (elements.empty()) return false;
      all.insert(all.end(), elements.begin(), elements.end());
    }
  }
  return true;
}

bool Solver::passes(ValueId value, Slot classes, bool negated) const {
  std::vector<ValueId> all;
  if (!classes_of_test(classes, all)) return true;
  const bool is_one = std::any_of(all.begin(), all.end(), [&](ValueId cls) { return is_instance_of(value, cls); });
  if (!negated) return is_one;
  // Of instances whose class is outside, the test's outcome is not known: they pass both ways.
  const bool is_open = values_[value].kind == ValueKind::kExternalInstance;
  return is_open || !is_one;
}

bool Solver::is_instance_of(ValueId value, ValueId cls) const {
  const Value of = values_[value];
  const Value wanted = values_[cls];
  if (wanted.kind == ValueKind::kClass) {
    if (of.kind != ValueKind::kInstance) return of.kind == ValueKind::kExternalInstance;
    const auto& order = program_.classes()[ClassId(std::size_t{of.a})].linearized;
    return std::find(order.begin(), order.end(), ClassId(std::size_t{wanted.a})) != order.end();
  }
  if (wanted.kind != ValueKind::kExternal) return true;
  const std::string& name = names_[wanted.a];
  const ContainerKind container = of.kind == ValueKind::kContainer ? objects_[of.a].kind : ContainerKind::kOther;
  const bool is_callable = of.kind == ValueKind::kFunction || of.kind == ValueKind::kBound;
  if (name == "builtins.type") return of.kind == ValueKind::kClass || of.kind == ValueKind::kExternal;
  if (name == "types.FunctionType" || name == "types.LambdaType" || name == "types.MethodType") return is_callable;
  if (name == "builtins.list") return container == ContainerKind::kList || container == ContainerKind::kModules;
  if (name == "builtins.tuple") return container == ContainerKind::kTuple || container == ContainerKind::kRest;
  if (name == "builtins.dict") return container == ContainerKind::kDict || container == ContainerKind::kKeywords;
  if (name == "builtins.str") {
    return of.kind == ValueKind::kText || (of.kind == ValueKind::kExternalInstance && names_[of.a] == name);
  }
  if (name == "builtins.int") return of.kind == ValueKind::kInteger;
  if (name == "functools.partial") return container == ContainerKind::kPartial;
  if (of.kind == ValueKind::kInstance) {
    const ClassId id(std::size_t{of.a});
    return program_.derives_from(id, name) || (name == "torch.nn.Module" && is_module_subclass(id));
  }
  if (container == ContainerKind::kModules || container == ContainerKind::kWrapper) return name.starts_with("torch.");
  if (of.kind == ValueKind::kExternalInstance) {
    return names_[of.a] == name || !(is_tensor_class(name) || is_tensor_class(names_[of.a])) ||
           (is_tensor_class(name) && is_tensor_class(names_[of.a]));
  }
  return name.starts_with("collections.abc.") || name.starts_with("typing.");
}

}  // namespace lockstep::program::flow
