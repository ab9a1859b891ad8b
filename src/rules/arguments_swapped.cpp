// arguments-swapped: `convert(dense, moe)` where the function is `convert(moe_model, dense_model)`: two positional
// arguments are rooted in names that are each other's parameters.
//
// Left out: calls where the names do not say so for both, functions with several possible targets.

#include <fmt/format.h>

#include "python/tree_walk.h"
#include "rules/expressions.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/signatures.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "arguments-swapped";

/// `path1` and `path2`, `input_M` and `input_N`: two of a kind, which one is which says the function alone.
bool are_two_of_a_kind(std::string_view a, std::string_view b) {
  return a.size() == b.size() && a.size() > 1 &&
         (a.substr(0, a.size() - 1) == b.substr(0, b.size() - 1) || a.substr(1) == b.substr(1));
}

/// `gather_idx` and `scatter_idx`: one kind of value in two roles.
bool share_last_word(std::string_view a, std::string_view b) {
  return a.substr(a.rfind('_') + 1) == b.substr(b.rfind('_') + 1);
}

/// The way back exchanges on purpose what the way there took: a backward, or two roles in a file that also passes them
/// straight.
bool is_way_back(const Program& program, ModuleId module, const Call& call, FunctionId target,
                 const Signature& signature, const AcceptedParameter& first, const AcceptedParameter& second) {
  const FunctionId caller = program.calls()[program.call_of(&call)].caller;
  if (program.functions()[caller].name.find("backward") != std::string_view::npos || caller == target) return true;
  if (!share_last_word(first.name, second.name)) return false;
  for (const program::CallId id : program.callers_of(target)) {
    const program::CallSite& site = program.calls()[id];
    const auto* other = as<Call>(site.node);
    if (other == nullptr || other == &call || program.functions()[site.caller].module != module) continue;
    for (std::size_t i = 0; i < other->arguments.size(); ++i) {
      if (parameter_at(signature, *other, i) == &first && root_name(other->arguments[i]) == first.name) return true;
    }
  }
  return false;
}

void check_call(const Program& program, const Signatures& signatures, ModuleId module, const Call& call,
                std::vector<Hit>& hits) {
  const program::CallId id = program.call_of(&call);
  if (!id.valid() || program.calls()[id].targets.size() != 1 || has_spread_arguments(call)) return;
  const program::CallTarget& target = program.calls()[id].targets[0];
  if (!target.function.valid()) return;
  const auto signature = signatures.of_target(program.calls()[id], target);
  if (!signature) return;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const AcceptedParameter* first = parameter_at(*signature, call, i);
    const std::string_view given = root_name(call.arguments[i]);
    if (first == nullptr || given.size() < 3 || given == first->name) continue;
    for (std::size_t j = i + 1; j < call.arguments.size(); ++j) {
      const AcceptedParameter* second = parameter_at(*signature, call, j);
      if (second == nullptr || root_name(call.arguments[j]) != first->name || given != second->name) continue;
      if (are_two_of_a_kind(first->name, second->name)) return;
      if (is_way_back(program, module, call, target.function, *signature, *first, *second)) return;
      const FileFacts& facts = *program.modules()[module].facts;
      Hit hit = make_hit(
          program, kRule, module, {call.arguments[i]->span.begin, call.arguments[j]->span.end},
          {Severity::kP1, FindingCertainty::kLikely, Category::kCorrectness,
           fmt::format("`{}` goes to the parameter `{}`, and `{}` to `{}`", quote(facts, call.arguments[i]->span, 40),
                       first->name, quote(facts, call.arguments[j]->span, 40), second->name),
           fmt::format("`{}` takes the two the other way round.", short_name(program, target.function)),
           fmt::format("Exchange them, or pass them as `{}=…, {}=…`.", first->name, second->name)});
      hit.finding.evidence.push_back(evidence_at(program, program.functions()[target.function].module,
                                                 program.functions()[target.function].def()->name.span,
                                                 "what is called"));
      hits.push_back(std::move(hit));
      return;
    }
  }
}

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  const Signatures signatures(program);
  walk_of<Call>(program.modules()[module].facts->tree(), Nested::kEnter, [&](const Call* call) {
    if (call->arguments.size() >= 2) check_call(program, signatures, module, *call, hits);
  });
}

}  // namespace

void run_arguments_swapped(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
