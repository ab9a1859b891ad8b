#include "report/documents/correctness/refused_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/defaults.h"
#include "report/source/given_arguments.h"
#include "report/story/wording/words.h"
#include "rules/calls/signatures.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::Program;

namespace {

/// `if parameter: raise error`, `if parameter is not None: raise error`.
struct Refused {
  std::string_view parameter;
  bool asks_for_none = false;  ///< Anything but None is refused.
  std::string_view error;
  const If* check = nullptr;
};

/// The error of a branch that does nothing else; empty for others.
std::string_view error_of(const If& branch) {
  const auto* raise = branch.orelse.empty() && branch.body.size() == 1 ? as<Raise>(branch.body.front()) : nullptr;
  if (raise == nullptr || raise->exception == nullptr) return {};
  const auto* call = as<Call>(raise->exception);
  return rules::last_part_of(call == nullptr ? raise->exception : call->callee);
}

/// What the function refuses at its start of its parameters, whatever else it is given.
std::vector<Refused> refused_by(const FunctionDef& def) {
  std::vector<Refused> out;
  const auto add = [&](const Expr* operand, const If& branch, std::string_view error) {
    const auto test = rules::none_test(*operand);
    if (test && test->is_none) return;
    const std::string_view name = rules::name_of(test ? test->subject : operand);
    if (rules::parameter_named(&def, name) != nullptr && !rules::binds_name(def, name))
      out.push_back({name, test.has_value(), error, &branch});
  };
  for (const Stmt* statement : def.body) {
    if (is<Return>(statement)) break;
    const auto* branch = as<If>(statement);
    const std::string_view error = branch == nullptr ? std::string_view() : error_of(*branch);
    if (error.empty()) {
      // What returns in between lets some calls pass.
      bool returns = false;
      walk_of<Return>(*statement, Nested::kSkip, [&](const Return*) { returns = true; });
      if (returns) break;
      continue;
    }
    const auto* either = as<BoolOp>(branch->condition);
    if (either == nullptr) {
      add(branch->condition, *branch, error);
    } else if (either->op == BoolOperator::kOr) {
      for (const Expr* operand : either->values) add(operand, *branch, error);
    }
  }
  return out;
}

/// The operands that all have to hold for the value to be true.
std::vector<const Expr*> parts_of(const Expr& value) {
  const auto* all = as<BoolOp>(&value);
  return all != nullptr && all->op == BoolOperator::kAnd
             ? std::vector<const Expr*>(all->values.begin(), all->values.end())
             : std::vector<const Expr*>{&value};
}

class RefusedArguments {
 public:
  explicit RefusedArguments(const DocumentInputs& inputs) : inputs_(inputs), program_(*inputs.after) {}

  /// What `function` refuses of what the call in `actor` gives it, in words with the place of the first check; nothing
  /// where there is none.
  std::optional<Risk> of(const Actor& actor, const program::CallSite& site, FunctionId function) const {
    constexpr std::size_t kMost = 3;
    const FunctionDef* def = program_.functions()[function].def();
    if (def == nullptr || !gets_as_written(program_, site, function)) return std::nullopt;
    const SourceText& source = *actor.steps.after_source;
    std::vector<std::string> told;
    std::string_view error;
    std::string where;
    for (const Refused& one : refused_by(*def)) {
      const rules::Given given = given_by(program_, site, function, one.parameter);
      if (given.how != rules::Given::How::kValue || !may_be_set(actor, site, *given.value, one.asks_for_none)) continue;
      if (!error.empty() && one.error != error) continue;
      error = one.error;
      if (where.empty())
        where = place(program_.module_of(function).path, source_of(program_, function).line_of(one.check->span.begin));
      const std::string words = one.asks_for_none
                                    ? fmt::format("{} is not {}", code(one_line(source, *given.value)), code("None"))
                                    : condition_words(*given.value, source);
      told.push_back(fmt::format("where {} (its {})", words, code(one.parameter)));
    }
    if (told.empty()) return std::nullopt;
    const std::size_t all = told.size();
    if (all > kMost) told.resize(kMost);
    if (told.size() < all) told.push_back(fmt::format("under {} more conditions", all - told.size()));
    return Risk{
        RiskKind::kCorrectness,
        fmt::format("{} raises {} for what {} gives it ({}), {}.", code(short_name(program_, function)), code(error),
                    code(short_name(inputs_, *actor.change)),
                    place(actor.change->after->path, source.line_of(site.node->span.begin)), join_words(told, "or")),
        fmt::format("A limit of what is new here, refused at {}", where), false};
  }

