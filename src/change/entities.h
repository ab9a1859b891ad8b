// One Python file of a Program → its entities: the module, classes, functions, module-level variables and class-body
// fields, each with what belongs to it alone (docstrings, comments, statements that are no entity of their own).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "change/change.h"
#include "program/program.h"

namespace lockstep::change {

/// One entity of one file.
struct Entity {
  EntityKind kind = EntityKind::kModule;
  std::string_view name;   ///< Last part; the module's dotted name for a module.
  std::string local_name;  ///< Within the module: "C.method"; empty for the module.
  EntitySide side;
  std::int32_t parent = -1;                  ///< Index in FileEntities::all; -1 for the module.
  std::uint32_t ordinal = 0;                 ///< Counts siblings of one kind and name (overloads, if/else definitions).
  python::Seq<python::Stmt> body;            ///< Of modules, classes and functions.
  const python::Expr* annotation = nullptr;  ///< Of variables and fields. May be null.
  const python::Expr* value = nullptr;       ///< Of variables and fields. May be null.
  std::vector<const python::Constant*> docstrings;  ///< Bare strings that belong to it, in the order of the source.
  std::vector<Span> comments;                       ///< Comments that belong to it, in the order of the source.
  std::vector<std::int32_t> children;               ///< In the order of the source.
};

/// All entities of one file. The module comes first, every parent before its children, siblings in the order of the
/// source.
struct FileEntities {
  const program::Program* program = nullptr;
  program::ModuleId module;
  const SourceText* source = nullptr;
  std::string_view path;
  std::vector<Entity> all;
  /// Assign / AnnAssign of variables and fields, and `global` where nothing is bound: what their owner's own code
  /// leaves out.
  std::unordered_set<const python::Node*> variable_statements;
};

FileEntities collect_entities(const program::Program& program, program::ModuleId module);

/// The source of `entity` without that of the entities inside it, line by line, as one text: equal texts are laid out
/// alike. Blank lines count only in functions that hold no other entity.
std::string own_text(const FileEntities& file, const Entity& entity);

}  // namespace lockstep::change
