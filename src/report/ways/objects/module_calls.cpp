#include "report/ways/objects/module_calls.h"

#include <algorithm>

#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::CallId;
using program::ClassId;
using program::FunctionId;
using program::Program;

namespace {

/// `super().__call__(…)`.
bool calls_base(const Program& program, CallId id) {
  const auto* call = as<Call>(program.calls()[id].node);
  const auto* member = call == nullptr ? nullptr : as<Attribute>(call->callee);
  const auto* base = member == nullptr || member->name.text != "__call__" ? nullptr : as<Call>(member->value);
  return base != nullptr && rules::name_of(base->callee) == "super";
}

/// Whether the call enters a `__call__` of the repository.
bool enters_own_code(const Program& program, CallId id) {
  const auto& targets = program.calls()[id].targets;
  return std::any_of(targets.begin(), targets.end(), [&](const program::CallTarget& one) {
    return one.function.valid() && program.functions()[one.function].name == "__call__";
  });
}

}  // namespace

ModuleCalls::ModuleCalls(const Program& program) {
  for (std::size_t i = 0; i < program.classes().size(); ++i) {
    const ClassId cls(i);
    if (!program.derives_from(cls, "torch.nn.Module")) continue;
    const FunctionId called = program.find_method(cls, "__call__");
    const FunctionId forward = program.find_method(cls, "forward");
    if (!called.valid() || !forward.valid()) continue;
    for (const CallId id : program.functions()[called].calls) {
      std::vector<CallId>& known = calls_[forward.value];
      const bool is_known = std::find(known.begin(), known.end(), id) != known.end();
      if (!is_known && calls_base(program, id) && enters_own_code(program, id)) known.push_back(id);
    }
  }
}

const std::vector<CallId>& ModuleCalls::to(FunctionId forward) const {
  const auto found = calls_.find(forward.value);
  return found == calls_.end() ? none_ : found->second;
}

}  // namespace lockstep::report