 private:
  /// Whether the value is an attribute or made of settings, and nothing around the call says that it is not set.
  [[nodiscard]] bool may_be_set(const Actor& actor, const program::CallSite& site, const Expr& value,
                                bool asks_for_none) const {
    const std::vector<const Expr*> parts = parts_of(value);
    const bool is_telling = std::all_of(parts.begin(), parts.end(), [&](const Expr* part) {
      return is<Attribute>(part) && (!config_reads(*part).empty() || !rules::self_attribute(part).empty());
    });
    if (!is_telling) return false;
    const std::string_view own = rules::self_attribute(&value);
    if (!own.empty() && is_only_off(program_.functions()[site.caller].owner, own)) return false;
    const SourceText& source = *actor.steps.after_source;
    const std::vector<Guard> guards = guards_of(*actor.change->after->node, site.node->span);
    return std::none_of(guards.begin(), guards.end(), [&](const Guard& guard) {
      return guard.condition != nullptr && std::any_of(parts.begin(), parts.end(), [&](const Expr* part) {
               return excludes(*guard.condition, guard.negated, without_layout(source, part->span), source,
                               asks_for_none);
             });
    });
  }

  /// Whether the part is not set where the condition holds, or, negated, does not hold.
  static bool excludes(const Expr& condition, bool negated, const std::string& part, const SourceText& source,
                       bool asks_for_none) {
    if (const auto* unary = as<UnaryOp>(&condition); unary != nullptr && unary->op == UnaryOperator::kNot)
      return excludes(*unary->operand, !negated, part, source, asks_for_none);
    if (const auto* both = as<BoolOp>(&condition); both != nullptr && (both->op == BoolOperator::kAnd) != negated) {
      return std::any_of(both->values.begin(), both->values.end(),
                         [&](const Expr* one) { return excludes(*one, negated, part, source, asks_for_none); });
    }
    if (const auto test = rules::none_test(condition))
      return test->is_none != negated && without_layout(source, test->subject->span) == part;
    return negated && without_layout(source, condition.span) == part;
  }

  /// Whether all that the class and those above it give the attribute is None or false.
  [[nodiscard]] bool is_only_off(ClassId owner, std::string_view name) const {
    if (!owner.valid()) return false;
    bool is_off = true;
    bool is_stored = false;
    for (const ClassId cls : program_.classes()[owner].linearized) {
      for (const FunctionId method : program_.classes()[cls].methods) {
        if (program_.functions()[method].node == nullptr) continue;
        walk_of<Assign>(*program_.functions()[method].node, Nested::kEnter, [&](const Assign* assign) {
          for (const Expr* target : assign->targets) {
            if (rules::self_attribute(target) != name) continue;
            is_stored = true;
            is_off = is_off && (rules::is_none(assign->value) || rules::is_false(assign->value));
          }
        });
      }
    }
    return is_stored && is_off;
  }

  const DocumentInputs& inputs_;
  const Program& program_;
};

/// Whether the old version of the function called one of that name.
bool entered_before(const DocumentInputs& inputs, const Actor& actor, FunctionId function) {
  const std::string& name = inputs.after->functions()[function].qualified_name;
  if (!actor.change->before || !actor.change->before->function.valid()) return false;
  const auto& calls = inputs.before->functions()[actor.change->before->function].calls;
  return std::any_of(calls.begin(), calls.end(), [&](program::CallId id) {
    const auto& targets = inputs.before->calls()[id].targets;
    return std::any_of(targets.begin(), targets.end(), [&](const program::CallTarget& one) {
      return one.function.valid() && inputs.before->functions()[one.function].qualified_name == name;
    });
  });
}

}  // namespace

void add_refused_arguments(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMostTold = 2;
  constexpr std::size_t kMostTargets = 4;
  const RefusedArguments refused(inputs);
  std::set<std::uint32_t> told;
  for (const Actor& actor : story.actors) {
    const bool is_one = actor.role != Role::kTest && actor.is_function() && actor.change->after &&
                        actor.change->after->function.valid() && actor.steps.after_source != nullptr;
    if (!is_one) continue;
    for (const program::CallId id : inputs.after->functions()[actor.change->after->function].calls) {
      const program::CallSite& site = inputs.after->calls()[id];
      if (site.node == nullptr || site.targets.empty() || site.targets.size() > kMostTargets) continue;
      const bool is_new = std::any_of(actor.steps.after.begin(), actor.steps.after.end(), [&](const Step& step) {
        return step.status != StepStatus::kKept && !step.is_moved && step.span.contains(site.node->span);
      });
      if (!is_new) continue;
      for (const program::CallTarget& target : site.targets) {
        if (told.size() == kMostTold) return;
        if (!target.function.valid() || target.certainty == program::Certainty::kByName ||
            program::is_test_path(inputs.after->module_of(target.function).path) ||
            told.contains(target.function.value) || entered_before(inputs, actor, target.function))
          continue;
        std::optional<Risk> risk = refused.of(actor, site, target.function);
        if (!risk) continue;
        told.insert(target.function.value);
        risks.push_back(std::move(*risk));
      }
    }
  }
}

}  // namespace lockstep::report
