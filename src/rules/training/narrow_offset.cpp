// narrow-offset: a Triton kernel widens a program id to 64 bits for one offset and multiplies the same one by a stride
// in 32 bits for another. Where the first can overflow, the second may as well: it then points before or far behind the
// tensor.
//
// A stride is what has `stride` in its name. Left out: kernels that widen nothing, strides that are wide themselves,
// program ids under names that the kernel gives more than one value, offsets built in other functions. Asked of new
// lines only: how large the tensors get, the code does not say.

#include <fmt/format.h>

#include <map>
#include <set>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/local_rule.h"
#include "rules/names/names.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"
#include "rules/training/triton_kernels.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::Program;

constexpr std::string_view kRule = "narrow-offset";

/// The receiver of `x.to(tl.int64)`; null for other calls.
const Expr* widened(const Call& call) {
  const auto* method = as<Attribute>(call.callee);
  const bool widens = method != nullptr && method->name.text == "to" && !call.arguments.empty() &&
                      last_part_of(call.arguments[0]) == "int64";
  return widens ? method->value : nullptr;
}

/// Names given `tl.program_id(…)`, alone or in a sum or product, and nothing else: as narrow wherever they are read.
std::set<std::string_view> program_ids(const FileFacts& facts, const FunctionDef& kernel) {
  const auto bindings = times_bound_in(facts, kernel);
  std::set<std::string_view> names;
  walk_of<Assign>(kernel, Nested::kSkip, [&](const Assign* assign) {
    const std::string_view name = name_of(assign->targets[0]);
    const auto given = bindings.find(name);
    if (given == bindings.end() || given->second != 1) return;
    if (calls_name(*assign->value, "program_id") && !calls_name(*assign->value, "to")) names.insert(name);
  });
  return names;
}

/// Strides that are 64 bits wide already: annotated so, or given a value that is.
std::set<std::string_view> wide_strides(const FunctionDef& kernel) {
  std::set<std::string_view> names;
  for (const Parameter* parameter : kernel.parameters->all) {
    const Expr* annotation = parameter->annotation;
    if (annotation == nullptr) continue;
    if (last_part_of(annotation) == "int64" || contains(text_of(annotation), "int64"))
      names.insert(parameter->name.text);
  }
  walk_of<Assign>(kernel, Nested::kSkip, [&](const Assign* assign) {
    if (mentions_attribute(*assign->value, "int64")) names.insert(name_of(assign->targets[0]));
  });
  return names;
}

void scan_kernel(const Program& program, FunctionId function, const FunctionDef& kernel, std::vector<Hit>& hits) {
  const program::Function& row = program.functions()[function];
  const FileFacts& facts = *program.modules()[row.module].facts;
  const std::set<std::string_view> ids = program_ids(facts, kernel);
  std::map<std::string_view, const Call*> wide;
  walk_of<Call>(kernel, Nested::kSkip, [&](const Call* call) {
    const Expr* receiver = widened(*call);
    if (receiver != nullptr && ids.contains(name_of(receiver))) wide.emplace(name_of(receiver), call);
  });
  if (wide.empty()) return;
  const std::set<std::string_view> wide_by_itself = wide_strides(kernel);
  std::set<std::string_view> told;
  walk_of<BinOp>(kernel, Nested::kSkip, [&](const BinOp* product) {
    if (product->op != BinaryOperator::kMult) return;
    const bool is_left = wide.contains(name_of(product->left));
    const std::string_view id = name_of(is_left ? product->left : product->right);
    const std::string_view stride = name_of(is_left ? product->right : product->left);
    const auto elsewhere = wide.find(id);
    if (elsewhere == wide.end() || !contains(stride, "stride") || wide_by_itself.contains(stride)) return;
    if (!told.insert(id).second) return;
    Hit hit = make_hit(program, kRule, row.module, product->span,
                       {Severity::kP2, FindingCertainty::kQuestion, Category::kNumerics,
                        fmt::format("Does `{}` fit 32 bits?", quote(facts, product->span)),
                        fmt::format("The kernel takes `{}` to 64 bits for another offset; with tensors that need it "
                                    "there, this product overflows and points elsewhere.",
                                    id),
                        fmt::format("Write `{}.to(tl.int64) * {}`.", id, stride)});
    hit.finding.evidence.push_back(evidence_at(program, row.module, elsewhere->second->span, "widened here"));
    hits.push_back(std::move(hit));
  });
}

void scan(const Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  for_each_triton_kernel(program, module, [&](FunctionId function, const FunctionDef& kernel) {
    scan_kernel(program, function, kernel, hits);
  });
}

}  // namespace

void run_narrow_offset(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_changed_lines(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
