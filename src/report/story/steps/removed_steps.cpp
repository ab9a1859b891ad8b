#include "report/story/steps/removed_steps.h"
#include "report/story/checks/refusals.h"
#include "report/story/steps/generalised.h"
#include "report/story/steps/merged_branches.h"
#include "report/story/steps/module_locals.h"
#include "report/story/steps/named_stores.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/story/calls/new_callees.h"
#include "report/story/checks/catches.h"
#include "report/story/steps/branch_values.h"
#include "report/story/steps/questions.h"
#include "report/story/steps/replaced_returns.h"
#include "report/story/wording/change_steps.h"
#include "report/story/wording/edits.h"
#include "rules/calls/signatures.h"

namespace lockstep::report {

using namespace python;

namespace {

/// The exception of a branch that does nothing but raise it; empty for others.
std::string raised_in(const std::vector<Step>& steps, std::size_t index, const SourceText& source) {
  if (steps[index].kind != StepKind::kIf || !only_refuses(steps, index)) return {};
  const auto* raise = as<Raise>(steps[index + 1].node);
  if (raise == nullptr || raise->exception == nullptr) return {};
  const auto* call = as<Call>(raise->exception);
  return one_line(source, call != nullptr ? *call->callee : *raise->exception, 60);
}

bool goes_on(const Step& step) {
  return step.kind == StepKind::kElse || step.kind == StepKind::kExcept || step.kind == StepKind::kFinally ||
         step.is_elif;
}

/// One past all that goes on with the step at `index`: its `elif`, `else:`, `except` and `finally:`.
std::size_t end_of_choice(const std::vector<Step>& steps, std::size_t index) {
  std::size_t end = end_of(steps, index);
  while (end < steps.size() && steps[end].depth == steps[index].depth && goes_on(steps[end])) end = end_of(steps, end);
  return end;
}

/// Both sides of a choice do it: so does what holds the choice.
void join_sides(std::vector<std::vector<std::string>>& places) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].empty() || !places[i].back().starts_with("else ")) continue;
    std::vector<std::string> other = places[i];
    other.back().erase(0, 5);
    if (std::find(places.begin(), places.end(), other) == places.end()) continue;
    other.pop_back();
    if (std::find(places.begin(), places.end(), other) == places.end()) places.push_back(std::move(other));
  }
}

/// Whether the step declares an option, and a class that the new code names has a field of its name: arguments are made
/// of it (`ArgumentGroupFactory(StragglerConfig)`).
bool is_declared_by_class(const Actor& actor, const Step& gone, const WordsContext& after) {
  const auto* statement = as<ExprStmt>(gone.node);
  const auto* call = statement == nullptr ? nullptr : as<Call>(statement->value);
  if (call == nullptr || callee_name(*call) != "add_argument" || after.program == nullptr) return false;
  const std::string name = rules::argparse_destination(*call);
  const std::string_view option = call->arguments.empty() ? "" : rules::text_of(call->arguments.front());
  // `special: str = field(metadata={…: ["--the-special"]})`
  const auto has_field = [&](program::ClassId cls) {
    if (after.program->find_field(cls, name) != nullptr) return true;
    if (!option.starts_with("--")) return false;
    const auto& fields = after.program->classes()[cls].fields;
    const SourceText& source = after.program->module_of(cls).facts->source();
    return std::any_of(fields.begin(), fields.end(), [&](const program::Field& one) {
      return one.in_class_body && one.default_value != nullptr &&
             is_quoted_in(source.slice(one.default_value->span), option);
    });
  };
  bool found = false;
  for (const Step& step : actor.steps.after) {
    if (found || name.empty() || step.status == StepStatus::kKept) continue;
    walk_of<Name>(*step.node, Nested::kSkip, [&](const Name* one) {
      if (found || !step.span.contains(one->span)) return;
      const program::Reference named = after.program->resolve(after.function, *one);
      found = named.kind == program::Reference::Kind::kClass && has_field(named.cls);
    });
  }
  return found;
}

