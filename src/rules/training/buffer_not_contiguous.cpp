// buffer-not-contiguous: a collective works on a transposed, permuted or expanded view. NCCL's process group takes
// contiguous tensors only and raises (measured: `all_reduce` of `x.t()` fails on every rank).
//
// Left out: views that come through parameters, attributes or names with several assignments; slices.

#include <fmt/format.h>

#include <array>

#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/communication/group_queries.h"
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

constexpr std::string_view kRule = "buffer-not-contiguous";
/// Collectives of torch.distributed that take whole tensors, and how many of their first arguments those are.
struct Tensors {
  std::string_view name;
  std::size_t count;
};
constexpr auto kCollectives = std::to_array<Tensors>({{"torch.distributed.all_reduce", 1},
                                                      {"torch.distributed.broadcast", 1},
                                                      {"torch.distributed.reduce", 1},
                                                      {"torch.distributed.all_gather_into_tensor", 2},
                                                      {"torch.distributed.reduce_scatter_tensor", 2},
                                                      {"torch.distributed.all_to_all_single", 2}});
// Methods of a tensor whose result is a view in another order of memory.
constexpr auto kViews =
    std::to_array<std::string_view>({"t", "transpose", "permute", "swapaxes", "swapdims", "movedim", "expand"});

/// `x.t()`, `x.permute(…)`, `x.T`.
bool is_reordered(const Expr& value) {
  if (const auto* call = as<Call>(&value)) {
    const auto* method = as<Attribute>(call->callee);
    return method != nullptr && has(kViews, method->name.text) && !has_spread_keywords(*call);
  }
  const auto* attribute = as<Attribute>(&value);
  return attribute != nullptr && (attribute->name.text == "T" || attribute->name.text == "mT");
}

void scan_function(const Program& program, FunctionId function, std::vector<Hit>& hits) {
  const program::Function& row = program.functions()[function];
  const FileFacts& facts = *program.modules()[row.module].facts;
  const ValuePlaces places(program);
  const GroupQueries queries(program, function);
  walk_of<Call>(*row.node, Nested::kSkip, [&](const Call* call) {
    const std::string_view callee = places.external_callee(*call);
    for (const Tensors& collective : kCollectives) {
      if (collective.name != callee) continue;
      for (std::size_t i = 0; i < collective.count && i < call->arguments.size(); ++i) {
        const Expr* value = call->arguments[i];
        if (is<Name>(value)) value = queries.only_value(*value);
        if (value == nullptr || !is_reordered(*value)) continue;
        hits.push_back(make_hit(
            program, kRule, row.module, call->span,
            {Severity::kP1, FindingCertainty::kLikely, Category::kDistributed,
             fmt::format("`{}` works on `{}`, which is not contiguous", last_part_of(call->callee),
                         quote(facts, value->span)),
             "NCCL takes contiguous tensors only. Measured: the call raises on every rank.",
             fmt::format("Make it contiguous in a variable of its own, run the collective on that, and copy the result "
                         "back where `{}` is used.",
                         quote(facts, call->arguments[i]->span))}));
      }
    }
  });
}

void scan(const Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  for (const FunctionId function : program.modules()[module].functions) scan_function(program, function, hits);
}

}  // namespace

void run_buffer_not_contiguous(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
