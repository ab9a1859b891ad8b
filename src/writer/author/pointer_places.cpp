#include "writer/author/pointer_places.h"

#include <fmt/format.h>

#include <optional>

#include "base/strings.h"
#include "report/source/code.h"
#include "writer/author/placements_parts.h"
#include "writer/sentence_parts.h"
#include "writer/verify_parts.h"

namespace lockstep::writer {

namespace {

bool is_path(std::string_view path, std::string_view named) {
  return path == named || (path.ends_with(named) && path[path.size() - named.size() - 1] == '/');
}

}  // namespace

std::string with_definition_line(std::string_view sentence, const program::Program& program) {
  const std::string as_it_is(sentence);
  if (!sentence.starts_with('`')) return as_it_is;
  const std::size_t close = sentence.find('`', 1);
  if (close == std::string_view::npos) return as_it_is;
  const auto place = place_of_text(sentence.substr(1, close - 1));
  const std::string_view rest = trim(sentence.substr(close + 1));
  const std::size_t end = rest.starts_with('`') ? rest.find('`', 1) : std::string_view::npos;
  if (!place || place->first == 0 || place->last > place->first || end == std::string_view::npos) return as_it_is;
  const std::string name = internal::plain_name(rest.substr(1, end - 1));
  std::optional<std::uint32_t> line;
  for (const program::FunctionId function : internal::functions_named(program, name)) {
    const program::Function& one = program.functions()[function];
    if (!internal::ends_with_name(one.qualified_name, name) || one.node == nullptr ||
        !is_path(program.module_of(function).path, place->path))
      continue;
    const SourceText& source = report::source_of(program, function);
    const std::uint32_t def = report::line_of(program, function) + 1;
    if (place->first <= def || source.line_of(one.node->span.end) + 1 < place->first) continue;
    if (line) return as_it_is;
    line = def;
  }
  return line ? fmt::format("`{}:{}` {}", place->path, *line, rest) : as_it_is;
}

}  // namespace lockstep::writer
