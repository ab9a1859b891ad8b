#include "report/story/steps/same_alternative.h"

#include <set>
#include <string>

#include "report/story/wording/operands.h"

namespace lockstep::report {

using namespace python;

namespace {

void add_texts(const Expr& condition, bool negated, const SourceText& source, std::set<std::string>& out) {
  std::vector<Guard> operands;
  add_operands(condition, negated, operands);
  for (const Guard& one : operands) out.insert(operand_text(one, source));
}

/// The step after all that the one at `index` holds, where it belongs to the same `if`.
std::size_t next_arm(const std::vector<Step>& steps, std::size_t index) {
  const std::size_t next = end_of(steps, index);
  if (next >= steps.size() || steps[next].depth != steps[index].depth) return Step::kNone;
  const bool is_arm = steps[next].kind == StepKind::kElse || (steps[next].kind == StepKind::kIf && steps[next].is_elif);
  return is_arm ? next : Step::kNone;
}

void keep_in(std::vector<Step>& with_elif, const SourceText& elif_source, std::vector<Step>& with_else,
             const SourceText& else_source) {
  for (std::size_t head = 0; head < with_elif.size(); ++head) {
    const Step& first = with_elif[head];
    if (first.kind != StepKind::kIf || first.is_elif || first.partner == Step::kNone) continue;
    const std::size_t arm = next_arm(with_elif, head);
    if (arm == Step::kNone || with_elif[arm].kind != StepKind::kIf || with_elif[arm].partner != Step::kNone) continue;
    if (next_arm(with_elif, arm) != Step::kNone) continue;
    const Step& other = with_else[first.partner];
    if (other.kind != StepKind::kIf || other.is_elif) continue;
    const std::size_t last = next_arm(with_else, first.partner);
    if (last == Step::kNone || with_else[last].kind != StepKind::kElse || with_else[last].partner != Step::kNone)
      continue;
    std::set<std::string> asked;
    add_texts(*as<If>(first.node)->condition, true, elif_source, asked);
    add_texts(*as<If>(with_elif[arm].node)->condition, false, elif_source, asked);
    std::set<std::string> left;
    add_texts(*as<If>(other.node)->condition, true, else_source, left);
    if (asked != left) continue;
    with_elif[arm].status = with_else[last].status = StepStatus::kKept;
    with_elif[arm].partner = last;
    with_else[last].partner = arm;
  }
}

}  // namespace

void keep_same_alternatives(std::vector<Step>& before, const SourceText& before_source, std::vector<Step>& after,
                            const SourceText& after_source) {
  keep_in(after, after_source, before, before_source);
  keep_in(before, before_source, after, after_source);
}

}  // namespace lockstep::report
