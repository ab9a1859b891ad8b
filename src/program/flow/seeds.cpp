// What declarations say, where value flow finds nothing: receivers of methods that nobody calls, annotated parameters,
// results and fields; and keys that are not literal.
#include <algorithm>
#include <array>
#include <utility>

#include "program/definitions.h"
#include "program/flow/solver.h"
#include "program/named_modules.h"

namespace lockstep::program::flow {
namespace {

/// Subclasses taken to stand behind a receiver that nothing is known of; more would only blur it.
constexpr std::size_t kMaxHeirs = 12;
/// Classes that an object may be of which an annotation names their common base.
constexpr std::size_t kMaxKinds = 32;
/// Abstract methods above a class that are looked for below, for hostile input.
constexpr int kMaxAbstractMethods = 256;
/// Values of a field over all records of a class, up to which an unknown record is taken to hold one of them.
constexpr std::size_t kMaxRecordValues = 24;
/// Containers in containers that an annotation is followed into.
constexpr int kMaxNestedContainers = 3;

// Methods by which torch takes callbacks, and which nothing else has: their receivers (gradient accumulators, autograd
// nodes) come from outside. Source: torch.Tensor and torch.autograd.graph.Node docs.
constexpr auto kHookMethods =
    std::to_array<std::string_view>({"register_hook", "register_post_accumulate_grad_hook", "register_forward_hook",
                                     "register_forward_pre_hook", "register_full_backward_hook"});

bool is_hook_method(std::string_view name) {
  return std::find(kHookMethods.begin(), kHookMethods.end(), name) != kHookMethods.end();
}

/// False for external classes whose instances are anything that can be called, iterated, … .
bool says_what_it_is(std::string_view cls) {
  return cls != "builtins.object" && cls != "builtins.type" && !cls.starts_with("types.") &&
         !cls.starts_with("typing.") && !cls.starts_with("collections.abc.");
}

/// True for classes that say themselves that nothing is made of them: a method is still abstract, or they are a
/// protocol.
bool says_abstract(const Program& program, ClassId id) {
  const Class& cls = program.classes()[id];
  const auto& bases = cls.external_bases;
  if (std::find(bases.begin(), bases.end(), "typing.Protocol") != bases.end()) return true;
  int marked = 0;
  for (const ClassId each : cls.linearized) {
    for (const FunctionId method : program.classes()[each].methods) {
      const python::FunctionDef* def = program.functions()[method].def();
      const bool is_marked = def != nullptr && has_decorator(def->decorators, "abstractmethod");
      if (is_marked && ++marked > kMaxAbstractMethods) return false;
      if (is_marked && program.find_method(id, program.functions()[method].name) == method) return true;
    }
  }
  return false;
}

}  // namespace

/// `cls` and the classes below it that inherit `method` from it, itself first, `most` at most.
std::vector<ValueId> Solver::heirs(ClassId cls, FunctionId method, std::size_t most) {
  std::vector<ClassId> found{cls};
  for (std::size_t next = 0; next < found.size() && found.size() < most; ++next) {
    for (const ClassId sub : program_.subclasses_of(found[next])) {
      // A stub in a test is no kind of the thing that the code under test holds.
      if (is_test_class(class_values_[sub.index()]) && !is_test_class(class_values_[cls.index()])) continue;
      const bool is_known = std::find(found.begin(), found.end(), sub) != found.end();
      const bool inherits = !method.valid() || program_.find_method(sub, program_.functions()[method].name) == method;
      if (!is_known && inherits && found.size() < most) found.push_back(sub);
    }
  }
  std::vector<ValueId> values;
  for (const ClassId each : found) values.push_back(values_.intern(ValueKind::kInstance, each.value));
  return values;
}

bool Solver::is_abstract(ClassId cls) {
  std::uint8_t& known = abstract_[cls.index()];
  if (known == 0) known = says_abstract(program_, cls) ? 2 : 1;
  return known == 2;
}

/// What stands for an object that is said to be a `cls`: instances of it and of the classes below it, without abstract
/// ones. Where those are too many to say anything, of `cls` alone.
std::vector<ValueId> Solver::made_for(ClassId cls) {
  std::vector<ValueId> found = heirs(cls, FunctionId{}, kMaxKinds + 1);
  if (found.size() > kMaxKinds) found.erase(found.begin() + (is_abstract(cls) ? kMaxHeirs : 1), found.end());
  return made_among(std::move(found));
}

/// Instances without those of abstract classes, if any are left.
std::vector<ValueId> Solver::made_among(std::vector<ValueId> found) {
  const auto is_made = [&](ValueId value) { return !is_abstract(ClassId(std::size_t{values_[value].a})); };
  if (std::any_of(found.begin(), found.end(), is_made)) {
    std::erase_if(found, [&](ValueId value) { return !is_made(value); });
  }
  return found;
}

/// True for slots that hold nothing, or results and attributes of things outside of which nothing is known: what is
/// declared says more.
bool Solver::is_unknown(Slot slot) const {
  const auto values = graph_.values(slot);
  return std::all_of(values.begin(), values.end(), [&](ValueId value) {
    return values_[value].kind == ValueKind::kExternalResult || values_[value].kind == ValueKind::kBoundExternal;
  });
}

/// How many values a slot holds, all instances of a class taken for one, and those that cannot be called or have no
/// methods of the repository's for none.
std::size_t Solver::count_kinds(Slot slot) const {
  std::vector<ValueId> found;
  for (const ValueId value : graph_.values(slot)) {
    if (const ValueId general = values_.general(value); general != kNone) found.push_back(general);
  }
  std::sort(found.begin(), found.end());
  return static_cast<std::size_t>(std::unique(found.begin(), found.end()) - found.begin());
}

void Solver::seed_round(int round) {
  seed_closed_branches();

  seed_receivers(round);
  seed_defaults(round);
  seed_annotations(round);
  if (round == 0) return;
  settle();
  seed_records();
  settle();
  seed_fields();
  seed_keys();
  seed_look_ups();
}

void Solver::seed_receivers(int round) {
  for (std::uint32_t i = 0; i < code_.size(); ++i) {
    const FunctionCode& code = code_[i];
    const bool is_method = code.method == MethodKind::kInstance || code.method == MethodKind::kClass;
    const bool takes_context = code.method == MethodKind::kStatic && is_autograd_step(code.id);
    if ((!is_method && !takes_context) || code.parameter_names.empty()) continue;
    if (round == 0 && has_callers_[code.id.index()]) continue;
    std::vector<Slot> slots;
    if (frames_of_code_[i].empty() && graph_.is_empty(code.first_slot)) slots.push_back(code.first_slot);
    for (const FrameId frame : frames_of_code_[i]) {
      if (frames_[frame].function == i) continue;  // a call gives its own receiver
      if (const Slot slot = slot_in(frame, code.first_slot); graph_.is_empty(slot)) slots.push_back(slot);
    }
    if (slots.empty()) continue;
    const ClassId owner = program_.functions()[code.id].owner;
    std::vector<ValueId> values;
    if (takes_context) {
      values.push_back(autograd_context(owner));
    } else {
      values = made_among(heirs(owner, code.id, kMaxHeirs));
    }
    for (ValueId value : values) {
      if (code.method == MethodKind::kClass) value = class_values_[values_[value].a];
      for (const Slot slot : slots) graph_.add_value(slot, value);
    }
  }
}

/// The `ctx` of a torch.autograd.Function: what forward keeps in it is for the backward of the same class.
ValueId Solver::autograd_context(ClassId cls) {
  return values_.intern(ValueKind::kExternalInstance, name_id("torch.autograd.function.FunctionCtx"), cls.value + 1);
}

/// True for methods of a torch.autograd.Function that are given its context first (torch.autograd docs; with a
/// setup_context, forward is not).
bool Solver::is_autograd_step(FunctionId id) const {
  const Function& function = program_.functions()[id];
  if (!function.owner.valid() || !(program_.derives_from(function.owner, "torch.autograd.Function") ||
                                   program_.derives_from(function.owner, "torch.autograd.function.Function"))) {
    return false;
  }
  if (function.name == "forward") return !program_.find_method(function.owner, "setup_context").valid();
  return function.name == "backward" || function.name == "setup_context" || function.name == "jvp";
}

/// Parameters of functions that nobody calls, and those to which nothing known is passed, hold their default.
void Solver::seed_defaults(int round) {
  for (std::uint32_t i = 0; i < code_.size(); ++i) {
    const FunctionCode& code = code_[i];
    if (code.defaults.empty() || (round == 0 && has_callers_[code.id.index()])) continue;
    const auto give = [&](FrameId frame) {
      for (const auto& [parameter, slot] : code.defaults) {
        const Slot to = slot_in(frame, code.first_slot + parameter);
        if (graph_.is_empty(to)) graph_.add_edge(slot_in(frame, slot), to);
      }
    };
    if (!is_never_shared(i)) give(0);
    for (const FrameId frame : frames_of_code_[i]) give(frame);
  }
}

/// Whether all that is known of the value are objects of classes without a base outside the program: mixins, which what
/// a cast says may be as well.
bool Solver::holds_only_mixins(Slot slot) {
  const auto held = graph_.values(slot);
  return held.begin() != held.end() && std::all_of(held.begin(), held.end(), [&](ValueId id) {
           const Value value = values_[id];
           if (value.kind != ValueKind::kInstance) return false;
           const auto& order = program_.classes()[ClassId(std::size_t{value.a})].linearized;
           return std::all_of(order.begin(), order.end(),
                              [&](ClassId cls) { return program_.classes()[cls].external_bases.empty(); });
         });
}

void Solver::seed_annotations(int round) {
  for (std::size_t i = 0; i < seeds_.size(); ++i) {
    const Seed& seed = seeds_[i];
    if (seed.of_elements && round > 0 && !says_nothing_[i]) seed_elements(i);
    const auto& frames = frames_of_code_[seed.function];
    const bool is_shared = !is_never_shared(seed.function);
    const auto is_open = [&](Slot slot) { return is_unknown(slot) || (seed.is_cast && holds_only_mixins(slot)); };
    if (says_nothing_[i] || (frames.empty() && !is_open(seed.slot))) continue;
    const FunctionCode& code = code_[seed.function];
    if (round == 0 && (!seed.is_parameter || has_callers_[code.id.index()])) continue;
    std::vector<Slot> slots;
    if (is_shared && is_open(seed.slot)) slots.push_back(seed.slot);
    for (const FrameId frame : frames) {
      if (const Slot slot = slot_in(frame, seed.slot); is_open(slot)) slots.push_back(slot);
    }
    if (slots.empty()) continue;
    std::vector<ValueId> values;
    annotation_values(seed_modules_[i], seed.scope, seed.annotation, 0, values);
    for (const Slot slot : slots) {
      const bool is_known = !is_unknown(slot);
      for (const ValueId value : values) {
        if (!is_known || values_[value].kind == ValueKind::kExternalInstance) graph_.add_value(slot, value);
      }
    }
    says_nothing_[i] = values.empty();
  }
}

/// `x: dict[str, Layer] = {}`: an element that nothing known is stored in is what the annotation says.
void Solver::seed_elements(std::size_t number) {
  const Seed seed = seeds_[number];
  const auto containers = graph_.values(seed.slot);
  std::vector<ValueId> declared;
  for (const ValueId container : containers) {
    if (values_[container].kind != ValueKind::kContainer) continue;
    if (!says_nothing_[number]) {
      annotation_values(seed_modules_[number], seed.scope, seed.annotation, 0, declared);
      says_nothing_[number] = true;
    }
    for (const ValueId each : declared) {
      if (values_[each].kind == ValueKind::kContainer) fill_elements(values_[container].a, values_[each].a, 0);
    }
  }
}

/// Gives a container what another one that is only declared holds, where nothing known is in it; else looks into the
/// containers in it (`x: dict[str, dict[str, Layer]] = {}; x["a"] = {}`).
void Solver::fill_elements(ObjectId container, ObjectId declared, int depth) {
  if (container == declared || depth > kMaxNestedContainers) return;
  if (graph_.is_empty(element_all(container))) {
    graph_.add_edge(element_any(declared), element_any(container));
    return;
  }
  const auto held = graph_.values(element_all(container));
  const auto said = graph_.values(element_any(declared));
  for (const ValueId inner : held) {
    if (values_[inner].kind != ValueKind::kContainer) continue;
    for (const ValueId each : said) {
      if (values_[each].kind == ValueKind::kContainer) fill_elements(values_[inner].a, values_[each].a, depth + 1);
    }
  }
}

/// A record of which nothing is known may be any that was made, if those do not differ too much in the field that is
/// read; where they say nothing, the field's annotation does. Of one that was made with `**values` it alone does.
void Solver::seed_records() {
  for (std::size_t i = 0; i < unknown_records_.size(); ++i) {
    const auto [record, name] = unknown_records_[i];
    const ClassId cls(std::size_t{values_[record].a});
    const Slot field = attribute_slot(record, name, true);
    if (!is_unknown(field)) continue;
    const Slot all = attribute_slot(values_.intern(ValueKind::kInstance, cls.value, kAnyRecord), name, false);
    const bool is_any = !open_records_.contains(record);
    if (is_any && all != 0 && !is_unknown(all) && count_kinds(all) <= kMaxRecordValues) {
      graph_.add_edge(all, field);
      continue;
    }
    // A default is one of the values. A text that stands there is no key to rely on: others may be configured.
    const Slot in_class = class_attribute(cls, name, ClassId{});
    const bool has_default = in_class != 0 && !is_unknown(in_class);
    for (const ValueId value : annotated_field(cls, name)) {
      const bool is_builtin =
          values_[value].kind == ValueKind::kExternalInstance && names_[values_[value].a].starts_with("builtins.");
      if (!has_default || is_builtin) graph_.add_value(field, value);
    }
  }
}

/// What the annotation of attribute `name` says, in the first class of `cls`'s that has one for it.
std::vector<ValueId> Solver::annotated_field(ClassId cls, NameId name) {
  std::vector<ValueId> values;
  for (const ClassId each : program_.classes()[cls].linearized) {
    const auto& fields = program_.classes()[each].fields;
    const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& field) {
      return field.annotation != nullptr && field.name == names_[name];
    });
    if (found == fields.end()) continue;
    annotation_values(program_.classes()[each].module, python::ScopeId(0), found->annotation, 0, values);
    break;
  }
  return values;
}

