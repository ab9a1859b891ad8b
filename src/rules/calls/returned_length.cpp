// returned-length: a function returns a tuple on one path and a single value on another, and a caller takes the result
// apart: on the odd path the caller raises, or takes a tensor apart along its first dimension.
//
// Left out: paths that return a call or a name whose value may be a tuple, None, functions that nobody takes apart.

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "returned-length";

/// True if every assignment of a name takes it out of a tuple whose other parts are dropped: `x, _, _ = …`.
bool is_single(const Node& function, std::string_view name) {
  int single = 0;
  int all = 0;
  walk(function, Nested::kSkip, [&](const Node* node) {
    const auto* stored = as<Name>(node);
    if (stored != nullptr && stored->id == name && stored->context == ExprContext::kStore) ++all;
    const auto* assign = as<Assign>(node);
    const auto* tuple = assign == nullptr ? nullptr : as<Tuple>(assign->targets[0]);
    if (tuple == nullptr || tuple->elements.size() < 2) return;
    const auto drops = [&](const Expr* each) { return name_of(each) == name || name_of(each) == "_"; };
    const bool taken = name_of(tuple->elements[0]) == name;
    if (taken && std::all_of(tuple->elements.begin(), tuple->elements.end(), drops)) ++single;
  });
  return single > 0 && single == all;
}

/// True if `assign` takes `name` out of a tuple and drops the rest: `x, _, _ = …`.
bool takes_first_alone(const Assign& assign, std::string_view name) {
  const auto* tuple = as<Tuple>(assign.targets[0]);
  if (tuple == nullptr || tuple->elements.size() < 2 || name_of(tuple->elements[0]) != name) return false;
  return std::all_of(tuple->elements.begin() + 1, tuple->elements.end(),
                     [](const Expr* each) { return name_of(each) == "_"; });
}

/// True if the last statement of the same block that gives the returned name a value is such an assignment.
bool is_single_here(const Node& function, const Return& returned, std::string_view name) {
  for (const Seq<Stmt> block : blocks_of(function)) {
    const auto at = std::find(block.begin(), block.end(), static_cast<const Stmt*>(&returned));
    for (auto before = at; at != block.end() && before != block.begin();) {
      const Stmt* statement = *--before;
      if (const auto* assign = as<Assign>(statement); assign != nullptr && takes_first_alone(*assign, name))
        return true;
      bool stores = false;
      walk_of<Name>(*statement, Nested::kSkip, [&](const Name* each) {
        stores = stores || (each->id == name && each->context == ExprContext::kStore);
      });
      if (stores) return false;
    }
  }
  return false;
}

struct Returns {
  std::optional<std::size_t> tuple;  ///< Length, where all tuples agree.
  const Return* single = nullptr;
  bool is_mixed = false;
};

Returns returns_of(const Node& function) {
  Returns found;
  walk_statements(function, Nested::kSkip, [&](const Stmt* statement) {
    const auto* returned = as<Return>(statement);
    if (returned == nullptr || returned->value == nullptr) return;
    if (const auto* tuple = as<Tuple>(returned->value)) {
      found.is_mixed = found.is_mixed || (found.tuple && *found.tuple != tuple->elements.size());
      found.tuple = tuple->elements.size();
    } else if (const std::string_view name = name_of(returned->value); !name.empty()) {
      if (found.single == nullptr && (is_single(function, name) || is_single_here(function, *returned, name)))
        found.single = returned;
    }
  });
  return found;
}

/// A call whose result is taken apart into `count` names.
const Call* taken_apart(const Program& program, FunctionId function, std::size_t count) {
  for (const program::CallId id : program.callers_of(function)) {
    const program::CallSite& site = program.calls()[id];
    const auto* call = as<Call>(site.node);
    if (call == nullptr) continue;
    const Call* found = nullptr;
    walk_of<Assign>(*program.functions()[site.caller].node, Nested::kSkip, [&](const Assign* assign) {
      const auto* tuple = as<Tuple>(assign->targets[0]);
      if (assign->value == call && tuple != nullptr && tuple->elements.size() == count) found = call;
    });
    if (found != nullptr) return found;
  }
  return nullptr;
}

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  for (const FunctionId function : program.modules()[module].functions) {
    const program::Function& row = program.functions()[function];
    if (row.def() == nullptr) continue;
    const Returns returns = returns_of(*row.node);
    if (!returns.tuple || *returns.tuple < 2 || returns.is_mixed || returns.single == nullptr) continue;
    const Call* call = taken_apart(program, function, *returns.tuple);
    const bool is_forward = row.name == "forward" && row.owner.valid();
    if (call == nullptr && !is_forward) continue;
    const FileFacts& facts = *program.modules()[module].facts;
    hits.push_back(
        make_hit(program, kRule, module, returns.single->span,
                 {call != nullptr ? Severity::kP1 : Severity::kP2, FindingCertainty::kLikely, Category::kCorrectness,
                  fmt::format("This returns one value where `{}` returns {} elsewhere", short_name(program, function),
                              *returns.tuple),
                  call != nullptr ? "A caller takes the result apart, which fails on this path."
                                  : "Callers that take the result apart fail on this path.",
                  fmt::format("Return {} values here too, `{}, …`.", *returns.tuple,
                              quote(facts, returns.single->value->span))}));
  }
}

}  // namespace

void run_returned_length(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
