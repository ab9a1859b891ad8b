#include "report/story/changes.h"
#include "report/story/taken_on.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <tuple>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/story/bases.h"
#include "report/story/catches.h"
#include "report/story/change_steps.h"
#include "report/story/check_order.h"
#include "report/story/contract.h"
#include "report/story/differing_text.h"
#include "report/story/edit_kinds.h"
#include "report/story/edits.h"
#include "report/story/forms.h"
#include "report/story/freed.h"
#include "report/story/handed_over.h"
#include "report/story/inlined.h"
#include "report/story/intermediates.h"
#include "report/story/made_calls.h"
#include "report/story/matches.h"
#include "report/story/replaced.h"
#include "report/story/successors.h"

namespace lockstep::report {

using namespace python;
using change::Difference;
using change::DifferenceKind;
using change::EntityChange;
using change::EntityKind;

namespace {

/// A parameter with its type and default, whole in most cases.
constexpr std::size_t kParameterWidth = 72;

struct Clause {
  int rank;
  std::string text;
  std::string where = {};  ///< The conditions under which it holds; may be empty.
  LocalValue value = {};   ///< What a local that it speaks of is; told once, and not where the local is told.
};

/// The same text of several places once, with their number.
void merge_alike(std::vector<Clause>& clauses) {
  std::vector<Clause> out;
  std::vector<std::size_t> counts;
  for (Clause& one : clauses) {
    const auto known =
        std::find_if(out.begin(), out.end(), [&](const Clause& other) { return other.text == one.text; });
    if (known == out.end()) {
      out.push_back(std::move(one));
      counts.push_back(1);
    } else {
      ++counts[static_cast<std::size_t>(known - out.begin())];
      known->where.clear();
    }
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (counts[i] > 1) out[i].text += fmt::format(", in {} places", counts[i]);
  }
  clauses = std::move(out);
}

/// Whether a changed step reads a new parameter where it read one that is gone: it follows the signature.
bool follows_parameters(const Actor& actor, const Step& step) {
  if (step.status != StepStatus::kChanged || step.partner == Step::kNone) return false;
  const auto reads = [&](const Step& one, DifferenceKind kind) {
    bool found = false;
    walk_of<Name>(*one.node, Nested::kSkip, [&](const Name* name) {
      found = found || (one.span.contains(name->span) &&
                        std::any_of(actor.change->differences.begin(), actor.change->differences.end(),
                                    [&](const Difference& d) { return d.kind == kind && d.name == name->id; }));
    });
    return found;
  };
  return reads(actor.steps.before[step.partner], DifferenceKind::kParameterRemoved) &&
         reads(step, DifferenceKind::kParameterAdded);
}

/// Whether the step only raises the same with other words, under a check that asks something else: told with that.
bool is_message_of_changed_check(const StepComparison& steps, std::size_t index) {
  const Step& step = steps.after[index];
  const auto* raised = as<Raise>(step.node);
  if (raised == nullptr || step.status != StepStatus::kChanged || step.partner == Step::kNone ||
      step.parent == Step::kNone || steps.after[step.parent].kind != StepKind::kIf ||
      steps.after[step.parent].status != StepStatus::kChanged)
    return false;
  const auto* branch = as<If>(steps.after[step.parent].node);
  const auto* was = as<Raise>(steps.before[step.partner].node);
  const auto* now_made = as<Call>(raised->exception);
  const auto* was_made = was == nullptr ? nullptr : as<Call>(was->exception);
  return branch != nullptr && branch->body.size() == 1 && now_made != nullptr && was_made != nullptr &&
         dotted_text(now_made->callee) == dotted_text(was_made->callee);
}

/// What a step that is a plain assignment sets; empty for others.
std::string set_by(const Step& step, const SourceText& source) {
  const auto* assign = step.kind == StepKind::kPlain ? as<Assign>(step.node) : nullptr;
  return assign != nullptr && assign->targets.size() == 1 ? one_line_whole(source, *assign->targets.front())
                                                          : std::string();
}

/// Whether a step sets something to one of several values.
bool chooses(const Step& step) {
  const auto* assign = step.kind == StepKind::kPlain ? as<Assign>(step.node) : nullptr;
  return assign != nullptr && is<IfExp>(assign->value);
}

/// Whether several places that go set what this one sets: none of them alone became what sets it now.
bool is_one_of_several_stores(const Actor& actor, std::size_t index) {
  const std::vector<Step>& steps = actor.steps.before;
  const std::string set = set_by(steps[index], *actor.steps.before_source);
  if (set.empty()) return false;
  return std::count_if(steps.begin(), steps.end(), [&](const Step& step) {
           return step.status == StepStatus::kRemoved && set_by(step, *actor.steps.before_source) == set;
         }) > 1;
}

/// What a changed assignment's target was set to, where branches before it each set it: their values, as code, the
/// one that became this one among them; empty for others.
std::vector<std::string> values_of_branches(const Actor& actor, const Step& step) {
  constexpr std::size_t kMostText = 70;
  if (step.status != StepStatus::kChanged || step.partner == Step::kNone) return {};
  const std::vector<Step>& before = actor.steps.before;
  const SourceText& source = *actor.steps.before_source;
  const std::string set = set_by(step, *actor.steps.after_source);
  if (set.empty() || set_by(before[step.partner], source) != set) return {};
  std::vector<std::string> values;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool is_gone = before[i].status == StepStatus::kRemoved && are_alternatives(before, i, step.partner);
    if ((i != step.partner && !is_gone) || set_by(before[i], source) != set) continue;
    values.push_back(code(one_line(source, *as<Assign>(before[i].node)->value, kMostText)));
  }
  return values.size() > 1 ? values : std::vector<std::string>();
}

/// Whether a branch that goes did nothing but set what new and changed steps set: these tell how it is set now.
bool is_set_otherwise(const Actor& actor, std::size_t index) {
  const std::vector<Step>& steps = actor.steps.before;
  if (steps[index].kind != StepKind::kIf) return false;
  std::set<std::string> now;
  for (const Step& step : actor.steps.after) {
    if (step.status != StepStatus::kKept) now.insert(set_by(step, *actor.steps.after_source));
  }
  const std::size_t end = end_of(steps, index);
  for (std::size_t i = index + 1; i < end; ++i) {
    const std::string set = set_by(steps[i], *actor.steps.before_source);
    if (set.empty() || !now.contains(set)) return false;
  }
  return end > index + 1;
}

/// Of a step that only sets locals for others: it comes behind what is done with them.
constexpr int kServes = 7;

std::vector<Clause> step_clauses(const DocumentInputs& inputs, const Actor& actor) {
  std::vector<Clause> out;
  const auto names = changed_names(inputs);
  WordsContext after = context_after(inputs, actor);
  WordsContext before = context_before(inputs, actor);
  after.is_brief = before.is_brief = true;
  const auto& steps = actor.steps;
  const std::vector<ReplacedSteps> replaced = replaced_steps(inputs, actor);
  const Intermediates intermediates(actor);
  const std::string passed = passed_by_check(actor);
  std::set<std::size_t> freed;  // Kept, under fewer conditions.
  for (std::size_t i = 0; i < steps.after.size(); ++i) {
    const Step& step = steps.after[i];
    // What stands in a step that is told so goes with it.
    const bool goes_along = step.parent != Step::kNone && freed.contains(step.parent);
    if (goes_along) freed.insert(i);
    if (std::string text = goes_along ? std::string() : freed_words(inputs, actor, i, after); !text.empty()) {
      freed.insert(i);
      out.push_back({1, std::move(text)});
      continue;
    }
    if (step.inlined != nullptr || !is_told_alone(steps.after, i) || only_keeps_result(actor, step) ||
        is_message_of_changed_check(steps, i))
      continue;
    const std::vector<std::size_t> calls = alike_calls(actor, i);
    if (!calls.empty() && calls.front() != i) continue;  // Told with the first.
    std::string text = calls.empty() ? added_words(actor, i, before, after, 2) : alike_words(actor, calls);
    if (text.empty()) continue;
    if (const std::vector<std::string> was = values_of_branches(actor, step); !was.empty())
      text = fmt::format("sets {} to {} instead of {} (depending on the branch)", code(set_by(step, *after.source)),
                         code(one_line(*after.source, *as<Assign>(step.node)->value, 70)), join(was, " or "));
    // The conditions that an `elif` goes on from are told with it.
    if (constexpr std::string_view kOtherwise = "otherwise, when "; text.starts_with(kOtherwise))
      text.erase(0, kOtherwise.find("when"));
    text += moved_check_words(inputs, actor, i);
    if (!passed.empty() && step.status == StepStatus::kAdded && !contains(text, "; ") && is_check(steps.after, i))
      text += fmt::format(", before {}", passed);
    if (const std::string instead = replaced_words(replaced, i); !instead.empty())
      text += (contains(text, ", which ") ? "," : "") + instead;
    // What another function did before is no news.
    constexpr int kOnlyMoved = 6;
    constexpr int kFollows = 5;
    int rank = rank_of(steps.after, i, *after.source, text, names);
    const bool serves = intermediates.only_serves_after(i);
    if (serves && !tells_beyond_locals(steps.after, i, *after.source, text, names)) rank = std::max(rank, kServes);
    constexpr int kDecidesLocal = 3;
    if (step.kind != StepKind::kPlain && intermediates.only_holds_serving(i)) rank = std::max(rank, kDecidesLocal);
    const bool may_explain = !serves && !contains(text, "; ");
    if (follows_parameters(actor, step)) rank = std::max(rank, kFollows);
    if (switches_argument(actor, step)) rank = 0;
    if (wraps_what_was_there(steps.after, i)) rank = std::max(rank, kFollows);
    if (only_names_differ(actor, step)) rank = std::max(rank, kFollows);
    out.push_back({step.taken_from != nullptr ? std::max(rank, kOnlyMoved) : rank, std::move(text),
                   where_words(*actor.change->after->node, step, *after.source),
                   may_explain ? intermediates.value_read_at(i) : LocalValue()});
  }
  TakenOn taken_on(inputs);
  for (std::size_t i = 0; i < steps.before.size(); ++i) {
    const Step& step = steps.before[i];
    // What sets the name in its place is told.
    if (is_replaced(replaced, i) || !is_told_as_gone(actor, i) || replacement_of(actor, i) != Step::kNone ||
        is_set_otherwise(actor, i))
      continue;
    std::string text = removal_words(actor, i, before, after);
    if (text.empty()) continue;
    text += taken_on.words(actor, step);
    if (!passed.empty() && is_check(steps.before, i)) text += fmt::format(", which stood behind {}", passed);
    int rank = rank_of(steps.before, i, *before.source, text, names);
    if (intermediates.only_serves_before(i) && !tells_beyond_locals(steps.before, i, *before.source, text, names))
      rank = std::max(rank, kServes);
    out.push_back({rank, std::move(text), where_words(*actor.change->before->node, step, *before.source)});
  }
  for (CatchChange& one : catch_changes(actor)) out.push_back({1, std::move(one.text)});
  if (std::string text = gone_wait_words(inputs, actor); !text.empty()) out.push_back({0, std::move(text)});
  if (std::vector<std::string> handed = hand_over_words(inputs, actor); !handed.empty()) {
    const int rank = hands_over_most(actor) ? 0 : 2;
    for (std::string& words : handed) out.push_back({rank, std::move(words)});
  }
  for (const EntityChange* gone : inlined_in(actor)) out.push_back({1, inlined_words(inputs, actor, *gone)});
  std::string taken = taken_over_words(inputs, actor);
  if (!taken.empty()) out.push_back({2, std::move(taken)});
  std::string renamed = rename_words(actor);
  if (!renamed.empty()) out.push_back({6, std::move(renamed)});
  merge_alike(out);
  return out;
}

/// "`a` and `b`" of the parameters that come in; those that go.
std::vector<Clause> parameter_clauses(const Actor& actor) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> added;
  std::vector<std::string> removed;
  for (const Difference& d : actor.change->differences) {
    if (d.kind == DifferenceKind::kParameterAdded) added.push_back(short_code(d.after, kParameterWidth));
    if (d.kind == DifferenceKind::kParameterRemoved) removed.push_back(code(d.name));
  }
  const auto list = [&](std::vector<std::string> names) {
    const std::size_t all = names.size();
    if (all > kMost) names.resize(kMost - 1);
    return all > kMost ? join(names, ", ") + fmt::format(" and {} more", all - names.size()) : join_words(names);
  };
  if (added.empty() && removed.empty()) return {};
  if (removed.empty()) return {{1, fmt::format("takes the new {}", list(std::move(added))), ""}};
  if (added.empty()) return {{1, fmt::format("no longer takes {}", list(std::move(removed))), ""}};
  return {{1, fmt::format("takes {} in place of {}", list(std::move(added)), list(std::move(removed))), ""}};
}

