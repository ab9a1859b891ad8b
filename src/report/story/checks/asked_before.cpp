#include "report/story/checks/asked_before.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "python/tree_walk.h"
#include "rules/syntax/flow.h"

namespace lockstep::report {

using namespace python;
using change::DifferenceKind;
using change::EntityChange;
using program::FunctionId;
using program::Program;

namespace {

/// Whether a difference may keep a run from what stands behind it.
bool asks(const change::Difference& difference) {
  switch (difference.kind) {
    case DifferenceKind::kAssertAdded:
    case DifferenceKind::kBodyChanged:
    case DifferenceKind::kBranchAdded:
    case DifferenceKind::kCallAdded:
    case DifferenceKind::kConditionChanged:
    case DifferenceKind::kDecoratorAdded:
    case DifferenceKind::kLoopAdded:
    case DifferenceKind::kRaiseAdded:
    case DifferenceKind::kReturnChanged:
      return true;
    default:
      return false;
  }
}

bool is_exit(const Node& node) {
  const auto* lone = as<ExprStmt>(&node);
  return is<Raise>(&node) || is<Assert>(&node) || (lone != nullptr && rules::ends_block(*lone));
}

class Search {
 public:
  Search(const DocumentInputs& inputs, const Actor& actor) : program_(*inputs.after), actor_(actor) {
    for (const EntityChange& entity : inputs.change->entities) {
      if (entity.after && entity.after->function.valid()) changes_.emplace(entity.after->function, &entity);
    }
  }

  bool run(std::size_t index) {
    const FunctionId function = actor_.change->after->function;
    if (!function.valid() || is_decorated_anew(*actor_.change)) return true;
    for (std::size_t i = 0; i < index; ++i) {
      if (step_asks(actor_.steps.after[i])) return true;
    }
    return callers_ask(function);
  }

 private:
  static bool is_decorated_anew(const EntityChange& entity) {
    return std::any_of(entity.differences.begin(), entity.differences.end(),
                       [](const auto& one) { return one.kind == DifferenceKind::kDecoratorAdded; });
  }

  [[nodiscard]] const EntityChange* change_of(FunctionId function) const {
    const auto found = changes_.find(function);
    return found == changes_.end() ? nullptr : found->second;
  }

  /// A new or changed step that may not come to an end, or one that was there and calls what may leave only now.
  bool step_asks(const Step& step) {
    const bool is_kept = step.status == StepStatus::kKept;
    if (!is_kept && is_exit(*step.node)) return true;
    bool found = false;
    walk_of<Call>(*step.node, Nested::kSkip, [&](const Call* call) {
      if (!step.span.contains(call->span)) return;
      const program::CallId site = program_.call_of(call);
      if (!site.valid()) return;
      for (const program::CallTarget& target : program_.calls()[site].targets) {
        if (!target.function.valid()) continue;
        found = found || (is_kept ? leaves_anew(target.function, 0) : may_leave(target.function, 0));
      }
    });
    return found;
  }

  static constexpr int kMostDepth = 3;

  using Depths = std::unordered_map<std::size_t, int>;  ///< By function: the least depth it was looked at in vain.

  /// Whether the function was not yet looked at with as many levels left: then more of what it calls is seen.
  static bool is_nearer(Depths& depths, FunctionId function, int depth) {
    const auto [place, is_new] = depths.try_emplace(function.index(), depth);
    if (!is_new && place->second <= depth) return false;
    place->second = depth;
    return true;
  }

  /// Whether a call of the function may end in an exception or an exit that it, or what it calls, gives on purpose.
  bool may_leave(FunctionId function, int depth) {
    const Node* node = program_.functions()[function].node;
    if (node == nullptr || !is_nearer(leaving_, function, depth)) return false;
    bool leaves = false;
    walk(*node, Nested::kSkip, [&](const Node* inner) { leaves = leaves || is_exit(*inner); });
    return leaves || any_below(function, depth, [&](FunctionId next) { return may_leave(next, depth + 1); });
  }

  /// The same of a function that the change makes leave.
  bool leaves_anew(FunctionId function, int depth) {
    if (!is_nearer(anew_, function, depth)) return false;
    const EntityChange* change = change_of(function);
    if (change != nullptr && !change->is_cosmetic() &&
        (!change->before || std::any_of(change->differences.begin(), change->differences.end(), asks)) &&
        may_leave(function, depth))
      return true;
    return any_below(function, depth, [&](FunctionId next) { return leaves_anew(next, depth + 1); });
  }

  template <typename Ask>
  bool any_below(FunctionId function, int depth, const Ask& ask) const {
    if (depth >= kMostDepth) return false;
    for (const program::CallId call : program_.functions()[function].calls) {
      for (const program::CallTarget& target : program_.calls()[call].targets) {
        if (target.function.valid() && target.certainty == program::Certainty::kExact && ask(target.function))
          return true;
      }
    }
    return false;
  }

  /// Whether something new stands before a call that leads to the function.
  bool callers_ask(FunctionId function) const {
    constexpr std::size_t kMost = 200;
    std::vector<FunctionId> leading{function};
    std::unordered_set<std::size_t> known{function.index()};
    for (std::size_t i = 0; i < leading.size() && i < kMost; ++i) {
      for (const program::CallId id : program_.callers_of(leading[i])) {
        const program::CallSite& site = program_.calls()[id];
        const EntityChange* change = change_of(site.caller);
        if (change != nullptr && !change->is_cosmetic() && caller_asks(*change, site)) return true;
        if (known.insert(site.caller.index()).second) leading.push_back(site.caller);
      }
    }
    return false;
  }

  [[nodiscard]] bool caller_asks(const EntityChange& caller, const program::CallSite& site) const {
    if (!caller.before) {
      const Node* node = program_.functions()[site.caller].node;
      bool found = false;
      walk(*node, Nested::kSkip, [&](const Node* inner) {
        const bool is_condition = is<If>(inner) || is<While>(inner) || is<Match>(inner) || is<IfExp>(inner) ||
                                  is<BoolOp>(inner) || is_exit(*inner);
        found = found || (is_condition && inner->span.begin <= site.node->span.begin);
      });
      return found;
    }
    const std::uint32_t line = source_of(program_, site.caller).line_of(site.node->span.begin);
    return std::any_of(caller.differences.begin(), caller.differences.end(), [&](const change::Difference& one) {
      return asks(one) && (!one.after_line || *one.after_line <= line);
    });
  }

  const Program& program_;
  const Actor& actor_;
  std::unordered_map<FunctionId, const EntityChange*> changes_;
  Depths leaving_;
  Depths anew_;
};

}  // namespace

bool may_be_asked_before(const DocumentInputs& inputs, const Actor& actor, std::size_t index) {
  return Search(inputs, actor).run(index);
}

}  // namespace lockstep::report
