#include "report/ways/functions/handed_functions.h"

#include <algorithm>

#include "report/source/code.h"
#include "report/ways/objects/class_uses.h"

namespace lockstep::report {

using namespace python;

std::vector<HandedFunction> handed_on_at(const program::Program& program, program::FunctionId function) {
  constexpr std::size_t kMostPlaces = 60;
  const program::Function& row = program.functions()[function];
  if (row.owner.valid() || row.enclosing.valid() || row.def() == nullptr) return {};
  std::vector<HandedFunction> out;
  std::size_t places = 0;
  for_each_place(program, row.name, [&](program::ModuleId id, std::uint32_t at) {
    if (++places > kMostPlaces) return false;
    const program::Module& module = program.modules()[id];
    const std::vector<const Node*> around = chain_to(module.facts->tree(), {at, at + 1});
    const auto* name = around.size() < 2 ? nullptr : as<Name>(around.back());
    if (name == nullptr || name->context != ExprContext::kLoad) return true;
    const Node* holder = around[around.size() - 2];
    const auto* call = as<Call>(holder);
    const auto* def = as<FunctionDef>(holder);
    const bool is_decorator =
        def != nullptr && std::find(def->decorators.begin(), def->decorators.end(), name) != def->decorators.end();
    if ((call != nullptr && call->callee == name) || is_decorator || is<Attribute>(holder)) return true;
    const program::FunctionId by = program.function_at(id, at);
    if (program.resolve(by, *name).function == function)
      out.push_back({by, module.facts->source().line_of(at), name->span});
    return true;
  });
  return places > kMostPlaces ? std::vector<HandedFunction>() : out;
}

}  // namespace lockstep::report