/// Whether what the step calls stands in a statement `f() if a else g()` now, which is told with both.
bool is_side_of_choice(const Actor& actor, std::size_t index) {
  const auto* gone = as<ExprStmt>(actor.steps.before[index].node);
  if (gone == nullptr || !is<Call>(gone->value)) return false;
  const std::string call = one_line_whole(*actor.steps.before_source, *gone->value);
  return std::any_of(actor.steps.after.begin(), actor.steps.after.end(), [&](const Step& step) {
    const auto* statement = as<ExprStmt>(step.node);
    const auto* choice = statement == nullptr ? nullptr : as<IfExp>(statement->value);
    return choice != nullptr && (one_line_whole(*actor.steps.after_source, *choice->body) == call ||
                                 one_line_whole(*actor.steps.after_source, *choice->orelse) == call);
  });
}

/// Whether the function still does what the removed step did, wherever that was done: under the same conditions or
/// fewer.
bool is_still_done(const Actor& actor, std::size_t index) {
  constexpr std::size_t kMostPlaces = 64;
  const Step& gone = actor.steps.before[index];
  std::vector<std::vector<std::string>> places;
  for (std::size_t i = 0; i < actor.steps.after.size() && places.size() < kMostPlaces; ++i) {
    const Step& step = actor.steps.after[i];
    if (step.kind == gone.kind && step.fingerprint == gone.fingerprint)
      places.push_back(blocks_around(actor.steps.after, i, *actor.steps.after_source));
  }
  if (places.empty()) return false;
  join_sides(places);
  const std::vector<std::string> around = blocks_around(actor.steps.before, index, *actor.steps.before_source);
  const auto covers = [&](const std::vector<std::string>& place) {
    return std::all_of(place.begin(), place.end(), [&](const std::string& block) {
      return std::find(around.begin(), around.end(), block) != around.end();
    });
  };
  return std::any_of(places.begin(), places.end(), covers);
}

/// Whether what the removed step called is called by as many steps that come or change: it is done in another form,
/// which these tell.
bool is_called_as_often(const Actor& actor, std::size_t index) {
  const Call* gone = call_of_step(actor.steps.before[index]);
  const std::string callee = gone == nullptr ? std::string() : dotted_text(gone->callee);
  if (callee.empty()) return false;
  const auto calls_in = [&](const std::vector<Step>& steps) {
    return std::count_if(steps.begin(), steps.end(), [&](const Step& step) {
      const Call* call = step.status == StepStatus::kKept ? nullptr : call_of_step(step);
      return call != nullptr && dotted_text(call->callee) == callee;
    });
  };
  return calls_in(actor.steps.after) >= calls_in(actor.steps.before);
}

/// Whether the removed step only gave a local a value that stands in its place now: `x = C(); f(x)` -> `f(C())`.
bool is_value_inlined(const Actor& actor, std::size_t index) {
  constexpr std::size_t kShortest = 8;
  const Expr* target = nullptr;
  const Expr* value = assigned_value(actor.steps.before[index].node, target);
  if (value == nullptr || !is<Name>(target) || actor.steps.before_source == nullptr) return false;
  const std::string text = one_line_whole(*actor.steps.before_source, *value);
  return text.size() >= kShortest &&
         std::any_of(actor.steps.after.begin(), actor.steps.after.end(), [&](const Step& step) {
           const Expr* other = nullptr;
           const Expr* given = assigned_value(step.node, other);
           const bool is_renamed = given != nullptr && one_line_whole(*actor.steps.after_source, *given) == text;
           return step.status != StepStatus::kKept && !is_renamed &&
                  contains(one_line_whole(*actor.steps.after_source, step.span), text);
         });
}

/// Whether nothing of the steps [begin, end) of the before side is left.
bool are_gone(const Actor& actor, std::size_t begin, std::size_t end) {
  const std::vector<Step>& steps = actor.steps.before;
  for (std::size_t i = begin; i < end; ++i) {
    const Step& step = steps[i];
    if (step.status != StepStatus::kRemoved || step.is_moved || step.elsewhere != nullptr || step.inlined != nullptr ||
        step.is_still_issued)
      return false;
    if (step.kind == StepKind::kPlain && is_still_done(actor, i)) return false;
  }
  return true;
}

