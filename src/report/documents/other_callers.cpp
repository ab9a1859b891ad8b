#include "report/documents/other_callers.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "program/queries.h"
#include "report/document.h"
#include "report/documents/call_sites.h"
#include "report/story/words.h"

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

}  // namespace

std::string other_callers_text(const DocumentInputs& inputs, const Story& story, std::size_t index) {
  constexpr std::size_t kMost = 4;
  const Actor& actor = story.actor(index);
  const EntryPath& path = story.entries[index];
  // Of what is new its callers are the change itself; of what no way leads to, they are told in its place.
  if (!actor.is_function() || actor.is_added() || actor.is_removed() || path.frames.size() < 2) return {};
  const FunctionId function = actor.change->after->function;
  if (!function.valid()) return {};
  const program::Program& program = *inputs.after;
  const CallSites calls = call_sites_of(program, function);
  if (calls.by_name) return {};
  std::vector<FunctionId> callers;
  std::vector<std::string> shown;
  for (const program::CallSite* site : calls.sites) {
    if (!program::surely_enters(*site, function) || site->caller == function || stands_on_way(path, site->caller))
      continue;
    if (std::find(callers.begin(), callers.end(), site->caller) != callers.end()) continue;
    const std::string& file = program.module_of(site->caller).path;
    const std::uint32_t line = source_of(program, site->caller).line_of(site->node->span.begin);
    const program::FunctionKind kind = program.functions()[site->caller].kind;
    const bool is_lambda = kind == program::FunctionKind::kLambda;
    if (is_lambda || calls_constructor(*site) || inputs.change->touches_after(file, line)) continue;
    callers.push_back(site->caller);
    if (shown.size() == kMost) continue;
    if (kind == program::FunctionKind::kModuleBody)
      shown.push_back(place(file, line));
    else
      shown.push_back(fmt::format("{} ({})", code(short_name(program, site->caller)), place(file, line)));
  }
  if (shown.empty()) return {};
  if (callers.size() > shown.size()) shown.push_back(fmt::format("{} more", callers.size() - shown.size()));
  const bool makes = program.functions()[function].name == "__init__";
  return makes ? fmt::format("Objects are made, too, in {}.", join_words(shown))
               : fmt::format("It is called, too, by {}.", join_words(shown));
}

}  // namespace lockstep::report
