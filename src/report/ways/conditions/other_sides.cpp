#include "report/ways/conditions/other_sides.h"

#include <algorithm>
#include <vector>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/ways/functions/chosen_values.h"
#include "rules/syntax/flow.h"

namespace lockstep::report {

using program::FunctionId;

namespace {

bool is_sure(const program::CallSite& site, const program::CallTarget& target) {
  return target.function.valid() && (target.certainty == program::Certainty::kExact || site.targets.size() == 1);
}

Span span_of(python::Seq<python::Stmt> block) {
  return block.empty() ? Span{} : Span{block.front()->span.begin, block.back()->span.end};
}

/// Where a run goes that does not come by the guard; an empty span where that is nowhere in particular. `from`: the
/// end of the function.
Span other_side(const Guard& guard, Span way, std::uint32_t end) {
  if (const auto* choice = python::as<python::IfExp>(guard.statement))
    return guard.negated ? choice->body->span : choice->orelse->span;
  const auto* branch = python::as<python::If>(guard.statement);
  if (branch == nullptr) return {};
  // An early return: what it does before it leaves.
  if (!branch->span.contains(way)) return guard.negated ? span_of(branch->body) : span_of(branch->orelse);
  if (guard.negated) return span_of(branch->body);
  if (!branch->orelse.empty()) return span_of(branch->orelse);
  const bool leaves = !branch->body.empty() && rules::ends_block(*branch->body.back());
  return leaves ? Span{branch->span.end, end} : Span{};
}

/// `self.pp_schedule.step(…)`: a schedule of pipeline stages runs the forward and the backward of the same modules
/// (docs of torch.distributed.pipelining).
bool runs_schedule(const python::Call& call) {
  const auto* method = python::as<python::Attribute>(call.callee);
  if (method == nullptr || (method->name.text != "step" && method->name.text != "eval")) return false;
  return contains(to_lower(dotted_text(method->value)), "schedule") &&
         !contains(to_lower(dotted_text(method->value)), "lr");
}

/// Whether the code there reads what `call` calls: `checkpoint(self.mlp, x)` beside `self.mlp(x)`.
bool is_named_in(const python::Node& body, Span side, const python::Node& call) {
  const auto* made = python::as<python::Call>(&call);
  const std::string called = made == nullptr ? std::string() : dotted_text(made->callee);
  if (called.empty()) return false;
  bool found = false;
  python::walk(body, python::Nested::kSkip, [&](const python::Node* node) {
    const auto* name = python::as<python::Name>(node);
    const auto* member = python::as<python::Attribute>(node);
    const bool reads = (name != nullptr && name->context == python::ExprContext::kLoad) ||
                       (member != nullptr && member->context == python::ExprContext::kLoad);
    found =
        found || (reads && side.contains(node->span) && dotted_text(static_cast<const python::Expr*>(node)) == called);
  });
  return found;
}

bool is_same_guard(const Guard& one, const Guard& other) {
  return one.statement == other.statement && one.condition == other.condition && one.negated == other.negated;
}

}  // namespace

bool OtherSides::is_passed_by(const PathFrame& frame, const Guard& guard, FunctionId callee) const {
  const python::Node* body = program_.functions()[frame.function].node;
  if (body == nullptr || guard.condition == nullptr) return false;
  const auto& calls = program_.functions()[frame.function].calls;
  return std::any_of(calls.begin(), calls.end(), [&](program::CallId id) {
    const program::CallSite& site = program_.calls()[id];
    const bool enters = std::any_of(site.targets.begin(), site.targets.end(),
                                    [&](const program::CallTarget& one) { return one.function == callee; });
    if (!enters || site.node == frame.call) return false;
    std::vector<Guard> own = guards_of(*body, site.node->span);
    const std::vector<Guard> of_receiver = guards_of_receiver(program_, site, callee);
    own.insert(own.end(), of_receiver.begin(), of_receiver.end());
    return std::none_of(own.begin(), own.end(), [&](const Guard& other) { return is_same_guard(guard, other); });
  });
}

void OtherSides::add_sure_callers(FunctionId function, Functions& functions) const {
  constexpr int kMostLevels = 3;
  constexpr std::size_t kMost = 300;
  std::vector<FunctionId> level{function};
  functions.insert(function.value);
  for (int depth = 0; depth < kMostLevels; ++depth) {
    std::vector<FunctionId> next;
    for (const FunctionId one : level) {
      for (const program::CallId id : program_.callers_of(one)) {
        const program::CallSite& site = program_.calls()[id];
        if (functions.size() >= kMost || program::is_test_path(program_.module_of(site.caller).path)) continue;
        const bool sure = std::any_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& target) {
          return target.function == one && is_sure(site, target);
        });
        if (sure && functions.insert(site.caller.value).second) next.push_back(site.caller);
      }
    }
    level = std::move(next);
  }
}

bool OtherSides::leads_on(FunctionId caller, const Guard& guard, const PathFrame& frame, const Functions& targets,
                          const Functions& on_way) const {
  const python::Node* body = program_.functions()[caller].node;
  if (body == nullptr || guard.condition == nullptr) return false;
  const Span side = other_side(guard, frame.call->span, body->span.end);
  if (side.end <= side.begin) return false;
  if (is_named_in(*body, side, *frame.call)) return true;
  const auto& calls = program_.functions()[caller].calls;
  return std::any_of(calls.begin(), calls.end(), [&](program::CallId id) {
    const program::CallSite& site = program_.calls()[id];
    if (!side.contains(site.node->span)) return false;
    // On a value of unknown class the name is all there is.
    const auto* call = python::as<python::Call>(site.node);
    if (call != nullptr && runs_schedule(*call)) return true;
    if (site.targets.empty() && call != nullptr && python::is<python::Attribute>(call->callee) &&
        std::any_of(on_way.begin(), on_way.end(), [&](std::uint32_t one) {
          return program_.functions()[FunctionId(one)].name == callee_name(*call);
        }))
      return true;
    return std::any_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& target) {
      if (!target.function.valid() || !targets.contains(target.function.value)) return false;
      // As sure as the way itself, where it goes straight on to a function of it.
      return on_way.contains(target.function.value) || is_sure(site, target);
    });
  });
}

void OtherSides::mark(EntryPath& path) const {
  if (path.frames.size() < 2) return;
  Functions targets;
  Functions on_way;
  for (std::size_t i = path.frames.size() - 1; i-- > 0;) {
    add_sure_callers(path.frames[i + 1].function, targets);
    on_way.insert(path.frames[i + 1].function.value);
    PathFrame& frame = path.frames[i];
    if (frame.call == nullptr || frame.guards.empty()) continue;
    Functions others = targets;
    for (std::size_t above = 0; above <= i; ++above) others.erase(path.frames[above].function.value);
    for (const Guard& guard : frame.guards) {
      const bool decides_nothing = is_passed_by(frame, guard, path.frames[i + 1].function) ||
                                   leads_on(frame.function, guard, frame, others, on_way);
      if (decides_nothing) frame.two_sided.push_back(guard);
    }
  }
}

}  // namespace lockstep::report
