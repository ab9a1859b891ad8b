// graph-kept-alive: an attribute of a module takes up, call by call, a tensor that still carries its autograd graph:
// `self.max_logit = torch.max(self.max_logit, logit)` in `forward`. Every step's graph stays in memory.
//
// Left out: values from `.item()` and `.detach()`, code under `no_grad`, functions that are not run in the forward
// pass.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/function_view.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/super_calls.h"
#include "rules/training/value_places.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;

constexpr std::string_view kRule = "graph-kept-alive";
// Functions of torch that combine two tensors and keep the graph of both.
constexpr auto kCombining = std::to_array<std::string_view>(
    {"torch.max", "torch.min", "torch.maximum", "torch.minimum", "torch.add", "torch.cat", "torch.stack"});

bool reads_attribute(const FileFacts& facts, const Node& node, const std::string& text) {
  bool found = false;
  walk_of<Attribute>(node, Nested::kEnter,
                     [&](const Attribute* each) { found = found || squeezed(facts, each->span) == text; });
  return found;
}

bool is_detached(const Node& node) {
  for (const std::string_view name : {"detach", "detach_", "item", "tolist", "numpy", "numel"}) {
    if (calls_name(node, name)) return true;
  }
  // `float(x)` is a number; `x.float()` is a tensor with its graph.
  bool is_number = false;
  walk_of<Call>(node, Nested::kEnter, [&](const Call* call) {
    const std::string_view name = name_of(call->callee);
    is_number = is_number || name == "float" || name == "len";
  });
  return is_number || mentions_attribute(node, "data");
}

class FunctionScan : FunctionView {
 public:
  FunctionScan(const program::Program& program, FunctionId function, std::vector<Hit>& hits)
      : FunctionView(program, function, hits), places_(program) {}

  void run() {
    for (const Expr* decorator : row_.def()->decorators) {
      const std::string_view name = last_part_of(decorator);
      if (name == "no_grad" || name == "inference_mode") return;
    }
    block(row_.def()->body);
  }

 private:
  void block(Seq<Stmt> statements) {
    for (const Stmt* statement : statements) {
      if (const auto* with = as<With>(statement); with != nullptr && turns_grad_off(*with)) continue;
      if (const auto* assign = as<Assign>(statement)) assigned(*assign);
      if (const auto* added = as<AugAssign>(statement)) augmented(*added);
      if (!is<FunctionDef>(statement) && !is<ClassDef>(statement))
        for_each_block(*statement, [&](Seq<Stmt> inner) { block(inner); });
    }
  }

  static bool turns_grad_off(const With& with) {
    return std::any_of(with.items.begin(), with.items.end(), [](const WithItem* item) {
      const std::string_view name = last_part_of(item->context);
      return name == "no_grad" || name == "inference_mode";
    });
  }

  /// `self.x = torch.max(self.x, y)`.
  void assigned(const Assign& assign) {
    const auto* call = as<Call>(assign.value);
    if (self_attribute(assign.targets[0]).empty() || call == nullptr || is_detached(*call)) return;
    const Expr* first = call->arguments.empty() ? nullptr : call->arguments[0];
    if (call->arguments.size() < 2 && !is<List>(first) && !is<Tuple>(first)) return;
    const std::string_view callee = places_.external_callee(*call);
    if (std::find(kCombining.begin(), kCombining.end(), callee) == kCombining.end()) return;
    const std::string target = squeezed(facts_, assign.targets[0]->span);
    const bool is_value_alone = std::any_of(call->arguments.begin(), call->arguments.end(),
                                            [&](const Expr* argument) { return is_detached_name(*argument); });
    if (!is_value_alone && reads_attribute(facts_, *call, target)) report(*assign.targets[0], assign.span);
  }

  /// `self.x += loss` with a tensor that is made here.
  void augmented(const AugAssign& added) {
    if (added.op != BinaryOperator::kAdd || self_attribute(added.target).empty() || is_detached(*added.value)) return;
    if (is_detached_name(*added.value)) return;
    const ValuePlace place = places_.of(function_, *added.value);
    const std::string_view name = last_part_of(added.value);
    const bool says_loss = name == "loss" || name.ends_with("_loss");
    if (may_be_on_gpu(place) && says_loss) report(*added.target, added.span);
  }

  /// A local that only ever holds a detached value.
  bool is_detached_name(const Expr& value) const {
    const std::string_view name = name_of(&value);
    bool found = false;
    walk_of<Assign>(*row_.node, Nested::kSkip, [&](const Assign* assign) {
      found = found || (!name.empty() && name_of(assign->targets[0]) == name && is_detached(*assign->value));
    });
    return found;
  }

  void report(const Expr& target, Span span) {
    hits_.push_back(make_hit(
        program_, kRule, row_.module, span,
        {Severity::kP1, FindingCertainty::kLikely, Category::kPerformance,
         fmt::format("`{}` takes up a tensor with its autograd graph in every call", quote(facts_, target.span)),
         "The attribute outlives the step, so the graphs and activations of all steps stay in memory until it is "
         "reset.",
         "Take up the value alone: `.detach()` the new tensor, or do this under `torch.no_grad()`."}));
  }

  const ValuePlaces places_;
};

bool calls_super_forward(const program::Function& row) {
  bool found = false;
  walk_of<Call>(*row.node, Nested::kSkip, [&](const Call* call) {
    found = found || (is_method_of_super(call->callee) && as<Attribute>(call->callee)->name.text == "forward");
  });
  return found;
}

void scan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  for (const FunctionId function : program.modules()[module].functions) {
    const program::Function& row = program.functions()[function];
    if (row.def() == nullptr || !row.owner.valid() || row.name.find("forward") == std::string_view::npos) continue;
    // A base of another package is a module, too, if its `forward` is called on.
    const bool is_module = program.derives_from(row.owner, "torch.nn.Module") ||
                           (!program.classes()[row.owner].external_ancestors.empty() && calls_super_forward(row));
    if (is_module) {
      FunctionScan(program, function, hits).run();
    }
  }
}

}  // namespace

void run_graph_kept_alive(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