/// Reads of fields that nothing was found to be stored in: what the field's annotation says.
void Solver::seed_fields() {
  struct Known {
    bool is_method;  ///< The class has a method or alike of that name.
    std::vector<ValueId> values;
  };
  KeyMap places;  // (class, name) -> place in `known`
  std::vector<Known> known;
  const auto reads_into = [&](const Op& op) { return op.code == OpCode::kMethodCall ? op.b : op.dst; };
  const auto is_unread = [&](OpId id) {
    const Op& op = op_of(id);
    const bool is_test = op.code == OpCode::kNarrow && op.flags == 0;
    const bool reads = op.code == OpCode::kLoad || op.code == OpCode::kMethodCall || is_test;
    return reads && (is_test ? graph_.is_empty(op.dst) : is_unknown(reads_into(op)));
  };
  const auto is_ready = [&](OpId id) {
    const auto receivers = graph_.values(op_of(id).a);
    return op_of(id).code == OpCode::kNarrow || std::any_of(receivers.begin(), receivers.end(), [&](ValueId receiver) {
             return values_[receiver].kind == ValueKind::kInstance;
           });
  };
  for (const OpId id : unread_fields_.update(base_op_count(), copies_.size(), jobs_, is_unread, is_ready)) {
    const Op op = op_of(id);
    const Slot read_into = reads_into(op);
    if (op.code == OpCode::kNarrow) {
      seed_test(id);
      continue;
    }
    if (!is_unknown(read_into)) continue;
    const auto receivers = graph_.values(op.a);
    for (const ValueId receiver : receivers) {
      if (values_[receiver].kind != ValueKind::kInstance) continue;
      const ClassId cls(std::size_t{values_[receiver].a});
      std::uint32_t& place = places.at(pair_key(cls.value, op.name));
      if (place == kNone) {
        place = static_cast<std::uint32_t>(known.size());
        known.push_back({class_attribute(cls, op.name, ClassId{}) != 0, annotated_field(cls, op.name)});
      }
      if (op.code == OpCode::kMethodCall && known[place].is_method) continue;
      for (const ValueId value : known[place].values) graph_.add_value(read_into, value);
    }
  }
}

