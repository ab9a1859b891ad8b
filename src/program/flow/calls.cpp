// Calls: which code a callee value runs, and how arguments reach its parameters.
#include <algorithm>

#include "base/check.h"
#include "program/flow/solver.h"

namespace lockstep::program::flow {
namespace {

/// Bounds on copies of functions per caller. Beyond them, calls share the function's own code.
constexpr std::uint32_t kMaxActivationDepth = 3;
constexpr std::uint32_t kMaxActivationsPerSite = 12;
constexpr std::uint32_t kMaxActivationsPerFunction = 600;  ///< Twice what Megatron-LM's busiest decorator has.
constexpr std::uint32_t kMaxCopiedOpsPerFunction = 60'000;
constexpr std::uint32_t kMaxCopiedOpsForTests = 800;
constexpr std::uint32_t kMaxCallsInCopies = 60'000;
/// All copies together may be as many as the program's own ops, which keeps work linear in them, and in small programs
/// this many. (Megatron-LM: half of its own.)
constexpr std::size_t kCopiedOpsOfSmallPrograms = 200'000;
/// Bounds on calls that models derive from calls (a partial that holds itself, reduce(reduce, …)): no program that
/// means anything comes near them.
constexpr int kMaxNestedCalls = 64;
constexpr std::size_t kMaxCallsPerOp = 16;

using ParameterKind = python::Parameter::Kind;

}  // namespace

CallRecordId Solver::add_call(OpId op, std::span<const Argument> arguments, CallKind kind, Slot dst) {
  CallRecordId& known = known_call(op, arguments, kind, dst);
  if (known != kNone) return known;
  const auto first = static_cast<std::uint32_t>(arguments_.size());
  const std::vector<Argument> copy(arguments.begin(), arguments.end());  // may point into arguments_
  arguments_.insert(arguments_.end(), copy.begin(), copy.end());
  calls_.push_back({op, first, static_cast<std::uint16_t>(copy.size()), kind, false, dst});
  return known = static_cast<CallRecordId>(calls_.size() - 1);
}

/// The same call without its first `skip` positional arguments.
CallRecordId Solver::add_call_tail(const CallRecord& call, std::size_t skip, CallKind kind, Slot dst) {
  const auto dropped = static_cast<std::uint16_t>(std::min<std::size_t>(skip, call.argument_count));
  CallRecord tail = call;
  tail.first_argument += dropped;
  tail.argument_count = static_cast<std::uint16_t>(tail.argument_count - dropped);
  tail.kind = kind;
  tail.dst = dst;
  CallRecordId& known = known_call(tail.op, arguments_of(tail), kind, dst);
  if (known != kNone) return known;
  calls_.push_back(tail);
  return known = static_cast<CallRecordId>(calls_.size() - 1);
}

/// The derived call with these parts, kNone if it is new. Modules that hold modules as their `forward` derive the same
/// call from each other without end.
CallRecordId& Solver::known_call(OpId op, std::span<const Argument> arguments, CallKind kind, Slot dst) {
  std::uint64_t key = mix(pair_key(op, dst)) ^ mix(pair_key(static_cast<unsigned>(kind), 0));
  for (const Argument& argument : arguments) key = mix(key ^ mix(pair_key(argument.slot, argument.name)));
  return derived_calls_.at(key | 1);
}

std::span<const Argument> Solver::arguments_of(const CallRecord& call) const {
  return {arguments_.data() + call.first_argument, call.argument_count};
}

/// Slot of positional argument `position`, or of the keyword; 0 where neither is given.
Slot Solver::argument_slot(const CallRecord& call, std::size_t position, std::string_view keyword) const {
  const auto arguments = arguments_of(call);
  if (position < arguments.size() && arguments[position].name == Argument::kPositional) {
    const bool after_star = std::any_of(arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(position),
                                        [](const Argument& a) { return a.name == Argument::kStar; });
    if (!after_star) return arguments[position].slot;
  }
  if (keyword.empty()) return 0;
  for (const Argument& argument : arguments) {
    if (argument.name < names_.size() && names_[argument.name] == keyword) return argument.slot;
  }
  return 0;
}

Slot Solver::slot_in(FrameId frame, Slot slot) const {
  for (; frame != 0; frame = frames_[frame].parent) {
    const FrameInfo& info = frames_[frame];
    if (slot >= info.first_slot && slot < info.end_slot) return info.slot_at + (slot - info.first_slot);
  }
  return slot;
}

ObjectId Solver::object_in(FrameId frame, ObjectId object) const {
  for (; frame != 0; frame = frames_[frame].parent) {
    const FrameInfo& info = frames_[frame];
    if (object >= info.first_object && object < info.end_object) return info.object_at + (object - info.first_object);
  }
  return object;
}

void Solver::call(CallRecordId id, ValueId callee) {
  const Value value = values_[callee];
  switch (value.kind) {
    case ValueKind::kFunction:
      return call_function(id, callee, kNone, callee);
    case ValueKind::kBound:
      return call_function(id, value.a, value.b, value.a);
    case ValueKind::kStaticMethod:
      return call(id, value.a);
    default:
      break;
  }
  std::uint32_t& done = links_.at(pair_key(id, callee));
  if (done != kNone) return;
  done = 0;
  count_call(calls_[id].op);
  if (is_question_of(id)) open_all(calls_[id].op);
  if (nested_calls_ >= kMaxNestedCalls || calls_.size() > kMaxCallsPerOp * (base_op_count() + copied_ops_ + 1024))
    return;
  ++nested_calls_;
  call_object(id, callee);
  --nested_calls_;
}

/// Calls of anything but plain functions.
void Solver::call_object(CallRecordId id, ValueId callee) {
  const Value value = values_[callee];
  const CallRecord record = calls_[id];
  switch (value.kind) {
    case ValueKind::kClass:
      return call_class(id, callee);
    case ValueKind::kInstance:
      return call_instance(id, callee);
    case ValueKind::kExternal:
      return call_external(id, value.a, kNone, callee);
    case ValueKind::kBoundExternal:
      return call_external(id, value.a, value.b, callee);
    case ValueKind::kExternalInstance: {
      if (is_mock_class(names_[value.a]) && !is_test_op(record.op)) return;
      const bool is_torch_module = names_[value.a].starts_with("torch.nn.");
      const NameId name = dotted(value.a, name_id(is_torch_module ? "forward" : "__call__"));
      record_external(record.op, name, is_torch_module ? CallKind::kModuleCall : record.kind, callee);
      if (is_torch_module) {
        graph_.add_value(record.dst, values_.intern(ValueKind::kExternalInstance, known_.tensor));
      }
      return;
    }
    case ValueKind::kContainer: {
      const ContainerKind kind = objects_[value.a].kind;
      std::uint32_t& once = done_.at(pair_key(record.op, callee) ^ (std::uint64_t{3} << 62));
      if (once != kNone) return;
      once = 1;
      if (kind == ContainerKind::kPartial) return call_partial(id, callee);
      if (kind == ContainerKind::kReference) return graph_.add_edge(element_any(value.a), record.dst);
      if (kind != ContainerKind::kModules && kind != ContainerKind::kWrapper) return;
      CallRecord inner = record;
      inner.kind = CallKind::kModuleCall;
      calls_.push_back(inner);
      return use(element_all(value.a), {UseKind::kCallee, static_cast<CallRecordId>(calls_.size() - 1)});
    }
    case ValueKind::kContainerMethod:
      container_call(id, value.a, value.b);
      return;
    case ValueKind::kIdentity:
      return graph_.add_edge(argument_slot(record, 0, {}), record.dst);
    case ValueKind::kAutograd:
      return call_autograd(id, ClassId(std::size_t{value.a}));
    case ValueKind::kExternalResult:
      // An unknown decorator, made by an unknown function, is taken to give back what it decorates.
      if (op_of(record.op).code == OpCode::kDecorate) graph_.add_edge(argument_slot(record, 0, {}), record.dst);
      return;
    case ValueKind::kGenerator:
      // contextlib.ContextDecorator: `@timed("f")` runs what it decorates inside the context that a generator makes.
      if (op_of(record.op).code == OpCode::kDecorate) graph_.add_edge(argument_slot(record, 0, {}), record.dst);
      return;
    default:
      return;
  }
}

/// `is_method`: `function` was found in the class of `receiver`, which the call names.
void Solver::call_function(CallRecordId id, ValueId function, ValueId receiver, ValueId choice, bool is_method) {
  const Value value = values_[function];
  if (value.kind != ValueKind::kFunction) return call(id, function);
  const std::uint32_t index = code_of_function_[value.a];
  if (index == kNone) return;
  FrameId frame = links_.find(pair_key(id, function));
  const bool is_first = frame == kNone;
  const CallRecord record = calls_[id];
  if (is_first) {
    count_call(record.op);
    this->record(record.op, FunctionId(std::size_t{value.a}), record.kind, choice);
    frame = activation(record, index, function, receiver != kNone ? 1 : 0);
    links_.at(pair_key(id, function)) = frame;
    if (frame == value.b) has_shared_callers_[index] = true;
    const FunctionCode& code = code_[index];
    if ((code.per_caller || frame != 0) && !is_test_op(record.op))
      frame_entries_.push_back({base_op(record.op), index, frame});
    if (code.yielded != 0) {
      const ValueId in_frame = values_.intern(ValueKind::kFunction, value.a, frame);
      graph_.add_value(record.dst, values_.intern(ValueKind::kGenerator, in_frame));
    } else {
      graph_.add_edge(slot_in(frame, code.result), record.dst);
    }
    if (!model_of_function_.empty() && model_of_function_[value.a] != nullptr) {
      const Model& model = *model_of_function_[value.a];
      model_call(id, model, name_id(model.name), receiver);
    }
  }
  if (is_question_of(id)) answer_all(id, index, frame, receiver, is_method);
  // What tests put into the code under test (mocks, odd configurations) would only blur what it does in earnest.
  const bool is_private = frame != value.b;
  const ModuleId callee_module = program_.functions()[code_[index].id].module;
  if (!is_private && is_test_op(record.op) && !is_test_module_[callee_module.index()]) {
    test_calls_.push_back({id, index, frame, receiver});
    return;
  }
  enter_function(id, index, frame, receiver, is_first);
}

void Solver::enter_function(CallRecordId id, std::uint32_t function, FrameId frame, ValueId receiver, bool is_first) {
  if (is_first) pass_arguments(calls_[id], function, frame, receiver != kNone ? 1 : 0);
  if (receiver == kNone) return;
  const FunctionCode& code = code_[function];
  if (positional_count(code) > 0) {
    graph_.add_value(slot_in(frame, code.first_slot), receiver);
  } else if (code.rest_object != kNone) {
    graph_.add_value(element_at(object_in(frame, code.rest_object), values_.intern(ValueKind::kInteger, 0)), receiver);
  }
}

/// After the first fixed point: tests' arguments count for functions that only tests call.
void Solver::release_test_calls() {
  const auto waiting = std::move(test_calls_);
  test_calls_.clear();
  for (const TestCall& each : waiting) {
    if (has_own_callers_[code_[each.function].id.index()]) continue;
    enter_function(each.call, each.function, each.frame, each.receiver, true);
  }
}

bool Solver::is_test_class(ValueId cls) const {
  const ClassId id(std::size_t{values_[cls].a});
  return is_test_module_[program_.classes()[id].module.index()];
}

/// The frame in which a call runs `function`: one of its own where callers are told apart. `position`: of the parameter
/// that the call's first argument goes to.
FrameId Solver::activation(const CallRecord& call, std::uint32_t function, ValueId value, std::uint32_t position) {
  const FrameId outer = values_[value].b;
  const FunctionCode& code = code_[function];
  const std::uint32_t size = code.end_op - code.first_op;
  const std::uint32_t depth = frames_[frame_of_op(call.op)].depth + 1;
  const std::size_t most = std::max(base_op_count(), kCopiedOpsOfSmallPrograms);
  if (!code.per_caller || depth > kMaxActivationDepth || copied_ops_ + size > most) return outer;
  const bool is_test = is_test_op(call.op) && !is_test_module_[program_.functions()[code.id].module.index()];
  if (is_test && keeps_callable_[code.id.index()] != 0) return outer;
  const std::uint64_t key = pair_key(call.op, value);
  if (const FrameId known = activations_.find(key); known != kNone) return known;
  // A function that calls itself, through whatever closures, is not told apart from itself.
  for (FrameId at = frame_of_op(call.op); at != 0; at = frames_[at].caller) {
    if (frames_[at].function == function) return outer;
  }
  std::uint32_t& at_site = site_activations_.at(pair_key(base_op(call.op), function));
  if (at_site == kNone) at_site = 0;
  if (at_site >= kMaxActivationsPerSite && !code.is_factory) return outer;
  ++at_site;
  std::uint32_t& count = is_test ? test_activation_counts_[function] : activation_counts_[function];
  if (count * size > (is_test ? kMaxCopiedOpsForTests : kMaxCopiedOpsPerFunction)) return outer;
  if (calls_in_copies_[function] > kMaxCallsInCopies) return outer;
  if (count >= kMaxActivationsPerFunction) return outer;
  ++count;
  copied_ops_ += size;
  const FrameId frame = copy_function(call, function, outer);
  activations_.at(key) = frame;
  const OpId first = frames_[frame].op_at;
  if (!code.guards.empty()) {
    const Literals& literals = literals_[frame] = literals_of(call, function, position);
    close_guarded(function, first, literals);
  }
  instantiate(first, static_cast<OpId>(first + size));
  return frame;
}

/// Notes that op `id` calls one more thing, where it stands in a copy: copies of a call site that reaches thousands of
/// functions cost more than the ops that were copied.
void Solver::count_call(OpId id) {
  const FrameId frame = frame_of_op(id);
  if (frame != 0) ++calls_in_copies_[frames_[frame].function];
}

/// Copies the slots, objects and ops of a function for one call; the copy is not instantiated yet.
FrameId Solver::copy_function(const CallRecord& call, std::uint32_t function, FrameId outer) {
  const FunctionCode& code = code_[function];
  const auto frame = static_cast<FrameId>(frames_.size());
  FrameInfo info;
  info.parent = outer;
  info.first_slot = code.first_slot;
  info.end_slot = code.end_slot;
  info.slot_at = graph_.add_slots(code.end_slot - code.first_slot);
  info.first_object = code.first_object;
  info.end_object = code.end_object;
  info.object_at = static_cast<ObjectId>(objects_.size());
  info.op_at = static_cast<OpId>(kFirstCopy + copies_.size());
  info.depth = frames_[frame_of_op(call.op)].depth + 1;
  info.caller = frame_of_op(call.op);
  info.function = function;
  info.is_test = is_test_op(call.op);
  frames_.push_back(info);
  for (ObjectId object = code.first_object; object < code.end_object; ++object) new_object(objects_[object].kind);
  for (std::uint32_t each = function; each < code_.size() && code_[each].first_op < code.end_op; ++each) {
    frames_of_code_[each].push_back(frame);
  }
  for (OpId id = code.first_op; id < code.end_op; ++id) {
    const Op& op = own_ops_[id];
    const auto first_argument = static_cast<std::uint32_t>(arguments_.size());
    for (std::uint32_t i = 0; i < op.argument_count; ++i) {
      const Argument argument = arguments_[op.first_argument + i];
      arguments_.push_back({slot_in(frame, argument.slot), argument.name});
    }
    copies_.push_back({id & 0x7FFFFFFFU, 0, frame, first_argument});
    call_of_op_.copies.push_back(kNone);
  }
  return frame;
}

// ---------------------------------------------------------------------------------------------------------------------
// Arguments

/// Parameters that the call may leave out hold their default.
void Solver::pass_defaults(const CallRecord& call, std::uint32_t function, FrameId frame, std::uint32_t position) {
  const FunctionCode& code = code_[function];
  if (code.defaults.empty()) return;
  bool has_star = false;
  for (const Argument& argument : arguments_of(call)) {
    has_star = has_star || argument.name == Argument::kStar || argument.name == Argument::kDoubleStar;
    if (argument.name == Argument::kPositional && !has_star) ++position;
  }
  const auto is_keyword = [&](NameId name) {
    const auto arguments = arguments_of(call);
    return std::any_of(arguments.begin(), arguments.end(), [&](const Argument& a) { return a.name == name; });
  };
  const std::uint32_t count = positional_count(code);
  for (const auto& [parameter, slot] : code.defaults) {
    const bool is_given = (parameter < count && parameter < position) || is_keyword(code.parameter_names[parameter]);
    if (!is_given) graph_.add_edge(slot_in(frame, slot), slot_in(frame, code.first_slot + parameter));
  }
}

void Solver::pass_arguments(const CallRecord& call, std::uint32_t function, FrameId frame, std::uint32_t position) {
  pass_defaults(call, function, frame, position);
  for (std::uint32_t i = 0; i < call.argument_count; ++i) {
    const Argument argument = arguments_[call.first_argument + i];
    if (argument.name == Argument::kPositional) {
      pass_positional(function, frame, position++, argument.slot);
    } else if (argument.name == Argument::kStar || argument.name == Argument::kDoubleStar) {
      stars_.push_back({function, frame, position});
      const UseKind kind = argument.name == Argument::kStar ? UseKind::kStar : UseKind::kDoubleStar;
      use(argument.slot, {kind, static_cast<std::uint32_t>(stars_.size() - 1)});
    } else {
      pass_keyword(function, frame, argument.name, argument.slot);
    }
  }
}

void Solver::pass_positional(std::uint32_t function, FrameId frame, std::uint32_t position, Slot value) {
  const FunctionCode& code = code_[function];
  const std::uint32_t count = positional_count(code);
  if (position < count) return graph_.add_edge(value, slot_in(frame, code.first_slot + position));
  if (code.rest_object == kNone) return;
  const ObjectId rest = object_in(frame, code.rest_object);
  graph_.add_edge(value, element_at(rest, values_.intern(ValueKind::kInteger, position - count)));
}

void Solver::pass_keyword(std::uint32_t function, FrameId frame, NameId name, Slot value) {
  const FunctionCode& code = code_[function];
  const auto& names = code.parameter_names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const ParameterKind kind = code.parameters->all[i]->parameter_kind;
    const bool takes_keyword = kind == ParameterKind::kPositionalOrKeyword || kind == ParameterKind::kKeywordOnly;
    if (names[i] == name && takes_keyword) {
      return graph_.add_edge(value, slot_in(frame, code.first_slot + static_cast<Slot>(i)));
    }
  }
  if (code.keywords_object == kNone) return;
  const ObjectId keywords = object_in(frame, code.keywords_object);
  graph_.add_edge(value, element_at(keywords, values_.intern(ValueKind::kText, name)));
}

