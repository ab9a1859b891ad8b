#include "report/story/wording/step_clauses.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "change/names.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/story/calls/late_reads.h"
#include "report/story/calls/loop_calls.h"
#include "report/story/calls/made_calls.h"
#include "report/story/calls/taken_on.h"
#include "report/story/calls/taken_up.h"
#include "report/story/checks/catches.h"
#include "report/story/checks/check_order.h"
#include "report/story/checks/gone_resets.h"
#include "report/story/checks/new_exits.h"
#include "report/story/steps/branch_values.h"
#include "report/story/steps/conditional_entries.h"
#include "report/story/steps/crossed_blocks.h"
#include "report/story/steps/default_settings.h"
#include "report/story/steps/edit_kinds.h"
#include "report/story/steps/following_edits.h"
#include "report/story/steps/freed.h"
#include "report/story/steps/generalised.h"
#include "report/story/steps/inlined.h"
#include "report/story/steps/intermediates.h"
#include "report/story/steps/last_deletes.h"
#include "report/story/steps/local_uses.h"
#include "report/story/steps/matches.h"
#include "report/story/steps/named_stores.h"
#include "report/story/steps/newly_under.h"
#include "report/story/steps/other_operand.h"
#include "report/story/steps/property_use.h"
#include "report/story/steps/removed_steps.h"
#include "report/story/steps/replaced.h"
#include "report/story/wording/argument_edits.h"
#include "report/story/wording/asked_locals.h"
#include "report/story/wording/change_steps.h"
#include "report/story/wording/choice_words.h"
#include "report/story/wording/fallbacks.h"
#include "report/story/wording/handed_over.h"
#include "report/story/wording/new_ways.h"
#include "report/story/wording/predicates.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using change::Difference;
using change::DifferenceKind;
using change::EntityChange;

