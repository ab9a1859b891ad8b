#include "report/documents/correctness/unchanged_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// A comparison of something with a number.
struct Limit {
  const Compare* node = nullptr;
  std::string of;           ///< What is compared, without layout.
  std::string_view number;  ///< As it is written.
};

/// Those that the step itself asks, not what stands in it.
std::vector<Limit> limits_of(const Step& step, const SourceText& source) {
  std::vector<Limit> out;
  walk_of<Compare>(*step.node, Nested::kSkip, [&](const Compare* one) {
    const auto* number = one->comparators.size() == 1 ? as<Constant>(one->comparators.front()) : nullptr;
    const bool is_number = number != nullptr && (number->constant_kind == ConstantKind::kInt ||
                                                 number->constant_kind == ConstantKind::kFloat);
    if (is_number && !is<Constant>(one->left) && step.span.contains(one->span))
      out.push_back({one, without_layout(source, one->left->span), number->text});
  });
  return out;
}

/// Those of a changed step that ask for another number now, as they were.
std::vector<std::pair<Limit, Limit>> altered_limits(const Actor& actor, const Step& step) {
  std::vector<std::pair<Limit, Limit>> out;
  const std::vector<Limit> before = limits_of(actor.steps.before[step.partner], *actor.steps.before_source);
  const std::vector<Limit> after = limits_of(step, *actor.steps.after_source);
  if (before.size() != after.size()) return out;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i].of == after[i].of && before[i].number != after[i].number) out.emplace_back(before[i], after[i]);
  }
  return out;
}

}  // namespace

void add_unchanged_limits(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function() || actor.is_added() || actor.is_removed() ||
        actor.steps.before_source == nullptr || actor.steps.after_source == nullptr)
      continue;
    const SourceText& source = *actor.steps.after_source;
    for (const Step& step : actor.steps.after) {
      if (step.status != StepStatus::kChanged || step.partner == Step::kNone) continue;
      for (const auto& [was, now] : altered_limits(actor, step)) {
        for (const Step& other : actor.steps.after) {
          if (other.status != StepStatus::kKept) continue;
          const std::vector<Limit> limits = limits_of(other, source);
          const auto same = std::find_if(limits.begin(), limits.end(), [&, old = was](const Limit& one) {
            return one.of == old.of && one.number == old.number;
          });
          if (same == limits.end()) continue;
          const std::string concern = fmt::format(
              "{} asks {} now, with {} in place of {}; {} ({}) stays.", code(short_name(inputs, *actor.change)),
              code(one_line(source, *now.node, 60)), code(std::string(now.number)), code(std::string(was.number)),
              code(one_line(source, *same->node, 60)),
              place(actor.change->after->path, source.line_of(same->node->span.begin)));
          const std::string asked = fmt::format("Is {} still right there?", code(std::string(was.number)));
          risks.push_back({RiskKind::kCorrectness, concern, asked, false, concern + " " + asked});
        }
      }
    }
  }
}

}  // namespace lockstep::report
