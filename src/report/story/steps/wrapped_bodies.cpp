#include "report/story/steps/wrapped_bodies.h"

#include <algorithm>
#include <string>

#include "report/source/code.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Whether the first step is `with text:`, holds all others, and has no counterpart.
bool is_all_in(const std::vector<Step>& steps, const SourceText* source, std::string_view text) {
  if (source == nullptr || steps.empty() || steps.front().kind != StepKind::kWith ||
      steps.front().partner != Step::kNone)
    return false;
  const auto* block = as<With>(steps.front().node);
  const bool is_whole = std::all_of(steps.begin() + 1, steps.end(), [](const Step& one) { return one.depth > 0; });
  if (block == nullptr || block->items.size() != 1 || !is_whole) return false;
  const std::string entered = without_layout(*source, block->items.front()->context->span);
  return entered == text || entered == std::string(text) + "()";
}

}  // namespace

bool stood_in_block(const Actor& actor, std::string_view decorator) {
  return is_all_in(actor.steps.before, actor.steps.before_source, decorator);
}

bool stands_in_block(const Actor& actor, std::string_view decorator) {
  return is_all_in(actor.steps.after, actor.steps.after_source, decorator);
}

}  // namespace lockstep::report
