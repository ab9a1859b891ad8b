#include "report/story/wording/change_clauses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <set>

#include "base/strings.h"
#include "report/author/reason_words.h"
#include "report/document.h"
#include "report/story/weights/idle_functions.h"
#include "report/story/wording/change_steps.h"
#include "report/story/wording/declaration_clauses.h"
#include "report/story/wording/step_clauses.h"

namespace lockstep::report {

using namespace python;
using change::Difference;
using change::DifferenceKind;
using change::EntityChange;

namespace {

/// How many times ", None" is added to the end of what a function returns: `backward` of an autograd function returns
/// one for each argument that has no gradient.
std::size_t more_none(std::string_view before, std::string_view after) {
  constexpr std::string_view kNone = ", None";
  // Brackets around it, the comma before the closing one and line breaks are layout.
  const auto plain = [](std::string_view statement) {
    constexpr std::string_view kReturn = "return ";
    std::string text;
    for (const char c : statement) {
      const bool is_space = std::isspace(static_cast<unsigned char>(c)) != 0;
      if (!is_space || (!text.empty() && text.back() != ' ')) text += is_space ? ' ' : c;
    }
    if (text.starts_with(kReturn)) text.erase(0, kReturn.size());
    if (!text.starts_with("(") || !text.ends_with(")")) return text;
    text = std::string(trim(std::string_view(text).substr(1, text.size() - 2)));
    if (text.ends_with(",")) text.pop_back();
    return text;
  };
  const std::string was = plain(before);
  std::string now = plain(after);
  std::size_t count = 0;
  while (now.size() > was.size() && now.ends_with(kNone)) {
    now.resize(now.size() - kNone.size());
    ++count;
  }
  return now == was ? count : 0;
}

/// What names what the title names comes before other edits of the body, where it does not go on from them, and where
/// none of those before it has such a name.
void put_titled_first(const std::vector<Clause>& clauses, const ChangedNames& names, std::vector<std::size_t>& order) {
  const auto found = std::find_if(order.begin(), order.end(), [&](std::size_t i) { return clauses[i].is_titled; });
  if (found == order.end()) return;
  const std::string& text = clauses[*found].text;
  for (const std::string_view joint : {"when ", "otherwise", "now only ", "moves ", "then "}) {
    if (text.starts_with(joint)) return;
  }
  if (std::any_of(order.begin(), found, [&](std::size_t i) { return names_what_title_names(names, clauses[i].text); }))
    return;
  const auto first = std::find_if(order.begin(), found, [&](std::size_t i) { return clauses[i].is_step; });
  // Behind a way out a step holds only where that was not taken.
  if (std::any_of(first, found, [&](std::size_t i) { return contains(clauses[i].text, "returns "); })) return;
  std::rotate(first, found, found + 1);
}

/// Whether the step goes on from another one, holds only in a case, or only gives something else.
bool leans_on_others(std::string_view text) {
  static constexpr std::string_view kJoints[] = {"when ",  "where ", "otherwise",  "now only ",
                                                 "moves ", "then ",  "no longer ", "passes "};
  return std::any_of(std::begin(kJoints), std::end(kJoints),
                     [&](std::string_view joint) { return text.starts_with(joint); });
}

/// The edit of the body whose words are clearly more of the title's than those of any other before it comes first, on
/// the same terms.
void put_nearest_to_title_first(const std::vector<Clause>& clauses, std::string_view title,
                                std::vector<std::size_t>& order) {
  constexpr std::size_t kFewest = 3;
  constexpr std::size_t kClearly = 2;  // Words more.
  const auto first = std::find_if(order.begin(), order.end(), [&](std::size_t i) { return clauses[i].is_step; });
  std::size_t most_before = 0;
  for (auto each = first; each != order.end(); ++each) {
    const Clause& clause = clauses[*each];
    if (clause.is_titled || contains(clause.text, "returns ")) return;
    const std::size_t own = words_of_title_in(title, clause.text);
    if (clause.is_step && each != first && own >= std::max(kFewest, most_before + kClearly) && clause.where.empty() &&
        !leans_on_others(clause.text)) {
      std::rotate(first, each, each + 1);
      return;
    }
    most_before = std::max(most_before, own);
  }
}

}  // namespace

ToldClauses told_clauses(const DocumentInputs& inputs, const Actor& actor, std::size_t limit) {
  std::vector<Clause> found = parameter_clauses(actor);
  for (Clause& one : signature_clauses(inputs, actor)) found.push_back(std::move(one));
  for (Clause& one : value_clauses(inputs, actor)) found.push_back(std::move(one));
  if (!actor.is_added() && !actor.is_removed()) {
    for (Clause& one : step_clauses(inputs, actor)) found.push_back(std::move(one));
  }
  join_kept(found, actor);
  if (!found.empty() && found.front().text.starts_with("takes the new "))
    found.front().text += givers_words(inputs, actor);
  // What several edits do alike is one thing to tell.
  std::vector<Clause> all;
  for (Clause& one : found) {
    const auto is_same = [&](const Clause& other) { return other.text == one.text && other.where == one.where; };
    if (std::none_of(all.begin(), all.end(), is_same)) all.push_back(std::move(one));
  }
  // The most telling ones, in the order of the source.
  std::vector<std::size_t> order(all.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return all[a].rank < all[b].rank; });
  // An import serves what uses it; what only sets locals is left to the code where enough else is told.
  constexpr std::size_t kEnough = 2;
  while (order.size() > 1 &&
         (all[order.back()].rank == 9 || (order.size() > kEnough && all[order.back()].rank == kServes)))
    order.pop_back();
  // To say that one more is left out takes as much room as a short one.
  constexpr std::size_t kShort = 200;  // Bytes.
  if (limit > 1 && order.size() == limit + 1 && all[order.back()].text.size() <= kShort) ++limit;
  const std::size_t left_out = order.size() - std::min(order.size(), limit);
  order.resize(order.size() - left_out);
  std::sort(order.begin(), order.end());
  put_titled_first(all, names_beside(inputs, actor), order);
  put_nearest_to_title_first(all, inputs.title, order);
  std::vector<ToldClause> out;
  if (did_nothing(actor)) {
    const std::string said = docstring_sentence(actor.change->before->node, 160);
    const bool is_gone = !said.empty() && said != docstring_sentence(actor.change->after->node, 160);
    out.push_back({is_gone ? fmt::format("did nothing before (\u201c{}\u201d)", from_backquotes(said))
                           : std::string("did nothing before"),
                   {}});
  }
  if (does_nothing_any_more(actor)) out.push_back({"does nothing any more", {}});
  std::set<std::string> explained;
  for (const std::size_t i : order) {
    const auto is_to_explain = [&](const LocalValue& value) {
      return !value.name.empty() && explained.insert(value.name).second &&
             std::none_of(order.begin(), order.end(), [&](std::size_t other) {
               return contains(all[other].text, fmt::format("sets {} to", code(value.name)));
             });
    };
    std::vector<std::string> explanations;
    if (is_to_explain(all[i].value)) {
      explanations.push_back(all[i].value.words);
      for (const LocalValue& inner : all[i].value.inner) {
        if (is_to_explain(inner)) explanations.push_back(inner.words);
      }
    }
    const std::string explained_by = explanations.empty() ? "" : fmt::format(" ({})", join(explanations, ", "));
    out.push_back({all[i].text + explained_by, all[i].where});
  }
  // What only follows a signature is better than nothing.
  for (const Difference& d : actor.change->differences) {
    const std::size_t more = out.empty() && d.kind == DifferenceKind::kReturnChanged ? more_none(d.before, d.after) : 0;
    if (more == 1) out.push_back({fmt::format("returns one more {}", code("None")), {}});
    if (more > 1) out.push_back({fmt::format("returns {} more {}", more, code("None")), {}});
  }
  return {std::move(out), left_out};
}

