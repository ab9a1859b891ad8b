#include "report/ways/functions/started_bodies.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "python/tree_walk.h"
#include "report/source/code.h"

namespace lockstep::report {

using namespace python;

namespace {

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool yields(const FunctionDef& function) {
  bool found = false;
  const auto look = [&](const Node* node) { found = found || is<Yield>(node); };
  for (const Stmt* statement : function.body) {
    look(statement);
    walk(*statement, Nested::kSkip, look);
  }
  return found;
}

/// Whether the call gives all it gets to the event loop as tasks. What the repository calls so itself may do anything.
bool makes_tasks(const program::Program& program, const Call& call) {
  const program::CallId site = program.call_of(&call);
  if (site.valid()) {
    const auto& targets = program.calls()[site].targets;
    const auto is_own = [](const program::CallTarget& target) { return target.function.valid(); };
    if (std::any_of(targets.begin(), targets.end(), is_own)) return false;
  }
  const std::string_view name = callee_name(call);
  if (is_one_of(name, {"create_task", "ensure_future", "gather", "run_coroutine_threadsafe"})) return true;
  // `loop.call_soon_threadsafe(loop.create_task, f())`.
  const auto* given = call.arguments.empty() ? nullptr : as<Attribute>(call.arguments.front());
  return given != nullptr && is_one_of(name, {"call_soon", "call_soon_threadsafe"}) &&
         given->name.text == "create_task";
}

/// `f(x)`, `[f(x), g(x)]`, `*[f(x) for x in xs]`: what holds a value and hands it on as it is.
bool only_holds(const Node& node) {
  return is<python::List>(&node) || is<Tuple>(&node) || is<Starred>(&node) || is<ListComp>(&node) ||
         is<GeneratorExp>(&node) || is<Keyword>(&node);
}

}  // namespace

BodyStart body_start(const program::Program& program, program::FunctionId caller, const Node* call,
                     program::FunctionId callee) {
  if (call == nullptr || !is<Call>(call) || !caller.valid() || !callee.valid()) return BodyStart::kAtCall;
  const FunctionDef* def = program.functions()[callee].def();
  const Node* body = program.functions()[caller].node;
  if (def == nullptr || !def->is_async || body == nullptr) return BodyStart::kAtCall;
  std::vector<const Node*> around = chain_to(*body, call->span);
  while (!around.empty() && around.back()->span == call->span) around.pop_back();
  if (yields(*def)) {
    // What a decorator makes of a generator is not known: a context manager, say.
    if (!def->decorators.empty() || around.empty()) return BodyStart::kAtCall;
    const Node* holder = around.back();
    const auto* loop = as<For>(holder);
    const auto* each = as<Comprehension>(holder);
    const auto* given = as<Call>(holder);
    const auto* method = as<Attribute>(holder);
    const bool is_iterated = (loop != nullptr && loop->iterable->span == call->span) ||
                             (each != nullptr && each->iterable->span == call->span) ||
                             (given != nullptr && is_one_of(callee_name(*given), {"anext", "aiter"})) ||
                             method != nullptr;
    // Whoever gets it as an argument may iterate over it there.
    return is_iterated || given != nullptr ? BodyStart::kAtCall : BodyStart::kWhenIterated;
  }
  for (; !around.empty(); around.pop_back()) {
    if (const auto* given = as<Call>(around.back()))
      return makes_tasks(program, *given) ? BodyStart::kAsTask : BodyStart::kAtCall;
    if (!only_holds(*around.back())) break;
  }
  return BodyStart::kAtCall;
}

}  // namespace lockstep::report
