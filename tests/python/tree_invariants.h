// What must hold for the tree of any bytes whatever. Shared by the parser's tests and its fuzz target.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "python/parser.h"
#include "python/tree_walk.h"

namespace lockstep::python {

namespace invariants_internal {

/// Decorators stand before their definition, defaults behind the name and annotation of their parameter.
inline bool may_stick_out(const Node* parent, const Node* child) {
  if (const auto* function = as<FunctionDef>(parent)) return child->span.begin < function->span.begin;
  if (const auto* cls = as<ClassDef>(parent)) return child->span.begin < cls->span.begin;
  const auto* parameter = as<Parameter>(parent);
  return parameter != nullptr && child == parameter->default_value;
}

/// Statements, and what holds statements, do not count their levels.
inline bool has_height(const Node* node) {
  return !is_statement(node) && !is<Module>(node) && !is<ExceptHandler>(node) && !is<MatchCase>(node);
}

/// The text of `{x=}` overlaps the field that it stands before.
inline bool keeps_order(const Node* parent) { return !is<JoinedStr>(parent); }

inline std::string check_node(const Node* node, int depth, std::size_t size) {
  if (node->span.begin > node->span.end || node->span.end > size) return "a span is not inside the file";
  if (depth > kMaxTreeDepth) return "the tree is deeper than kMaxTreeDepth";
  std::string wrong;
  std::uint32_t last_begin = 0;
  for_each_child(*node, [&](const Node* child) {
    if (!node->span.contains(child->span) && !may_stick_out(node, child)) {
      wrong = fmt::format("a child (kind {}, {}-{}) sticks out of its parent (kind {}, {}-{})",
                          static_cast<int>(child->kind), child->span.begin, child->span.end,
                          static_cast<int>(node->kind), node->span.begin, node->span.end);
    }
    if (keeps_order(node) && child->span.begin < last_begin) {
      wrong = fmt::format("children of kind {} are not in the order of the source", static_cast<int>(node->kind));
    }
    last_begin = child->span.begin;
    if (has_height(node) && node->height < child->height + 1) {
      wrong = fmt::format("the height of kind {} is not above its children", static_cast<int>(node->kind));
    }
  });
  return wrong;
}

template <class T>
std::string check_spans(const std::vector<T>& items, const char* what, bool may_overlap, std::size_t size) {
  std::uint32_t last = 0;
  for (const T& item : items) {
    if (item.span.begin > item.span.end || item.span.end > size)
      return fmt::format("a {} is not inside the file", what);
    if (item.span.begin < last) return fmt::format("the {}s are not in order", what);
    last = may_overlap ? item.span.begin : item.span.end;
  }
  return {};
}

}  // namespace invariants_internal

/// What is wrong with `file`; empty where nothing is.
inline std::string broken_invariant(const ParsedFile& file) {
  using namespace invariants_internal;
  if (file.tree == nullptr) return "there is no tree";
  const std::size_t size = file.source.bytes().size();
  struct Entry {
    const Node* node;
    int depth;
  };
  std::vector<Entry> stack{{file.tree, 0}};
  bool has_error = false;
  while (!stack.empty()) {
    const Entry entry = stack.back();
    stack.pop_back();
    has_error = has_error || is<ErrorStmt>(entry.node) || is<ErrorExpr>(entry.node);
    if (std::string wrong = check_node(entry.node, entry.depth, size); !wrong.empty()) return wrong;
    for_each_child(*entry.node, [&](const Node* child) { stack.push_back({child, entry.depth + 1}); });
  }
  if (has_error && file.problems.empty()) return "there are error nodes but no problem";
  if (std::string wrong = check_spans(file.comments, "comment", false, size); !wrong.empty()) return wrong;
  return check_spans(file.problems, "problem", true, size);
}

}  // namespace lockstep::python
