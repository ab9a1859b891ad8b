// What the drawings that a model asks for share: names and places of one side of the change. Private to this folder.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/diagram.h"
#include "report/inputs.h"
#include "report/story/story.h"
#include "writer/author/claims.h"

namespace lockstep::writer::internal {

/// One side of the change.
struct DrawnSide {
  const program::Program* program = nullptr;
  const mesh::MeshAnalysis* mesh = nullptr;  ///< May be null.
  const repo::SnapshotDiff* diff = nullptr;
  bool is_before = false;
};
DrawnSide after_side(const report::DocumentInputs& inputs);
DrawnSide before_side(const report::DocumentInputs& inputs);

/// Functions that a name may mean, those outside tests first: the end of a qualified name, a class (its constructor and
/// forward), a script (its code).
std::vector<program::FunctionId> functions_named(const program::Program& program, std::string_view name);

/// A call of one function in another, as the call graph has it.
struct Hop {
  program::FunctionId caller, callee;  ///< No callee: it is outside the repository.
  program::CallId id;
  const python::Node* call = nullptr;
  std::string external;    ///< Its dotted name.
  bool registers = false;  ///< It is handed on, to be called later.
  std::uint32_t line = 0;  ///< Of the call, from 0.
};
/// What calls of a drawing are looked for by.
struct HopSearch {
  std::string_view callee;
  std::uint32_t line = 0;  ///< From 1; 0: any.
  /// By function, its id: the line (from 0) that was told of it last; a call below is meant rather than one above.
  std::map<std::uint32_t, std::uint32_t> told = {};
  /// Whether a run that makes this call gets to what is drawn next; null: not known.
  std::function<bool(const Hop&)> fits = {};
};
/// The first call, of functions in `callers`, that may enter what is named and that fits, else the first that may.
std::optional<Hop> find_hop(const program::Program& program, const std::vector<program::FunctionId>& callers,
                            const HopSearch& search);
/// All calls of the function, and of what is defined inside it, that may enter what is named.
std::vector<Hop> hops_of(const program::Program& program, program::FunctionId caller, const HopSearch& search);

/// A statement, or where there is none its line alone.
struct DrawnPlace {
  std::string path;
  std::uint32_t line = 0;        ///< From 0.
  program::FunctionId function;  ///< That holds it; none outside functions.
  report::Step step;             ///< Without a node where it is no statement of a function's body.
  std::string text;              ///< On one line.
  bool is_function = false;      ///< The function itself is meant.
};
/// `line` as people count, from 1 ("path:12"): nullopt where that side has no such line, or nothing stands there or
/// right below.
std::optional<DrawnPlace> drawn_place(const DrawnSide& side, std::string_view path, std::uint32_t line);
/// Whether `text` reads like "path:12", ":12" or "12"; the path is empty where it is not said.
std::optional<std::pair<std::string, std::uint32_t>> place_in(std::string_view text);

/// What the change did to a statement of the side.
report::Mark mark_of(const report::Story& story, const DrawnSide& side, const DrawnPlace& place);
/// What it did to a function, and to what owner_label names of it where the function differs.
report::Mark mark_of(const report::Story& story, const DrawnSide& side, program::FunctionId function);
report::Mark mark_of_owner(const report::Story& story, const DrawnSide& side, program::FunctionId function);

/// "Class" or "file.py", and "Class.method" or "function".
std::string owner_label(const program::Program& program, program::FunctionId function);

/// `text` may hold code: it is shown as data.
Fault drawing_fault(std::string_view text, std::string reason);
/// Of one drawing: a model that asks for nonsense is not told of each part of it.
inline constexpr std::size_t kMostDrawingFaults = 6;
/// The text without back-quotes and "(…)".
std::string plain_name(std::string_view text);
/// Takes "before " or "before:" from the beginning of a text; whether it stood there.
bool take_word(std::string_view& text, std::string_view word);
std::vector<std::string_view> split_at(std::string_view text, std::string_view separator);

}  // namespace lockstep::writer::internal
