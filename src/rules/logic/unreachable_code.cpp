// unreachable-code: on changed lines, statements that control never reaches: after a return, raise, continue or break
// of the same block, or after an `if` of which both branches end.
//
// Left out: the `yield` that makes a generator of a function, what follows an endless loop or `assert False`, and bare
// strings.

#include <fmt/format.h>

#include "python/tree_walk.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/flow.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "unreachable-code";

bool has_yield(const Node& node) {
  bool found = is<Yield>(&node) || is<YieldFrom>(&node);
  walk(node, Nested::kSkip, [&](const Node* each) { found = found || is<Yield>(each) || is<YieldFrom>(each); });
  return found;
}

bool surely_ends(const Stmt& statement) { return leaves(statement) || (is<If>(&statement) && ends_block(statement)); }

void check_block(const Program& program, ModuleId module, Seq<Stmt> block, std::vector<Hit>& hits) {
  for (std::size_t i = 0; i + 1 < block.size(); ++i) {
    if (!surely_ends(*block[i])) continue;
    const Stmt& first = *block[i + 1];
    const auto* value = as<ExprStmt>(&first);
    if (value != nullptr && is<Constant>(value->value)) return;
    for (std::size_t j = i + 1; j < block.size(); ++j) {
      if (has_yield(*block[j])) return;
    }
    const FileFacts& facts = *program.modules()[module].facts;
    const std::uint32_t line = facts.source().line_of(block[i]->span.begin) + 1;
    hits.push_back(
        make_hit(program, kRule, module, {first.span.begin, block.back()->span.end},
                 {Severity::kP2, FindingCertainty::kProven, Category::kMaintainability, "No path reaches this code",
                  fmt::format("The statement before it, on line {}, always leaves the block.", line),
                  "Take it out, or move it up."}));
    return;
  }
}

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  const auto blocks = [&](const Node& node) {
    for_each_block(node, [&](Seq<Stmt> block) { check_block(program, module, block, hits); });
  };
  const Module& tree = program.modules()[module].facts->tree();
  blocks(tree);
  walk_statements(tree, Nested::kEnter, [&](const Stmt* statement) { blocks(*statement); });
}

}  // namespace

void run_unreachable_code(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_changed_lines(context, Scope::kSourcesAndTests, scan, findings);
}

}  // namespace lockstep::rules