/// `if isinstance(x, C)` with an x of which nothing is known: behind it, x is a C.
void Solver::seed_test(OpId id) {
  const Op op = op_of(id);
  if (!graph_.is_empty(op.dst) || (!is_copy(id) && is_never_shared(code_of_op_[id]))) return;
  const auto values = graph_.values(op.a);
  const bool says_little = std::all_of(values.begin(), values.end(), [&](ValueId value) {
    const ValueKind kind = values_[value].kind;
    return kind == ValueKind::kExternalResult || kind == ValueKind::kExternalInstance || kind == ValueKind::kText;
  });
  if (!says_little) return;
  const auto add = [&](ValueId cls) {
    const Value of = values_[cls];
    if (of.kind == ValueKind::kExternal && says_what_it_is(names_[of.a])) {
      graph_.add_value(op.dst, values_.intern(ValueKind::kExternalInstance, of.a));
    } else if (of.kind == ValueKind::kClass) {
      for (const ValueId value : made_for(ClassId(std::size_t{of.a}))) graph_.add_value(op.dst, value);
    }
  };
  const auto classes = graph_.values(op.b);
  for (const ValueId cls : classes) {
    add(cls);
    if (values_[cls].kind != ValueKind::kContainer) continue;
    const auto keyed = objects_[values_[cls].a].keyed;
    for (const auto& [key, slot] : keyed) {
      for (const ValueId each : graph_.values(slot)) add(each);
    }
  }
}

