// Calls of what is outside the repository: carries out the table of models (models.h).
#include <algorithm>

#include "base/strings.h"
#include "program/flow/solver.h"

namespace lockstep::program::flow {
namespace {

constexpr NameId kNoMethod = kNone - 1;

}  // namespace

const Model* Solver::user_model(std::string_view name) const {
  const auto before = [](const Model& model, std::string_view wanted) { return model.name < wanted; };
  const auto found = std::lower_bound(user_models_.begin(), user_models_.end(), name, before);
  return found != user_models_.end() && found->name == name ? &*found : nullptr;
}

/// The row for a name, a user's before our own; null where there is none.
const Model* Solver::model_of(NameId name) {
  if (model_of_name_.size() < names_.size()) model_of_name_.resize(names_.size() + 1024, -2);
  std::int32_t& known = model_of_name_[name];
  const auto own_count = static_cast<std::int32_t>(models().size());
  if (known == -2) {
    const Model* own = find_model(names_[name]);
    known = own == nullptr ? -1 : static_cast<std::int32_t>(own - models().data());
    const Model* users = user_model(names_[name]);
    if (users != nullptr) known = own_count + static_cast<std::int32_t>(users - user_models_.data());
  }
  if (known < 0) return nullptr;
  if (known >= own_count) return &user_models_[static_cast<std::size_t>(known - own_count)];
  return &models()[static_cast<std::size_t>(known)];
}

/// Functions of the repository that a user describes: what the model says is added to what their code does.
void Solver::find_models_of_functions() {
  for (const Model& model : user_models_) {
    const FunctionId function = program_.find_function(model.name);
    if (!function.valid()) continue;
    model_of_function_.resize(program_.functions().size(), nullptr);
    model_of_function_[function.index()] = &model;
  }
}

void Solver::watch(Slot slot, const Model* model, CallRecordId call, std::uint32_t detail) {
  if (slot == 0) return;
  model_records_.push_back({model, call, detail});
  use(slot, {UseKind::kModel, static_cast<std::uint32_t>(model_records_.size() - 1)});
}

/// The result of an external function or class: what the tables say, else what its name says.
ValueId Solver::external_result(NameId name) {
  const std::string& text = names_[name];
  if (returns_tensor(text)) return values_.intern(ValueKind::kExternalInstance, known_.tensor);
  if (const std::string_view cls = result_class(text); !cls.empty()) {
    return values_.intern(ValueKind::kExternalInstance, name_id(cls));
  }
  const std::size_t dot = text.rfind('.');
  const std::string_view last = std::string_view(text).substr(dot + 1);
  // `Class.from_text(…)`: a constructor by another name.
  if (last.starts_with("from_") && dot != std::string::npos) {
    const ValueId made = external_result(name_id(std::string_view(text).substr(0, dot)));
    if (values_[made].kind == ValueKind::kExternalInstance) return made;
  }
  // PEP 8: classes are CapWords, private ones behind an underscore; ALL_CAPS is a constant.
  const std::string_view word = last.substr(std::min(last.find_first_not_of('_'), last.size()));
  const bool is_class =
      !word.empty() && word[0] >= 'A' && word[0] <= 'Z' &&
      (word.size() == 1 || std::any_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; }));
  return values_.intern(is_class ? ValueKind::kExternalInstance : ValueKind::kExternalResult, name);
}

void Solver::external_load(ValueId object, NameId name, const Sink& sink) {
  const Value value = values_[object];
  const std::string& text = names_[name];
  if (sink.call != kNone) {
    NameId method = loads_.find(pair_key(value.a, name));
    if (method == kNone) {
      const NameId cls = is_tensor_class(names_[value.a]) ? known_.tensor : value.a;
      method = may_have_method(names_[value.a], text) ? dotted(cls, name) : kNoMethod;
      loads_.at(pair_key(value.a, name)) = method;
    }
    if (method == kNoMethod) return;
    return deliver(sink, values_.intern(ValueKind::kBoundExternal, method, object));
  }
  if (!may_have_method(names_[value.a], text)) return;
  const bool is_tensor = is_tensor_class(names_[value.a]);
  if (is_tensor) {
    static constexpr std::string_view kTensors[] = {"T", "mT", "H", "data", "grad", "real", "imag", "main_grad"};
    if (std::find(std::begin(kTensors), std::end(kTensors), text) != std::end(kTensors)) {
      return deliver(sink, values_.intern(ValueKind::kExternalInstance, known_.tensor));
    }
    return;
  }
  deliver(sink, values_.intern(ValueKind::kBoundExternal, dotted(value.a, name), object));
}

