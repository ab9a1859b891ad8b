// Syntax trees → hashes and token streams that ignore layout: two pieces of code have equal hashes where CPython would
// see the same `ast` (parentheses, quotes, line breaks, comments, bare strings and `pass` do not count).
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "python/tree.h"
#include "text/source.h"

namespace lockstep::change {

/// What hashes and token streams pass over, besides bare strings and `pass`.
struct LeaveOut {
  bool definitions = false;  ///< Functions and classes below the root: they are entities of their own.
  const std::unordered_set<const python::Node*>* statements = nullptr;  ///< These, too. May be null.
  bool inner_calls = false;                                             ///< All calls below the root look alike.
  bool imports = false;                                                 ///< Statements that import.
  bool casts = false;  ///< `cast(T, x)` of `typing` is `x`, as it is where it runs.
};

/// Mixes `value` into `hash`; order matters.
std::uint64_t mix(std::uint64_t hash, std::uint64_t value);

class NodeHasher {
 public:
  explicit NodeHasher(const SourceText& source, LeaveOut leave_out = {}) : source_(&source), leave_out_(leave_out) {}

  /// Of a node with all below it; 0 for null.
  [[nodiscard]] std::uint64_t hash(const python::Node* node) const { return node == nullptr ? 0 : hash_root(*node); }
  [[nodiscard]] std::uint64_t hash(python::Seq<python::Stmt> block) const;
  /// Appends one number a node, in pre-order, until `out` holds `limit`.
  void tokens(const python::Node& node, std::size_t limit, std::vector<std::uint64_t>& out) const;
  /// Whether the statement is passed over.
  [[nodiscard]] bool leaves_out(const python::Stmt& statement) const;

 private:
  [[nodiscard]] std::uint64_t hash_root(const python::Node& node) const;
  [[nodiscard]] std::uint64_t hash_below(const python::Node& node) const;
  /// The node's kind, operators, names, values and which optional parts it has; nothing of its children.
  [[nodiscard]] std::uint64_t token(const python::Node& node) const;

  const SourceText* source_;
  LeaveOut leave_out_;
};

/// A string statement: a docstring, or text that documents what stands above it.
const python::Constant* bare_string(const python::Stmt& statement);

/// How alike two sorted multisets are: 2·|both| / (|a| + |b|), from 0 to 1; 1 for two empty ones.
double dice(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b);
/// Hashes of all runs of three tokens (of all tokens where there are fewer), sorted.
std::vector<std::uint64_t> shingles(const std::vector<std::uint64_t>& tokens);

}  // namespace lockstep::change
