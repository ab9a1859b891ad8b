#include "report/documents/costs/entered_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/documents/costs/kept_functions.h"
#include "report/source/apis.h"
#include "report/source/code.h"
#include "report/source/given_arguments.h"
#include "report/story/classes/replaced_classes.h"
#include "report/story/wording/words.h"
#include "report/ways/conditions/condition_kinds.h"
#include "rules/calls/signatures.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/super_calls.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

constexpr int kMostDepth = 3;
constexpr std::size_t kMostFunctions = 60;

/// Where a call surely leads: to one function, or to the forward and the backward of one autograd function.
std::vector<FunctionId> sure_targets(const Program& program, program::CallId id) {
  std::vector<FunctionId> out;
  bool is_autograd = true;
  for (const program::CallTarget& target : program.calls()[id].targets) {
    if (target.certainty != program::Certainty::kExact || !target.function.valid()) return {};
    is_autograd = is_autograd && target.kind == program::CallKind::kAutograd;
    if (std::find(out.begin(), out.end(), target.function) == out.end()) out.push_back(target.function);
  }
  return out.size() == 1 || is_autograd ? out : std::vector<FunctionId>();
}

bool is_off(const Expr* value) { return rules::is_false(value) || rules::is_none(value); }

/// Whether the parameter is `False` or `None` in every call of the function that the call graph knows outside tests,
/// and by default, and stays it.
bool is_never_switched_on(const Program& program, FunctionId function, std::string_view name) {
  const FunctionDef* def = program.functions()[function].def();
  const Parameter* parameter = def == nullptr ? nullptr : rules::parameter_named(def, name);
  if (parameter == nullptr || !is_off(parameter->default_value) || rules::binds_name(*def, name)) return false;
  bool is_called = false;
  for (const program::CallId id : program.callers_of(function)) {
    const program::CallSite& site = program.calls()[id];
    if (program::is_test_path(program.module_of(site.caller).path)) continue;
    const rules::Given given = given_by(program, site, function, name);
    if (given.how == rules::Given::How::kUnknown || (given.value != nullptr && !is_off(given.value))) return false;
    is_called = true;
  }
  return is_called;
}

/// Whether what stands at `place` runs only where a parameter is set that no call sets: `if check_bounds:`.
bool is_closed(const Program& program, FunctionId function, Span place) {
  const std::vector<Guard> guards = guards_of(*program.functions()[function].node, place);
  return std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
    const auto* name = guard.condition == nullptr || guard.negated ? nullptr : as<Name>(guard.condition);
    return name != nullptr && is_never_switched_on(program, function, name->id);
  });
}

bool is_asked_first(const Node& function, Span place) {
  const std::vector<Guard> guards = guards_of(function, place);
  return std::any_of(guards.begin(), guards.end(), [](const Guard& guard) { return guard.condition != nullptr; });
}

}  // namespace

bool keeps_results(const Program& program, FunctionId function) {
  const FunctionDef* def = program.functions()[function].def();
  return def != nullptr && std::any_of(def->decorators.begin(), def->decorators.end(), [](const Expr* one) {
           const auto* made = as<Call>(one);
           const std::string_view name = rules::last_part_of(made != nullptr ? made->callee : one);
           return name == "lru_cache" || name == "cache";
         });
}

EnteredCosts::EnteredCosts(const DocumentInputs& inputs, const Story& story) : inputs_(inputs) {
  constexpr std::size_t kMostKnown = 5000;
  std::set<const change::EntityChange*> in_step;
  for (const Actor& actor : story.actors) {
    if (actor.on_step_path) in_step.insert(actor.change);
  }
  std::vector<FunctionId> before;
  std::vector<FunctionId> before_in_step;
  for (const change::EntityChange& entity : inputs.change->entities) {
    if (entity.is_cosmetic()) continue;
    // What the change itself writes is looked at where its own lines are.
    if (entity.after && entity.after->function.valid()) seen_.insert(entity.after->function.value);
    // What is gone may have run in a step.
    const bool counts = in_step.empty() || in_step.contains(&entity) || !entity.after;
    if (!entity.before || !entity.before->function.valid()) continue;
    before.push_back(entity.before->function);
    if (counts) before_in_step.push_back(entity.before->function);
  }
  // What the methods came to in whose place new ones stand is no news of these.
  std::vector<FunctionId> replaced;
  for (const ReplacedClass& one : replaced_classes(inputs, story)) {
    for (const FunctionId method : inputs.after->classes()[one.now].methods) {
      const FunctionId was = inputs.before->find_method(one.was, inputs.after->functions()[method].name);
      if (was.valid()) replaced.push_back(was);
    }
  }
  before.insert(before.end(), replaced.begin(), replaced.end());
  before_in_step.insert(before_in_step.end(), replaced.begin(), replaced.end());
  for (const program::Reached& one : reachable_from(*inputs.before, replaced, kMostKnown))
    of_replaced_.insert(inputs.before->functions()[one.function].qualified_name);
  for (const program::Reached& one : reachable_from(*inputs.before, before, kMostKnown))
    known_.insert(inputs.before->functions()[one.function].qualified_name);
  for (const program::Reached& one : reachable_from(*inputs.before, before_in_step, kMostKnown))
    known_in_step_.insert(inputs.before->functions()[one.function].qualified_name);
}

