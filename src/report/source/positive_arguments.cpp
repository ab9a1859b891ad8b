#include "report/source/positive_arguments.h"

#include <algorithm>

#include "python/tree_walk.h"
#include "report/source/given_arguments.h"
#include "report/source/module_constants.h"
#include "report/ways/functions/unseen_uses.h"

namespace lockstep::report {

using namespace python;

namespace {

bool is_private(const program::Function& function) {
  return function.name.starts_with("_") && !function.name.ends_with("__");
}

/// Whether the function binds the name itself, or something inside it does.
bool is_bound_inside(const FunctionDef& def, std::string_view name) {
  bool found = false;
  for (const Stmt* statement : def.body) {
    const auto visit = [&](const Node* node) {
      const auto* bound = as<Name>(node);
      const auto* parameter = as<Parameter>(node);
      found = found || (bound != nullptr && bound->id == name && bound->context != ExprContext::kLoad) ||
              (parameter != nullptr && parameter->name.text == name);
    };
    visit(statement);
    walk(*statement, Nested::kEnter, visit);
  }
  return found;
}

}  // namespace

bool gets_positive_numbers(const program::Program& program, program::FunctionId function, std::string_view parameter) {
  constexpr std::size_t kMost = 50;
  if (!function.valid() || parameter.empty()) return false;
  const program::Function& asked = program.functions()[function];
  const FunctionDef* def = asked.def();
  if (def == nullptr || !is_private(asked) || is_bound_inside(*def, parameter)) return false;
  const auto& all = def->parameters->all;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Parameter* one) { return one->name.text == parameter; });
  if (found == all.end() || (*found)->parameter_kind == Parameter::Kind::kVarArgs ||
      (*found)->parameter_kind == Parameter::Kind::kVarKeywords)
    return false;
  const auto callers = program.callers_of(function);
  if (callers.empty() || callers.size() > kMost || UnseenUses(program).may_call(function)) return false;
  return std::all_of(callers.begin(), callers.end(), [&](program::CallId id) {
    const program::CallSite& site = program.calls()[id];
    const rules::Given given = given_by(program, site, function, parameter);
    if (given.how == rules::Given::How::kUnknown) return false;
    const bool is_given = given.how == rules::Given::How::kValue;
    const Expr* value = is_given ? given.value : (*found)->default_value;
    return value != nullptr && is_positive_number_of(program, is_given ? site.caller : function, *value);
  });
}

}  // namespace lockstep::report
