// Attribute access: fields of instances, attributes of classes along the MRO with Python's binding rules, modules,
// super.
#include <algorithm>

#include "program/flow/solver.h"

namespace lockstep::program::flow {

Slot Solver::attribute_slot(ValueId owner, NameId name, bool create) {
  const std::uint64_t key = pair_key(owner, name);
  if (!create) {
    const std::uint32_t found = attributes_.find(key);
    return found == kNone ? 0 : found;
  }
  std::uint32_t& slot = attributes_.at(key);
  if (slot == kNone) slot = new_slot();
  return slot;
}

/// What `cls.name = …` stores, for reads of a class that has no such attribute. No attribute of the class: those who
/// look for one go on to its bases.
Slot Solver::stored_later(ValueId cls, NameId name) {
  const Slot own = attribute_slot(cls, name, false);
  return own != 0 ? own : attribute_slot(cls, name | kStoredLater, true);
}

/// Slot of the attribute that the MRO of `cls` finds first (behind class `after`, if that is valid); 0 for none.
Slot Solver::class_attribute(ClassId cls, NameId name, ClassId after) const {
  bool is_behind = !after.valid();
  for (const ClassId each : mro(cls)) {
    if (is_behind) {
      const std::uint32_t slot = attributes_.find(pair_key(class_values_[each.index()], name));
      if (slot != kNone) return slot;
    }
    is_behind = is_behind || each == after;
  }
  return 0;
}

/// True if the body of enumeration `cls` gives `name` a value, which makes it a member.
bool Solver::names_enum_member(ClassId cls, NameId name) const {
  if (is_enum_[cls.index()] == 0 || names_[name].starts_with("_")) return false;
  const Field* field = program_.find_field(cls, names_[name]);
  return field != nullptr && field->in_class_body && field->default_value != nullptr &&
         !program_.find_method(cls, names_[name]).valid();
}

bool Solver::declares_field(ClassId cls, NameId name) const {
  const auto order = mro(cls);
  return std::any_of(order.begin(), order.end(),
                     [&](ClassId each) { return fields_.find(pair_key(each.value, name)) != kNone; });
}

/// True if reading `name` of `object` gives what was last stored there: no property or method of its class stands in
/// between.
bool Solver::is_plain_field(ValueId object, NameId name) {
  if (values_[object].kind != ValueKind::kInstance) return false;
  const ClassId cls(std::size_t{values_[object].a});
  return class_attribute(cls, name, ClassId{}) == 0 && class_attribute(cls, known_.setattr, ClassId{}) == 0 &&
         class_attribute(cls, known_.getattribute, ClassId{}) == 0;
}

/// The first class outside the repository that the MRO reaches (behind `after`); kNone where there is none.
NameId Solver::external_base(ClassId cls, ClassId after) const {
  bool is_behind = !after.valid();
  for (const ClassId each : program_.classes()[cls].linearized) {
    is_behind = is_behind || each == after;
    if (!is_behind) continue;
    const auto& external = program_.classes()[each].external_bases;
    for (const std::string& base : external) {
      if (base.starts_with("typing.") || base == "abc.ABC") continue;
      if (const NameId found = name_ids_.find(names_, base); found != kNone) return found;
    }
  }
  return kNone;
}

bool Solver::is_module_subclass(ClassId cls) const { return is_module_[cls.index()] != 0; }

void Solver::deliver(const Sink& sink, ValueId value) {
  if (sink.call != kNone) return call(sink.call, value);
  graph_.add_value(sink.dst, value);
}

void Solver::deliver_slot(const Sink& sink, Slot slot) { graph_.add_edge(slot, sink.dst); }

void Solver::deliver_attribute(const Sink& sink, Slot slot, ValueId receiver) {
  if (sink.call != kNone) return use(slot, {UseKind::kBindCall, receiver, sink.call, sink.dst});
  use(slot, {UseKind::kBind, receiver, sink.dst, sink.op});
}

void Solver::load(ValueId object, NameId name, const Sink& sink) {
  const Value value = values_[object];
  switch (value.kind) {
    case ValueKind::kInstance: {
      const ClassId cls(std::size_t{value.a});
      return load_instance(object, cls, ClassId{}, object, name, sink);
    }
    case ValueKind::kSuper: {
      const Value receiver = values_[value.b];
      const ClassId after(std::size_t{value.a});
      if (receiver.kind != ValueKind::kInstance && receiver.kind != ValueKind::kClass) return;
      return load_instance(object, ClassId(std::size_t{receiver.a}), after, value.b, name, sink);
    }
    case ValueKind::kClass:
      return load_class(object, ClassId(std::size_t{value.a}), name, sink);
    case ValueKind::kModule:
      return load_module(ModuleId(std::size_t{value.a}), name, sink);
    case ValueKind::kNamespace: {
      Reference owner;
      owner.kind = Reference::Kind::kModule;
      owner.name = names_[value.a];
      return bind_module_member(sink.dst, sink.op, owner, names_[name], 0);
    }
    case ValueKind::kExternal:
      if (!may_have_member(value.a, name)) return;
      return deliver(sink, values_.intern(ValueKind::kExternal, dotted(value.a, name)));
    case ValueKind::kExternalInstance:
      if (sink.call == kNone) {
        if (const Model* typed = typed_attribute(value.a, name)) return give_typed(typed->result, sink.op, sink.dst);
      }
      deliver_slot(sink, attribute_slot(object, name, true));
      if (is_namespace_class(names_[value.a])) return;
      // Code that puts a mock in place of a missing package calls nothing through it.
      if (is_mock_class(names_[value.a]) && !is_test_op(sink.op)) return;
      return external_load(object, name, sink);
    case ValueKind::kText: {
      if (!may_have_method("builtins.str", names_[name])) return;
      const NameId method = dotted(known_.str, name);
      return deliver(sink, values_.intern(ValueKind::kBoundExternal, method, object));
    }
    case ValueKind::kContainer:
      return load_container(object, name, sink);
    case ValueKind::kGenerator:
      return deliver(sink, values_.intern(ValueKind::kContainerMethod, object, name));
    case ValueKind::kFunction:
    case ValueKind::kBound:
      if (name == known_.call || is_call_of_endpoint(name, sink)) return deliver(sink, object);
      if (load_of_remote(object, name, sink)) return;
      if (const NameId method = method_of_functions(name); method != kNone) {
        return deliver(sink, values_.intern(ValueKind::kBoundExternal, method, object));
      }
      return deliver_slot(sink, attribute_slot(object, name, true));
    default:
      return;
  }
}

namespace {

/// Methods of containers that say what is in them.
bool is_element_method(std::string_view name) {
  static constexpr std::string_view kMethods[] = {
      "__getitem__",   "__iter__", "add",     "append",  "appendleft", "children", "extend",
      "extendleft",    "get",      "insert",  "items",   "keys",       "modules",  "named_children",
      "named_modules", "pop",      "popitem", "popleft", "setdefault", "update",   "values"};
  return std::find(std::begin(kMethods), std::end(kMethods), name) != std::end(kMethods);
}

}  // namespace

/// Attribute `name` of an instance of `cls`, or of super() behind class `after`.
void Solver::load_instance(ValueId object, ClassId cls, ClassId after, ValueId receiver, NameId name,
                           const Sink& sink) {
  if (name == known_.cls) return deliver(sink, class_values_[cls.index()]);
  if (name == known_.value && is_enum_member(object)) {
    if (const Slot slot = class_attribute(cls, values_[object].b - kEnumMember, ClassId{}); slot != 0) {
      return deliver_attribute(sink, slot, class_values_[cls.index()]);
    }
  }
  bool is_found = false;
  remember_class_read(name, {cls, receiver, sink});
  if (const Slot slot = class_attribute(cls, name, after); slot != 0) {
    deliver_attribute(sink, slot, receiver);
    is_found = true;
  }
  if (!after.valid()) {
    const bool is_record = open_records_.contains(object) ||
                           (values_[object].b == 0 && (is_dataclass_[cls.index()] != 0 || keeps_callable(cls)));
    if (is_record && attribute_slot(object, name, false) == 0) unknown_records_.emplace_back(object, name);
    const Slot field = attribute_slot(object, name, true);
    is_found = is_found || declares_field(cls, name) || !graph_.is_empty(field);
    deliver_slot(sink, field);
  }
  if (is_found) return;
  if (const Slot getter = class_attribute(cls, known_.getattr, after); getter != 0 && !after.valid()) {
    const CallRecordId record = add_call(sink.op, {}, CallKind::kImplicit, sink.dst);
    return use(getter, {UseKind::kBindCall, receiver, record, 0});
  }
  NameId base = external_base(cls, after);
  if (base == kNone) return load_from_object(receiver, name, sink);
  const bool is_own_new = name == known_.make && values_[receiver].kind == ValueKind::kClass;
  if (is_own_new && !names_[base].starts_with("builtins.type")) graph_.add_value(sink.dst, receiver);
  if (is_element_method(names_[name])) {
    const std::string_view own = after.valid() ? std::string_view() : std::string_view(names_[name]);
    if (const ValueId elements = elements_behind(receiver, own); elements != kNone)
      return deliver(sink, values_.intern(ValueKind::kContainerMethod, elements, name));
  }
  if (is_module_class(names_[base]) && names_[base] == "torch.nn.Module" && !is_module_method(names_[name])) return;
  deliver(sink, values_.intern(ValueKind::kBoundExternal, dotted(base, name), receiver));
}

void Solver::load_class(ValueId object, ClassId cls, NameId name, const Sink& sink) {
  if (name == known_.dict) return deliver(sink, values_.intern(ValueKind::kAttributes, object));
  if (names_enum_member(cls, name)) {
    return deliver(sink, values_.intern(ValueKind::kInstance, cls.value, kEnumMember + name));
  }
  remember_class_read(name, {cls, object, sink});
  if (const Slot slot = class_attribute(cls, name, ClassId{}); slot != 0) {
    return deliver_attribute(sink, slot, object);
  }
  for (const ClassId each : program_.classes()[cls].linearized) {
    for (const ClassId meta : metaclasses_[each.index()]) {
      const Slot slot = class_attribute(meta, name, ClassId{});
      if (slot == 0 || sink.call == kNone) continue;
      return use(slot, {UseKind::kForce, object, sink.call});
    }
  }
  if (names_[name] == "apply" && (program_.derives_from(cls, "torch.autograd.Function") ||
                                  program_.derives_from(cls, "torch.autograd.function.Function"))) {
    return deliver(sink, values_.intern(ValueKind::kAutograd, cls.value));
  }
  if (load_of_remote(object, name, sink)) return;
  deliver_slot(sink, stored_later(object, name));
  const NameId base = external_base(cls, ClassId{});
  // A module of torch is made like any object: `Block.__new__(Block)` is a Block without its constructor.
  if (base != kNone && !(name == known_.make && is_module_[cls.index()] != 0)) {
    return deliver(sink, values_.intern(ValueKind::kBoundExternal, dotted(base, name), object));
  }
  load_from_object(object, name, sink);
}

/// Whether a load of `name` off a function only calls it, as callers of a Monarch actor's endpoint do: `f.call(x)`,
/// `f.call_one(x)` (docs of monarch.actor.Endpoint).
bool Solver::is_call_of_endpoint(NameId name, const Sink& sink) const {
  return sink.call != kNone && std::find(known_.endpoint.begin(), known_.endpoint.end(), name) != known_.endpoint.end();
}

/// What Ray makes of a class, a function or a method is called by `.remote(…)`, also after `.options(…)`. No other
/// class or function has these where it does not define them.
bool Solver::load_of_remote(ValueId object, NameId name, const Sink& sink) {
  if (name == known_.remote) {
    deliver(sink, object);
    return true;
  }
  if (name != known_.options || sink.call == kNone) return false;
  deliver(sink, values_.intern(ValueKind::kBoundExternal, name_id("ray.actor.ActorClass.options"), object));
  return true;
}

/// Methods of functions, and of what torch.library.custom_op makes of them (docs of torch.library.CustomOpDef); kNone
/// for other names.
NameId Solver::method_of_functions(NameId name) {
  static constexpr std::string_view kOperator[] = {"register_autograd", "register_fake", "register_kernel",
                                                   "register_torch_dispatch", "register_vmap"};
  const std::string& text = names_[name];
  if (text == "__get__") return name_id("types.FunctionType.__get__");
  if (std::find(std::begin(kOperator), std::end(kOperator), text) == std::end(kOperator)) return kNone;
  return dotted(name_id("torch.library.CustomOpDef"), name);
}

/// What all classes have from `object`, for those who ask for it by name: `super().__init__()`, `cls.__new__(cls)`.
void Solver::load_from_object(ValueId receiver, NameId name, const Sink& sink) {
  static constexpr std::string_view kMethods[] = {
      "__delattr__", "__dir__",           "__eq__",     "__format__", "__getattribute__", "__hash__",
      "__init__",    "__init_subclass__", "__ne__",     "__new__",    "__reduce__",       "__reduce_ex__",
      "__repr__",    "__setattr__",       "__sizeof__", "__str__"};  // dir(object)
  const std::string& text = names_[name];
  if (sink.call == kNone || std::find(std::begin(kMethods), std::end(kMethods), text) == std::end(kMethods)) return;
  deliver(sink, values_.intern(ValueKind::kBoundExternal, dotted(name_id("builtins.object"), name), receiver));
}

void Solver::load_module(ModuleId module, NameId name, const Sink& sink) {
  Reference owner;
  owner.kind = Reference::Kind::kModule;
  owner.module = module;
  owner.name = program_.modules()[module].name;
  const ValueId value = values_.intern(ValueKind::kModule, module.value);
  if (const Slot stored = attribute_slot(value, name, false); stored != 0) deliver_slot(sink, stored);
  bind_module_member(sink.dst, sink.op, owner, names_[name], 0);
}

void Solver::load_container(ValueId object, NameId name, const Sink& sink) {
  const Object& container = objects_[values_[object].a];
  const std::string& text = names_[name];
  if (container.kind == ContainerKind::kWrapper && text == "module") {
    return deliver_slot(sink, element_all(values_[object].a));
  }
  if (container.kind == ContainerKind::kPartial && text == "func") {
    return deliver_slot(sink, element_at(values_[object].a, values_.intern(ValueKind::kInteger, 0)));
  }
  deliver(sink, values_.intern(ValueKind::kContainerMethod, object, name));
}

void Solver::store(ValueId object, NameId name, Slot value, OpId op) {
  const Value to = values_[object];
  // Tests patch the code under test; that is no part of what it does (see call_function).
  const bool is_test = is_test_op(op);
  if (is_test && to.kind == ValueKind::kModule && !is_test_module_[to.a]) return;
  if (is_test && to.kind == ValueKind::kClass && !is_test_class(object)) return;
  const bool is_shared = to.kind == ValueKind::kInstance && (to.b == 0 || keeps_callable(ClassId(std::size_t{to.a})));
  if (is_test && is_shared && !is_test_class(object)) return;
  if (is_test && to.kind == ValueKind::kExternalInstance) return;
  switch (to.kind) {
    case ValueKind::kInstance: {
      const Slot slot = class_attribute(ClassId(std::size_t{to.a}), name, ClassId{});
      // Through a property or descriptor nothing is stored here: set_through looks at what the class holds. Decorated
      // methods may still be on their way into the class.
      const FunctionId method =
          slot == 0 ? FunctionId{} : program_.find_method(ClassId(std::size_t{to.a}), names_[name]);
      const python::FunctionDef* def = method.valid() ? program_.functions()[method].def() : nullptr;
      const bool may_be_property = slot != 0 && op_of(op).code == OpCode::kStore &&
                                   (!graph_.is_empty(slot) || (def != nullptr && !def->decorators.empty()));
      if (!may_be_property) store_field(object, name, value, op);
      if (slot != 0) use(slot, {UseKind::kSetter, object, value, op});
      return;
    }
    case ValueKind::kModule: {
      const Slot slot = export_slot(ModuleId(std::size_t{to.a}), name);
      return graph_.add_edge(value, slot != 0 ? slot : attribute_slot(object, name, true));
    }
    case ValueKind::kClass:
      return store_in_class(object, name, value);
    case ValueKind::kExternalInstance: {
      // Who replaces a method of one tensor or module replaces it for none of the others.
      const std::string& cls = names_[to.a];
      const bool is_shared_class = is_tensor_class(cls) || cls == "torch.nn.Module";
      if (is_shared_class && may_have_method(cls, names_[name])) return;
      return graph_.add_edge(value, attribute_slot(object, name, true));
    }
    case ValueKind::kFunction:
    case ValueKind::kBound:
      return graph_.add_edge(value, attribute_slot(object, name, true));
    default:
      return;
  }
}

void Solver::store_field(ValueId object, NameId name, Slot value, OpId op) {
  const Value to = values_[object];
  const Slot field = attribute_slot(object, name, true);
  graph_.add_edge(value, field);
  const ClassId cls(std::size_t{to.a});
  if (to.b != 0 && to.b != kAnyRecord && !is_enum_member(object) && keeps_callable(cls) && !is_test_op(op)) {
    // An instance of which only the class is known may be any of them.
    graph_.add_edge(field, attribute_slot(values_.intern(ValueKind::kInstance, to.a), name, true));
  }
  const bool is_record = to.b != 0 || is_dataclass_[to.a] != 0;
  if (is_record && to.b != kAnyRecord && !is_test_op(op)) {
    graph_.add_edge(field, attribute_slot(values_.intern(ValueKind::kInstance, to.a, kAnyRecord), name, true));
  }
}

void Solver::remember_class_read(NameId name, const ClassRead& read) {
  if (set_names_.has(name)) class_reads_[name].push_back(read);
}

/// `cls.name = value`: those who read the attribute through the class, its subclasses or their instances see it too,
/// if no class in between has one.
void Solver::store_in_class(ValueId cls, NameId name, Slot value) {
  const Slot slot = attribute_slot(cls, name, true);
  graph_.add_edge(value, slot);
  if (const Slot read = attribute_slot(cls, name | kStoredLater, false); read != 0) graph_.add_edge(slot, read);
  std::uint32_t& done = done_.at(pair_key(cls, name) ^ (std::uint64_t{5} << 61));
  if (done != kNone) return;
  done = 1;
  const auto reads = class_reads_.find(name);
  if (reads == class_reads_.end()) return;
  const auto known = reads->second;  // delivering may add to it
  for (const ClassRead& read : known) {
    const auto& order = program_.classes()[read.cls].linearized;
    if (std::find(order.begin(), order.end(), ClassId(std::size_t{values_[cls].a})) == order.end()) continue;
    if (class_attribute(read.cls, name, ClassId{}) == slot) deliver_attribute(read.sink, slot, read.receiver);
  }
}

/// Stores where the receiver's class has `attribute`: through a property or descriptor, else over it.
void Solver::set_through(ValueId attribute, ValueId receiver, Slot value, OpId op) {
  const Value found = values_[attribute];
  const Argument argument{value, Argument::kPositional};
  if (found.kind == ValueKind::kContainer && objects_[found.a].kind == ContainerKind::kProperty) {
    const CallRecordId record = add_call(op, {&argument, 1}, CallKind::kImplicit, 0);
    return use(element_at(found.a, values_.intern(ValueKind::kInteger, 1)), {UseKind::kForce, receiver, record});
  }
  const Slot setter =
      found.kind == ValueKind::kInstance ? class_attribute(ClassId(std::size_t{found.a}), known_.set, ClassId{}) : 0;
  if (setter == 0) {
    if (op_of(op).code == OpCode::kStore) store_field(receiver, op_of(op).name, value, op);
    return;
  }
  const Slot object = new_slot();
  graph_.add_value(object, receiver);
  const Argument arguments[] = {{object, Argument::kPositional}, argument};
  use(setter, {UseKind::kForce, attribute, add_call(op, arguments, CallKind::kImplicit, 0)});
}

/// `attribute` was found in a class; it is read through `receiver` (an instance or the class itself).
void Solver::bind(ValueId attribute, ValueId receiver, const Sink& sink) {
  const Value found = values_[attribute];
  const Value through = values_[receiver];
  const bool is_class_access = through.kind == ValueKind::kClass;
  const ValueId cls = is_class_access                        ? receiver
                      : through.kind == ValueKind::kInstance ? class_values_[through.a]
                                                             : receiver;
  switch (found.kind) {
    case ValueKind::kFunction: {
      const std::string_view name = program_.functions()[FunctionId(std::size_t{found.a})].name;
      const bool is_implicit_class_method = name == "__init_subclass__" || name == "__class_getitem__";
      if (is_class_access && !is_implicit_class_method) return deliver(sink, attribute);
      const ValueId self = is_implicit_class_method ? cls : receiver;
      if (sink.call != kNone) {
        return call_function(sink.call, attribute, self, attribute, !is_implicit_class_method);
      }
      return graph_.add_value(sink.dst, values_.intern(ValueKind::kBound, attribute, self));
    }
    case ValueKind::kStaticMethod:
      return deliver(sink, found.a);
    case ValueKind::kClassMethod:
      if (values_[found.a].kind != ValueKind::kFunction) return deliver(sink, found.a);
      if (sink.call != kNone) return call_function(sink.call, found.a, cls, found.a);
      return graph_.add_value(sink.dst, values_.intern(ValueKind::kBound, found.a, cls));
    case ValueKind::kContainer:
      if (objects_[found.a].kind == ContainerKind::kProperty && !is_class_access) {
        const CallRecordId record = add_call(sink.op, {}, CallKind::kImplicit, sink.dst);
        return use(element_at(found.a, values_.intern(ValueKind::kInteger, 0)), {UseKind::kForce, receiver, record});
      }
      return deliver(sink, attribute);
    case ValueKind::kInstance: {
      const Slot getter = class_attribute(ClassId(std::size_t{found.a}), known_.get, ClassId{});
      if (getter == 0) return deliver(sink, attribute);
      const Slot object = new_slot();
      graph_.add_value(object, is_class_access ? cls : receiver);
      const Argument argument{object, Argument::kPositional};
      const CallRecordId record = add_call(sink.op, {&argument, 1}, CallKind::kImplicit, sink.dst);
      return use(getter, {UseKind::kForce, attribute, record});
    }
    default:
      return deliver(sink, attribute);
  }
}

/// Calls method `name` of `receiver` if its class defines one; the sink's call says with what.
bool Solver::call_method(ValueId receiver, std::string_view name, const Sink& sink) {
  const Value value = values_[receiver];
  if (value.kind != ValueKind::kInstance) return false;
  const Slot slot = class_attribute(ClassId(std::size_t{value.a}), name_id(name), ClassId{});
  if (slot == 0) return false;
  deliver_attribute(sink, slot, receiver);
  return true;
}

}  // namespace lockstep::program::flow
