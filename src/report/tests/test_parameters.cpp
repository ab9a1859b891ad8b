#include "report/tests/test_parameters.h"

#include <algorithm>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/tests/reached_code.h"
#include "rules/bindings.h"
#include "rules/expressions.h"

namespace lockstep::report {

using namespace python;
using program::CallId;
using program::FunctionId;

namespace {

using Values = std::vector<Value>;

const std::span<const Expr* const>* elements_of(const Expr* expression) {
  if (const auto* list = as<List>(expression)) return &list->elements;
  if (const auto* tuple = as<Tuple>(expression)) return &tuple->elements;
  return nullptr;
}

/// The place of the parameter among the names that `parametrize` is given; -1 where it is not one of them.
int place_of_name(const Expr& names, std::string_view parameter, bool& is_one) {
  int place = 0;
  if (const auto* several = elements_of(&names)) {
    is_one = false;
    for (const Expr* name : *several) {
      if (rules::text_of(name) == parameter) return place;
      ++place;
    }
    return -1;
  }
  const std::vector<std::string_view> parts = split(rules::text_of(&names), ',');
  is_one = parts.size() == 1;
  for (const std::string_view part : parts) {
    if (trim(part) == parameter) return place;
    ++place;
  }
  return -1;
}

/// The values of the parameter by one decorator; `is_named`: whether it gives the parameter any.
Values values_by(const Expr& decorator, std::string_view parameter, bool& is_named) {
  const auto* call = as<Call>(&decorator);
  is_named = false;
  if (call == nullptr || callee_name(*call) != "parametrize" || call->arguments.size() < 2) return {};
  bool is_one = true;
  const int place = place_of_name(*call->arguments[0], parameter, is_one);
  if (place < 0) return {};
  is_named = true;
  const auto* rows = elements_of(call->arguments[1]);
  if (rows == nullptr || rules::keyword_value(*call, "indirect") != nullptr) return {};
  Values out;
  for (const Expr* row : *rows) {
    const Expr* value = row;
    const auto* param = as<Call>(row);
    if (param != nullptr && callee_name(*param) == "param") {
      if (static_cast<std::size_t>(place) >= param->arguments.size()) return {};
      value = param->arguments[static_cast<std::size_t>(place)];
    } else if (!is_one) {
      const auto* parts = elements_of(row);
      if (parts == nullptr || static_cast<std::size_t>(place) >= parts->size()) return {};
      value = (*parts)[static_cast<std::size_t>(place)];
    }
    out.push_back(value_of(value));
    if (out.back().kind == Value::Kind::kUnknown) return {};
  }
  return out;
}

bool is_bound_again(const FunctionDef& def, std::string_view name) {
  bool found = false;
  walk_of<Name>(def, Nested::kEnter,
                [&](const Name* one) { found = found || (one->id == name && one->context != ExprContext::kLoad); });
  return found;
}

bool is_decorated_as(const FunctionDef& def, std::string_view name) {
  return std::any_of(def.decorators.begin(), def.decorators.end(),
                     [&](const Expr* one) { return rules::name_of(one) == name; });
}

/// What a call gives a parameter; its default where it gives nothing. `is_known` false: the call does not show it.
const Expr* argument_for(const program::Program& program, const program::CallSite& site, FunctionId function,
                         const Parameter& parameter, bool& is_known) {
  const auto* call = as<Call>(site.node);
  const program::Function& callee = program.functions()[function];
  const auto target = std::find_if(site.targets.begin(), site.targets.end(),
                                   [&](const program::CallTarget& one) { return one.function == function; });
  is_known = call != nullptr && target != site.targets.end() &&
             (target->kind == program::CallKind::kDirect || target->kind == program::CallKind::kConstructor) &&
             !rules::has_spread_arguments(*call) && !rules::has_spread_keywords(*call);
  if (!is_known) return nullptr;
  if (const Expr* value = rules::keyword_value(*call, parameter.name.text)) return value;
  const FunctionDef& def = *callee.def();
  std::size_t place = 0;
  for (const Parameter* one : def.parameters->all) {
    if (one == &parameter) break;
    ++place;
  }
  const auto* attribute = as<Attribute>(call->callee);
  const bool is_on_class = attribute != nullptr && target->kind == program::CallKind::kDirect &&
                           program.resolve(site.caller, *attribute->value).kind == program::Reference::Kind::kClass;
  const bool is_bound = callee.owner.valid() && !is_decorated_as(def, "staticmethod") &&
                        (!is_on_class || is_decorated_as(def, "classmethod"));
  if (is_bound) {
    is_known = place > 0;
    if (!is_known) return nullptr;
    --place;
  }
  const bool is_by_place = parameter.parameter_kind == Parameter::Kind::kPositionalOnly ||
                           parameter.parameter_kind == Parameter::Kind::kPositionalOrKeyword;
  if (is_by_place && place < call->arguments.size()) return call->arguments[place];
  is_known = parameter.default_value != nullptr;
  return parameter.default_value;
}

void add_all(Values& to, Values more) {
  for (Value& one : more) {
    if (std::none_of(to.begin(), to.end(), [&](const Value& known) { return is_same_value(known, one); }))
      to.push_back(std::move(one));
  }
}

}  // namespace

Values parametrized_values(const program::Program& program, FunctionId test, std::string_view parameter) {
  const program::Function& function = program.functions()[test];
  const FunctionDef* def = function.def();
  if (def == nullptr || rules::parameter_named(def, parameter) == nullptr) return {};
  const auto among = [&](std::span<const Expr* const> decorators, bool& is_named) {
    for (const Expr* decorator : decorators) {
      Values values = values_by(*decorator, parameter, is_named);
      if (is_named) return values;
    }
    return Values();
  };
  bool is_named = false;
  Values own = among(def->decorators, is_named);
  if (is_named || !function.owner.valid()) return own;
  return among(program.classes()[function.owner].node->decorators, is_named);
}

Values TestParameters::values_of(FunctionId test, FunctionId caller, const Expr* argument, int depth) const {
  if (Value value = value_of(argument); value.kind != Value::Kind::kUnknown) return {std::move(value)};
  const std::string_view name = rules::name_of(argument);
  const FunctionDef* def = program_.functions()[caller].def();
  if (name.empty() || def == nullptr || rules::parameter_named(def, name) == nullptr) return {};
  return given_at(test, caller, name, depth + 1);
}

Values TestParameters::given(FunctionId test, FunctionId function, std::string_view parameter) const {
  return given_at(test, function, parameter, 0);
}

Values TestParameters::given_at(FunctionId test, FunctionId function, std::string_view parameter, int depth) const {
  constexpr int kDeepest = 3;
  constexpr std::size_t kMostCallers = 40;
  const FunctionDef* def = program_.functions()[function].def();
  const Parameter* wanted = def == nullptr ? nullptr : rules::parameter_named(def, parameter);
  const auto callers = program_.callers_of(function);
  if (wanted == nullptr || depth > kDeepest || callers.size() > kMostCallers || is_bound_again(*def, parameter))
    return {};
  if (function == test) return parametrized_values(program_, test, parameter);
  const std::vector<FunctionId>& code = stand_ins_.code_of(test);
  const auto runs = [&](FunctionId one) { return std::find(code.begin(), code.end(), one) != code.end(); };
  Values out;
  // First what the test's own code gives: mostly it tells already that something is not known.
  for (const bool is_own : {true, false}) {
    for (const CallId id : callers) {
      const program::CallSite& site = program_.calls()[id];
      const bool is_of_tests = is_test_[program_.functions()[site.caller].module.index()];
      if (runs(site.caller) != is_own || (is_of_tests && !is_own)) continue;
      bool is_known = false;
      const Expr* argument = argument_for(program_, site, function, *wanted, is_known);
      Values values = is_known ? values_of(test, site.caller, argument, depth) : Values();
      if (!is_own && !reaches_any(program_, code, {site.caller})) continue;
      if (values.empty()) return {};
      add_all(out, std::move(values));
    }
  }
  return out;
}

}  // namespace lockstep::report
