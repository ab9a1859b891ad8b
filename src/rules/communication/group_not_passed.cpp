// group-not-passed: a function takes an optional process group (or collection of groups) and falls back on the
// process-wide one; most of its callers pass the group, and this one, which has it at hand, does not.
//
// The same of a method whose class, or one above it, passes an attribute of its object wherever else it calls the
// function.
//
// Left out: calls whose `*args` or `**kwargs` may hold the group, callers without such a group, functions that fewer
// than three other calls pass it to, or not twice as many as leave it out (where no class says more), tests.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

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

/// Of a parameter of any function: a class that passes an attribute for it says that it is one.
bool may_take_group(std::string_view name) { return is_group_name(name) || name == "group" || name == "process_group"; }

/// What the calls of a program give to parameters that take groups.
class Calls {
 public:
  explicit Calls(const Program& program) : program_(program), signatures_(program) {}

  /// Unknown for a None that is written out: its author chose.
  [[nodiscard]] Given::How given(const program::CallSite& site, const program::CallTarget& target,
                                 std::string_view name) const {
    const auto* call = as<Call>(site.node);
    const auto signature = call == nullptr ? std::nullopt : signatures_.of_target(site, target);
    if (!signature) return Given::How::kUnknown;
    const Given given = given_to(*signature, *call, name);
    return is_none(given.value) ? Given::How::kUnknown : given.how;
  }

  /// What the call passes, where it shows; null else.
  [[nodiscard]] const Expr* value(const program::CallSite& site, const program::CallTarget& target,
                                  std::string_view name) const {
    const auto* call = as<Call>(site.node);
    const auto signature = call == nullptr ? std::nullopt : signatures_.of_target(site, target);
    return signature ? given_to(*signature, *call, name).value : nullptr;
  }

  /// Calls outside of tests that surely reach the function and pass the parameter, and those that do not.
  struct Counts {
    int passing = 0;
    int leaving = 0;
  };
  [[nodiscard]] const Counts& counts(FunctionId function, std::string_view name) {
    const auto [at, is_new] = counts_.try_emplace({function, name});
    if (is_new) at->second = count(function, name);
    return at->second;
  }

 private:
  [[nodiscard]] Counts count(FunctionId function, std::string_view name) const {
    Counts counts;
    for (const program::CallId id : program_.callers_of(function)) {
      const program::CallSite& site = program_.calls()[id];
      if (program::is_test_path(program_.module_of(site.caller).path)) continue;
      const auto target = std::find_if(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& each) {
        return each.function == function && each.certainty == program::Certainty::kExact;
      });
      if (target == site.targets.end()) continue;
      const Given::How what = given(site, *target, name);
      counts.passing += what == Given::How::kValue ? 1 : 0;
      counts.leaving += what == Given::How::kNothing ? 1 : 0;
    }
    return counts;
  }

  const Program& program_;
  const Signatures signatures_;
  std::map<std::pair<FunctionId, std::string_view>, Counts> counts_;
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

/// One call of a function that takes a group by this parameter; whether it is told.
bool check(const Program& program, Calls& calls, const program::CallSite& site, const Parameter& parameter,
           std::vector<Hit>& hits) {
  const std::string_view name = parameter.name.text;
  const program::CallTarget& target = site.targets[0];
  if (calls.given(site, target, name) != Given::How::kNothing) return false;
  const std::string held = group_at_hand(program, site.caller, name);
  if (held.empty()) return false;
  const Calls::Counts& counts = calls.counts(target.function, name);
  const int others_leaving = counts.leaving - 1;  // this call is one of them
  if (counts.passing < kFewestOthers || others_leaving * 2 > counts.passing) return false;
  const std::string callee = short_name(program, target.function);
  Hit hit = make_hit(
      program, kRule, program.functions()[site.caller].module, site.node->span,
      {Severity::kP2, FindingCertainty::kLikely, Category::kDistributed,
       fmt::format("`{}` is called without `{}`, which {} other calls pass", callee, name, counts.passing),
       fmt::format("Its default is None: the function falls back on a group of its own choice, though `{}` is at "
                   "hand here.",
                   held),
       fmt::format("Pass `{}`, from `{}`.", name, held)});
  hit.finding.end_line = hit.finding.start_line;
  hit.key += name;
  hit.finding.evidence.push_back(
      evidence_at(program, program.functions()[target.function].module, parameter.name.span, "the parameter"));
  hits.push_back(std::move(hit));
  return true;
}

/// What the methods of a class, and of those above it, pass as a group in all their calls of a function.
struct PassedByClass {
  std::string_view attribute;             ///< Of `self`; empty where none do, or not all the same.
  const program::CallSite* at = nullptr;  ///< One that does.
};