/// The `if`, loop or `try` that the `else:`, `except` or `finally` at `index` belongs to; the step itself for others.
std::size_t owner_of(const std::vector<Step>& steps, std::size_t index) {
  std::size_t owner = index;
  for (std::size_t i = index; goes_on(steps[owner]) && i-- > 0;) {
    if (steps[i].depth == steps[index].depth) owner = i;
  }
  return owner;
}

/// Whether a new branch of the function, with those around it, asks all that the removed branch asked: it is taken on
/// in another form.
bool is_asked_anew(const Actor& actor, std::size_t index) {
  const Step& gone = actor.steps.before[index];
  const auto* branch = gone.kind == StepKind::kIf ? as<If>(gone.node) : nullptr;
  if (branch == nullptr || only_refuses(actor.steps.before, index)) return false;
  std::vector<std::string> asked;
  add_operands(*branch->condition, *actor.steps.before_source, asked);
  const std::vector<Step>& steps = actor.steps.after;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].kind != StepKind::kIf || steps[i].status != StepStatus::kAdded) continue;
    std::vector<std::string> asks;
    add_operands(*as<If>(steps[i].node)->condition, *actor.steps.after_source, asks);
    for (std::size_t up = steps[i].parent; up != Step::kNone; up = steps[up].parent) {
      if (steps[up].kind == StepKind::kIf)
        add_operands(*as<If>(steps[up].node)->condition, *actor.steps.after_source, asks);
    }
    const auto is_in = [&](const std::string& one) { return std::find(asks.begin(), asks.end(), one) != asks.end(); };
    if (std::all_of(asked.begin(), asked.end(), is_in)) return true;
  }
  return false;
}

/// Whether the other side holds the same words anywhere in the function.
bool is_still_written(const Actor& actor, const Expr& condition) {
  const std::string asked = one_line_whole(*actor.steps.before_source, condition);
  return std::any_of(actor.steps.after.begin(), actor.steps.after.end(), [&](const Step& step) {
    return contains(one_line_whole(*actor.steps.after_source, step.span), asked);
  });
}

}  // namespace

std::size_t replacement_of(const Actor& actor, std::size_t index) {
  const std::string target = set_by(actor.steps.before[index], *actor.steps.before_source);
  if (target.empty()) return Step::kNone;
  const std::vector<std::string> around = blocks_around(actor.steps.before, index, *actor.steps.before_source);
  for (std::size_t i = 0; i < actor.steps.after.size(); ++i) {
    const Step& step = actor.steps.after[i];
    if (step.status != StepStatus::kAdded || set_by(step, *actor.steps.after_source) != target) continue;
    const std::vector<std::string> blocks = blocks_around(actor.steps.after, i, *actor.steps.after_source);
    if (std::all_of(blocks.begin(), blocks.end(), [&](const std::string& block) {
          return std::find(around.begin(), around.end(), block) != around.end();
        }))
      return i;
  }
  return Step::kNone;
}

