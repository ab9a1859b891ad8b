#include "report/documents/correctness/other_givers.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/documents/compatibility/call_sites.h"
#include "report/documents/correctness/newly_asked.h"
#include "report/source/code.h"
#include "report/source/only_names.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

constexpr std::size_t kMostRisks = 2;
constexpr std::size_t kMostSites = 3;
constexpr std::size_t kMostBytes = 60;

/// `x` of `x = f(…)`, which gives a value that the change brings; empty for others.
std::string_view given_anew(const Step& step) {
  const bool is_new = step.status == StepStatus::kAdded || step.status == StepStatus::kChanged;
  const bool is_here = !step.is_moved && step.elsewhere == nullptr && step.taken_from == nullptr &&
                       step.inlined == nullptr && step.returned_by == nullptr && step.renames.empty();
  const auto* assign = is_new && is_here ? as<Assign>(step.node) : nullptr;
  if (assign == nullptr || assign->targets.size() != 1 || as<Call>(assign->value) == nullptr) return {};
  return rules::name_of(assign->targets.front());
}

bool binds(const Step& step, std::string_view local) {
  const auto* assign = as<Assign>(step.node);
  return assign != nullptr && std::any_of(assign->targets.begin(), assign->targets.end(),
                                          [&](const Expr* target) { return rules::name_of(target) == local; });
}

/// How a call gives the local: by position or by name.
struct GivenPlace {
  std::size_t position = SIZE_MAX;
  std::string_view keyword;
};

std::optional<GivenPlace> place_of_local(const Call& call, std::string_view local) {
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (rules::name_of(call.arguments[i]) == local) return GivenPlace{i, {}};
  }
  for (const Keyword* keyword : call.keywords) {
    if (!keyword->name.text.empty() && rules::name_of(keyword->value) == local)
      return GivenPlace{SIZE_MAX, keyword->name.text};
  }
  return std::nullopt;
}

const Expr* given_at(const Call& call, const GivenPlace& place) {
  if (!place.keyword.empty()) return rules::keyword_value(call, place.keyword);
  return place.position < call.arguments.size() ? call.arguments[place.position] : nullptr;
}

class OtherGivers {
 public:
  OtherGivers(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks)
      : inputs_(inputs), program_(*inputs.after), story_(story), risks_(risks) {}

  void look_at(const Actor& actor) {
    const std::vector<Step>& steps = actor.steps.after;
    for (std::size_t i = 0; i < steps.size() && told_ < kMostRisks; ++i) {
      const std::string_view local = given_anew(steps[i]);
      // One that the version before did not have is no other value of it.
      const auto had_it = [&](const Step& old) { return binds(old, local); };
      if (local.empty() || std::none_of(actor.steps.before.begin(), actor.steps.before.end(), had_it)) continue;
      if (came_of_same_call(actor.steps.before, steps[i], local)) continue;
      // What only a new setting switches on is not meant for those who do without it.
      if (asks_for_what_is_new(story_, actor, i)) continue;
      for (std::size_t k = i + 1; k < steps.size(); ++k) {
        if (are_alternatives(steps, i, k)) continue;
        if (steps[k].status == StepStatus::kKept && ask(actor, steps[i], local, steps[k])) break;
        if (binds(steps[k], local)) break;  // From here on it is another value.
      }
    }
  }

 private:
  /// Whether the version before gave the local what the same function gives, too: with other arguments alone.
  static bool came_of_same_call(const std::vector<Step>& before, const Step& step, std::string_view local) {
    const Expr* target = nullptr;
    const auto* call = as<Call>(assigned_value(step.node, target));
    if (call == nullptr || callee_name(*call).empty()) return false;
    return std::any_of(before.begin(), before.end(), [&](const Step& old) {
      const Expr* old_target = nullptr;
      const auto* old_call = as<Call>(assigned_value(old.node, old_target));
      return old_call != nullptr && rules::name_of(old_target) == local && callee_name(*old_call) == callee_name(*call);
    });
  }

  [[nodiscard]] bool is_changed(FunctionId function) const {
    return std::any_of(story_.actors.begin(), story_.actors.end(), [&](const Actor& actor) {
      return actor.change->after && actor.change->after->function == function;
    });
  }

