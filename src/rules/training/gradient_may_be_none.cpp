// gradient-may-be-none: a loop over a model's parameters uses `param.grad` (or `main_grad`) of each as a tensor and
// nothing in the function asks whether the parameter has one: frozen and unused parameters have none.
//
// Left out: functions that test `requires_grad`, None or hasattr anywhere, and gradients that are set in the same loop.

#include <fmt/format.h>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;

constexpr std::string_view kRule = "gradient-may-be-none";

/// The loop variable that holds a parameter: `for p in m.parameters()`, `for name, p in m.named_parameters()`.
std::string_view parameter_variable(const For& loop) {
  const auto* call = as<Call>(loop.iterable);
  // get_attr_wrapped_model(model, 'named_parameters')() and its like.
  const bool by_text = call != nullptr && is<Call>(call->callee) &&
                       !static_cast<const Call*>(call->callee)->arguments.empty() &&
                       text_of(static_cast<const Call*>(call->callee)->arguments.back()) == "named_parameters";
  const std::string_view callee = call == nullptr ? std::string_view() : last_part_of(call->callee);
  if (callee == "parameters") return name_of(loop.target);
  if (callee != "named_parameters" && !by_text) return {};
  const auto* pair = as<Tuple>(loop.target);
  return pair != nullptr && pair->elements.size() == 2 ? name_of(pair->elements[1]) : std::string_view();
}

bool asks(const FileFacts& facts, const Node& function) {
  const std::string_view text = facts.source().slice(function.span);
  for (const std::string_view word : {"requires_grad", "is not None", "is None", "hasattr", "AttributeError"}) {
    if (text.find(word) != std::string_view::npos) return true;
  }
  return false;
}

bool is_gradient(std::string_view name) { return name == "grad" || name == "main_grad" || name == "decoupled_grad"; }

void check_loop(const program::Program& program, program::ModuleId module, const For& loop, std::vector<Hit>& hits) {
  const std::string_view variable = parameter_variable(loop);
  if (variable.empty()) return;
  bool is_set = false;
  const Attribute* read = nullptr;
  walk_of<Attribute>(loop, Nested::kSkip, [&](const Attribute* attribute) {
    if (!is_gradient(attribute->name.text) || name_of(attribute->value) != variable) return;
    if (attribute->context != ExprContext::kLoad) is_set = true;
    if (read == nullptr && attribute->context == ExprContext::kLoad) read = attribute;
  });
  if (read == nullptr || is_set) return;
  const std::string text = quote(*program.modules()[module].facts, read->span);
  hits.push_back(
      make_hit(program, kRule, module, read->span,
               {Severity::kP1, FindingCertainty::kLikely, Category::kCorrectness,
                fmt::format("`{}` is used for every parameter, but frozen ones have no gradient", text),
                "With one layer frozen, or one parameter that took no part in the loss, the value is missing "
                "or None and the next operation on it raises.",
                fmt::format("Skip parameters without `{}.requires_grad`, or whose gradient is None.", variable)}));
}

void scan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  const FileFacts& facts = *program.modules()[module].facts;
  if (!contains(facts.source().bytes(), "grad")) return;
  for (const FunctionId function : program.modules()[module].functions) {
    const Node& node = *program.functions()[function].node;
    if (program.functions()[function].def() == nullptr) continue;
    walk_statements(node, Nested::kSkip, [&](const Stmt* statement) {
      const auto* loop = as<For>(statement);
      if (loop != nullptr && !parameter_variable(*loop).empty() && !asks(facts, node))
        check_loop(program, module, *loop, hits);
    });
  }
}

}  // namespace

void run_gradient_may_be_none(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
