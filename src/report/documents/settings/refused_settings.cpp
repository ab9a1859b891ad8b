#include "report/documents/settings/refused_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/story/wording/words.h"

namespace lockstep::report {

namespace {

/// What has to hold for the check at `index` to refuse, in words; empty for other steps.
std::string refused_words(const Actor& actor, std::size_t index) {
  const Step& step = actor.steps.after[index];
  if (step.status == StepStatus::kKept) return {};
  if (const auto* check = python::as<python::Assert>(step.node); check != nullptr && step.kind == StepKind::kPlain)
    return condition_words(*check->test, *actor.steps.after_source, true);
  const auto* branch = step.kind == StepKind::kIf && !step.is_elif ? python::as<python::If>(step.node) : nullptr;
  // A check below it asks for more.
  const bool raises = branch != nullptr && !branch->body.empty() && python::is<python::Raise>(branch->body.back()) &&
                      only_refuses(actor.steps.after, index);
  return raises ? condition_words(*branch->condition, *actor.steps.after_source) : std::string();
}

}  // namespace

std::string with_refusal(const Story& story, const Flag& flag, std::string text) {
  const std::string was = fmt::format(" In the condition: {}", flag.guards);
  const std::size_t at = text.find(was);
  if (flag.guards.empty() || flag.scope != GuardScope::kStep || flag.guarded >= story.central.size() ||
      at == std::string::npos)
    return text;
  const Actor& actor = story.actor(flag.guarded);
  if (actor.steps.after_source == nullptr) return text;
  for (std::size_t i = 0; i < actor.steps.after.size(); ++i) {
    if (refused_words(actor, i) != flag.guards) continue;
    // Behind a way out the check is not always come to.
    const auto end = actor.steps.after.begin() + static_cast<std::ptrdiff_t>(i);
    const bool is_alone = actor.steps.after[i].depth == 0 &&
                          std::none_of(actor.steps.after.begin(), end,
                                       [](const Step& step) { return python::is<python::Return>(step.node); });
    return text.replace(at, was.size(),
                        fmt::format(" {}: {}", is_alone ? "Refused" : "Refused where more holds, too", flag.guards));
  }
  return text;
}

}  // namespace lockstep::report
