// coroutine-not-awaited: a call of an `async def` of the repository whose coroutine is never awaited: the call stands
// alone as a statement, or its result is used as if it were the value.
//
// Left out: coroutines handed to another call (gather, create_task, run), returned, yielded or stored; calls that may
// reach a plain function too; decorated functions.

#include <fmt/format.h>

#include <algorithm>

#include "python/tree_walk.h"
#include "rules/function_view.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "coroutine-not-awaited";

bool is_generator(const Node& function) {
  bool found = false;
  walk(function, Nested::kSkip, [&](const Node* node) { found = found || is<Yield>(node) || is<YieldFrom>(node); });
  return found;
}

/// The `async def` that the call surely reaches; none where it may reach anything else.
FunctionId coroutine_of(const Program& program, const Call& call) {
  const program::CallId id = program.call_of(&call);
  if (!id.valid() || program.calls()[id].targets.empty()) return {};
  FunctionId found;
  for (const program::CallTarget& target : program.calls()[id].targets) {
    if (!target.function.valid() || target.certainty == program::Certainty::kByName) return {};
    if (target.kind != program::CallKind::kDirect) return {};
    const FunctionDef* def = program.functions()[target.function].def();
    if (def == nullptr || !def->is_async || !def->decorators.empty() || is_generator(*def)) return {};
    for (const FunctionId below : program.overrides_of(target.function)) {
      const FunctionDef* other = program.functions()[below].def();
      if (other == nullptr || !other->is_async || !other->decorators.empty()) return {};
    }
    if (!found.valid()) found = target.function;
  }
  return found;
}

class FunctionScan : FunctionView {
 public:
  FunctionScan(const Program& program, FunctionId function, std::vector<Hit>& hits)
      : FunctionView(program, function, hits) {}

  void run() {
    walk_statements(*row_.node, Nested::kSkip, [&](const Stmt* statement) {
      if (const auto* alone = as<ExprStmt>(statement)) {
        const auto* call = as<Call>(alone->value);
        const FunctionId coroutine = call == nullptr ? FunctionId() : coroutine_of(program_, *call);
        if (coroutine.valid()) report(*call, coroutine, nullptr);
      }
      const auto* assign = as<Assign>(statement);
      const auto* annotated = as<AnnAssign>(statement);
      const Expr* value = assign != nullptr ? assign->value : annotated != nullptr ? annotated->value : nullptr;
      const auto* call = as<Call>(value);
      if (call == nullptr || (assign != nullptr && assign->targets.size() != 1)) return;
      const std::string_view name = name_of(assign != nullptr ? assign->targets[0] : annotated->target);
      const FunctionId coroutine = name.empty() ? FunctionId() : coroutine_of(program_, *call);
      if (!coroutine.valid()) return;
      if (const Node* used = used_as_value(name, call->span.end)) report(*call, coroutine, used);
    });
  }

 private:
  /// A use after `from` that no coroutine takes: an attribute of a value, an index, iteration, a text. Null where there
  /// is none, or something awaits the name.
  [[nodiscard]] const Node* used_as_value(std::string_view name, std::uint32_t from) const {
    constexpr std::string_view kOwn[] = {"send", "throw", "close", "cr_frame", "cr_running"};
    const Node* used = nullptr;
    walk(*row_.node, Nested::kEnter, [&](const Node* node) {
      if (node->span.begin < from) return;
      const Expr* base = nullptr;
      if (const auto* attribute = as<Attribute>(node)) {
        const bool is_own = std::find(std::begin(kOwn), std::end(kOwn), attribute->name.text) != std::end(kOwn);
        base = is_own ? nullptr : attribute->value;
      } else if (const auto* subscript = as<Subscript>(node)) {
        base = subscript->value;
      } else if (const auto* loop = as<For>(node)) {
        base = loop->is_async ? nullptr : loop->iterable;
      } else if (const auto* part = as<FormattedValue>(node)) {
        base = part->value;
      }
      if (used == nullptr && name_of(base) == name) used = base;
    });
    return is_awaited(name) ? nullptr : used;
  }

  [[nodiscard]] bool is_awaited(std::string_view name) const {
    bool found = false;
    walk_of<Await>(*row_.node, Nested::kEnter,
                   [&](const Await* await) { found = found || mentions_name(*await, name); });
    return found;
  }

  void report(const Call& call, FunctionId coroutine, const Node* used) {
    const std::string name = short_name(program_, coroutine);
    const bool in_async = row_.def() != nullptr && row_.def()->is_async;
    Hit hit =
        make_hit(program_, kRule, row_.module, call.span,
                 {Severity::kP1, FindingCertainty::kLikely, Category::kCorrectness,
                  fmt::format("`{}` is `async`, and nothing awaits what this call gives", name),
                  used == nullptr ? "The body never runs: the call only makes a coroutine, which is thrown away."
                                  : "The name holds a coroutine, not the value: the body has not run.",
                  in_async ? "Write `await` before the call."
                           : "Make this function `async` and await the call, or hand the coroutine to an event loop."});
    if (used != nullptr)
      hit.finding.evidence.push_back(evidence_at(program_, row_.module, used->span, "used as a value"));
    const program::Function& target = program_.functions()[coroutine];
    hit.finding.evidence.push_back(evidence_at(program_, target.module, target.def()->name.span, "defined here"));
    hits_.push_back(std::move(hit));
  }
};

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  const program::Module& row = program.modules()[module];
  FunctionScan(program, row.body, hits).run();
  for (const FunctionId function : row.functions) FunctionScan(program, function, hits).run();
}

}  // namespace

void run_coroutine_not_awaited(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