namespace {

/// "the branch", or "1 of 3 branches" where others that ask the same stay.
std::string which_branch(const Actor& actor, const Step& gone) {
  const auto asking = [&](const std::vector<Step>& steps) {
    return std::count_if(steps.begin(), steps.end(), [&](const Step& one) {
      return one.kind == StepKind::kIf && one.fingerprint == gone.fingerprint;
    });
  };
  const auto before = asking(actor.steps.before);
  const auto after = asking(actor.steps.after);
  return after == 0 || after >= before ? "the branch" : fmt::format("{} of {} branches", before - after, before);
}

/// ", with `x = pad(x)`": the last plain steps of a branch that is gone; empty where others tell more than they do.
std::string what_it_did(const std::vector<Step>& steps, std::size_t index, const SourceText& source) {
  constexpr std::size_t kMost = 2;
  std::vector<std::string> told;
  for (std::size_t i = end_of(steps, index); i-- > index + 1;) {
    const Step& step = steps[i];
    const bool says = step.parent == index && step.kind == StepKind::kPlain && step.status == StepStatus::kRemoved &&
                      step.elsewhere == nullptr && step.inlined == nullptr && !step.is_moved && !is<Pass>(step.node);
    // Neither the last steps nor all of them are told where a block stands among them.
    if (step.parent == index && step.kind != StepKind::kPlain) return {};
    if (!says) continue;
    if (told.size() == kMost) return ", which ended with " + join_words(told);
    told.insert(told.begin(), code(one_line(source, step.span, 70)));
  }
  return told.empty() ? std::string() : ", with " + join_words(told);
}

/// Whether the branch, which has no other arm, ends with a `return`.
bool ends_with_return(const std::vector<Step>& steps, std::size_t index) {
  const std::size_t last = end_of(steps, index) - 1;
  return last > index && steps[last].parent == index && is<Return>(steps[last].node);
}

/// "; what follows runs then, too: `x.close()` and 2 more steps": kept steps behind a `return` that is gone, which
/// stood under a condition. Empty where the new version has another way out, or nothing that does something follows.
std::string runs_behind(const Actor& actor, std::size_t index, const SourceText& source) {
  constexpr std::size_t kMost = 2;
  const std::vector<Step>& steps = actor.steps.before;
  const bool is_left_otherwise = std::any_of(actor.steps.after.begin(), actor.steps.after.end(), [](const Step& step) {
    return step.status == StepStatus::kAdded && (is<Return>(step.node) || is<Raise>(step.node));
  });
  std::size_t top = index;
  while (steps[top].parent != Step::kNone) top = steps[top].parent;
  if (is_left_otherwise || top == index || steps[top].kind != StepKind::kIf) return {};
  std::vector<std::string> told;
  std::size_t more = 0;
  for (std::size_t i = end_of(steps, top); i < steps.size(); ++i) {
    const Step& step = steps[i];
    if (step.status != StepStatus::kKept || step.parent != Step::kNone || step.kind != StepKind::kPlain) continue;
    // What stands in a branch now may have taken over what the return asked.
    if (step.partner == Step::kNone || actor.steps.after[step.partner].parent != Step::kNone) continue;
    const auto* alone = as<ExprStmt>(step.node);
    const Expr* target = nullptr;
    const bool sets =
        is<AugAssign>(step.node) || (assigned_value(step.node, target) != nullptr && is<Attribute>(target));
    const bool calls = alone != nullptr && is<Call>(alone->value) && !rules::is_log_call(alone->value);
    if (!sets && !calls) continue;
    if (told.size() < kMost)
      told.push_back(code(one_line(source, step.span, 60)));
    else
      ++more;
  }
  if (told.empty()) return {};
  if (more > 0) told.push_back(count_of(more, "more step"));
  return "; what follows runs then, too: " + join_words(told);
}

}  // namespace

bool is_elsewhere(const std::vector<Step>& steps, std::size_t index) {
  const std::size_t end = end_of(steps, index);
  for (std::size_t i = index; i < end; ++i) {
    if (!steps[i].is_moved && steps[i].elsewhere == nullptr && steps[i].inlined == nullptr && !steps[i].is_still_issued)
      return false;
  }
  return true;
}

bool is_gone_whole(const Actor& actor, std::size_t index) {
  return are_gone(actor, index, end_of(actor.steps.before, index));
}

namespace {

/// Whether the step returns the name of what is returned at once now: `x = f(); return x` became `return f()`.
bool is_returned_at_once(const Actor& actor, const Step& step) {
  const auto* result = as<Return>(step.node);
  const auto* name = result == nullptr ? nullptr : as<Name>(result->value);
  return name != nullptr && std::any_of(actor.steps.before.begin(), actor.steps.before.end(), [&](const Step& was) {
           return was.status == StepStatus::kChanged && was.partner < actor.steps.after.size() &&
                  only_loses_name(was, *actor.steps.before_source, actor.steps.after[was.partner],
                                  *actor.steps.after_source) == name->id;
         });
}

}  // namespace

