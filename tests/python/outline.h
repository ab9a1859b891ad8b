// Trees as text for tests: one node a line, indented, with the source that it covers.
//
//   Assign |x = 1|
//     Name |x|
//     Constant |1|
#pragma once

#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "python/parser.h"
#include "python/tree_walk.h"

namespace lockstep::python {

inline std::string_view kind_name(NodeKind kind) {
  constexpr std::array<std::string_view, 71> kNames = {
      "FunctionDef",    "ClassDef",      "Return",       "Delete",     "Assign",    "TypeAlias",
      "AugAssign",      "AnnAssign",     "For",          "While",      "If",        "With",
      "Match",          "Raise",         "Try",          "Assert",     "Import",    "ImportFrom",
      "Global",         "Nonlocal",      "ExprStmt",     "Pass",       "Break",     "Continue",
      "ErrorStmt",      "BoolOp",        "NamedExpr",    "BinOp",      "UnaryOp",   "Lambda",
      "IfExp",          "Dict",          "Set",          "ListComp",   "SetComp",   "DictComp",
      "GeneratorExp",   "Await",         "Yield",        "YieldFrom",  "Compare",   "Call",
      "FormattedValue", "JoinedStr",     "Constant",     "Attribute",  "Subscript", "Starred",
      "Name",           "List",          "Tuple",        "Slice",      "ErrorExpr", "MatchValue",
      "MatchSingleton", "MatchSequence", "MatchMapping", "MatchClass", "MatchStar", "MatchAs",
      "MatchOr",        "Module",        "Parameter",    "Parameters", "Keyword",   "Alias",
      "Comprehension",  "ExceptHandler", "WithItem",     "MatchCase",  "TypeParam"};
  static_assert(static_cast<std::size_t>(NodeKind::kTypeParam) + 1 == kNames.size());
  return kNames[static_cast<std::size_t>(kind)];
}

inline void append_outline(const ParsedFile& file, const Node& node, std::size_t indent, std::string& text) {
  std::string covered = replace_all(file.source.slice(node.span), "\n", "\\n");
  covered = replace_all(replace_all(covered, "\r", "\\r"), "\t", "\\t");
  text += fmt::format("{}{} |{}|\n", std::string(indent, ' '), kind_name(node.kind), covered);
  for_each_child(node, [&](const Node* child) { append_outline(file, *child, indent + 2, text); });
}

/// The statements of `file`.
inline std::string outline(const ParsedFile& file) {
  std::string text;
  for (const Stmt* statement : file.tree->body) append_outline(file, *statement, 0, text);
  return text;
}

/// The statements of `source`, and behind them one line a problem: `! message`.
inline std::string outline(std::string_view source) {
  const auto file = parse(std::string(source));
  std::string text = outline(*file);
  for (const Problem& problem : file->problems) text += "! " + problem.message + "\n";
  return text;
}

/// The only statement of `source`, as a T; the file must outlive it.
template <class T>
const T* only_statement(const ParsedFile& file) {
  return file.tree->body.size() == 1 ? as<T>(file.tree->body[0]) : nullptr;
}

/// The value of the only statement, an expression.
template <class T>
const T* only_expression(const ParsedFile& file) {
  const auto* statement = only_statement<ExprStmt>(file);
  return statement == nullptr ? nullptr : as<T>(statement->value);
}

}  // namespace lockstep::python
