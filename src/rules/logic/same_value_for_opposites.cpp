// same-value-for-opposites: two assignments in a row give names that are opposites (`only_left`, `only_right`) the same
// expression, though it treats the two sides differently (`len(x1) - len(x2)`): one was copied and not turned round.
//
// Left out: expressions that do not mention both sides, and values that are the same for both by design.

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "python/tree_walk.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;

constexpr std::string_view kRule = "same-value-for-opposites";
constexpr auto kOpposites = std::to_array<std::pair<std::string_view, std::string_view>>({{"left", "right"},
                                                                                          {"first", "second"},
                                                                                          {"src", "dst"},
                                                                                          {"source", "target"},
                                                                                          {"send", "recv"},
                                                                                          {"prev", "next"},
                                                                                          {"before", "after"},
                                                                                          {"lower", "upper"},
                                                                                          {"begin", "end"},
                                                                                          {"start", "end"},
                                                                                          {"row", "col"},
                                                                                          {"forward", "backward"},
                                                                                          {"encoder", "decoder"},
                                                                                          {"teacher", "student"},
                                                                                          {"a", "b"},
                                                                                          {"x", "y"},
                                                                                          {"1", "2"},
                                                                                          {"query", "key"},
                                                                                          {"fwd", "bwd"}});

/// `name` with the opposites of `pair` exchanged ("x1" for "x2"); empty where it holds neither.
std::string turned(std::string_view name, std::pair<std::string_view, std::string_view> pair) {
  for (const auto& [from, to] : {pair, std::pair{pair.second, pair.first}}) {
    for (std::size_t at = name.find(from); at != std::string_view::npos; at = name.find(from, at + 1)) {
      const bool starts = at == 0 || name[at - 1] == '_' || from == "1" || from == "2";
      const std::size_t after = at + from.size();
      if (starts && (after == name.size() || name[after] == '_'))
        return std::string(name.substr(0, at)) + std::string(to) + std::string(name.substr(after));
    }
  }
  return {};
}

bool are_opposites(std::string_view a, std::string_view b) {
  for (const auto& pair : kOpposites) {
    if (turned(a, pair) == b) return true;
  }
  return false;
}

/// True if the expression reads two names that are opposites, each of them: it is about both sides.
bool is_about_both(const Expr& value) {
  std::vector<std::string_view> names;
  walk_of<Name>(value, Nested::kEnter, [&](const Name* name) { names.push_back(name->id); });
  for (const std::string_view a : names) {
    for (const std::string_view b : names) {
      if (are_opposites(a, b)) return true;
    }
  }
  return false;
}

const Assign* single_assign(const Stmt& statement) {
  const auto* assign = as<Assign>(&statement);
  return assign != nullptr && assign->targets.size() == 1 && !name_of(assign->targets[0]).empty() ? assign : nullptr;
}

void scan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  const program::Module& row = program.modules()[module];
  const FileFacts& facts = *row.facts;
  for (const program::FunctionId function : row.functions) {
    for (const Seq<Stmt> block : blocks_of(*program.functions()[function].node)) {
      for (std::size_t i = 0; i + 1 < block.size(); ++i) {
        const Assign* one = single_assign(*block[i]);
        const Assign* two = single_assign(*block[i + 1]);
        if (one == nullptr || two == nullptr || one->value->span.size() != two->value->span.size()) continue;
        const std::string_view a = name_of(one->targets[0]);
        const std::string_view b = name_of(two->targets[0]);
        if (!are_opposites(a, b) || !is_about_both(*one->value)) continue;
        if (squeezed(facts, one->value->span) != squeezed(facts, two->value->span)) continue;
        hits.push_back(
            make_hit(program, kRule, module, two->span,
                     {Severity::kP2, FindingCertainty::kLikely, Category::kCorrectness,
                      fmt::format("`{}` and `{}` get the same value", a, b),
                      "The names are opposites and the expression tells the two sides apart, so one of the "
                      "two was probably copied and not turned round.",
                      fmt::format("Exchange the two sides in the value of one of them, `{}` or `{}`.", a, b)}));
      }
    }
  }
}

}  // namespace

void run_same_value_for_opposites(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
