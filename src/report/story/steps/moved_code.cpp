#include "report/story/steps/moved_code.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "report/source/code.h"
#include "report/story/steps/moves/alignment.h"
#include "report/story/steps/moves/dispatched_branches.h"
#include "report/story/steps/moves/holders.h"
#include "report/story/steps/moves/moved_values.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kTellingSteps = 3;  ///< Where no call is known that leads there.

/// Whether step `index` is a branch that does nothing but return: only its own function it leaves.
bool only_returns(const std::vector<Step>& steps, std::size_t index) {
  return steps[index].kind == StepKind::kIf && end_of(steps, index) == index + 2 && is<Return>(steps[index + 1].node);
}

class Mover {
 public:
  Mover(const DocumentInputs& inputs, std::vector<Actor>& actors)
      : inputs_(inputs), actors_(actors), holders_(inputs, actors) {}

  void run() {
    for (Actor& actor : actors_) {
      if (!is_changed_code(actor) || actor.is_added() || actor.is_removed()) continue;
      if (actor.steps.removed_before() == 0) continue;
      from_ = {&actor, locals_of(actor.change->before->node)};
      from_.taken.assign(actor.steps.before.size(), false);
      for (const Step& step : actor.steps.before) from_.words.push_back(words_of(*actor.steps.before_source, step));
      from_.connections = holders_.connections_of(from_);
      dispatched_.emplace(inputs_, holders_, from_, budget_);
      for (const Connection& one : from_.connections) move_over(one);
      match_moved_values(from_);
      dispatched_->move_heads(actors_);
    }
  }

 private:
  /// Whether a step was paired with one that calls something else: both may have other counterparts.
  [[nodiscard]] bool calls_another(const Step& step) const {
    if (step.status != StepStatus::kChanged || step.partner == Step::kNone) return false;
    const Call* called = main_call(step);
    const Call* calls = main_call(from_.actor->steps.after[step.partner]);
    return called != nullptr && calls != nullptr &&
           without_layout(*from_.actor->steps.before_source, called->callee->span) !=
               without_layout(*from_.actor->steps.after_source, calls->callee->span);
  }

  /// Whether a removed step may be found there at all.
  [[nodiscard]] bool may_move(const Connection& one, std::size_t index) const {
    const Step& step = from_.actor->steps.before[index];
    if ((step.status != StepStatus::kRemoved && !calls_another(step)) || step.is_moved || from_.taken[index] ||
        is<Pass>(step.node))
      return false;
    if (step.elsewhere != nullptr && step.elsewhere != one.holder->actor->change) return false;
    const DispatchedBranch* branch = dispatched_->of(one.holder);
    if (branch != nullptr && (index <= branch->head || index >= branch->end)) return false;
    // What ends the one function does not end the other, but where the one returns what the other does.
    const bool returns_it = one.site != Step::kNone && is<Return>(from_.actor->steps.after[one.site].node) &&
                            value_of_site(from_, one) == one.call;
    return returns_it || (!is<Return>(step.node) && !only_returns(from_.actor->steps.before, index));
  }

  /// `with torch.no_grad():` where the holder is a function under `@torch.no_grad()`.
  [[nodiscard]] bool is_decorator_there(const Connection& one, const Step& step) const {
    const auto* def = as<FunctionDef>(one.holder->actor->change->after->node);
    const auto* with = step.kind == StepKind::kWith ? as<With>(step.node) : nullptr;
    if (def == nullptr || with == nullptr || with->items.size() != 1 || with->items.front()->target != nullptr)
      return false;
    const std::string text = without_layout(*from_.actor->steps.before_source, with->items.front()->context->span);
    return std::any_of(def->decorators.begin(), def->decorators.end(), [&](const Expr* each) {
      return without_layout(*one.holder->actor->steps.after_source, each->span) == text;
    });
  }

