#include "report/story/calls/new_helpers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/strings.h"
#include "change/names.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/apis.h"
#include "report/source/code.h"
#include "report/story/calls/made_calls.h"
#include "report/story/steps/intermediates.h"
#include "report/story/weights/idle_functions.h"
#include "report/story/wording/words.h"

namespace lockstep::report {

using namespace python;
using change::EntityChange;

namespace {

bool is_plain_edit(const Actor& actor) {
  const EntityChange& change = *actor.change;
  return actor.is_function() && !actor.is_module_code && change.status == change::Status::kModified &&
         actor.role != Role::kTest && actor.steps.before_source != nullptr && actor.steps.after_source != nullptr &&
         change.before->function.valid() && change.after->function.valid();
}

/// A new function or method whose code came from nowhere, of a class that was there.
bool may_be_helper(const DocumentInputs& inputs, const Actor& actor) {
  if (!actor.is_added() || !actor.is_function() || actor.is_module_code || actor.role == Role::kTest ||
      actor.extracted_from != nullptr || actor.successor_of != nullptr || !actor.change->after->function.valid())
    return false;
  const program::Function& function = inputs.after->functions()[actor.change->after->function];
  if (function.enclosing.valid() || function.name.starts_with("__")) return false;
  return !function.owner.valid() ||
         inputs.before->find_class(inputs.after->classes()[function.owner].qualified_name).valid();
}

/// Whether code that the function had stands in the helper now.
bool is_made_of(const Actor& actor, const Actor& helper) {
  const auto went_there = [&](const Step& step) {
    return step.elsewhere == helper.change || step.returned_by == helper.change;
  };
  return std::any_of(actor.steps.before.begin(), actor.steps.before.end(), went_there) ||
         std::any_of(actor.steps.after.begin(), actor.steps.after.end(), went_there);
}

/// A function that calls the helper, with its calls of it.
struct Caller {
  const Actor* actor = nullptr;
  std::set<const Call*> calls;
};

std::vector<Caller> callers_in_change(const DocumentInputs& inputs, const std::vector<Actor>& actors,
                                      const Actor& helper) {
  const program::FunctionId callee = helper.change->after->function;
  std::map<program::FunctionId, std::set<const Call*>> calls;
  for (const program::CallId id : inputs.after->callers_of(callee)) {
    const program::CallSite& site = inputs.after->calls()[id];
    const Call* call = as<Call>(site.node);
    if (call != nullptr && program::surely_enters(site, callee)) calls[site.caller].insert(call);
  }
  std::vector<Caller> out;
  for (const Actor& actor : actors) {
    if (!is_plain_edit(actor) || is_made_of(actor, helper)) continue;
    if (const auto found = calls.find(actor.change->after->function); found != calls.end())
      out.push_back({&actor, found->second});
  }
  return out;
}

/// A call that a function no longer makes.
struct GivenUp {
  std::string key;   ///< A name that both sides and all functions share.
  std::string name;  ///< As it was written: "dist.recv".
  bool communicates = false;
  bool repeats = false;  ///< It stood in a loop.
};

std::vector<GivenUp> given_up_by(const DocumentInputs& inputs, const Actor& actor) {
  std::set<std::string> made;
  for (const MadeCall& one : all_calls(*inputs.after, actor.steps.after)) made.insert(one.callee);
  const WordsContext context = context_before(inputs, actor);
  std::vector<GivenUp> out;
  for (const MadeCall& one : changed_calls(*inputs.before, actor.steps.before, actor.steps.after)) {
    std::string name = dotted_text(one.call->callee);
    if (name.empty() || made.contains(one.callee) || rules::is_log_call(one.call)) continue;
    const KnownApi* known = known_work(*inputs.before, *one.call);
    const bool communicates =
        collective_at(context, one.call) != nullptr || (known != nullptr && known->kind == ApiKind::kCommunication);
    if (communicates || is_work(*inputs.before, *one.call))
      out.push_back({one.callee, std::move(name), communicates, one.repeats > 0});
  }
  return out;
}

/// What all of them gave up alike: the communication of each, or the same calls.
std::vector<GivenUp> alike_given_up(const DocumentInputs& inputs, const std::vector<Caller>& callers,
                                    const std::vector<std::vector<GivenUp>>& given_up) {
  const auto communicates = [](const std::vector<GivenUp>& all) {
    return std::any_of(all.begin(), all.end(), [](const GivenUp& one) { return one.communicates; });
  };
  const bool all_communicate = std::all_of(given_up.begin(), given_up.end(), communicates);
  std::set<std::string> still_made;
  for (const Caller& caller : callers) {
    for (const MadeCall& one : all_calls(*inputs.after, caller.actor->steps.after)) still_made.insert(one.callee);
  }
  const auto is_of_all = [&](const GivenUp& one) {
    return std::all_of(given_up.begin(), given_up.end(), [&](const std::vector<GivenUp>& all) {
      return std::any_of(all.begin(), all.end(), [&](const GivenUp& other) { return other.key == one.key; });
    });
  };
  std::vector<GivenUp> out;
  for (const std::vector<GivenUp>& all : given_up) {
    for (const GivenUp& one : all) {
      const bool is_known =
          std::any_of(out.begin(), out.end(), [&](const GivenUp& other) { return other.key == one.key; });
      const bool is_alike = all_communicate ? one.communicates : is_of_all(one);
      if (is_alike && !is_known && !still_made.contains(one.key)) out.push_back(one);
    }
  }
  return out;
}

/// Whether each call that was given up stood in a loop.
bool all_repeat(const std::vector<std::vector<GivenUp>>& given_up, const std::vector<GivenUp>& alike) {
  return std::all_of(given_up.begin(), given_up.end(), [&](const std::vector<GivenUp>& all) {
    return std::all_of(all.begin(), all.end(), [&](const GivenUp& one) {
      const bool is_told =
          std::any_of(alike.begin(), alike.end(), [&](const GivenUp& other) { return other.key == one.key; });
      return one.repeats || !is_told;
    });
  });
}

/// Whether the new function makes the calls that the others gave up, or communicates in place of those that did.
bool does_itself(const DocumentInputs& inputs, const Actor& helper, const std::vector<GivenUp>& given_up) {
  const program::FunctionId function = helper.change->after->function;
  if (std::all_of(given_up.begin(), given_up.end(), [](const GivenUp& one) { return one.communicates; }))
    return inputs.after_mesh != nullptr && inputs.after_mesh->may_communicate(function);
  std::set<std::string> made;
  for (const MadeCall& one : all_calls(*inputs.after, helper.steps.after)) made.insert(one.callee);
  return std::all_of(given_up.begin(), given_up.end(), [&](const GivenUp& one) { return made.contains(one.key); });
}

/// Whether all that changes in a function is that it takes the helper up: its calls of it, what all give up for it,
/// messages, statements that only stand elsewhere, and what only serves these.
class OnlyTakes {
 public:
  OnlyTakes(const DocumentInputs& inputs, const Caller& caller, const std::vector<GivenUp>& given_up)
      : inputs_(inputs), caller_(caller), given_up_(given_up), serving_(*caller.actor) {}

