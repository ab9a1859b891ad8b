#include "report/documents/drawings/drawn_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "report/source/code.h"
#include "report/story/wording/differing_text.h"
#include "text/shorten.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kLongestLine = 86;   ///< Diagrams cut longer ones.
constexpr std::size_t kMostArgument = 60;  ///< Characters.
constexpr std::string_view kRest = "\u2026";

/// One side of a function.
struct VersionSteps {
  const std::vector<Step>& steps;
  const SourceText& source;
};

/// The call of another step of the same function: of its partner, or, of a step that has none, the first that calls it.
const Call* call_beside(const VersionSteps& own, std::size_t index, const Call& call, const VersionSteps& other) {
  const std::string callee = one_line_whole(own.source, call.callee->span);
  const auto calls_it = [&](const Step& step) -> const Call* {
    const Call* one = step.kind == StepKind::kPlain ? call_of_step(step) : nullptr;
    return one != nullptr && one_line_whole(other.source, one->callee->span) == callee ? one : nullptr;
  };
  const Step& step = own.steps[index];
  if (step.status == StepStatus::kChanged)
    return step.partner < other.steps.size() ? calls_it(other.steps[step.partner]) : nullptr;
  if (step.status == StepStatus::kKept) return nullptr;
  for (const Step& one : other.steps) {
    if (const Call* found = calls_it(one)) return found;
  }
  return nullptr;
}

/// Whether the part is a keyword that the other call does not give at all.
bool is_fresh(const std::string& part, const Call& other) {
  const std::string_view name = std::string_view(part).substr(0, part.find('='));
  return name.size() < part.size() && std::none_of(other.keywords.begin(), other.keywords.end(),
                                                   [&](const Keyword* one) { return one->name.text == name; });
}

/// What differs, as far as there is `room`, keywords that the other call has not first; "…" for the rest.
std::string fitting(const std::vector<std::string>& parts, const Call& other, std::size_t room) {
  constexpr std::size_t kAround = 5;  // A comma, and "…" for what stands between.
  std::vector<std::string> shown(parts.size(), std::string(kRest));
  for (const bool fresh : {true, false}) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i] == kRest || is_fresh(parts[i], other) != fresh) continue;
      std::string text = shortened(parts[i], kMostArgument);
      if (text.size() + kAround > room) continue;
      room -= text.size() + kAround;
      shown[i] = std::move(text);
    }
  }
  shown.erase(
      std::unique(shown.begin(), shown.end(),
                  [](const std::string& one, const std::string& next) { return one == kRest && next == kRest; }),
      shown.end());
  return fmt::format("({})", join(shown, ", "));
}

/// Broken behind a comma where it is too long for one line.
std::string in_lines(std::string text) {
  if (text.size() <= kLongestLine) return text;
  const std::size_t comma = text.rfind(", ", kLongestLine);
  if (comma != std::string::npos) text.replace(comma, 2, ",\n");
  return text;
}

std::string told(const VersionSteps& own, std::size_t index, const VersionSteps& other, const std::string& shown,
                 const std::string& lead, std::size_t lines) {
  const Step& step = own.steps[index];
  const Call* call = step.kind == StepKind::kPlain ? call_of_step(step) : nullptr;
  const Call* beside = call == nullptr ? nullptr : call_beside(own, index, *call, other);
  if (beside == nullptr || !contains(shown, kRest)) return {};
  const std::vector<std::string> parts = own_arguments(own.source, *call, other.source, *beside);
  const bool is_lost = std::any_of(parts.begin(), parts.end(),
                                   [&](const std::string& part) { return part != kRest && !contains(shown, part); });
  if (!is_lost || lead.size() >= kLongestLine) return {};
  const std::string arguments = fitting(parts, *beside, lines * kLongestLine - lead.size());
  if (arguments == fmt::format("({})", kRest)) return {};
  return lines > 1 ? in_lines(lead + arguments) : lead + arguments;
}

bool has_both(const Actor& actor) {
  return actor.steps.before_source != nullptr && actor.steps.after_source != nullptr;
}

}  // namespace

std::string told_call(const Actor& actor, std::size_t index, const std::string& shown, const std::string& lead,
                      std::size_t lines) {
  if (!has_both(actor)) return {};
  return told({actor.steps.after, *actor.steps.after_source}, index, {actor.steps.before, *actor.steps.before_source},
              shown, lead, lines);
}

std::string told_old_call(const Actor& actor, std::size_t index, const std::string& shown, const std::string& lead,
                          std::size_t lines) {
  if (!has_both(actor)) return {};
  return told({actor.steps.before, *actor.steps.before_source}, index, {actor.steps.after, *actor.steps.after_source},
              shown, lead, lines);
}

std::size_t step_with_call(const Actor& actor, const Node* call) {
  for (std::size_t i = 0; i < actor.steps.after.size() && call != nullptr; ++i) {
    const Step& step = actor.steps.after[i];
    if (step.kind == StepKind::kPlain && call_of_step(step) == call) return i;
  }
  return Step::kNone;
}

}  // namespace lockstep::report
