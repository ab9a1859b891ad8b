#include "program/unmade_closures.h"

#include <algorithm>
#include <string_view>

#include "program/queries.h"

namespace lockstep::program {

bool UnmadeClosures::contains(FunctionId function) const {
  if (!function.valid() || !program_.functions()[function].enclosing.valid()) return false;
  FunctionId outermost = function;
  while (program_.functions()[outermost].enclosing.valid()) outermost = program_.functions()[outermost].enclosing;
  const auto [place, is_new] = known_.try_emplace(outermost.value, false);
  if (is_new) place->second = is_unused(outermost);
  return place->second;
}

bool UnmadeClosures::is_unused(FunctionId outermost) const {
  const Function& row = program_.functions()[outermost];
  const python::FunctionDef* def = row.def();
  if (def == nullptr || row.owner.valid() || !def->decorators.empty() || row.name == "main") return false;
  if (is_test_path(program_.module_of(outermost).path)) return false;
  for (const Module& module : program_.modules()) {
    if (is_test_path(module.path)) continue;
    const bool is_own = &module == &program_.module_of(outermost);
    std::size_t at = module.facts->find_name(row.name);
    while (is_own && at != std::string_view::npos && at >= def->span.begin && at < def->span.end)
      at = module.facts->find_name(row.name, at + row.name.size());
    if (at != std::string_view::npos) return false;
  }
  return true;
}

}  // namespace lockstep::program