PassedByClass passed_by_class(const Program& program, const Calls& calls, FunctionId caller, FunctionId callee,
                              std::string_view name) {
  PassedByClass out;
  for (const program::ClassId cls : program.classes()[program.functions()[caller].owner].linearized) {
    for (const FunctionId method : program.classes()[cls].methods) {
      if (method == caller) continue;
      for (const program::CallId id : program.functions()[method].calls) {
        const program::CallSite& site = program.calls()[id];
        const bool is_it = std::any_of(site.targets.begin(), site.targets.end(),
                                       [&](const program::CallTarget& one) { return one.function == callee; });
        if (!is_it) continue;
        if (site.targets.size() != 1) return {};
        const std::string_view attribute = self_attribute(calls.value(site, site.targets[0], name));
        if (!attribute.ends_with("group") || (out.at != nullptr && attribute != out.attribute)) return {};
        out = {attribute, &site};
      }
    }
  }
  return out;
}

/// Calls of one method that leave out what its class passes elsewhere: one finding for all of them.
class LeftOutByMethod {
 public:
  LeftOutByMethod(const Program& program, const Calls& calls, FunctionId caller)
      : program_(program), calls_(calls), caller_(caller) {}

  void note(const program::CallSite& site, const Parameter& parameter) {
    const program::CallTarget& target = site.targets[0];
    if (!has_attributes() || calls_.given(site, target, parameter.name.text) != Given::How::kNothing) return;
    const PassedByClass passed = passed_by_class(program_, calls_, caller_, target.function, parameter.name.text);
    if (passed.attribute.empty()) return;
    if (first_ == nullptr) {
      first_ = &site;
      parameter_ = &parameter;
      passed_ = passed;
    } else if (passed.attribute == passed_.attribute) {
      ++others_;
    }
  }

  /// Whether the method has the object's attributes at hand: neither a static one nor one that only makes it.
  [[nodiscard]] bool has_attributes() const {
    const program::Function& caller = program_.functions()[caller_];
    const FunctionDef* def = caller.def();
    return caller.owner.valid() && def != nullptr && caller.name != "__init__" && !def->parameters->all.empty() &&
           def->parameters->all.front()->name.text == "self";
  }

  void tell(std::vector<Hit>& hits) const {
    if (first_ == nullptr) return;
    const FunctionId callee = first_->targets[0].function;
    const std::string more = others_ == 0   ? std::string()
                             : others_ == 1 ? std::string(" (nor is one more call of this method given it)")
                                            : fmt::format(" (nor are {} more calls of this method given it)", others_);
    Hit hit = make_hit(
        program_, kRule, program_.functions()[caller_].module, first_->node->span,
        {Severity::kP2, FindingCertainty::kLikely, Category::kDistributed,
         fmt::format("`{}` is called without `{}`, for which `{}` passes `self.{}`{}", short_name(program_, callee),
                     parameter_->name.text, short_name(program_, passed_.at->caller), passed_.attribute, more),
         fmt::format("Its default is None, which need not mean `self.{}`.", passed_.attribute),
         fmt::format("Pass `{}=self.{}`.", parameter_->name.text, passed_.attribute)});
    hit.finding.end_line = hit.finding.start_line;
    hit.key += parameter_->name.text;
    hit.finding.evidence.push_back(
        evidence_at(program_, program_.functions()[callee].module, parameter_->name.span, "the parameter"));
    hit.finding.evidence.push_back(evidence_at(program_, program_.functions()[passed_.at->caller].module,
                                               passed_.at->node->span, "a call of the class that passes it"));
    hits.push_back(std::move(hit));
  }

 private:
  const Program& program_;
  const Calls& calls_;
  const FunctionId caller_;
  const program::CallSite* first_ = nullptr;
  const Parameter* parameter_ = nullptr;
  PassedByClass passed_;
  int others_ = 0;
};

void scan(const Program& program, Calls& calls, ModuleId module, std::vector<Hit>& hits) {
  for (const FunctionId caller : program.modules()[module].functions) {
    LeftOutByMethod by_class(program, calls, caller);
    for (const program::CallId id : program.functions()[caller].calls) {
      const program::CallSite& site = program.calls()[id];
      if (site.targets.size() != 1 || !site.targets[0].function.valid()) continue;
      const FunctionDef* def = program.functions()[site.targets[0].function].def();
      if (site.targets[0].certainty != program::Certainty::kExact || def == nullptr) continue;
      for (const Parameter* parameter : def->parameters->all) {
        if (!is_none(parameter->default_value)) continue;
        const bool is_told = is_group_name(parameter->name.text) && check(program, calls, site, *parameter, hits);
        if (!is_told && may_take_group(parameter->name.text)) by_class.note(site, *parameter);
      }
    }
    by_class.tell(hits);
  }
}

}  // namespace

void run_group_not_passed(const RuleContext& context, std::vector<Finding>& findings) {
  std::map<const Program*, Calls> calls;
  run_on_modules(
      context, Scope::kSources,
      [&](const Program& program, ModuleId module, std::vector<Hit>& hits) {
        scan(program, calls.try_emplace(&program, program).first->second, module, hits);
      },
      findings);
}

}  // namespace lockstep::rules
