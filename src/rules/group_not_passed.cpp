// group-not-passed: a function takes an optional process group (or collection of groups) and falls back on the
// process-wide one; most of its callers pass the group, and this one, which has it at hand, does not.
//
// Left out: calls with `*args` or `**kwargs`, callers without such a group, functions that fewer than three other calls
// pass it to, or not twice as many as leave it out, tests.

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/expressions.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/signatures.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "group-not-passed";
constexpr int kFewestOthers = 3;

bool is_group_name(std::string_view name) {
  return name.ends_with("_group") || name == "pg_collection" || name == "process_groups" || name == "model_comm_pgs";
}

/// What a call gives a parameter.
enum class Given : std::uint8_t { kNothing, kValue, kUnknown };

class Calls {
 public:
  explicit Calls(const Program& program) : program_(program), signatures_(program) {}

  [[nodiscard]] Given given(const program::CallSite& site, const program::CallTarget& target,
                            std::string_view name) const {
    const auto* call = as<Call>(site.node);
    if (call == nullptr || has_spread_arguments(*call) || has_spread_keywords(*call)) return Given::kUnknown;
    if (const Expr* value = keyword_value(*call, name)) return is_none(value) ? Given::kUnknown : Given::kValue;
    const auto signature = signatures_.of_target(site, target);
    if (!signature || signature->find(name) == nullptr) return Given::kUnknown;
    for (std::size_t i = 0; i < call->arguments.size(); ++i) {
      const AcceptedParameter* taken_by = parameter_at(*signature, *call, i);
      if (taken_by == nullptr) return Given::kUnknown;
      if (taken_by->name == name) return is_none(call->arguments[i]) ? Given::kUnknown : Given::kValue;
    }
    return Given::kNothing;
  }

  /// Other calls that pass the parameter, and those that do not.
  void count(FunctionId function, const program::CallSite& but, std::string_view name, int& passing,
             int& leaving) const {
    for (const program::CallId id : program_.callers_of(function)) {
      const program::CallSite& site = program_.calls()[id];
      if (&site == &but || program::is_test_path(program_.module_of(site.caller).path)) continue;
      const auto target = std::find_if(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& each) {
        return each.function == function && each.certainty == program::Certainty::kExact;
      });
      if (target == site.targets.end()) continue;
      const Given what = given(site, *target, name);
      passing += what == Given::kValue ? 1 : 0;
      leaving += what == Given::kNothing ? 1 : 0;
    }
  }

 private:
  const Program& program_;
  const Signatures signatures_;
};

/// `self.tp_group`, `tp_group`, `self.pg_collection.tp`: an expression of the caller's code that holds the group.
std::string group_at_hand(const Program& program, FunctionId caller, std::string_view name) {
  for (FunctionId at = caller; at.valid(); at = program.functions()[at].enclosing) {
    const program::Function& row = program.functions()[at];
    if (row.def() != nullptr) {
      for (const Parameter* parameter : row.def()->parameters->all) {
        if (parameter->name.text == name || parameter->name.text == "pg_collection")
          return std::string(parameter->name.text);
      }
    }
    if (!row.owner.valid()) continue;
    for (const std::string_view wanted : {name, std::string_view("pg_collection")}) {
      const program::Field* field = program.find_field(row.owner, wanted);
      if (field != nullptr && row.name != "__init__") return fmt::format("self.{}", wanted);
    }
  }
  return {};
}

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  const Calls calls(program);
  for (const FunctionId caller : program.modules()[module].functions) {
    for (const program::CallId id : program.functions()[caller].calls) {
      const program::CallSite& site = program.calls()[id];
      if (site.targets.size() != 1 || !site.targets[0].function.valid()) continue;
      const program::CallTarget& target = site.targets[0];
      const FunctionDef* def = program.functions()[target.function].def();
      if (target.certainty != program::Certainty::kExact || def == nullptr) continue;
      for (const Parameter* parameter : def->parameters->all) {
        const std::string_view name = parameter->name.text;
        if (!is_group_name(name) || !is_none(parameter->default_value)) continue;
        if (calls.given(site, target, name) != Given::kNothing) continue;
        const std::string held = group_at_hand(program, caller, name);
        if (held.empty()) continue;
        int passing = 0;
        int leaving = 0;
        calls.count(target.function, site, name, passing, leaving);
        if (passing < kFewestOthers || leaving * 2 > passing) continue;
        const std::string callee = short_name(program, target.function);
        Hit hit = make_hit(
            program, kRule, module, site.node->span,
            {Severity::kP2, FindingCertainty::kLikely, Category::kDistributed,
             fmt::format("`{}` is called without `{}`, which {} other calls pass", callee, name, passing),
             fmt::format("Its default is None: the function falls back on a group of its own choice, though `{}` is at "
                         "hand here.",
                         held),
             fmt::format("Pass `{}`, from `{}`.", name, held)});
        hit.finding.end_line = hit.finding.start_line;
        hit.key += name;
        hit.finding.evidence.push_back(
            evidence_at(program, program.functions()[target.function].module, parameter->name.span, "the parameter"));
        hits.push_back(std::move(hit));
      }
    }
  }
}

}  // namespace

void run_group_not_passed(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
