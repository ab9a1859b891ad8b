// removed-keyword-passed: a function loses a parameter that it read, calls outside tests still pass it by its name, and
// `**kwargs`, which the function does nothing with, takes it without a word.
//
// Left out: parameters that the function did not read before (nothing changes for their callers), functions that
// mention their kwargs or have the name as a text, stubs, and calls that are linked by a method's name alone.

#include <fmt/format.h>

#include <algorithm>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/place.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using change::EntityChange;
using program::FunctionId;
using program::Program;

constexpr std::string_view kRule = "removed-keyword-passed";

/// `**kwargs` where nothing is done with it but to take what comes; null where there is none, where it is read or
/// handed on, and where the function has a text `gone`.
const Parameter* taker_of_any(const FunctionDef& def, std::string_view gone) {
  const auto& all = def.parameters->all;
  const auto taker = std::find_if(all.begin(), all.end(), [](const Parameter* one) {
    return one->parameter_kind == Parameter::Kind::kVarKeywords;
  });
  if (taker == all.end()) return nullptr;
  bool is_used = false;
  walk(def, Nested::kEnter, [&](const Node* node) {
    const auto* read = as<Name>(node);
    const auto* text = as<Constant>(node);
    is_used = is_used || (read != nullptr && (read->id == (*taker)->name.text || read->id == "locals")) ||
              (text != nullptr && text_of(text) == gone);
  });
  return is_used ? nullptr : *taker;
}

/// Whether the body reads the name for more than to refuse it: `assert bias is None`.
bool reads(const FunctionDef& def, std::string_view name) {
  return std::any_of(def.body.begin(), def.body.end(),
                     [&](const Stmt* statement) { return !is<Assert>(statement) && mentions_name(*statement, name); });
}

/// A body of more than a docstring, `pass` and `raise`.
bool does_anything(const FunctionDef& def) {
  return std::any_of(def.body.begin(), def.body.end(), [](const Stmt* statement) {
    const auto* value = as<ExprStmt>(statement);
    const bool is_text = value != nullptr && is<Constant>(value->value);
    return !is_text && !is<Pass>(statement) && !is<Raise>(statement);
  });
}

/// Calls outside tests that enter the function and give it the argument by name.
std::vector<Evidence> givers(const Program& program, FunctionId function, std::string_view name) {
  std::vector<Evidence> out;
  for (const program::CallId id : program.callers_of(function)) {
    const program::CallSite& site = program.calls()[id];
    const auto* call = as<Call>(site.node);
    const program::Module& module = program.module_of(site.caller);
    const Expr* given = call == nullptr ? nullptr : keyword_value(*call, name);
    if (given == nullptr || is_none(given) || program::is_test_path(module.path)) continue;
    const bool surely_enters =
        std::any_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& target) {
          return target.function == function && target.certainty != program::Certainty::kByName;
        });
    if (surely_enters)
      out.push_back(evidence_at(program, program.functions()[site.caller].module, call->span,
                                fmt::format("still passes `{}`", name)));
  }
  return out;
}

}  // namespace

void run_removed_keyword_passed(const RuleContext& context, std::vector<Finding>& findings) {
  constexpr std::size_t kMostShown = 5;
  const Program& program = context.program;
  for (const EntityChange& entity : context.change->entities) {
    if (!entity.after || !entity.before || !entity.after->function.valid() || !entity.before->function.valid() ||
        program::is_test_path(entity.after->path))
      continue;
    const FunctionId function = entity.after->function;
    const FunctionDef* def = program.functions()[function].def();
    const FunctionDef* was = context.before->functions()[entity.before->function].def();
    if (def == nullptr || was == nullptr || !does_anything(*def)) continue;
    for (const change::Difference& one : entity.differences) {
      if (one.kind != change::DifferenceKind::kParameterRemoved || !reads(*was, one.name)) continue;
      const Parameter* taker = taker_of_any(*def, one.name);
      if (taker == nullptr) continue;
      std::vector<Evidence> calls = givers(program, function, one.name);
      if (calls.empty()) continue;
      const std::size_t all = calls.size();
      if (all > kMostShown) calls.resize(kMostShown);
      Finding finding = finding_at(program, kRule, program.functions()[function].module, taker->span);
      finding.severity = Severity::kP2;
      finding.certainty = FindingCertainty::kQuestion;
      finding.category = Category::kCorrectness;
      finding.message =
          fmt::format("Is `{}`, which {}:{}{} still {} to `{}`, dropped by `**{}` on purpose?", one.name,
                      calls.front().path, calls.front().line + 1, all == 1 ? "" : fmt::format(" and {} more", all - 1),
                      all == 1 ? "passes" : "pass", short_name(program, function), taker->name.text);
      finding.why = "The function read it before this change; now the value has no effect, and nobody is told.";
      finding.fix = fmt::format("Stop passing `{}`, or go on taking it.", one.name);
      finding.evidence = std::move(calls);
      findings.push_back(std::move(finding));
    }
  }
}

}  // namespace lockstep::rules