  [[nodiscard]] bool holds() const {
    const auto is_of_body = [](const change::Difference& one) {
      return one.kind >= change::DifferenceKind::kImportAdded;
    };
    const EntityChange& change = *caller_.actor->change;
    // What did nothing does something for the first time.
    if (change.moved || change.renamed || did_nothing(*caller_.actor) ||
        !std::all_of(change.differences.begin(), change.differences.end(), is_of_body))
      return false;
    const auto& after = caller_.actor->steps.after;
    const auto& before = caller_.actor->steps.before;
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (after[i].status != StepStatus::kKept && !is_told_after(i)) return false;
    }
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (before[i].status == StepStatus::kRemoved && !is_told_before(i)) return false;
    }
    return true;
  }

 private:
  [[nodiscard]] static bool only_moves(const Step& step) {
    return step.is_moved && step.status != StepStatus::kChanged;
  }

  /// Whether a plain step sets nothing but locals.
  [[nodiscard]] static bool sets_locals_alone(const Step& step) {
    if (step.kind != StepKind::kPlain) return false;
    if (is<ExprStmt>(step.node) || is<Return>(step.node)) return true;
    const auto* assign = as<Assign>(step.node);
    return assign != nullptr && assign->targets.size() == 1 && is<Name>(assign->targets.front());
  }

