// Facts of one Python file: its tree and what can be read off it without knowing its path, its revision or any other
// file: scopes with their bindings, imports, definitions. Built once per blob, shared by all revisions that hold it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "base/table.h"
#include "python/parser.h"
#include "python/tree.h"
#include "text/name_index.h"

namespace lockstep::python {

using ScopeId = Id<struct ScopeTag>;

enum class ScopeKind : std::uint8_t { kModule, kClass, kFunction, kLambda, kComprehension, kTypeParams };

/// How a name gets its value in a scope.
enum class BindingKind : std::uint8_t {
  kParameter,
  kAssign,
  kAugAssign,
  kAnnotation,
  kFor,
  kWith,
  kExcept,
  kImport,
  kFunction,
  kClass,
  kNamedExpr,
  kPattern,
  kDelete,
  kTypeParam,
  kTypeAlias,
  kComprehensionTarget,
};

/// One place where a name is bound (or deleted).
struct Binding {
  std::string_view name;
  BindingKind kind;
  /// What binds: the Name (assignment, for, with, walrus, delete), Parameter, Alias, FunctionDef, ClassDef,
  /// ExceptHandler, Pattern or TypeParam.
  const Node* node;
  /// The statement (or comprehension, lambda) that holds it.
  const Node* owner;
  Span name_span;
};

/// One lexical scope. Names follow Python's rules: class scopes are invisible to nested functions, comprehension
/// targets are local, a walrus in a comprehension binds in the enclosing function.
struct Scope {
  ScopeKind kind;
  ScopeId parent;                 ///< None for the module's scope.
  const Node* node;               ///< Module, ClassDef, FunctionDef, Lambda, or the comprehension expression.
  std::vector<Binding> bindings;  ///< In the order of the source.
  std::vector<std::string_view> global_names;    ///< Declared `global`.
  std::vector<std::string_view> nonlocal_names;  ///< Declared `nonlocal`.
};

/// One name brought in by an import statement.
struct ImportedName {
  const Node* statement;      ///< Import or ImportFrom.
  ScopeId scope;              ///< Where it is bound.
  std::uint32_t level;        ///< Leading dots.
  std::string_view module;    ///< Dotted text after the dots; may be empty.
  std::string_view name;      ///< Imported name; empty for `import a.b`; "*" for a star-import.
  std::string_view bound_as;  ///< Name it binds; for `import a.b` it is "a"; empty for a star-import.
  bool in_type_checking;      ///< Under `if TYPE_CHECKING:`.
  bool in_try;                ///< Inside a `try` body, one of its handlers, or `with suppress(…)`.
  Span span;
};

struct FileFacts {
  std::unique_ptr<const ParsedFile> file;
  Table<ScopeId, Scope> scopes;                            ///< The module's scope is the first.
  std::unordered_map<const Node*, ScopeId> scope_of_node;  ///< For nodes that open a scope.
  std::vector<ImportedName> imports;                       ///< In the order of the source.
  LazyNameIndex name_index;

  [[nodiscard]] const Module& tree() const { return *file->tree; }
  [[nodiscard]] const SourceText& source() const { return file->source; }
  /// The names that stand anywhere in the text.
  [[nodiscard]] const NameIndex& names() const { return name_index.of(source().bytes()); }
  /// As find_name() of the text (base/find_text.h), mostly without reading it.
  [[nodiscard]] std::size_t find_name(std::string_view name, std::size_t from = 0) const {
    return names().find(source().bytes(), name, from);
  }
  [[nodiscard]] bool has_name(std::string_view name) const { return find_name(name) != std::string_view::npos; }
};

/// Never fails; problems are in `file->problems`.
std::shared_ptr<const FileFacts> extract_facts(std::string bytes);

/// The docstring of a body (value of a leading string statement), or null.
const Constant* docstring_of(Seq<Stmt> body);

}  // namespace lockstep::python
