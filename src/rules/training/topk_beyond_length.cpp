// topk-beyond-length: `torch.topk(scores, k=capacity, dim=0)` where the capacity is computed from a factor and nothing
// bounds it by what there is to choose from. With a factor of more than one, or few tokens, topk raises.
//
// Left out: values that anything in the function compares, or takes a minimum of, and those that come as parameters.

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/communication/group_queries.h"
#include "rules/function_view.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::Program;

constexpr std::string_view kRule = "topk-beyond-length";

bool is_bound(const Call& call) {
  const std::string_view name = last_part_of(call.callee);
  return name == "min" || name == "minimum" || name == "clamp" || name == "clip" || name == "clamp_";
}

bool takes_a_minimum(const Node& node) {
  bool found = false;
  walk_of<Call>(node, Nested::kEnter, [&](const Call* call) { found = found || is_bound(*call); });
  return found;
}

class FunctionScan : FunctionView {
 public:
  FunctionScan(const Program& program, FunctionId function, std::vector<Hit>& hits)
      : FunctionView(program, function, hits), queries_(program, function) {}

  void run() {
    walk_of<Call>(*row_.node, Nested::kSkip, [&](const Call* call) {
      if (last_part_of(call->callee) != "topk") return;
      const Expr* count = keyword_value(*call, "k");
      const auto* callee = as<Attribute>(call->callee);
      const std::size_t place = callee != nullptr && name_of(callee->value) != "torch" ? 0 : 1;
      if (count == nullptr && call->arguments.size() > place) count = call->arguments[place];
      const std::string_view name = name_of(count);
      if (!contains(to_lower(name), "capacity")) return;
      const Expr* value = queries_.only_value(*count);
      if (value != nullptr && is_computed(*value) && !is_bounded(name)) report(*call, name, *value);
    });
  }

 private:
  /// A product, or what a function whose own code takes no minimum gives.
  [[nodiscard]] bool is_computed(const Expr& value) const {
    if (takes_a_minimum(value)) return false;
    const auto* call = as<Call>(&value);
    if (call == nullptr) return is<BinOp>(&value);
    const program::CallId site = program_.call_of(call);
    if (!site.valid()) return false;
    const auto& targets = program_.calls()[site].targets;
    return !targets.empty() && std::all_of(targets.begin(), targets.end(), [&](const program::CallTarget& target) {
      return target.function.valid() && !takes_a_minimum(*program_.functions()[target.function].node);
    });
  }

  /// Something in the function compares it, or takes a minimum of it.
  [[nodiscard]] bool is_bounded(std::string_view name) const {
    bool found = false;
    walk_of<Compare>(*row_.node, Nested::kSkip,
                     [&](const Compare* compare) { found = found || mentions_name(*compare, name); });
    walk_of<Call>(*row_.node, Nested::kSkip,
                  [&](const Call* call) { found = found || (is_bound(*call) && mentions_name(*call, name)); });
    return found;
  }

  void report(const Call& call, std::string_view name, const Expr& value) {
    Hit hit =
        make_hit(program_, kRule, row_.module, call.span,
                 {Severity::kP1, FindingCertainty::kLikely, Category::kNumerics,
                  fmt::format("`{}` may be more than there is to choose from, and then topk raises", name),
                  "Nothing bounds it by the length of the dimension: with a large factor, or few tokens, the "
                  "capacity exceeds their number.",
                  fmt::format("Take `min({}, …)` of it and the length, or skip the choice where all fit.", name)});
    hit.finding.evidence.push_back(evidence_at(program_, row_.module, value.span, "computed here"));
    hits_.push_back(std::move(hit));
  }

  const GroupQueries queries_;
};

void scan(const Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  if (!contains(program.modules()[module].facts->source().bytes(), "topk(")) return;
  for (const FunctionId function : program.modules()[module].functions) FunctionScan(program, function, hits).run();
}

}  // namespace

void run_topk_beyond_length(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