void Solver::pass_star(std::uint32_t star, ValueId container) {
  if (values_[container].kind != ValueKind::kContainer) return;
  const ObjectId object = values_[container].a;
  objects_[object].watchers.push_back({Object::Watcher::Kind::kStar, star, 0});
  const auto keyed = objects_[object].keyed;
  for (const auto& [key, slot] : keyed) pass_star_element(stars_[star], key, slot);
  // Elements at unknown places may reach every parameter from here on.
  const StarRecord record = stars_[star];
  const std::uint32_t count = positional_count(code_[record.function]);
  const bool is_sequence =
      objects_[object].kind != ContainerKind::kDict && objects_[object].kind != ContainerKind::kKeywords;
  if (!is_sequence) return;
  const Slot any = element_any(object);
  for (std::uint32_t position = record.position; position < count; ++position) {
    pass_positional(record.function, record.frame, position, any);
  }
  if (code_[record.function].rest_object != kNone) {
    graph_.add_edge(any, element_any(object_in(record.frame, code_[record.function].rest_object)));
  }
}

void Solver::pass_star_element(const StarRecord& star, ValueId key, Slot slot) {
  const Value value = values_[key];
  const StarRecord record = star;
  if (value.kind == ValueKind::kInteger && value.a < 0x7fffffffu) {
    pass_positional(record.function, record.frame, record.position + value.a, slot);
  } else if (value.kind == ValueKind::kText) {
    pass_keyword(record.function, record.frame, value.a, slot);
  }
}