std::vector<Clause> signature_clauses(const DocumentInputs& inputs, const Actor& actor) {
  std::vector<Clause> out;
  for (const Difference& d : actor.change->differences) {
    switch (d.kind) {
      case DifferenceKind::kParameterRenamed:
        out.push_back(
            {2, fmt::format("renames the parameter {} to {}", short_code(d.before, 40), short_code(d.after, 40))});
        break;
      case DifferenceKind::kDefaultChanged:
        out.push_back(
            {1, fmt::format("changes the default of {} from {} to {}", code(d.name),
                            short_codes(d.before, d.after, 30).first, short_codes(d.before, d.after, 30).second)});
        break;
      case DifferenceKind::kDefaultRenamed:
        out.push_back(
            {8, fmt::format("gives the default of {} by its new name, {}", code(d.name), short_code(d.after, 30))});
        break;
      case DifferenceKind::kDefaultAdded:
        out.push_back({2, fmt::format("gives {} the default {}", code(d.name), short_code(d.after, 30))});
        break;
      case DifferenceKind::kDefaultRemoved:
        out.push_back({1, fmt::format("makes {} mandatory", code(d.name))});
        break;
      case DifferenceKind::kBaseAdded:
        out.push_back({1, base_words(*inputs.after, *actor.change, d.after)});
        break;
      case DifferenceKind::kBaseRemoved:
        out.push_back({1, fmt::format("no longer derives from {}", short_code(d.before, 40))});
        break;
      case DifferenceKind::kDecoratorAdded:
        out.push_back({2, fmt::format("is decorated with {}", short_code(d.after, 50))});
        break;
      case DifferenceKind::kDecoratorRemoved:
        out.push_back({2, fmt::format("loses the decorator {}", short_code(d.before, 50))});
        break;
      case DifferenceKind::kAsyncChanged:
        out.push_back({1, d.after.empty() ? "is no longer async" : "becomes async"});
        break;
      default:
        break;
    }
  }
  return out;
}

