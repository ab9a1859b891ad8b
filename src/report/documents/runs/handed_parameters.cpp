#include "report/documents/runs/handed_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "python/tree_walk.h"
#include "report/document.h"
#include "report/documents/parts.h"
#include "report/story/wording/argument_edits.h"

namespace lockstep::report {

using namespace python;
using change::Difference;
using change::DifferenceKind;

namespace {

/// The name of the one parameter that comes, where nothing else of the signature differs; empty for others.
std::string_view only_new_parameter(const Actor& actor) {
  std::string_view found;
  for (const Difference& one : actor.change->differences) {
    if (one.kind == DifferenceKind::kParameterAdded && found.empty()) {
      found = one.name;
    } else if (one.kind <= DifferenceKind::kAsyncChanged) {
      return {};
    }
  }
  return found;
}

/// Whether the step calls something with the parameter itself as an argument.
bool hands_on(const Step& step, std::string_view parameter) {
  bool found = false;
  const auto is_it = [&](const Expr* one) {
    const auto* name = as<Name>(one);
    return name != nullptr && name->id == parameter;
  };
  walk_of<Call>(*step.node, Nested::kSkip, [&](const Call* call) {
    if (!step.span.contains(call->span)) return;
    found = found || std::any_of(call->arguments.begin(), call->arguments.end(), is_it) ||
            std::any_of(call->keywords.begin(), call->keywords.end(),
                        [&](const Keyword* keyword) { return is_it(keyword->value); });
  });
  return found;
}

/// Whether all that changes in the function is that calls which it made get the parameter.
bool only_hands_on(const DocumentInputs& inputs, const Actor& actor, std::string_view parameter) {
  if (!actor.is_function() || actor.is_added() || actor.is_removed() || !actor.followed.empty()) return false;
  const std::vector<Step>& before = actor.steps.before;
  const auto is_gone = [](const Step& step) { return step.status == StepStatus::kRemoved; };
  if (std::any_of(before.begin(), before.end(), is_gone)) return false;
  const WordsContext was = context_before(inputs, actor);
  const WordsContext now = context_after(inputs, actor);
  bool is_handed = false;
  for (const Step& step : actor.steps.after) {
    if (step.status == StepStatus::kKept) continue;
    if (step.status != StepStatus::kChanged || step.partner == Step::kNone || !hands_on(step, parameter) ||
        !added_arguments(before[step.partner], was, step, now))
      return false;
    is_handed = true;
  }
  return is_handed;
}

}  // namespace

std::vector<HandedParameter> handed_parameters(const DocumentInputs& inputs, const std::vector<const Actor*>& actors) {
  constexpr std::size_t kFewest = 2;
  constexpr std::size_t kMostNamed = 6;
  struct Group {
    std::string_view parameter;
    std::vector<const Actor*> actors;
  };
  std::vector<Group> groups;
  for (const Actor* actor : actors) {
    const std::string_view parameter = only_new_parameter(*actor);
    if (parameter.empty() || !only_hands_on(inputs, *actor, parameter)) continue;
    const auto known =
        std::find_if(groups.begin(), groups.end(), [&](const Group& one) { return one.parameter == parameter; });
    if (known == groups.end()) {
      groups.push_back({parameter, {actor}});
    } else {
      known->actors.push_back(actor);
    }
  }
  std::vector<HandedParameter> out;
  for (Group& group : groups) {
    if (group.actors.size() < kFewest) continue;
    std::vector<std::string> names;
    for (const Actor* actor : group.actors) {
      if (names.size() == kMostNamed && group.actors.size() > kMostNamed + 1) break;
      names.push_back(code(short_name(inputs, *actor->change)));
    }
    if (names.size() < group.actors.size())
      names.push_back(fmt::format("{} others", group.actors.size() - names.size()));
    out.push_back(
        {std::string(group.parameter),
         fmt::format("{} take the new {}, too, and hand it on.", join_words(names), code(std::string(group.parameter))),
         std::move(group.actors)});
  }
  return out;
}

}  // namespace lockstep::report
