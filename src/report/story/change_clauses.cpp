#include "report/story/change_clauses.h"
#include "report/story/asked_locals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include "base/strings.h"
#include "change/names.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/author/reason_words.h"
#include "report/document.h"
#include "report/source/chosen_names.h"
#include "report/source/given_arguments.h"
#include "report/story/argument_edits.h"
#include "report/story/bases.h"
#include "report/story/branch_values.h"
#include "report/story/catches.h"
#include "report/story/change_steps.h"
#include "report/story/check_order.h"
#include "report/story/collection_edits.h"
#include "report/story/differing_text.h"
#include "report/story/edit_kinds.h"
#include "report/story/edits.h"
#include "report/story/fallbacks.h"
#include "report/story/following_edits.h"
#include "report/story/freed.h"
#include "report/story/handed_over.h"
#include "report/story/idle_functions.h"
#include "report/story/inlined.h"
#include "report/story/intermediates.h"
#include "report/story/local_uses.h"
#include "report/story/loop_calls.h"
#include "report/story/made_calls.h"
#include "report/story/matches.h"
#include "report/story/new_exits.h"
#include "report/story/predicates.h"
#include "report/story/removed_steps.h"
#include "report/story/replaced.h"
#include "report/story/taken_on.h"
#include "report/story/wrapped_bodies.h"
#include "rules/expressions.h"

