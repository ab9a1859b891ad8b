// context-manager-not-created: `with x:` where x holds a context manager's class or factory, not one that was made:
// `context = nullcontext` instead of `nullcontext()`.
//
// Left out: values that come from parameters, attributes and calls.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "python/tree_walk.h"
#include "rules/function_view.h"
#include "rules/local_rule.h"
#include "rules/names/names.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "context-manager-not-created";
// Classes and factories of context managers (Python 3.8 to 3.13, torch 2): entering one of them raises.
constexpr auto kFactories = std::to_array<std::string_view>(
    {"contextlib.nullcontext", "contextlib.ExitStack", "contextlib.suppress", "torch.no_grad", "torch.enable_grad",
     "torch.inference_mode", "torch.autocast", "torch.cuda.amp.autocast", "torch.cuda.stream", "torch.cuda.nvtx.range",
     "torch.autograd.profiler.record_function"});

class FunctionScan : FunctionView {
 public:
  FunctionScan(const Program& program, const ScopeNames& names, FunctionId function, std::vector<Hit>& hits)
      : FunctionView(program, function, hits), names_(names) {}

  void run() {
    walk_of<With>(*row_.node, Nested::kSkip, [&](const With* with) {
      for (const WithItem* item : with->items) check(*item->context);
    });
  }

 private:
  void check(const Expr& context) {
    if (const Expr* made = factory(context)) return report(context, *made);
    const auto* name = as<Name>(&context);
    const auto scope = facts_.scope_of_node.find(row_.node);
    if (name == nullptr || scope == facts_.scope_of_node.end()) return;
    for (const Binding* binding : names_.bindings(scope->second, name->id)) {
      const auto* assign = binding->kind == BindingKind::kAssign ? as<Assign>(binding->owner) : nullptr;
      if (assign == nullptr || assign->targets.size() != 1 || !is<Name>(assign->targets[0])) continue;
      if (const Expr* made = factory(*assign->value)) report(*assign->value, *made);
    }
  }

  /// The part of a value that is a factory itself.
  const Expr* factory(const Expr& value) const {
    if (const auto* choice = as<IfExp>(&value)) {
      const Expr* first = factory(*choice->body);
      return first != nullptr ? first : factory(*choice->orelse);
    }
    if (!is<Name>(&value) && !is<Attribute>(&value)) return nullptr;
    const program::Reference found = program_.resolve(function_, value);
    if (found.kind != program::Reference::Kind::kExternal) return nullptr;
    const bool known = std::find(kFactories.begin(), kFactories.end(), found.name) != kFactories.end();
    return known ? &value : nullptr;
  }

  void report(const Expr& place, const Expr& made) {
    const std::string text = quote(facts_, made.span);
    hits_.push_back(make_hit(program_, kRule, row_.module, place.span,
                             {Severity::kP0, FindingCertainty::kProven, Category::kCorrectness,
                              fmt::format("`{}` is entered by `with` without being called", text),
                              "The class has no `__enter__` of its own to call this way: Python raises at the `with`.",
                              fmt::format("Write `{}()`.", text)}));
  }

  const ScopeNames& names_;
};

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  const program::Module& row = program.modules()[module];
  const ScopeNames names(*row.facts);
  for (const FunctionId function : row.functions) FunctionScan(program, names, function, hits).run();
}

}  // namespace

void run_context_manager_not_created(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSourcesAndTests, scan, findings);
}

}  // namespace lockstep::rules
