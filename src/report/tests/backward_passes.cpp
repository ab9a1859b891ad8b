#include "report/tests/backward_passes.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/source/code.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

bool is_backward_pass(const Program& program, FunctionId target) {
  const program::Function& function = program.functions()[target];
  return function.name == "backward" && function.owner.valid() &&
         program.derives_from(function.owner, "torch.autograd.Function");
}

bool asks_for_gradients(std::string_view text) {
  static constexpr std::string_view kWords[] = {"backward", "autograd.grad", "gradcheck", "train_step"};
  return std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view word) { return contains(text, word); });
}

bool runs_backward(const Program& program, FunctionId test) {
  const program::Function& function = program.functions()[test];
  if (function.node == nullptr) return true;
  if (asks_for_gradients(source_of(program, test).slice(function.node->span))) return true;
  bool found = false;
  walk_of<Call>(*function.node, Nested::kEnter, [&](const Call* call) {
    const program::CallId id = found ? program::CallId() : program.call_of(call);
    if (!id.valid()) return;
    for (const program::CallTarget& target : program.calls()[id].targets) {
      if (!target.function.valid()) continue;
      const program::Function& helper = program.functions()[target.function];
      found = found || (helper.module == function.module && helper.node != nullptr &&
                        asks_for_gradients(source_of(program, target.function).slice(helper.node->span)));
    }
  });
  return found;
}

}  // namespace

void prefer_backward_passes(const Program& program, FunctionId target, std::vector<TestReach>& tests) {
  if (!target.valid() || tests.empty() || !is_backward_pass(program, target)) return;
  std::vector<TestReach> running;
  std::copy_if(tests.begin(), tests.end(), std::back_inserter(running),
               [&](const TestReach& one) { return runs_backward(program, one.test); });
  if (!running.empty()) tests = std::move(running);
}

}  // namespace lockstep::report
