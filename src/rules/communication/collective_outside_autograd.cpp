// collective-outside-autograd: `all_reduce(z)` in place on a value between the parameters and the loss, then
// `….backward()`. Autograd does not know the collective: the gradient is that of each rank's own part (measured: wrong
// gradients on all ranks, and nothing raises).
//
// Left out: the loss itself (reducing what is logged leaves its gradient as it is), values that are detached or made
// under `no_grad`, losses that another function differentiates.

#include <fmt/format.h>

#include <array>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/communication/group_queries.h"
#include "rules/function_view.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/word_tables.h"
#include "rules/training/value_places.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::Program;

constexpr std::string_view kRule = "collective-outside-autograd";
constexpr auto kInPlace = std::to_array<std::string_view>({"torch.distributed.all_reduce", "torch.distributed.reduce"});

/// Under `with torch.no_grad():` or `torch.inference_mode()`.
bool is_without_grad(const Node& function, Span place) {
  bool found = false;
  walk_of<With>(function, Nested::kSkip, [&](const With* with) {
    if (!with->span.contains(place)) return;
    for (const WithItem* item : with->items)
      found = found || calls_name(*item, "no_grad") || calls_name(*item, "inference_mode");
  });
  return found;
}

class FunctionScan : FunctionView {
 public:
  FunctionScan(const Program& program, FunctionId function, std::vector<Hit>& hits)
      : FunctionView(program, function, hits), queries_(program, function) {}

  void run() {
    if (!calls_name(*row_.node, "backward")) return;
    const ValuePlaces places(program_);
    walk_of<Call>(*row_.node, Nested::kSkip, [&](const Call* call) {
      if (call->arguments.empty() || !has(kInPlace, places.external_callee(*call))) return;
      const std::string_view name = name_of(call->arguments[0]);
      const Expr* value = name.empty() ? nullptr : queries_.only_value(*call->arguments[0]);
      if (value == nullptr || !is<Call>(value) || calls_name(*value, "detach") || calls_name(*value, "item")) return;
      if (is_without_grad(*row_.node, call->span)) return;
      if (const Call* backward = backward_through(name, call->span.end)) report(*call, name, *backward);
    });
  }

 private:
  /// `z.sum().backward()`, or `loss = f(z)` and `loss.backward()`, after `from`.
  const Call* backward_through(std::string_view name, std::uint32_t from) const {
    const Call* found = nullptr;
    walk_of<Call>(*row_.node, Nested::kSkip, [&](const Call* call) {
      const auto* method = as<Attribute>(call->callee);
      if (found != nullptr || call->span.begin < from || method == nullptr || method->name.text != "backward") return;
      const Expr* loss = method->value;
      if (is<Name>(loss)) loss = name_of(loss) == name ? nullptr : queries_.only_value(*loss);
      if (loss == nullptr || loss->span.begin < from || !mentions_name(*loss, name)) return;
      if (!calls_name(*loss, "detach")) found = call;
    });
    return found;
  }

  void report(const Call& call, std::string_view name, const Call& backward) {
    Hit hit = make_hit(
        program_, kRule, row_.module, call.span,
        {Severity::kP1, FindingCertainty::kLikely, Category::kNumerics,
         fmt::format("Autograd does not see this `{}` of `{}`", last_part_of(call.callee), name),
         "The collective works in place and has no backward: every rank gets the gradient of its own part alone. "
         "Measured: wrong gradients, and nothing raises.",
         "Use `torch.distributed.nn.functional.all_reduce`, or an autograd function whose backward reduces, too."});
    hit.finding.evidence.push_back(evidence_at(program_, row_.module, backward.span, "the gradient is taken here"));
    hits_.push_back(std::move(hit));
  }

  const GroupQueries queries_;
};

void scan(const Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  if (!contains(program.modules()[module].facts->source().bytes(), "backward")) return;
  for (const FunctionId function : program.modules()[module].functions) FunctionScan(program, function, hits).run();
}

}  // namespace

void run_collective_outside_autograd(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