namespace {

/// Calls that newly get the same, under the same conditions, are one clause.
void merge_passed(std::vector<Clause>& clauses) {
  constexpr std::size_t kMostCallees = 6;
  for (std::size_t i = 0; i < clauses.size(); ++i) {
    if (!clauses[i].passed) continue;
    std::vector<std::string> callees = {clauses[i].passed->callee};
    for (std::size_t k = clauses.size(); k-- > i + 1;) {
      if (!clauses[k].passed || clauses[k].passed->arguments != clauses[i].passed->arguments ||
          clauses[k].where != clauses[i].where)
        continue;
      if (std::find(callees.begin(), callees.end(), clauses[k].passed->callee) == callees.end())
        callees.insert(callees.begin() + 1, clauses[k].passed->callee);
      clauses[i].rank = std::min(clauses[i].rank, clauses[k].rank);
      clauses.erase(clauses.begin() + static_cast<std::ptrdiff_t>(k));
    }
    if (callees.size() == 1) continue;
    const std::size_t all = callees.size();
    if (all > kMostCallees) {
      callees.resize(kMostCallees - 1);
      callees.push_back(fmt::format("{} others", all - callees.size()));
    }
    clauses[i].text = passed_words(clauses[i].passed->arguments, join_words(callees));
  }
}

/// Conditions that ask one thing instead of another, and differ in nothing else, are one clause behind those that say
/// more.
void merge_other_operands(std::vector<Clause>& clauses) {
  for (std::size_t i = 0; i < clauses.size(); ++i) {
    if (clauses[i].other_operand.empty()) continue;
    std::size_t count = 1;
    for (std::size_t k = clauses.size(); k-- > i + 1;) {
      if (clauses[k].other_operand != clauses[i].other_operand) continue;
      ++count;
      clauses[i].rank = std::max(clauses[i].rank, clauses[k].rank);
      clauses.erase(clauses.begin() + static_cast<std::ptrdiff_t>(k));
    }
    if (count == 1) continue;
    Clause joined;
    joined.rank = clauses[i].rank + 1;
    joined.text = fmt::format("{} in {} conditions", clauses[i].other_operand, count);
    joined.is_step = true;
    clauses[i] = std::move(joined);
  }
}

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
    if (counts[i] == 1) continue;
    out[i].text += fmt::format(", in {} places", counts[i]);
    out[i].passed.reset();
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

/// Whether a step that was taken for a new one stood in the same block before, beside others like it elsewhere.
bool stood_there(const Actor& actor, const Step& step) {
  const bool may_be = step.kind == StepKind::kPlain || step.kind == StepKind::kExcept;
  if (step.status != StepStatus::kAdded || !may_be || step.parent == Step::kNone) return false;
  const Step& block = actor.steps.after[step.parent];
  if (block.partner == Step::kNone) return false;
  const std::string text = without_layout(*actor.steps.after_source, step.span);
  return std::any_of(actor.steps.before.begin(), actor.steps.before.end(), [&](const Step& old) {
    return old.parent == block.partner && without_layout(*actor.steps.before_source, old.span) == text;
  });
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

/// Whether a step gives an attribute something that no file of the change names any more.
bool sets_gone_attribute(const DocumentInputs& inputs, const Step& step) {
  const Expr* target = nullptr;
  const auto* member = assigned_value(step.node, target) == nullptr ? nullptr : as<Attribute>(target);
  if (member == nullptr) return false;
  return std::none_of(inputs.change->files.begin(), inputs.change->files.end(), [&](const change::FileSummary& file) {
    const program::ModuleId module = inputs.after->find_path(file.file->path());
    return module.valid() &&
           inputs.after->modules()[module].facts->find_name(member->name.text) != std::string_view::npos;
  });
}

/// Whether `resets` tells all that the removed step did, but for what attributes got that are gone.
bool is_told_as_reset(const DocumentInputs& inputs, const Actor& actor, const GoneResets& resets, std::size_t index) {
  const std::vector<Step>& steps = actor.steps.before;
  const std::size_t end = end_of(steps, index);
  bool tells = false;
  for (std::size_t i = index; i < end; ++i) {
    const bool is_told = resets.steps.contains(i);
    tells = tells || is_told;
    if (steps[i].kind == StepKind::kPlain && !is_told && !sets_gone_attribute(inputs, steps[i])) return false;
  }
  return tells;
}

/// Whether a changed step makes an array or tensor of the same as before, of another type or by another function.
bool only_kept_otherwise(const Actor& actor, const Step& step) {
  if (step.status != StepStatus::kChanged || step.partner == Step::kNone) return false;
  const auto made_of = [](const Step& one, const SourceText& source) {
    const auto* call = as<Call>(value_of_step(one));
    constexpr std::string_view kMaking[] = {"array", "asarray", "as_tensor", "ascontiguousarray", "tensor"};
    constexpr std::string_view kKinds[] = {"copy", "device", "dtype"};
    const auto is_kind = [&](const Keyword* keyword) {
      return std::find(std::begin(kKinds), std::end(kKinds), keyword->name.text) != std::end(kKinds);
    };
    const bool makes = call != nullptr && call->arguments.size() == 1 &&
                       std::find(std::begin(kMaking), std::end(kMaking), callee_name(*call)) != std::end(kMaking) &&
                       std::all_of(call->keywords.begin(), call->keywords.end(), is_kind);
    return makes ? one_line_whole(source, *call->arguments.front()) : std::string();
  };
  const std::string was = made_of(actor.steps.before[step.partner], *actor.steps.before_source);
  return !was.empty() && was == made_of(step, *actor.steps.after_source);
}

/// What the call of a changed step gives besides, where `text` says nothing else.
std::optional<AddedArguments> only_passes_more(const Actor& actor, std::size_t index, const WordsContext& before,
                                               const WordsContext& after, const std::string& text) {
  const Step& step = actor.steps.after[index];
  if (step.status != StepStatus::kChanged || step.partner == Step::kNone) return {};
  std::optional<AddedArguments> added = added_arguments(actor.steps.before[step.partner], before, step, after);
  return added && passed_words(added->arguments, added->callee) == text ? added : std::nullopt;
}

/// ", formerly in `f`": of a new inner function, the function of the change that defined one of its name;
/// empty for others.
std::string former_definer(const DocumentInputs& inputs, const Step& step) {
  const auto* inner = step.status == StepStatus::kAdded ? as<FunctionDef>(step.node) : nullptr;
  for (const EntityChange& gone : inputs.change->entities) {
    if (inner == nullptr || gone.after || !gone.before) continue;
    const auto* def = as<FunctionDef>(gone.before->node);
    if (def == nullptr) continue;
    const bool defined = std::any_of(def->body.begin(), def->body.end(), [&](const Stmt* one) {
      const auto* other = as<FunctionDef>(one);
      return other != nullptr && other->name.text == inner->name.text;
    });
    if (defined) return fmt::format(", formerly in {}", code(short_name(inputs, gone)));
  }
  return {};
}

/// An empty container, 0 or None: what is there before something is put in.
bool is_start(const Expr& value) {
  if (const auto* either = as<IfExp>(&value)) return is_start(*either->body) && is_start(*either->orelse);
  const auto* list = as<python::List>(&value);
  const auto* dict = as<Dict>(&value);
  const auto* constant = as<Constant>(&value);
  return (list != nullptr && list->elements.empty()) || (dict != nullptr && dict->values.empty()) ||
         rules::is_none(&value) || (constant != nullptr && constant->text == "0");
}

/// `self.index = {} if quantized else None`, new: what fills it says more.
bool only_starts(const Step& step) {
  const auto* assign = as<Assign>(step.node);
  return step.kind == StepKind::kPlain && step.status == StepStatus::kAdded && assign != nullptr &&
         is_start(*assign->value);
}

/// A new branch without `else` that gives what is not there yet what it begins with: `if key not in d: d[key] =
/// zeros(n)`.
bool only_fills_start(const std::vector<Step>& steps, std::size_t index) {
  const auto* branch = steps[index].kind == StepKind::kIf ? as<If>(steps[index].node) : nullptr;
  if (branch == nullptr || steps[index].status != StepStatus::kAdded || !branch->orelse.empty()) return false;
  return std::all_of(branch->body.begin(), branch->body.end(), [](const Stmt* one) {
    const auto* assign = as<Assign>(one);
    const auto* made = assign == nullptr ? nullptr : as<Call>(assign->value);
    const std::string_view callee = made == nullptr ? std::string_view() : callee_name(*made);
    return assign != nullptr &&
           (is_start(*assign->value) || callee == "zeros" || callee == "zeros_like" || callee == "defaultdict");
  });
}

/// Whether a new `if` without `else` holds nothing that is new: steps that the change edits, in branches.
bool only_holds_edits(const std::vector<Step>& steps, std::size_t index) {
  if (steps[index].kind != StepKind::kIf || steps[index].status != StepStatus::kAdded || steps[index].is_elif)
    return false;
  const std::size_t end = end_of(steps, index);
  if (end < steps.size() && steps[end].depth == steps[index].depth &&
      (steps[end].kind == StepKind::kElse || steps[end].is_elif))
    return false;
  bool holds_edit = false;
  for (std::size_t i = index + 1; i < end; ++i) {
    if (steps[i].kind == StepKind::kPlain && steps[i].status != StepStatus::kChanged) return false;
    if (steps[i].kind != StepKind::kPlain && steps[i].kind != StepKind::kIf) return false;
    holds_edit = holds_edit || (steps[i].kind == StepKind::kPlain && is_told_alone(steps, i));
  }
  return holds_edit;
}

/// Whether an edited step stands in a new `with` that is all that is new around it: the block tells that it holds the
/// step, not what is edited in it.
bool is_edited_in_new_block(const StepComparison& steps, std::size_t index) {
  const Step& step = steps.after[index];
  if (step.status != StepStatus::kChanged || step.kind != StepKind::kPlain || step.parent == Step::kNone ||
      steps.after[step.parent].kind != StepKind::kWith)
    return false;
  const std::vector<std::size_t> stood = stood_outside(steps, step.parent);
  return std::find(stood.begin(), stood.end(), step.partner) != stood.end();
}

/// Steps that are freed of the same, and the clause that tells it.
struct FreedGroup {
  std::size_t clause = 0;
  std::vector<FreedStep> steps;
};

}  // namespace

ChangedNames names_beside(const DocumentInputs& inputs, const Actor& actor) {
  ChangedNames names = changed_names(inputs);
  names.in_title.erase(std::string(change::last_part(actor.change->latest().qualified_name)));
  return names;
}

std::vector<Clause> step_clauses(const DocumentInputs& inputs, const Actor& actor) {
  constexpr int kChoice = 1;
  std::vector<Clause> out;
  const ChangedNames names = names_beside(inputs, actor);
  WordsContext after = context_after(inputs, actor);
  WordsContext before = context_before(inputs, actor);
  after.is_brief = before.is_brief = true;
  const auto& steps = actor.steps;
  const std::vector<ReplacedSteps> replaced = replaced_steps(inputs, actor);
  const Intermediates intermediates(actor);
  const std::string passed = passed_by_check(actor);
  const std::vector<GeneralisedSteps> generalised = generalised_steps(actor);
  TakenUp taken_up_here = taken_up(inputs, actor);
  const std::vector<NamedStores> stores = named_stores(actor);
  for (const NamedStores& one : stores) out.push_back({1, named_stores_words(one)});
  const ToldChoices choices(actor);
  if (std::string late = late_read_words(inputs, actor); !late.empty()) out.push_back({0, std::move(late)});
  std::set<std::size_t> freed;  // Kept, under fewer conditions.
  std::vector<FreedGroup> groups;
  for (std::size_t i = 0; i < steps.after.size(); ++i) {
    const Step& step = steps.after[i];
    if (taken_up_here.steps.contains(i)) continue;
    if (is_named_store_after(stores, i)) continue;
    if (is_default_of_later(actor, i)) continue;  // Told with the value that it gets then.
    if (std::string choice = choices.words(i); !choice.empty()) {
      const int rank = std::min(rank_of(steps.after, i, *after.source, choice, names), kChoice);
      const bool is_titled = rank == 0 && names_what_title_names(names, choice);
      out.push_back({rank, std::move(choice), choices.where(i), {}, {}, true, is_titled});
      continue;
    }
    if (choices.tells_after(i)) continue;
    // What stands in a step that is told so goes with it.
    const bool goes_along = step.parent != Step::kNone && freed.contains(step.parent);
    if (goes_along) freed.insert(i);
    if (std::optional<FreedStep> one = goes_along ? std::nullopt : freed_step(inputs, actor, i, after)) {
      freed.insert(i);
      const auto is_alike = [&](const FreedGroup& other) { return other.steps.front().where == one->where; };
      if (auto known = std::find_if(groups.begin(), groups.end(), is_alike); known != groups.end()) {
        known->steps.push_back(std::move(*one));
        out[known->clause].text = freed_words(known->steps);
      } else {
        groups.push_back({out.size(), {std::move(*one)}});
        out.push_back({1, freed_words(groups.back().steps)});
      }
      continue;
    }
    if (step.inlined != nullptr || (!is_told_alone(steps.after, i) && !is_edited_in_new_block(steps, i)) ||
        only_keeps_result(actor, step) || only_returns_kept_result(actor, step) ||
        is_message_of_changed_check(steps, i))
      continue;
    if (only_holds_edits(steps.after, i)) continue;  // They are told, with their condition.
    if (stood_there(actor, step)) continue;
    // Told with what stands in for it.
    if (i + 1 < steps.after.size() && !fallback_words(actor, i + 1).empty()) continue;
    const std::vector<std::size_t> calls = alike_calls(actor, i);
    if (!calls.empty() && calls.front() != i) continue;  // Told with the first.
    std::string text = calls.empty() ? added_words(actor, i, before, after, 2) : alike_words(actor, calls);
    if (text.empty()) continue;
    // All of a long way stands with its code.
    if (std::string way = new_way_words(inputs, actor, i, after, text); !way.empty()) text = std::move(way);
    if (std::string fallback = fallback_words(actor, i); !fallback.empty()) text = std::move(fallback);
    if (const std::vector<std::string> was = values_of_branches(actor, step); !was.empty())
      text = fmt::format("sets {} to {} instead of {} (depending on the branch)", code(set_by(step, *after.source)),
                         code(one_line(*after.source, *as<Assign>(step.node)->value, 70)), join(was, " or "));
    // The conditions that an `elif` goes on from are told with it; its own `else` is behind the branches before, too.
    if (constexpr std::string_view kOtherwise = "otherwise, when ";
        text.starts_with(kOtherwise) && !contains(text, "; otherwise, "))
      text.erase(0, kOtherwise.find("when"));
    text += moved_check_words(inputs, actor, i);
    if (lets_go_at_return(actor, i))
      text += fmt::format(", right before the return, which lets go of {} anyway",
                          as<Delete>(step.node)->targets.size() == 1 ? "it" : "them");
    if (!contains(text, "; ")) text += former_guard_words(inputs, actor, i) + former_store_words(actor, i);
    text.insert(0, generalised_words(generalised, i));
    const std::string former_refusals = former_refusals_words(actor, i);
    text += former_refusals;
    if (!passed.empty() && step.status == StepStatus::kAdded && !contains(text, "; ") && is_check(steps.after, i))
      text += fmt::format(", before {}", passed);
    if (const std::string instead = replaced_words(replaced, i); !instead.empty())
      text += (contains(text, ", which ") ? "," : "") + instead;
    // What another function did before is no news.
    constexpr int kOnlyMoved = 6;
    constexpr int kFollows = 5;
    int rank = rank_of(steps.after, i, *after.source, text, names);
    const bool has_entries = conditional_entries(actor, i, before, after).has_value();
    const bool serves = intermediates.only_serves_after(i);
    if (serves && !tells_beyond_locals(steps.after, i, *after.source, text, names)) rank = std::max(rank, kServes);
    constexpr int kDecidesLocal = 3;
    if (step.kind != StepKind::kPlain && intermediates.only_holds_serving(i)) rank = std::max(rank, kDecidesLocal);
    const bool may_explain = !serves && !has_entries && !contains(text, "; ");
    if (follows_parameters(actor, step) || !former_refusals.empty()) rank = std::max(rank, kFollows);
    if (switches_argument(actor, step)) rank = 0;
    if (leaves_condition(actor.steps, i)) rank = std::min(rank, 1);
    if (wraps_what_was_there(steps.after, i) && only_measures(step)) rank = std::max(rank, kFollows);
    // What is no longer done in all cases counts as much as what is done anew.
    if (guards_work_that_was_done(steps, i) || has_entries) rank = std::min(rank, 1);
    if (only_names_differ(actor, step)) rank = std::max(rank, kFollows);
    if (only_gets_other_name(actor, step)) rank = std::max(rank, kServes);
    if (only_kept_otherwise(actor, step) || only_starts(step)) rank = std::max(rank, kServes);
    if (only_names_value(actor, step) || only_reads_renamed(actor, step)) rank = std::max(rank, kServes);
    // The other names are told where they come from.
    if (only_follows_key(actor, step) || only_follows_successor(inputs, actor, step) || only_reads_given(actor, step))
      rank = std::max(rank, kServes);
    if (only_fills_start(steps.after, i)) rank = std::max(rank, kFollows);
    if (makes_new_attribute(actor, step)) rank = std::min(rank, 1);
    // What changes in a function inside is told of that one; where it was the work of a function that goes, that.
    constexpr int kToldElsewhere = 9;
    if ((step.status == StepStatus::kChanged || step.status == StepStatus::kAdded) && is<FunctionDef>(step.node)) {
      const std::string former = former_definer(inputs, step);
      text += former;
      rank = former.empty() ? kToldElsewhere : 1;
    }
    std::vector<std::string> where = where_parts(*actor.change->after->node, step, *after.source);
    // Between the condition and the check something else was given to it: to tell both reads as a contradiction.
    if (const auto* check = as<Assert>(step.node)) {
      const std::string fails = condition_words(*check->test, *after.source, true);
      std::erase_if(where, [&](const std::string& one) { return one == fails; });
    }
    if (const Expr* asked = newly_asked_around(steps, i); asked != nullptr && !contains(text, "; ")) {
      const std::string condition = condition_words(*asked, *after.source);
      if (std::erase(where, condition) > 0) text += fmt::format(", now only when {}", condition);
    }
    for (std::string& exit : exits_before(steps.after, i, *after.source)) {
      if (std::find(where.begin(), where.end(), exit) == where.end()) where.push_back(std::move(exit));
    }
    // What a value comes to counts more than that it is another one.
    constexpr std::size_t kFewSteps = 2;
    if (!serves && rank <= 3 && may_explain && actor.steps.changed_after() <= kFewSteps) {
      const std::string use = contains(text, "sets ") ? local_use_words(actor, i) : std::string();
      if (!use.empty()) text += "; " + use;
    }
    LocalValue explained = may_explain ? intermediates.value_read_at(i) : LocalValue();
    if (explained.name.empty()) explained = predicate_asked_at(inputs, actor, i);
    if (explained.name.empty()) explained = asked_local_at(actor, i);
    std::optional<AddedArguments> passed_on = only_passes_more(actor, i, before, after, text);
    // What other ranks meet is told first.
    if (passed_on && collective_at(after, passed_on->call) != nullptr) rank = 0;
    const Expr* value = step.status == StepStatus::kChanged ? value_of_step(step) : nullptr;
    if (value != nullptr && collective_at(after, value) != nullptr) rank = std::min(rank, 1);
    if (const std::string start = default_before_words(actor, i); !start.empty() && !where.empty()) {
      text += fmt::format(" where {}{}", join_words(where), start);
      where.clear();
    }
    const bool is_titled = rank == 0 && names_what_title_names(names, text);
    std::string other_operand;
    if (step.status == StepStatus::kChanged && step.partner != Step::kNone)
      other_operand = other_operand_words(steps.before[step.partner], *before.source, step, *after.source);
    out.push_back({step.taken_from != nullptr ? std::max(rank, kOnlyMoved) : rank, std::move(text), std::move(where),
                   std::move(explained), std::move(passed_on), true, is_titled, std::move(other_operand)});
  }
  TakenOn taken_on(inputs);
  GoneResets resets = gone_resets(inputs, actor);
  const std::vector<std::size_t> moved_heads = moved_branches(actor);
  for (std::size_t i = 0; i < steps.before.size(); ++i) {
    const Step& step = steps.before[i];
    if (is_question_of_moved(actor, moved_heads, i)) continue;
    if (is_told_as_reset(inputs, actor, resets, i) || is_told_with_entries(actor, i, true, before, after)) continue;
    // What sets the name in its place is told.
    if (choices.tells_before(i) || is_replaced(replaced, i) || !is_told_as_gone(actor, i) ||
        replacement_of(actor, i) != Step::kNone || is_set_otherwise(actor, i) ||
        is_alike_in_new_function(inputs, actor, step))
      continue;
    std::string text = removal_words(actor, i, before, after);
    if (text.empty()) continue;
    text += taken_on.words(actor, step);
    if (!passed.empty() && is_check(steps.before, i)) text += fmt::format(", which stood behind {}", passed);
    int rank = rank_of(steps.before, i, *before.source, text, names);
    if (intermediates.only_serves_before(i) && !tells_beyond_locals(steps.before, i, *before.source, text, names))
      rank = std::max(rank, kServes);
    // That an attribute is gone from all that changes is one thing, wherever it was set.
    constexpr int kGoneAttribute = 4;
    if (sets_gone_attribute(inputs, step)) rank = std::max(rank, kGoneAttribute);
    // What a callee does in its place is not gone.
    if (is_done_by_callee(inputs, actor, step)) rank = std::max(rank, kServes);
    out.push_back({rank, std::move(text), where_parts(*actor.change->before->node, step, *before.source)});
  }
  for (TakenUp::Told& one : taken_up_here.told) out.push_back({1, std::move(one.text), std::move(one.where)});
  // For how long a counter counts is more than how it is shown.
  if (!resets.text.empty()) out.insert(out.begin(), {0, std::move(resets.text), std::move(resets.where)});
  for (CatchChange& one : catch_changes(actor)) out.push_back({1, std::move(one.text)});
  if (std::string text = gone_wait_words(inputs, actor); !text.empty()) out.push_back({0, std::move(text)});
  if (std::string text = loop_words(inputs, actor); !text.empty()) out.push_back({0, std::move(text)});
  // What the change is about.
  if (std::string words = moved_branches_words(inputs, actor); !words.empty())
    out.insert(out.begin(), {0, std::move(words)});
  if (std::vector<std::string> handed = hand_over_words(inputs, actor); !handed.empty()) {
    const int rank = hands_over_most(actor) ? 0 : 2;
    for (std::string& words : handed) out.push_back({rank, std::move(words)});
  }
  for (const EntityChange* gone : inlined_in(actor)) out.push_back({1, inlined_words(inputs, actor, *gone)});
  std::string taken = taken_over_words(inputs, actor);
  if (!taken.empty()) out.push_back({2, std::move(taken)});
  std::string renamed = rename_words(actor);
  if (!renamed.empty()) out.push_back({6, std::move(renamed)});
  merge_other_operands(out);
  merge_alike(out);
  merge_passed(out);
  return out;
}

}  // namespace lockstep::report
