#include "report/story/steps/conditional_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/strings.h"
#include "change/node_hash.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/wording/words.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kMostOfValue = 70;

bool is_same(const Expr& before, const SourceText& before_source, const Expr& after, const SourceText& after_source) {
  return change::NodeHasher(before_source).hash(&before) == change::NodeHasher(after_source).hash(&after);
}

/// "`x` where `c` is set" of `x if c else old`, whichever side the old value is on; empty for others.
std::string value_under_condition(const Expr& before, const SourceText& before_source, const Expr& after,
                                  const SourceText& after_source) {
  const auto* choice = as<IfExp>(&after);
  if (choice == nullptr) return {};
  const std::string was = one_line_whole(before_source, before);
  const bool is_otherwise = one_line_whole(after_source, *choice->orelse) == was;
  if (!is_otherwise && one_line_whole(after_source, *choice->body) != was) return {};
  return fmt::format("{} where {}", code(one_line(after_source, is_otherwise ? *choice->body : *choice->orelse, 70)),
                     condition_words(*choice->condition, after_source, !is_otherwise));
}

}  // namespace

std::string values_under_conditions(const Expr& before, const SourceText& before_source, const Expr& after,
                                    const SourceText& after_source) {
  const auto* was = as<BoolOp>(&before);
  const auto* now = as<BoolOp>(&after);
  if (was == nullptr || now == nullptr || was->op != now->op || was->values.size() != now->values.size())
    return value_under_condition(before, before_source, after, after_source);
  constexpr std::size_t kMost = 2;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < now->values.size(); ++i) {
    if (one_line_whole(before_source, *was->values[i]) == one_line_whole(after_source, *now->values[i])) continue;
    std::string part = value_under_condition(*was->values[i], before_source, *now->values[i], after_source);
    if (part.empty() || parts.size() == kMost) return {};
    parts.push_back(std::move(part));
  }
  return join(parts, now->op == BoolOperator::kAnd ? ", and " : ", or ");
}

std::string value_without_condition(const Expr& before, const SourceText& before_source, const Expr& after,
                                    const SourceText& after_source) {
  const auto* choice = as<IfExp>(&before);
  if (choice == nullptr) return {};
  const bool stays_where_it_holds = is_same(*choice->body, before_source, after, after_source);
  if (!stays_where_it_holds && !is_same(*choice->orelse, before_source, after, after_source)) return {};
  const Expr& gone = stays_where_it_holds ? *choice->orelse : *choice->body;
  return fmt::format("{} also when {}, where it was {}", code(one_line(after_source, after, kMostOfValue)),
                     condition_words(*choice->condition, before_source, stays_where_it_holds),
                     code(one_line(before_source, gone, kMostOfValue)));
}

std::string conditional_argument_words(const Call& before, const SourceText& before_source, const Call& after,
                                       const SourceText& after_source, const std::string& callee) {
  if (before.arguments.size() != after.arguments.size() || before.keywords.size() != after.keywords.size()) return {};
  for (std::size_t i = 0; i < before.arguments.size(); ++i) {
    if (!is_same(*before.arguments[i], before_source, *after.arguments[i], after_source)) return {};
  }
  std::string out;
  for (std::size_t i = 0; i < before.keywords.size(); ++i) {
    const Keyword& was = *before.keywords[i];
    const Keyword& now = *after.keywords[i];
    if (was.name.text != now.name.text) return {};
    if (is_same(*was.value, before_source, *now.value, after_source)) continue;
    std::string words = value_without_condition(*was.value, before_source, *now.value, after_source);
    if (words.empty()) {
      words = values_under_conditions(*was.value, before_source, *now.value, after_source);
      if (!words.empty()) words += "; otherwise as before";
    }
    if (words.empty() || !out.empty()) return {};
    out = fmt::format("gives {} of {} the value {}", code(std::string(now.name.text)), code(callee), words);
  }
  return out;
}

}  // namespace lockstep::report
