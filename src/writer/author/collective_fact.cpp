#include "writer/author/collective_fact.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "mesh/mesh.h"
#include "report/source/code.h"
#include "writer/author/placements_parts.h"
#include "writer/cited_sides.h"

namespace lockstep::writer {

namespace {

constexpr std::size_t kMostCondition = 200;

bool stands_on(const SourceText& source, Span span, std::uint32_t line) {
  return source.line_of(span.begin) <= line &&
         line <= source.line_of(span.end > span.begin ? span.end - 1 : span.begin);
}

/// Whether the line is that of the guard's condition, or of the word that begins it.
bool decides_at(const SourceText& source, const report::Guard& guard, std::uint32_t line) {
  if (guard.statement == nullptr || guard.condition == nullptr) return false;
  return source.line_of(guard.statement->span.begin) == line || stands_on(source, guard.condition->span, line);
}

}  // namespace

std::optional<rules::Evidence> conditional_collective(const report::DocumentInputs& inputs, const std::string& path,
                                                      std::uint32_t line) {
  if (inputs.after_mesh == nullptr || !inputs.change->touches_after(path, line)) return std::nullopt;
  const auto place = internal::drawn_place(internal::after_side(inputs), path, line + 1);
  if (!place || !place->function.valid()) return std::nullopt;
  const program::Program& program = *inputs.after;
  const program::Function& function = program.functions()[place->function];
  const SourceText& source = report::source_of(program, place->function);
  std::optional<rules::Evidence> found;
  const auto look_at = [&](const python::Node& call, std::string_view what) {
    if (found) return;
    const std::vector<report::Guard> guards = report::guards_of(*function.node, call.span);
    const bool is_here = stands_on(source, call.span, line) && !guards.empty();
    for (const report::Guard& guard : guards) {
      if (guard.condition == nullptr || !(is_here || decides_at(source, guard, line))) continue;
      const std::string condition = single_spaced(source.slice(guard.condition->span));
      if (condition.size() > kMostCondition || contains(condition, "`")) continue;
      found = rules::Evidence{
          path, source.line_of(call.span.begin),
          fmt::format("{} only where `{}` {}", what, condition, guard.negated ? "does not hold" : "holds")};
    }
  };
  for (const mesh::CollectiveSite& site : inputs.after_mesh->collectives_of(place->function)) {
    if (site.call != nullptr && !site.creates_group) look_at(*site.call, fmt::format("`{}` is issued", site.operation));
  }
  for (const program::CallId id : inputs.after_mesh->calls_in_trace(place->function))
    look_at(*program.calls()[id].node, "a call that communicates is made");
  return found;
}

}  // namespace lockstep::writer
