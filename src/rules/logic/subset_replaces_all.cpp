// subset-replaces-all: a function collects some of a parameter's elements in a loop, calls that list by the parameter's
// name, and loops over the name again: the second loop no longer sees all elements.
//
// Left out: filters that only drop None, and functions that keep the whole under another name.

#include <fmt/format.h>

#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;

constexpr std::string_view kRule = "subset-replaces-all";

/// The list that `for x in whole` fills under a condition of several parts: `if a and b: part.append(x)`.
std::string_view filtered_into(const For& loop) {
  const std::string_view element = name_of(loop.target);
  std::string_view list;
  for (const Stmt* statement : loop.body) {
    const auto* branch = as<If>(statement);
    if (branch == nullptr || !is<BoolOp>(branch->condition) || !branch->orelse.empty()) continue;
    for (const Stmt* inner : branch->body) {
      const auto* expression = as<ExprStmt>(inner);
      const auto* call = expression == nullptr ? nullptr : as<Call>(expression->value);
      const auto* method = call == nullptr ? nullptr : as<Attribute>(call->callee);
      if (method != nullptr && method->name.text == "append" && call->arguments.size() == 1 &&
          name_of(call->arguments[0]) == element)
        list = name_of(method->value);
    }
  }
  return list;
}

void check_function(const program::Program& program, program::ModuleId module, const FunctionDef& def,
                    std::vector<Hit>& hits) {
  for (std::size_t i = 0; i < def.body.size(); ++i) {
    const auto* loop = as<For>(def.body[i]);
    const std::string_view whole = loop == nullptr ? std::string_view() : name_of(loop->iterable);
    const std::string_view part = whole.empty() ? std::string_view() : filtered_into(*loop);
    if (part.empty() || i + 1 >= def.body.size()) continue;
    const bool is_parameter = [&] {
      for (const Parameter* parameter : def.parameters->all) {
        if (parameter->name.text == whole) return true;
      }
      return false;
    }();
    const auto* assign = as<Assign>(def.body[i + 1]);
    if (!is_parameter || assign == nullptr || name_of(assign->targets[0]) != whole || name_of(assign->value) != part)
      continue;
    int loops = 0;
    walk_statements(def, Nested::kSkip, [&](const Stmt* statement) {
      const auto* later = as<For>(statement);
      loops += later != nullptr && later->span.begin > assign->span.end && name_of(later->iterable) == whole ? 1 : 0;
    });
    if (loops < 2) continue;
    hits.push_back(
        make_hit(program, kRule, module, assign->span,
                 {Severity::kP2, FindingCertainty::kQuestion, Category::kCorrectness,
                  fmt::format("Should all later loops over `{}` see the filtered elements only?", whole),
                  fmt::format("`{}` replaces what the caller passed, and {} loops below walk through it.", part, loops),
                  fmt::format("Keep both names and use `{}` where the filtered elements are meant.", part)}));
  }
}

void scan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  for (const FunctionId function : program.modules()[module].functions) {
    const FunctionDef* def = program.functions()[function].def();
    if (def != nullptr) check_function(program, module, *def, hits);
  }
}

}  // namespace

void run_subset_replaces_all(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
