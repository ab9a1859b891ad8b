// arguments-swapped: `convert(dense, moe)` where the function is `convert(moe_model, dense_model)`: two positional
// arguments are rooted in names that are each other's parameters. And `loss(advantages=advantages, mask=advantages)` in
// a function that has a variable `mask`, which the call leaves aside.
//
// Left out: calls where the names do not say so for both, functions with several possible targets.

#include <fmt/format.h>

#include <algorithm>

#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/local_rule.h"
#include "rules/names/names.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

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

/// Another call of the function passes both variables under their own names: that is what they are for.
bool are_passed_elsewhere(const Node& function, const Call& call, std::string_view a, std::string_view b) {
  bool found = false;
  walk_of<Call>(function, Nested::kEnter, [&](const Call* other) {
    found =
        found || (other != &call && name_of(keyword_value(*other, a)) == a && name_of(keyword_value(*other, b)) == b);
  });
  return found;
}

/// `cu_seqlens_q` and `cu_seqlens_kv`: one value may well be both.
bool share_a_word(std::string_view a, std::string_view b) {
  return share_last_word(a, b) || a.substr(0, a.find('_')) == b.substr(0, b.find('_'));
}

/// `f(a=a, b=a)` where the function has a variable `b` that this call does not mention.
void check_keywords(const Program& program, const ScopeNames& names, FunctionId function, const Call& call,
                    std::vector<Hit>& hits) {
  const program::Function& row = program.functions()[function];
  const FileFacts& facts = *program.modules()[row.module].facts;
  const auto scope = facts.scope_of_node.find(row.node);
  if (scope == facts.scope_of_node.end()) return;
  for (const Keyword* keyword : call.keywords) {
    const std::string_view given = name_of(keyword->value);
    const std::string_view wanted = keyword->name.text;
    if (given.empty() || wanted.size() < 3 || given == wanted || mentions_name(call, wanted)) continue;
    if (share_a_word(given, wanted)) continue;
    if (name_of(keyword_value(call, given)) != given) continue;
    const auto takes_it = [&](const Keyword* each) { return name_of(each->value) == given; };
    if (std::count_if(call.keywords.begin(), call.keywords.end(), takes_it) != 2) continue;  // query, key and value
    const auto& bindings = names.bindings(scope->second, wanted);
    const bool has_own = std::any_of(bindings.begin(), bindings.end(), [&](const Binding* binding) {
      return binding->name_span.begin < call.span.begin &&
             (binding->kind == BindingKind::kAssign || binding->kind == BindingKind::kParameter);
    });
    if (!has_own || !are_passed_elsewhere(*row.node, call, given, wanted)) continue;
    hits.push_back(make_hit(
        program, kRule, row.module, keyword->span,
        {Severity::kP1, FindingCertainty::kLikely, Category::kCorrectness,
         fmt::format("`{0}` goes to the parameters `{0}` and `{1}`, and the variable `{1}` to none", given, wanted),
         "The call is accepted, with the wrong value in one parameter.", fmt::format("Pass `{0}={0}`.", wanted)}));
  }
}

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  const Signatures signatures(program);
  const ScopeNames names(*program.modules()[module].facts);
  for (const FunctionId function : program.modules()[module].functions) {
    walk_of<Call>(*program.functions()[function].node, Nested::kSkip, [&](const Call* call) {
      if (call->keywords.size() >= 2) check_keywords(program, names, function, *call, hits);
    });
  }
  walk_of<Call>(program.modules()[module].facts->tree(), Nested::kEnter, [&](const Call* call) {
    if (call->arguments.size() >= 2) check_call(program, signatures, module, *call, hits);
  });
}

}  // namespace

void run_arguments_swapped(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
