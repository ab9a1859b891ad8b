#include "report/ways/objects/unmade_classes.h"

#include <algorithm>
#include <vector>

#include "program/queries.h"
#include "report/ways/objects/class_uses.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using program::ClassId;

bool UnmadeClasses::contains(ClassId cls) const {
  if (!cls.valid()) return false;
  const auto [place, is_new] = known_.try_emplace(cls.value, false);
  if (is_new) place->second = is_unmade(cls);
  return place->second;
}

ClassId UnmadeClasses::of(program::FunctionId asked) const {
  for (program::FunctionId function = asked; function.valid(); function = program_.functions()[function].enclosing) {
    const ClassId owner = program_.functions()[function].owner;
    if (owner.valid()) return contains(owner) ? owner : ClassId();
  }
  // A function of the module that only such methods call.
  ClassId common;
  if (!asked.valid()) return {};
  for (const program::CallId call : program_.callers_of(asked)) {
    const program::FunctionId caller = program_.calls()[call].caller;
    if (program::is_test_path(program_.module_of(caller).path)) continue;
    const ClassId owner = program_.functions()[caller].owner;
    if (!contains(owner) || (common.valid() && common != owner)) return {};
    common = owner;
  }
  return common;
}

bool UnmadeClasses::is_unmade(ClassId cls) const {
  const auto& all = program_.classes();
  // Of a class without a base of the repository nothing but its own name tells who runs it: a library's users may.
  const bool has_base = all[cls].linearized.size() >= 2;
  if (program::is_test_path(program_.module_of(cls).path)) return false;
  std::vector<ClassId> classes;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const ClassId id(i);
    const auto& order = all[id].linearized;
    if (id != cls && std::find(order.begin(), order.end(), cls) == order.end()) continue;
    if (program::is_test_path(program_.module_of(id).path)) continue;
    classes.push_back(id);
  }
  // A mixin has no base, but those that take it in have: without another base of the repository, they are as it is.
  const auto takes_in = [&](ClassId id) { return id == cls || all[id].linearized.size() > 2; };
  if (!has_base && (classes.size() < 2 || !std::all_of(classes.begin(), classes.end(), takes_in))) return false;
  for (const ClassId id : classes) {
    // A decorator, a metaclass or `__init_subclass__` may put it into a table; what stands in a class or a function is
    // named by that.
    const python::ClassDef* node = all[id].node;
    const bool only_data = all[id].is_dataclass && node->decorators.size() == 1;
    const bool has_keywords = !node->keywords.empty();
    if ((!node->decorators.empty() && !only_data) || has_keywords || all[id].owner.valid() ||
        all[id].enclosing.valid() || program_.find_method(id, "__init_subclass__").valid())
      return false;
  }
  return for_each_use(program_, classes, [](const ClassUse&) { return false; });
}

}  // namespace lockstep::report
