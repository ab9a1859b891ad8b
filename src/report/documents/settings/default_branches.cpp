#include "report/documents/settings/default_branches.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/defaults.h"
#include "report/source/given_arguments.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;

namespace {

/// Whether the function gives the name another value than the caller did; `x = float(x)` is the same one.
bool is_set_anew(const FunctionDef& def, std::string_view name) {
  std::size_t stores = 0;
  std::size_t casts = 0;
  walk_of<Name>(def, Nested::kEnter,
                [&](const Name* one) { stores += one->id == name && one->context != ExprContext::kLoad ? 1 : 0; });
  walk_of<Assign>(def, Nested::kSkip, [&](const Assign* assign) {
    const auto* call = as<Call>(assign->value);
    const bool is_cast = call != nullptr && call->arguments.size() == 1 && call->keywords.empty() &&
                         rules::name_of(call->arguments[0]) == name &&
                         (rules::name_of(call->callee) == "float" || rules::name_of(call->callee) == "int");
    if (is_cast && assign->targets.size() == 1 && rules::name_of(assign->targets[0]) == name) ++casts;
  });
  return stores != casts;
}

/// How many calls there are; nullopt where one gives the parameter something else than `stated`, or may.
std::optional<std::size_t> calls_with_default(const program::Program& program, FunctionId function,
                                              std::string_view name, const Value& stated) {
  const auto calls = program.callers_of(function);
  for (const program::CallId id : calls) {
    const program::CallSite& site = program.calls()[id];
    if (!gets_as_written(program, site, function)) return std::nullopt;
    const rules::Given given = given_by(program, site, function, name);
    if (given.how == rules::Given::How::kUnknown) return std::nullopt;
    const Value value = value_of(given.value);
    const bool is_same =
        is_same_value(value, stated) || (value.kind == Value::Kind::kNumber && stated.kind == Value::Kind::kNumber &&
                                         same_number(value.text, stated.text).value_or(false));
    if (given.value != nullptr && !is_same) return std::nullopt;
  }
  return calls.empty() ? std::nullopt : std::optional(calls.size());
}

bool is_infinity(const Expr* expression) {
  const std::string text = dotted_text(expression);
  return text == "inf" || text == "math.inf" || text == "torch.inf" || text == "np.inf" || text == "numpy.inf";
}

/// Whether the condition holds where the parameter is `stated`; none where that does not decide it.
std::optional<bool> holds_by_default(const Expr& condition, std::string_view name, const Value& stated) {
  return holds_with(condition, [&](const Expr& part) {
    const auto* read = as<Name>(&part);
    if (read != nullptr && read->id == name) return stated;
    // No number that is written down is infinite.
    const auto* compare = as<Compare>(&part);
    if (compare != nullptr && compare->ops.size() == 1 && compare->ops.front() == CompareOperator::kEq &&
        stated.kind == Value::Kind::kNumber && rules::name_of(compare->left) == name &&
        is_infinity(compare->comparators.front()))
      return Value{Value::Kind::kBool, false, "False"};
    return Value();
  });
}

/// The condition, of those that a changed step stands under or asks, that does not hold; empty where all may.
std::string unmet_by(const Actor& actor, const Step& step, std::string_view name, const Value& stated) {
  const SourceText& source = *actor.steps.after_source;
  std::vector<Guard> guards = guards_of(*actor.change->after->node, step.span);
  const auto* branch = step.kind == StepKind::kIf ? as<If>(step.node) : nullptr;
  if (branch != nullptr && branch->orelse.empty()) guards.push_back({branch, branch->condition, false});
  for (const Guard& guard : guards) {
    if (guard.condition == nullptr || !rules::mentions_name(*guard.condition, name)) continue;
    const std::optional<bool> holds = holds_by_default(*guard.condition, name, stated);
    if (holds && *holds == guard.negated) return condition_words(*guard.condition, source, guard.negated);
  }
  return {};
}

}  // namespace

void add_default_branches(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 2;
  constexpr std::size_t kMostConditions = 3;
  const program::Program& program = *inputs.after;
  std::size_t told = 0;
  for (const std::size_t index : story.central) {
    const Actor& actor = story.actors[index];
    const FunctionId function = actor.change->after ? actor.change->after->function : FunctionId();
    const FunctionDef* def = function.valid() ? program.functions()[function].def() : nullptr;
    if (def == nullptr || actor.is_added() || actor.steps.after_source == nullptr) continue;
    for (const Parameter* each : def->parameters->all) {
      const Parameter& parameter = *each;
      const std::string_view name = parameter.name.text;
      const Value stated = value_of(parameter.default_value);
      if (told == kMost || stated.kind == Value::Kind::kUnknown || is_set_anew(*def, name)) continue;
      std::vector<std::string> unmet;
      for (const Step& step : actor.steps.after) {
        if (step.status == StepStatus::kKept || step.is_moved) continue;
        std::string words = unmet_by(actor, step, name, stated);
        if (!words.empty() && std::find(unmet.begin(), unmet.end(), words) == unmet.end())
          unmet.push_back(std::move(words));
      }
      if (unmet.empty()) continue;
      const std::optional<std::size_t> calls = calls_with_default(program, function, name, stated);
      if (!calls) continue;
      ++told;
      const std::string own = code(short_name(inputs, *actor.change));
      const std::string value = code(one_line(source_of(program, function), *parameter.default_value, 30));
      const std::string all = *calls == 1 ? std::string("the one call") : fmt::format("all {} calls", *calls);
      // A finding asks for a test of that branch: that no call comes to it is said with it.
      const auto finding = std::find_if(risks.begin(), risks.end(), [&](const Risk& risk) {
        return risk.is_finding && risk.kind == RiskKind::kTests && contains(risk.concern, " branch ") &&
               contains(risk.concern, own) && contains(risk.concern, name);
      });
      if (finding != risks.end() && unmet.size() == 1) {
        finding->status += fmt::format("{} {} of the repository, tests included, {} {} at its default {}.",
                                       finding->status.ends_with(".") ? "" : ".", capitalised(all),
                                       *calls == 1 ? "leaves" : "leave", code(name), value);
        continue;
      }
      if (unmet.size() > kMostConditions) unmet.resize(kMostConditions);
      risks.push_back(
          {RiskKind::kTests,
           fmt::format("{} of {} is left at its default {} by {} of the repository, tests included: what changes "
                       "where {} runs in none.",
                       code(name), own, value, all, join_words(unmet, "or where")),
           "NOT TESTED: only code outside the repository can come to it", false});
    }
  }
}

}  // namespace lockstep::report
