#include "report/documents/content/new_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/check_messages.h"
#include "report/source/code.h"
#include "report/source/untold_returns.h"
#include "report/story/wording/words.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/flow_state.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Whether a condition in words says that it always or never holds: `assert False`.
bool is_settled(std::string_view condition) {
  return find_name(condition, "always") != std::string_view::npos ||
         find_name(condition, "never") != std::string_view::npos;
}

/// Whether a `continue` or `break` of the loop, or of one inside it, may skip what follows in its body.
bool may_cut_short(const For& loop) {
  bool found = false;
  walk(loop, Nested::kSkip, [&](const Node* node) { found = found || is<Continue>(node) || is<Break>(node); });
  return found;
}

/// Whether an excerpt has the message's first words.
bool shows(const std::vector<Excerpt>& shown, const Node& message, const SourceText& source) {
  const std::string_view text = source.slice(message.span);
  const std::string_view first = trim(text.substr(0, text.find('\n')));
  return std::any_of(shown.begin(), shown.end(), [&](const Excerpt& one) {
    return std::any_of(one.code.lines.begin(), one.code.lines.end(),
                       [&](const std::string& line) { return line.find(first) != std::string::npos; });
  });
}

/// Whether something that a condition around the step asks gets another value between the two.
bool changes_guards(const FunctionDef& function, const Step& step) {
  for (const Guard& guard : guards_of(function, step.span)) {
    if (guard.condition == nullptr) continue;
    bool changes = false;
    walk(function, Nested::kSkip, [&](const Node* node) {
      const bool is_between = node->span.begin >= guard.condition->span.end && node->span.end <= step.span.begin;
      const auto* name = as<Name>(node);
      const auto* attribute = as<Attribute>(node);
      if (!is_between) return;
      changes = changes ||
                (name != nullptr && name->context != ExprContext::kLoad &&
                 rules::mentions_name(*guard.condition, name->id)) ||
                (attribute != nullptr && attribute->context != ExprContext::kLoad &&
                 rules::mentions_attribute(*guard.condition, attribute->name.text));
    });
    if (changes) return true;
  }
  return false;
}

/// Whether an error of the step leaves the function, and whether nothing but branches decides over the step: no
/// handler, case, or `else` of a loop, and no loop that a `continue` or `break` cuts short.
bool is_plain(const FunctionDef& function, const Step& step) {
  for (const Node* node : chain_to(function, step.span)) {
    if (is<Try>(node) || is<Match>(node)) return false;
    if (const auto* with = as<With>(node); with != nullptr && rules::may_swallow(*with)) return false;
    if (const auto* loop = as<For>(node)) {
      const bool is_in_body = std::any_of(loop->body.begin(), loop->body.end(),
                                          [&](const Stmt* one) { return one->span.contains(step.span); });
      if (!is_in_body || may_cut_short(*loop)) return false;
    }
    if (is<While>(node)) return false;
  }
  return !changes_guards(function, step);
}

/// Where the step runs, in words, the early returns before it among them; none where that cannot be told.
std::optional<std::string> where_it_runs(const FunctionDef& function, const Step& step, const SourceText& source) {
  constexpr std::size_t kMostGuards = 3;
  if (!may_return_untold(function, step.span, {})) return where_words(function, step, source);
  const std::vector<Guard> guards = guards_of(function, step.span);
  if (guards.size() > kMostGuards || may_return_untold(function, step.span, guards)) return std::nullopt;
  return guards_words(guards, source, kMostGuards);
}

}  // namespace

std::string new_checks_item(const DocumentInputs& inputs, const Actor& actor, const std::vector<Excerpt>& shown,
                            std::size_t most) {
  if (!actor.change->after || actor.steps.after_source == nullptr) return {};
  const SourceText& source = *actor.steps.after_source;
  const auto* def = as<FunctionDef>(actor.change->after->node);
  std::vector<std::string> out;
  std::size_t others = 0;
  for (const Step& step : actor.steps.after) {
    const bool is_new = step.status == StepStatus::kAdded && !step.is_moved;
    if (!is_new || !says_a_sentence(step.node, source) || shows(shown, *message_of(step.node), source)) continue;
    if (def == nullptr || !is_plain(*def, step)) continue;
    const std::optional<std::string> where = where_it_runs(*def, step, source);
    if (!where) continue;
    // A raise without a condition would read as if it always came.
    const auto* check = as<Assert>(step.node);
    if (check == nullptr ? where->empty() : is_settled(condition_words(*check->test, source))) continue;
    if (is_settled(*where)) continue;
    if (out.size() == most) {
      ++others;
      continue;
    }
    const std::string words = step_words(step, context_after(inputs, actor));
    out.push_back(where->empty() ? words : words + " where " + *where);
  }
  if (out.empty()) return {};
  return strong("Checks:") + " " +
         as_sentence(join(out, "; ") + (others > 0 ? fmt::format("; and {} more", others) : std::string()));
}

}  // namespace lockstep::report
