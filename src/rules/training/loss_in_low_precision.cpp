// loss-in-low-precision: a loss is summed, averaged or reduced over ranks in 16 bits: `loss.half().sum()`,
// `all_reduce(loss.bfloat16())`. The parts and the sum are rounded to 8 bits (bfloat16) or 11 (float16, which ends at
// 65504), whatever the kernel adds up in.
//
// Left out: losses whose names do not say so, casts in other statements, and maxima.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "loss-in-low-precision";
constexpr auto kSums = std::to_array<std::string_view>(
    {"sum", "mean", "cumsum", "nansum", "nanmean", "all_reduce", "reduce", "reduce_scatter_tensor"});

bool is_short_float(const Expr* type) {
  const std::string_view name = last_part_of(type);
  return name == "float16" || name == "bfloat16" || name == "half";
}

/// `x.half()`, `x.bfloat16()`, `x.to(torch.bfloat16)`, `x.to(dtype=torch.half)`.
bool is_narrowed(const Expr& expression) {
  const auto* call = as<Call>(&expression);
  const auto* method = call == nullptr ? nullptr : as<Attribute>(call->callee);
  if (method == nullptr) return false;
  const std::string_view name = method->name.text;
  if (name == "half" || name == "bfloat16") return true;
  if (name != "to" && name != "type") return false;
  return std::any_of(call->arguments.begin(), call->arguments.end(), is_short_float) ||
         is_short_float(keyword_value(*call, "dtype"));
}

bool is_loss(const Expr& expression) {
  if (contains(last_part_of(&expression), "loss")) return true;
  bool found = contains(root_name(&expression), "loss");
  walk(expression, Nested::kSkip, [&](const Node* node) {
    const auto* attribute = as<Attribute>(node);
    found = found || (attribute != nullptr && contains(attribute->name.text, "loss"));
  });
  return found;
}

void check(const Program& program, ModuleId module, const Call& call, std::vector<Hit>& hits) {
  const std::string_view name = last_part_of(call.callee);
  if (std::find(kSums.begin(), kSums.end(), name) == kSums.end()) return;
  const auto* method = as<Attribute>(call.callee);
  const Expr* summed = method != nullptr && is_narrowed(*method->value) ? method->value : nullptr;
  if (summed == nullptr && !call.arguments.empty() && is_narrowed(*call.arguments[0])) summed = call.arguments[0];
  const bool widened = is_short_float(keyword_value(call, "dtype"));
  if (summed == nullptr || !is_loss(*summed) || (keyword_value(call, "dtype") != nullptr && !widened)) return;
  const FileFacts& facts = *program.modules()[module].facts;
  hits.push_back(
      make_hit(program, kRule, module, call.span,
               {Severity::kP2, FindingCertainty::kLikely, Category::kNumerics,
                fmt::format("`{}` rounds a loss to 16 bits before it is added up", quote(facts, call.span, 60)),
                "The parts are rounded to 8 bits (bfloat16) or 11 (float16) before they are added, and the sum again; "
                "float16 ends at 65504.",
                "Add up in float32, and make it narrower afterwards."}));
}

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  const FileFacts& facts = *program.modules()[module].facts;
  const std::string_view text = facts.source().bytes();
  if (text.find("loss") == std::string_view::npos) return;
  if (text.find("half") == std::string_view::npos && text.find("float16") == std::string_view::npos) return;
  walk_of<Call>(facts.tree(), Nested::kEnter, [&](const Call* call) { check(program, module, *call, hits); });
}

}  // namespace

void run_loss_in_low_precision(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
