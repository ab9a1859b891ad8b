#include "report/story/wording/entry_edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/strings.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/steps/conditional_values.h"
#include "report/story/wording/differing_text.h"
#include "report/story/wording/words.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

struct Entry {
  std::string key;  ///< As it is written between brackets.
  const Expr* value = nullptr;
};

/// Empty where the value is no such dictionary, or where others are unpacked into it.
std::vector<Entry> entries_of(const Expr& value, const SourceText& source) {
  std::vector<Entry> out;
  if (const auto* dict = as<Dict>(&value)) {
    for (std::size_t i = 0; i < dict->values.size(); ++i) {
      if (i >= dict->keys.size() || dict->keys[i] == nullptr) return {};
      out.push_back({one_line_whole(source, *dict->keys[i]), dict->values[i]});
    }
    return out;
  }
  const auto* call = as<Call>(&value);
  if (call == nullptr || rules::name_of(call->callee) != "dict" || !call->arguments.empty()) return {};
  for (const Keyword* keyword : call->keywords) {
    if (keyword->name.text.empty()) return {};
    out.push_back({fmt::format("\"{}\"", keyword->name.text), keyword->value});
  }
  return out;
}

/// "`x` when `a` and `b`, formerly when `a`, else to `y`" of two choices between the same values; empty for others.
std::string other_condition(const Expr& before, const SourceText& before_source, const Expr& after,
                            const SourceText& after_source) {
  constexpr std::size_t kWidth = 60;
  const auto* was = as<IfExp>(&before);
  const auto* is = as<IfExp>(&after);
  if (was == nullptr || is == nullptr ||
      one_line_whole(before_source, *was->body) != one_line_whole(after_source, *is->body) ||
      one_line_whole(before_source, *was->orelse) != one_line_whole(after_source, *is->orelse))
    return {};
  const std::string old_words = condition_words(*was->condition, before_source);
  const std::string new_words = condition_words(*is->condition, after_source);
  // What is cut may be what differs.
  if (old_words == new_words || contains(old_words, "\u2026") || contains(new_words, "\u2026")) return {};
  return fmt::format("{} when {}, formerly when {}, else to {}", code(one_line(after_source, *is->body, kWidth)),
                     new_words, old_words, code(one_line(after_source, *is->orelse, kWidth)));
}

std::string value_words(const Expr& before, const SourceText& before_source, const Expr& after,
                        const SourceText& after_source) {
  std::string words = values_under_conditions(before, before_source, after, after_source);
  if (!words.empty()) return words + ", otherwise as before";
  words = value_without_condition(before, before_source, after, after_source);
  if (words.empty()) words = other_condition(before, before_source, after, after_source);
  if (!words.empty()) return words;
  const auto [was, is] = where_they_differ(before_source, before.span, after_source, after.span, 70);
  return fmt::format("{} instead of {}", code(is), code(was));
}

}  // namespace

std::string entry_words(const Expr& before, const SourceText& before_source, const Expr& after,
                        const SourceText& after_source, const std::string& target) {
  constexpr std::size_t kMost = 3;
  const std::vector<Entry> was = entries_of(before, before_source);
  const std::vector<Entry> is = entries_of(after, after_source);
  if (was.size() < 2 || was.size() != is.size()) return {};
  std::vector<std::string> parts;
  for (const Entry& now : is) {
    const auto same_key = [&](const Entry& other) { return other.key == now.key; };
    const auto old = std::find_if(was.begin(), was.end(), same_key);
    // A key that stands twice holds what comes last.
    if (old == was.end() || std::count_if(is.begin(), is.end(), same_key) != 1 ||
        std::count_if(was.begin(), was.end(), same_key) != 1)
      return {};
    if (one_line_whole(before_source, *old->value) == one_line_whole(after_source, *now.value)) continue;
    if (parts.size() == kMost) return {};
    parts.push_back(fmt::format("{} to {}", code(fmt::format("{}[{}]", target, now.key)),
                                value_words(*old->value, before_source, *now.value, after_source)));
  }
  return parts.empty() || parts.size() == is.size() ? std::string() : "sets " + join(parts, " and ");
}

}  // namespace lockstep::report
