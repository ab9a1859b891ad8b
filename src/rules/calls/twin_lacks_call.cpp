// twin-lacks-call: a change puts a call between two others on what they hand from one to the other
//   batch = first(batch); batch = merge(batch); … second(batch)     # `merge` is new
// and another function hands the result of the same first call to the same second one as before. A question: it may
// have no need of it.
//
// Left out: new calls under a condition of their own, those of what only reads, and of what was only renamed; functions
// that the change adds, methods that the changed one overrides, those that call the new one anywhere or call what does,
// those that lack what it takes, and those that make something else of the result in between; first and second calls
// that many functions make, and settings.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/strings.h"
#include "change/earlier.h"
#include "change/summary.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/names/bindings.h"
#include "rules/names/mentions.h"
#include "rules/place.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/method_names.h"
#include "rules/syntax/two_places.h"

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
  Span statement;             ///< Of the assignment or the call alone; else of the call.
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
  std::map<const Node*, const Stmt*> statements;
  walk_statements(*program.functions()[function].node, Nested::kSkip, [&](const Stmt* statement) {
    if (const auto* assign = as<Assign>(statement)) statements[assign->value] = statement;
    if (const auto* alone = as<ExprStmt>(statement)) statements[alone->value] = statement;
  });
  for (const program::CallId id : program.functions()[function].calls) {
    const program::CallSite& site = program.calls()[id];
    const auto* call = as<Call>(site.node);
    if (call == nullptr || site.targets.size() != 1) continue;
    const program::CallTarget& target = site.targets.front();
    if (!target.function.valid() || target.certainty != program::Certainty::kExact ||
        target.kind != program::CallKind::kDirect || program::is_test_path(program.module_of(target.function).path))
      continue;
    Step step{target.function, call, {}, false, call->span};
    if (const auto around = statements.find(call); around != statements.end()) {
      const auto* assign = as<Assign>(around->second);
      step.statement = around->second->span;
      step.is_statement = assign == nullptr;
      if (assign != nullptr && assign->targets.size() == 1) step.kept_in = name_of(assign->targets[0]);
    }
    steps.push_back(step);
  }
  return steps;
}

/// The steps of functions of one program, each found when first asked for.
class StepsOfFunctions {
 public:
  explicit StepsOfFunctions(const Program& program) : program_(program) {}

  const std::vector<Step>& of(FunctionId function) {
    const auto [known, is_new] = steps_.try_emplace(function);
    if (is_new) known->second = steps_of(program_, function);
    return known->second;
  }

 private:
  const Program& program_;
  std::map<FunctionId, std::vector<Step>> steps_;
};

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
  for_each_mention(*program.functions()[function].node, [&](std::string_view one) { found = found || one == name; });
  return found;
}

/// Whether something that starts between the two places gives the variable another value, or changes what it holds.
bool is_made_anew(const Node& function, std::string_view name, Span from, Span to) {
  bool found = false;
  walk(function, Nested::kSkip, [&](const Node* node) {
    if (node->span.begin < from.end || node->span.begin >= to.begin || node->span.contains(to)) return;
    const auto* bare = as<Name>(node);
    const auto* item = as<Subscript>(node);
    const auto* attribute = as<Attribute>(node);
    found = found || (bare != nullptr && bare->id == name && bare->context != ExprContext::kLoad) ||
            (item != nullptr && item->context != ExprContext::kLoad && root_name(item) == name) ||
            (attribute != nullptr && attribute->context != ExprContext::kLoad && root_name(attribute) == name);
  });
  return found;
}

/// Whether a run that has passed `first` may come to `second` in the same round: not by another branch, nor behind a
/// way out.
bool can_follow(const Node& function, Span first, Span second) {
  const auto is_at = [](Seq<Stmt> block, Span place) {
    return std::find_if(block.begin(), block.end(), [&](const Stmt* one) { return one->span.contains(place); });
  };
  bool can = true;
  const auto look = [&](Seq<Stmt> block) {
    const auto at = is_at(block, first);
    if (at == block.end() || is_at(block, second) != block.end()) return;
    can = can && !leaves(*block.back());
  };
  for (const Seq<Stmt>& block : blocks_of(function)) look(block);
  return can && !are_exclusive(function, first, second);
}

