#include "report/documents/runs/left_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "program/queries.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/ways/scripts/script_places.h"

namespace lockstep::report {

using program::CallId;

std::string left_out_text(const program::Program& program, const EntryPath& path) {
  constexpr std::size_t kMost = 3;
  if (path.left_out.empty() || path.leaving_out.empty()) return {};
  const auto path_of = [&](CallId id) -> const std::string& {
    return program.module_of(program.calls()[id].caller).path;
  };
  std::vector<CallId> calls = path.leaving_out;
  std::stable_partition(calls.begin(), calls.end(), [&](CallId id) {
    return aside_word(path_of(id)).empty() && !program::is_helper_path(path_of(id));
  });
  // The one on the way comes first.
  std::stable_partition(calls.begin(), calls.end(), [&](CallId id) {
    return std::any_of(path.frames.begin(), path.frames.end(), [&](const PathFrame& frame) {
      return frame.call != nullptr && frame.call == program.calls()[id].node;
    });
  });
  std::vector<std::string> shown;
  std::vector<program::FunctionId> callers;
  for (const CallId id : calls) {
    const program::CallSite& site = program.calls()[id];
    if (std::find(callers.begin(), callers.end(), site.caller) != callers.end()) continue;
    callers.push_back(site.caller);
    const std::string where =
        place(path_of(id), program.module_of(site.caller).facts->source().line_of(site.node->span.begin));
    const bool is_named = program.functions()[site.caller].kind == program::FunctionKind::kFunction;
    shown.push_back(is_named ? fmt::format("{} ({})", code(short_name(program, site.caller)), where) : where);
  }
  const std::size_t all = shown.size();
  if (all > kMost + 1) {
    shown.resize(kMost);
    shown.push_back(fmt::format("{} more", all - kMost));
  }
  return fmt::format("What changes there runs only without {}: calls that leave it out, or give {}, stand in {}.",
                     code(path.left_out), code("None"), join_words(shown));
}

}  // namespace lockstep::report
