#include "report/documents/content/return_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "report/source/code.h"
#include "report/story/steps/ordered_returns.h"
#include "report/story/wording/choice_words.h"
#include "report/story/wording/words.h"

namespace lockstep::report {

using namespace python;

namespace {

/// What a way out comes to, and what is called first.
std::string cell_of(const OrderedReturn& one, const SourceText& source, bool whole) {
  std::string out = act_words(one.act, source, whole);
  if (one.first != nullptr) out = fmt::format("calls {}, then {}", code(dotted_text(one.first->callee)), out);
  return capitalised(out) + (one.does_more ? "; and more" : "");
}

std::string asked_words(const OrderedReturn& one, const SourceText& source) {
  return one.condition == nullptr ? std::string("otherwise") : condition_words(*one.condition, source);
}

/// What the change says of the function that it brings and that is called there.
std::string purpose_of(const DocumentInputs& inputs, const Story& story, const OrderedReturn& one) {
  constexpr std::size_t kWidth = 120;
  const Call* call = one.act.kind == ActKind::kReturns ? one.act.call() : nullptr;
  const auto callees = call == nullptr ? std::vector<program::FunctionId>() : callees_of(*inputs.after, call);
  if (callees.size() != 1) return {};
  const auto actor = std::find_if(story.actors.begin(), story.actors.end(), [&](const Actor& each) {
    return each.is_added() && each.change->after->function == callees.front();
  });
  if (actor == story.actors.end()) return {};
  const std::string words = docstring_sentence(actor->change->after->node, kWidth);
  return words.empty() ? std::string() : fmt::format(": \u201c{}\u201d", from_backquotes(words));
}

}  // namespace

void add_return_table(Document& document, const DocumentInputs& inputs, const Story& story, const Actor& actor) {
  const std::optional<OrderedReturns> both = ordered_returns(*inputs.after, actor);
  if (!both) return;
  const SourceText& source = *actor.steps.after_source;
  const SourceText& before_source = *actor.steps.before_source;
  // Calls of one function are told apart by what they are given.
  const auto names_alike = [](const std::vector<OrderedReturn>& all, const SourceText& text) {
    std::vector<std::string> told;
    for (const OrderedReturn& one : all) {
      std::string words = act_words(one.act, text);
      if (one.act.kind == ActKind::kReturns && std::find(told.begin(), told.end(), words) != told.end()) return true;
      told.push_back(std::move(words));
    }
    return false;
  };
  const bool whole = names_alike(both->after, source) || names_alike(both->before, before_source);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < both->after.size(); ++i) {
    const OrderedReturn& one = both->after[i];
    std::string was = "not asked";
    std::string is = cell_of(one, source, whole) + purpose_of(inputs, story, one);
    if (one.partner == OrderedReturn::kNone) {
      is += " (" + strong("new") + ")";
    } else {
      const OrderedReturn& partner = both->before[one.partner];
      was = cell_of(partner, before_source, whole);
      const std::string asked = asked_words(partner, before_source);
      if (asked != asked_words(one, source))
        was = partner.condition == nullptr ? "Otherwise, " + as_clause(was) : fmt::format("{} where {}", was, asked);
      if (both->stays(actor, i)) is = "as before";
    }
    rows.push_back({asked_words(one, source), std::move(was), std::move(is)});
  }
  for (const OrderedReturn& one : both->before) {
    if (one.partner == OrderedReturn::kNone)
      rows.push_back({asked_words(one, before_source), cell_of(one, before_source, whole), "no longer asked"});
  }
  document
      .paragraph(fmt::format("The first alternative of which the condition holds is taken ({}):",
                             place(actor.change->after->path, source.line_of(both->after.front().branch->span.begin))))
      .table({"Condition, in the order asked", "Before", "After"}, rows);
}

}  // namespace lockstep::report