  /// The only function that the call enters, or the only method of the name that it calls on a value of unknown class,
  /// of the repository, outside tests, and as it was; none where there is none.
  [[nodiscard]] FunctionId callee_of(const Call& call) const {
    const program::CallId id = program_.call_of(&call);
    if (!id.valid()) return {};
    const auto& targets = program_.calls()[id].targets;
    const auto* method = as<Attribute>(call.callee);
    const FunctionId callee = targets.size() == 1                    ? targets.front().function
                              : targets.empty() && method != nullptr ? only_method_named(program_, method->name.text)
                                                                     : FunctionId();
    const bool counts = callee.valid() && program_.functions()[callee].def() != nullptr &&
                        !program::is_test_path(program_.module_of(callee).path) && !is_changed(callee);
    return counts ? callee : FunctionId();
  }

  bool ask(const Actor& actor, const Step& value, std::string_view local, const Step& taker) {
    bool asked = false;
    walk_of<Call>(*taker.node, Nested::kSkip, [&](const Call* call) {
      if (asked || !taker.span.contains(call->span)) return;
      const std::optional<GivenPlace> place_given = place_of_local(*call, local);
      const FunctionId callee = place_given ? callee_of(*call) : FunctionId();
      if (!callee.valid() || !told_of_.insert(callee).second) return;
      const std::vector<std::string> others = other_calls(actor.change->after->function, *call, callee, *place_given);
      if (others.empty() || others.size() > kMostSites) return;
      asked = true;
      ++told_;
      const SourceText& source = *actor.steps.after_source;
      const std::string& path = actor.change->after->path;
      risks_.push_back({RiskKind::kCorrectness,
                        fmt::format("{} goes on to {} ({}) and can be {} now ({}); {} {}, as before.",
                                    code(std::string(local)), code(short_name(program_, callee)),
                                    place(path, taker.first_line), code(one_line(source, *assigned(value), kMostBytes)),
                                    place(path, value.first_line), join_words(others),
                                    others.size() == 1 ? "gives it a value of its own" : "give it values of their own"),
                        "Is the change meant for that, too?", false});
    });
    return asked;
  }

  static const Expr* assigned(const Step& step) { return as<Assign>(step.node)->value; }

  [[nodiscard]] std::vector<std::string> other_calls(FunctionId here, const Call& call, FunctionId callee,
                                                     const GivenPlace& given) const {
    std::vector<const program::CallSite*> sites = call_sites_of(program_, callee).sites;
    for (const program::CallId id : calls_by_only_name(program_, callee)) sites.push_back(&program_.calls()[id]);
    const program::ClassId owner = program_.functions()[callee].owner;
    std::vector<std::string> out;
    for (const program::CallSite* site : sites) {
      const auto* other = as<Call>(site->node);
      if (other == nullptr || other == &call || site->caller == here || is_changed(site->caller)) continue;
      const std::string& path = program_.module_of(site->caller).path;
      const SourceText& source = source_of(program_, site->caller);
      const Expr* value = given_at(*other, given);
      // What another method of the class does with it is its own business.
      const bool is_own = owner.valid() && program_.functions()[site->caller].owner == owner;
      if (value == nullptr || is<Constant>(value) || is_own || program::is_helper_path(path) ||
          program::is_test_path(path) || inputs_.change->touches_after(path, source.line_of(other->span.begin)))
        continue;
      std::string text = fmt::format("{} ({})", code(short_name(program_, site->caller)),
                                     place(path, source.line_of(other->span.begin)));
      if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(std::move(text));
    }
    return out;
  }

  const DocumentInputs& inputs_;
  const Program& program_;
  const Story& story_;
  std::vector<Risk>& risks_;
  std::set<FunctionId> told_of_;
  std::size_t told_ = 0;
};

}  // namespace

void add_other_givers(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  OtherGivers givers(inputs, story, risks);
  for (const Actor& actor : story.actors) {
    const bool counts = (actor.role == Role::kCentral || actor.role == Role::kSupporting) && actor.is_function() &&
                        !actor.is_added() && !actor.is_removed() && actor.change->after &&
                        actor.change->after->function.valid() && actor.steps.after_source != nullptr;
    if (counts) givers.look_at(actor);
  }
}

}  // namespace lockstep::report
