// keyword-swallowed: a call passes a keyword that the function has no parameter for, but nearly one (`num_layer=` for
// `num_layers`); its `**kwargs` takes it, and nothing reads or hands on those kwargs.
//
// Left out: calls with several targets, kwargs that the body mentions in any way, and overrides, whose callers speak to
// the base.

#include <fmt/format.h>

#include "base/strings.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "keyword-swallowed";
constexpr std::size_t kNear = 2;
constexpr std::size_t kShortestName = 5;

/// `**kwargs` that nothing in the body mentions; null where there is none.
const Parameter* ignored_keywords(const FunctionDef& def) {
  const auto& all = def.parameters->all;
  if (all.empty() || all.back()->parameter_kind != Parameter::Kind::kVarKeywords) return nullptr;
  bool used = false;
  for (const Stmt* statement : def.body) {
    used = used || mentions_name(*statement, all.back()->name.text) || calls_name(*statement, "locals");
  }
  return used ? nullptr : all.back();
}

std::string_view near_parameter(const FunctionDef& def, std::string_view name) {
  for (const Parameter* parameter : def.parameters->all) {
    if (parameter->name.text == name) return {};
  }
  for (const Parameter* parameter : def.parameters->all) {
    const auto kind = parameter->parameter_kind;
    if (kind != Parameter::Kind::kPositionalOrKeyword && kind != Parameter::Kind::kKeywordOnly) continue;
    if (edit_distance(parameter->name.text, name, kNear) <= kNear) return parameter->name.text;
  }
  return {};
}

void check(const Program& program, ModuleId module, const program::CallSite& site, std::vector<Hit>& hits) {
  const auto* call = as<Call>(site.node);
  if (call == nullptr || call->keywords.empty() || site.targets.size() != 1) return;
  const FunctionId target = site.targets[0].function;
  const FunctionDef* def = target.valid() ? program.functions()[target].def() : nullptr;
  if (def == nullptr || site.targets[0].certainty != program::Certainty::kExact) return;
  if (site.targets[0].kind == program::CallKind::kCallback) return;
  const Parameter* ignored = ignored_keywords(*def);
  if (ignored == nullptr) return;
  for (const Keyword* keyword : call->keywords) {
    const std::string_view name = keyword->name.text;
    if (name.size() < kShortestName) continue;
    const std::string_view near = near_parameter(*def, name);
    if (near.empty() || keyword_value(*call, near) != nullptr) continue;
    Hit hit = make_hit(program, kRule, module, keyword->span,
                       {Severity::kP2, FindingCertainty::kLikely, Category::kCorrectness,
                        fmt::format("`{}` has no `{}`, and its `**{}` drops it; is `{}` meant?",
                                    short_name(program, target), name, ignored->name.text, near),
                        "The value has no effect, and nobody is told.", fmt::format("Pass `{}=`.", near)});
    hit.finding.evidence.push_back(evidence_at(program, program.functions()[target].module, ignored->span,
                                               fmt::format("nothing reads `**{}`", ignored->name.text)));
    hits.push_back(std::move(hit));
  }
}

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  const program::Module& row = program.modules()[module];
  const auto calls = [&](FunctionId function) {
    for (const program::CallId id : program.functions()[function].calls)
      check(program, module, program.calls()[id], hits);
  };
  calls(row.body);
  for (const FunctionId function : row.functions) calls(function);
}

}  // namespace

void run_keyword_swallowed(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
