#include "mesh/outside_stores.h"

#include "base/find_text.h"
#include "program/queries.h"

namespace lockstep::mesh {

namespace {

/// Whether `.field` at `at` is assigned to there, of another object than `self`.
bool is_assigned_at(std::string_view text, std::size_t at, std::size_t end) {
  if (end < text.size() && is_name_char(text[end])) return false;
  while (end < text.size() && text[end] == ' ') ++end;
  if (end + 1 >= text.size() || text[end] != '=' || text[end + 1] == '=') return false;
  std::size_t begin = at;
  while (begin > 0 && is_name_char(text[begin - 1])) --begin;
  const bool is_dotted = begin > 0 && text[begin - 1] == '.';
  return is_dotted || text.substr(begin, at - begin) != "self";
}

/// Whether the text at `at` stands in a line that sets an attribute by its name.
bool is_in_setattr(std::string_view text, std::size_t at) {
  const std::size_t line = text.rfind('\n', at);
  const std::size_t begin = line == std::string_view::npos ? 0 : line;
  return find_text(text.substr(begin, at - begin), "setattr") != std::string_view::npos;
}

}  // namespace

bool is_set_from_outside(const program::Program& program, std::string_view field, bool with_tests) {
  for (const program::Module& module : program.modules()) {
    if (!with_tests && program::is_test_path(module.path)) continue;
    const std::string_view text = module.facts->source().bytes();
    for (std::size_t at = module.facts->find_name(field); at != std::string_view::npos;
         at = module.facts->find_name(field, at + 1)) {
      if (at == 0) continue;
      const char before = text[at - 1];
      if (before == '.' && is_assigned_at(text, at - 1, at + field.size())) return true;
      if ((before == '"' || before == '\'') && is_in_setattr(text, at)) return true;
    }
  }
  return false;
}

}  // namespace lockstep::mesh