  /// Whether every call of the old step that says anything, and there is one, is among those that all give up.
  [[nodiscard]] bool is_given_up(const Step& step) const {
    bool any = false;
    bool all = true;
    walk_of<Call>(*step.node, Nested::kSkip, [&](const Call* call) {
      if (!step.span.contains(call->span)) return;
      const std::string name = dotted_text(call->callee);
      const bool is_known =
          std::any_of(given_up_.begin(), given_up_.end(), [&](const GivenUp& one) { return one.name == name; });
      any = any || is_known;
      all = all && (is_known || !is_work(*inputs_.before, *call));
    });
    return any && all;
  }

  [[nodiscard]] bool is_told_after(std::size_t index) const {
    const Step& step = caller_.actor->steps.after[index];
    if (!step.renames.empty()) return false;
    if (only_moves(step) || only_logs(caller_.actor->steps.after, index) || serving_.only_serves_after(index))
      return true;
    if (is<ImportFrom>(step.node) || is<Import>(step.node)) return step.kind == StepKind::kPlain;
    const Call* call = call_of_step(step);
    if (call == nullptr || !caller_.calls.contains(call)) return false;
    // What took its result takes it now.
    return step.status == StepStatus::kAdded || step.partner == Step::kNone ||
           is_given_up(caller_.actor->steps.before[step.partner]);
  }

  [[nodiscard]] bool is_told_before(std::size_t index) const {
    const auto& steps = caller_.actor->steps.before;
    const Step& step = steps[index];
    if (only_moves(step) || only_logs(steps, index) || serving_.only_serves_before(index)) return true;
    if (step.elsewhere != nullptr || step.inlined != nullptr || step.taken_from != nullptr) return false;
    if (step.kind == StepKind::kPlain)
      return is<ImportFrom>(step.node) || is<Import>(step.node) || (sets_locals_alone(step) && is_given_up(step));
    // A loop around nothing but that.
    if (step.kind != StepKind::kFor) return false;
    for (std::size_t i = index + 1; i < end_of(steps, index); ++i) {
      if (steps[i].status != StepStatus::kRemoved) return false;
    }
    return true;
  }

  const DocumentInputs& inputs_;
  const Caller& caller_;
  const std::vector<GivenUp>& given_up_;
  Intermediates serving_;
};

std::vector<std::string> names_of(const std::vector<GivenUp>& given_up) {
  std::set<std::string> names;
  for (const GivenUp& one : given_up) names.insert(one.name);
  return {names.begin(), names.end()};
}

std::uint32_t first_line(const Caller& caller) {
  std::uint32_t begin = UINT32_MAX;
  for (const Call* call : caller.calls) begin = std::min(begin, call->span.begin);
  return caller.actor->steps.after_source->line_of(begin);
}

/// Whether functions outside tests call it that are none of these: new ones, or those that left code to it.
bool is_called_by_others(const DocumentInputs& inputs, const Actor& helper, const std::vector<Caller>& callers) {
  const program::FunctionId callee = helper.change->after->function;
  const auto& calls = inputs.after->callers_of(callee);
  return std::any_of(calls.begin(), calls.end(), [&](program::CallId id) {
    const program::CallSite& site = inputs.after->calls()[id];
    const auto is_told = [&](const Caller& one) { return one.actor->change->after->function == site.caller; };
    return site.caller != callee && program::surely_enters(site, callee) &&
           !program::is_test_path(inputs.after->module_of(site.caller).path) &&
           std::none_of(callers.begin(), callers.end(), is_told);
  });
}

