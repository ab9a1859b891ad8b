#include "report/ways/early_exits.h"

#include <algorithm>

#include "report/source/code.h"

namespace lockstep::report {

namespace {

/// The guards that statements before all of the places leave behind; none where there are no places.
std::vector<Guard> exits_before(const program::Program& program, program::FunctionId function,
                                const std::vector<Span>& places) {
  const python::FunctionDef* def = program.functions()[function].def();
  std::vector<Guard> common;
  if (def == nullptr || places.empty()) return common;
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::vector<Guard> own = guards_of(*def, places[i]);
    std::erase_if(own, [&](const Guard& guard) {
      return guard.condition == nullptr || !python::is<python::If>(guard.statement) ||
             guard.statement->span.contains(places[i]);
    });
    if (i == 0) {
      common = std::move(own);
      continue;
    }
    std::erase_if(common, [&](const Guard& guard) {
      return std::none_of(own.begin(), own.end(), [&](const Guard& other) {
        return other.statement == guard.statement && other.negated == guard.negated;
      });
    });
  }
  return common;
}

}  // namespace

void find_exits(const DocumentInputs& inputs, program::FunctionId target, const Touched& touched, EntryPath& path) {
  if (!touched.function_before.valid()) return;
  const auto text_of = [](const program::Program& program, program::FunctionId function, const Guard& guard) {
    return one_line_whole(source_of(program, function), *guard.condition) + (guard.negated ? "-" : "+");
  };
  std::vector<Guard> after = exits_before(*inputs.after, target, touched.after);
  std::vector<Guard> before = exits_before(*inputs.before, touched.function_before, touched.before);
  if (touched.after.empty()) {
    path.exits = std::move(before);
    path.exits_before = touched.function_before;
    return;
  }
  if (!touched.before.empty()) {
    std::erase_if(after, [&](const Guard& guard) {
      return std::none_of(before.begin(), before.end(), [&](const Guard& other) {
        return text_of(*inputs.after, target, guard) == text_of(*inputs.before, touched.function_before, other);
      });
    });
  }
  path.exits = std::move(after);
}

}  // namespace lockstep::report
