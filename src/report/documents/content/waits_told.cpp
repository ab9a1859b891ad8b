#include "report/documents/content/waits_told.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "report/document.h"
#include "report/source/code.h"
#include "report/source/words.h"
#include "report/story/calls/made_calls.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Whether a title is about where values are and who waits for them.
bool speaks_of_waits(std::string_view title) {
  static constexpr std::string_view kWords[] = {"blocking", "device", "host",  "item",    "stall",       "stalls",
                                                "sync",     "syncs",  "waits", "waiting", "synchronous", "async"};
  const std::set<std::string> words = name_words(title);
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word.starts_with("synchroni") || std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
  });
}

/// Whether the function returned what the wait read of a tensor, and returns that tensor now.
bool returns_tensor_now(const Actor& actor, const MadeCall& wait) {
  const auto* method = as<Attribute>(wait.call->callee);
  if (method == nullptr) return false;
  const std::string tensor = one_line_whole(*actor.steps.before_source, *method->value);
  const auto returns = [](const Step& step) {
    const auto* way_out = as<Return>(step.node);
    return way_out != nullptr && step.status != StepStatus::kKept ? way_out->value : nullptr;
  };
  const bool did = std::any_of(actor.steps.before.begin(), actor.steps.before.end(), [&](const Step& step) {
    return returns(step) != nullptr && step.span.contains(wait.call->span);
  });
  return did && std::any_of(actor.steps.after.begin(), actor.steps.after.end(), [&](const Step& step) {
           const Expr* value = returns(step);
           return value != nullptr && one_line_whole(*actor.steps.after_source, *value) == tensor;
         });
}

}  // namespace

std::vector<std::string> gone_wait_items(const DocumentInputs& inputs, const Story& story) {
  if (!speaks_of_waits(inputs.title)) return {};
  constexpr std::size_t kMost = 4;
  std::vector<std::string> waits;
  std::vector<std::string> looped;
  std::vector<std::string> returning;
  std::size_t more = 0;
  for (const Actor& actor : story.actors) {
    if (!actor.is_function() || actor.role == Role::kTest || actor.steps.before_source == nullptr ||
        actor.is_removed() || actor.is_added())
      continue;
    const std::string name = code(short_name(inputs, *actor.change));
    for (const MadeCall& one : waits_gone_from_loops(inputs, actor)) {
      if (looped.size() < kMost)
        looped.push_back(fmt::format("{} (in {})", code(one_line(*actor.steps.before_source, *one.call, 50)), name));
    }
    for (const MadeCall& one : gone_waits(inputs, actor)) {
      if (waits.size() == kMost) {
        ++more;
        continue;
      }
      waits.push_back(fmt::format("{} (in {})", code(one_line(*actor.steps.before_source, *one.call, 50)), name));
      if (returns_tensor_now(actor, one)) returning.push_back(name);
    }
  }
  if (waits.empty() && !looped.empty())
    return {fmt::format("The host no longer waits for the GPU in each round of a loop, at {}.", join_words(looped))};
  if (waits.empty()) return {};
  if (more > 0) waits.push_back(fmt::format("{} more", more));
  std::string out = fmt::format("The host no longer waits for the GPU at {}.", join_words(waits));
  if (!returning.empty())
    out += fmt::format(" {} {} the tensor itself now.", join_words(returning),
                       returning.size() == 1 ? "returns" : "return");
  return {out};
}

}  // namespace lockstep::report