/// The row that says what an attribute of instances of a class outside holds; null where there is none.
const Model* Solver::typed_attribute(NameId cls, NameId name) {
  const Model* model = model_of(dotted(cls, name));
  return model != nullptr && model->effect == Effect::kAttribute ? model : nullptr;
}

namespace {

/// Reads types such as "dict[builtins.str, list[torch.Tensor]]" and makes what stands for their objects.
class TypeReader {
 public:
  /// `instance` gives the value for a class's name; `container` makes one of a kind; `put` puts a value into it: at a
  /// place, as any element (-1) or as any key (-2).
  template <class Instance, class Container, class Put>
  ValueId read(std::string_view& rest, Instance&& instance, Container&& container, Put&& put) {
    const std::string_view name = rest.substr(0, rest.find_first_of("[],"));
    rest.remove_prefix(name.size());
    if (!rest.starts_with('[')) return instance(name);
    const ContainerKind kind = name == "dict"    ? ContainerKind::kDict
                               : name == "tuple" ? ContainerKind::kTuple
                                                 : ContainerKind::kList;
    const auto made = container(kind);
    for (int place = 0; !rest.starts_with(']'); ++place) {
      rest.remove_prefix(rest.starts_with(", ") ? 2 : 1);
      const ValueId element = read(rest, instance, container, put);
      const bool is_key = kind == ContainerKind::kDict && place == 0;
      put(made, kind == ContainerKind::kTuple ? place : is_key ? -2 : -1, element);
    }
    rest.remove_prefix(1);
    return made;
  }
};

}  // namespace

/// Gives `dst` what the type of a row (Effect::kTyped) says; containers are those of `op`.
void Solver::give_typed(std::string_view type, OpId op, Slot dst) {
  constexpr std::uint32_t kTypedContainers = 0x40000000u;  // numbers that no other containers of an op have
  std::uint32_t number = kTypedContainers;
  const auto instance = [&](std::string_view cls) {
    return values_.intern(ValueKind::kExternalInstance, name_id(cls));
  };
  const auto container = [&](ContainerKind kind) { return container_value(object_of_call(op, kind, number++)); };
  const auto put = [&](ValueId made, int place, ValueId element) {
    const ObjectId object = values_[made].a;
    const Slot to = place == -1 ? element_any(object)
                    : place == -2
                        ? element_keys(object)
                        : element_at(object, values_.intern(ValueKind::kInteger, static_cast<std::uint32_t>(place)));
    graph_.add_value(to, element);
  };
  graph_.add_value(dst, TypeReader().read(type, instance, container, put));
}

Solver::External Solver::external_of(NameId name) {
  using Kind = External::Kind;
  if (externals_.size() < names_.size()) externals_.resize(names_.size() + 1024);
  if (externals_[name].kind != Kind::kNew) return externals_[name];
  const std::string& text = names_[name];
  External found;
  if (model_of(name) != nullptr) {
    found = {Kind::kModel};
  } else if (returns_tensors(text)) {
    found = {Kind::kTensors};
  } else if (returns_strings(text)) {
    found = {Kind::kStrings};
  } else {
    found = {Kind::kResult, external_result(name)};
  }
  return externals_[name] = found;
}

