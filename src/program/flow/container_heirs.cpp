// Classes of the repository that derive from a container: `class ModuleDict(torch.nn.ModuleDict)`. What an object of
// such a class holds stands in a container beside it, which answers for the methods that the class does not define.
#include <algorithm>
#include <array>

#include "program/flow/solver.h"

namespace lockstep::program::flow {
namespace {

struct Row {
  std::string_view base;
  ContainerKind kind;
};

// docs.python.org/3/library/collections.html, torch.nn docs.
constexpr auto kBases = std::to_array<Row>({{"builtins.dict", ContainerKind::kDict},
                                            {"builtins.list", ContainerKind::kList},
                                            {"collections.OrderedDict", ContainerKind::kDict},
                                            {"collections.UserDict", ContainerKind::kDict},
                                            {"collections.UserList", ContainerKind::kList},
                                            {"collections.defaultdict", ContainerKind::kDict},
                                            {"collections.deque", ContainerKind::kList},
                                            {"torch.nn.ModuleDict", ContainerKind::kDict},
                                            {"torch.nn.ModuleList", ContainerKind::kModules},
                                            {"torch.nn.Sequential", ContainerKind::kModules}});

const Row* row_of(const Class& cls) {
  const auto& above = cls.external_ancestors;
  const auto found = std::find_if(kBases.begin(), kBases.end(), [&](const Row& row) {
    return std::find(above.begin(), above.end(), row.base) != above.end();
  });
  return found == kBases.end() ? nullptr : &*found;
}

}  // namespace

bool Solver::is_container_heir(ClassId cls) {
  std::uint8_t& known = container_heirs_[cls.index()];
  if (known == 0) known = row_of(program_.classes()[cls]) != nullptr ? 2 : 1;
  return known == 2;
}

/// The container with the elements of an object, where its class leaves `method` to a container that it derives from;
/// kNone where it does not. An empty name asks for no method.
ValueId Solver::elements_behind(ValueId instance, std::string_view method) {
  const Value value = values_[instance];
  if (value.kind != ValueKind::kInstance) return kNone;
  const ClassId cls(std::size_t{value.a});
  if (!is_container_heir(cls)) return kNone;
  if (!method.empty() && class_attribute(cls, name_id(method), ClassId{}) != 0) return kNone;
  // An object of which only the class is known may be any that was made.
  const bool is_any = value.b == 0 || value.b == kAnyRecord;
  const ValueId any = values_.intern(ValueKind::kInstance, value.a, kAnyRecord);
  const ValueId owner = is_any ? any : instance;
  if (const auto known = held_by_.find(owner); known != held_by_.end()) return known->second;
  const Row* row = row_of(program_.classes()[cls]);
  const ObjectId object = new_object(row->kind);
  objects_[object].type = name_id(row->base);
  const ValueId elements = container_value(object);
  held_by_.emplace(owner, elements);
  if (!is_any) copy_elements(object, values_[elements_behind(any, {})].a, 0);
  return elements;
}

/// What a constructor outside does with what it is given: `super().__init__(layers)`.
void Solver::fill_heir(const CallRecord& call, ValueId instance) {
  const ValueId elements = elements_behind(instance, {});
  if (elements == kNone) return;
  const ObjectId object = values_[elements].a;
  const bool takes_all = names_[objects_[object].type] == "torch.nn.Sequential";
  const bool is_dict = objects_[object].kind == ContainerKind::kDict;
  const std::vector<Argument> arguments(arguments_of(call).begin(), arguments_of(call).end());
  for (const Argument& argument : arguments) {
    const bool is_plain = argument.name == Argument::kPositional;
    if (takes_all && is_plain) {
      graph_.add_edge(argument.slot, element_any(object));
    } else if (is_plain || argument.name == Argument::kStar) {
      const CallRecordId inner = add_call(call.op, {}, CallKind::kImplicit, 0);
      watch(argument.slot, find_model(is_dict ? "<copy>" : "<elements>"), inner,
            is_dict ? object : element_any(object));
    }
  }
}

}  // namespace lockstep::program::flow