/// The conditions that all calls of it stand under; empty where they are not the same.
std::string common_conditions(const std::vector<Caller>& callers) {
  std::set<std::string> all;
  for (const Caller& caller : callers) {
    std::size_t seen = 0;
    for (const Step& step : caller.actor->steps.after) {
      const Call* call = step.kind == StepKind::kPlain ? call_of_step(step) : nullptr;
      if (call == nullptr || !caller.calls.contains(call)) continue;
      ++seen;
      all.insert(where_words(*caller.actor->change->after->node, step, *caller.actor->steps.after_source));
    }
    if (seen != caller.calls.size()) return {};
  }
  return all.size() == 1 ? *all.begin() : std::string();
}

std::optional<NewHelper> helper_of(const DocumentInputs& inputs, const std::vector<Actor>& actors,
                                   const Actor& helper) {
  constexpr std::size_t kSeveral = 2;
  constexpr std::size_t kMostGivenUp = 3;  // More say no one thing.
  const std::vector<Caller> callers = callers_in_change(inputs, actors, helper);
  if (callers.size() < kSeveral) return std::nullopt;
  std::vector<std::vector<GivenUp>> given_up;
  for (const Caller& caller : callers) given_up.push_back(given_up_by(inputs, *caller.actor));
  std::vector<GivenUp> alike = alike_given_up(inputs, callers, given_up);
  if (names_of(alike).size() > kMostGivenUp) alike.clear();
  NewHelper out;
  out.helper = helper.change;
  out.given_up = names_of(alike);
  out.does_it = !alike.empty() && does_itself(inputs, helper, alike);
  out.where = common_conditions(callers);
  out.has_others = is_called_by_others(inputs, helper, callers);
  out.left_loops = !alike.empty() && all_repeat(given_up, alike);
  for (const Caller& caller : callers)
    out.takers.push_back({caller.actor->change, first_line(caller), OnlyTakes(inputs, caller, alike).holds()});
  // One that gives nothing up for it has no story in common with others.
  const auto only_takes = [](const HelperTaker& one) { return one.only_takes; };
  if (out.given_up.empty() &&
      std::count_if(out.takers.begin(), out.takers.end(), only_takes) < static_cast<std::ptrdiff_t>(kSeveral)) {
    for (HelperTaker& one : out.takers) one.only_takes = false;
  }
  std::sort(out.takers.begin(), out.takers.end(), [](const HelperTaker& a, const HelperTaker& b) {
    return std::tie(a.function->after->path, a.line) < std::tie(b.function->after->path, b.line);
  });
  return out;
}

}  // namespace

std::vector<NewHelper> new_helpers(const DocumentInputs& inputs, const std::vector<Actor>& actors) {
  std::vector<NewHelper> out;
  for (const Actor& actor : actors) {
    if (!may_be_helper(inputs, actor)) continue;
    if (auto one = helper_of(inputs, actors, actor)) out.push_back(*std::move(one));
  }
  return out;
}

const NewHelper* helper_taken_by(const std::vector<NewHelper>& helpers, const Actor& actor) {
  for (const NewHelper& one : helpers) {
    if (std::any_of(one.takers.begin(), one.takers.end(),
                    [&](const HelperTaker& taker) { return taker.only_takes && taker.function == actor.change; }))
      return &one;
  }
  return nullptr;
}