void Solver::call_external(CallRecordId id, NameId name, ValueId receiver, ValueId callee) {
  using Kind = External::Kind;
  const CallRecord record = calls_[id];
  const External external = external_of(name);
  const bool is_internal_op = record.kind == CallKind::kImplicit;
  if (receiver != kNone && names_[name].ends_with(".__init__")) fill_heir(record, receiver);
  if (!is_internal_op) record_external(record.op, name, record.kind, callee);
  if (receiver != kNone && names_[name].starts_with("torch.nn.Module.") &&
      module_method_returns_self(std::string_view(names_[name]).substr(std::string_view("torch.nn.Module.").size()))) {
    graph_.add_value(record.dst, receiver);
  }
  switch (external.kind) {
    case Kind::kModel:
      return model_call(id, *model_of(name), name, receiver);
    case Kind::kTensors: {
      const ObjectId several = object_of_call(record.op, ContainerKind::kTuple, 5);
      graph_.add_value(element_any(several), values_.intern(ValueKind::kExternalInstance, known_.tensor));
      return graph_.add_value(record.dst, container_value(several));
    }
    case Kind::kStrings: {
      const ObjectId several = object_of_call(record.op, ContainerKind::kList, 5);
      graph_.add_value(element_any(several), values_.intern(ValueKind::kExternalInstance, known_.str));
      if (receiver != kNone) split_dotted_name(record, receiver, several);
      return graph_.add_value(record.dst, container_value(several));
    }
    default:
      break;
  }
  const std::string_view text = names_[name];
  if (receiver != kNone && text.starts_with("torch.Tensor.")) {
    if (tensor_method_returns_tensor(text.substr(13))) {
      graph_.add_value(record.dst, values_.intern(ValueKind::kExternalInstance, known_.tensor));
    }
    return;
  }
  // An unknown decorator is taken to give back what it decorates, in some form that still calls it.
  if (op_of(record.op).code == OpCode::kDecorate) {
    return graph_.add_edge(argument_slot(record, 0, {}), record.dst);
  }
  graph_.add_value(record.dst, external.detail);
}

/// Whether a call of `split` or `rsplit` makes two parts of a text at most.
bool splits_once(const python::Call& call) {
  const auto named = std::find_if(call.keywords.begin(), call.keywords.end(),
                                  [](const python::Keyword* keyword) { return keyword->name.text == "maxsplit"; });
  const python::Expr* most = call.arguments.size() > 1      ? call.arguments[1]
                             : named != call.keywords.end() ? (*named)->value
                                                            : nullptr;
  const auto* number = python::as<python::Constant>(most);
  return number != nullptr && number->constant_kind == python::ConstantKind::kInt && number->text == "1";
}

/// `"pkg.module.Class".rsplit(".", 1)`, also by a colon: gives `parts` the names, for code that imports what is named.
/// Only of texts that begin with a module of the repository.
void Solver::split_dotted_name(const CallRecord& call, ValueId receiver, ObjectId parts) {
  const Value value = values_[receiver];
  const auto* node = python::as<python::Call>(nodes_[base_op(call.op)]);
  if (value.kind != ValueKind::kText || node == nullptr || node->arguments.empty()) return;
  const auto* method = python::as<python::Attribute>(node->callee);
  const auto* separator = python::as<python::Constant>(node->arguments[0]);
  if (method == nullptr || separator == nullptr || (separator->text != "." && separator->text != ":")) return;
  // Where a dot parts the name, only the last one parts the module from what it holds.
  if (separator->text == "." && !method->name.text.starts_with("r")) return;
  const std::string text = names_[value.a];
  const std::size_t at = text.rfind(separator->text.front());
  if (at == std::string::npos || !program_.find_module(text.substr(0, at)).valid()) return;
  const bool keeps_separator = method->name.text.ends_with("partition");
  if (!keeps_separator && !splits_once(*node) && text.find(separator->text.front()) != at) return;
  const auto put = [&](std::uint32_t place, const std::string& name) {
    const ValueId part = values_.intern(ValueKind::kText, name_id(name));
    graph_.add_value(element_at(parts, values_.intern(ValueKind::kInteger, place)), part);
  };
  put(0, text.substr(0, at));
  put(keeps_separator ? 2 : 1, text.substr(at + 1));
}

