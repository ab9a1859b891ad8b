#include "report/documents/compatibility/imported_alternatives.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "report/document.h"
#include "report/source/code.h"
#include "report/source/import_flags.h"
#include "report/story/steps/choice_chains.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

namespace {

/// Whether the chain stands under a condition: then that decides, too.
bool stands_under_condition(const program::Program& program, program::FunctionId function, const ChoiceChain& chain) {
  const std::vector<Guard> guards = guards_of(*program.functions()[function].node, chain.head()->span);
  return std::any_of(guards.begin(), guards.end(),
                     [&](const Guard& guard) { return guard.statement != chain.head() && guard.condition != nullptr; });
}

}  // namespace

void add_imported_alternatives(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  for (std::size_t i = 0; i < story.central.size(); ++i) {
    const Actor& actor = story.actor(i);
    if (!actor.is_function() || !actor.change->after || !actor.change->after->function.valid()) continue;
    const program::FunctionId function = actor.change->after->function;
    const program::Module& module = inputs.after->module_of(function);
    for (const ChoiceChain& chain : changed_chains(actor)) {
      if (stands_under_condition(*inputs.after, function, chain)) continue;
      // Asked first: no other condition comes before it.
      if (chain.after.size() < 2) continue;
      const Alternative& one = chain.after.front();
      const python::Call* call = one.act.call();
      if (!ChoiceChain::is_new(one) || one.condition == nullptr || call == nullptr) continue;
      const std::string_view flag = rules::name_of(one.condition);
      const python::FunctionDef* def = inputs.after->functions()[function].def();
      const bool is_own =
          def == nullptr || rules::parameter_named(def, flag) != nullptr || rules::binds_name(*def, flag);
      const auto imported = flag.empty() || is_own ? std::nullopt : imports_behind_flag(module.facts->tree(), flag);
      if (!imported || imported->empty()) continue;
      std::vector<std::string> names;
      for (const std::string& name : *imported) names.push_back(code(name));
      risks.push_back(
          {RiskKind::kCompatibility,
           fmt::format("Where {} can be imported, {} calls {} in place of what it called, with no setting given.",
                       join_words(names), code(short_name(inputs, *actor.change)), code(dotted_text(call->callee))),
           "Only whether the import succeeds decides over it; results and cost may differ", false});
      return;  // One is enough: the others go the same way.
    }
  }
}

}  // namespace lockstep::report