void Solver::pass_double_star(std::uint32_t star, ValueId container) {
  if (values_[container].kind != ValueKind::kContainer) return;
  const ObjectId object = values_[container].a;
  objects_[object].watchers.push_back({Object::Watcher::Kind::kStar, star, 0});
  const auto keyed = objects_[object].keyed;
  for (const auto& [key, slot] : keyed) pass_star_element(stars_[star], key, slot);
  const StarRecord record = stars_[star];
  if (code_[record.function].keywords_object != kNone) {
    graph_.add_edge(element_any(object), element_any(object_in(record.frame, code_[record.function].keywords_object)));
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Classes and instances

void Solver::call_class(CallRecordId id, ValueId cls_value) {
  const CallRecord record = calls_[id];
  const ClassId cls(std::size_t{values_[cls_value].a});
  if (is_abstract(cls)) {
    // Nothing is made of an abstract class: who calls it holds one of those below it.
    const std::vector<ValueId> made = made_for(cls);
    const bool are_others =
        std::none_of(made.begin(), made.end(), [&](ValueId each) { return values_[each].a == cls.value; });
    for (const ValueId each : made) {
      if (are_others) call(id, class_values_[values_[each].a]);
    }
    if (are_others) return;
  }
  const Class& of = program_.classes()[cls];
  const bool is_record = of.is_dataclass || program_.derives_from(cls, "typing.NamedTuple");
  const bool is_from_test = is_test_op(record.op) && !is_test_class(cls_value);
  const bool is_told_apart = is_record || ((keeps_callable(cls) || is_container_heir(cls)) && !is_from_test);
  const ValueId instance = values_.intern(ValueKind::kInstance, cls.value, is_told_apart ? record.op + 1 : 0);
  graph_.add_value(record.dst, instance);
  const bool is_written = record.kind != CallKind::kImplicit && record.kind != CallKind::kCallback;
  const CallKind kind = is_written ? CallKind::kConstructor : record.kind;
  if (const Slot maker = class_attribute(cls, known_.make, ClassId{}); maker != 0) {
    const CallRecordId inner = add_call_tail(record, 0, kind, record.dst);
    use(maker, {UseKind::kForce, cls_value, inner});
  }
  const Slot init = class_attribute(cls, known_.init, ClassId{});
  makes_plain_[base_op(record.op)] = true;
  if (init != 0) {
    use(init, {UseKind::kForce, instance, add_call_tail(record, 0, kind, 0)});
  } else if (is_record) {
    fill_record(record, cls, instance);
    if (const Slot post = class_attribute(cls, known_.post_init, ClassId{}); post != 0) {
      use(post, {UseKind::kForce, instance, add_call(record.op, {}, kind, 0)});
    }
  } else if (const NameId base = external_base(cls, ClassId{}); base != kNone) {
    fill_heir(record, instance);
    if (!names_[base].starts_with("builtins."))
      record_external(record.op,
                      is_enum_[cls.index()] != 0 ? name_id("enum.EnumType.__call__") : dotted(base, known_.init), kind,
                      cls_value);
  }
}

/// The fields that the generated __init__ of a dataclass or named tuple takes, in their order.
const std::vector<NameId>& Solver::record_fields(ClassId cls) {
  const auto [entry, is_new] = record_fields_.try_emplace(cls.value);
  std::vector<NameId>& fields = entry->second;
  if (!is_new) return fields;
  const auto& order = program_.classes()[cls].linearized;
  for (auto each = order.rbegin(); each != order.rend(); ++each) {
    // What a base only annotates is no field of a dataclass below it, unless the base is one itself.
    const Class& one = program_.classes()[*each];
    if (*each != cls && !one.is_dataclass && one.node->decorators.empty() &&
        !program_.derives_from(*each, "typing.NamedTuple"))
      continue;
    for (const Field& field : one.fields) {
      if (!field.in_class_body || field.annotation == nullptr) continue;
      const NameId name = name_id(field.name);
      if (std::find(fields.begin(), fields.end(), name) == fields.end()) fields.push_back(name);
    }
  }
  return fields;
}

/// What that __init__ does: arguments become fields. What `**values` gives is not known: any field may be among them.
void Solver::fill_record(const CallRecord& call, ClassId cls, ValueId instance) {
  const std::vector<NameId>& fields = record_fields(cls);
  std::size_t position = 0;
  for (std::uint32_t i = 0; i < call.argument_count; ++i) {
    const Argument argument = arguments_[call.first_argument + i];
    NameId name = argument.name;
    if (name == Argument::kPositional) {
      if (position >= fields.size()) continue;
      name = fields[position++];
    }
    if (name == Argument::kDoubleStar) open_records_.insert(instance);
    if (name == Argument::kStar || name == Argument::kDoubleStar) continue;
    store(instance, name, argument.slot, call.op);
  }
}

void Solver::call_instance(CallRecordId id, ValueId instance) {
  const CallRecord record = calls_[id];
  const ClassId cls(std::size_t{values_[instance].a});
  if (const Slot slot = class_attribute(cls, known_.call, ClassId{}); slot != 0) {
    return use(slot, {UseKind::kBindCall, instance, id, 0});
  }
  const Slot forward = class_attribute(cls, known_.forward, ClassId{});
  const bool has_outer_call = is_module_subclass(cls) || external_base(cls, ClassId{}) != kNone;
  if (forward == 0 || !has_outer_call) {
    if (program_.derives_from(cls, "torch.nn.Sequential")) {
      const ValueId elements = elements_behind(instance, "forward");
      return use(element_all(values_[elements].a),
                 {UseKind::kCallee, add_call_tail(record, 0, CallKind::kModuleCall, record.dst)});
    }
    if (is_module_subclass(cls)) {
      record_external(record.op, dotted(external_base(cls, ClassId{}), known_.forward), CallKind::kModuleCall,
                      instance);
    }
    return;
  }
  call_forward(id, instance);
}

/// torch.nn.Module.__call__: `forward` and the hooks that were registered on modules of the class.
void Solver::call_forward(CallRecordId id, ValueId instance) {
  const CallRecord record = calls_[id];
  const ClassId cls(std::size_t{values_[instance].a});
  const Slot forward = class_attribute(cls, known_.forward, ClassId{});
  use(forward, {UseKind::kForce, instance, add_call_tail(record, 0, CallKind::kModuleCall, record.dst)});
  const Slot hooks = attribute_slot(instance, known_.hooks, true);
  use(hooks, {UseKind::kCallee, add_call(record.op, {}, CallKind::kCallback, 0)});
}

/// torch.autograd.Function.apply(…): forward now (with ctx in front), backward when gradients flow.
void Solver::call_autograd(CallRecordId id, ClassId cls) {
  const CallRecord record = calls_[id];
  const Slot context = new_slot();
  graph_.add_value(context, autograd_context(cls));
  const bool has_setup = class_attribute(cls, name_id("setup_context"), ClassId{}) != 0;
  std::vector<Argument> with_context{{context, Argument::kPositional}};
  for (const Argument& argument : arguments_of(record)) with_context.push_back(argument);
  const std::vector<Argument> plain(with_context.begin() + 1, with_context.end());
  const auto run = [&](std::string_view method, std::span<const Argument> arguments, Slot dst) {
    const Slot slot = class_attribute(cls, name_id(method), ClassId{});
    if (slot == 0) return;
    const CallRecordId inner = add_call(record.op, arguments, CallKind::kAutograd, dst);
    use(slot, {UseKind::kBindCall, class_values_[cls.index()], inner, 0});
  };
  run("forward", has_setup ? std::span<const Argument>(plain) : std::span<const Argument>(with_context), record.dst);
  run("setup_context", {with_context.data(), 1}, 0);
  run("backward", {with_context.data(), 1}, 0);
}

void Solver::call_partial(CallRecordId id, ValueId partial) {
  const CallRecord record = calls_[id];
  const Object& object = objects_[values_[partial].a];
  // The partial's own arguments are kept as a call record whose number is its type.
  const CallRecord bound = calls_[object.type];
  std::vector<Argument> arguments;
  for (std::uint32_t i = 1; i < bound.argument_count; ++i) arguments.push_back(arguments_[bound.first_argument + i]);
  const auto first_keyword = std::find_if(arguments.begin(), arguments.end(), [](const Argument& a) {
    return a.name != Argument::kPositional && a.name != Argument::kStar;
  });
  const auto own = arguments_of(record);
  std::vector<Argument> all(arguments.begin(), first_keyword);
  all.insert(all.end(), own.begin(), own.end());
  all.insert(all.end(), first_keyword, arguments.end());
  use(arguments_[bound.first_argument].slot, {UseKind::kCallee, add_call(record.op, all, record.kind, record.dst)});
}

/// A class statement ran: __init_subclass__ of its bases and methods of its metaclass are called.
void Solver::create_class(OpId op) {
  const Op created = op_of(op);
  const ClassId cls(std::size_t{created.a});
  const ValueId value = class_values_[cls.index()];
  if (const Slot slot = class_attribute(cls, name_id("__init_subclass__"), cls); slot != 0) {
    std::vector<Argument> keywords;
    for (std::uint32_t i = 0; i < created.argument_count; ++i) {
      keywords.push_back(arguments_[created.first_argument + i]);
    }
    use(slot, {UseKind::kBindCall, value, add_call(op, keywords, CallKind::kImplicit, 0), 0});
  }
  for (const ClassId each : program_.classes()[cls].linearized) {
    for (const ClassId meta : metaclasses_[each.index()]) {
      const Slot maker = class_attribute(meta, known_.make, ClassId{});
      const Slot init = class_attribute(meta, known_.init, ClassId{});
      const CallRecordId record = add_call(op, {}, CallKind::kImplicit, 0);
      use(maker, {UseKind::kForce, class_values_[meta.index()], record});
      use(init, {UseKind::kForce, value, record});
    }
  }
}

}  // namespace lockstep::program::flow
