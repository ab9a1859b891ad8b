#include "report/story/steps/moves/alignment.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "report/source/code.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/super_calls.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kTellingWords = 2;       ///< Of a step that may count alone.
constexpr std::size_t kEnoughWords = 6;        ///< The same, brackets and keywords among them.
constexpr std::size_t kMostPairs = 60'000;     ///< Of steps that are compared for one call.
constexpr std::size_t kMostOfAll = 4'000'000;  ///< The same of all calls that were found.
constexpr std::size_t kMostLoose = 1'000'000;  ///< The same where no call was found.
constexpr std::size_t kFarthest = 2;           ///< Steps from one to its neighbour.
constexpr std::size_t kMostBetween = 8;        ///< The same on the side that has more between the two.

std::size_t distance(std::size_t a, std::size_t b) { return std::max(a, b) - std::min(a, b); }

/// Whether the innermost loop around the step is there in the new version, too.
bool is_in_kept_loop(const LosingFunction& from, std::size_t index) {
  const std::vector<Step>& steps = from.actor->steps.before;
  for (std::size_t up = steps[index].parent; up != Step::kNone; up = steps[up].parent) {
    if (steps[up].kind == StepKind::kFor || steps[up].kind == StepKind::kWhile)
      return steps[up].status != StepStatus::kRemoved;
  }
  return false;
}

/// Whether a loop comes to its next item behind the step of the after side, whatever comes of it but a way out.
bool is_way_on(const LosingFunction& from, std::size_t site) {
  const std::vector<Step>& steps = from.actor->steps.after;
  const std::size_t loop = steps[site].parent;
  return loop != Step::kNone && (steps[loop].kind == StepKind::kFor || steps[loop].kind == StepKind::kWhile) &&
         end_of(steps, site) == end_of(steps, loop);
}

}  // namespace

bool ComparisonBudget::take(std::size_t pairs, bool is_loose) {
  std::size_t& compared = is_loose ? compared_loosely_ : compared_;
  if (pairs > kMostPairs || pairs > (is_loose ? kMostLoose : kMostOfAll) - compared) return false;
  compared += pairs;
  return true;
}

Renaming renaming_of(const LosingFunction& from, const Connection& one) {
  Renaming names{&from.locals, &one.holder->locals};
  const auto* def = as<FunctionDef>(one.holder->actor->change->after->node);
  if (one.call == nullptr || def == nullptr || rules::has_spread_arguments(*one.call) ||
      rules::has_spread_keywords(*one.call))
    return names;
  const auto give = [&](std::string_view name, CodeWords words) {
    std::vector<CodeWords>& options = names.given[std::string(name)];
    // A local that had this value stands for it.
    for (const Step& step : from.actor->steps.before) {
      const auto* local = as<Name>(target_of(step));
      if (local != nullptr && step.status == StepStatus::kRemoved && value_of_step(step) != nullptr &&
          words_of(*from.actor->steps.before_source, value_of_step(step)->span) == words)
        options.push_back({{std::string(local->id), true}});
    }
    options.push_back(std::move(words));
  };
  const auto& all = def->parameters->all;
  std::size_t at = 0;
  const auto* method = as<Attribute>(one.call->callee);
  if (!all.empty() && (all.front()->name.text == "self" || all.front()->name.text == "cls")) {
    at = 1;
    if (method == nullptr) return names;
    const bool is_super = rules::is_method_of_super(method);
    give(all.front()->name.text,
         is_super ? code_words("self") : words_of(*from.actor->steps.after_source, method->value->span));
  }
  for (const Expr* argument : one.call->arguments) {
    if (at >= all.size() || all[at]->parameter_kind == Parameter::Kind::kVarArgs ||
        all[at]->parameter_kind == Parameter::Kind::kKeywordOnly)
      break;
    give(all[at++]->name.text, words_of(*from.actor->steps.after_source, argument->span));
  }
  for (const Keyword* keyword : one.call->keywords)
    give(keyword->name.text, words_of(*from.actor->steps.after_source, keyword->value->span));
  return names;
}

const Expr* value_of_site(const LosingFunction& from, const Connection& one) {
  return one.site == Step::kNone ? nullptr : value_of_step(from.actor->steps.after[one.site]);
}

