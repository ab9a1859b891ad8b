#include "report/source/named_attributes.h"

#include <algorithm>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/given_arguments.h"
#include "rules/calls/signatures.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

std::vector<NamedAttribute> named_attributes(const program::Program& program, program::FunctionId function) {
  std::vector<NamedAttribute> out;
  const FunctionDef* def = program.functions()[function].def();
  if (def == nullptr) return out;
  walk_of<Call>(*def, Nested::kEnter, [&](const Call* call) {
    const std::string_view callee = rules::name_of(call->callee);
    const bool is_set = callee == "setattr";
    if ((!is_set && callee != "getattr" && callee != "hasattr") || call->arguments.size() < 2) return;
    const std::string_view name = rules::name_of(call->arguments[1]);
    if (name.empty() || rules::parameter_named(def, name) == nullptr) return;
    const auto known =
        std::find_if(out.begin(), out.end(), [&](const NamedAttribute& one) { return one.parameter == name; });
    if (known == out.end()) {
      out.push_back({name, is_set});
    } else {
      known->is_set = known->is_set || is_set;
    }
  });
  return out;
}

std::vector<AttributeByCall> attributes_by_call(const program::Program& program, const Call& call) {
  std::vector<AttributeByCall> out;
  const bool has_text = std::any_of(call.arguments.begin(), call.arguments.end(),
                                    [](const Expr* one) { return !rules::text_of(one).empty(); }) ||
                        std::any_of(call.keywords.begin(), call.keywords.end(),
                                    [](const Keyword* one) { return !rules::text_of(one->value).empty(); });
  const program::CallId id = has_text ? program.call_of(&call) : program::CallId();
  if (!id.valid()) return out;
  const program::CallSite& site = program.calls()[id];
  for (const program::CallTarget& target : site.targets) {
    if (!target.function.valid() || !program::surely_enters(site, target.function)) continue;
    for (const NamedAttribute& named : named_attributes(program, target.function)) {
      const rules::Given given = given_by(program, site, target.function, named.parameter);
      const std::string_view text = given.how == rules::Given::How::kValue ? rules::text_of(given.value) : "";
      if (!text.empty()) out.push_back({text, named.is_set});
    }
  }
  return out;
}

}  // namespace lockstep::report
