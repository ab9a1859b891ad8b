#include "report/documents/correctness/refused_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "report/document.h"
#include "report/documents/compatibility/call_sites.h"
#include "report/source/code.h"
#include "rules/calls/signatures.h"

namespace lockstep::report {

using namespace python;
using change::EntityChange;

namespace {

/// Whether both versions take the same; what a change of the signature does to callers is told as that.
bool takes_what_it_took(const EntityChange& entity) {
  const auto* was = entity.before ? as<FunctionDef>(entity.before->node) : nullptr;
  const auto* is = entity.after ? as<FunctionDef>(entity.after->node) : nullptr;
  if (was == nullptr || is == nullptr || was->parameters->all.size() != is->parameters->all.size()) return false;
  return std::equal(was->parameters->all.begin(), was->parameters->all.end(), is->parameters->all.begin(),
                    [](const Parameter* one, const Parameter* other) {
                      return one->name.text == other->name.text && one->parameter_kind == other->parameter_kind &&
                             (one->default_value == nullptr) == (other->default_value == nullptr);
                    });
}

/// What Python says against the call, where it surely enters the function; nullopt where it fits or may.
std::optional<rules::Mismatch> refusal_of(const program::Program& program, const program::CallSite& site,
                                          program::FunctionId function) {
  const auto* call = as<Call>(site.node);
  if (call == nullptr || site.targets.size() != 1 || site.targets.front().function != function ||
      site.targets.front().kind != program::CallKind::kDirect)
    return std::nullopt;
  const std::optional<rules::Signature> signature = rules::Signatures(program).of_target(site, site.targets.front());
  return signature ? rules::bind_arguments(*signature, *call) : std::nullopt;
}

/// Whether the same function made the same call before, and Python said the same of it.
bool was_refused_alike(const DocumentInputs& inputs, const program::CallSite& site, program::FunctionId function_before,
                       const rules::Mismatch& refused) {
  const program::Program& before = *inputs.before;
  const program::FunctionId caller = before.find_function(inputs.after->functions()[site.caller].qualified_name);
  if (!caller.valid() || !function_before.valid()) return false;
  const std::string text = one_line_whole(inputs.after->module_of(site.caller).facts->source(), *site.node);
  const SourceText& source = before.module_of(caller).facts->source();
  return std::any_of(before.functions()[caller].calls.begin(), before.functions()[caller].calls.end(),
                     [&](program::CallId id) {
                       const program::CallSite& was = before.calls()[id];
                       if (one_line_whole(source, *was.node) != text) return false;
                       const std::optional<rules::Mismatch> then = refusal_of(before, was, function_before);
                       return then && then->kind == refused.kind && then->names == refused.names;
                     });
}

}  // namespace

void add_refused_calls(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 2;
  const program::Program& program = *inputs.after;
  std::size_t told = 0;
  for (std::size_t i = 0; i < story.central.size() && told < kMost; ++i) {
    const EntityChange& entity = *story.actor(i).change;
    if (!takes_what_it_took(entity) || !entity.after->function.valid()) continue;
    const program::FunctionId function = entity.after->function;
    for (const program::CallSite* site : call_sites_of(program, function).sites) {
      if (told == kMost) break;
      const std::optional<rules::Mismatch> refused = refusal_of(program, *site, function);
      const program::Module& module = program.module_of(site->caller);
      const std::uint32_t line = module.facts->source().line_of(site->node->span.begin);
      // What the change breaks is for a rule to judge.
      if (!refused || !was_refused_alike(inputs, *site, entity.before->function, *refused)) continue;
      risks.push_back({RiskKind::kCorrectness,
                       fmt::format("Python refuses the call of {} in {} ({}): {}.", code(short_name(inputs, entity)),
                                   code(short_name(program, site->caller)), place(module.path, line),
                                   from_backquotes(rules::describe(*refused))),
                       "It was so before the change: whoever gets there gets a " + code("TypeError"),
                       false,
                       {},
                       false});
      ++told;
    }
  }
}

}  // namespace lockstep::report
