#include "mesh/groundwork.h"

#include "python/tree_walk.h"

namespace lockstep::mesh {

using namespace python;

bool returns_value(const program::Function& function) {
  if (function.def() == nullptr) return true;
  bool found = false;
  walk_statements(*function.def(), Nested::kSkip, [&](const Stmt* statement) {
    const auto* result = as<Return>(statement);
    found = found || (result != nullptr && result->value != nullptr);
  });
  return found;
}

std::string_view called_name(const Call& call) {
  if (const auto* name = as<Name>(call.callee)) return name->id;
  const auto* attribute = as<Attribute>(call.callee);
  return attribute != nullptr ? attribute->name.text : std::string_view{};
}

Groundwork lay_groundwork(const program::Program& program) {
  Groundwork ground;
  for (std::size_t i = 0; i < program.functions().size(); ++i) {
    const program::FunctionId id(i);
    const program::Function& function = program.functions()[id];
    ground.returns_value.push_back(returns_value(function) ? 1 : 0);
    if (function.def() == nullptr || ground.returns_value.back() == 0) continue;
    bool makes_set = false;
    walk(*function.def(), Nested::kSkip, [&](const Node* node) {
      if (const auto* attribute = as<Attribute>(node)) {
        auto& readers = ground.readers[attribute->name.text];
        if (readers.empty() || readers.back() != id) readers.push_back(id);
      }
      makes_set = makes_set || is<Set>(node) || is<SetComp>(node);
      return true;
    });
    if (makes_set) ground.set_makers.push_back(id);
  }
  return ground;
}

}  // namespace lockstep::mesh