void Solver::model_call(CallRecordId id, const Model& model, NameId name, ValueId receiver) {
  const CallRecord record = calls_[id];
  const Slot given = argument_slot(record, model.argument, model.keyword);
  const auto made = [&](ContainerKind kind, std::uint32_t number) {
    const ObjectId object = object_of_call(record.op, kind, number);
    const bool has_own_class =
        kind == ContainerKind::kModules || kind == ContainerKind::kDict || names_[name] == "collections.deque";
    if (objects_[object].type == kNone && has_own_class) objects_[object].type = name;
    return object;
  };
  const auto inner = [&](Slot dst) { return add_call(record.op, {}, CallKind::kImplicit, dst); };
  const auto elements_into = [&](Slot from, Slot to) { watch(from, find_model("<elements>"), inner(0), to); };
  const auto give = [&](ObjectId object) { graph_.add_value(record.dst, container_value(object)); };
  const auto made_instance = [&] { return values_.intern(ValueKind::kExternalInstance, name_id(model.result)); };
  switch (model.effect) {
    case Effect::kIdentity:
      graph_.add_edge(given, record.dst);
      if (given == 0 || model.result == "decorator") {
        graph_.add_value(record.dst, values_.intern(ValueKind::kIdentity));
      }
      return;
    case Effect::kDecorator:
      return graph_.add_value(record.dst, values_.intern(ValueKind::kIdentity));
    case Effect::kMakesDecorator:
      if (given == 0) return graph_.add_value(record.dst, values_.intern(ValueKind::kExternal, name));
      graph_.add_value(record.dst, values_.intern(ValueKind::kIdentity));
      return call_hook(record, given, name, receiver);
    case Effect::kCalls:
      return use(given,
                 {UseKind::kCallee, add_call_tail(record, model.argument + 1u, CallKind::kCallback, record.dst)});
    case Effect::kLoader:
      // What it loads from and by, each asked for by the loader alone, often in other processes.
      watch(argument_slot(record, 0, "dataset"), find_model("<loaded>"), id, 0);
      watch(argument_slot(record, 3, "sampler"), find_model("<loaded>"), id, 0);
      watch(argument_slot(record, 4, "batch_sampler"), find_model("<loaded>"), id, 0);
      [[fallthrough]];
    case Effect::kKeeps:
      graph_.add_value(record.dst, model.result.empty() ? external_result(name) : made_instance());
      return call_hook(record, given, name, receiver);
    case Effect::kHook: {
      const bool is_on_module = receiver != kNone && values_[receiver].kind == ValueKind::kInstance;
      const bool is_patch = is_on_module && is_test_op(record.op) && !is_test_class(receiver);
      if (!model.result.empty()) graph_.add_value(record.dst, made_instance());
      if (is_on_module && !is_patch) graph_.add_edge(given, attribute_slot(receiver, known_.hooks, true));
      return call_hook(record, given, name, receiver);
    }
    case Effect::kReference: {
      const ObjectId object = object_of_call(record.op, ContainerKind::kReference, 0);
      graph_.add_edge(given, element_any(object));
      return give(object);
    }
    case Effect::kCallsElements: {
      std::vector<Argument> elements;
      for (std::uint32_t i = model.argument + 1u; i < record.argument_count; ++i) {
        const Slot element = new_slot();
        elements_into(arguments_[record.first_argument + i].slot, element);
        elements.push_back({element, Argument::kPositional});
      }
      const ObjectId results = made(ContainerKind::kList, 0);
      give(results);
      if (names_[name] == "builtins.filter")
        graph_.add_edge(elements.empty() ? 0 : elements[0].slot, element_any(results));
      const Slot result = names_[name] == "builtins.filter" ? 0 : element_any(results);
      return use(given, {UseKind::kCallee, add_call(record.op, elements, CallKind::kCallback, result)});
    }
    case Effect::kReduce: {
      const Slot element = new_slot();
      elements_into(argument_slot(record, 1, {}), element);
      const Argument arguments[] = {{record.dst, Argument::kPositional}, {element, Argument::kPositional}};
      graph_.add_edge(element, record.dst);
      graph_.add_edge(argument_slot(record, 2, {}), record.dst);
      return use(given, {UseKind::kCallee, add_call(record.op, arguments, CallKind::kCallback, record.dst)});
    }
    case Effect::kPartial: {
      const ObjectId object = object_of_call(record.op, ContainerKind::kPartial, 0);
      if (record.argument_count == 0) return;
      objects_[object].type = id;
      // Copies of one function make a partial each: of the same callee one stands for all.
      std::uint32_t& first = first_partials_.at(pair_key(base_op(record.op), given));
      if (first == kNone) first = object;
      if (first != object) values_.stand_for(container_value(object), container_value(first));
      graph_.add_edge(given, element_at(object, values_.intern(ValueKind::kInteger, 0)));
      return give(object);
    }
    case Effect::kBest: {
      const Slot element = new_slot();
      const auto arguments = arguments_of(record);
      const std::size_t count = static_cast<std::size_t>(std::count_if(
          arguments.begin(), arguments.end(), [](const Argument& a) { return a.name == Argument::kPositional; }));
      for (std::size_t i = 0; i < count; ++i) {
        const Slot each = arguments_[record.first_argument + i].slot;
        if (count == 1) elements_into(each, element);
        if (count > 1) graph_.add_edge(each, element);
      }
      graph_.add_edge(element, record.dst);
      return call_key(record, element);
    }
    case Effect::kElements:
    case Effect::kDict: {
      const bool is_dict = model.effect == Effect::kDict;
      const bool is_set = names_[name] == "builtins.set" || names_[name] == "builtins.frozenset";
      const ContainerKind kind = is_dict                            ? ContainerKind::kDict
                                 : model.result == "modules"        ? ContainerKind::kModules
                                 : is_set                           ? ContainerKind::kSet
                                 : names_[name] == "builtins.tuple" ? ContainerKind::kTuple
                                                                    : ContainerKind::kList;
      const ObjectId object = made(kind, 0);
      give(object);
      watch(given,
            find_model(is_dict || names_[name] == "builtins.list" || names_[name] == "builtins.tuple" ? "<copy>"
                                                                                                      : "<elements>"),
            inner(0),
            is_dict || names_[name] == "builtins.list" || names_[name] == "builtins.tuple" ? object
                                                                                           : element_any(object));
      if (!is_dict) return call_key(record, element_all(object));
      const std::vector<Argument> arguments(arguments_of(record).begin(), arguments_of(record).end());
      for (const Argument& argument : arguments) {
        if (argument.name < names_.size()) {
          graph_.add_edge(argument.slot, element_at(object, values_.intern(ValueKind::kText, argument.name)));
        } else if (argument.name == Argument::kDoubleStar) {
          watch(argument.slot, find_model("<copy>"), inner(0), object);
        }
      }
      return;
    }
    case Effect::kMerge:
    case Effect::kRows: {
      const ObjectId row = made(ContainerKind::kTuple, 1);
      const std::uint32_t first = model.effect == Effect::kRows ? 1 : 0;
      for (std::uint32_t i = 0; i < record.argument_count; ++i) {
        if (model.effect == Effect::kRows && i > 0) break;
        elements_into(arguments_[record.first_argument + i].slot,
                      element_at(row, values_.intern(ValueKind::kInteger, i + first)));
      }
      const ObjectId object = made(ContainerKind::kList, 0);
      graph_.add_value(element_any(object), container_value(row));
      return give(object);
    }
    case Effect::kChain: {
      const ObjectId object = made(ContainerKind::kList, 0);
      for (std::uint32_t i = 0; i < record.argument_count; ++i) {
        elements_into(arguments_[record.first_argument + i].slot, element_any(object));
      }
      return give(object);
    }
    case Effect::kNext: {
      watch(given, find_model("<next>"), inner(0), record.dst);
      return graph_.add_edge(argument_slot(record, 1, {}), record.dst);
    }
    case Effect::kArgumentList: {
      const ObjectId object = made(ContainerKind::kModules, 0);
      for (std::uint32_t i = 0; i < record.argument_count; ++i) {
        const Argument argument = arguments_[record.first_argument + i];
        if (argument.name == Argument::kPositional) {
          graph_.add_edge(argument.slot, element_at(object, values_.intern(ValueKind::kInteger, i)));
        } else if (argument.name == Argument::kStar) {
          elements_into(argument.slot, element_any(object));
        }
      }
      return give(object);
    }
    case Effect::kWraps: {
      const ObjectId object = object_of_call(record.op, ContainerKind::kWrapper, 0);
      objects_[object].type = name;
      graph_.add_edge(given, element_any(object));
      return give(object);
    }
    case Effect::kNamespace:
    case Effect::kFields: {
      const bool is_own = model.effect == Effect::kNamespace;
      const NameId cls = is_own ? name : name_id(model.result);
      const ValueId object = values_.intern(ValueKind::kExternalInstance, cls, is_own ? base_op(record.op) + 1 : 0);
      if (is_own) graph_.add_value(record.dst, object);
      const std::vector<Argument> arguments(arguments_of(record).begin(), arguments_of(record).end());
      for (const Argument& argument : arguments) {
        if (argument.name < names_.size()) store(object, argument.name, argument.slot, record.op);
      }
      return;
    }
    case Effect::kInstance:
      return graph_.add_value(record.dst, made_instance());
    case Effect::kTyped:
      return give_typed(model.result, record.op, record.dst);
    case Effect::kAttribute:
      return;
    case Effect::kField: {
      graph_.add_edge(argument_slot(record, 0, "default"), record.dst);
      for (const std::string_view keyword : {"default_factory", "factory"}) {
        const Slot factory = argument_slot(record, calls_.size(), keyword);
        if (factory == 0) continue;
        const Slot result = new_slot();
        watch(result, find_model("<record>"), inner(0), record.dst);
        use(factory, {UseKind::kCallee, add_call(record.op, {}, CallKind::kCallback, result)});
      }
      return;
    }
    case Effect::kSpecial:
      return special_call(id, name, receiver);
  }
}