  /// Whether a step stands under the same conditions there as it did here: those that did not go along stand around the
  /// call.
  [[nodiscard]] bool keeps_conditions(const Connection& one, std::size_t here, std::size_t there,
                                      const std::map<std::size_t, std::size_t>& partners) const {
    const std::vector<Step>& before = from_.actor->steps.before;
    std::set<std::size_t> around;
    for (std::size_t up = before[here].parent; up != Step::kNone; up = before[up].parent) {
      if (const auto found = partners.find(up); found != partners.end()) around.insert(found->second);
    }
    for (std::size_t up = one.steps()[there].parent; up != Step::kNone; up = one.steps()[up].parent) {
      if (!around.contains(up)) return false;
    }
    std::set<std::size_t> around_call;
    if (one.site != Step::kNone) {
      for (std::size_t up = from_.actor->steps.after[one.site].parent; up != Step::kNone;
           up = from_.actor->steps.after[up].parent)
        around_call.insert(from_.actor->steps.after[up].partner);
    }
    std::size_t left = 0;
    for (std::size_t up = before[here].parent; up != Step::kNone; up = before[up].parent) {
      if (partners.contains(up) || is_decorator_there(one, before[up])) continue;
      const DispatchedBranch* branch = dispatched_->of(one.holder);
      if (branch != nullptr && branch->head == up && branch->is_keyed) continue;  // The table asks it.
      if (one.call == nullptr || !around_call.contains(up)) return false;
      ++left;
    }
    return one.call == nullptr || left == around_call.size();
  }

  /// The same for any of the calls of this holder: the sides of a choice may each make one.
  [[nodiscard]] bool keeps_conditions_of_one(const Connection& one, std::size_t here, std::size_t there,
                                             const std::map<std::size_t, std::size_t>& partners) const {
    return std::any_of(from_.connections.begin(), from_.connections.end(), [&](const Connection& other) {
      return other.holder == one.holder && keeps_conditions(other, here, there, partners);
    });
  }

  /// Whether the holder may return before it comes to the step, where this function went on.
  [[nodiscard]] bool returns_before(const Connection& one, std::size_t there,
                                    const std::map<std::size_t, std::size_t>& partners) const {
    for (std::size_t i = 0; i < there; ++i) {
      const auto is_it = [&](const auto& pair) { return pair.second == i; };
      if (is<Return>(one.steps()[i].node) && std::none_of(partners.begin(), partners.end(), is_it)) return true;
    }
    return false;
  }

  /// `x = default` that became `x = f()`, where `f` has what gave `x` its value.
  void note_result(const Connection& one, const Renaming& names, const std::string& result,
                   const std::map<std::size_t, std::size_t>& partners, const std::set<std::size_t>& similar) {
    if (result.empty() || from_.actor->steps.after[one.site].status != StepStatus::kChanged) return;
    Step& now = from_.actor->steps.after[one.site];
    Step& was = from_.actor->steps.before[now.partner];
    const auto gave_it = [&](const auto& pair) {
      return sets(from_, from_.actor->steps.before[pair.first], result) && !similar.contains(pair.first) &&
             keeps_conditions_of_one(one, pair.first, pair.second, partners);
    };
    if (!sets(from_, was, result) || value_of_step(was) == nullptr || now.is_moved || partners.contains(now.partner) ||
        std::none_of(partners.begin(), partners.end(), gave_it))
      return;
    const CodeWords value = words_of(*from_.actor->steps.before_source, value_of_step(was)->span);
    const auto has_value = [&](std::size_t i) {
      const Step& step = one.steps()[i];
      const Expr* there = target_of(step) != nullptr || is<Return>(step.node) ? value_of_step(step) : nullptr;
      return there != nullptr &&
             same_but_names(value, words_of(*one.holder->actor->steps.after_source, there->span), names).has_value();
    };
    if (std::any_of(one.holder->added.begin(), one.holder->added.end(), has_value))
      now.returned_by = was.returned_by = one.holder->actor->change;
  }

  /// Whether what is looked for and what the holder gains name one thing beyond their locals.
  [[nodiscard]] bool share_names(const Connection& one, const std::vector<std::size_t>& open) const {
    NamedWords named;
    for (const std::size_t i : open) add_named(from_.words[i], from_.locals, named);
    return std::any_of(named.begin(), named.end(),
                       [&](const std::string& name) { return one.holder->named.contains(name); });
  }

