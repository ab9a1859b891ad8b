#include "report/ways/conditions/call_guards.h"

#include <algorithm>
#include <vector>

#include "python/tree.h"
#include "report/source/code.h"
#include "report/story/story.h"
#include "report/ways/conditions/condition_kinds.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using program::FunctionId;

const std::vector<Guard>& CallGuards::around(program::CallId call) {
  const auto [known, is_new] = around_.try_emplace(call.value);
  const program::CallSite& site = program_.calls()[call];
  const python::Node* body = program_.functions()[site.caller].node;
  if (is_new && body != nullptr) known->second = guards_of(*body, site.node->span);
  return known->second;
}

int CallGuards::cost(program::CallId id) {
  const program::CallSite& site = program_.calls()[id];
  signed char& known = costs_[id.index()];
  if (known >= 0) return known;
  constexpr int kOffByDefault = 32;  // More than a call that may enter something else.
  constexpr int kMost = 48;
  int cost = 0;
  for (const Guard& guard : around(id)) {
    if (guard.condition == nullptr) continue;
    const std::optional<bool> holds = holds_by_default(site.caller, *guard.condition);
    if (holds) {
      cost += *holds == !guard.negated ? 0 : kOffByDefault;
    } else {
      cost += config_reads(*guard.condition).empty() ? 1 : 3;
    }
  }
  known = static_cast<signed char>(std::min(cost, kMost));
  return known;
}

bool CallGuards::is_for_inference(program::CallId call) {
  signed char& known = is_for_inference_[call.index()];
  if (known < 0) known = ask_for_inference(around(call)) ? 1 : 0;
  return known != 0;
}

std::optional<bool> CallGuards::holds_as_declared(FunctionId function, const python::Expr& condition) {
  const std::optional<bool> holds =
      defaults_.differ_by_command_line(condition) ? std::nullopt : settings_.holds_by_default(function, condition);
  return holds ? holds : defaults_.holds(condition);
}

std::optional<bool> CallGuards::holds_by_default(FunctionId function, const python::Expr& condition) {
  const std::optional<bool> holds = holds_as_declared(function, condition);
  // What the program itself stores, a callback say, is not what was declared.
  return holds && stored_.are_computed_in(condition) ? std::nullopt : holds;
}

bool CallGuards::is_off(program::CallId call) {
  if (is_off_[call.index()] >= 0) return is_off_[call.index()] != 0;
  const program::CallSite& site = program_.calls()[call];
  const std::vector<Guard>& guards = around(call);
  const bool is_off = std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
    if (guard.condition == nullptr) return false;
    const std::optional<bool> holds = holds_by_default(site.caller, *guard.condition);
    return holds ? *holds == guard.negated : is_ungiven(site.caller, guard);
  });
  is_off_[call.index()] = is_off ? 1 : 0;
  return is_off;
}

const std::set<std::vector<std::string>>& CallGuards::asked(program::CallId call) {
  const auto [known, is_new] = asked_.try_emplace(call.value);
  if (!is_new) return known->second;
  std::set<std::vector<std::string>> out;
  const FunctionId function = program_.calls()[call].caller;
  const auto add = [&](const auto& self, const python::Expr& part, bool wanted) -> void {
    const auto* both = python::as<python::BoolOp>(&part);
    if (both != nullptr && (both->op == python::BoolOperator::kAnd) == wanted) {
      for (const python::Expr* one : both->values) self(self, *one, wanted);
    } else if (holds_by_default(function, part) == !wanted) {
      std::vector<std::string> read = config_reads(part);
      if (read.empty()) read.push_back(one_line_whole(source_of(program_, function), part));
      out.insert(std::move(read));
    }
  };
  for (const Guard& guard : around(call)) {
    if (guard.condition != nullptr) add(add, *guard.condition, !guard.negated);
  }
  return asked_[call.value] = std::move(out);
}

bool CallGuards::is_ungiven(FunctionId function, const Guard& guard) {
  bool wanted = !guard.negated;
  const python::Expr* read = guard.condition;
  while (const auto* unary = python::as<python::UnaryOp>(read)) {
    if (unary->op != python::UnaryOperator::kNot) return false;
    read = unary->operand;
    wanted = !wanted;
  }
  const std::string_view name = rules::name_of(read);
  const python::FunctionDef* def = program_.functions()[function].def();
  if (name.empty() || python::is<python::While>(guard.statement) || rules::parameter_named(def, name) == nullptr ||
      rules::binds_name(*def, name))
    return false;
  const std::optional<bool> given = given_by_default(function, name);
  return given && *given != wanted;
}

std::optional<bool> CallGuards::given_by_default(FunctionId function, std::string_view parameter) {
  const auto [known, is_new] = by_default_.try_emplace({function.value, parameter});
  if (!is_new) return known->second;
  if (!given_) given_.emplace(program_);
  const GivenValues values = given_->of(function, parameter);
  // What only constants decide is no matter of settings.
  if (values.has_others || values.settings.empty()) return std::nullopt;
  std::optional<bool> all;
  bool agree = true;
  const auto add = [&](const Value& value) {
    agree = agree && value.kind != Value::Kind::kUnknown && value.truth == all.value_or(value.truth);
    all = value.truth;
  };
  for (const python::Expr* constant : values.constants) add(value_of(constant));
  for (const ReadSetting& setting : values.settings)
    add(stored_.contains(setting.name) ? Value() : defaults_.value_of_name(setting.name));
  return by_default_[{function.value, parameter}] = agree ? all : std::nullopt;
}

bool CallGuards::is_switched_off(program::CallId call, const ScriptReach& script) {
  const auto [known, is_new] = switches_.try_emplace(call.value);
  if (is_new) known->second = switched_.asked_by(program_.calls()[call].caller, around(call));
  return std::any_of(known->second.begin(), known->second.end(), [&](const Switched& one) {
    return std::none_of(one.on.begin(), one.on.end(),
                        [&](const SwitchedOn& on) { return script.reaches(on.function); });
  });
}

bool CallGuards::is_never_made(program::CallId call, const ScriptReach& script) {
  if (asks_switches_ && is_switched_off(call, script)) {
    has_met_switch_ = true;
    return true;
  }
  const program::CallSite& site = program_.calls()[call];
  const std::vector<Guard>& guards = around(call);
  return std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
    if (guard.condition == nullptr || python::is<python::While>(guard.statement)) return false;
    // What holds with the defaults holds where they stay: cheaper to ask, and nearly always the answer.
    const auto fails = [&](std::optional<bool> holds) { return holds && *holds == guard.negated; };
    return fails(settings_.holds_by_default(site.caller, *guard.condition)) &&
           fails(settings_.holds(script, site.caller, *guard.condition));
  });
}

}  // namespace lockstep::report