/// For entities without steps: values of fields and variables.
std::vector<Clause> value_clauses(const Actor& actor) {
  std::vector<Clause> out;
  if (actor.is_function()) return out;
  std::vector<std::string> gained;
  std::vector<std::string> lost;
  for (const Difference& d : actor.change->differences) {
    if (d.kind == DifferenceKind::kValueChanged || d.kind == DifferenceKind::kDefaultChanged) {
      if (d.before.empty() || d.after.empty()) {
        const bool gains = d.before.empty();
        if (d.before != d.after) (gains ? gained : lost).push_back(short_code(gains ? d.after : d.before));
        continue;
      }
      const auto [was, now] = short_codes(d.before, d.after);
      out.push_back({1, fmt::format("changes from {} to {}", was, now)});
    } else if (d.kind == DifferenceKind::kAnnotationChanged) {
      const auto [was, now] = short_codes(d.before, d.after, 40);
      out.push_back({2, fmt::format("changes its type from {} to {}", was, now)});
    } else if (d.kind == DifferenceKind::kBodyChanged && !d.after.empty()) {
      out.push_back({3, fmt::format("contains {}", short_code(d.after))});
    }
  }
  constexpr std::size_t kMost = 4;
  for (auto* names : {&gained, &lost}) {
    if (names->empty()) continue;
    const std::size_t all = names->size();
    if (all > kMost) names->resize(kMost - 1);
    if (all > kMost) names->push_back(fmt::format("{} more", all - names->size()));
    out.push_back({1, fmt::format("{} {}", names == &gained ? "gains" : "loses", join_words(*names))});
  }
  return out;
}

}  // namespace

