// Names and places that agents give -> modules, classes and functions of the program, and back to one line of text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "program/program.h"

namespace lockstep::mcp {

enum class EntityKind : std::uint8_t { kModule, kClass, kFunction };

/// A module, class or function; the id of its kind is valid.
struct Entity {
  EntityKind kind = EntityKind::kFunction;
  program::ModuleId module;  ///< The one that it is or stands in.
  program::ClassId cls;
  program::FunctionId function;
};

/// What a qualified name, an unambiguous end of one, a module's name or path, or a place ("path.py:120", the innermost
/// function or class there) means. Of several, the only one outside the tests. Error: none (with the nearest), several.
Result<Entity> find_entity(const program::Program& program, std::string_view name);

/// The function that a call of `name` runs: as find_entity, a class by its `forward`, `__call__` or `__init__`.
Result<program::FunctionId> find_called(const program::Program& program, std::string_view name);

std::string_view kind_name(const program::Program& program, const Entity& entity);
std::string_view name_of(const program::Program& program, const Entity& entity);
/// First and last line, from 0, decorators included.
struct Lines {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};
Lines lines_of(const program::Program& program, const Entity& entity);
Entity entity_of(const program::Program& program, program::FunctionId function);
Entity entity_of(const program::Program& program, program::ClassId cls);
Entity entity_of(const program::Program& program, program::ModuleId module);

/// "path:12-40", lines from 1.
std::string place_text(const program::Program& program, const Entity& entity);
std::string place_text(const program::Program& program, program::FunctionId function);
/// "path:12" of a call site.
std::string call_place(const program::Program& program, program::CallId call);
/// A line of source, safe to print, with its indentation.
std::string source_line(const SourceText& source, std::uint32_t line, std::size_t most_bytes = 300);
/// Lines first..last, each as "   12| text": whatever it says, it cannot be taken for anything but source.
std::vector<std::string> numbered_lines(const SourceText& source, std::uint32_t first, std::uint32_t last);

}  // namespace lockstep::mcp
