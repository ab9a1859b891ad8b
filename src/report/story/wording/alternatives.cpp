#include "report/story/wording/alternatives.h"

#include <algorithm>
#include <string>

#include "report/document.h"
#include "report/story/steps/questions.h"

namespace lockstep::report {

using namespace python;

namespace {

std::vector<const Expr*> operands_of(const Expr& condition) {
  const auto* any = as<BoolOp>(&condition);
  if (any == nullptr || any->op != BoolOperator::kOr) return {&condition};
  return {any->values.begin(), any->values.end()};
}

}  // namespace

Alternatives compare_alternatives(const Expr& before, const SourceText& before_source, const Expr& after,
                                  const SourceText& after_source) {
  const std::vector<const Expr*> was = operands_of(before);
  const std::vector<const Expr*> now = operands_of(after);
  Alternatives out;
  const auto beyond = [](const std::vector<const Expr*>& all, const SourceText& source,
                         const std::vector<const Expr*>& others, const SourceText& other_source) {
    std::vector<const Expr*> own;
    for (const Expr* one : all) {
      const std::string text = one_line_whole(source, one->span);
      if (std::none_of(others.begin(), others.end(),
                       [&](const Expr* other) { return one_line_whole(other_source, other->span) == text; }))
        own.push_back(one);
    }
    return own;
  };
  out.gone = beyond(was, before_source, now, after_source);
  out.added = beyond(now, after_source, was, before_source);
  const bool share = out.gone.size() < was.size() && out.added.size() < now.size();
  return share ? out : Alternatives();
}

std::string any_of_words(const std::vector<const Expr*>& conditions, const SourceText& source) {
  std::vector<std::string> words;
  for (const Expr* one : conditions) words.push_back(condition_words(*one, source));
  return join_words(words, "or");
}

}  // namespace lockstep::report
