#include "report/story/wording/status.h"

#include <fmt/format.h>

#include "change/names.h"
#include "report/document.h"
#include "report/source/code.h"

namespace lockstep::report {

using change::EntityChange;

namespace {

bool moves(const EntityChange& entity) {
  return entity.status == change::Status::kModified && entity.moved && entity.before.has_value();
}

/// "moved from `a.py:1`": the line is that of the definition, not of a decorator above it.
std::string origin_of(const DocumentInputs& inputs, const EntityChange& entity) {
  const change::EntitySide& side = *entity.before;
  const program::ModuleId module = inputs.before->find_path(side.path);
  const bool has_node = module.valid() && side.node != nullptr && entity.kind != change::EntityKind::kModule;
  const std::uint32_t line =
      has_node ? inputs.before->modules()[module].facts->source().line_of(side.node->span.begin) : side.first_line;
  const std::string_view was = change::last_part(side.qualified_name);
  const bool is_called_otherwise = entity.kind != change::EntityKind::kModule && entity.after &&
                                   was != change::last_part(entity.after->qualified_name);
  return is_called_otherwise ? fmt::format("moved from {}, called {} there", place(side.path, line), code(was))
                             : fmt::format("moved from {}", place(side.path, line));
}

}  // namespace

std::string status_with_origin(const DocumentInputs& inputs, const EntityChange& entity) {
  return moves(entity) ? origin_of(inputs, entity) : status_words(entity);
}

std::string status_and_place(const DocumentInputs& inputs, const EntityChange& entity) {
  const std::string at = place_of(inputs, entity);
  if (!moves(entity)) return fmt::format("{}, {}", status_words(entity), at);
  const std::string origin = origin_of(inputs, entity);
  return fmt::format("{}{} to {}", origin, origin.ends_with(" there") ? "," : "", at);
}

}  // namespace lockstep::report
