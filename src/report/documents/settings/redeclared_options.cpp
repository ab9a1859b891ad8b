#include "report/documents/settings/redeclared_options.h"

#include <fmt/format.h>

#include <string_view>

#include "report/document.h"
#include "report/source/code.h"
#include "report/story/settings/flag_declarations.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

std::vector<std::string> redeclared_options(const Story& story) {
  constexpr std::string_view kTold[] = {"type", "choices", "nargs", "action", "required"};
  constexpr std::size_t kWidth = 60;
  std::vector<std::string> out;
  for (const Actor& actor : story.actors) {
    if (!actor.is_function() || actor.role == Role::kTest || actor.steps.after_source == nullptr ||
        actor.steps.before_source == nullptr)
      continue;
    for (const Step& step : actor.steps.after) {
      if (step.status != StepStatus::kChanged || step.partner == Step::kNone) continue;
      const Call* now = option_declared_by(step);
      const Call* was = option_declared_by(actor.steps.before[step.partner]);
      if (now == nullptr || was == nullptr ||
          rules::text_of(now->arguments.front()) != rules::text_of(was->arguments.front()))
        continue;
      const std::string option = code(rules::text_of(now->arguments.front()));
      for (const std::string_view keyword : kTold) {
        const Expr* is = rules::keyword_value(*now, keyword);
        const Expr* old = rules::keyword_value(*was, keyword);
        const std::string is_text = is == nullptr ? "" : one_line(*actor.steps.after_source, *is, kWidth);
        const std::string old_text = old == nullptr ? "" : one_line(*actor.steps.before_source, *old, kWidth);
        if (is_text == old_text) continue;
        out.push_back(is == nullptr ? fmt::format("The argument {} has no {} any more, which was {}.", option,
                                                  code(keyword), code(old_text))
                      : old == nullptr
                          ? fmt::format("The argument {} gets {} as its {}.", option, code(is_text), code(keyword))
                          : fmt::format("The {} of the argument {} changes from {} to {}.", code(keyword), option,
                                        code(old_text), code(is_text)));
      }
    }
  }
  return out;
}

}  // namespace lockstep::report
