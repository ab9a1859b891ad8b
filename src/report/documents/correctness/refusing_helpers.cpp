#include "report/documents/correctness/refusing_helpers.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "report/document.h"
#include "report/documents/correctness/compared_checks.h"
#include "report/documents/correctness/newly_asked.h"
#include "report/source/code.h"
#include "report/story/wording/change_steps.h"
#include "report/story/wording/containers.h"
#include "report/story/wording/words.h"
#include "rules/calls/signatures.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

/// The error that a branch holding nothing else raises; empty for others, and for what is only missing here.
std::string_view error_of(const If& branch) {
  if (!branch.orelse.empty() || branch.body.size() != 1) return {};
  const auto* raise = as<Raise>(branch.body.front());
  if (raise == nullptr || raise->exception == nullptr) return {};
  const auto* call = as<Call>(raise->exception);
  const std::string_view name = rules::last_part_of(call == nullptr ? raise->exception : call->callee);
  return name == "ValueError" || name == "TypeError" || name == "RuntimeError" ? name : std::string_view();
}

/// Whether code outside tests that goes, or that the change edits, raised or asserted something where it was.
bool takes_a_check_away(const Story& story) {
  return std::any_of(story.actors.begin(), story.actors.end(), [](const Actor& actor) {
    return actor.role != Role::kTest &&
           std::any_of(actor.steps.before.begin(), actor.steps.before.end(), [](const Step& step) {
             return step.status != StepStatus::kKept && (is<Raise>(step.node) || is<Assert>(step.node));
           });
  });
}

class Helpers {
 public:
  Helpers(const DocumentInputs& inputs, const Story& story)
      : inputs_(inputs), program_(*inputs.after), story_(story), takers_(takers(story)) {}

  /// The new check of a new function that runs of before come to, in words; empty where there is none.
  std::optional<Risk> of(const Actor& actor) const {
    if (!is_new_function(actor) || takers_.contains(actor.change) || actor.extracted_from != nullptr ||
        actor.successor_of != nullptr)
      return std::nullopt;
    const FunctionId caller = caller_before(actor.change->after->function, 0);
    if (!caller.valid()) return std::nullopt;
    const SourceText& source = *actor.steps.after_source;
    const Node& function = *actor.change->after->node;
    for (std::size_t i = 0; i < actor.steps.after.size(); ++i) {
      const Step& step = actor.steps.after[i];
      // What is left over behind an early return is not all that its condition says.
      if (is<Return>(step.node)) return std::nullopt;
      const auto* branch = step.kind == StepKind::kIf && !step.is_elif ? as<If>(step.node) : nullptr;
      // Under other conditions it need not be met by what was there.
      if (branch == nullptr || step.depth != 0 || step.taken_from != nullptr || step.elsewhere != nullptr ||
          asks_for_new_setting(story_, step, source) || asks_for_new_field(story_, actor.steps.after, i) ||
          asks_for_what_is_new(story_, actor, i))
        continue;
      const std::string_view error = error_of(*branch);
      const std::string words =
          error.empty() ? std::string() : condition_words_in(*branch->condition, function, source);
      if (words.empty()) continue;
      return Risk{RiskKind::kCompatibility,
                  fmt::format("{} newly comes to {}, which raises {} when {}.", code(short_name(program_, caller)),
                              code(short_name(inputs_, *actor.change)), code(std::string(error)), words),
                  "What passed there before may be refused now", false};
    }
    return std::nullopt;
  }

 private:
  static bool is_new_function(const Actor& actor) {
    return actor.role != Role::kTest && actor.is_function() && actor.is_added() && actor.change->after &&
           actor.change->after->function.valid() && actor.steps.after_source != nullptr &&
           !program::is_helper_path(actor.change->after->path);
  }

  [[nodiscard]] const Actor* actor_of(FunctionId function) const {
    const auto found = std::find_if(story_.actors.begin(), story_.actors.end(), [&](const Actor& actor) {
      return actor.is_function() && actor.change->after && actor.change->after->function == function;
    });
    return found == story_.actors.end() ? nullptr : &*found;
  }