  void move_over(const Connection& one) {
    std::vector<Step>& before = from_.actor->steps.before;
    for (Step& step : before) {
      if (step.elsewhere != nullptr && step.elsewhere == one.holder->actor->change) step.is_led_there = !one.is_loose;
    }
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (may_move(one, i)) open.push_back(i);
    }
    if (open.empty() || (one.is_loose && !share_names(one, open)) ||
        !budget_.take(open.size() * one.holder->added.size(), one.is_loose))
      return;
    Renaming names = renaming_of(from_, one);
    const std::map<std::string, std::vector<CodeWords>, std::less<>> given = names.given;
    const std::string result = result_of(from_, one);
    find_names(from_, one, open, result, names);
    std::vector<MovedPair> pairs = align(from_, one, open, names, result);
    // What a function is registered for is what it does.
    const DispatchedBranch* dispatched = dispatched_->of(one.holder);
    if (dispatched == nullptr || !dispatched->is_keyed) keep_telling(pairs, one.is_loose ? kTellingSteps : 1);
    if (pairs.empty()) return;
    std::map<std::size_t, std::size_t> partners;
    for (const MovedPair& pair : pairs) partners[pair.here] = pair.there;
    std::set<std::size_t> similar;
    add_similar(from_, one, open, names, partners, similar);
    for (const auto& [here, there] : partners) dispatched_->note_taken(one.holder, there);
    note_result(one, names, result, partners, similar);
    for (const auto& [here, there] : partners) {
      Step& step = before[here];
      from_.taken[here] = true;
      const bool becomes_elif = !step.is_elif && one.steps()[there].is_elif;
      const bool differs =
          similar.contains(here) || becomes_elif || !keeps_conditions_of_one(one, here, there, partners);
      if (step.status == StepStatus::kChanged) {
        Step& now = from_.actor->steps.after[step.partner];
        if (step.partner == one.site && sets(from_, step, result)) {
          if (!differs && !returns_before(one, there, partners))
            step.returned_by = now.returned_by = one.holder->actor->change;
          continue;
        }
        if (step.partner == one.site) continue;  // Told as one call in place of another.
        step.status = StepStatus::kRemoved;
        now.status = StepStatus::kAdded;
        now.partner = step.partner = Step::kNone;
      }
      step.elsewhere = one.holder->actor->change;
      step.is_led_there = !one.is_loose;
      step.differs_there = differs;
    }
    for (const std::size_t i : open) {
      if (from_.taken[i] || !is_decorator_there(one, before[i])) continue;
      bool goes_whole = end_of(before, i) > i + 1;
      for (std::size_t k = i + 1; k < end_of(before, i); ++k) goes_whole = goes_whole && partners.contains(k);
      if (!goes_whole) continue;
      before[i].elsewhere = one.holder->actor->change;
      before[i].is_led_there = from_.taken[i] = true;
    }
    // What the call is given was kept in a local here.
    for (const std::size_t i : open) {
      const auto* local = as<Name>(target_of(before[i]));
      if (local == nullptr || value_of_step(before[i]) == nullptr || from_.taken[i]) continue;
      const CodeWords value = words_of(*from_.actor->steps.before_source, value_of_step(before[i])->span);
      for (const auto& [name, options] : given) {
        const CodeWords own = {{std::string(local->id), true}};
        if (options.size() < 2 || options.back() != value || from_.taken[i] ||
            std::find(options.begin(), options.end(), own) == options.end())
          continue;
        before[i].elsewhere = one.holder->actor->change;
        before[i].is_led_there = from_.taken[i] = true;
      }
    }
  }

  const DocumentInputs& inputs_;
  std::vector<Actor>& actors_;
  const Holders holders_;
  ComparisonBudget budget_;
  LosingFunction from_;                           ///< Whose removed steps are looked for.
  std::optional<DispatchedBranches> dispatched_;  ///< Of it.
};

}  // namespace

void match_moved_code(const DocumentInputs& inputs, std::vector<Actor>& actors) { Mover(inputs, actors).run(); }

}  // namespace lockstep::report
