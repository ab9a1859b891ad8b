// What is known of the conditions of a function on one path through it: literals (this condition holds, that one does
// not) and clauses (one of these holds), enough to see that two `if`s of one function cannot disagree. A small part of
// propositional logic with a little arithmetic of `None`, truth and equality with constants; what it does not
// understand is an atom of its own, equal to other atoms with the same text.
//
// Left out: calls that change what a condition reads (the same text is taken to mean the same, until a name in it is
// assigned), and everything between functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "python/facts.h"

namespace lockstep::rules {

/// A condition or its opposite.
struct Literal {
  std::uint32_t atom = 0;
  bool holds = true;
  friend auto operator<=>(const Literal&, const Literal&) = default;
};

/// All conditions of one function, by meaning.
class Atoms {
 public:
  explicit Atoms(const python::FileFacts& facts) : facts_(facts) {}

  /// The atom with this text ("a<b", "x is None"), and `subject` for atoms about one value ("x").
  enum class Kind : std::uint8_t { kOther, kTruth, kIsNone, kEqualsConstant };
  std::uint32_t intern(Kind kind, const std::string& subject, const std::string& text,
                       const std::vector<std::string_view>& names);
  [[nodiscard]] Kind kind(std::uint32_t atom) const { return rows_[atom].kind; }
  [[nodiscard]] const std::string& subject(std::uint32_t atom) const { return rows_[atom].subject; }
  [[nodiscard]] const std::string& text(std::uint32_t atom) const { return rows_[atom].text; }
  /// True if the atom reads the variable `name`.
  [[nodiscard]] bool reads(std::uint32_t atom, std::string_view name) const;
  /// True if its text mentions `text` (an attribute or subscript that was assigned).
  [[nodiscard]] bool mentions(std::uint32_t atom, std::string_view text) const;
  [[nodiscard]] const python::FileFacts& facts() const { return facts_; }

 private:
  struct Row {
    Kind kind;
    std::string subject;
    std::string text;
    std::vector<std::string_view> names;
  };
  const python::FileFacts& facts_;
  std::vector<Row> rows_;
  std::unordered_map<std::string, std::uint32_t> by_text_;
};

/// What holds on one path. Empty: nothing is known.
class PathFacts {
 public:
  /// Adds that `condition` came out as `outcome`. False if that contradicts what is known: the path is impossible.
  [[nodiscard]] bool assume(Atoms& atoms, const python::Expr& condition, bool outcome);
  /// `name = value` (value null: something unknown): forgets what was known of the name, learns what the value says.
  void assign(Atoms& atoms, std::string_view name, const python::Expr* value);
  /// `name` is an exception: neither None nor false.
  void assign_exception(Atoms& atoms, std::string_view name);
  /// True if what is known says how `condition` comes out.
  [[nodiscard]] bool decides(Atoms& atoms, const python::Expr& condition) const;
  /// An attribute or subscript with this squeezed source text was assigned.
  void assign_place(const Atoms& atoms, std::string_view text);
  /// What holds on both paths.
  void merge(const PathFacts& other);

  friend bool operator==(const PathFacts&, const PathFacts&) = default;

 private:
  using Clause = std::vector<Literal>;
  struct Alias {
    std::string_view name;
    const python::Expr* value;
    friend bool operator==(const Alias&, const Alias&) = default;
  };
  struct Budget {
    int left;
  };

  bool assume_within(Atoms& atoms, const python::Expr& condition, bool outcome, Budget& budget);
  bool assume_compare(Atoms& atoms, const python::Compare& compare, bool outcome);
  bool assume_parts(Atoms& atoms, const python::BoolOp& parts, bool outcome, Budget& budget);
  void copy(Atoms& atoms, std::string_view name, std::string_view from);
  void learn(Atoms& atoms, std::string_view name, Atoms::Kind kind, bool holds);
  bool add(const Atoms& atoms, Literal literal);
  bool add_clause(const Atoms& atoms, Clause clause);
  [[nodiscard]] bool known(Literal literal) const;

  std::vector<Literal> literals_;  // Sorted.
  std::vector<Clause> clauses_;    // Each sorted.
  std::vector<Alias> aliases_;
};

}  // namespace lockstep::rules
