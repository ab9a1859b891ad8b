#include "report/documents/runs/other_callers.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "program/queries.h"
#include "report/document.h"
#include "report/documents/compatibility/call_sites.h"
#include "report/story/wording/words.h"
#include "report/ways/conditions/path_constants.h"

namespace lockstep::report {

namespace {

using program::FunctionId;

/// `super().__init__()`: the constructor of an heir, which makes no other object.
bool calls_constructor(const program::CallSite& site) {
  const auto* call = python::as<python::Call>(site.node);
  const auto* callee = call == nullptr ? nullptr : python::as<python::Attribute>(call->callee);
  return callee != nullptr && callee->name.text == "__init__";
}

bool stands_on_way(const EntryPath& path, FunctionId function) {
  return std::any_of(path.frames.begin(), path.frames.end(),
                     [&](const PathFrame& frame) { return frame.function == function; });
}

/// Whether the way goes from the caller straight to the function: what calls it before that, or behind it, is another
/// call.
bool leads_on(const EntryPath& path, FunctionId caller, FunctionId function) {
  for (std::size_t i = 0; i + 1 < path.frames.size(); ++i) {
    if (path.frames[i].function == caller && path.frames[i + 1].function == function) return true;
  }
  return false;
}

/// Whether something on the way surely calls the function: it runs in the same runs.
bool is_called_on_way(const program::Program& program, const EntryPath& path, FunctionId function) {
  const auto callers = program.callers_of(function);
  return std::any_of(callers.begin(), callers.end(), [&](program::CallId call) {
    return program::surely_enters(program.calls()[call], function) && stands_on_way(path, program.calls()[call].caller);
  });
}

/// Whether the call gives the function constants with which it does not get to any of the places.
bool is_kept_from(const PathConstants& constants, const program::CallSite& site, FunctionId function,
                  const std::vector<Span>& places) {
  if (places.empty()) return false;
  const KnownValues known = constants.values_into(site, function, KnownValues(), 0);
  return std::all_of(places.begin(), places.end(),
                     [&](Span place) { return constants.ruled_out_by(function, known, place).has_value(); });
}

/// Marked names and places of the callers of the function but for the one from which the way comes, the first of them,
/// and how many more there are. `places`: where none of these runs with what a call gives, it is none of them. Empty
/// where calls cannot be told from those of others.
std::vector<std::string> callers_beside(const DocumentInputs& inputs, const EntryPath& path, FunctionId function,
                                        const std::vector<Span>& places, std::size_t most,
                                        bool only_of_same_runs = false) {
  const program::Program& program = *inputs.after;
  const CallSites calls = call_sites_of(program, function);
  if (calls.by_name) return {};
  const PathConstants constants(program);
  std::vector<FunctionId> callers;
  std::vector<std::string> shown;
  // Examples and tools say less of what runs do.
  std::vector<const program::CallSite*> sites = calls.sites;
  std::stable_partition(sites.begin(), sites.end(), [&](const program::CallSite* site) {
    return !program::is_helper_path(program.module_of(site->caller).path);
  });
  for (const program::CallSite* site : sites) {
    if (!program::surely_enters(*site, function) || site->caller == function || leads_on(path, site->caller, function))
      continue;
    if (std::find(callers.begin(), callers.end(), site->caller) != callers.end()) continue;
    const std::string& file = program.module_of(site->caller).path;
    const std::uint32_t line = source_of(program, site->caller).line_of(site->node->span.begin);
    const program::FunctionKind kind = program.functions()[site->caller].kind;
    if (kind == program::FunctionKind::kLambda || calls_constructor(*site) || inputs.change->touches_after(file, line))
      continue;
    if (is_kept_from(constants, *site, function, places)) continue;
    if (only_of_same_runs && !is_called_on_way(program, path, site->caller)) continue;
    callers.push_back(site->caller);
    if (shown.size() == most) continue;
    shown.push_back(kind == program::FunctionKind::kModuleBody
                        ? place(file, line)
                        : fmt::format("{} ({})", code(short_name(program, site->caller)), place(file, line)));
  }
  if (callers.size() > shown.size()) shown.push_back(fmt::format("{} more", callers.size() - shown.size()));
  return shown;
}

/// Of a way from a script: who else calls the function that calls the last one, in the same runs.
std::string beside_last_caller(const DocumentInputs& inputs, const EntryPath& path) {
  constexpr std::size_t kMost = 2;
  constexpr std::size_t kFewest = 4;  // The script, whom it calls, the caller, the last one.
  if (path.kind != program::EntryKind::kScript || path.frames.size() < kFewest) return {};
  const PathFrame& last = path.frames[path.frames.size() - 2];
  const program::Function& caller = inputs.after->functions()[last.function];
  const bool is_plain = caller.kind == program::FunctionKind::kFunction && !caller.owner.valid();
  if (!is_plain || last.handing != Handing::kNone) return {};
  const std::vector<Span> next = last.call == nullptr ? std::vector<Span>() : std::vector<Span>{last.call->span};
  const std::vector<std::string> shown = callers_beside(inputs, path, last.function, next, kMost, true);
  if (shown.empty() || shown.size() > kMost) return {};
  return fmt::format("{} is called, too, by {}.", code(short_name(*inputs.after, last.function)), join_words(shown));
}

}  // namespace

std::string other_callers_text(const DocumentInputs& inputs, const Story& story, std::size_t index) {
  constexpr std::size_t kMost = 4;
  const Actor& actor = story.actor(index);
  const EntryPath& path = story.entries[index];
  if (!actor.is_function() || actor.is_removed() || path.frames.size() < 2) return {};
  const FunctionId function = actor.change->after->function;
  if (!function.valid()) return {};
  std::string beside = beside_last_caller(inputs, path);
  // Of what is new its callers are the change itself; of what no way leads to, they are told in its place.
  if (actor.is_added()) return beside;
  // What goes runs there no longer, but ran before.
  std::vector<Span> changed;
  const auto goes = [](const Step& step) { return step.status != StepStatus::kKept && step.partner == Step::kNone; };
  if (std::none_of(actor.steps.before.begin(), actor.steps.before.end(), goes)) {
    for (const Step& step : actor.steps.after) {
      if (step.status != StepStatus::kKept) changed.push_back(step.span);
    }
  }
  const std::vector<std::string> shown = callers_beside(inputs, path, function, changed, kMost);
  if (shown.empty()) return beside;
  const bool makes = inputs.after->functions()[function].name == "__init__";
  return fmt::format("{} {}.", makes ? "Objects are made, too, in" : "It is called, too, by", join_words(shown)) +
         (beside.empty() ? "" : " " + beside);
}

}  // namespace lockstep::report
