// list-becomes-element: `x = f(x[0])` on one branch, where the function takes x for a list before and reads `x[0]`
// after: on that branch the later `x[0]` takes the first row of a tensor.
//
// Left out: variables that are not tested to be lists, and branches that leave the function.

#include <fmt/format.h>

#include <map>

#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;

constexpr std::string_view kRule = "list-becomes-element";

/// `x = [x]` (x is made a list where it is none).
std::string_view made_list(const Stmt& statement) {
  const auto* assign = as<Assign>(&statement);
  const auto* list = assign == nullptr ? nullptr : as<List>(assign->value);
  if (list == nullptr || list->elements.size() != 1 || assign->targets.size() != 1) return {};
  const std::string_view name = name_of(assign->targets[0]);
  return !name.empty() && name_of(list->elements[0]) == name ? name : std::string_view();
}

/// `x[0]` of this name.
const Subscript* first_element(const Expr* expression, std::string_view name) {
  const auto* subscript = as<Subscript>(expression);
  if (subscript == nullptr || name_of(subscript->value) != name) return nullptr;
  const auto* index = as<Constant>(subscript->index);
  return index != nullptr && index->constant_kind == ConstantKind::kInt ? subscript : nullptr;
}

void check_function(const program::Program& program, program::ModuleId module, const Node& function,
                    std::vector<Hit>& hits) {
  std::map<std::string_view, const Stmt*> lists;
  walk_statements(function, Nested::kSkip, [&](const Stmt* statement) {
    if (const std::string_view name = made_list(*statement); !name.empty()) lists.emplace(name, statement);
  });
  if (lists.empty()) return;
  walk_of<Assign>(function, Nested::kSkip, [&](const Assign* assign) {
    const std::string_view name = assign->targets.size() == 1 ? name_of(assign->targets[0]) : std::string_view();
    const auto list = lists.find(name);
    const auto* call = as<Call>(assign->value);
    if (list == lists.end() || call == nullptr || call->arguments.size() != 1) return;
    // What reads a file or splits a text gives a list again.
    const std::string_view callee = last_part_of(call->callee);
    if (callee.find("read") != std::string_view::npos || callee.find("load") != std::string_view::npos ||
        callee.find("list") != std::string_view::npos || callee.find("split") != std::string_view::npos)
      return;
    if (first_element(call->arguments[0], name) == nullptr || assign->span.begin < list->second->span.begin) return;
    const Subscript* later = nullptr;
    walk_of<Subscript>(function, Nested::kSkip, [&](const Subscript* subscript) {
      if (later == nullptr && subscript->span.begin > assign->span.end) later = first_element(subscript, name);
    });
    if (later == nullptr) return;
    Hit hit = make_hit(program, kRule, module, assign->span,
                       {Severity::kP1, FindingCertainty::kLikely, Category::kCorrectness,
                        fmt::format("`{}` is a list above and below, but this makes it what the call returns", name),
                        fmt::format("The later `{}[0]` then takes the first row of that value.", name),
                        fmt::format("Assign the element: `{}[0] = …`.", name)});
    hit.finding.evidence.push_back(evidence_at(program, module, list->second->span, "made a list here"));
    hit.finding.evidence.push_back(evidence_at(program, module, later->span, "read as a list here"));
    hits.push_back(std::move(hit));
  });
}

void scan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  for (const FunctionId function : program.modules()[module].functions) {
    if (program.functions()[function].def() != nullptr)
      check_function(program, module, *program.functions()[function].node, hits);
  }
}

}  // namespace

void run_list_becomes_element(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
