#include "report/documents/runs/way_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/document.h"
#include "report/documents/runs/ways.h"
#include "report/story/wording/words.h"

namespace lockstep::report {

namespace {

constexpr std::size_t kMostConditions = 2;
constexpr std::size_t kMostPlaces = 3;  ///< Of calls that lead to the same function.

std::string name_of(const program::Program& program, program::FunctionId function) {
  const program::Function& one = program.functions()[function];
  if (one.kind == program::FunctionKind::kModuleBody) return place(program.module_of(function).path);
  return code(short_name(program, function));
}

/// The calls of the frame's function that lead on, by line, each once.
std::map<std::uint32_t, const python::Node*> calls_on(const program::Program& program, const PathFrame& frame,
                                                      program::FunctionId next) {
  const SourceText& source = source_of(program, frame.function);
  std::map<std::uint32_t, const python::Node*> out = {{source.line_of(frame.call->span.begin), frame.call}};
  for (const program::CallId id : program.functions()[frame.function].calls) {
    const program::CallSite& site = program.calls()[id];
    const bool leads_on = std::any_of(site.targets.begin(), site.targets.end(),
                                      [&](const program::CallTarget& target) { return target.function == next; });
    if (leads_on) out.emplace(source.line_of(site.node->span.begin), site.node);
  }
  return out;
}

/// "`a.py:12` or `a.py:40`": the first few of them.
std::string call_places(const std::string& path, const std::map<std::uint32_t, const python::Node*>& calls) {
  std::vector<std::string> out;
  for (const auto& [line, call] : calls) {
    if (out.size() < kMostPlaces) out.push_back(place(path, line));
  }
  if (calls.size() > kMostPlaces) out.push_back(fmt::format("{} more", calls.size() - kMostPlaces));
  return join_words(out, "or");
}

/// Whether each of several calls stands under a condition of its own.
bool are_all_guarded(const program::Program& program, const PathFrame& frame,
                     const std::map<std::uint32_t, const python::Node*>& calls) {
  const python::Node* body = program.functions()[frame.function].node;
  return calls.size() > 1 && body != nullptr && std::all_of(calls.begin(), calls.end(), [&](const auto& one) {
           const std::vector<Guard> guards = guards_of(*body, one.second->span);
           return std::any_of(guards.begin(), guards.end(),
                              [](const Guard& guard) { return guard.condition != nullptr; });
         });
}

}  // namespace

std::vector<std::vector<std::string>> way_rows(const DocumentInputs& inputs, const EntryPath& path) {
  const program::Program& program = *inputs.after;
  bool is_folded = false;
  for (std::size_t i = 0; i < path.frames.size(); ++i) is_folded = is_folded || is_only_counted(path.frames, i);
  std::vector<std::vector<std::string>> rows;
  if (!is_folded) return rows;
  for (std::size_t i = 0; i + 1 < path.frames.size(); ++i) {
    const PathFrame& frame = path.frames[i];
    const program::FunctionId next = path.frames[i + 1].function;
    const SourceText& source = source_of(program, frame.function);
    std::string where = place_of(program, next);
    std::string conditions;
    if (frame.call != nullptr) {
      const auto calls = calls_on(program, frame, next);
      where = call_places(program.module_of(frame.function).path, calls);
      conditions = guards_words(guards_of_all(program, frame, next), source, kMostConditions);
      // What all have in common is nothing; that does not make one of them unconditional.
      if (conditions.empty() && are_all_guarded(program, frame, calls))
        conditions = "each under a condition of its own";
    }
    if (frame.off_by_default != nullptr && !conditions.empty()) conditions += " (off by default)";
    rows.push_back({fmt::format("{} \u2192 {}", name_of(program, frame.function), name_of(program, next)), where,
                    conditions.empty() ? "-" : conditions});
  }
  return rows;
}

}  // namespace lockstep::report