bool is_told_as_gone(const Actor& actor, std::size_t index) {
  const std::vector<Step>& steps = actor.steps.before;
  const Step& step = steps[index];
  if (is_returned_at_once(actor, step) || is_replaced_return(actor, index)) return false;
  if (is_generalised(generalised_steps(actor), index) || is_named_store_before(named_stores(actor), index))
    return false;
  if (step.status != StepStatus::kRemoved || step.kind == StepKind::kElse || is_elsewhere(steps, index)) return false;
  if (step.kind == StepKind::kPlain &&
      (is_still_done(actor, index) || is_called_as_often(actor, index) || is_value_inlined(actor, index)))
    return false;
  if (is_asked_anew(actor, index)) return false;
  if (step.parent == Step::kNone || steps[step.parent].status != StepStatus::kRemoved) return true;
  // A handler is told with what it did.
  if (!goes_on(steps[step.parent]) || steps[step.parent].is_elif || steps[step.parent].kind == StepKind::kExcept)
    return !is_gone_whole(actor, step.parent);
  const std::size_t owner = owner_of(steps, step.parent);
  return !are_gone(actor, owner, end_of_choice(steps, owner));
}

namespace {

/// Whether a function that the new code calls sets the attribute that the removed step set: `x.is_output = True` that
/// went into `mark(x)`, `x.mark()` or `x = marked()`.
bool is_set_by_new_callee(const Actor& actor, const Step& gone, const WordsContext& after) {
  const Expr* target = nullptr;
  const auto* member = assigned_value(gone.node, target) == nullptr ? nullptr : as<Attribute>(target);
  if (member == nullptr || after.program == nullptr) return false;
  const std::string whole = dotted_text(member->value) + ".";
  // The object, or what holds it: `o` of `o.data.is_output`.
  const auto holds = [&](const Expr* one) {
    const std::string given = one == nullptr ? std::string() : dotted_text(one);
    return !given.empty() && whole.starts_with(given + ".");
  };
  const auto gets_it = [&](const Step& step, const Call& call) {
    const Expr* result = nullptr;
    const bool gives_it = assigned_value(step.node, result) == &call && holds(result);
    const auto* method = as<Attribute>(call.callee);
    return gives_it || (method != nullptr && holds(method->value)) ||
           std::any_of(call.arguments.begin(), call.arguments.end(), holds);
  };
  bool found = false;
  for (const Step& step : actor.steps.after) {
    if (step.status == StepStatus::kKept || found) continue;
    walk_of<Call>(*step.node, Nested::kEnter, [&](const Call* call) {
      if (found || !step.span.contains(call->span) || !gets_it(step, *call)) return;
      for (const program::FunctionId callee : callees_of(*after.program, call)) {
        const Node* body = after.program->functions()[callee].node;
        if (body == nullptr || found) continue;
        walk_of<Attribute>(*body, Nested::kEnter, [&](const Attribute* one) {
          found = found || (one->context == ExprContext::kStore && one->name.text == member->name.text);
        });
      }
    });
  }
  return found;
}

/// Whether the removed step only gave a local what a function that is newly called asks for now: `n = size_of(group)`,
/// where `build()` calls `size_of(group)`.
bool is_asked_by_new_callee(const Actor& actor, const Step& gone, const WordsContext& after) {
  const Expr* target = nullptr;
  const auto* value = as<Call>(assigned_value(gone.node, target));
  if (value == nullptr || !is<Name>(target) || after.program == nullptr) return false;
  const std::string text = without_layout(*actor.steps.before_source, value->span);
  const std::vector<program::FunctionId> fresh = newly_called(*after.program, *actor.change);
  return std::any_of(fresh.begin(), fresh.end(), [&](program::FunctionId callee) {
    const SourceText& source = after.program->module_of(callee).facts->source();
    bool asks = false;
    walk_of<Call>(*after.program->functions()[callee].node, Nested::kSkip,
                  [&](const Call* one) { asks = asks || without_layout(source, one->span) == text; });
    return asks;
  });
}

/// Whether the new version raises the same there or in a function that it newly calls: with the same text, or of the
/// same kind in what the change brings.
bool is_raised_anew(const Actor& actor, const std::vector<Step>& steps, std::size_t index, const WordsContext& after) {
  const Raise* gone = nullptr;
  for (std::size_t i = index; i < end_of(steps, index) && gone == nullptr; ++i) gone = as<Raise>(steps[i].node);
  if (gone == nullptr || actor.steps.after_source == nullptr) return false;
  const std::string text = without_layout(*actor.steps.before_source, gone->span);
  for (const Step& step : actor.steps.after) {
    const auto* raise = step.status == StepStatus::kKept ? nullptr : as<Raise>(step.node);
    if (raise != nullptr && without_layout(*actor.steps.after_source, raise->span) == text) return true;
  }
  return after.program != nullptr &&
         newly_called_raises(*after.program, *actor.change, rules::last_part_of(gone->exception));
}

}  // namespace

