#include "report/documents/content/new_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "report/document.h"
#include "report/source/check_messages.h"
#include "report/source/code.h"
#include "report/story/wording/words.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Whether an excerpt has the message's first words.
bool shows(const std::vector<Excerpt>& shown, const Node& message, const SourceText& source) {
  const std::string_view text = source.slice(message.span);
  const std::string_view first = trim(text.substr(0, text.find('\n')));
  return std::any_of(shown.begin(), shown.end(), [&](const Excerpt& one) {
    return std::any_of(one.code.lines.begin(), one.code.lines.end(),
                       [&](const std::string& line) { return line.find(first) != std::string::npos; });
  });
}

}  // namespace

std::string new_checks_item(const DocumentInputs& inputs, const Actor& actor, const std::vector<Excerpt>& shown,
                            std::size_t most) {
  if (!actor.change->after || actor.steps.after_source == nullptr) return {};
  const SourceText& source = *actor.steps.after_source;
  const auto* def = as<FunctionDef>(actor.change->after->node);
  std::vector<std::string> out;
  std::size_t others = 0;
  for (const Step& step : actor.steps.after) {
    const bool is_new = step.status == StepStatus::kAdded && !step.is_moved;
    if (!is_new || !says_a_sentence(step.node, source) || shows(shown, *message_of(step.node), source)) continue;
    if (out.size() == most) {
      ++others;
      continue;
    }
    std::string words = step_words(step, context_after(inputs, actor));
    constexpr std::size_t kMostGuards = 2;
    const std::string where =
        def == nullptr ? std::string() : guards_words(guards_of(*def, step.span), source, kMostGuards);
    if (!where.empty()) words += " where " + where;
    out.push_back(std::move(words));
  }
  if (out.empty()) return {};
  return strong("Checks:") + " " +
         as_sentence(join(out, "; ") + (others > 0 ? fmt::format("; and {} more", others) : std::string()));
}

}  // namespace lockstep::report
