#include "report/documents/compatibility/handed_rest.h"

#include <algorithm>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;

FunctionId taker_of_keywords(const program::Program& program, FunctionId function) {
  const FunctionDef* def = function.valid() ? program.functions()[function].def() : nullptr;
  if (def == nullptr) return {};
  const auto& all = def->parameters->all;
  const auto rest = std::find_if(all.begin(), all.end(), [](const Parameter* one) {
    return one->parameter_kind == Parameter::Kind::kVarKeywords;
  });
  if (rest == all.end() || rules::binds_name(*def, (*rest)->name.text)) return {};
  const std::string_view name = (*rest)->name.text;
  FunctionId found;
  bool is_sure = true;
  walk_of<Call>(*def, Nested::kEnter, [&](const Call* call) {
    const auto* member = as<Attribute>(call->callee);
    const bool takes_out = member != nullptr && rules::name_of(member->value) == name && member->name.text == "pop";
    is_sure = is_sure && !takes_out;
    const bool hands_on = std::any_of(call->keywords.begin(), call->keywords.end(), [&](const Keyword* one) {
      return one->name.text.empty() && rules::name_of(one->value) == name;
    });
    if (!hands_on) return;
    const program::CallId id = program.call_of(call);
    const bool is_one = id.valid() && program.calls()[id].targets.size() == 1 &&
                        program.calls()[id].targets.front().certainty == program::Certainty::kExact;
    const FunctionId callee = is_one ? program.calls()[id].targets.front().function : FunctionId();
    is_sure = is_sure && callee.valid() && (!found.valid() || found == callee);
    found = callee;
  });
  return is_sure ? found : FunctionId();
}

}  // namespace lockstep::report
