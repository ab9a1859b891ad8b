#include "writer/pack/whole_calls.h"

#include <algorithm>
#include <set>

#include "python/tree_walk.h"
#include "report/source/code.h"

namespace lockstep::writer {

namespace {

constexpr std::uint32_t kMostLines = 40;

}  // namespace

std::vector<std::uint32_t> lines_of_calls(const program::Program& program, program::FunctionId function,
                                          const std::vector<std::uint32_t>& lines) {
  const SourceText& source = report::source_of(program, function);
  std::set<std::uint32_t> found;
  python::walk_of<python::Call>(
      *program.functions()[function].node, python::Nested::kEnter, [&](const python::Call* call) {
        const std::uint32_t first = source.line_of(call->span.begin), last = source.line_of(call->span.end - 1);
        if (first == last || last - first > kMostLines) return;
        const bool is_meant =
            std::any_of(lines.begin(), lines.end(), [&](std::uint32_t line) { return first <= line && line <= last; });
        for (std::uint32_t line = first; is_meant && line <= last; ++line) found.insert(line);
      });
  return {found.begin(), found.end()};
}

}  // namespace lockstep::writer
