#include "writer/author/blocking_fact.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "program/queries.h"
#include "report/documents/excerpt.h"
#include "report/documents/ways.h"
#include "report/source/code.h"
#include "rules/place.h"
#include "writer/author/collective_fact.h"
#include "writer/author/placements_parts.h"

namespace lockstep::writer {

namespace {

using program::FunctionId;
using program::Program;
using report::EntryPath;

constexpr std::size_t kMostNamed = 6;  // of the functions on a way
constexpr std::size_t kMostCondition = 300;

/// A way from a script of the repository's own (no example, no test) on which nothing is guessed by a name or missing.
bool is_known(const EntryPath& way) {
  return !way.frames.empty() && way.kind == program::EntryKind::kScript && !way.is_helper && !way.is_definition &&
         way.by_name.empty() && way.missing_import.empty() && !way.unmade.valid() && !way.ungiven.function.valid();
}

std::string way_text(const Program& program, const EntryPath& way) {
  std::vector<std::string> names;
  for (const report::PathFrame& frame : way.frames) {
    const program::Function& row = program.functions()[frame.function];
    names.push_back(fmt::format("`{}`", row.kind == program::FunctionKind::kModuleBody
                                            ? program.modules()[row.module].path
                                            : rules::short_name(program, frame.function)));
  }
  if (names.size() > kMostNamed)
    names.erase(names.begin() + 3, names.end() - static_cast<std::ptrdiff_t>(kMostNamed - 3));
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i == 3 && names.size() < way.frames.size() ? " → … → " : " → ";
    text += names[i];
  }
  return text;
}

/// "; the line itself runs where `a` holds, where `b` does not": its own conditions in the function; empty: it has
/// none.
std::string line_conditions(const report::DocumentInputs& inputs, FunctionId function, const LineOfFile& line) {
  const auto place = internal::drawn_place(internal::after_side(inputs), line.first, line.second);
  if (!place || place->step.node == nullptr || place->function != function) return {};
  const SourceText& source = report::source_of(*inputs.after, function);
  std::vector<std::string> parts;
  for (const report::Guard& guard :
       report::guards_of(*inputs.after->functions()[function].node, place->step.node->span)) {
    if (guard.condition == nullptr) continue;
    const std::string condition = single_spaced(source.slice(guard.condition->span));
    if (contains(condition, "`") || condition.size() > kMostCondition) return {};
    parts.push_back(fmt::format("where `{}` {}", condition, guard.negated ? "does not" : "holds"));
  }
  return parts.empty() ? std::string() : fmt::format("; the line itself runs {}", fmt::join(parts, ", "));
}

/// The way by which runs come to the function that holds the line.
std::optional<rules::Evidence> reached_line(const report::DocumentInputs& inputs, const report::Story& story,
                                            const LineOfFile& line) {
  const Program& program = *inputs.after;
  for (const EntryPath& way : story.entries) {
    if (!is_known(way)) continue;
    const FunctionId function = way.frames.back().function;
    const program::Module& module = program.module_of(function);
    const SourceText& source = report::source_of(program, function);
    const Span span = program.functions()[function].node->span;
    if (module.path != line.first || program.functions()[function].kind == program::FunctionKind::kModuleBody) continue;
    if (line.second < source.line_of(span.begin) || line.second > source.line_of(span.end)) continue;
    std::string conditions = report::with_backquotes(report::path_conditions(inputs, way));
    if (conditions.size() > kMostCondition) conditions.clear();
    return rules::Evidence{
        line.first, line.second,
        fmt::format("runs can come to this function: {}{}{}{}", way_text(program, way),
                    line_conditions(inputs, function, line), conditions.empty() ? "" : ". ", conditions)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<rules::Evidence> blocking_fact(const report::DocumentInputs& inputs, const report::Story& story,
                                             const std::vector<LineOfFile>& lines) {
  for (const auto& [path, line] : lines) {
    if (auto fact = conditional_collective(inputs, path, line)) return fact;
  }
  if (auto fact = rejected_call(inputs, lines)) return fact;
  for (const LineOfFile& line : lines) {
    if (auto fact = reached_line(inputs, story, line)) return fact;
  }
  return std::nullopt;
}

}  // namespace lockstep::writer
