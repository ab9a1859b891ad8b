// option-never-passed: a function has a switch with a default whose name is also a field of a config; its callers have
// that config at hand (they read other fields of it) and none of them passes the field on. The setting has no effect
// here.
//
// Left out: functions called with `*args` or `**kwargs`, methods with overrides, parameters that some caller passes.

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/settings/declared_options.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "option-never-passed";
/// Shorter names are too common to mean one thing.
constexpr std::size_t kMinNameLength = 12;

/// Calls of a top-level function from outside tests; nullopt where one of them hides what it passes.
std::optional<std::vector<std::pair<FunctionId, const Call*>>> plain_calls(const Program& program,
                                                                           FunctionId function) {
  std::vector<std::pair<FunctionId, const Call*>> calls;
  for (const program::CallId id : program.callers_of(function)) {
    const program::CallSite& site = program.calls()[id];
    const auto* call = as<Call>(site.node);
    if (call == nullptr || has_spread_keywords(*call) || has_spread_arguments(*call)) return std::nullopt;
    if (site.targets.size() != 1) return std::nullopt;
    if (!program::is_test_path(program.module_of(site.caller).path)) calls.emplace_back(site.caller, call);
  }
  return calls;
}

/// `config.other`, `self.ddp_config.other` in the code around a call, where `other` is a field of the same class.
const Attribute* config_at_hand(const Program& program, FunctionId caller, const program::Class& config) {
  const program::Function& row = program.functions()[caller];
  const Node* around = row.node;
  if (row.owner.valid()) around = program.classes()[row.owner].node;
  const Attribute* found = nullptr;
  walk_of<Attribute>(*around, Nested::kEnter, [&](const Attribute* attribute) {
    if (found != nullptr) return;
    const std::string_view holder = last_part_of(attribute->value);
    if (!holder.ends_with("config") && holder != "cfg") return;
    const auto& fields = config.fields;
    const bool has = std::any_of(fields.begin(), fields.end(), [&](const program::Field& field) {
      return field.in_class_body && field.name == attribute->name.text && field.name.size() >= kMinNameLength;
    });
    if (has) found = attribute;
  });
  return found;
}

void check_parameter(const Program& program, const ConfigField& declared, FunctionId function,
                     const Parameter& parameter, const std::vector<std::pair<FunctionId, const Call*>>& calls,
                     std::vector<Hit>& hits) {
  const auto signature = Signatures(program).of_function(function, 0);
  for (const auto& [caller, call] : calls) {
    if (!signature || given_to(*signature, *call, parameter.name.text).how != Given::How::kNothing) return;
  }
  const program::Class& config = program.classes()[declared.cls];
  for (const auto& [caller, call] : calls) {
    const Attribute* at_hand = config_at_hand(program, caller, config);
    if (at_hand == nullptr) continue;
    const ModuleId module = program.functions()[caller].module;
    const std::string holder = quote(*program.modules()[module].facts, at_hand->value->span);
    Hit hit = make_hit(
        program, kRule, module, call->span,
        {Severity::kP1, FindingCertainty::kLikely, Category::kCorrectness,
         fmt::format("`{}.{}` is not passed on to `{}`", holder, parameter.name.text, short_name(program, function)),
         fmt::format("`{}` has a parameter of the same name, no caller outside tests passes it, and it keeps its "
                     "default whatever the "
                     "config says.",
                     short_name(program, function)),
         fmt::format("Pass `{0}={1}.{0}`.", parameter.name.text, holder)});
    hit.key += parameter.name.text;
    hit.finding.evidence.push_back(
        evidence_at(program, program.functions()[function].module, parameter.span, "the parameter"));
    hit.finding.evidence.push_back(evidence_at(program, config.module, declared.field->node->span, "the field"));
    hits.push_back(std::move(hit));
    return;
  }
}

/// Functions that have a switch named like a field of a config.
void scan_function(const Program& program, const DeclaredOptions& options, FunctionId function,
                   std::vector<Hit>& hits) {
  const program::Function& row = program.functions()[function];
  if (row.def() == nullptr || row.owner.valid() || row.enclosing.valid()) return;
  if (program::is_test_path(program.module_of(function).path)) return;
  for (const Parameter* parameter : row.def()->parameters->all) {
    const Expr* initial = parameter->default_value;
    if (parameter->name.text.size() < kMinNameLength || !(is_true(initial) || is_false(initial))) continue;
    const auto* fields = options.field(parameter->name.text);
    if (fields == nullptr || fields->size() != 1) continue;
    const auto calls = plain_calls(program, function);
    if (!calls || calls->empty()) return;
    check_parameter(program, fields->front(), function, *parameter, *calls, hits);
  }
}

std::vector<Hit> all_hits(const Program& program) {
  std::vector<Hit> hits;
  const DeclaredOptions options(program);
  for (std::size_t i = 0; i < program.functions().size(); ++i) {
    scan_function(program, options, FunctionId(i), hits);
  }
  return hits;
}

}  // namespace

void run_option_never_passed(const RuleContext& context, std::vector<Finding>& findings) {
  std::vector<Hit> after = all_hits(context.program);
  if (context.before == nullptr) {
    for (Hit& hit : after) {
      if (is_wanted(context, hit.finding.path)) findings.push_back(std::move(hit.finding));
    }
    return;
  }
  if (after.empty()) return;
  for (Finding& finding : introduced(std::move(after), all_hits(*context.before))) {
    findings.push_back(std::move(finding));
  }
}

}  // namespace lockstep::rules