std::vector<std::string> phrases_of(const std::vector<ToldClause>& clauses) {
  std::vector<std::string> out;
  std::string previous;
  for (const ToldClause& one : clauses) {
    std::string where = join_words(one.conditions);
    out.push_back(with_condition(one.text, where, previous));
    // Behind "when `a`, sets `b`" the same condition would read as that one, too.
    previous = one.text.starts_with("when ") ? std::string() : std::move(where);
  }
  return out;
}

std::string joined_phrases(const std::vector<std::string>& phrases) {
  constexpr std::string_view kConditions[] = {"when ",  "where ", "for each ", "otherwise",
                                              "under ", "while ", "only when", "now only when"};
  const auto asks_first = [&](std::string_view phrase) {
    return std::any_of(std::begin(kConditions), std::end(kConditions),
                       [&](std::string_view word) { return phrase.starts_with(word); });
  };
  std::string out;
  bool is_conditional = false;
  for (const std::string& phrase : phrases) {
    const bool asks = asks_first(phrase);
    if (!out.empty()) out += is_conditional && !asks ? ". " : "; ";
    out += !out.empty() && is_conditional && !asks ? capitalised(phrase) : phrase;
    is_conditional = asks || contains(phrase, "; otherwise");
  }
  return out;
}

std::vector<std::string> change_clauses(const DocumentInputs& inputs, const Actor& actor, std::size_t limit) {
  return phrases_of(told_clauses(inputs, actor, limit).clauses);
}

}  // namespace lockstep::report
