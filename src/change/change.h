// The change: two linked programs compared entity by entity. Says what was added, removed, moved, renamed or modified,
// and what differs in each. Comparing a program with itself gives an empty change; swapping the sides mirrors it.
//
// Only files that the line diff names are looked at. An entity belongs to the innermost one of modules, classes,
// functions (nested ones too), module-level variables and class-body fields that holds it; a class or module differs by
// itself only in what belongs to none of the entities inside it. What moved or was renamed only because its file,
// module or class was, is absent: the outer entity says so. Lambdas are part of their function. Attributes that only
// methods assign (`self.x = …`) are no entities.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "program/program.h"
#include "repo/diff.h"
#include "repo/snapshot.h"

namespace lockstep::change {

enum class EntityKind : std::uint8_t { kModule, kClass, kFunction, kMethod, kVariable, kField };
enum class Status : std::uint8_t { kAdded, kRemoved, kModified };

/// An entity on one side. Lines count from 0; `last_line` is inclusive. Decorators belong to it, and so does the bare
/// string below a variable or field that documents it. A module covers its whole file.
struct EntitySide {
  std::string qualified_name;
  std::string path;
  std::uint32_t first_line = 0;
  std::uint32_t last_line = 0;
  Span span;
  program::FunctionId function;        ///< For functions and methods; for modules: the body.
  program::ClassId cls;                ///< For classes; for fields and methods: their class.
  const python::Node* node = nullptr;  ///< Module, ClassDef, FunctionDef, or the Assign / AnnAssign of a variable.
};

/// What can differ between the two sides of an entity. Of one edit only the finest kind is listed.
enum class DifferenceKind : std::uint8_t {
  kParameterAdded,
  kParameterRemoved,
  kParameterRenamed,
  kParameterMoved,
  kParameterKindChanged,
  kDefaultAdded,
  kDefaultRemoved,
  kDefaultChanged,
  kDefaultRenamed,  ///< The same default under the new name of a class that the change renames.
  kAnnotationChanged,
  kReturnAnnotationChanged,
  kDecoratorAdded,
  kDecoratorRemoved,
  kBaseAdded,
  kBaseRemoved,
  kAsyncChanged,
  kImportAdded,
  kImportRemoved,
  kCallAdded,
  kCallRemoved,
  kCallArgumentsChanged,
  kCollectiveAdded,
  kCollectiveRemoved,
  kCollectiveArgumentsChanged,
  kRaiseAdded,
  kRaiseRemoved,
  kAssertAdded,
  kAssertRemoved,
  kBranchAdded,
  kBranchRemoved,
  kConditionChanged,
  kLoopAdded,
  kLoopRemoved,
  kReturnChanged,
  kValueChanged,
  kBodyChanged,  ///< A statement, or the order of statements, that nothing above says.
  kDocstringChanged,
  kCommentsChanged,
  kFormattingChanged,
};

/// Docstrings, comments and layout: what runs is the same.
constexpr bool is_cosmetic(DifferenceKind kind) { return kind >= DifferenceKind::kDocstringChanged; }

/// One difference. `before` / `after` are source text of the part (a parameter, a call, a condition), empty on the side
/// that lacks it, cut at kMaxDifferenceText bytes; lines (from 0) say where.
struct Difference {
  DifferenceKind kind;
  /// Parameter name (the old one if renamed); qualified name of what is called, raised, imported, derived from;
  /// decorator; for branches and conditions the keyword ("if", "elif", "else", "while", "for", "case", …); for
  /// kBodyChanged what the statement assigns to, or "order of statements". May be empty.
  std::string name;
  std::string before;
  std::string after;
  std::optional<std::uint32_t> before_line;
  std::optional<std::uint32_t> after_line;
};
inline constexpr std::size_t kMaxDifferenceText = 1000;

struct EntityChange {
  EntityKind kind;
  Status status;
  bool moved = false;    ///< Another file.
  bool renamed = false;  ///< Another name within the module (a method also when its class has another name).
  std::optional<EntitySide> before;
  std::optional<EntitySide> after;
  std::vector<Difference> differences;  ///< Sorted by kind, then line. Empty for added and removed entities.
  /// Only comments, docstring or layout differ: it behaves as before.
  [[nodiscard]] bool is_cosmetic() const;
  [[nodiscard]] const EntitySide& latest() const { return after ? *after : *before; }
};

/// What a file is, by its path and name.
enum class FileCategory : std::uint8_t {
  kSource,
  kTest,
  kDocs,
  kConfig,
  kCi,
  kBuild,
  kDependencies,
  kNative,
  kScript,
  kData,
  kNotebook,
  kBinary,
  kOther,
};

struct FileSummary {
  const repo::FileChange* file = nullptr;
  FileCategory category = FileCategory::kOther;
  bool is_python = false;
  std::size_t lines_added = 0;
  std::size_t lines_removed = 0;
  /// What changed in it, from facts, as a clause without a full stop: "adds `f`; changes `C.g` (new parameter `x`)".
  /// Names stand in back-quotes. Never empty.
  std::string summary;
};

/// From `first_line` of a path on, up to the next segment, lines belong to entities[entity], or to none (kNoEntity).
struct EntitySegment {
  std::uint32_t first_line;
  std::uint32_t entity;
};
inline constexpr std::uint32_t kNoEntity = 0xffffffffu;

/// All that differs. Refers to the two programs and the diff it was made from; they must outlive it.
struct Change {
  const program::Program* before = nullptr;
  const program::Program* after = nullptr;
  const repo::SnapshotDiff* diff = nullptr;
  std::vector<FileSummary> files;      ///< In the order of diff->files: by path (after, else before).
  std::vector<EntityChange> entities;  ///< Sorted by path, then first line. Unchanged entities are absent.

  /// Whether line `line` (from 0) of `path` on the after side was added or modified.
  [[nodiscard]] bool touches_after(std::string_view path, std::uint32_t line) const;
  /// The innermost changed entity that holds this after-side line; null where there is none.
  [[nodiscard]] const EntityChange* entity_at_after(std::string_view path, std::uint32_t line) const;

  /// Index of entity_at_after, made by compare: for each after-side path, sorted, its segments by line.
  std::vector<std::pair<std::string, std::vector<EntitySegment>>> segments;
};

/// The bytes behind the diff, for the summaries of files that are not Python (keys of a YAML file, sizes of a binary).
/// Without them these summaries say only what the diff's lines say.
struct Contents {
  const repo::Snapshot* before = nullptr;
  const repo::Snapshot* after = nullptr;
};

/// Compares two programs. `diff` is the line diff of the two snapshots they were linked from.
Change compare(const program::Program& before, const program::Program& after, const repo::SnapshotDiff& diff,
               const Contents& contents = {});

}  // namespace lockstep::change