/// Calls what a call was given to keep. Hooks of modules and optimizers get the object that they were registered on
/// first (docs of torch.nn.Module.register_forward_hook, torch.optim.Optimizer.register_step_post_hook).
void Solver::call_hook(const CallRecord& call, Slot callee, NameId name, ValueId receiver) {
  const std::string_view text = names_[name];
  const bool gets_owner =
      receiver != kNone && (text.starts_with("torch.nn.Module.") || text.starts_with("torch.optim."));
  if (!gets_owner) return use(callee, {UseKind::kCallee, add_call(call.op, {}, CallKind::kCallback, 0)});
  const Slot owner = new_slot();
  graph_.add_value(owner, receiver);
  const Argument argument{owner, Argument::kPositional};
  use(callee, {UseKind::kCallee, add_call(call.op, {&argument, 1}, CallKind::kCallback, 0)});
}

/// `key=f` of sorted, min, max and list.sort: f is called with each element.
void Solver::call_key(const CallRecord& call, Slot element) {
  const Slot key = argument_slot(call, calls_.size(), "key");
  if (key == 0) return;
  const Argument argument{element, Argument::kPositional};
  use(key, {UseKind::kCallee, add_call(call.op, {&argument, 1}, CallKind::kCallback, 0)});
}

/// property, classmethod and staticmethod, as decorators or called.
void Solver::special_decorator(CallRecordId id, NameId name, ContainerKind kind) {
  static_cast<void>(name);
  const CallRecord record = calls_[id];
  const ObjectId object = object_of_call(record.op, kind, 0);
  for (std::uint32_t place = 0; place < 2; ++place) {
    const Slot slot = argument_slot(record, place, place == 0 ? "fget" : "fset");
    graph_.add_edge(slot, element_at(object, values_.intern(ValueKind::kInteger, place)));
  }
  graph_.add_value(record.dst, container_value(object));
}

