#include "report/ways/functions/used_results.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Whether the places hold nothing but returns, and assignments to locals that only returns read.
bool only_makes_result(const FunctionDef& def, const std::vector<Span>& places) {
  const auto is_inside = [&](Span span) {
    return std::any_of(places.begin(), places.end(), [&](Span place) { return place.contains(span); });
  };
  std::set<std::string_view> names;
  bool is_only = true;
  std::vector<Span> returns;
  walk_statements(def, Nested::kSkip, [&](const Stmt* statement) {
    const bool is_return = is<Return>(statement);
    if (is_return) returns.push_back(statement->span);
    const auto* lone = as<ExprStmt>(statement);
    const bool is_docstring = lone != nullptr && is<Constant>(lone->value);
    if (!is_inside(statement->span) || is_return || is_docstring || is<If>(statement) || is<Pass>(statement)) return;
    const auto* assign = as<Assign>(statement);
    if (assign == nullptr || assign->targets.size() != 1 || rules::name_of(assign->targets[0]).empty()) {
      is_only = false;
      return;
    }
    names.insert(rules::name_of(assign->targets[0]));
  });
  if (!is_only) return false;
  bool is_returned = std::any_of(returns.begin(), returns.end(), is_inside);
  walk_of<Name>(def, Nested::kEnter, [&](const Name* name) {
    if (!names.contains(name->id) || name->context != ExprContext::kLoad) return;
    const bool is_read_by_return =
        std::any_of(returns.begin(), returns.end(), [&](Span span) { return span.contains(name->span); });
    is_returned = is_returned || is_read_by_return;
    is_only = is_only && (is_read_by_return || is_inside(name->span));
  });
  return is_only && is_returned;
}

}  // namespace

bool is_about_result(const program::Program& program, const program::Program& before, program::FunctionId function,
                     const Touched& touched) {
  const FunctionDef* def = program.functions()[function].def();
  if (def == nullptr || touched.after.empty() || !touched.function_before.valid()) return false;
  const FunctionDef* old = before.functions()[touched.function_before].def();
  return old != nullptr && only_makes_result(*def, touched.after) &&
         (touched.before.empty() || only_makes_result(*old, touched.before));
}

bool UnusedResults::contains(program::CallId call) {
  const program::CallSite& site = program_.calls()[call];
  const Node* body = program_.functions()[site.caller].node;
  if (body == nullptr || site.node == nullptr) return false;
  const auto [statements, is_new] = statements_.try_emplace(site.caller.value);
  if (is_new) {
    walk_statements(*body, Nested::kSkip, [&](const Stmt* statement) {
      if (const Expr* value = thrown_away_by(*statement)) statements->second.insert(value);
    });
  }
  return statements->second.contains(site.node);
}

}  // namespace lockstep::report