/// Reads and writes of containers with keys of which nothing is known: any element. Hooks on unknown receivers.
void Solver::seed_keys() {
  const auto has_no_key = [&](OpId id) {
    const Op& op = op_of(id);
    if (op.code == OpCode::kMethodCall) return graph_.is_empty(op.a) && is_hook_method(names_[op.name]);
    return (op.code == OpCode::kGetItem || op.code == OpCode::kSetItem) && op.b != 0 && graph_.is_empty(op.b);
  };
  // Where callers are told apart, the code that they share stands for none of them.
  const auto is_ready = [&](OpId id) {
    return (is_copy(id) || !is_never_shared(code_of_op_[id])) &&
           (op_of(id).code == OpCode::kMethodCall || !graph_.is_empty(op_of(id).a));
  };
  for (const OpId id : unknown_keys_.update(base_op_count(), copies_.size(), jobs_, has_no_key, is_ready)) {
    const Op op = op_of(id);
    const bool is_read = op.code == OpCode::kGetItem;
    if ((is_read || op.code == OpCode::kSetItem) && op.b != 0 && graph_.is_empty(op.b)) {
      const auto objects = graph_.values(op.a);
      for (const ValueId object : objects) {
        if (values_[object].kind != ValueKind::kContainer) continue;
        std::uint32_t& done = done_.at(pair_key(id, object) ^ (std::uint64_t{1} << 63));
        if (done != kNone) continue;
        done = 1;
        const ObjectId container = values_[object].a;
        if (is_read) graph_.add_edge(element_all(container), op.dst);
        if (is_read) continue;
        // Registries of functions and classes. Following data here doubles the edges of Megatron-LM's call graph, all
        // of it noise, and resolves 0.1 % more calls.
        // What the function that makes the container puts into it is told apart by that.
        const FunctionCode& code = code_[code_of_op_[base_op(id)]];
        const bool is_own = container >= code.first_object && container < code.end_object;
        const auto stored = graph_.values(op.c);
        for (const ValueId value : stored) {
          const ValueKind kind = values_[value].kind;
          const bool is_callable =
              kind == ValueKind::kFunction || kind == ValueKind::kClass || kind == ValueKind::kBound;
          const bool is_followed = is_callable || (is_own && kind == ValueKind::kInstance);
          if (is_followed) graph_.add_value(element_any(container), value);
        }
      }
    }
    if (op.code != OpCode::kMethodCall || !graph_.is_empty(op.a)) continue;
    const std::string& method = names_[op.name];
    const ValueId callee = values_.intern(ValueKind::kBoundExternal, name_id("torch.Tensor." + method), kNone);
    call(call_of_op_[id], callee);
  }
}

