#include "writer/pack/when_text.h"

#include <fmt/format.h>

#include "report/document.h"
#include "report/source/code.h"
#include "report/story/wording/words.h"

namespace lockstep::writer {

std::string conditions_text(const program::Program& program, program::FunctionId function, Span place) {
  constexpr std::size_t kMost = 2;
  const python::FunctionDef* def = program.functions()[function].def();
  if (def == nullptr) return {};
  return report::guards_words(report::guards_of(*def, place), report::source_of(program, function), kMost);
}

std::string when_text(const program::Program& program, program::FunctionId function, Span place) {
  const std::string conditions = report::unmarked(conditions_text(program, function, place));
  return conditions.empty() ? std::string() : fmt::format("  (when {})", conditions);
}

}  // namespace lockstep::writer
