#include "report/story/calls/alternative_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/document.h"
#include "report/source/argument_dictionaries.h"
#include "report/story/steps/choice_chains.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// A number, a text, `True`, `-1`.
bool is_literal(const Expr& value) {
  const auto* sign = as<UnaryOp>(&value);
  return is<Constant>(sign != nullptr ? sign->operand : &value);
}

/// What the call is given under the keyword; null where that does not show.
const Expr* given_under(const Call& call, std::string_view keyword, const FunctionDef& function) {
  const Expr* held = nullptr;
  bool is_known = true;
  for (const Keyword* one : call.keywords) {
    if (one->name.text == keyword) return one->value;
    if (!one->name.text.empty()) continue;
    const auto* name = as<Name>(one->value);
    if (name == nullptr) return nullptr;
    const KeyWrites writes = writes_under(function, name->id, keyword);
    if (writes.values.empty() && !writes.has_others) continue;
    is_known = is_known && held == nullptr && writes.values.size() == 1 && writes.is_bound && !writes.may_lack &&
               !writes.has_others;
    held = writes.values.empty() ? nullptr : writes.values.front();
  }
  return is_known ? held : nullptr;
}

}  // namespace

std::vector<std::string> alternative_arguments(const Actor& actor, std::size_t most) {
  constexpr std::size_t kWidth = 60;
  std::vector<std::string> out;
  const std::vector<ChoiceChain> chains = changed_chains(actor);
  const auto* function = chains.empty() ? nullptr : as<FunctionDef>(actor.change->after->node);
  if (function == nullptr) return out;
  const SourceText& source = *actor.steps.after_source;
  const auto with_value = [&](std::string_view keyword, const Expr& value) {
    return code(fmt::format("{}={}", keyword, one_line(source, value, kWidth)));
  };
  for (const ChoiceChain& chain : chains) {
    for (const Alternative& own : chain.after) {
      const Call* call = ChoiceChain::is_new(own) ? own.act.call() : nullptr;
      if (call == nullptr || dotted_text(call->callee).empty()) continue;
      for (const Keyword* keyword : call->keywords) {
        if (keyword->name.text.empty()) continue;
        const std::string text = one_line_whole(source, *keyword->value);
        // Those beside it by what they are given.
        std::vector<std::pair<const Expr*, std::vector<std::string>>> others;
        for (const Alternative& other : chain.after) {
          const Call* beside = ChoiceChain::is_new(other) ? nullptr : other.act.call();
          const std::string callee = beside == nullptr ? std::string() : dotted_text(beside->callee);
          const Expr* value = callee.empty() ? nullptr : given_under(*beside, keyword->name.text, *function);
          if (value == nullptr || (!is_literal(*keyword->value) && !is_literal(*value))) continue;
          const std::string is = one_line_whole(source, *value);
          if (is == text) continue;
          const auto same = std::find_if(others.begin(), others.end(),
                                         [&](const auto& one) { return one_line_whole(source, *one.first) == is; });
          auto& names =
              same != others.end() ? same->second : others.emplace_back(value, std::vector<std::string>()).second;
          if (std::find(names.begin(), names.end(), code(callee)) == names.end()) names.push_back(code(callee));
        }
        for (const auto& [value, names] : others) {
          std::string words = fmt::format("{} gets {}, where {} {} {}", code(dotted_text(call->callee)),
                                          with_value(keyword->name.text, *keyword->value), join_words(names),
                                          names.size() == 1 ? "gets" : "get", with_value(keyword->name.text, *value));
          if (out.size() < most && std::find(out.begin(), out.end(), words) == out.end())
            out.push_back(std::move(words));
        }
      }
    }
  }
  return out;
}

}  // namespace lockstep::report
