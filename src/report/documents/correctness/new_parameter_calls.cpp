#include "report/documents/correctness/new_parameter_calls.h"

#include <algorithm>

#include "program/queries.h"
#include "report/source/given_arguments.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Whether the parameter stands behind all that the function took by position before, and it takes no `*rest`.
bool is_last_by_position(const FunctionDef& before, const FunctionDef& now, const Parameter& parameter) {
  for (const Parameter* one : now.parameters->all) {
    if (one->parameter_kind == Parameter::Kind::kVarArgs) return false;
    const bool is_behind = one->span.begin > parameter.span.begin;
    if (is_behind && rules::parameter_named(&before, one->name.text) != nullptr) return false;
  }
  return true;
}

}  // namespace

bool has_call(const std::vector<const program::CallSite*>& sites, const program::CallSite& site) {
  return std::any_of(sites.begin(), sites.end(), [&](const auto* one) { return one->node == site.node; });
}

void add_calls(std::vector<const program::CallSite*>& into, const std::vector<const program::CallSite*>& from) {
  for (const program::CallSite* site : from) {
    if (!has_call(into, *site)) into.push_back(site);
  }
}

std::vector<NewParameterCalls> calls_of_new_parameters(const DocumentInputs& inputs, const Story& story) {
  const program::Program& program = *inputs.after;
  std::vector<NewParameterCalls> out;
  for (const Actor& actor : story.actors) {
    const auto& side = actor.change->after;
    if (actor.role == Role::kTest || !actor.change->before || !side || !side->function.valid()) continue;
    const FunctionDef* def = program.functions()[side->function].def();
    const auto* before = as<FunctionDef>(actor.change->before->node);
    for (const change::Difference& one : actor.change->differences) {
      const Parameter* parameter = def == nullptr || one.kind != change::DifferenceKind::kParameterAdded
                                       ? nullptr
                                       : rules::parameter_named(def, one.name);
      if (parameter == nullptr || parameter->default_value == nullptr) continue;
      NewParameterCalls calls{side->function, parameter, {}, {}, {}};
      for (const program::CallId id : program.callers_of(side->function)) {
        const program::CallSite& site = program.calls()[id];
        const auto* call = as<Call>(site.node);
        if (call == nullptr || program::is_test_path(program.module_of(site.caller).path)) continue;
        const rules::Given given = given_by(program, site, side->function, parameter->name.text);
        const bool is_unknown = given.how == rules::Given::How::kUnknown;
        const bool spreads = is_unknown && before != nullptr && rules::has_spread_arguments(*call) &&
                             !rules::has_spread_keywords(*call) && gets_as_written(program, site, side->function) &&
                             is_last_by_position(*before, *def, *parameter);
        if (is_unknown && !spreads) continue;
        auto& list = spreads ? calls.spreading : given.how == rules::Given::How::kValue ? calls.giving : calls.lacking;
        if (!has_call(list, site)) list.push_back(&site);
      }
      out.push_back(std::move(calls));
    }
  }
  return out;
}

}  // namespace lockstep::report
