#include "report/documents/correctness/unread_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/calls/changed_arguments.h"
#include "rules/names/bindings.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

constexpr std::size_t kMostQuestions = 2;
constexpr std::size_t kMostSteps = 400;  // Of a function: each return asks all steps before it.

bool reads(const Step& step, std::string_view name) {
  bool found = false;
  walk_of<Name>(*step.node, Nested::kEnter, [&](const Name* one) {
    found = found || (one->id == name && one->context == ExprContext::kLoad && step.span.contains(one->span));
  });
  return found;
}

/// The first step that returns what a call gives, with nothing before it on its way that reads the name; kNone where
/// there is none, or where nothing reads it at all.
std::size_t unread_return(const std::vector<Step>& steps, std::string_view name) {
  std::set<std::size_t> reading;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (reads(steps[i], name)) reading.insert(i);
  }
  if (reading.empty()) return Step::kNone;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto* result = steps[i].kind == StepKind::kPlain ? as<Return>(steps[i].node) : nullptr;
    const auto* call = result == nullptr ? nullptr : as<Call>(result->value);
    if (call == nullptr || call->arguments.size() + call->keywords.size() < 2) continue;
    const bool is_read = std::any_of(reading.begin(), reading.end(),
                                     [&](std::size_t one) { return one <= i && !are_alternatives(steps, one, i); });
    if (!is_read) return i;
  }
  return Step::kNone;
}

/// The one function of the repository that the call surely enters; none for others.
FunctionId entered_by(const Program& program, const Call& call) {
  const program::CallId id = program.call_of(&call);
  if (!id.valid()) return {};
  const auto& targets = program.calls()[id].targets;
  const bool is_one = targets.size() == 1 && targets.front().function.valid() &&
                      program::surely_enters(program.calls()[id], targets.front().function);
  return is_one ? targets.front().function : FunctionId();
}

}  // namespace

void add_unread_arguments(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  const Program& program = *inputs.after;
  std::set<std::pair<std::uint32_t, std::string_view>> told;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function() || actor.is_removed()) continue;
    for (const ChangedArgument& given : changed_arguments(inputs, actor)) {
      if (told.size() == kMostQuestions) return;
      if (given.was != nullptr || given.now == nullptr || given.after == nullptr || is<Constant>(given.now)) continue;
      const FunctionId callee = entered_by(program, *given.after);
      const FunctionDef* def = callee.valid() ? program.functions()[callee].def() : nullptr;
      if (def == nullptr || rules::parameter_named(def, given.name) == nullptr || rules::binds_name(*def, given.name))
        continue;
      const SourceText& source = source_of(program, callee);
      const std::vector<Step> steps = steps_of(*def, source);
      const std::size_t at = steps.size() > kMostSteps ? Step::kNone : unread_return(steps, given.name);
      if (at == Step::kNone) continue;
      const std::string where = where_words(*def, steps[at], source);
      if (where.empty() || !told.insert({callee.value, given.name}).second) continue;
      const std::string concern = fmt::format(
          "{} newly gives {} to {}, which returns without reading it where {} ({}: {}).",
          code(short_name(inputs, *actor.change)), code(given.name), code(short_name(program, callee)), where,
          place(program.module_of(callee).path, steps[at].first_line), code(one_line(source, steps[at].span, 60)));
      const std::string asked = "Is it meant to be left out there?";
      risks.push_back({RiskKind::kCorrectness, concern, asked, false, concern + " " + asked});
    }
  }
}

}  // namespace lockstep::report