bool has_difference(const EntityChange& entity, DifferenceKind kind) {
  return std::any_of(entity.differences.begin(), entity.differences.end(),
                     [&](const Difference& one) { return one.kind == kind; });
}

std::vector<std::string> change_clauses(const DocumentInputs& inputs, const Actor& actor, std::size_t limit) {
  std::vector<Clause> all = parameter_clauses(actor);
  for (Clause& one : signature_clauses(inputs, actor)) all.push_back(std::move(one));
  for (Clause& one : value_clauses(actor)) all.push_back(std::move(one));
  if (!actor.is_added() && !actor.is_removed()) {
    for (Clause& one : step_clauses(inputs, actor)) all.push_back(std::move(one));
  }
  // The most telling ones, in the order of the source.
  std::vector<std::size_t> order(all.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return all[a].rank < all[b].rank; });
  if (order.size() > limit) order.resize(limit);
  // An import serves what uses it; what only sets locals is left to the code where enough else is told.
  constexpr std::size_t kEnough = 2;
  while (order.size() > 1 &&
         (all[order.back()].rank == 9 || (order.size() > kEnough && all[order.back()].rank == kServes)))
    order.pop_back();
  std::sort(order.begin(), order.end());
  std::vector<std::string> out;
  std::string where;
  std::set<std::string> explained;
  for (const std::size_t i : order) {
    const LocalValue& value = all[i].value;
    const bool is_told = value.name.empty() || !explained.insert(value.name).second ||
                         std::any_of(order.begin(), order.end(), [&](std::size_t other) {
                           return contains(all[other].text, fmt::format("sets {} to", code(value.name)));
                         });
    std::string text = with_condition(is_told ? all[i].text : all[i].text + value.words, all[i].where, where);
    if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(std::move(text));
    where = all[i].where;
  }
  return out;
}

