#include "report/documents/runs/way_table.h"

#include <fmt/format.h>

#include "report/document.h"
#include "report/documents/runs/ways.h"
#include "report/story/wording/words.h"

namespace lockstep::report {

namespace {

constexpr std::size_t kMostConditions = 2;

std::string name_of(const program::Program& program, program::FunctionId function) {
  const program::Function& one = program.functions()[function];
  if (one.kind == program::FunctionKind::kModuleBody) return place(program.module_of(function).path);
  return code(short_name(program, function));
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
    const std::string where =
        frame.call == nullptr ? place_of(program, next)
                              : place(program.module_of(frame.function).path, source.line_of(frame.call->span.begin));
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
