// raw-parameter-used: a constructor stores a parameter with an offset (`self.layer = layer + offset`) and then hands
// the raw parameter on under the same name (`layer=layer`), so parts of one object disagree about the number.
//
// Left out: offsets that are constants, and calls before the attribute is set.

#include <fmt/format.h>

#include <map>

#include "python/tree_walk.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;

constexpr std::string_view kRule = "raw-parameter-used";

/// "layer" of `self.layer = layer + offset(…)`.
std::string_view shifted(const Assign& assign) {
  const std::string_view name = assign.targets.size() == 1 ? self_attribute(assign.targets[0]) : std::string_view();
  const auto* sum = as<BinOp>(assign.value);
  if (name.empty() || sum == nullptr || sum->op != BinaryOperator::kAdd || is<Constant>(sum->right)) return {};
  return name_of(sum->left) == name ? name : std::string_view();
}

void check_constructor(const program::Program& program, program::ModuleId module, const Node& function,
                       std::vector<Hit>& hits) {
  std::map<std::string_view, const Assign*> stored;
  walk_of<Assign>(function, Nested::kSkip, [&](const Assign* assign) {
    if (const std::string_view name = shifted(*assign); !name.empty()) stored.emplace(name, assign);
  });
  if (stored.empty()) return;
  walk_of<Keyword>(function, Nested::kSkip, [&](const Keyword* keyword) {
    const auto found = stored.find(keyword->name.text);
    if (found == stored.end() || name_of(keyword->value) != keyword->name.text) return;
    if (keyword->span.begin < found->second->span.end) return;
    const FileFacts& facts = *program.modules()[module].facts;
    Hit hit = make_hit(program, kRule, module, keyword->span,
                       {Severity::kP2, FindingCertainty::kQuestion, Category::kCorrectness,
                        fmt::format("Is the raw `{0}` meant here, or `self.{0}`, which has an offset?", found->first),
                        fmt::format("The object keeps `{}`; what is built here gets the number without the offset.",
                                    quote(facts, found->second->value->span)),
                        fmt::format("Pass `{0}=self.{0}`.", found->first)});
    hit.finding.evidence.push_back(evidence_at(program, module, found->second->span, "the offset is added here"));
    hits.push_back(std::move(hit));
  });
}

void scan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  for (const FunctionId function : program.modules()[module].functions) {
    const program::Function& row = program.functions()[function];
    if (row.owner.valid() && row.name == "__init__") check_constructor(program, module, *row.node, hits);
  }
}

}  // namespace

void run_raw_parameter_used(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