std::string result_of(const LosingFunction& from, const Connection& one) {
  if (one.call == nullptr || value_of_site(from, one) != one.call) return {};
  const Expr* target = target_of(from.actor->steps.after[one.site]);
  return target == nullptr ? std::string() : without_layout(*from.actor->steps.after_source, target->span);
}

bool sets(const LosingFunction& from, const Step& step, std::string_view target) {
  const Expr* own = target_of(step);
  return own != nullptr && !target.empty() && without_layout(*from.actor->steps.before_source, own->span) == target;
}

namespace {

/// How alike a removed step and an added one are: the same, or `x = value` here and `return value` there, where the
/// call's result is `x` now.
std::optional<Likeness> likeness(const LosingFunction& from, const Connection& one, std::size_t here, std::size_t place,
                                 const Renaming& names, std::string_view result) {
  const Step& was = from.actor->steps.before[here];
  const Step& now = one.steps()[one.holder->added[place]];
  if (was.kind != now.kind || (was.is_elif && !now.is_elif)) return std::nullopt;
  if (is<Continue>(was.node) || is<Break>(was.node)) {
    // Where the loop stays here, what went on with its next item returns there.
    const bool stays = is_in_kept_loop(from, here);
    const auto* leaves = as<Return>(now.node);
    if (is<Continue>(was.node) && stays && leaves != nullptr && leaves->value == nullptr && one.call != nullptr &&
        one.site != Step::kNone && is_way_on(from, one.site))
      return Likeness{1, 0, {}};
    if (stays) return std::nullopt;
  }
  if (is<Return>(now.node) && !is<Return>(was.node)) {
    if (!sets(from, was, result) || value_of_step(was) == nullptr || value_of_step(now) == nullptr) return std::nullopt;
    return same_but_names(words_of(*from.actor->steps.before_source, value_of_step(was)->span),
                          words_of(*one.holder->actor->steps.after_source, value_of_step(now)->span), names);
  }
  return same_but_names(from.words[here], one.holder->words[place], names);
}

/// Whether a step that is alike there needs no neighbour: it has enough words, or is the same to the letter, or sets
/// an attribute of the same object to the same.
bool is_telling(const LosingFunction& from, const Connection& one, std::size_t here, const Likeness& alike,
                const Renaming& names) {
  const Step& step = from.actor->steps.before[here];
  if (!tells_itself(step)) return false;
  if (alike.telling >= kTellingWords && alike.words >= kEnoughWords) return true;
  if (step.elsewhere == one.holder->actor->change && step.kind != StepKind::kPlain) return true;
  const auto self = names.given.find("self");
  return one.call != nullptr && is<Attribute>(target_of(step)) && self != names.given.end() &&
         self->second.back() == code_words("self") && dotted_text(target_of(step)).starts_with("self.") &&
         from.locals.contains("self");
}

}  // namespace

void find_names(const LosingFunction& from, const Connection& one, const std::vector<std::size_t>& open,
                std::string_view result, Renaming& names) {
  std::map<std::pair<std::string, std::string>, std::size_t> votes;
  for (const std::size_t here : open) {
    for (std::size_t place = 0; place < one.holder->added.size(); ++place) {
      const std::optional<Likeness> alike = likeness(from, one, here, place, names, result);
      if (!alike || alike->telling == 0) continue;
      for (const auto& pair : alike->renamed) votes[pair] += 2 * alike->telling + (pair.first == pair.second ? 1 : 0);
    }
  }
  std::vector<std::pair<std::size_t, std::pair<std::string, std::string>>> order;
  for (const auto& [pair, count] : votes) order.emplace_back(count, pair);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::set<std::string> used;
  for (const auto& [count, pair] : order) {
    if (names.given.contains(pair.first) || used.contains(pair.second)) continue;
    used.insert(pair.second);
    names.given[pair.first] = {code_words(pair.second)};
  }
  names.is_complete = true;
}