namespace {

/// The parameters that go and those that come, in one row; none where there are none.
std::optional<BeforeAfter> parameters_row(const Actor& actor, const std::string& none) {
  constexpr std::size_t kMost = 5;
  std::vector<std::string> gone;
  std::vector<std::string> fresh;
  for (const Difference& d : actor.change->differences) {
    if (d.kind == DifferenceKind::kParameterAdded) fresh.push_back(short_code(d.after, kParameterWidth));
    if (d.kind == DifferenceKind::kParameterRemoved) gone.push_back(short_code(d.before, kParameterWidth));
  }
  if (gone.empty() && fresh.empty()) return std::nullopt;
  const auto list = [&](std::vector<std::string> names) {
    if (names.empty()) return none;
    const std::size_t all = names.size();
    if (all > kMost) names.resize(kMost - 1);
    if (all > kMost) names.push_back(fmt::format("{} more", all - names.size()));
    return join_words(names);
  };
  const bool is_one = gone.size() <= 1 && fresh.size() <= 1;
  if (gone.size() + fresh.size() == 1) {
    const auto is_it = [](const Difference& d) {
      return d.kind == DifferenceKind::kParameterAdded || d.kind == DifferenceKind::kParameterRemoved;
    };
    const auto only = std::find_if(actor.change->differences.begin(), actor.change->differences.end(), is_it);
    return BeforeAfter{"parameter " + code(only->name), list(std::move(gone)), list(std::move(fresh))};
  }
  return BeforeAfter{is_one ? "parameter" : "parameters", list(std::move(gone)), list(std::move(fresh))};
}

/// Whether what is done now may stand for what was done: the same kind of thing, and the same name where one is set.
bool may_replace(const std::string& now, const std::string& was) {
  const auto start = [](const std::string& text) {
    const std::size_t blank = text.find(' ');
    const bool sets = text.starts_with("Sets ");
    return text.substr(0, sets ? text.find(" to ") : blank);
  };
  return start(now) == start(was);
}

}  // namespace