/// Whether one block of statements holds both places, the first one directly.
bool runs_with(const Node& function, Span first, Span second) {
  const std::vector<Seq<Stmt>> blocks = blocks_of(function);
  return std::any_of(blocks.begin(), blocks.end(), [&](Seq<Stmt> block) {
    const auto holds = [&](const Stmt* one) { return one->span.contains(second); };
    return std::any_of(block.begin(), block.end(), [&](const Stmt* one) { return one->span == first; }) &&
           std::any_of(block.begin(), block.end(), holds);
  });
}

/// A variable that holds what a call gave, from a statement on.
struct Holder {
  std::string_view name;
  Span since;
};

/// The variable that keeps what the step gave, and those that it is assigned to as it is.
std::vector<Holder> holders_of(const Node& function, const Step& step) {
  std::vector<Holder> holders{{step.kept_in, step.statement}};
  walk_of<Assign>(function, Nested::kSkip, [&](const Assign* assign) {
    if (assign->targets.size() != 1 || name_of(assign->value) != step.kept_in || name_of(assign->targets[0]).empty() ||
        assign->span.begin < step.statement.end)
      return;
    holders.push_back({name_of(assign->targets[0]), assign->span});
  });
  return holders;
}

/// Whether a call gives the result of another as it is: `second(first(x))`.
bool is_given_result(const Call& call, const Call& result) {
  return std::find(call.arguments.begin(), call.arguments.end(), &result) != call.arguments.end() ||
         std::any_of(call.keywords.begin(), call.keywords.end(),
                     [&](const Keyword* given) { return given->value == &result; });
}

/// Whether the second step takes what the first one gave, and nothing else that is made of it.
bool hands_on(const Node& function, const Step& first, const Step& second) {
  if (is_given_result(*second.call, *first.call)) return true;
  const Span from = first.statement, to = second.statement;
  if (first.kept_in.empty() || to.begin < from.end || !can_follow(function, from, to)) return false;
  const std::vector<Holder> holders = holders_of(function, first);
  // What is changed under one name is changed under all.
  return std::none_of(holders.begin(), holders.end(),
                      [&](const Holder& holder) { return is_made_anew(function, holder.name, holder.since, to); }) &&
         std::any_of(holders.begin(), holders.end(), [&](const Holder& holder) {
           return passes(*second.call, holder.name) && (holder.since == from || runs_with(function, holder.since, to));
         });
}

/// The call of `second` to which a function hands the result of `first`, and nothing else that is made of it; null
/// where it does not.
const Call* handing_of(const Node& function, const std::vector<Step>& steps, FunctionId first, FunctionId second) {
  for (const Step& one : steps) {
    if (one.callee != first) continue;
    for (const Step& other : steps) {
      if (other.callee == second && hands_on(function, one, other)) return other.call;
    }
  }
  return nullptr;
}

/// The parameter, and the local variables that hold it as it is: `rows = batch`, where nothing else gives them a value.
std::vector<std::string_view> names_of_parameter(const Node& function, std::string_view parameter) {
  std::vector<std::string_view> names{parameter};
  walk_of<Assign>(function, Nested::kSkip, [&](const Assign* assign) {
    const std::string_view local = assign->targets.size() == 1 ? name_of(assign->targets[0]) : std::string_view();
    if (!local.empty() && name_of(assign->value) == parameter && bindings_of(function, local, Nested::kEnter) == 1)
      names.push_back(local);
  });
  return names;
}

