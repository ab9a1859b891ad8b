#include "report/documents/runs/way_table.h"

#include <fmt/format.h>

#include <algorithm>

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

/// "`a.py:12` or `a.py:40`": all calls that lead on, the first few; the conditions of the row are those of all.
std::string call_places(const program::Program& program, const PathFrame& frame, program::FunctionId next) {
  const SourceText& source = source_of(program, frame.function);
  const std::string& path = program.module_of(frame.function).path;
  std::vector<std::uint32_t> lines = {source.line_of(frame.call->span.begin)};
  for (const program::CallId id : program.functions()[frame.function].calls) {
    const program::CallSite& site = program.calls()[id];
    const bool leads_on = std::any_of(site.targets.begin(), site.targets.end(),
                                      [&](const program::CallTarget& target) { return target.function == next; });
    const std::uint32_t line = source.line_of(site.node->span.begin);
    if (leads_on && std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  std::vector<std::string> out;
  for (const std::uint32_t line : lines) {
    if (out.size() < kMostPlaces) out.push_back(place(path, line));
  }
  if (lines.size() > kMostPlaces) out.push_back(fmt::format("{} more", lines.size() - kMostPlaces));
  return join_words(out, "or");
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
    const std::string where = frame.call == nullptr ? place_of(program, next) : call_places(program, frame, next);
    std::string conditions = frame.call == nullptr
                                 ? std::string()
                                 : guards_words(guards_of_all(program, frame, next), source, kMostConditions);
    if (frame.off_by_default != nullptr && !conditions.empty()) conditions += " (off by default)";
    rows.push_back({fmt::format("{} \u2192 {}", name_of(program, frame.function), name_of(program, next)), where,
                    conditions.empty() ? "-" : conditions});
  }
  return rows;
}

}  // namespace lockstep::report
