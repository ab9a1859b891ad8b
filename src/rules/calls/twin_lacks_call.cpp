// twin-lacks-call: a change puts a call between two others on what they hand from one to the other
//   batch = first(batch); batch = merge(batch); … second(batch)     # `merge` is new
// and another function hands the result of the same first call to the same second one as before. A question: it may
// have no need of it.
//
// Left out: functions that the change adds, those that call the new one anywhere or call what does, those that lack
// what it takes of `self`, first and second calls that many functions make, and settings.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "change/summary.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/place.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::Program;

constexpr std::string_view kRule = "twin-lacks-call";
constexpr std::size_t kMostCallers = 8;  // of the first and of the second call: what all use says nothing
constexpr std::size_t kMostTwins = 2;

/// A call that surely enters a function of the repository.
struct Step {
  FunctionId callee;
  const Call* call = nullptr;
  std::string_view kept_in;   ///< "x" of `x = f(…)`; empty where the result is not kept so.
  bool is_statement = false;  ///< `f(…)` alone.
};

bool passes(const Call& call, std::string_view name) {
  return std::any_of(call.arguments.begin(), call.arguments.end(),
                     [&](const Expr* given) { return name_of(given) == name; }) ||
         std::any_of(call.keywords.begin(), call.keywords.end(),
                     [&](const Keyword* given) { return name_of(given->value) == name; });
}

bool is_settings(std::string_view name) {
  return name.ends_with("args") || name.ends_with("config") || name.ends_with("cfg") || name == "self" ||
         name == "kwargs";
}

/// The calls of one function's own body, in the order of the source.
std::vector<Step> steps_of(const Program& program, FunctionId function) {
  std::vector<Step> steps;
  std::map<const Node*, std::pair<std::string_view, bool>> statements;
  walk_statements(*program.functions()[function].node, Nested::kSkip, [&](const Stmt* statement) {
    if (const auto* assign = as<Assign>(statement); assign != nullptr && assign->targets.size() == 1) {
      statements[assign->value] = {name_of(assign->targets[0]), false};
    } else if (const auto* alone = as<ExprStmt>(statement)) {
      statements[alone->value] = {std::string_view(), true};
    }
  });
  for (const program::CallId id : program.functions()[function].calls) {
    const program::CallSite& site = program.calls()[id];
    const auto* call = as<Call>(site.node);
    if (call == nullptr || site.targets.size() != 1) continue;
    const program::CallTarget& target = site.targets.front();
    if (!target.function.valid() || target.certainty != program::Certainty::kExact ||
        target.kind != program::CallKind::kDirect || program::is_test_path(program.module_of(target.function).path))
      continue;
    const auto statement = statements.find(call);
    Step step{target.function, call, {}, false};
    if (statement != statements.end()) std::tie(step.kept_in, step.is_statement) = statement->second;
    steps.push_back(step);
  }
  return steps;
}

/// Functions outside tests that make a call which may enter this one.
std::set<FunctionId> callers_outside_tests(const Program& program, FunctionId function) {
  std::set<FunctionId> callers;
  for (const program::CallId call : program.callers_of(function)) {
    const FunctionId caller = program.calls()[call].caller;
    if (!program::is_test_path(program.module_of(caller).path)) callers.insert(caller);
  }
  return callers;
}

bool names(const Program& program, FunctionId function, std::string_view name) {
  bool found = false;
  walk(*program.functions()[function].node, Nested::kEnter, [&](const Node* node) {
    const auto* attribute = as<Attribute>(node);
    const auto* bare = as<Name>(node);
    found = found || (attribute != nullptr && attribute->name.text == name) || (bare != nullptr && bare->id == name);
  });
  return found;
}

/// The first call whose result a function hands to the second one.
struct Handing {
  const Step* first = nullptr;
  const Step* second = nullptr;
};

/// How a function hands the result of `first` to `second`; null pointers where it does not.
Handing handing_of(const std::vector<Step>& steps, FunctionId first, FunctionId second) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].callee != first || steps[i].kept_in.empty()) continue;
    for (std::size_t j = i + 1; j < steps.size(); ++j) {
      if (steps[j].callee == second && passes(*steps[j].call, steps[i].kept_in)) return {&steps[i], &steps[j]};
      if (steps[j].kept_in == steps[i].kept_in && !passes(*steps[j].call, steps[i].kept_in)) break;
    }
  }
  return {};
}

class Finder {
 public:
  Finder(const RuleContext& context, std::vector<Finding>& findings)
      : context_(context), program_(context.program), before_(*context.before), findings_(findings) {}

  void run() {
    for (const change::EntityChange& entity : context_.change->entities) {
      if (!entity.before || !entity.after || !entity.after->function.valid() || !entity.before->function.valid() ||
          entity.is_cosmetic() || program::is_test_path(entity.after->path))
        continue;
      if (program_.functions()[entity.after->function].def() == nullptr) continue;
      look_at(entity.before->function, entity.after->function);
    }
  }