std::vector<BeforeAfter> before_after(const DocumentInputs& inputs, const Actor& actor, std::size_t limit) {
  std::vector<BeforeAfter> rows;
  const std::string none = "\u2014";
  if (actor.is_added() || actor.is_removed()) return rows;
  if (std::optional<BeforeAfter> parameters = parameters_row(actor, none)) rows.push_back(*std::move(parameters));
  const auto add_pair = [&](std::string aspect, const Difference& d, std::size_t width) {
    auto [was, now] = short_codes(d.before, d.after, width);
    rows.push_back(
        {std::move(aspect), d.before.empty() ? none : std::move(was), d.after.empty() ? none : std::move(now)});
  };
  for (const Difference& d : actor.change->differences) {
    if (rows.size() == limit) return rows;
    switch (d.kind) {
      case DifferenceKind::kDefaultChanged:
        add_pair("default of " + code(d.name), d, 40);
        break;
      case DifferenceKind::kReturnAnnotationChanged:
        add_pair("return type", d, 40);
        break;
      case DifferenceKind::kValueChanged:
        if (!actor.is_function()) add_pair("value", d, 60);
        break;
      default:
        break;
    }
  }
  WordsContext after = context_after(inputs, actor);
  WordsContext before = context_before(inputs, actor);
  after.is_brief = before.is_brief = true;
  const auto& steps = actor.steps;
  const std::vector<std::size_t> points = removal_points(steps);
  std::size_t told_before = 0;
  const std::vector<ReplacedSteps> replaced = replaced_steps(inputs, actor);
  std::set<std::size_t> replacing;  // Told with what they replace.
  const std::set<std::string, std::less<>> added = added_names(inputs);
  std::set<std::string> elsewhere;  // What goes, but may be done in another form.
  const auto add_removed = [&](std::size_t index) {
    for (std::size_t b = 0; b < steps.before.size() && rows.size() < limit; ++b) {
      if (points[b] != index || is_replaced(replaced, b) || !is_told_as_gone(actor, b)) continue;
      // Of a branch whose code stays only the question is gone: that is told beside the code.
      if (!is_gone_whole(actor, b)) continue;
      const auto told = block_words(steps.before, b, end_of(steps.before, b), before, 1, 2);
      if (told.empty()) continue;
      if (const std::size_t now = replacement_of(actor, b); now != Step::kNone) {
        if (chooses(steps.after[now]) && is_one_of_several_stores(actor, b)) continue;
        rows.push_back({"", told.front(), as_sentence(capitalised(step_words(steps.after[now], after)))});
        replacing.insert(now);
        continue;
      }
      if (may_have_other_form(actor, b, added)) elsewhere.insert(told.front());
      rows.push_back({"", told.front(), none});
      // Nothing that is set or called takes the place of a check.
      if (!only_refuses(steps.before, b)) ++told_before;
    }
  };
  for (std::size_t i = 0; i <= steps.after.size() && rows.size() < limit; ++i) {
    add_removed(i);
    if (i == steps.after.size() || rows.size() == limit) break;
    const Step& step = steps.after[i];
    const auto block = std::find_if(replaced.begin(), replaced.end(), [&](const auto& one) { return one.call == i; });
    if (block != replaced.end()) {
      const Step& first = steps.before[block->before.front()];
      rows.push_back({"",
                      fmt::format("{}, from {} on", capitalised(count_of(block->before.size(), "step")),
                                  code(one_line(*steps.before_source, first.span, 70))),
                      code(one_line(*steps.after_source, step.span, 90))});
      continue;
    }
    if (step.status == StepStatus::kKept || step.kind == StepKind::kElse ||
        (step.is_moved && step.status != StepStatus::kChanged) || !step.renames.empty() ||
        step.returned_by != nullptr || is_inside_status(steps.after, i, StepStatus::kAdded))
      continue;
    if (step.status == StepStatus::kChanged && step.partner != Step::kNone) {
      const Step& old = steps.before[step.partner];
      if (only_names_differ(actor, step)) continue;
      if (python::is<Import>(step.node) || python::is<ImportFrom>(step.node)) continue;
      if (only_keeps_result(actor, step)) continue;
      // What is defined inside has rows of its own.
      if (python::is<FunctionDef>(step.node) || python::is<ClassDef>(step.node)) continue;
      if (std::string grown = growth_words(old, before, step, after); !grown.empty()) {
        rows.push_back({"", none, capitalised(grown)});
        continue;
      }
      const std::string aspect = step.kind == StepKind::kIf ? "condition" : "";
      constexpr std::size_t kWidth = 90;
      if (const std::vector<std::string> was = values_of_branches(actor, step); !was.empty()) {
        rows.push_back({code(set_by(step, *steps.after_source)), join(was, " or ") + " (depending on the branch)",
                        code(one_line(*steps.after_source, *as<Assign>(step.node)->value, kWidth))});
        continue;
      }
      auto [old_text, new_text] =
          where_they_differ(*steps.before_source, old.span, *steps.after_source, step.span, kWidth);
      if (old_text.starts_with("\u2026")) {
        if (auto texts = where_arguments_differ(*steps.before_source, old, *steps.after_source, step))
          std::tie(old_text, new_text) = *std::move(texts);
      }
      // What differs was left out of both: a longer text shows it, or nothing that a reader sees differs.
      if (old_text == new_text) {
        constexpr std::size_t kWhole = 240;
        old_text = one_line(*steps.before_source, old.span, kWhole);
        new_text = one_line(*steps.after_source, step.span, kWhole);
        if (old_text == new_text) continue;
      }
      // A cell of a table holds no page: what changes is told in words.
      constexpr std::size_t kLongestCell = 500;
      if (std::max(old_text.size(), new_text.size()) > kLongestCell) continue;
      rows.push_back({aspect, code(old_text), code(new_text), !aspect.empty() || switches_argument(actor, step)});
    } else if (step.status == StepStatus::kAdded && only_refuses(steps.after, i)) {
      if (step.taken_from != nullptr) continue;
      const auto told = block_words(steps.after, i, end_of(steps.after, i), after, 1, 2);
      const std::string where = where_words(*actor.change->after->node, step, *after.source);
      if (told.empty()) continue;
      std::string text = told.front();
      while (text.ends_with(".")) text.pop_back();
      text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
      rows.push_back({"check", none, as_sentence(capitalised(with_condition(text, where, "")))});
    } else if (told_before > 0 && step.kind == StepKind::kPlain && !replacing.contains(i)) {
      // What stands where something went; pure additions are told beside the code.
      const std::string words = step_words(step, after);
      if (!words.empty()) rows.push_back({"", none, capitalised(words)});
      --told_before;
    }
  }
  // The same edit in several places is one row.
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = rows.size(); j-- > i + 1;) {
      if (rows[j].aspect == rows[i].aspect && rows[j].before == rows[i].before && rows[j].after == rows[i].after)
        rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
  // A removal and what took its place share a row.
  for (std::size_t i = 0; i + 1 < rows.size();) {
    const bool joined = rows[i].aspect.empty() && rows[i + 1].aspect.empty() && rows[i].after == none &&
                        rows[i + 1].before == none && may_replace(rows[i + 1].after, rows[i].before);
    if (joined) {
      rows[i].after = rows[i + 1].after;
      rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
    ++i;
  }
  // By itself that would read as if it were no longer done.
  std::erase_if(rows, [&](const BeforeAfter& row) { return row.after == none && elsewhere.contains(row.before); });
  return rows;
}

namespace {

std::size_t count_methods(const EntityChange& cls) {
  const auto body = body_of(cls.latest().node);
  return static_cast<std::size_t>(
      std::count_if(body.begin(), body.end(), [](const Stmt* one) { return is<FunctionDef>(one); }));
}

/// Methods of a new class that another file had before.
std::size_t count_moved(const DocumentInputs& inputs, const EntityChange& cls) {
  const std::string prefix = cls.after->qualified_name + ".";
  return static_cast<std::size_t>(
      std::count_if(inputs.change->entities.begin(), inputs.change->entities.end(), [&](const EntityChange& one) {
        return one.kind == EntityKind::kMethod && one.moved && one.after &&
               one.after->qualified_name.starts_with(prefix) &&
               one.after->qualified_name.find('.', prefix.size()) == std::string::npos;
      }));
}

/// "which has 37 of its 38 steps from `f`; `B` overrides it": of a method or function that only takes code out of
/// another one; empty for others.
std::string extraction_words(const DocumentInputs& inputs, const Actor& actor) {
  constexpr std::size_t kMost = 2;
  if (actor.extracted_from == nullptr) return {};
  const std::string all = count_of(actor.steps.after.size(), "step");
  std::string out =
      fmt::format("which has {}{} as they were in {}",
                  actor.extracted == actor.steps.after.size() ? "its " : fmt::format("{} of its ", actor.extracted),
                  all, code(short_name(inputs, *actor.extracted_from)));
  if (actor.change->kind != EntityKind::kMethod || !actor.change->after->function.valid()) return out;
  std::vector<std::string> classes;
  for (const program::FunctionId each : inputs.after->overrides_of(actor.change->after->function)) {
    const program::ClassId owner = inputs.after->functions()[each].owner;
    if (owner.valid() && !program::is_test_path(inputs.after->module_of(owner).path) && classes.size() < kMost)
      classes.push_back(code(inputs.after->classes()[owner].name));
  }
  if (classes.empty()) return out;
  return out + fmt::format("; {} {} it", join_words(classes), classes.size() == 1 ? "overrides" : "override");
}

/// "docstring", "comments", "layout": what differs in an entity that behaves as before.
std::string cosmetic_words(const EntityChange& entity) {
  if (has_difference(entity, DifferenceKind::kDocstringChanged)) return "documentation";
  return has_difference(entity, DifferenceKind::kCommentsChanged) ? "commentary" : "layout";
}

}  // namespace

/// Whether every collective of a function is issued whatever its conditions say.
static bool always_communicates(const WordsContext& context) {
  if (context.mesh == nullptr || !context.function.valid()) return true;
  const python::Node* body = context.program->functions()[context.function].node;
  const auto& sites = context.mesh->collectives_of(context.function);
  return body == nullptr || std::all_of(sites.begin(), sites.end(), [&](const mesh::CollectiveSite& site) {
           if (site.call == nullptr) return true;
           // Cases of a `match`, handlers, and functions that are defined there are no guards, and may not run either.
           const std::vector<const python::Node*> around = chain_to(*body, site.call->span);
           const bool is_at_times = std::any_of(around.begin(), around.end(), [](const python::Node* node) {
             return python::is<python::MatchCase>(node) || python::is<python::ExceptHandler>(node) ||
                    python::is<python::FunctionDef>(node) || python::is<python::Lambda>(node);
           });
           return !is_at_times && guards_of(*body, site.call->span).empty();
         });
}

/// "; `a.py:3` in `f` goes over all fields of the class": of a field that a dataclass gains or loses; empty where
/// nothing does.
std::string field_loop_words(const DocumentInputs& inputs, const Actor& actor) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> places;
  std::set<program::FunctionId> told;
  for (const FieldLoop& loop : actor.field_loops) {
    if (!told.insert(loop.function).second) continue;
    const std::string& path = inputs.after->module_of(loop.function).path;
    places.push_back(fmt::format("{} in {}", place(path, loop.line), code(short_name(*inputs.after, loop.function))));
  }
  if (places.empty()) return {};
  const std::size_t all = places.size();
  if (all > kMost) places.resize(kMost - 1);
  if (all > kMost) places.push_back(fmt::format("{} more", all - places.size()));
  return fmt::format("; {} {} over all fields of the class", join_words(places), all == 1 ? "goes" : "go");
}