namespace lockstep::report {

using namespace python;
using change::Difference;
using change::DifferenceKind;
using change::EntityChange;

namespace {

/// ", which is `torch.compile` or `torch.jit.script` (`jit.py:7`)" of a decorator that a module binds in several
/// branches; empty for others.
std::string decorator_words(const program::Program& program, const change::EntitySide& side,
                            std::string_view decorator) {
  const program::ModuleId module = program.find_path(side.path);
  if (!module.valid() || contains(decorator, "(") || contains(decorator, ".")) return {};
  const ChosenName chosen = chosen_values_of(program, module, decorator);
  if (chosen.values.empty()) return {};
  std::vector<std::string> values;
  for (const std::string& one : chosen.values) values.push_back(short_code(one, 40));
  return fmt::format(", which is {} ({})", join_words(values, "or"), place_of(program, chosen.module, chosen.first));
}

struct Clause {
  int rank;
  std::string text;
  std::vector<std::string> where = {};  ///< The conditions under which it holds; may be empty.
  LocalValue value = {};  ///< What a local that it speaks of is; told once, and not where the local is told.
  std::optional<AddedArguments> passed = {};  ///< Where that is all it says.
  bool is_step = false;                       ///< Of the body, not of the signature.
  bool is_titled = false;                     ///< Of an edit that names what the title does, written as code.
};

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

/// What the change and its title name, but for the entity itself: of its edits its own name says nothing.
ChangedNames names_beside(const DocumentInputs& inputs, const Actor& actor) {
  ChangedNames names = changed_names(inputs);
  names.in_title.erase(std::string(change::last_part(actor.change->latest().qualified_name)));
  return names;
}

/// Of a step that only sets locals for others: it comes behind what is done with them.
constexpr int kServes = 7;

std::vector<Clause> step_clauses(const DocumentInputs& inputs, const Actor& actor) {
  std::vector<Clause> out;
  const ChangedNames names = names_beside(inputs, actor);
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
        only_returns_kept_result(actor, step) || is_message_of_changed_check(steps, i))
      continue;
    if (only_holds_edits(steps.after, i)) continue;  // They are told, with their condition.
    // Told with what stands in for it.
    if (i + 1 < steps.after.size() && !fallback_words(actor, i + 1).empty()) continue;
    const std::vector<std::size_t> calls = alike_calls(actor, i);
    if (!calls.empty() && calls.front() != i) continue;  // Told with the first.
    std::string text = calls.empty() ? added_words(actor, i, before, after, 2) : alike_words(actor, calls);
    if (text.empty()) continue;
    if (std::string fallback = fallback_words(actor, i); !fallback.empty()) text = std::move(fallback);
    if (const std::vector<std::string> was = values_of_branches(actor, step); !was.empty())
      text = fmt::format("sets {} to {} instead of {} (depending on the branch)", code(set_by(step, *after.source)),
                         code(one_line(*after.source, *as<Assign>(step.node)->value, 70)), join(was, " or "));
    // The conditions that an `elif` goes on from are told with it; its own `else` is behind the branches before, too.
    if (constexpr std::string_view kOtherwise = "otherwise, when ";
        text.starts_with(kOtherwise) && !contains(text, "; otherwise, "))
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
    const bool is_titled = rank == 0 && names_what_title_names(names, text);
    out.push_back({step.taken_from != nullptr ? std::max(rank, kOnlyMoved) : rank, std::move(text), std::move(where),
                   std::move(explained), std::move(passed_on), true, is_titled});
  }
  TakenOn taken_on(inputs);
  for (std::size_t i = 0; i < steps.before.size(); ++i) {
    const Step& step = steps.before[i];
    // What sets the name in its place is told.
    if (is_replaced(replaced, i) || !is_told_as_gone(actor, i) || replacement_of(actor, i) != Step::kNone ||
        is_set_otherwise(actor, i) || is_alike_in_new_function(inputs, actor, step))
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
  for (CatchChange& one : catch_changes(actor)) out.push_back({1, std::move(one.text)});
  if (std::string text = gone_wait_words(inputs, actor); !text.empty()) out.push_back({0, std::move(text)});
  if (std::string text = loop_words(inputs, actor); !text.empty()) out.push_back({0, std::move(text)});
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
  merge_passed(out);
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
  if (removed.empty()) return {{1, fmt::format("takes the new {}", list(std::move(added))), {}}};
  if (added.empty()) return {{1, fmt::format("no longer takes {}", list(std::move(removed))), {}}};
  return {{1, fmt::format("takes {} in place of {}", list(std::move(added)), list(std::move(removed))), {}}};
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
        if (stood_in_block(actor, d.after)) break;
        out.push_back({d.after == "staticmethod" && was_static_before(actor) ? 9 : 2,
                       fmt::format("is decorated with {}{}", short_code(d.after, 50),
                                   decorator_words(*inputs.after, *actor.change->after, d.after))});
        break;
      case DifferenceKind::kDecoratorRemoved:
        if (stands_in_block(actor, d.before)) break;
        out.push_back({2, fmt::format("loses the decorator {}", short_code(d.before, 50))});
        break;
      case DifferenceKind::kAnnotationChanged:
        // What runs is the same: told where nothing else is.
        if (actor.is_function() && !actor.change->moved && !actor.change->renamed && !d.before.empty() &&
            !d.after.empty()) {
          const auto [was, now] = short_codes(d.before, d.after, 40);
          out.push_back({9, fmt::format("annotates {} as {} instead of {}", code(d.name), now, was)});
        }
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

/// Which elements came and went where a variable or field holds a collection on both sides.
CollectionEdit elements_that_differ(const DocumentInputs& inputs, const change::EntityChange& entity) {
  if (!entity.before || !entity.after) return {};
  const program::ModuleId before = inputs.before->find_path(entity.before->path);
  const program::ModuleId after = inputs.after->find_path(entity.after->path);
  const Expr* target = nullptr;
  const Expr* was = assigned_value(entity.before->node, target);
  const Expr* now = assigned_value(entity.after->node, target);
  if (!before.valid() || !after.valid() || was == nullptr || now == nullptr) return {};
  return collection_edit(*was, inputs.before->modules()[before].facts->source(), *now,
                         inputs.after->modules()[after].facts->source());
}

/// "takes the new `x`; sets `self.x` to `x`" as "takes the new `x` and keeps it": in a constructor that says all.
void join_kept(std::vector<Clause>& clauses, const Actor& actor) {
  if (clauses.empty() || !clauses.front().text.starts_with("takes the new ")) return;
  std::size_t added = 0;
  std::size_t kept = 0;
  for (const Difference& d : actor.change->differences) {
    if (d.kind != DifferenceKind::kParameterAdded) continue;
    ++added;
    kept += static_cast<std::size_t>(std::count_if(clauses.begin(), clauses.end(), [&](const Clause& one) {
      return one.where.empty() && one.text == fmt::format("sets {} to {}", code("self." + d.name), code(d.name));
    }));
  }
  if (added == 0 || kept != added) return;
  std::erase_if(clauses, [&](const Clause& one) {
    return std::any_of(actor.change->differences.begin(), actor.change->differences.end(), [&](const Difference& d) {
      return d.kind == DifferenceKind::kParameterAdded && one.where.empty() &&
             one.text == fmt::format("sets {} to {}", code("self." + d.name), code(d.name));
    });
  });
  clauses.front().text += added == 1 ? " and keeps it" : " and keeps them";
}

/// ", given by `f` and `g`" of the one parameter that comes in with a default: who makes use of it; empty where none is
/// known to.
std::string givers_words(const DocumentInputs& inputs, const Actor& actor) {
  constexpr std::size_t kMost = 3;
  const Difference* added = nullptr;
  for (const Difference& d : actor.change->differences) {
    if (d.kind != DifferenceKind::kParameterAdded) continue;
    if (added != nullptr) return {};
    added = &d;
  }
  const auto& side = actor.change->after;
  if (added == nullptr || !contains(added->after, "=") || !side || !side->function.valid()) return {};
  const program::Program& program = *inputs.after;
  std::vector<program::FunctionId> givers;
  for (const program::CallId id : program.callers_of(side->function)) {
    const program::CallSite& site = program.calls()[id];
    if (site.caller == side->function || program::is_test_path(program.module_of(site.caller).path) ||
        program.functions()[site.caller].kind == program::FunctionKind::kLambda ||
        given_by(program, site, side->function, added->name).how != rules::Given::How::kValue ||
        std::find(givers.begin(), givers.end(), site.caller) != givers.end())
      continue;
    givers.push_back(site.caller);
  }
  if (givers.empty()) return {};
  std::vector<std::string> names;
  for (const program::FunctionId giver : givers) {
    if (names.size() == kMost && givers.size() > kMost + 1) {
      names.push_back(fmt::format("{} more", givers.size() - kMost));
      break;
    }
    names.push_back(program.functions()[giver].kind == program::FunctionKind::kModuleBody
                        ? place(program.module_of(giver).path)
                        : code(short_name(program, giver)));
  }
  return ", given by " + join_words(names);
}

/// For entities without steps: values of fields and variables.
std::vector<Clause> value_clauses(const DocumentInputs& inputs, const Actor& actor) {
  std::vector<Clause> out;
  if (actor.is_function()) return out;
  std::vector<std::string> gained;
  std::vector<std::string> lost;
  for (const Difference& d : actor.change->differences) {
    if (d.kind == DifferenceKind::kValueChanged || d.kind == DifferenceKind::kDefaultChanged) {
      const std::string key(change::entry_key(d.name));
      if (d.before.empty() || d.after.empty()) {
        const bool gains = d.before.empty();
        std::string text = gains ? d.after : d.before;
        if (!key.empty()) text = gains ? fmt::format("{}: {}", key, text) : key;
        if (d.before != d.after) (gains ? gained : lost).push_back(short_code(text));
        continue;
      }
      if (d.kind == DifferenceKind::kValueChanged && key.empty()) {
        const CollectionEdit edit = elements_that_differ(inputs, *actor.change);
        for (const std::string& text : edit.added) gained.push_back(short_code(text));
        for (const std::string& text : edit.gone) lost.push_back(short_code(text));
        if (!edit.added.empty() || !edit.gone.empty()) continue;
      }
      const auto [was, now] = short_codes(d.before, d.after);
      out.push_back({1, key.empty() ? fmt::format("changes from {} to {}", was, now)
                                    : fmt::format("holds {} under {} instead of {}", now, short_code(key, 40), was)});
    } else if (d.kind == DifferenceKind::kAnnotationChanged) {
      const auto [was, now] = short_codes(d.before, d.after, 40);
      out.push_back({2, fmt::format("changes its type from {} to {}", was, now)});
    } else if (d.kind == DifferenceKind::kBodyChanged && d.name == "order of definitions") {
      out.push_back({9, "has its definitions in another order"});
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

std::vector<std::string> change_clauses(const DocumentInputs& inputs, const Actor& actor, std::size_t limit) {
  return phrases_of(told_clauses(inputs, actor, limit).clauses);
}

}  // namespace lockstep::report