  /// Whether the call is made on an object of a class that the change adds, under a condition on that object: no run of
  /// before had one (`if self.bank is not None: self.bank.append(group)`).
  [[nodiscard]] bool is_where_new_object_is(const program::CallSite& site, const std::vector<Guard>& guards) const {
    const auto* call = as<Call>(site.node);
    const auto* method = call == nullptr ? nullptr : as<Attribute>(call->callee);
    const std::string object = method == nullptr ? std::string() : dotted_text(method->value);
    if (object.empty()) return false;
    const bool is_of_new_class =
        std::any_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& target) {
          const program::ClassId owner =
              target.function.valid() ? program_.functions()[target.function].owner : program::ClassId();
          return owner.valid() && std::any_of(story_.actors.begin(), story_.actors.end(), [&](const Actor& actor) {
                   return actor.is_added() && actor.change->after && actor.change->after->cls == owner;
                 });
        });
    const SourceText& source = source_of(program_, site.caller);
    return is_of_new_class && std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
             return guard.condition != nullptr && contains(source.slice(guard.condition->span), object);
           });
  }

  /// Whether the call stands under a condition that holds only where something new is set.
  [[nodiscard]] bool is_new_way(const Actor& caller, const program::CallSite& site) const {
    const SourceText& source = source_of(program_, site.caller);
    const std::vector<Guard> guards = guards_of(*caller.change->after->node, site.node->span);
    const auto names_new = [&](const Guard& guard) {
      if (guard.condition == nullptr) return false;  // of a loop, a `with`, a `try`
      const auto* unset = as<Compare>(guard.condition);
      const bool is_unset = guard.negated && unset != nullptr && contains(source.slice(unset->span), "is not None");
      return !is_unset && std::any_of(story_.flags.begin(), story_.flags.end(), [&](const Flag& flag) {
        return flag.is_new && find_name(source.slice(guard.condition->span), flag.name) != std::string_view::npos;
      });
    };
    if (std::any_of(guards.begin(), guards.end(), names_new) || is_where_new_object_is(site, guards)) return true;
    for (std::size_t i = 0; i < caller.steps.after.size(); ++i) {
      if (caller.steps.after[i].span.contains(site.node->span)) return asks_for_what_is_new(story_, caller, i);
    }
    return true;
  }

  /// The function that was there and comes to the new one by calls of new ones alone; none where nothing does.
  [[nodiscard]] FunctionId caller_before(FunctionId function, int depth) const {
    constexpr int kMostBetween = 2;
    for (const program::CallId id : program_.callers_of(function)) {
      const program::CallSite& site = program_.calls()[id];
      const Actor* caller = actor_of(site.caller);
      const bool is_sure = std::any_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& one) {
        return one.function == function && one.certainty == program::Certainty::kExact &&
               one.kind == program::CallKind::kDirect;
      });
      if (!is_sure || caller == nullptr || caller->role == Role::kTest || site.caller == function ||
          handing_of(site, function) != Handing::kNone || program::is_test_path(program_.module_of(site.caller).path) ||
          is_new_way(*caller, site))
        continue;
      if (!caller->is_added()) return caller->change->before ? site.caller : FunctionId();
      if (depth == kMostBetween || !is_new_function(*caller) || caller->extracted_from != nullptr) continue;
      if (const FunctionId found = caller_before(site.caller, depth + 1); found.valid()) return found;
    }
    return {};
  }

  const DocumentInputs& inputs_;
  const Program& program_;
  const Story& story_;
  std::unordered_set<const change::EntityChange*> takers_;
};

}  // namespace

void add_refusing_helpers(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 2;
  if (takes_a_check_away(story)) return;
  const Helpers helpers(inputs, story);
  std::size_t count = 0;
  for (const Actor& actor : story.actors) {
    if (count == kMost) return;
    if (std::optional<Risk> risk = helpers.of(actor)) {
      risks.push_back(std::move(*risk));
      ++count;
    }
  }
}

}  // namespace lockstep::report
