#include "report/ways/scripts/training_loop.h"

#include "base/strings.h"
#include "report/source/code.h"

namespace lockstep::report {

using program::CallId;
using program::FunctionId;
using program::Program;

namespace {

/// `train_step`, `training_step`, `dummy_train_step`: loops over layers and microbatches are none of training.
bool is_training_step(std::string_view name) { return contains(name, "train") && contains(name, "step"); }

/// The outermost loop around a place in a function; null where there is none.
const python::Node* loop_around(const python::Node& function, Span place) {
  for (const python::Node* node : chain_to(function, place)) {
    if (python::is<python::While>(node) || python::is<python::For>(node)) return node;
  }
  return nullptr;
}

}  // namespace

TrainingLoop::TrainingLoop(const Program& program, const std::vector<program::Reached>* step_path)
    : program_(program), is_in_(program.functions().size()), is_call_in_(program.calls().size()) {
  if (step_path == nullptr) return;
  for (const program::Reached& reached : *step_path) {
    if (reached.distance != 0 || !is_training_step(program.functions()[reached.function].name)) continue;
    for (const CallId id : program.callers_of(reached.function)) {
      const FunctionId caller = program.calls()[id].caller;
      const python::Node* body = program.functions()[caller].node;
      if (body == nullptr || program::is_test_path(program.module_of(caller).path)) continue;
      const python::Node* loop = loop_around(*body, program.calls()[id].node->span);
      if (loop == nullptr) continue;
      for (const CallId inner : program.functions()[caller].calls) {
        if (!loop->span.contains(program.calls()[inner].node->span)) continue;
        is_call_in_[inner.index()] = true;
        enter(inner);
      }
    }
  }
  while (!pending_.empty()) {
    const FunctionId at = pending_.back();
    pending_.pop_back();
    for (const CallId call : program.functions()[at].calls) enter(call);
  }
}

void TrainingLoop::enter(CallId call) {
  for (const program::CallTarget& target : program_.calls()[call].targets) {
    if (!target.function.valid() || target.certainty == program::Certainty::kByName || is_in_[target.function.index()])
      continue;
    is_in_[target.function.index()] = true;
    pending_.push_back(target.function);
  }
}

}  // namespace lockstep::report