std::string actor_words(const DocumentInputs& inputs, const Actor& actor, std::size_t most_clauses) {
  const EntityChange& entity = *actor.change;
  const std::string name = code(short_name(inputs, entity));
  // What is new and long takes more than one sentence to say.
  constexpr std::uint32_t kLong = 15;  // Lines.
  constexpr std::size_t kMostWords = 45;
  const bool is_long =
      actor.is_added() && most_clauses > 1 && entity.latest().last_line - entity.latest().first_line >= kLong;
  const std::string purpose = entity.kind == EntityKind::kVariable || entity.kind == EntityKind::kField ? std::string()
                              : is_long ? docstring_opening(entity.latest().node, kMostWords)
                                        : docstring_sentence(entity.latest().node, 160);
  std::string out = fmt::format("{} ({}, {})", name, status_words(entity), place_of(inputs, entity));
  if (const std::string other = imported_instead(inputs, entity); !other.empty())
    out += fmt::format(", in place of which {} is imported", code(other));
  if (actor.is_removed() && !actor.field_loops.empty()) return out + field_loop_words(inputs, actor) + ".";
  if (actor.is_removed())
    return out + (purpose.empty() ? "." : fmt::format(": \u201c{}\u201d", from_backquotes(purpose)));
  if (actor.is_added()) {
    if (entity.kind == EntityKind::kClass) {
      const std::size_t methods = count_methods(entity);
      if (methods > 1) out += fmt::format(", a class of {}", count_of(methods, "method"));
      if (const std::size_t moved = count_moved(inputs, entity); moved > 0)
        out += fmt::format(", {} of them moved here", moved);
    }
    if (const std::string other = imported_before(inputs, entity); !other.empty())
      out += fmt::format(", in place of the imported {}", code(other));
    std::string moved = extraction_words(inputs, actor);
    if (moved.empty() && actor.successor_of != nullptr)
      moved = fmt::format("called where {} was, which is gone", code(short_name(inputs, *actor.successor_of)));
    if (!moved.empty() && !purpose.empty())
      return out + fmt::format(", {}: \u201c{}\u201d", moved, from_backquotes(purpose));
    if (!moved.empty()) return out + ", " + moved + ".";
    if (!purpose.empty()) return out + fmt::format(": \u201c{}\u201d", from_backquotes(purpose));
    if (!actor.is_function()) {
      const Expr* target = nullptr;
      const Expr* value = assigned_value(entity.after->node, target);
      const program::ModuleId module = inputs.after->find_path(entity.after->path);
      const std::string loops = field_loop_words(inputs, actor) + ".";
      if (value == nullptr || !module.valid()) return out + loops;
      return out + ": " + code(one_line(inputs.after->modules()[module].facts->source(), *value, 60)) + loops;
    }
    const WordsContext context = context_after(inputs, actor);
    const Contract contract = contract_of(context);
    std::vector<std::string> facts;
    const std::string_view issues = always_communicates(context) ? "issues " : "can issue ";
    for (const std::string& collective : contract.collectives) facts.push_back(std::string(issues) + collective);
    if (!contract.writes.empty()) {
      std::vector<std::string> writes;
      for (std::size_t i = 0; i < contract.writes.size() && i < 3; ++i) writes.push_back(code(contract.writes[i]));
      facts.push_back("sets " + join_words(writes));
    }
    // One of several would read as what it always returns.
    const std::vector<std::string>& returns = contract.returns;
    const bool returns_none = std::find(returns.begin(), returns.end(), "None") != returns.end();
    const bool is_known = !contract.may_return_more || returns_none;
    if (returns.size() == 1 && !returns_none && is_known) facts.push_back("returns " + code(returns.front()));
    if (returns.size() == 2 && is_known)
      facts.push_back(fmt::format("returns {} or {}", code(returns[0]), code(returns[1])));
    if (facts.empty() && !contract.requirements.empty())
      facts.push_back("requires that " + contract.requirements.front());
    if (facts.size() > most_clauses) facts.resize(most_clauses);
    return out + (facts.empty() ? "." : ": " + join_words(facts) + ".");
  }
  if (entity.is_cosmetic())
    return fmt::format("{}: only its {} changes; what runs is the same.", out, cosmetic_words(entity));
  const std::vector<std::string> clauses = change_clauses(inputs, actor, most_clauses);
  if (clauses.empty()) return out + ".";
  return out + ": " + join(clauses, "; ") + ".";
}

}  // namespace lockstep::report