void Solver::special_call(CallRecordId id, NameId name, ValueId receiver) {
  const CallRecord record = calls_[id];
  const std::string& text = names_[name];
  const Slot first = argument_slot(record, 0, {});
  const Slot second = argument_slot(record, 1, {});
  if (text == "builtins.property" || text.ends_with("cached_property") || text.ends_with("abstractproperty")) {
    return special_decorator(id, name, ContainerKind::kProperty);
  }
  if (text == "builtins.getattr" || text == "builtins.setattr") {
    if (text == "builtins.getattr") {
      graph_.add_edge(argument_slot(record, 2, {}), record.dst);
      look_ups_.push_back(id);
    }
    return use(second, {UseKind::kAttributeName, id, text == "builtins.getattr" ? 0u : 1u});
  }
  if (text == "tyro.cli") {
    // What the command line says is set in the default, where there is one; else an object is made.
    const Slot given = argument_slot(record, calls_.size(), "default");
    if (given != 0) return graph_.add_edge(given, record.dst);
    return watch(first, find_model(text), id, 0);
  }
  if (text == "builtins.object.__new__") {
    // `super().__new__(cls)`; of `object.__new__(C)` the class is an argument.
    if (receiver == kNone || values_[receiver].kind != ValueKind::kClass) return watch(first, find_model(text), id, 0);
    return graph_.add_value(record.dst, values_.intern(ValueKind::kInstance, values_[receiver].a));
  }
  if (text == "builtins.super") {
    // super(C, self): pairs of what both may be.
    return watch(first, find_model(text), id, 0);
  }
  if (text == "builtins.type.__new__" && receiver != kNone && values_[receiver].kind == ValueKind::kClass) {
    // What a metaclass makes: the classes that name it.
    for (std::size_t i = 0; i < program_.classes().size(); ++i) {
      for (const ClassId each : program_.classes()[ClassId(i)].linearized) {
        const auto& metas = metaclasses_[each.index()];
        if (std::find(metas.begin(), metas.end(), ClassId(std::size_t{values_[receiver].a})) == metas.end()) continue;
        graph_.add_value(record.dst, class_values_[i]);
        break;
      }
    }
    return;
  }
  if (text == "ray.actor.ActorClass.options" && receiver != kNone) return graph_.add_value(record.dst, receiver);
  if (text == "types.FunctionType.__get__") return watch(first, find_model("<bound>"), id, receiver);
  if (text == "torch.library.CustomOpDef.register_autograd") {
    const Slot context = new_slot();
    graph_.add_value(context, values_.intern(ValueKind::kExternalInstance,
                                             name_id("torch.autograd.function.FunctionCtx"), base_op(record.op) + 1));
    const Argument argument{context, Argument::kPositional};
    const CallRecordId inner = add_call(record.op, {&argument, 1}, CallKind::kAutograd, 0);
    use(argument_slot(record, 0, "backward"), {UseKind::kCallee, inner});
    return use(argument_slot(record, calls_.size(), "setup_context"), {UseKind::kCallee, inner});
  }
  if (text == "torch.nn.Module.__call__" || text == "torch.nn.Module._call_impl") {
    if (receiver != kNone && values_[receiver].kind == ValueKind::kInstance) call_forward(id, receiver);
    return;
  }
  if (text == "threading.Thread.start" || text == "multiprocessing.Process.start") {
    if (receiver == kNone || values_[receiver].kind != ValueKind::kInstance) return;
    const Slot run = class_attribute(ClassId(std::size_t{values_[receiver].a}), name_id("run"), ClassId{});
    return use(run, {UseKind::kForce, receiver, add_call(record.op, {}, CallKind::kCallback, 0)});
  }
  if (text == "collections.defaultdict") {
    const ObjectId object = object_of_call(record.op, ContainerKind::kDict, 6);
    objects_[object].type = name;
    graph_.add_value(record.dst, container_value(object));
    return use(first, {UseKind::kCallee, add_call(record.op, {}, CallKind::kCallback, element_any(object))});
  }
  if (text.ends_with(".register_buffer") || text.ends_with(".register_parameter") || text.ends_with(".add_module") ||
      text.ends_with(".register_module")) {
    for (const ValueId each : graph_.values(first)) {
      if (values_[each].kind == ValueKind::kText && receiver != kNone)
        store(receiver, values_[each].a, second, record.op);
    }
    return;
  }
  const bool is_text = text == "builtins.str" || text == "builtins.repr" || text == "builtins.format";
  if (is_text) graph_.add_value(record.dst, values_.intern(ValueKind::kExternalInstance, known_.str));
  watch(first, find_model(text), id, second);
}

