// The change: two linked programs compared entity by entity. Says what was added, removed, moved, renamed or modified,
// and what differs in each. Comparing a program with itself gives an empty change; swapping the sides mirrors it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"
#include "repo/diff.h"
#include "repo/snapshot.h"

namespace lockstep::change {

enum class EntityKind : std::uint8_t { kModule, kClass, kFunction, kMethod, kVariable, kField };
enum class Status : std::uint8_t { kAdded, kRemoved, kModified };

/// An entity on one side. Lines count from 0; `last_line` is inclusive. Decorators belong to it.
struct EntitySide {
  std::string qualified_name;
  std::string path;
  std::uint32_t first_line = 0;
  std::uint32_t last_line = 0;
  Span span;
  program::FunctionId function;  ///< For functions and methods.
  program::ClassId cls;          ///< For classes; for fields and methods: their class.
  const python::Node* node = nullptr;
};

/// What can differ between the two sides of an entity.
enum class DifferenceKind : std::uint8_t {
  kParameterAdded, kParameterRemoved, kParameterRenamed, kParameterMoved, kParameterKindChanged, kDefaultAdded, kDefaultRemoved,
  kDefaultChanged, kAnnotationChanged, kReturnAnnotationChanged, kDecoratorAdded, kDecoratorRemoved, kBaseAdded, kBaseRemoved,
  kCallAdded, kCallRemoved, kCollectiveAdded, kCollectiveRemoved, kRaiseAdded, kRaiseRemoved, kAssertAdded, kAssertRemoved,
  kBranchAdded, kBranchRemoved, kConditionChanged, kLoopAdded, kLoopRemoved, kReturnChanged, kValueChanged, kAsyncChanged,
  kDocstringChanged, kCommentsChanged, kFormattingChanged, kBodyChanged,
};

/// One difference. `before` / `after` are source text of the part (a parameter, a call, a condition), empty on the side that
/// lacks it; lines (from 0) say where.
struct Difference {
  DifferenceKind kind;
  std::string name;    ///< Parameter name, callee's qualified name, exception, decorator, …; may be empty.
  std::string before;
  std::string after;
  std::optional<std::uint32_t> before_line;
  std::optional<std::uint32_t> after_line;
};

struct EntityChange {
  EntityKind kind;
  Status status;
  bool moved = false;    ///< Another file.
  bool renamed = false;  ///< Another qualified name within the file (or also moved).
  std::optional<EntitySide> before;
  std::optional<EntitySide> after;
  std::vector<Difference> differences;
  /// Only comments, docstring or layout differ: it behaves as before.
  [[nodiscard]] bool is_cosmetic() const;
  [[nodiscard]] const EntitySide& latest() const { return after ? *after : *before; }
};

/// What a file is, by its path and name.
enum class FileCategory : std::uint8_t {
  kSource, kTest, kDocs, kConfig, kCi, kBuild, kDependencies, kNative, kScript, kData, kNotebook, kBinary, kOther,
};

struct FileSummary {
  const repo::FileChange* file = nullptr;
  FileCategory category = FileCategory::kOther;
  bool is_python = false;
  std::size_t lines_added = 0;
  std::size_t lines_removed = 0;
  std::string summary;  ///< One sentence of what changed in it, from facts (for files that are not Python: by kind).
};

/// All that differs. Refers to the two programs and the diff it was made from; they must outlive it.
struct Change {
  const program::Program* before = nullptr;
  const program::Program* after = nullptr;
  const repo::SnapshotDiff* diff = nullptr;
  std::vector<FileSummary> files;      ///< Sorted by path (after, else before).
  std::vector<EntityChange> entities;  ///< Sorted by path, then first line. Unchanged entities are absent.

  /// Whether line `line` (from 0) of `path` on the after side was added or modified.
  [[nodiscard]] bool touches_after(std::string_view path, std::uint32_t line) const;
  /// The innermost changed entity that holds this after-side line; null where there is none.
  [[nodiscard]] const EntityChange* entity_at_after(std::string_view path, std::uint32_t line) const;
};

/// Compares two programs. `diff` is the line diff of the two snapshots they were linked from.
Change compare(const program::Program& before, const program::Program& after, const repo::SnapshotDiff& diff);

}  // namespace lockstep::change
