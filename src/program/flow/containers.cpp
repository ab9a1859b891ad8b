// Containers: elements at literal places and keys are told apart, everything else goes into one slot of the container.
#include <algorithm>

#include "program/flow/solver.h"

namespace lockstep::program::flow {
namespace {

/// Places and keys told apart in one container; further ones share a slot.
constexpr std::size_t kMaxKeys = 256;
constexpr std::uint8_t kUnknownStart = 255;

}  // namespace

ObjectId Solver::new_object(ContainerKind kind) {
  const auto id = static_cast<ObjectId>(objects_.size());
  Object& object = objects_.emplace_back();
  object.kind = kind;
  object.self = values_.intern(ValueKind::kContainer, id);
  // Code that walks nested data of any shape mixes all containers it meets: telling many apart says nothing. What can
  // be called stays.
  const bool is_callable = kind == ContainerKind::kPartial || kind == ContainerKind::kModules ||
                           kind == ContainerKind::kWrapper || kind == ContainerKind::kProperty;
  if (!is_callable) values_.leave_out_of_large_sets(object.self);
  return id;
}

ValueId Solver::container_value(ObjectId object) { return objects_[object].self; }

/// The container that a call makes: the same one whenever the call is looked at again.
ObjectId Solver::object_of_call(OpId op, ContainerKind kind, std::uint32_t number) {
  std::uint32_t& known = call_objects_.at(pair_key(op, number));
  if (known != kNone) return known;
  known = static_cast<std::uint32_t>(objects_.size());
  return new_object(kind);
}

Slot Solver::element_any(ObjectId id) {
  if (objects_[id].any != 0) return objects_[id].any;
  const Slot slot = new_slot();
  objects_[id].any = slot;
  if (objects_[id].all != 0) graph_.add_edge(slot, objects_[id].all);
  const auto watchers = objects_[id].watchers;
  for (const Object::Watcher& watcher : watchers) {
    if (watcher.kind == Object::Watcher::Kind::kCopy) graph_.add_edge(slot, element_any(watcher.target));
  }
  return slot;
}

Slot Solver::element_all(ObjectId id) {
  if (objects_[id].all != 0) return objects_[id].all;
  const Slot slot = new_slot();
  objects_[id].all = slot;
  if (objects_[id].any != 0) graph_.add_edge(objects_[id].any, slot);
  for (const auto& [key, element] : objects_[id].keyed) graph_.add_edge(element, slot);
  // Watchers of a copy see elements that come later: a copy's own `any` and keys lead to `all` as well.
  return slot;
}

Slot Solver::element_keys(ObjectId id) {
  if (objects_[id].keys != 0) return objects_[id].keys;
  const Slot slot = new_slot();
  objects_[id].keys = slot;
  for (const auto& [key, element] : objects_[id].keyed) graph_.add_value(slot, key);
  return slot;
}

Slot Solver::element_at(ObjectId id, ValueId key) {
  for (const auto& [known, slot] : objects_[id].keyed) {
    if (known == key) return slot;
  }
  if (objects_[id].keyed.size() >= kMaxKeys) return element_any(id);
  const Slot slot = new_slot();
  objects_[id].keyed.emplace_back(key, slot);
  if (objects_[id].all != 0) graph_.add_edge(slot, objects_[id].all);
  if (objects_[id].keys != 0) graph_.add_value(objects_[id].keys, key);
  const auto watchers = objects_[id].watchers;
  for (const Object::Watcher& watcher : watchers) {
    if (watcher.kind == Object::Watcher::Kind::kStar) {
      pass_star_element(stars_[watcher.target], key, slot);
      continue;
    }
    const Value value = values_[key];
    const bool is_place = value.kind == ValueKind::kInteger && watcher.shift != 0;
    if (is_place && static_cast<std::int32_t>(value.a) < watcher.shift) continue;
    const ValueId shifted =
        is_place ? values_.intern(ValueKind::kInteger, value.a - static_cast<std::uint32_t>(watcher.shift)) : key;
    graph_.add_edge(slot, element_at(watcher.target, shifted));
  }
  return slot;
}

void Solver::copy_elements(ObjectId from, ObjectId to, std::int32_t shift) {
  if (from == to) return;
  std::uint32_t& done = done_.at(pair_key(from, to));
  if (done != kNone) return;
  done = 1;
  objects_[from].watchers.push_back({Object::Watcher::Kind::kCopy, to, shift});
  if (objects_[from].any != 0) graph_.add_edge(objects_[from].any, element_any(to));
  const auto keyed = objects_[from].keyed;
  for (const auto& [key, slot] : keyed) {
    const Value value = values_[key];
    const bool is_place = value.kind == ValueKind::kInteger && shift != 0;
    if (is_place && static_cast<std::int32_t>(value.a) < shift) continue;
    const ValueId shifted =
        is_place ? values_.intern(ValueKind::kInteger, value.a - static_cast<std::uint32_t>(shift)) : key;
    graph_.add_edge(slot, element_at(to, shifted));
  }
}

void Solver::make(OpId id) {
  const Op op = op_of(id);
  const ObjectId object = op.a;
  // Each of many functions that one place calls may give back its own.
  if (op.flags == kHoldsCallable) values_.keep_in_large_sets(container_value(object));
  graph_.add_value(op.dst, container_value(object));
  std::uint32_t place = 0;
  bool after_star = false;
  for (std::uint32_t i = 0; i < op.argument_count; ++i) {
    const Argument argument = arguments_[op.first_argument + i];
    if (op.flags == 1) {
      graph_.add_edge(argument.slot, element_any(object));
    } else if (argument.name == Argument::kPositional) {
      const Slot to =
          after_star ? element_any(object) : element_at(object, values_.intern(ValueKind::kInteger, place++));
      graph_.add_edge(argument.slot, to);
    } else {
      after_star = true;
      const bool is_dict = argument.name == Argument::kDoubleStar;
      const CallRecordId record = add_call(id, {}, CallKind::kImplicit, 0);
      watch(argument.slot, find_model(is_dict ? "<copy>" : "<elements>"), record,
            is_dict ? object : element_any(object));
    }
  }
}

void Solver::use_key(ValueId container, Slot stored, Slot read, ValueId key) {
  if (values_[container].kind == ValueKind::kAttributes) {
    if (values_[key].kind != ValueKind::kText || read == kNone) return;
    return graph_.add_edge(stored_later(values_[container].a, values_[key].a), read);
  }
  const ObjectId object = values_[container].a;
  switch (values_[key].kind) {
    case ValueKind::kText:
    case ValueKind::kInteger:
    case ValueKind::kClass:
    case ValueKind::kFunction:
    case ValueKind::kExternal:
      break;
    default:
      if (is_enum_member(key)) break;
      if (stored != kNone) graph_.add_edge(stored, element_any(object));
      if (read != kNone) graph_.add_edge(element_all(object), read);
      return;
  }
  const ContainerKind kind = objects_[object].kind;
  if (values_[key].kind == ValueKind::kInteger && values_[key].a >= 0x80000000u && kind != ContainerKind::kDict) {
    // Negative places count from an end that is not known: any element.
    if (stored != kNone) graph_.add_edge(stored, element_any(object));
    if (read != kNone) graph_.add_edge(element_all(object), read);
    return;
  }
  const Slot element = element_at(object, key);
  if (stored != kNone) graph_.add_edge(stored, element);
  if (read != kNone) graph_.add_edge(element, read);
}

void Solver::get_item(OpId id, ValueId object) {
  const Op op = op_of(id);
  if (const ValueId elements = elements_behind(object, "__getitem__"); elements != kNone) object = elements;
  const Value value = values_[object];
  switch (value.kind) {
    case ValueKind::kContainer: {
      if (objects_[value.a].kind == ContainerKind::kProperty) return;
      if (op.c != 0) return graph_.add_edge(op.c, op.dst);
      if (op.b == 0) return graph_.add_edge(element_all(value.a), op.dst);
      graph_.add_edge(element_any(value.a), op.dst);
      return use(op.b, {UseKind::kKey, object, kNone, op.dst});
    }
    case ValueKind::kInstance: {
      const Argument argument{op.b, Argument::kPositional};
      call_dunder(id, object, "__getitem__", {&argument, 1}, op.dst);
      return;
    }
    case ValueKind::kAttributes:
      return use(op.b, {UseKind::kKey, object, kNone, op.dst});
    // Base[T], kernel[grid]: what is subscripted goes on (typing's generics; Triton's launch syntax).
    case ValueKind::kClass:
      if (is_enum_[value.a] != 0) return graph_.add_value(op.dst, values_.intern(ValueKind::kInstance, value.a));
      [[fallthrough]];
    case ValueKind::kFunction:
    case ValueKind::kBound:
    case ValueKind::kExternal:
      return graph_.add_value(op.dst, object);
    case ValueKind::kExternalInstance:
      if (is_tensor_class(names_[value.a])) graph_.add_value(op.dst, object);
      return;
    default:
      return;
  }
}

void Solver::set_item(OpId id, ValueId object) {
  const Op op = op_of(id);
  if (const ValueId elements = elements_behind(object, "__setitem__"); elements != kNone) object = elements;
  const Value value = values_[object];
  if (value.kind == ValueKind::kContainer) {
    if (op.b == 0) return graph_.add_edge(op.c, element_any(value.a));
    return use(op.b, {UseKind::kKey, object, op.c, kNone});
  }
  if (value.kind != ValueKind::kInstance) return;
  const Argument arguments[] = {{op.b, Argument::kPositional}, {op.c, Argument::kPositional}};
  call_dunder(id, object, "__setitem__", arguments, 0);
}

void Solver::iterate(ValueId object, Slot dst, OpId op) {
  if (const ValueId elements = elements_behind(object, "__iter__"); elements != kNone) object = elements;
  const Value value = values_[object];
  switch (value.kind) {
    case ValueKind::kContainer: {
      const ContainerKind kind = objects_[value.a].kind;
      const bool is_mapping = kind == ContainerKind::kDict || kind == ContainerKind::kKeywords;
      if (kind == ContainerKind::kPartial || kind == ContainerKind::kProperty || kind == ContainerKind::kWrapper)
        return;
      return graph_.add_edge(is_mapping ? element_keys(value.a) : element_all(value.a), dst);
    }
    case ValueKind::kGenerator: {
      const Value function = values_[value.a];
      const FunctionCode& code = code_[code_of_function_[function.a]];
      return graph_.add_edge(slot_in(function.b, code.yielded), dst);
    }
    case ValueKind::kInstance: {
      const Slot iterator = new_slot();
      const bool has_iterator =
          call_dunder(op, object, "__iter__", {}, iterator) || call_dunder(op, object, "__aiter__", {}, iterator);
      if (has_iterator) return use(iterator, {UseKind::kNext, 0, dst, op});
      call_dunder(op, object, "__getitem__", {}, dst);
      return;
    }
    case ValueKind::kExternalInstance:
      if (is_tensor_class(names_[value.a])) graph_.add_value(dst, object);
      return;
    case ValueKind::kClass:
      if (is_enum_[value.a] != 0) graph_.add_value(dst, values_.intern(ValueKind::kInstance, value.a));
      return;
    default:
      return;
  }
}

void Solver::next_element(ValueId iterator, Slot dst, OpId op) {
  if (values_[iterator].kind != ValueKind::kInstance) return iterate(iterator, dst, op);
  if (!call_dunder(op, iterator, "__next__", {}, dst)) call_dunder(op, iterator, "__anext__", {}, dst);
}

void Solver::slice(OpId id, ValueId object) {
  const Op op = op_of(id);
  const Value value = values_[object];
  if (value.kind == ValueKind::kContainer) {
    graph_.add_value(op.dst, container_value(op.b));
    if (op.flags == kUnknownStart) return graph_.add_edge(element_all(value.a), element_any(op.b));
    return copy_elements(value.a, op.b, op.flags);
  }
  if (value.kind == ValueKind::kInstance) {
    call_dunder(id, object, "__getitem__", {}, op.dst);
  } else if (value.kind == ValueKind::kExternalInstance || value.kind == ValueKind::kText) {
    graph_.add_value(op.dst, object);
  }
}

/// A method of a built-in container. False where the method is not modelled.
bool Solver::container_call(CallRecordId id, ValueId container, NameId method) {
  const CallRecord record = calls_[id];
  const std::string& name = names_[method];
  if (values_[container].kind == ValueKind::kGenerator) {
    if (name == "__next__" || name == "send" || name == "__anext__" || name == "asend") {
      iterate(container, record.dst, record.op);
    }
    return true;
  }
  const ObjectId object = values_[container].a;
  const ContainerKind kind = objects_[object].kind;
  const Slot first = argument_slot(record, 0, {});
  if (kind == ContainerKind::kProperty) {
    // @x.setter and the like: the property with one more function.
    const std::uint32_t place = name == "setter" ? 1 : name == "getter" ? 0 : 2;
    graph_.add_edge(first, element_at(object, values_.intern(ValueKind::kInteger, place)));
    graph_.add_value(record.dst, container);
    return true;
  }
  const NameId type = objects_[object].type;
  const bool is_dict = kind == ContainerKind::kDict || kind == ContainerKind::kKeywords;
  const bool has_type = type != kNone && kind != ContainerKind::kPartial;
  const std::string_view class_name = has_type                          ? std::string_view(names_[type])
                                      : is_dict                         ? "builtins.dict"
                                      : kind == ContainerKind::kSet     ? "builtins.set"
                                      : kind == ContainerKind::kTuple   ? "builtins.tuple"
                                      : kind == ContainerKind::kRest    ? "builtins.tuple"
                                      : kind == ContainerKind::kWrapper ? "torch.nn.Module"
                                                                        : "builtins.list";
  if (!may_have_method(class_name, name)) return false;
  record_external(record.op, name_id(std::string(class_name) + "." + name), CallKind::kDirect, container);
  const auto read_key = [&](Slot key) {
    graph_.add_edge(element_any(object), record.dst);
    if (key == 0) return graph_.add_edge(element_all(object), record.dst);
    use(key, {UseKind::kKey, container, kNone, record.dst});
  };
  const auto view = [&](std::uint32_t number, Slot elements) {
    const ObjectId made = object_of_call(record.op, ContainerKind::kList, (object << 3) + number);
    graph_.add_edge(elements, element_any(made));
    graph_.add_value(record.dst, container_value(made));
  };
  if (is_module_class(class_name) && module_method_returns_self(name)) {
    graph_.add_value(record.dst, container);
  } else if (name == "append" || name == "add" || name == "appendleft") {
    graph_.add_edge(first, element_any(object));
  } else if (name == "insert") {
    graph_.add_edge(argument_slot(record, 1, {}), element_any(object));
  } else if (name == "extend" || name == "extendleft" || name == "update") {
    const CallRecordId inner = add_call(record.op, {}, CallKind::kImplicit, 0);
    watch(first, find_model(is_dict ? "<copy>" : "<elements>"), inner, is_dict ? object : element_any(object));
    const std::vector<Argument> arguments(arguments_of(record).begin(), arguments_of(record).end());
    for (const Argument& argument : arguments) {
      if (argument.name < names_.size()) {
        graph_.add_edge(argument.slot, element_at(object, values_.intern(ValueKind::kText, argument.name)));
      }
    }
  } else if (name == "pop" || name == "get" || name == "__getitem__" || name == "setdefault") {
    const Slot second = argument_slot(record, 1, {});
    if (is_dict) {
      read_key(first);
      if (name == "setdefault" && first != 0) use(first, {UseKind::kKey, container, second, kNone});
      graph_.add_edge(second, record.dst);
    } else {
      graph_.add_edge(element_all(object), record.dst);
    }
  } else if (name == "sort") {
    call_key(record, element_all(object));
  } else if (name == "popleft") {
    graph_.add_edge(element_all(object), record.dst);
  } else if (name == "values") {
    view(0, element_all(object));
  } else if (name == "keys") {
    view(1, element_keys(object));
  } else if (name == "items" || name == "popitem" || name == "named_children" || name == "named_modules") {
    const ObjectId pair = object_of_call(record.op, ContainerKind::kTuple, (object << 3) + 2);
    graph_.add_edge(element_keys(object), element_at(pair, values_.intern(ValueKind::kInteger, 0)));
    graph_.add_edge(element_all(object), element_at(pair, values_.intern(ValueKind::kInteger, 1)));
    if (name == "popitem") {
      graph_.add_value(record.dst, container_value(pair));
    } else {
      const Slot only = new_slot();
      graph_.add_value(only, container_value(pair));
      view(3, only);
    }
  } else if (name == "copy") {
    const ObjectId made = object_of_call(record.op, kind, (object << 3) + 4);
    copy_elements(object, made, 0);
    graph_.add_value(record.dst, container_value(made));
  } else if (name == "children" || name == "modules" || name == "__iter__") {
    view(5, element_all(object));
  }
  return true;
}

}  // namespace lockstep::program::flow
