#include "report/ways/objects/module_calls.h"

#include <algorithm>

#include "report/source/code.h"
#include "rules/syntax/super_calls.h"

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
  return call != nullptr && rules::is_method_of_super(call->callee) && callee_name(*call) == "__call__";
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
      if (!calls_base(program, id) || !enters_own_code(program, id)) continue;
      std::vector<CallId>& known = calls_[forward.value];
      if (std::find(known.begin(), known.end(), id) == known.end()) known.push_back(id);
    }
  }
}

const std::vector<CallId>& ModuleCalls::to(FunctionId forward) const {
  const auto found = calls_.find(forward.value);
  return found == calls_.end() ? none_ : found->second;
}

}  // namespace lockstep::report