/// `getattr(module, name)` with a name that a run is given, in a module that is imported by a computed name: any public
/// function of the modules that have that form of name. Of `getattr(module, f"Make{name}")` what such modules bind by a
/// name of that form, classes too.
void Solver::seed_look_ups() {
  constexpr std::size_t kMostFunctions = 600;  // More say nothing: torchtitan has 140.
  const std::vector<CallRecordId> waiting = std::exchange(look_ups_, {});
  for (const CallRecordId id : waiting) {
    const CallRecord record = calls_[id];
    const OpId op = base_op(record.op);
    const auto* look_up = python::as<python::Call>(nodes_[op]);
    const python::Node* function = program_.functions()[code_[code_of_op_[op]].id].node;
    if (look_up == nullptr || function == nullptr || !looks_up_by_name(*look_up) ||
        !is_unknown(argument_slot(record, 0, {})))
      continue;
    const std::vector<NameForm> forms = forms_of_look_up(*function, *look_up);
    if (forms.empty()) continue;
    if (const std::vector<NameForm> names = forms_of_member(*function, *look_up); !names.empty()) {
      bind_members(forms, names, record.dst);
      continue;
    }
    std::vector<FunctionId> found;
    for (std::size_t i = 0; i < program_.functions().size(); ++i) {
      const FunctionId each(i);
      const Function& one = program_.functions()[each];
      if (one.def() == nullptr || one.owner.valid() || one.enclosing.valid() || one.name.starts_with("_") ||
          is_test_module_[one.module.index()])
        continue;
      const std::string& module = program_.modules()[one.module].name;
      if (std::any_of(forms.begin(), forms.end(), [&](const NameForm& form) { return has_form(module, form); }))
        found.push_back(each);
    }
    if (found.size() > kMostFunctions) continue;
    for (const FunctionId each : found) {
      const Function& one = program_.functions()[each];
      if (const Slot slot = export_slot(one.module, name_id(one.name)); slot != 0) graph_.add_edge(slot, record.dst);
    }
  }
}

/// What modules outside tests with a name of one of `modules` bind by a name of one of `names`.
void Solver::bind_members(const std::vector<NameForm>& modules, const std::vector<NameForm>& names, Slot dst) {
  const auto is_one = [](std::string_view name, const std::vector<NameForm>& forms) {
    return std::any_of(forms.begin(), forms.end(), [&](const NameForm& form) { return has_form(name, form); });
  };
  for (std::size_t i = 0; i < program_.modules().size(); ++i) {
    if (is_test_module_[i] || !is_one(program_.modules()[ModuleId(i)].name, modules)) continue;
    for (const auto& [name, slot] : exports_[i]) {
      if (!names_[name].starts_with("_") && is_one(names_[name], names)) graph_.add_edge(slot, dst);
    }
  }
}

}  // namespace lockstep::program::flow