/// Whether a function may change what it is given as `parameter`: stores into it, calls a method that does, hands it
/// on. `names`: what it calls it.
bool may_change(const Program& program, FunctionId function, const std::vector<std::string_view>& names) {
  const Node& body = *program.functions()[function].node;
  const auto is_it = [&](std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  bool found = binds_name(body, names.front());
  walk(body, Nested::kEnter, [&](const Node* node) {
    const auto* item = as<Subscript>(node);
    const auto* attribute = as<Attribute>(node);
    const auto* call = as<Call>(node);
    if (item != nullptr && item->context != ExprContext::kLoad) found = found || is_it(root_name(item));
    if (attribute != nullptr && is_it(root_name(attribute))) {
      const std::string_view name = attribute->name.text;
      found = found || attribute->context != ExprContext::kLoad || works_in_place(name) || changes_container(name);
    }
    if (call != nullptr && !is_log_call(call) &&
        std::any_of(names.begin(), names.end(), [&](std::string_view name) { return passes(*call, name); })) {
      const program::Reference callee = program.resolve(function, *call->callee);
      const bool is_builtin =
          callee.kind == program::Reference::Kind::kExternal && callee.name.starts_with("builtins.");
      found = found || !is_builtin;
    }
  });
  return found;
}

/// Whether all that the function gives back is what it was given, under one of its names for it.
bool gives_back(const Program& program, FunctionId function, const std::vector<std::string_view>& names) {
  bool is_same = true, returns = false;
  walk(*program.functions()[function].node, Nested::kSkip, [&](const Node* node) {
    if (is<Yield>(node) || is<YieldFrom>(node)) is_same = false;
    const auto* statement = as<Return>(node);
    if (statement == nullptr) return;
    returns = true;
    is_same = is_same && std::find(names.begin(), names.end(), name_of(statement->value)) != names.end();
  });
  return is_same && returns;
}

/// Whether a call may leave something else under the name than it takes; false where it surely only reads it.
bool may_transform(const Program& program, const Signatures& signatures, const Step& step, std::string_view handed) {
  const program::CallSite& site = program.calls()[program.call_of(step.call)];
  const std::optional<Signature> signature = signatures.of_target(site, site.targets.front());
  if (!signature) return true;
  for (const AcceptedParameter& one : signature->parameters) {
    if (name_of(given_to(*signature, *step.call, one.name).value) != handed) continue;
    const auto names = names_of_parameter(*program.functions()[step.callee].node, one.name);
    if (may_change(program, step.callee, names) || (!step.is_statement && !gives_back(program, step.callee, names)))
      return true;
  }
  return false;
}

class Finder {
 public:
  Finder(const RuleContext& context, std::vector<Finding>& findings)
      : context_(context),
        program_(context.program),
        before_(*context.before),
        signatures_(context.program),
        earlier_(*context.change),
        findings_(findings) {}

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
    const std::vector<Step>& steps = steps_.of(after);
    const program::Module& module = program_.module_of(after);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& added = steps[i];
      const std::uint32_t line = module.facts->source().line_of(added.call->span.begin);
      if (told_.contains(added.callee) || !context_.change->touches_after(module.path, line) ||
          names(before_, before, name_before(added.callee)))
        continue;
      if (added.is_statement || (!added.kept_in.empty() && passes(*added.call, added.kept_in)))
        look_around(before, after, steps, i);
    }
  }

  /// What the function was called before the change.
  [[nodiscard]] std::string_view name_before(FunctionId function) const {
    const FunctionId old = earlier_.of(function);
    return old.valid() ? before_.functions()[old].name : program_.functions()[function].name;
  }

  /// The calls before and after number `at` that hand on what it takes.
  void look_around(FunctionId before, FunctionId after, const std::vector<Step>& steps, std::size_t at) {
    const Step& added = steps[at];
    const Node& body = *program_.functions()[after].node;
    for (std::size_t i = at; i-- > 0;) {
      const std::string_view handed = steps[i].kept_in;
      if (handed.empty() || is_settings(handed) || !passes(*added.call, handed)) continue;
      if (!added.is_statement && added.kept_in != handed) return;
      for (std::size_t j = at + 1; j < steps.size(); ++j) {
        if (!passes(*steps[j].call, handed)) continue;
        const bool is_between = !is_made_anew(body, handed, steps[i].statement, added.statement) &&
                                !is_made_anew(body, handed, added.statement, steps[j].statement);
        if (is_between && always_runs_before(body, *added.call, *steps[j].call) &&
            may_transform(program_, signatures_, added, handed) && was_handed(before, steps[i].callee, steps[j].callee))
          ask(after, steps[i].callee, added, handed, steps[j].callee);
        return;
      }
      return;
    }
  }

  /// Whether no condition stands around `first` that does not stand around `second`.
  static bool always_runs_before(const Node& function, const Call& first, const Call& second) {
    return guards_beyond(function, first.span, second.span).empty();
  }

  /// Whether the function before the change handed on from one to the other.
  [[nodiscard]] bool was_handed(FunctionId before, FunctionId first, FunctionId second) const {
    const FunctionId old_first = earlier_.of(first), old_second = earlier_.of(second);
    return old_first.valid() && old_second.valid() &&
           handing_of(*before_.functions()[before].node, steps_before_.of(before), old_first, old_second) != nullptr;
  }

  void ask(FunctionId function, FunctionId first, const Step& added, std::string_view handed, FunctionId second) {
    const std::set<FunctionId> callers = callers_outside_tests(program_, first);
    if (callers.size() > kMostCallers || callers_outside_tests(program_, second).size() > kMostCallers) return;
    const std::string_view name = program_.functions()[added.callee].name;
    std::vector<std::pair<FunctionId, const Call*>> twins;
    for (const FunctionId twin : callers) {
      if (twin == function || program_.functions()[twin].def() == nullptr || overrides(function, twin) ||
          is_dealt_with(twin, name) || !could_make(twin, function, *added.call, handed) || !earlier_.of(twin).valid())
        continue;
      const Call* handing = handing_of(*program_.functions()[twin].node, steps_.of(twin), first, second);
      if (handing != nullptr) twins.emplace_back(twin, handing);
    }
    if (twins.empty() || twins.size() > kMostTwins) return;
    told_.insert(added.callee);
    report(function, first, added, second, twins);
  }

  /// Whether the function stands in place of the twin in a class below: to do otherwise is what it is for.
  [[nodiscard]] bool overrides(FunctionId function, FunctionId twin) const {
    const std::vector<FunctionId> all = program_.overrides_of(twin);
    return std::binary_search(all.begin(), all.end(), function);
  }

  /// Whether the twin has the attributes of `self` and the variables that the call in `function` takes.
  [[nodiscard]] bool could_make(FunctionId twin, FunctionId function, const Call& call, std::string_view handed) const {
    const program::ClassId owner = program_.functions()[twin].owner;
    bool has_all = true;
    const auto look = [&](const Node* node) {
      if (const std::string_view name = self_attribute(as<Attribute>(node)); !name.empty()) {
        has_all = has_all && owner.valid() &&
                  (program_.find_field(owner, name) != nullptr || program_.find_method(owner, name).valid());
      } else if (const auto* variable = as<Name>(node); variable != nullptr && variable->id != handed) {
        const bool is_local = program_.resolve(function, *variable).kind == program::Reference::Kind::kUnknown;
        has_all = has_all && (!is_local || names(program_, twin, variable->id));
      }
    };
    walk(call, Nested::kSkip, look);
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
    finding.why = fmt::format("{} may get two forms of it: as {} leaves it, and as {} gives it.", named(second),
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
  const Signatures signatures_;
  const change::EarlierFunctions earlier_;
  mutable StepsOfFunctions steps_{program_}, steps_before_{before_};
  std::set<FunctionId> told_;
  std::vector<Finding>& findings_;
};

}  // namespace

void run_twin_lacks_call(const RuleContext& context, std::vector<Finding>& findings) {
  if (context.change != nullptr && context.before != nullptr) Finder(context, findings).run();
}

}  // namespace lockstep::rules
