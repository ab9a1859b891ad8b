#include "report/documents/excerpts/standing_lines.h"

#include <algorithm>

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kMostAlternatives = 7;
constexpr std::size_t kWidth = 88;

/// "x = f(…)" of a statement that calls; others on one line.
std::string short_text(const Act& act, const SourceText& source) {
  const Call* call = act.call();
  const std::string whole = one_line_whole(source, act.statement->span);
  if (call == nullptr || call->span.end != act.statement->span.end ||
      (call->arguments.empty() && call->keywords.empty()))
    return one_line(source, act.statement->span, kWidth);
  constexpr std::size_t kShort = 60;
  if (whole.size() <= kShort) return whole;
  return one_line_whole(source, Span{act.statement->span.begin, call->callee->span.end}) + "(\u2026)";
}

/// The `else:` that holds the statement; Step::kNone where it stands in none.
std::size_t else_around(const std::vector<Step>& steps, const Stmt* statement) {
  const std::size_t at = step_of(steps, statement);
  if (at == Step::kNone || steps[at].parent == Step::kNone) return Step::kNone;
  return steps[steps[at].parent].kind == StepKind::kElse ? steps[at].parent : Step::kNone;
}

}  // namespace

std::vector<StandingLine> standing_lines(const Actor& actor, const ToldChoices& choices) {
  std::vector<StandingLine> out;
  const std::vector<Step>& steps = actor.steps.after;
  for (const ChoiceChain& chain : choices.chains()) {
    if (chain.after.size() > kMostAlternatives) continue;
    const auto first_new = std::find_if(chain.after.begin(), chain.after.end(),
                                        [](const Alternative& one) { return ChoiceChain::is_new(one); });
    const std::size_t own = step_of(steps, first_new->branch);
    if (own == Step::kNone) continue;
    const SourceText& source = *actor.steps.after_source;
    const auto add = [&](std::size_t at, std::string text, bool is_header) {
      if (at == Step::kNone) return;
      const std::string_view line = source.line(steps[at].first_line);
      const std::string indent(std::min(line.find_first_not_of(" \t"), line.size()), ' ');
      out.push_back({at, steps[at].first_line, indent + std::move(text), is_header, steps[own].first_line});
    };
    for (const Alternative& one : chain.after) {
      if (ChoiceChain::is_new(one) || one.act.statement == nullptr) continue;
      const std::size_t header =
          one.branch != nullptr ? step_of(steps, one.branch) : else_around(steps, one.act.statement);
      // Around the whole chain there may be another `else:`.
      const std::size_t head = step_of(steps, chain.head());
      if (header != Step::kNone && head != Step::kNone && steps[header].first_line >= steps[head].first_line)
        add(header, one_line_whole(source, steps[header].span), true);
      add(step_of(steps, one.act.statement), short_text(one.act, source), false);
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const StandingLine& a, const StandingLine& b) { return a.line < b.line; });
  return out;
}

}  // namespace lockstep::report
