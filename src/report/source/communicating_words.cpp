#include "report/source/communicating_words.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "python/facts.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;

namespace {

/// DTensor's own: torch.distributed.tensor.
const Call* moving_between_ranks(const FunctionDef& def, const std::function<bool(const Call&)>& counts) {
  const Call* found = nullptr;
  walk_of<Call>(def, Nested::kEnter, [&](const Call* call) {
    if (found != nullptr || !counts(*call)) return;
    const std::string_view name = callee_name(*call);
    const bool moves = name == "distribute_tensor" ||
                       (is<Attribute>(call->callee) && (name == "redistribute" || name == "full_tensor"));
    if (moves) found = call;
  });
  return found;
}

/// Of a function that calls nothing, and so communicates nothing, its docstring says what others do with its result.
bool docstring_speaks(const FunctionDef& def) {
  bool calls = false;
  walk_of<Call>(def, Nested::kEnter, [&](const Call*) { calls = true; });
  if (!calls) return false;
  static constexpr std::string_view kWords[] = {"collective", "all-gather", "allgather",  "all-reduce",    "allreduce",
                                                "all-to-all", "alltoall",   "rendezvous", "reduce-scatter"};
  const Constant* docstring = docstring_of(def.body);
  if (docstring == nullptr) return false;
  const std::string lower = to_lower(docstring->text);
  // What it names is an attribute then: `setattr(weight, "allreduce", …)`.
  const auto is_own_name = [&](std::string_view word) {
    bool found = false;
    walk(def, Nested::kEnter, [&](const Node* node) {
      const auto* attribute = as<Attribute>(node);
      const auto* text = as<Constant>(node);
      found = found || (attribute != nullptr && attribute->name.text == word) ||
              (text != nullptr && rules::text_of(text) == word);
    });
    return found;
  };
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return contains(lower, word) && !is_own_name(word); });
}

}  // namespace

CommunicatingWords communicating_words(const program::Program& program, FunctionId function,
                                       const std::function<bool(const Call&)>& counts) {
  constexpr std::size_t kMost = 60;  // Functions that are looked at.
  constexpr int kDepth = 2;
  const FunctionDef* def = function.valid() ? program.functions()[function].def() : nullptr;
  if (def == nullptr) return {};
  if (const Call* moving = moving_between_ranks(*def, counts)) return {moving, {}};
  std::vector<std::pair<FunctionId, int>> open = {{function, 0}};
  for (std::size_t i = 0; i < open.size() && i < kMost; ++i) {
    const auto [at, depth] = open[i];
    if (depth == kDepth) continue;
    for (const program::CallId call : program.functions()[at].calls) {
      const auto* made = as<Call>(program.calls()[call].node);
      if (depth == 0 && (made == nullptr || !counts(*made))) continue;
      const auto& targets = program.calls()[call].targets;
      if (targets.size() != 1 || !targets.front().function.valid()) continue;
      const FunctionId callee = targets.front().function;
      const FunctionDef* entered = program.functions()[callee].def();
      const bool is_known = std::any_of(open.begin(), open.end(), [&](const auto& one) { return one.first == callee; });
      if (entered == nullptr || is_known) continue;
      if (docstring_speaks(*entered)) return {nullptr, callee};
      open.emplace_back(callee, depth + 1);
    }
  }
  return {};
}

}  // namespace lockstep::report
