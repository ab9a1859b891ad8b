// keyword-left-out: in one function, every call of some function of the repository passes on a variable under its own
// name (`timeout=timeout`, `group=self.group`), but one in many leaves it to the default.
//
// Left out: callees that are called fewer than five times, other values, and calls with `**kwargs`.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "keyword-left-out";
/// With fewer calls, those that agree say too little.
constexpr std::size_t kMinCalls = 5;
/// At most one call in so many may be the odd one out (and one always may).
constexpr std::size_t kCallsForEachOdd = 8;

/// True if the call reaches one function of the repository, in which this parameter has a default.
bool has_default(const Program& program, const Call& call, std::string_view name) {
  const program::CallId id = program.call_of(&call);
  if (!id.valid() || program.calls()[id].targets.size() != 1) return false;
  const FunctionId target = program.calls()[id].targets[0].function;
  const FunctionDef* def = target.valid() ? program.functions()[target].def() : nullptr;
  if (def == nullptr) return false;
  return std::any_of(def->parameters->all.begin(), def->parameters->all.end(), [&](const Parameter* parameter) {
    return parameter->name.text == name && parameter->default_value != nullptr;
  });
}

void compare(const Program& program, ModuleId module, std::string_view callee, const std::vector<const Call*>& calls,
             std::vector<Hit>& hits) {
  const FileFacts& facts = *program.modules()[module].facts;
  std::map<std::string_view, std::map<std::string, std::vector<const Call*>>> values;  // Keyword -> value -> calls.
  for (const Call* call : calls) {
    for (const Keyword* keyword : call->keywords)
      values[keyword->name.text][squeezed(facts, keyword->value->span)].push_back(call);
  }
  for (const auto& [name, by_value] : values) {
    if (by_value.size() != 1 || by_value.begin()->second.size() == calls.size()) continue;
    const std::size_t odd = calls.size() - by_value.begin()->second.size();
    if (odd > std::max<std::size_t>(1, calls.size() / kCallsForEachOdd)) continue;
    const auto& with = by_value.begin()->second;
    // A constant is an option of those calls; a variable of that name is something that all of them should know.
    const Keyword* sample = nullptr;
    for (const Keyword* keyword : with.front()->keywords) {
      if (keyword->name.text == name) sample = keyword;
    }
    if (sample == nullptr || (!is<Name>(sample->value) && !is<Attribute>(sample->value))) continue;
    if (last_part_of(sample->value) != name || !has_default(program, *calls.front(), name)) continue;
    for (const Call* call : calls) {
      if (std::find(with.begin(), with.end(), call) != with.end()) continue;
      Finding finding = finding_at(program, kRule, module, call->span);
      finding.severity = Severity::kP1;
      finding.certainty = FindingCertainty::kLikely;
      finding.category = Category::kCorrectness;
      finding.message = fmt::format("This call of `{}` leaves out `{}={}`, which the {} others here pass", callee, name,
                                    quote(facts, sample->value->span), with.size());
      finding.why = "The default is used for this one alone.";
      finding.fix =
          fmt::format("Pass `{}={}` here too, or say in a comment why not.", name, quote(facts, sample->value->span));
      finding.evidence.push_back(evidence_at(program, module, with.front()->span, "another call passes it"));
      hits.push_back(hit_of(program, module, std::move(finding)));
    }
  }
}

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  const program::Module& row = program.modules()[module];
  for (const FunctionId function : row.functions) {
    if (program.functions()[function].kind != program::FunctionKind::kFunction) continue;
    std::map<std::string, std::vector<const Call*>> by_callee;
    std::map<std::string, bool> spread;
    walk_of<Call>(*program.functions()[function].node, Nested::kSkip, [&](const Call* call) {
      if (!is<Name>(call->callee) && !is<Attribute>(call->callee)) return;
      const std::string callee = squeezed(*row.facts, call->callee->span);
      by_callee[callee].push_back(call);
      for (const Keyword* keyword : call->keywords) spread[callee] = spread[callee] || keyword->name.text.empty();
    });
    for (const auto& [callee, calls] : by_callee) {
      if (calls.size() >= kMinCalls && !spread[callee] && callee.size() <= 60)
        compare(program, module, callee, calls, hits);
    }
  }
}

}  // namespace

void run_keyword_left_out(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
