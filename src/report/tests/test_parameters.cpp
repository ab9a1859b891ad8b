#include "report/tests/test_parameters.h"

#include <algorithm>

#include "base/strings.h"
#include "program/queries.h"
#include "report/source/code.h"
#include "report/source/given_arguments.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

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

/// What a call gives a parameter; its default where it gives nothing; null where it does not show.
const Expr* argument_for(const program::Program& program, const program::CallSite& site, FunctionId function,
                         const Parameter& parameter) {
  const rules::Given given = given_by(program, site, function, parameter.name.text);
  return given.how == rules::Given::How::kNothing ? parameter.default_value : given.value;
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

bool TestParameters::is_reached(FunctionId test, FunctionId function) const {
  const auto [place, is_new] = reached_.try_emplace(test.value, program_.functions().size(), false);
  if (is_new) {
    for (const program::Reached& one :
         program::reachable_from(program_, stand_ins_.code_of(test), program_.functions().size()))
      place->second[one.function.index()] = true;
  }
  return place->second[function.index()];
}

Values TestParameters::given_at(FunctionId test, FunctionId function, std::string_view parameter, int depth) const {
  const auto [place, is_new] = known_.try_emplace({test.value, function.value, parameter, depth});
  if (is_new) place->second = find_given(test, function, parameter, depth);
  return place->second;
}

Values TestParameters::find_given(FunctionId test, FunctionId function, std::string_view parameter, int depth) const {
  constexpr int kDeepest = 3;
  constexpr std::size_t kMostCallers = 40;
  const FunctionDef* def = program_.functions()[function].def();
  const Parameter* wanted = def == nullptr ? nullptr : rules::parameter_named(def, parameter);
  const auto callers = program_.callers_of(function);
  if (wanted == nullptr || depth > kDeepest || callers.size() > kMostCallers || rules::binds_name(*def, parameter))
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
      if (!is_own && !is_reached(test, site.caller)) continue;
      const Expr* argument = argument_for(program_, site, function, *wanted);
      Values values = argument == nullptr ? Values() : values_of(test, site.caller, argument, depth);
      if (values.empty()) return {};
      add_all(out, std::move(values));
    }
  }
  return out;
}

}  // namespace lockstep::report
