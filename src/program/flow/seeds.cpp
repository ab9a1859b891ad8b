// What declarations say, where value flow finds nothing: receivers of methods that nobody calls, annotated parameters,
// results and fields; and keys that are not literal.
#include <algorithm>
#include <array>

#include "base/strings.h"
#include "program/definitions.h"
#include "program/flow/solver.h"

namespace lockstep::program::flow {
namespace {

/// Subclasses taken to stand behind a receiver that nothing is known of; more would only blur it.
constexpr std::size_t kMaxHeirs = 12;
/// Abstract methods above a class that are looked for below, for hostile input.
constexpr int kMaxAbstractMethods = 256;
/// Values of a field over all records of a class, up to which an unknown record is taken to hold one of them.
constexpr std::size_t kMaxRecordValues = 8;
/// Aliases of aliases could make one annotation as long as a whole file squared.
constexpr int kMaxAnnotationParts = 4096;
constexpr int kMaxAnnotationDepth = 8;

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

bool is_union(std::string_view name) {
  return name == "typing.Optional" || name == "typing.Union" || name == "typing.Annotated" ||
         name == "typing.ClassVar" || name == "typing.Final" || name == "dataclasses.InitVar" ||
         name == "typing.Required" || name == "typing.NotRequired" ||
         name.starts_with("tyro.conf.");  // tyro.conf: markers, tyro.conf.Suppress[T] is a T
}

bool is_sequence(std::string_view name) {
  static constexpr std::string_view kNames[] = {"builtins.list",
                                                "builtins.tuple",
                                                "builtins.set",
                                                "typing.List",
                                                "typing.Tuple",
                                                "typing.Sequence",
                                                "typing.Iterable",
                                                "typing.Iterator",
                                                "typing.Generator",
                                                "typing.Set",
                                                "collections.abc.Sequence",
                                                "collections.abc.Iterable",
                                                "collections.abc.Iterator",
                                                "collections.abc.Generator",
                                                "typing.Collection",
                                                "torch.nn.ModuleList"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

bool is_mapping(std::string_view name) {
  return name == "builtins.dict" || name == "typing.Dict" || name == "typing.Mapping" ||
         name == "collections.abc.Mapping" || name == "typing.MutableMapping" || name == "torch.nn.ModuleDict";
}

}  // namespace

/// `cls` and the classes below it that inherit `method` from it, itself first.
std::vector<ValueId> Solver::heirs(ClassId cls, FunctionId method) {
  std::vector<ClassId> found{cls};
  for (std::size_t next = 0; next < found.size() && found.size() < kMaxHeirs; ++next) {
    for (const ClassId sub : program_.subclasses_of(found[next])) {
      // A stub in a test is no kind of the thing that the code under test holds.
      if (is_test_class(class_values_[sub.index()]) && !is_test_class(class_values_[cls.index()])) continue;
      const bool is_known = std::find(found.begin(), found.end(), sub) != found.end();
      const bool inherits = !method.valid() || program_.find_method(sub, program_.functions()[method].name) == method;
      if (!is_known && inherits && found.size() < kMaxHeirs) found.push_back(sub);
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

/// What stands for an object that is said to be a `cls`: its instance, or of abstract classes those of the classes
/// below it that are not.
std::vector<ValueId> Solver::made_for(ClassId cls) {
  if (!is_abstract(cls)) return {values_.intern(ValueKind::kInstance, cls.value)};
  return made_among(heirs(cls, FunctionId{}));
}

/// Instances without those of abstract classes, if any are left.
std::vector<ValueId> Solver::made_among(std::vector<ValueId> found) {
  const auto is_made = [&](ValueId value) { return !is_abstract(ClassId(std::size_t{values_[value].a})); };
  if (std::any_of(found.begin(), found.end(), is_made)) {
    std::erase_if(found, [&](ValueId value) { return !is_made(value); });
  }
  return found;
}

void Solver::seed_round(int round) {
  seed_closed_branches();

  seed_receivers(round);
  seed_defaults(round);
  seed_annotations(round);
  if (round == 0) return;
  settle();
  seed_fields();
  seed_keys();
}

void Solver::seed_receivers(int round) {
  for (std::uint32_t i = 0; i < code_.size(); ++i) {
    const FunctionCode& code = code_[i];
    const bool is_method = code.method == MethodKind::kInstance || code.method == MethodKind::kClass;
    if (!is_method || code.parameter_names.empty() || !frames_of_code_[i].empty()) continue;
    if (!graph_.is_empty(code.first_slot) || (round == 0 && has_callers_[code.id.index()])) continue;
    const ClassId owner = program_.functions()[code.id].owner;
    for (const ValueId value : made_among(heirs(owner, code.id))) {
      const ValueId receiver = code.method == MethodKind::kClass ? class_values_[values_[value].a] : value;
      graph_.add_value(code.first_slot, receiver);
    }
  }
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

void Solver::seed_annotations(int round) {
  for (std::size_t i = 0; i < seeds_.size(); ++i) {
    const Seed& seed = seeds_[i];
    if (seed.of_elements && round > 0 && !says_nothing_[i]) seed_elements(i);
    const auto& frames = frames_of_code_[seed.function];
    const bool is_shared = !is_never_shared(seed.function);
    if (says_nothing_[i] || (frames.empty() && !graph_.is_empty(seed.slot))) continue;
    const FunctionCode& code = code_[seed.function];
    if (round == 0 && (!seed.is_parameter || has_callers_[code.id.index()])) continue;
    std::vector<Slot> slots;
    if (is_shared && graph_.is_empty(seed.slot)) slots.push_back(seed.slot);
    for (const FrameId frame : frames) {
      if (const Slot slot = slot_in(frame, seed.slot); graph_.is_empty(slot)) slots.push_back(slot);
    }
    if (slots.empty()) continue;
    std::vector<ValueId> values;
    annotation_values(seed_modules_[i], seed.scope, seed.annotation, 0, values);
    for (const Slot slot : slots) {
      for (const ValueId value : values) graph_.add_value(slot, value);
    }
    says_nothing_[i] = values.empty();
  }
}

/// `x: dict[str, Layer] = {}`: an element that nothing known is stored in is what the annotation says.
void Solver::seed_elements(std::size_t number) {
  const Seed seed = seeds_[number];
  const auto containers = graph_.values(seed.slot);
  for (const ValueId container : containers) {
    if (values_[container].kind != ValueKind::kContainer) continue;
    const ObjectId object = values_[container].a;
    if (!graph_.is_empty(element_all(object))) continue;
    std::vector<ValueId> declared;
    annotation_values(seed_modules_[number], seed.scope, seed.annotation, 0, declared);
    says_nothing_[number] = true;
    for (const ValueId each : declared) {
      if (values_[each].kind == ValueKind::kContainer)
        graph_.add_edge(element_any(values_[each].a), element_any(object));
    }
  }
}

/// The value of a variable at module level that is assigned once, as type aliases are; null for others.
const python::Expr* Solver::alias_of(ModuleId module, std::string_view name) {
  const auto [entry, is_first] = aliases_.try_emplace(module.value);
  auto& known = entry->second;
  if (is_first) {
    for (const python::Binding& binding : program_.modules()[module].facts->scopes[python::ScopeId(0)].bindings) {
      const python::Expr* value = nullptr;
      if (const auto* assignment = python::as<python::Assign>(binding.owner)) value = assignment->value;
      if (const auto* annotated = python::as<python::AnnAssign>(binding.owner)) value = annotated->value;
      if (const auto* alias = python::as<python::TypeAlias>(binding.owner)) value = alias->value;
      const auto [found, is_new] = known.try_emplace(binding.name, value);
      if (!is_new) found->second = nullptr;
    }
  }
  const auto found = known.find(name);
  return found == known.end() ? nullptr : found->second;
}

void Solver::annotation_values(ModuleId module, python::ScopeId scope, const python::Expr* annotation, int depth,
                               std::vector<ValueId>& out) {
  if (depth == 0) annotation_parts_ = 0;
  if (annotation == nullptr || depth > kMaxAnnotationDepth || ++annotation_parts_ > kMaxAnnotationParts) return;
  const auto again = [&](const python::Expr* part) { annotation_values(module, scope, part, depth + 1, out); };
  const auto add_reference = [&](const Reference& found) {
    if (found.kind == Reference::Kind::kClass) {
      for (const ValueId value : made_for(found.cls)) out.push_back(value);
      return;
    }
    if (found.kind == Reference::Kind::kVariable) {
      return annotation_values(found.module, python::ScopeId(0), alias_of(found.module, found.name), depth + 1, out);
    }
    if (found.kind != Reference::Kind::kExternal) return;
    if (found.name.starts_with("typing.") || found.name.starts_with("collections.abc.") ||
        found.name == "builtins.object" || found.name == "builtins.None") {
      return;
    }
    out.push_back(values_.intern(ValueKind::kExternalInstance, name_id(found.name)));
  };
  if (const auto* text = python::as<python::Constant>(annotation)) {
    if (text->constant_kind != python::ConstantKind::kStr) return;
    for (const std::string_view part : split(text->text, '|')) {
      const std::string_view name = trim(part);
      const bool is_dotted = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
      });
      if (is_dotted && name != "None") add_reference(resolver_.resolve(module, name));
    }
    return;
  }
  if (const auto* either_type = python::as<python::BinOp>(annotation)) {
    again(either_type->left);
    return again(either_type->right);
  }
  if (const auto* generic = python::as<python::Subscript>(annotation)) {
    const Reference head = resolver_.resolve(module, scope, *generic->value);
    if (head.kind != Reference::Kind::kExternal) return again(generic->value);
    std::vector<const python::Expr*> parts;
    if (const auto* several = python::as<python::Tuple>(generic->index)) {
      parts.assign(several->elements.begin(), several->elements.end());
    } else {
      parts.push_back(generic->index);
    }
    if (is_union(head.name)) {
      for (const python::Expr* part : parts) again(part);
      return;
    }
    const bool is_sequence_type = is_sequence(head.name);
    if (is_sequence_type || is_mapping(head.name)) {
      std::vector<ValueId> elements;
      annotation_values(module, scope, is_sequence_type ? parts.front() : parts.back(), depth + 1, elements);
      if (elements.empty()) return;
      const ObjectId object = new_object(is_sequence_type ? ContainerKind::kList : ContainerKind::kDict);
      for (const ValueId value : elements) graph_.add_value(element_any(object), value);
      out.push_back(container_value(object));
      return;
    }
    if (head.name == "typing.Type" || head.name == "builtins.type") {
      const Reference cls = resolver_.resolve(module, scope, *parts.front());
      if (cls.kind == Reference::Kind::kClass) out.push_back(class_values_[cls.cls.index()]);
      return;
    }
    return again(generic->value);
  }
  add_reference(resolver_.resolve(module, scope, *annotation));
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
  unread_fields_.update(ops_, jobs_, [&](OpId id) {
    const Op& op = ops_[id];
    const bool is_test = op.code == OpCode::kNarrow && op.flags == 0;
    const bool reads = op.code == OpCode::kLoad || op.code == OpCode::kMethodCall || is_test;
    return reads && graph_.is_empty(reads_into(op));
  });
  for (const OpId id : unread_fields_.ops) {
    const Op op = ops_[id];
    const Slot read_into = reads_into(op);
    if (op.code == OpCode::kNarrow) {
      seed_test(id);
      continue;
    }
    if (!graph_.is_empty(read_into) || graph_.is_empty(op.a)) continue;
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
      // A record of which nothing is known may be any that was made, if those do not differ too much in this field.
      if (values_[receiver].b != 0) continue;
      const Slot all = attribute_slot(values_.intern(ValueKind::kInstance, cls.value, kAnyRecord), op.name, false);
      if (all != 0 && graph_.values(all).size() <= kMaxRecordValues) graph_.add_edge(all, read_into);
    }
  }
}

/// `if isinstance(x, C)` with an x of which nothing is known: behind it, x is a C.
void Solver::seed_test(OpId id) {
  const Op op = ops_[id];
  if (!graph_.is_empty(op.dst) || (!is_copy(id) && is_never_shared(code_of_op_[id]))) return;
  const auto values = graph_.values(op.a);
  const bool is_unknown = std::all_of(values.begin(), values.end(), [&](ValueId value) {
    return values_[value].kind == ValueKind::kExternalResult || values_[value].kind == ValueKind::kExternalInstance;
  });
  if (!is_unknown) return;
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
  unknown_keys_.update(ops_, jobs_, [&](OpId id) {
    const Op& op = ops_[id];
    if (op.code == OpCode::kMethodCall) return graph_.is_empty(op.a) && is_hook_method(names_[op.name]);
    return (op.code == OpCode::kGetItem || op.code == OpCode::kSetItem) && op.b != 0 && graph_.is_empty(op.b);
  });
  for (const OpId id : unknown_keys_.ops) {
    const Op op = ops_[id];
    const bool is_read = op.code == OpCode::kGetItem;
    // Where callers are told apart, the code that they share stands for none of them.
    if (!is_copy(id) && is_never_shared(code_of_op_[id])) continue;
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
        const auto stored = graph_.values(op.c);
        for (const ValueId value : stored) {
          const ValueKind kind = values_[value].kind;
          const bool is_callable =
              kind == ValueKind::kFunction || kind == ValueKind::kClass || kind == ValueKind::kBound;
          if (is_callable) graph_.add_value(element_any(container), value);
        }
      }
    }
    if (op.code != OpCode::kMethodCall || !graph_.is_empty(op.a)) continue;
    const std::string& method = names_[op.name];
    const ValueId callee = values_.intern(ValueKind::kBoundExternal, name_id("torch.Tensor." + method), kNone);
    call(call_of_op_[id], callee);
  }
}

}  // namespace lockstep::program::flow
