#include "rules/training/value_places.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/word_tables.h"

namespace lockstep::rules {

using namespace python;
using program::FunctionId;

struct ValuePlaces::Asked {
  FunctionId function;
  int left = 200;  ///< Expressions that may still be looked at.
};

namespace {

// Methods of tensors that give Python values.
constexpr auto kToHost = std::to_array<std::string_view>(
    {"item", "tolist", "numel", "nelement", "size", "dim", "ndimension", "element_size", "is_contiguous", "get_device",
     "data_ptr", "stride", "storage_offset", "numpy", "is_floating_point", "is_complex"});
// Methods that NumPy arrays, lists, dicts and modules do not have: what has them is a tensor.
constexpr auto kTensorOnly = std::to_array<std::string_view>(
    {"detach",        "unsqueeze",   "contiguous",   "masked_fill", "masked_fill_", "bfloat16",    "requires_grad_",
     "index_select",  "scatter_add", "scatter_add_", "topk",        "expand_as",    "type_as",     "permute",
     "narrow",        "isnan",       "isinf",        "isfinite",    "scatter",      "scatter_",    "gather",
     "masked_select", "zero_",       "fill_",        "copy_",       "div_",         "mul_",        "add_",
     "sub_",          "clamp_",      "clamp_min",    "logsumexp",   "softmax",      "log_softmax", "sigmoid",
     "new_zeros",     "new_empty",   "new_tensor",   "view_as"});
// Attributes of tensors that are Python values.
constexpr auto kHostAttributes =
    std::to_array<std::string_view>({"shape", "dtype", "device", "ndim", "itemsize", "is_cuda", "requires_grad",
                                     "training", "layout", "names", "nbytes"});
constexpr auto kTensorAttributes = std::to_array<std::string_view>({"grad", "main_grad", "T", "mT", "data"});
// torch.* functions that make a tensor on the default device (the CPU) unless told otherwise.
constexpr auto kFactories = std::to_array<std::string_view>(
    {"zeros", "ones", "empty", "full", "arange", "tensor", "as_tensor", "rand", "randn", "randint", "randperm",
     "linspace", "logspace", "eye", "from_numpy", "tril_indices", "triu_indices", "frombuffer", "scalar_tensor"});
// torch.* functions that give Python values.
constexpr auto kHostFunctions = std::to_array<std::string_view>({"is_tensor",
                                                                 "numel",
                                                                 "is_floating_point",
                                                                 "is_complex",
                                                                 "is_storage",
                                                                 "is_inference",
                                                                 "equal",
                                                                 "allclose",
                                                                 "finfo",
                                                                 "iinfo",
                                                                 "device",
                                                                 "Size",
                                                                 "Generator",
                                                                 "is_grad_enabled",
                                                                 "is_autocast_enabled",
                                                                 "get_default_dtype",
                                                                 "get_rank",
                                                                 "get_world_size",
                                                                 "is_initialized",
                                                                 "is_available",
                                                                 "current_device",
                                                                 "device_count",
                                                                 "current_stream",
                                                                 "Event",
                                                                 "Stream",
                                                                 "memory_allocated",
                                                                 "max_memory_allocated",
                                                                 "memory_reserved",
                                                                 "new_group",
                                                                 "get_rng_state",
                                                                 "initial_seed",
                                                                 "promote_types",
                                                                 "result_type",
                                                                 "can_cast",
                                                                 "save",
                                                                 "is_compiling",
                                                                 "is_inference_mode_enabled",
                                                                 "get_device_properties",
                                                                 "get_device_capability",
                                                                 "memory_stats"});
constexpr auto kHostBuiltins = std::to_array<std::string_view>(
    {"len",      "int",   "float", "bool",      "str",        "range",  "isinstance", "hasattr",
     "callable", "id",    "repr",  "enumerate", "type",       "list",   "tuple",      "dict",
     "set",      "round", "ord",   "hash",      "issubclass", "format", "open"});
constexpr auto kHostAnnotations =
    std::to_array<std::string_view>({"int", "float", "bool", "str", "bytes", "ndarray", "dtype", "Path", "Callable",
                                     "Namespace", "Size", "ProcessGroup", "Dict", "dict"});

/// The two meet: what is surer to be on the GPU wins; a tensor and a number are a tensor.
ValuePlace join(ValuePlace a, ValuePlace b) {
  if (a == b) return a;
  if (a == ValuePlace::kHost) return b == ValuePlace::kUnknown ? ValuePlace::kUnknown : b;
  if (b == ValuePlace::kHost) return a == ValuePlace::kUnknown ? ValuePlace::kUnknown : a;
  if (a == ValuePlace::kCudaTensor || b == ValuePlace::kCudaTensor) return ValuePlace::kCudaTensor;
  if (a == ValuePlace::kTensor || b == ValuePlace::kTensor) return ValuePlace::kTensor;
  return ValuePlace::kUnknown;
}

/// What a device expression says: "cuda", "cpu", or only that it is some device.
ValuePlace place_of_device(const Expr& device) {
  if (const auto* text = as<Constant>(&device)) {
    if (text->constant_kind == ConstantKind::kStr && text->text.starts_with("cuda")) return ValuePlace::kCudaTensor;
    if (text->constant_kind == ConstantKind::kStr && text->text.starts_with("cpu")) return ValuePlace::kCpuTensor;
    return text->constant_kind == ConstantKind::kInt ? ValuePlace::kCudaTensor : ValuePlace::kUnknown;
  }
  if (const auto* call = as<Call>(&device)) {
    const std::string_view name = last_part_of(call);
    if (name == "current_device") return ValuePlace::kCudaTensor;
    if (name == "device" && !call->arguments.empty()) return place_of_device(*call->arguments[0]);
  }
  if (const auto* format = as<JoinedStr>(&device); format != nullptr && !format->values.empty()) {
    return place_of_device(*format->values[0]);
  }
  return ValuePlace::kTensor;
}

}  // namespace

ValuePlace place_of_annotation(const Expr* annotation) {
  if (annotation == nullptr) return ValuePlace::kUnknown;
  if (const auto* text = as<Constant>(annotation)) {
    if (text->constant_kind != ConstantKind::kStr) return ValuePlace::kUnknown;
    return text->text == "Tensor" || text->text == "torch.Tensor" ? ValuePlace::kTensor : ValuePlace::kUnknown;
  }
  if (const auto* either = as<BinOp>(annotation); either != nullptr && either->op == BinaryOperator::kBitOr) {
    const ValuePlace left = place_of_annotation(either->left);
    return left == ValuePlace::kTensor || place_of_annotation(either->right) == ValuePlace::kTensor
               ? ValuePlace::kTensor
               : (is<Constant>(either->right) ? left : ValuePlace::kUnknown);
  }
  if (const auto* subscript = as<Subscript>(annotation)) {
    const std::string_view outer = last_part_of(subscript->value);
    if (outer == "Optional" || outer == "Annotated") return place_of_annotation(subscript->index);
    return has(kHostAnnotations, outer) ? ValuePlace::kHost : ValuePlace::kUnknown;
  }
  const std::string_view name = last_part_of(annotation);
  if (name == "Tensor" || name == "Parameter") return ValuePlace::kTensor;
  return has(kHostAnnotations, name) || name.ends_with("Config") ? ValuePlace::kHost : ValuePlace::kUnknown;
}

ValuePlace ValuePlaces::of(FunctionId function, const Expr& expression) const {
  Asked asked{function};
  return place(asked, expression);
}

std::string_view ValuePlaces::external_callee(const Call& call) const {
  const program::CallId id = program_.call_of(&call);
  if (!id.valid()) return {};
  for (const program::CallTarget& target : program_.calls()[id].targets) {
    if (!target.external.empty()) return target.external;
  }
  return {};
}

ValuePlace ValuePlaces::place(Asked& asked, const Expr& expression) const {
  if (--asked.left < 0) return ValuePlace::kUnknown;
  switch (expression.kind) {
    case NodeKind::kConstant:
    case NodeKind::kJoinedStr:
    case NodeKind::kLambda:
    case NodeKind::kDict:
    case NodeKind::kSet:
    case NodeKind::kList:
    case NodeKind::kTuple:
    case NodeKind::kListComp:
    case NodeKind::kDictComp:
    case NodeKind::kSetComp:
    case NodeKind::kGeneratorExp:
      return ValuePlace::kHost;
    case NodeKind::kName:
      return place_of_name(asked, *as<Name>(&expression));
    case NodeKind::kAttribute:
      return place_of_attribute(asked, *as<Attribute>(&expression));
    case NodeKind::kCall:
      return place_of_call(asked, *as<Call>(&expression));
    case NodeKind::kNamedExpr:
      return place(asked, *as<NamedExpr>(&expression)->value);
    case NodeKind::kBinOp: {
      const auto& both = *as<BinOp>(&expression);
      // Counts that are divided: by a number, whatever else is known of it.
      const bool divides = both.op == BinaryOperator::kFloorDiv || both.op == BinaryOperator::kMod;
      const ValuePlace left = place(asked, *both.left);
      if (divides && left == ValuePlace::kCpuTensor && place(asked, *both.right) == ValuePlace::kUnknown) return left;
      return join(left, place(asked, *both.right));
    }
    case NodeKind::kUnaryOp: {
      const auto& unary = *as<UnaryOp>(&expression);
      return unary.op == UnaryOperator::kNot ? ValuePlace::kHost : place(asked, *unary.operand);
    }
    case NodeKind::kCompare: {
      const auto& compare = *as<Compare>(&expression);
      const bool is_identity = std::any_of(compare.ops.begin(), compare.ops.end(), [](CompareOperator op) {
        return op == CompareOperator::kIs || op == CompareOperator::kIsNot || op == CompareOperator::kIn ||
               op == CompareOperator::kNotIn;
      });
      if (is_identity || is<Constant>(compare.left)) return ValuePlace::kHost;
      const auto* right = as<Constant>(compare.comparators[0]);
      if (right != nullptr &&
          (right->constant_kind == ConstantKind::kStr || right->constant_kind == ConstantKind::kNone)) {
        return ValuePlace::kHost;
      }
      return join(place(asked, *compare.left), place(asked, *compare.comparators[0]));
    }
    case NodeKind::kIfExp: {
      const auto& choice = *as<IfExp>(&expression);
      const ValuePlace a = place(asked, *choice.body);
      const ValuePlace b = place(asked, *choice.orelse);
      return a == b || is<Constant>(choice.orelse) ? a : ValuePlace::kUnknown;
    }
    case NodeKind::kSubscript: {
      const auto& subscript = *as<Subscript>(&expression);
      const auto* attribute = as<Attribute>(subscript.value);
      if (attribute != nullptr && attribute->name.text == "shape") return ValuePlace::kHost;
      const ValuePlace base = place(asked, *subscript.value);
      return base == ValuePlace::kHost ? ValuePlace::kUnknown : base;
    }
    default:
      return ValuePlace::kUnknown;
  }
}

const Binding* ValuePlaces::last_binding(FunctionId function, const Name& name) const {
  const program::Function& row = program_.functions()[function];
  const FileFacts& facts = *program_.module_of(function).facts;
  const auto scope = facts.scope_of_node.find(row.node);
  if (scope == facts.scope_of_node.end()) return nullptr;
  const Binding* last = nullptr;
  for (const Binding& binding : facts.scopes[scope->second].bindings) {
    if (binding.name != name.id || binding.kind == BindingKind::kAugAssign) continue;
    // The right-hand side of an assignment reads what was before it.
    const bool own =
        binding.owner != nullptr && binding.kind == BindingKind::kAssign && binding.owner->span.contains(name.span);
    if (binding.name_span.begin < name.span.begin && !own) last = &binding;
  }
  return last;
}

ValuePlace ValuePlaces::place_of_name(Asked& asked, const Name& name) const {
  const Binding* binding = last_binding(asked.function, name);
  if (binding == nullptr) return ValuePlace::kUnknown;
  if (binding->kind == BindingKind::kParameter) return place_of_parameter(asked, *as<Parameter>(binding->node));
  if (const auto* assign = as<Assign>(binding->owner); assign != nullptr && assign->targets.size() == 1) {
    if (is<Name>(assign->targets[0])) return place(asked, *assign->value);
    // a, b = tensor.max(dim=…) gives tensors; a, b = x.shape numbers.
    const auto* attribute = as<Attribute>(assign->value);
    if (attribute != nullptr && attribute->name.text == "shape") return ValuePlace::kHost;
    const auto* call = as<Call>(assign->value);
    if (call == nullptr) return ValuePlace::kUnknown;
    const ValuePlace whole = place_of_call(asked, *call);
    return whole == ValuePlace::kHost && last_part_of(call) != "size" ? ValuePlace::kUnknown : whole;
  }
  if (const auto* annotated = as<AnnAssign>(binding->owner)) {
    const ValuePlace promised = place_of_annotation(annotated->annotation);
    return promised != ValuePlace::kUnknown || annotated->value == nullptr ? promised : place(asked, *annotated->value);
  }
  if (const auto* loop = as<For>(binding->owner)) {
    const auto* call = as<Call>(loop->iterable);
    if (call != nullptr && (last_part_of(call) == "range")) return ValuePlace::kHost;
    const bool counts = call != nullptr && last_part_of(call) == "enumerate";
    const auto* tuple = as<Tuple>(loop->target);
    if (counts && tuple != nullptr && tuple->elements[0] == binding->node) return ValuePlace::kHost;
  }
  return ValuePlace::kUnknown;
}

/// On the CPU if all calls that give it give a tensor there; else what the annotation promises. A test may do all its
/// work on the CPU: of one only a call counts that gives another tensor on the GPU.
ValuePlace ValuePlaces::place_of_parameter(Asked& asked, const Parameter& parameter) const {
  constexpr std::size_t kMostCalls = 16;
  const ValuePlace promised = place_of_annotation(parameter.annotation);
  const program::Function& row = program_.functions()[asked.function];
  const auto callers = program_.callers_of(asked.function);
  if (promised == ValuePlace::kHost || row.def() == nullptr || callers.empty() || callers.size() > kMostCalls)
    return promised;
  const auto signature = Signatures(program_).of_function(asked.function, row.owner.valid() ? 1 : 0);
  if (!signature || signature->find(parameter.name.text) == nullptr) return promised;
  bool is_given = false;
  for (const program::CallId id : callers) {
    const program::CallSite& site = program_.calls()[id];
    const auto* call = as<Call>(site.node);
    if (call == nullptr || asked.left <= 0) return promised;
    const Given given = given_to(*signature, *call, parameter.name.text);
    if (given.how == Given::How::kUnknown) return promised;
    if (given.how == Given::How::kNothing || is_none(given.value)) continue;
    Asked inner{site.caller, asked.left};
    bool is_on_cpu = place(inner, *given.value) == ValuePlace::kCpuTensor;
    if (is_on_cpu && program::is_test_path(program_.module_of(site.caller).path))
      is_on_cpu = std::any_of(call->arguments.begin(), call->arguments.end(),
                              [&](const Expr* other) { return place(inner, *other) == ValuePlace::kCudaTensor; });
    asked.left = inner.left;
    if (!is_on_cpu) return promised;
    is_given = true;
  }
  return is_given ? ValuePlace::kCpuTensor : promised;
}

ValuePlace ValuePlaces::place_of_attribute(Asked& asked, const Attribute& attribute) const {
  const std::string_view name = attribute.name.text;
  if (has(kHostAttributes, name)) return ValuePlace::kHost;
  const auto* base = as<Name>(attribute.value);
  const std::string_view holder = last_part_of(attribute.value);
  if (holder == "config" || holder == "args" || holder == "cfg" || holder.ends_with("_config"))
    return ValuePlace::kHost;
  if (has(kTensorAttributes, name)) return ValuePlace::kTensor;
  if (base != nullptr && base->id == "self") {
    FunctionId at = asked.function;
    while (at.valid() && !program_.functions()[at].owner.valid()) at = program_.functions()[at].enclosing;
    const program::Field* field = at.valid() ? program_.find_field(program_.functions()[at].owner, name) : nullptr;
    if (field == nullptr) return ValuePlace::kUnknown;
    const ValuePlace promised = place_of_annotation(field->annotation);
    if (promised != ValuePlace::kUnknown || field->default_value == nullptr) return promised;
    const auto* constant = as<Constant>(field->default_value);
    // `self.x = None` says nothing of what comes later; a number or text does.
    if (constant != nullptr && constant->constant_kind != ConstantKind::kNone) return ValuePlace::kHost;
    if (!field->assigned_in.valid()) return ValuePlace::kUnknown;
    Asked inner{field->assigned_in, asked.left};
    const ValuePlace found = place(inner, *field->default_value);
    asked.left = inner.left;
    return found == ValuePlace::kCpuTensor ? ValuePlace::kTensor : found;  // Modules are moved to the GPU later.
  }
  return ValuePlace::kUnknown;
}

ValuePlace ValuePlaces::place_of_returned(FunctionId callee) const {
  const FunctionDef* def = program_.functions()[callee].def();
  return def == nullptr ? ValuePlace::kUnknown : place_of_annotation(def->returns);
}

ValuePlace ValuePlaces::place_of_call(Asked& asked, const Call& call) const {
  const program::CallId id = program_.call_of(&call);
  if (id.valid()) {
    for (const program::CallTarget& target : program_.calls()[id].targets) {
      if (!target.function.valid() || target.kind == program::CallKind::kCallback) continue;
      const ValuePlace promised = place_of_returned(target.function);
      // Computed from a tensor on the CPU among others, it may be there too.
      const bool may_be_on_cpu = promised == ValuePlace::kTensor &&
                                 std::any_of(call.arguments.begin(), call.arguments.end(), [&](const Expr* argument) {
                                   return place(asked, *argument) == ValuePlace::kCpuTensor;
                                 });
      return may_be_on_cpu ? ValuePlace::kUnknown : promised;
    }
  }
  const std::string_view external = external_callee(call);
  if (external.starts_with("torch.Tensor.")) {
    const auto* method = as<Attribute>(call.callee);
    return method == nullptr ? ValuePlace::kTensor : place_of_method(asked, call, *method);
  }
  if (external.starts_with("torch.")) return place_of_torch(asked, call, external);
  for (const std::string_view library : {"numpy.", "math.", "time.", "os.", "random.", "json.", "re."}) {
    if (external.starts_with(library)) return ValuePlace::kHost;
  }
  if (const auto* name = as<Name>(call.callee)) {
    if (has(kHostBuiltins, name->id)) return ValuePlace::kHost;
    if ((name->id == "max" || name->id == "min" || name->id == "sum" || name->id == "abs") && !call.arguments.empty()) {
      ValuePlace all = place(asked, *call.arguments[0]);
      for (std::size_t i = 1; i < call.arguments.size(); ++i) all = join(all, place(asked, *call.arguments[i]));
      return call.arguments.size() == 1 && all == ValuePlace::kHost ? ValuePlace::kUnknown : all;
    }
    return ValuePlace::kUnknown;
  }
  const auto* method = as<Attribute>(call.callee);
  return method == nullptr ? ValuePlace::kUnknown : place_of_method(asked, call, *method);
}

ValuePlace ValuePlaces::place_of_moved(Asked& asked, const Call& call, ValuePlace receiver) const {
  const Expr* device = keyword_value(call, "device");
  if (device == nullptr && !call.arguments.empty()) device = call.arguments[0];
  if (device == nullptr) return receiver;
  const auto* attribute = as<Attribute>(device);
  if (attribute != nullptr && (attribute->name.text == "dtype" || last_part_of(attribute->value) == "torch"))
    return receiver;
  if (attribute != nullptr && attribute->name.text == "device") {
    const ValuePlace model = place(asked, *attribute->value);
    if (may_be_on_gpu(model) || model == ValuePlace::kCpuTensor) return model;
    // `torch.tensor(2).to(x.device)`: of a value that may be on the CPU nothing is known after it either.
    const bool is_local = is<Name>(attribute->value) && as<Name>(attribute->value)->id != "self";
    return receiver == ValuePlace::kCpuTensor && is_local ? ValuePlace::kUnknown : ValuePlace::kTensor;
  }
  const ValuePlace named = place_of_device(*device);
  return named == ValuePlace::kTensor && is<Name>(device) && receiver != ValuePlace::kUnknown ? receiver : named;
}

ValuePlace ValuePlaces::place_of_method(Asked& asked, const Call& call, const Attribute& method) const {
  const std::string_view name = method.name.text;
  if (has(kToHost, name)) return ValuePlace::kHost;
  if (name == "cpu" || name == "pin_memory") return ValuePlace::kCpuTensor;
  if (name == "cuda") return ValuePlace::kCudaTensor;
  const ValuePlace receiver = place(asked, *method.value);
  if (name == "to") return place_of_moved(asked, call, receiver);
  if (receiver == ValuePlace::kHost) return ValuePlace::kUnknown;
  if (receiver == ValuePlace::kUnknown) return has(kTensorOnly, name) ? ValuePlace::kTensor : ValuePlace::kUnknown;
  return receiver;
}

ValuePlace ValuePlaces::place_of_torch(Asked& asked, const Call& call, std::string_view name) const {
  const std::string_view last = name.substr(name.rfind('.') + 1);
  if (has(kHostFunctions, last)) return ValuePlace::kHost;
  if (name.starts_with("torch.distributed.") || name.starts_with("torch.nn.init.")) return ValuePlace::kUnknown;
  if (!last.empty() && last[0] >= 'A' && last[0] <= 'Z') {
    const bool is_typed = name.starts_with("torch.cuda.") && last.ends_with("Tensor");
    return is_typed ? ValuePlace::kCudaTensor : ValuePlace::kUnknown;  // Classes: modules, optimizers, ….
  }
  const Expr* device = keyword_value(call, "device");
  if (has(kFactories, last)) {
    if (device == nullptr) {
      const bool keeps = last == "as_tensor" && !call.arguments.empty();
      return keeps ? join(place(asked, *call.arguments[0]), ValuePlace::kCpuTensor) : ValuePlace::kCpuTensor;
    }
    const auto* attribute = as<Attribute>(device);
    if (attribute != nullptr && attribute->name.text == "device" &&
        place(asked, *attribute->value) == ValuePlace::kCudaTensor) {
      return ValuePlace::kCudaTensor;
    }
    return place_of_device(*device);
  }
  const bool computes = name.find('.') == name.rfind('.') || name.starts_with("torch.nn.functional.") ||
                        name.starts_with("torch.linalg.") || name.starts_with("torch.special.");
  if (!computes) return ValuePlace::kUnknown;
  ValuePlace all = ValuePlace::kHost;
  for (const Expr* argument : call.arguments) {
    const auto* list = as<List>(argument);
    const Expr& part = list != nullptr && !list->elements.empty() ? *list->elements[0] : *argument;
    all = join(all, place(asked, part));
  }
  return all == ValuePlace::kCpuTensor || all == ValuePlace::kCudaTensor ? all : ValuePlace::kTensor;
}

bool ValuePlaces::is_given_by_loader(FunctionId function, const Expr& expression) const {
  const Expr* from = &expression;
  for (int i = 0; i < 4; ++i) {
    while (const auto* element = as<Subscript>(from)) from = element->value;
    const auto* name = as<Name>(from);
    const Binding* binding = name == nullptr ? nullptr : last_binding(function, *name);
    const auto* assign = binding == nullptr ? nullptr : as<Assign>(binding->owner);
    if (assign == nullptr) break;
    from = assign->value;
  }
  const auto* call = as<Call>(from);
  const auto* callee = call == nullptr ? nullptr : as<Name>(call->callee);
  if (callee == nullptr || callee->id != "next" || call->arguments.empty()) return false;
  const std::string_view iterator = last_part_of(call->arguments[0]);
  return contains(iterator, "data") || contains(iterator, "loader") || contains(iterator, "batch");
}

bool ValuePlaces::is_mask(FunctionId function, const Expr& expression) const {
  Asked asked{function, 50};
  return is_mask_within(asked, expression);
}

bool ValuePlaces::is_mask_within(Asked& asked, const Expr& expression) const {
  if (--asked.left < 0) return false;
  if (const auto* compare = as<Compare>(&expression)) {
    return compare->ops.size() == 1 && compare->ops[0] != CompareOperator::kIs &&
           compare->ops[0] != CompareOperator::kIsNot && compare->ops[0] != CompareOperator::kIn &&
           compare->ops[0] != CompareOperator::kNotIn && may_be_on_gpu(place(asked, *compare));
  }
  if (const auto* unary = as<UnaryOp>(&expression)) {
    return unary->op == UnaryOperator::kInvert && is_mask_within(asked, *unary->operand);
  }
  if (const auto* both = as<BinOp>(&expression)) {
    const bool logical = both->op == BinaryOperator::kBitAnd || both->op == BinaryOperator::kBitOr;
    return logical && is_mask_within(asked, *both->left) && is_mask_within(asked, *both->right);
  }
  if (const auto* call = as<Call>(&expression)) {
    const std::string_view name = last_part_of(call);
    const bool makes_mask = name == "bool" || name == "logical_and" || name == "logical_or" || name == "logical_not" ||
                            name == "isnan" || name == "isfinite" || name == "isinf" || name == "isin";
    return makes_mask && is<Attribute>(call->callee) && may_be_on_gpu(place(asked, *call));
  }
  if (const auto* name = as<Name>(&expression)) {
    const Binding* binding = last_binding(asked.function, *name);
    const auto* assign = binding == nullptr ? nullptr : as<Assign>(binding->owner);
    return assign != nullptr && assign->targets.size() == 1 && is<Name>(assign->targets[0]) &&
           is_mask_within(asked, *assign->value);
  }
  return false;
}

}  // namespace lockstep::rules