/// `dict([("a", f)])`: puts what a pair holds under its key, where that is one literal; else it may be any element.
void Solver::put_item(ValueId pair, ObjectId mapping) {
  if (values_[pair].kind != ValueKind::kContainer) return;
  const Slot key = element_at(values_[pair].a, values_.intern(ValueKind::kInteger, 0));
  const Slot value = element_at(values_[pair].a, values_.intern(ValueKind::kInteger, 1));
  const auto keys = graph_.values(key);
  if (keys.size() == 1) return use_key(container_value(mapping), value, kNone, keys[0]);
  graph_.add_edge(value, element_any(mapping));
}

void Solver::apply_model(const ModelRecord& entry, ValueId value) {
  const ModelRecord record = entry;
  const CallRecord call = calls_[record.call];
  const std::string_view name = record.model->name;
  const Value of = values_[value];
  if (name == "<elements>") return iterate(value, record.detail, call.op);
  if (name == "<next>") return next_element(value, record.detail, call.op);
  if (name == "<record>") {
    // The default of a field says of what class its value is; what that holds may be configured.
    const bool is_record = of.kind == ValueKind::kInstance && !is_enum_member(value);
    return graph_.add_value(record.detail, is_record ? values_.intern(ValueKind::kInstance, of.a) : value);
  }
  if (name == "<copy>") {
    if (of.kind == ValueKind::kContainer) {
      const ContainerKind kind = objects_[of.a].kind;
      const bool is_mapping = kind == ContainerKind::kDict || kind == ContainerKind::kKeywords;
      const bool wants_mapping = objects_[record.detail].kind == ContainerKind::kDict ||
                                 objects_[record.detail].kind == ContainerKind::kKeywords;
      if (is_mapping == wants_mapping) return copy_elements(of.a, record.detail, 0);
      if (wants_mapping) return watch(element_all(of.a), find_model("<item>"), record.call, record.detail);
    }
    return iterate(value, element_any(record.detail), call.op);
  }
  if (name == "<item>") return put_item(value, record.detail);
  if (name == "<loaded>") {
    call_dunder(call.op, value, "__iter__", {}, 0, CallKind::kCallback);
    call_dunder(call.op, value, "__getitem__", {}, 0, CallKind::kCallback);
    return;
  }
  if (name == "<actor>") {
    // `mesh.spawn("name", C, …)` of Monarch makes a C of the other arguments.
    if (of.kind == ValueKind::kClass && program_.derives_from(ClassId(std::size_t{of.a}), "monarch.actor.Actor"))
      this->call(add_call_tail(call, 2, CallKind::kDirect, call.dst), value);
    return;
  }
  if (name == "builtins.getattr") return load(value, record.detail, {call.op, call.dst, kNone});
  if (name == "builtins.setattr") return store(value, record.detail, argument_slot(call, 2, {}), call.op);
  if (name == "builtins.super") {
    if (of.kind == ValueKind::kClass) {
      watch(argument_slot(call, 1, {}), find_model("<receiver>"), record.call, of.a);
    }
    return;
  }
  if (name == "tyro.cli" || name == "builtins.object.__new__") {
    if (of.kind == ValueKind::kClass)
      graph_.add_value(call.dst, values_.intern(ValueKind::kInstance, values_[value].a));
    return;
  }
  if (name == "types.MethodType") return watch(argument_slot(call, 1, {}), find_model("<bound>"), record.call, value);
  if (name == "<bound>") {
    const bool is_function = values_[record.detail].kind == ValueKind::kFunction;
    return graph_.add_value(call.dst,
                            is_function ? values_.intern(ValueKind::kBound, record.detail, value) : record.detail);
  }
  if (name == "<receiver>") {
    return graph_.add_value(call.dst, values_.intern(ValueKind::kSuper, record.detail, value));
  }
  if (name == "builtins.classmethod") return graph_.add_value(call.dst, values_.intern(ValueKind::kClassMethod, value));
  if (name == "builtins.staticmethod")
    return graph_.add_value(call.dst, values_.intern(ValueKind::kStaticMethod, value));
  if (name == "builtins.type" && of.kind == ValueKind::kInstance)
    return graph_.add_value(call.dst, class_values_[of.a]);
  if (name == "importlib.import_module" && of.kind == ValueKind::kText) {
    return bind_reference(call.dst, resolver_.import_module(module_of_op(call.op), names_[of.a]));
  }
  if (name == "builtins.iter") {
    if (of.kind == ValueKind::kInstance) {
      if (call_dunder(call.op, value, "__iter__", {}, call.dst)) return;
    }
    return graph_.add_value(call.dst, value);
  }
  // len(x), str(x), …: the dunder method behind the function.
  const std::string dunder = std::string("__") + std::string(name.substr(name.rfind('.') + 1)) + "__";
  if (call_dunder(call.op, value, dunder, {}, 0)) return;
  if (dunder == "__str__") call_dunder(call.op, value, "__repr__", {}, 0);
  if (dunder == "__bool__") call_dunder(call.op, value, "__len__", {}, 0);
}

}  // namespace lockstep::program::flow
