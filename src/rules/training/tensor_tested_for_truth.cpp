// tensor-tested-for-truth: `if mask and …` where the parameter is annotated as a tensor. A tensor with more than one
// element has no truth value: torch raises; with one element the host waits for the GPU.
//
// Left out: parameters that are reassigned, annotations that allow other types too (a union with bool, int, str, list).

#include <fmt/format.h>

#include <algorithm>

#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/function_view.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;

constexpr std::string_view kRule = "tensor-tested-for-truth";

/// `Tensor`, `torch.Tensor`, `Optional[Tensor]`, `Tensor | None`.
bool is_tensor(const Expr* annotation) {
  if (annotation == nullptr) return false;
  if (is<Name>(annotation) || is<Attribute>(annotation)) return last_part_of(annotation) == "Tensor";
  if (const auto* optional = as<Subscript>(annotation))
    return last_part_of(optional->value) == "Optional" && is_tensor(optional->index);
  const auto* either = as<BinOp>(annotation);
  if (either == nullptr || either->op != BinaryOperator::kBitOr) return false;
  return (is_tensor(either->left) && is_none(either->right)) || (is_none(either->left) && is_tensor(either->right));
}

class FunctionScan : FunctionView {
 public:
  FunctionScan(const program::Program& program, FunctionId function, std::vector<Hit>& hits)
      : FunctionView(program, function, hits) {}

  void run() {
    for (const Parameter* parameter : row_.def()->parameters->all) {
      if (parameter->parameter_kind == Parameter::Kind::kVarArgs) continue;
      if (is_tensor(parameter->annotation) && !is_reassigned(parameter->name.text))
        tensors_.push_back(parameter->name.text);
    }
    if (tensors_.empty()) return;
    walk(*row_.node, Nested::kSkip, [&](const Node* node) {
      if (const auto* branch = as<If>(node)) test(*branch->condition);
      if (const auto* loop = as<While>(node)) test(*loop->condition);
      if (const auto* assertion = as<Assert>(node)) test(*assertion->test);
      if (const auto* choice = as<IfExp>(node)) test(*choice->condition);
    });
  }

 private:
  bool is_reassigned(std::string_view name) const {
    bool found = false;
    walk_of<Name>(*row_.node, Nested::kSkip, [&](const Name* each) {
      found = found || (each->id == name && each->context != ExprContext::kLoad);
    });
    return found;
  }

  void test(const Expr& condition) {
    if (const auto* parts = as<BoolOp>(&condition)) {
      for (const Expr* part : parts->values) test(*part);
      return;
    }
    if (const auto* negation = as<UnaryOp>(&condition); negation != nullptr && negation->op == UnaryOperator::kNot)
      return test(*negation->operand);
    const std::string_view name = name_of(&condition);
    if (name.empty() || std::find(tensors_.begin(), tensors_.end(), name) == tensors_.end()) return;
    hits_.push_back(make_hit(
        program_, kRule, row_.module, condition.span,
        {Severity::kP2, FindingCertainty::kLikely, Category::kCorrectness,
         fmt::format("The tensor `{}` is tested for truth", name),
         "A tensor of several elements has no truth value: torch raises. With one element, the host waits for the GPU.",
         fmt::format("Write `{} is not None` if that is meant.", name)}));
  }

  std::vector<std::string_view> tensors_;
};

void scan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  for (const FunctionId function : program.modules()[module].functions) {
    if (program.functions()[function].def() != nullptr) FunctionScan(program, function, hits).run();
  }
}

}  // namespace

void run_tensor_tested_for_truth(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