bool EnteredCosts::is_of_replaced(FunctionId function) const {
  return of_replaced_.contains(inputs_.after->functions()[function].qualified_name);
}

bool EnteredCosts::is_known(std::string_view qualified_name, bool trains) const {
  return (trains ? known_in_step_ : known_).contains(qualified_name);
}

bool EnteredCosts::is_shut(const Entered& at, Span place, bool trains) const {
  const Program& program = *inputs_.after;
  if (is_closed(program, at.function, place) || is_ruled_out(program, at.function, place, at.known)) return true;
  return trains && ask_for_inference_on(program, at.self, guards_of(*program.functions()[at.function].node, place));
}

program::ClassId EnteredCosts::kept_self(program::CallId call, program::ClassId self) const {
  const auto* node = as<Call>(inputs_.after->calls()[call].node);
  const auto* method = node == nullptr ? nullptr : as<Attribute>(node->callee);
  const bool is_own =
      method != nullptr && (rules::name_of(method->value) == "self" || rules::is_method_of_super(method));
  return is_own ? self : program::ClassId();
}

std::vector<EnteredWork> EnteredCosts::of(const Call& call, bool trains) {
  const Program& program = *inputs_.after;
  std::vector<EnteredWork> out;
  std::deque<Entered> pending;
  const auto enter = [&](program::CallId id, const Entered& from, bool is_conditional) {
    for (const FunctionId target : sure_targets(program, id)) {
      const program::Function& row = program.functions()[target];
      if (!is<FunctionDef>(row.node) || is_known(row.qualified_name, trains) || followed_ >= kMostFunctions) continue;
      if (!seen_.insert(target.value).second) continue;
      ++followed_;
      pending.push_back({target, from.depth + 1, from.is_backward || row.name == "backward", is_conditional,
                         kept_self(id, from.self), bound_by(program, program.calls()[id], target, from.known)});
    }
  };
  if (const program::CallId through = program.call_of(&call); through.valid()) {
    const FunctionId caller = program.calls()[through].caller;
    enter(through, {caller, 0, false, false, program.functions()[caller].owner, {}}, false);
    for (; !pending.empty(); pending.pop_front()) {
      const Entered at = std::move(pending.front());
      look_at(through, at, trains, out);
      if (not_followed_.empty()) not_followed_ = kept_function_words(program, at.function);
      if (at.depth == kMostDepth) continue;
      const program::Function& row = program.functions()[at.function];
      for (const program::CallId id : row.calls) {
        const Node* node = program.calls()[id].node;
        if (node != nullptr && !is_shut(at, node->span, trains))
          enter(id, at, at.is_conditional || is_asked_first(*row.node, node->span));
      }
    }
  }
  return out;
}

void EnteredCosts::look_at(program::CallId through, const Entered& at, bool trains,
                           std::vector<EnteredWork>& out) const {
  const Program& program = *inputs_.after;
  const program::Function& row = program.functions()[at.function];
  const SourceText& source = source_of(program, at.function);
  const WordsContext context{&program, inputs_.after_mesh, at.function, &source, true};
  walk_of<Call>(*row.node, Nested::kSkip, [&](const Call* call) {
    EnteredWork work;
    if (const mesh::CollectiveSite* site = collective_at(context, call)) {
      const auto issued = inputs_.after_mesh->issued_through(through);
      const bool is_issued =
          std::any_of(issued.begin(), issued.end(), [&](const auto& one) { return one.call == site->call; });
      if (!at.is_backward && !is_issued && inputs_.after_mesh->knows_all_of(through)) return;
      work.kind = EnteredWork::Kind::kCollective;
      work.words = collective_words(as_called(*site, *inputs_.after_mesh, {through}), *inputs_.after_mesh);
    } else {
      const KnownApi* api = known_work(program, *call);
      if (api == nullptr || (api->kind != ApiKind::kHostSync && api->kind != ApiKind::kAllocation)) return;
      if (api->kind == ApiKind::kAllocation && keeps_results(program, at.function)) return;
      work.kind = api->kind == ApiKind::kHostSync ? EnteredWork::Kind::kHostSync : EnteredWork::Kind::kAllocation;
      work.words = code(one_line(source, *call, 50));
    }
    if (is_shut(at, call->span, trains)) return;
    work.where = place_of(program, row.module, call->span);
    work.in = at.function;
    work.is_conditional = at.is_conditional || is_asked_first(*row.node, call->span);
    out.push_back(std::move(work));
  });
}

}  // namespace lockstep::report
