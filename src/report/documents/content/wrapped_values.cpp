#include "report/documents/content/wrapped_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/without_space.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Calls of one positional argument and nothing else in the step itself.
std::vector<const Call*> plain_calls(const Step& step) {
  std::vector<const Call*> out;
  walk_of<Call>(*step.node, Nested::kSkip, [&](const Call* call) {
    const bool is_plain = call->arguments.size() == 1 && call->keywords.empty() && !is<Starred>(call->arguments[0]);
    if (is_plain && step.span.contains(call->span) && !dotted_text(call->callee).empty()) out.push_back(call);
  });
  return out;
}

/// The call that the step has around what stood there alone before: the whole step is the same without it, or the value
/// that it assigns is. Null for none.
const Call* added_around(const Step& before, const SourceText& before_source, const Step& after,
                         const SourceText& after_source) {
  const std::string was = without_space(before_source.slice(before.span));
  const Expr* target = nullptr;
  const Expr* old_value = assigned_value(before.node, target);
  const Expr* new_value = assigned_value(after.node, target);
  for (const Call* call : plain_calls(after)) {
    const std::string_view argument = after_source.slice(call->arguments[0]->span);
    const std::string without = without_space(after_source.slice({after.span.begin, call->span.begin})) +
                                without_space(argument) +
                                without_space(after_source.slice({call->span.end, after.span.end}));
    if (without == was) return call;
    const bool is_value = call == new_value && old_value != nullptr;
    if (is_value && without_space(before_source.slice(old_value->span)) == without_space(argument)) return call;
  }
  return nullptr;
}

/// What one call comes to stand around, and in which definitions.
struct Wrapped {
  std::size_t count = 0;
  std::vector<std::string> values;
  std::vector<std::string> places;
};

void add_once(std::vector<std::string>& to, std::string text) {
  if (std::find(to.begin(), to.end(), text) == to.end()) to.push_back(std::move(text));
}

/// The first few in words, and how many more there are.
std::string words_of(std::vector<std::string> all) {
  constexpr std::size_t kMost = 4;
  if (const std::size_t count = all.size(); count > kMost + 1) {
    all.resize(kMost);
    all.push_back(fmt::format("{} more", count - kMost));
  }
  return join_words(all);
}

}  // namespace

std::vector<std::string> wrapped_value_items(const DocumentInputs& inputs, const Story& story) {
  constexpr std::size_t kFewest = 3;
  std::map<std::string, Wrapped> by_callee;
  for (const Actor& actor : story.actors) {
    const auto& after = actor.change->after;
    if (!after || program::is_test_path(after->path) || actor.steps.before_source == nullptr ||
        actor.steps.after_source == nullptr)
      continue;
    for (const Step& step : actor.steps.after) {
      if (step.status != StepStatus::kChanged || step.partner == Step::kNone || step.node == nullptr) continue;
      const Step& old = actor.steps.before[step.partner];
      const Call* call = old.node == nullptr || step.kind != old.kind
                             ? nullptr
                             : added_around(old, *actor.steps.before_source, step, *actor.steps.after_source);
      if (call == nullptr) continue;
      Wrapped& wrapped = by_callee[dotted_text(call->callee)];
      ++wrapped.count;
      add_once(wrapped.values, code(one_line(*actor.steps.after_source, *call->arguments[0], 40)));
      add_once(wrapped.places, code(short_name(inputs, *actor.change)));
    }
  }
  struct Found {
    std::size_t count;
    std::string text;
  };
  std::vector<Found> found;
  for (auto& [callee, wrapped] : by_callee) {
    if (wrapped.count < kFewest) continue;
    found.push_back({wrapped.count,
                     fmt::format("{} now stands around {}, which stood alone before, in {}.", code(callee + "(\u2026)"),
                                 words_of(std::move(wrapped.values)), words_of(std::move(wrapped.places)))});
  }
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.count > b.count; });
  std::vector<std::string> out;
  for (Found& one : found) out.push_back(std::move(one.text));
  return out;
}

}  // namespace lockstep::report
