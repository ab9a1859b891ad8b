// parameter-not-forwarded: a function takes a parameter that it never reads, and calls a function that has a parameter
// of the same name, with a default, without it: `def forward(self, x, padding_mask=None): return self.route(x)`. What
// the caller passes is lost on the way.
//
// Left out: calls with `*args` or `**kwargs`, calls that pass on nothing else of the function's own parameters, names
// that start with an underscore, parameters that the docstring calls unused or deprecated, `self`, tests.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "base/strings.h"
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
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "parameter-not-forwarded";
/// A call that hands on so many of the function's own parameters is there to hand them on.
constexpr int kManyPassedOn = 3;

/// The names that a body reads, assigns or deletes, those of nested definitions with them.
std::unordered_set<std::string_view> touched_names(const FunctionDef& def) {
  std::unordered_set<std::string_view> names;
  for (const Stmt* statement : def.body) {
    walk_of<Name>(*statement, Nested::kEnter, [&](const Name* name) { names.insert(name->id); });
  }
  return names;
}

/// The docstring says of the parameter that it does nothing here.
bool is_said_unused(const FunctionDef& def, std::string_view name) {
  const auto* first = def.body.empty() ? nullptr : as<ExprStmt>(def.body.front());
  const std::string text = to_lower(first == nullptr ? std::string_view{} : text_of(first->value));
  const std::size_t at = text.find(to_lower(name));
  if (at == std::string::npos) return false;
  const std::string_view words = std::string_view(text).substr(at, 240);
  return contains(words, "unused") || contains(words, "not used") || contains(words, "deprecated") ||
         contains(words, "ignored") || contains(words, "compatib") || contains(words, "not supported");
}

class FunctionScan : FunctionView {
 public:
  FunctionScan(const Program& program, const Signatures& signatures, FunctionId function, std::vector<Hit>& hits)
      : FunctionView(program, function, hits), signatures_(signatures) {}

  void run() {
    const FunctionDef& def = *row_.def();
    std::optional<std::unordered_set<std::string_view>> touched;
    for (const Parameter* parameter : def.parameters->all) {
      const std::string_view name = parameter->name.text;
      const bool is_plain = parameter->parameter_kind == Parameter::Kind::kPositionalOrKeyword ||
                            parameter->parameter_kind == Parameter::Kind::kKeywordOnly;
      if (!is_plain || name.size() < 3 || name.starts_with("_") || name == "self" || name == "cls") continue;
      if (!touched) touched = touched_names(def);
      if (touched->contains("locals") || touched->contains("vars")) return;  // They read all at once.
      if (touched->contains(name) || is_said_unused(def, name)) continue;
      find_call(*parameter);
    }
  }

 private:
  void find_call(const Parameter& parameter) {
    for (const program::CallId id : row_.calls) {
      const program::CallSite& site = program_.calls()[id];
      const auto* call = as<Call>(site.node);
      if (call == nullptr || site.targets.size() != 1 || has_spread_arguments(*call) || has_spread_keywords(*call))
        continue;
      const program::CallTarget& target = site.targets[0];
      if (!target.function.valid() || target.certainty != program::Certainty::kExact) continue;
      if (target.kind == program::CallKind::kCallback || target.kind == program::CallKind::kImplicit) continue;
      const int passed_on = others_passed_on(site, target, *call, parameter.name.text);
      if (passed_on > 0) return report(site, target, *call, parameter, passed_on);
    }
  }

  /// How many parameters of the function go to their namesakes, where the target has this one too, with a default, and
  /// nothing of the call goes there; 0 otherwise.
  int others_passed_on(const program::CallSite& site, const program::CallTarget& target, const Call& call,
                       std::string_view name) const {
    const auto signature = signatures_.of_target(site, target);
    const AcceptedParameter* wanted = signature ? signature->find(name) : nullptr;
    if (wanted == nullptr || !wanted->has_default) return 0;
    if (given_to(*signature, call, name).how != Given::How::kNothing) return 0;
    int passed_on = 0;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const AcceptedParameter* taken_by = parameter_at(*signature, call, i);
      if (taken_by == nullptr) return 0;
      passed_on += is_parameter(name_of(call.arguments[i])) && taken_by->name == name_of(call.arguments[i]) ? 1 : 0;
    }
    for (const Keyword* keyword : call.keywords)
      passed_on += keyword->name.text == name_of(keyword->value) && is_parameter(keyword->name.text) ? 1 : 0;
    return passed_on;
  }

  bool is_parameter(std::string_view name) const {
    const auto& all = row_.def()->parameters->all;
    return std::any_of(all.begin(), all.end(), [&](const Parameter* each) { return each->name.text == name; });
  }

  void report(const program::CallSite& site, const program::CallTarget& target, const Call& call,
              const Parameter& parameter, int passed_on) {
    const std::string name(parameter.name.text);
    const std::string callee = short_name(program_, target.function);
    const FunctionId caller = site.caller;
    Hit hit = make_hit(
        program_, kRule, row_.module, call.span,
        {passed_on >= kManyPassedOn ? Severity::kP1 : Severity::kP2, FindingCertainty::kLikely, Category::kCorrectness,
         fmt::format("`{}` takes `{}` and does not pass it on to `{}`, which takes it too",
                     short_name(program_, caller), name, callee),
         fmt::format("`{}` is read nowhere else in the function: whatever a caller passes, `{}` works "
                     "with its default.",
                     name, callee),
         fmt::format("Pass `{0}={0}`, or drop the parameter.", name)});
    hit.finding.end_line = hit.finding.start_line;
    hit.key += name;
    hit.finding.evidence.push_back(
        evidence_at(program_, row_.module, parameter.name.span, fmt::format("`{}` comes in here", name)));
    const program::Function& taker = program_.functions()[target.function];
    const Span span = taker.def() != nullptr ? taker.def()->name.span : taker.node->span;
    hit.finding.evidence.push_back(evidence_at(program_, taker.module, span, fmt::format("`{}` takes it", callee)));
    hits_.push_back(std::move(hit));
  }

  const Signatures& signatures_;
};

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  const Signatures signatures(program);
  for (const FunctionId function : program.modules()[module].functions) {
    if (program.functions()[function].def() == nullptr) continue;
    FunctionScan(program, signatures, function, hits).run();
  }
}

}  // namespace

void run_parameter_not_forwarded(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