std::string removal_words(const Actor& actor, std::size_t index, const WordsContext& context,
                          const WordsContext& after) {
  const std::vector<Step>& steps = actor.steps.before;
  std::string text = step_words(steps[index], context);
  if (text.empty() || is_merged(actor, index)) return {};
  constexpr std::string_view kOtherwise = "otherwise, ";
  if (steps[index].is_elif && text.starts_with(kOtherwise)) text.erase(0, kOtherwise.size());
  const bool is_whole = steps[index].kind == StepKind::kPlain || is_gone_whole(actor, index);
  if (!is_whole) {
    const auto* branch = as<If>(steps[index].node);
    const bool went = steps[index].elsewhere != nullptr && steps[index].elsewhere != actor.change;
    if (branch == nullptr || steps[index].kind != StepKind::kIf || went ||
        is_still_written(actor, *branch->condition) ||
        is_still_asked(*branch->condition, *actor.change->before->node, after))
      return {};
    return fmt::format("no longer asks whether {}", condition_words(*branch->condition, *context.source));
  }
  switch (steps[index].kind) {
    case StepKind::kPlain:
      if (is_set_by_new_callee(actor, steps[index], after) || is_asked_by_new_callee(actor, steps[index], after))
        return {};
      if (is<Assert>(steps[index].node) && Refusals(actor).is_still_refused(index)) return {};
      if (is_side_of_choice(actor, index) || is_declared_by_class(actor, steps[index], after)) return {};
      if (std::string moved = module_local_words(actor, index, context, after); !moved.empty()) return moved;
      return "no longer " + text +
             (is<Return>(steps[index].node) ? runs_behind(actor, index, *context.source) : std::string());
    case StepKind::kFor:
    case StepKind::kWhile:
      return "drops the loop " + text;
    case StepKind::kWith:
      // Of one statement under it that is what goes.
      if (index + 2 == end_of(steps, index) && steps[index + 1].kind == StepKind::kPlain) {
        if (std::string inner = step_words(steps[index + 1], context); !inner.empty()) return "no longer " + inner;
      }
      return "no longer runs " + text;
    case StepKind::kTry:  // What it held and what it caught is told.
    case StepKind::kFinally:
      return {};  // What it held is told.
    case StepKind::kExcept: {
      const std::vector<CatchChange> told = catch_changes(actor);
      if (std::any_of(told.begin(), told.end(),
                      [&](const CatchChange& one) { return !one.is_gained && one.handler == index; }))
        return {};
      const auto* handler = as<ExceptHandler>(steps[index].node);
      return fmt::format(
          "drops the handler {}",
          code(handler->type == nullptr ? "except" : "except " + one_line(*context.source, *handler->type, 60)));
    }
    default:
      if (const std::string raised = raised_in(steps, index, *context.source); !raised.empty()) {
        if (is_raised_anew(actor, steps, index, after) || Refusals(actor).is_still_refused(index)) return {};
        return fmt::format("no longer raises {} {}", code(raised), text);
      }
      return fmt::format("drops {} {}{}{}", which_branch(actor, steps[index]), text,
                         what_it_did(steps, index, *context.source),
                         ends_with_return(steps, index) ? runs_behind(actor, end_of(steps, index) - 1, *context.source)
                                                        : std::string());
  }
}

}  // namespace lockstep::report
