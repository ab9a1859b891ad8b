// loop-overwrites-parameter: in a loop, one branch gives a parameter of the function a new value, and another branch of
// the same `if` reads it: from the next round on it reads what the first branch left there, not what the caller passed.
//
// Left out: loops that give the parameter its value anew at their start, counters (`x += 1`).

#include <fmt/format.h>

#include "python/tree_walk.h"
#include "rules/function_view.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;

constexpr std::string_view kRule = "loop-overwrites-parameter";

/// The constant that an assignment (also of one tuple to another) gives to `name`; null where it gives none.
const Expr* constant_given(const Stmt& statement, std::string_view name) {
  const auto* assign = as<Assign>(&statement);
  if (assign == nullptr || assign->targets.size() != 1) return nullptr;
  if (name_of(assign->targets[0]) == name) return is<Constant>(assign->value) ? assign->value : nullptr;
  const auto* targets = as<Tuple>(assign->targets[0]);
  const auto* values = as<Tuple>(assign->value);
  if (targets == nullptr || values == nullptr || targets->elements.size() != values->elements.size()) return nullptr;
  for (std::size_t i = 0; i < targets->elements.size(); ++i) {
    if (name_of(targets->elements[i]) == name && is<Constant>(values->elements[i])) return values->elements[i];
  }
  return nullptr;
}

bool reads(const Stmt& statement, std::string_view name) {
  bool found = false;
  walk_of<Name>(statement, Nested::kEnter,
                [&](const Name* each) { found = found || (each->id == name && each->context == ExprContext::kLoad); });
  return found;
}

/// The branches of `if … elif … else`, in order.
std::vector<Seq<Stmt>> branches_of(const If& branch) {
  std::vector<Seq<Stmt>> branches;
  for (const If* at = &branch; at != nullptr;) {
    branches.push_back(at->body);
    const If* next = at->orelse.size() == 1 ? as<If>(at->orelse[0]) : nullptr;
    if (next == nullptr && !at->orelse.empty()) branches.push_back(at->orelse);
    at = next;
  }
  return branches;
}

class FunctionScan : FunctionView {
 public:
  FunctionScan(const program::Program& program, FunctionId function, std::vector<Hit>& hits)
      : FunctionView(program, function, hits) {}

  void run() {
    for (const Seq<Stmt> block : blocks_of(*row_.node)) {
      for (const Stmt* statement : block) {
        if (const auto* loop = as<For>(statement)) inside(*loop);
      }
    }
  }

 private:
  void inside(const For& loop) {
    for (const Parameter* parameter : row_.def()->parameters->all) {
      if (mentions_name(*loop.target, parameter->name.text)) continue;
      for (const Stmt* statement : loop.body) {
        // Given anew in every round before it is used.
        const auto* assign = as<Assign>(statement);
        if (assign != nullptr && mentions_name(*assign->targets[0], parameter->name.text)) break;
        if (const auto* branch = as<If>(statement)) compare(loop, *branch, parameter->name.text);
      }
    }
  }

  void compare(const For& loop, const If& branch, std::string_view name) {
    const Stmt* overwritten = nullptr;
    const Stmt* read = nullptr;
    for (const Seq<Stmt> statements : branches_of(branch)) {
      for (const Stmt* statement : statements) {
        if (constant_given(*statement, name) != nullptr) {
          overwritten = overwritten == nullptr ? statement : overwritten;
          break;
        }
        if (reads(*statement, name)) {
          read = read == nullptr ? statement : read;
          break;
        }
      }
    }
    if (overwritten == nullptr || read == nullptr || is_test_of(branch, name)) return;
    Hit hit = make_hit(
        program_, kRule, row_.module, overwritten->span,
        {Severity::kP1, FindingCertainty::kLikely, Category::kCorrectness,
         fmt::format("This overwrites the parameter `{}` for all later rounds of the loop", name),
         fmt::format("Another branch reads `{}` and then gets this constant in place of what the caller passed.", name),
         "Give the result of the branch a name of its own."});
    hit.finding.evidence.push_back(evidence_at(program_, row_.module, read->span, "read here in a later round"));
    hit.finding.evidence.push_back(evidence_at(program_, row_.module, loop.target->span, "the loop"));
    hits_.push_back(std::move(hit));
  }

  /// `if first: first = False … else: use(first)`: a flag that the loop means to change.
  static bool is_test_of(const If& branch, std::string_view name) {
    for (const If* at = &branch; at != nullptr;) {
      if (mentions_name(*at->condition, name)) return true;
      at = at->orelse.size() == 1 ? as<If>(at->orelse[0]) : nullptr;
    }
    return false;
  }
};

void scan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  for (const FunctionId function : program.modules()[module].functions) {
    if (program.functions()[function].def() != nullptr) FunctionScan(program, function, hits).run();
  }
}

}  // namespace

void run_loop_overwrites_parameter(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