void weigh_new_helpers(const std::vector<NewHelper>& helpers, std::vector<Actor>& actors) {
  constexpr double kAbove = 1.05;
  constexpr double kStandsForOthers = 0.8;
  constexpr double kFollows = 0.2;
  std::map<const EntityChange*, Actor*> actor_of;
  for (Actor& actor : actors) actor_of.emplace(actor.change, &actor);
  std::map<const Actor*, double> factors;
  for (const NewHelper& one : helpers) {
    const Actor* first = nullptr;
    for (const HelperTaker& taker : one.takers) {
      if (!taker.only_takes) continue;
      const Actor* actor = actor_of.at(taker.function);
      factors.emplace(actor, kFollows);
      if (first == nullptr || actor->weight > first->weight) first = actor;
    }
    if (first == nullptr) continue;
    factors[first] = kStandsForOthers;
    Actor& helper = *actor_of.at(one.helper);
    helper.weight = std::max(helper.weight, kAbove * first->weight);
    if (helper.role == Role::kFollowing) helper.role = Role::kSupporting;
  }
  for (Actor& actor : actors) {
    if (const auto found = factors.find(&actor); found != factors.end()) actor.weight *= found->second;
  }
}

namespace {

/// Of a method of the helper's own class the name alone.
std::string name_beside(const DocumentInputs& inputs, const EntityChange& entity, const EntityChange& helper) {
  const std::string& name = entity.after->qualified_name;
  const std::string& other = helper.after->qualified_name;
  const bool is_beside =
      entity.kind == change::EntityKind::kMethod && entity.after->path == helper.after->path &&
      std::string_view(name).substr(0, name.rfind('.')) == std::string_view(other).substr(0, other.rfind('.'));
  return code(is_beside ? std::string(change::last_part(name)) : short_name(inputs, entity));
}

/// "`f` (`a.py:3`), `g` (`a.py:9`) and 2 more functions".
std::string named_takers(const DocumentInputs& inputs, const NewHelper& helper,
                         const std::vector<const HelperTaker*>& takers) {
  constexpr std::size_t kMostNamed = 4;
  std::vector<std::string> names;
  for (const HelperTaker* one : takers) {
    if (names.size() == kMostNamed) break;
    names.push_back(fmt::format("{} ({})", name_beside(inputs, *one->function, *helper.helper),
                                place(one->function->after->path, one->line)));
  }
  if (takers.size() > names.size()) names.push_back(count_of(takers.size() - names.size(), "more function"));
  return join_words(names);
}

}  // namespace

std::string helper_words(const DocumentInputs& inputs, const NewHelper& helper) {
  std::vector<const HelperTaker*> takers;
  for (const HelperTaker& one : helper.takers) takers.push_back(&one);
  std::string out = fmt::format("Called now{} by {}", helper.has_others ? ", among others," : "",
                                named_takers(inputs, helper, takers));
  const std::string where =
      helper.where.empty() ? "." : fmt::format(". Each of these calls stands where {}.", helper.where);
  if (helper.given_up.empty()) return out + where;
  std::vector<std::string> names;
  for (const std::string& one : helper.given_up) names.push_back(code(one));
  return fmt::format("{}, which no longer call {}{}{}{}", out, join_words(names, "or"),
                     helper.left_loops ? " in a loop" : "", helper.does_it ? " themselves" : "", where);
}

std::string words_as_helper(const DocumentInputs& inputs, const std::vector<NewHelper>& helpers, const Actor& actor) {
  const auto found =
      std::find_if(helpers.begin(), helpers.end(), [&](const NewHelper& one) { return one.helper == actor.change; });
  return found == helpers.end() ? std::string() : " " + helper_words(inputs, *found);
}

std::string other_takers_words(const DocumentInputs& inputs, const NewHelper& helper,
                               const std::set<const EntityChange*>& shown) {
  std::vector<const HelperTaker*> others;
  for (const HelperTaker& one : helper.takers) {
    if (one.only_takes && !shown.contains(one.function)) others.push_back(&one);
  }
  if (others.empty()) return {};
  return fmt::format("{} {} up {} likewise.", named_takers(inputs, helper, others),
                     others.size() == 1 ? "takes" : "take",
                     code(change::last_part(helper.helper->after->qualified_name)));
}

}  // namespace lockstep::report
