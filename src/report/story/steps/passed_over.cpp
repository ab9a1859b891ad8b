#include "report/story/steps/passed_over.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/find_text.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Last names of library calls that are made for what they do outside the process or to the model.
bool acts_outside(std::string_view name) {
  static constexpr std::string_view kActing[] = {"backward", "delete", "dump",  "patch",   "post", "put",
                                                 "remove",   "rmtree", "run",   "save",    "send", "send_multipart",
                                                 "sendall",  "step",   "write", "makedirs"};
  return std::find(std::begin(kActing), std::end(kActing), name) != std::end(kActing);
}

/// 0: says nothing.
int weight_of(const Call& call, const WordsContext& context) {
  if (rules::is_log_call(&call)) return 0;
  if (collective_at(context, &call) != nullptr) return 4;
  const std::vector<program::FunctionId> callees = callees_of(*context.program, &call);
  if (acts_outside(callee_name(call)) && callees.empty()) return 3;
  return callees.empty() ? 0 : 2;
}

bool leaves_without_value(const If& branch) {
  if (branch.body.empty() || !branch.orelse.empty()) return false;
  const auto* last = as<Return>(branch.body.back());
  return last != nullptr && (last->value == nullptr || rules::is_none(last->value));
}

/// A call, and the step of the new version that makes it.
struct PassedCall {
  const Call* call = nullptr;
  std::size_t step = Step::kNone;
};

PassedCall find_passed(const StepComparison& steps, std::size_t index, const WordsContext& context) {
  const Step& step = steps.after[index];
  const auto* branch = step.kind == StepKind::kIf ? as<If>(step.node) : nullptr;
  if (branch == nullptr || step.status != StepStatus::kAdded || step.is_moved || step.is_elif || steps.before.empty() ||
      step.parent != Step::kNone || !leaves_without_value(*branch))
    return {};
  PassedCall found;
  int most = 0;
  for (std::size_t i = end_of(steps.after, index); i < steps.after.size(); ++i) {
    const Step& later = steps.after[i];
    if (later.parent != Step::kNone || later.status != StepStatus::kKept || later.is_moved ||
        later.kind != StepKind::kPlain || is<FunctionDef>(later.node))
      continue;
    walk_of<Call>(*later.node, Nested::kSkip, [&](const Call* call) {
      const int weight = weight_of(*call, context);
      if (weight == 0 || weight < most) return;
      most = weight;
      found = {call, i};
    });
  }
  return found;
}

/// What a condition asks of names.
struct Asked {
  std::vector<std::string_view> variables;   ///< No part of a chain: "x" of `x`.
  std::vector<std::string_view> attributes;  ///< "closed" of `self.closed`.
  bool has_calls = false;
};

Asked asked_by(const Expr& condition) {
  Asked out;
  std::vector<const Expr*> roots;
  const auto look = [&](const Expr* one) {
    out.has_calls = out.has_calls || is<Call>(one);
    if (const auto* attribute = as<Attribute>(one)) {
      out.attributes.push_back(attribute->name.text);
      roots.push_back(attribute->value);
    }
    const auto* name = as<Name>(one);
    if (name != nullptr && std::find(roots.begin(), roots.end(), one) == roots.end()) out.variables.push_back(name->id);
  };
  look(&condition);
  walk_expressions(condition, Nested::kEnter, look);
  return out;
}

const FunctionDef* definition_of(const WordsContext& context) {
  return as<FunctionDef>(context.program->functions()[context.function].node);
}

/// Whether the variable was there before: a parameter on both sides, or none that the function binds.
bool was_there(std::string_view variable, const WordsContext& before, const WordsContext& after) {
  const FunctionDef* now = definition_of(after);
  const FunctionDef* then = definition_of(before);
  if (now == nullptr || then == nullptr) return false;
  if (rules::parameter_named(now, variable) != nullptr) return rules::parameter_named(then, variable) != nullptr;
  return !rules::binds_name(*now, variable) && program::has_name(*before.program, variable);
}

/// How many classes declare or set the attribute, and command-line arguments give it.
std::size_t declarations_of(const program::Program& program, std::string_view attribute) {
  std::size_t count = 0;
  for (const program::Class& cls : program.classes()) {
    count += std::any_of(cls.fields.begin(), cls.fields.end(),
                         [&](const program::Field& field) { return field.name == attribute; })
                 ? 1
                 : 0;
  }
  for (const program::CallSite& site : program.calls()) {
    const auto* call = as<Call>(site.node);
    const bool declares = call != nullptr && callee_name(*call) == "add_argument";
    count += declares && rules::argparse_destination(*call) == attribute ? 1 : 0;
  }
  return count;
}

/// Whether the step may leave the function, or stop it.
bool may_leave(const Step& step) {
  return is<Assert>(step.node) || (is_statement(step.node) && rules::leaves(static_cast<const Stmt&>(*step.node)));
}

}  // namespace

const Call* passed_over(const StepComparison& steps, std::size_t index, const WordsContext& context) {
  return find_passed(steps, index, context).call;
}

const Call* came_to_before(const StepComparison& steps, std::size_t index, const WordsContext& before,
                           const WordsContext& after) {
  const PassedCall passed = find_passed(steps, index, after);
  if (passed.call == nullptr) return nullptr;
  const std::size_t was = steps.after[passed.step].partner;
  if (was == Step::kNone || steps.before[was].parent != Step::kNone) return nullptr;
  const Asked asked = asked_by(*as<If>(steps.after[index].node)->condition);
  const auto is_old_variable = [&](std::string_view name) { return was_there(name, before, after); };
  const auto is_old_attribute = [&](std::string_view name) {
    return program::has_name(*before.program, name) &&
           declarations_of(*after.program, name) <= declarations_of(*before.program, name);
  };
  if (asked.has_calls || !std::all_of(asked.variables.begin(), asked.variables.end(), is_old_variable) ||
      !std::all_of(asked.attributes.begin(), asked.attributes.end(), is_old_attribute))
    return nullptr;
  std::vector<std::string_view> names = asked.variables;
  names.insert(names.end(), asked.attributes.begin(), asked.attributes.end());
  for (std::size_t i = 0; i <= was; ++i) {
    const Step& step = steps.before[i];
    const auto is_named = [&](std::string_view name) {
      return find_name(before.source->slice(step.span), name) != std::string_view::npos;
    };
    const bool is_gone = step.status != StepStatus::kKept && may_leave(step);
    if (is_gone || std::any_of(names.begin(), names.end(), is_named)) return nullptr;
  }
  return passed.call;
}

PassedOver first_passed_over(const StepComparison& steps, const WordsContext& before, const WordsContext& after,
                             std::size_t most) {
  PassedOver out;
  for (std::size_t i = 0; i < steps.after.size() && out.branches.size() < most; ++i) {
    const Call* call = came_to_before(steps, i, before, after);
    if (call == nullptr || (out.call != nullptr && out.call != call)) continue;
    out.call = call;
    out.branches.push_back(i);
  }
  return out;
}

}  // namespace lockstep::report