std::vector<MovedPair> align(const LosingFunction& from, const Connection& one, const std::vector<std::size_t>& open,
                             const Renaming& names, std::string_view result) {
  const std::size_t rows = open.size();
  const std::size_t columns = one.holder->added.size();
  std::vector<std::optional<Likeness>> alike(rows * columns);
  std::vector<std::size_t> best((rows + 1) * (columns + 1), 0);
  const auto cell = [&](std::size_t r, std::size_t c) -> std::size_t& { return best[r * (columns + 1) + c]; };
  for (std::size_t r = rows; r-- > 0;) {
    for (std::size_t c = columns; c-- > 0;) {
      auto& here = alike[r * columns + c];
      here = likeness(from, one, open[r], c, names, result);
      cell(r, c) = std::max(cell(r + 1, c), cell(r, c + 1));
      if (here) cell(r, c) = std::max(cell(r, c), here->words + cell(r + 1, c + 1));
    }
  }
  std::vector<MovedPair> out;
  std::size_t r = 0;
  std::size_t c = 0;
  while (r < rows && c < columns) {
    const auto& here = alike[r * columns + c];
    if (here && cell(r, c) == here->words + cell(r + 1, c + 1)) {
      out.push_back({open[r], one.holder->added[c], is_telling(from, one, open[r], *here, names)});
      ++r;
      ++c;
    } else if (cell(r, c + 1) >= cell(r + 1, c)) {
      ++c;  // Of several alike the first.
    } else {
      ++r;
    }
  }
  return out;
}

namespace {

/// Close to one another on one side at least.
bool are_neighbours(const MovedPair& first, const MovedPair& second) {
  const std::size_t here = second.here - first.here;
  const std::size_t there = second.there - first.there;
  return std::min(here, there) <= kFarthest && std::max(here, there) <= kMostBetween;
}

/// Whether two steps set the same by a call of the same, or do so in the same branch, but in other words.
bool are_similar(const LosingFunction& from, const Connection& one, std::size_t here, std::size_t there,
                 const Renaming& names, const std::map<std::size_t, std::size_t>& partners) {
  const Step& was = from.actor->steps.before[here];
  const Step& now = one.steps()[there];
  const auto same = [&](const Expr* a, const Expr* b) {
    return a != nullptr && b != nullptr &&
           same_but_names(words_of(*from.actor->steps.before_source, a->span),
                          words_of(*one.holder->actor->steps.after_source, b->span), names)
               .has_value();
  };
  if (was.kind != now.kind || was.kind != StepKind::kPlain) return false;
  const bool both_set = same(target_of(was), target_of(now));
  if (!both_set && (target_of(was) != nullptr || was.node->kind != now.node->kind)) return false;
  const Call* called = main_call(was);
  const Call* calls = main_call(now);
  if (called != nullptr && calls != nullptr) return same(called->callee, calls->callee);
  const auto parent = was.parent == Step::kNone ? partners.end() : partners.find(was.parent);
  return both_set && is<Attribute>(target_of(was)) && parent != partners.end() && parent->second == now.parent;
}

}  // namespace

void keep_telling(std::vector<MovedPair>& pairs, std::size_t fewest) {
  std::vector<MovedPair> out;
  for (std::size_t begin = 0; begin < pairs.size();) {
    std::size_t end = begin + 1;
    while (end < pairs.size() && are_neighbours(pairs[end - 1], pairs[end])) ++end;
    const auto first = pairs.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = pairs.begin() + static_cast<std::ptrdiff_t>(end);
    const auto telling = std::count_if(first, last, [](const MovedPair& one) { return one.is_telling; });
    if (static_cast<std::size_t>(telling) >= fewest) out.insert(out.end(), first, last);
    begin = end;
  }
  pairs = std::move(out);
}

void add_similar(const LosingFunction& from, const Connection& one, const std::vector<std::size_t>& open,
                 const Renaming& names, std::map<std::size_t, std::size_t>& partners, std::set<std::size_t>& similar) {
  std::set<std::size_t> used;
  for (const auto& [here, there] : partners) used.insert(there);
  const std::map<std::size_t, std::size_t> moved = partners;
  for (const std::size_t here : open) {
    if (partners.contains(here)) continue;
    for (const auto& [other, there] : moved) {
      for (const std::size_t i : one.holder->added) {
        const bool is_inside = from.actor->steps.before[here].parent == other && one.steps()[i].parent == there;
        const bool is_near = std::min(distance(here, other), distance(i, there)) <= kFarthest &&
                             std::max(distance(here, other), distance(i, there)) <= kMostBetween;
        if (used.contains(i) || partners.contains(here) || (!is_inside && !is_near) || (here < other) != (i < there) ||
            !are_similar(from, one, here, i, names, partners))
          continue;
        partners[here] = i;
        used.insert(i);
        similar.insert(here);
      }
    }
  }
}

}  // namespace lockstep::report
