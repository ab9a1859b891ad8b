// unmarked-parameter: a module that takes part in model parallelism owns a plain `nn.Linear`, `nn.LayerNorm` or
// parameter and gives it none of the marks by which gradients are reduced (`sequence_parallel`,
// `tensor_model_parallel`, …).
//
// Left out: classes that do not look at sequence or tensor parallelism, modules that are handed on whole.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"
#include "rules/training/value_places.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::Program;

constexpr std::string_view kRule = "unmarked-parameter";
// Modules of torch.nn that own parameters, which model-parallel layers replicate.
constexpr auto kPlainModules = std::to_array<std::string_view>(
    {"torch.nn.Linear", "torch.nn.LayerNorm", "torch.nn.RMSNorm", "torch.nn.Embedding", "torch.nn.Conv1d"});

class ClassScan {
 public:
  ClassScan(const Program& program, ClassId id, std::vector<Hit>& hits)
      : program_(program), cls_(program.classes()[id]), places_(program), hits_(hits) {}

  void run() {
    if (!knows_parallelism()) return;
    for (const FunctionId method : cls_.methods) {
      if (program_.functions()[method].name != "__init__") continue;
      walk_of<Assign>(*program_.functions()[method].node, Nested::kSkip, [&](const Assign* assign) { check(*assign); });
    }
  }

 private:
  /// `self.sequence_parallel = config.sequence_parallel` says that the class takes part.
  bool knows_parallelism() const {
    return mentions_attribute(*cls_.node, "sequence_parallel") && program_.derives_from(id(), "torch.nn.Module");
  }

  ClassId id() const { return program_.class_of(cls_.node); }

  void check(const Assign& assign) {
    const std::string_view name = self_attribute(assign.targets[0]);
    const auto* made = as<Call>(assign.value);
    if (name.empty() || made == nullptr) return;
    const std::string_view callee = places_.external_callee(*made);
    if (std::find(kPlainModules.begin(), kPlainModules.end(), callee) == kPlainModules.end()) return;
    if (is_marked(name)) return;
    hits_.push_back(make_hit(
        program_, kRule, cls_.module, assign.span,
        {Severity::kP2, FindingCertainty::kQuestion, Category::kDistributed,
         fmt::format("Is the gradient of `self.{}` reduced where sequence parallelism splits its input?", name),
         fmt::format("The class looks at `sequence_parallel`, but the parameters of this plain `{}` carry no mark, and "
                     "they are initialised from the default generator of each rank.",
                     callee),
         fmt::format("Mark them: `setattr(self.{}.weight, \"sequence_parallel\", config.sequence_parallel)`, and "
                     "initialise them with the config's `init_method` under the RNG tracker.",
                     name)}));
  }

  /// True if anything in the class touches a parameter of the module, or hands its parameters on.
  bool is_marked(std::string_view name) const {
    bool found = false;
    walk(*cls_.node, Nested::kEnter, [&](const Node* node) {
      if (const auto* attribute = as<Attribute>(node)) {
        const bool of_module = self_attribute(attribute->value) == name;
        const std::string_view what = attribute->name.text;
        found = found || (of_module && (what == "weight" || what == "bias" || what == "parameters" ||
                                        what == "named_parameters" || what == "to"));
      } else if (const auto* call = as<Call>(node)) {
        for (const Expr* argument : call->arguments) found = found || self_attribute(argument) == name;
      }
    });
    return found;
  }

  const Program& program_;
  const program::Class& cls_;
  const ValuePlaces places_;
  std::vector<Hit>& hits_;
};

void scan(const Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  const program::Module& row = program.modules()[module];
  if (row.facts->source().bytes().find("sequence_parallel") == std::string_view::npos) return;
  for (const ClassId cls : row.classes) ClassScan(program, cls, hits).run();
}

}  // namespace

void run_unmarked_parameter(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
