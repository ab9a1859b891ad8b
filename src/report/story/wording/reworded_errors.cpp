#include "report/story/wording/reworded_errors.h"

#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// A message: a text, plain or with values in it.
bool is_text(const Expr& value) { return is<JoinedStr>(&value) || !rules::text_of(&value).empty(); }

/// The call that makes the exception of one text; null for others.
const Call* worded_error(const Step& step) {
  const auto* raised = as<Raise>(step.node);
  const auto* made = raised == nullptr ? nullptr : as<Call>(raised->exception);
  return made != nullptr && made->arguments.size() == 1 && made->keywords.empty() && is_text(*made->arguments.front())
             ? made
             : nullptr;
}

}  // namespace

std::string reworded_error(const Step& before, const Step& after) {
  const Call* was = worded_error(before);
  const Call* is = worded_error(after);
  if (was == nullptr || is == nullptr) return {};
  std::string name = dotted_text(is->callee);
  return name == dotted_text(was->callee) ? name : std::string();
}

}  // namespace lockstep::report
