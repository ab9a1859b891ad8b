#include "report/story/wording/outer_steps.h"

#include "report/story/wording/handler_words.h"
#include "report/story/wording/words.h"

namespace lockstep::report {

std::vector<std::string> outer_steps(const DocumentInputs& inputs, const Actor& actor, std::size_t most) {
  std::vector<std::string> sentences;
  const WordsContext context = context_after(inputs, actor);
  const std::vector<Step>& steps = actor.steps.after;
  for (std::size_t i = 0; i < steps.size() && sentences.size() < most;) {
    const bool is_import = python::is<python::Import>(steps[i].node) || python::is<python::ImportFrom>(steps[i].node);
    if (steps[i].status == StepStatus::kKept || is_import) {
      ++i;
      continue;
    }
    const std::size_t end = end_of(steps, i);
    if (!is_told_with_try(steps, i)) {
      for (const std::string& words : block_words(steps, i, end, context, 2)) {
        const std::string handlers = handler_words(steps, i, context);
        sentences.push_back(handlers.empty() ? words : as_sentence(capitalised(as_clause(words)) + handlers));
      }
    }
    i = end;
  }
  return sentences;
}

std::string last_step(const DocumentInputs& inputs, const Actor& actor) {
  const std::vector<Step>& steps = actor.steps.after;
  if (steps.empty() || steps.back().parent != Step::kNone || steps.back().status == StepStatus::kKept) return {};
  const python::Node* last = steps.back().node;
  const auto* result = python::as<python::Return>(last);
  const bool says = result != nullptr && result->value != nullptr && !python::is<python::Name>(result->value) &&
                    !python::is<python::Constant>(result->value);
  return says || python::is<python::Raise>(last) ? step_words(steps.back(), context_after(inputs, actor))
                                                 : std::string();
}

}  // namespace lockstep::report