 private:
  void look_at(FunctionId before, FunctionId after) {
    const std::vector<Step> steps = steps_of(program_, after);
    const program::Module& module = program_.module_of(after);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& added = steps[i];
      const std::string_view name = program_.functions()[added.callee].name;
      const std::uint32_t line = module.facts->source().line_of(added.call->span.begin);
      if (told_.contains(added.callee) || !context_.change->touches_after(module.path, line) ||
          names(before_, before, name))
        continue;
      if (added.is_statement || (!added.kept_in.empty() && passes(*added.call, added.kept_in)))
        look_around(before, after, steps, i);
    }
  }

  /// The calls before and after number `at` that hand on what it takes.
  void look_around(FunctionId before, FunctionId after, const std::vector<Step>& steps, std::size_t at) {
    for (std::size_t i = at; i-- > 0;) {
      const std::string_view handed = steps[i].kept_in;
      if (handed.empty() || is_settings(handed) || !passes(*steps[at].call, handed)) continue;
      for (std::size_t j = at + 1; j < steps.size(); ++j) {
        if (!passes(*steps[j].call, handed)) continue;
        const Handing old = was_handed(before, steps[i].callee, steps[j].callee);
        if (old.first != nullptr) ask(after, steps[i].callee, steps[at], steps[j].callee);
        return;
      }
      return;
    }
  }

  /// How the function before the change handed on from one to the other.
  Handing was_handed(FunctionId before, FunctionId first, FunctionId second) {
    const auto old = [&](FunctionId one) { return before_.find_function(program_.functions()[one].qualified_name); };
    old_steps_ = steps_of(before_, before);
    return handing_of(old_steps_, old(first), old(second));
  }

  void ask(FunctionId function, FunctionId first, const Step& added, FunctionId second) {
    const std::set<FunctionId> callers = callers_outside_tests(program_, first);
    if (callers.size() > kMostCallers || callers_outside_tests(program_, second).size() > kMostCallers) return;
    const std::string_view name = program_.functions()[added.callee].name;
    std::vector<std::pair<FunctionId, const Call*>> twins;
    for (const FunctionId twin : callers) {
      if (twin == function || program_.functions()[twin].def() == nullptr || is_dealt_with(twin, name) ||
          !could_make(twin, *added.call) || !before_.find_function(program_.functions()[twin].qualified_name).valid())
        continue;
      const std::vector<Step> steps = steps_of(program_, twin);
      const Handing handing = handing_of(steps, first, second);
      if (handing.first != nullptr) twins.emplace_back(twin, handing.second->call);
    }
    if (twins.empty() || twins.size() > kMostTwins) return;
    told_.insert(added.callee);
    report(function, first, added, second, twins);
  }

  /// Whether the function has the attributes of `self` that the call takes.
  [[nodiscard]] bool could_make(FunctionId function, const Call& call) const {
    const program::ClassId owner = program_.functions()[function].owner;
    bool has_all = true;
    walk_of<Attribute>(call, Nested::kSkip, [&](const Attribute* attribute) {
      const std::string_view name = self_attribute(attribute);
      has_all = has_all && (name.empty() || (owner.valid() && (program_.find_field(owner, name) != nullptr ||
                                                               program_.find_method(owner, name).valid())));
    });
    return has_all;
  }

  /// Whether the function, or one that it calls, names the new call.
  [[nodiscard]] bool is_dealt_with(FunctionId function, std::string_view name) const {
    if (names(program_, function, name)) return true;
    for (const program::CallId id : program_.functions()[function].calls) {
      for (const program::CallTarget& target : program_.calls()[id].targets) {
        if (target.function.valid() && names(program_, target.function, name)) return true;
      }
    }
    return false;
  }

  void report(FunctionId function, FunctionId first, const Step& added, FunctionId second,
              const std::vector<std::pair<FunctionId, const Call*>>& twins) {
    const auto named = [&](FunctionId one) { return fmt::format("`{}`", short_name(program_, one)); };
    std::vector<std::string> who;
    for (const auto& [twin, call] : twins) who.push_back(named(twin));
    Finding finding = finding_at(program_, kRule, program_.functions()[function].module, added.call->span);
    finding.severity = Severity::kP2;
    finding.certainty = FindingCertainty::kQuestion;
    finding.category = Category::kCorrectness;
    finding.message = fmt::format(
        "{} now calls {} between {} and {}, on what the one gives to the other; {} {} without it", named(function),
        named(added.callee), named(first), named(second), change::list_names(who), twins.size() == 1 ? "goes" : "go");
    finding.why = fmt::format("{} may get two forms of it: what {} makes, and what {} gives.", named(second),
                              named(added.callee), named(first));
    finding.fix = fmt::format("Call {} there as well, or say in a comment why it is not needed.", named(added.callee));
    for (const auto& [twin, call] : twins) {
      finding.evidence.push_back(
          evidence_at(program_, program_.functions()[twin].module, call->span,
                      fmt::format("{} calls {} on what {} gave", named(twin), named(second), named(first))));
    }
    findings_.push_back(std::move(finding));
  }

  const RuleContext& context_;
  const Program& program_;
  const Program& before_;
  std::set<FunctionId> told_;
  std::vector<Step> old_steps_;
  std::vector<Finding>& findings_;
};

}  // namespace

void run_twin_lacks_call(const RuleContext& context, std::vector<Finding>& findings) {
  if (context.change != nullptr && context.before != nullptr) Finder(context, findings).run();
}

}  // namespace lockstep::rules
