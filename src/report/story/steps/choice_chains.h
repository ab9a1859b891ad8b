// A chain of alternatives (`if a: x = f() elif b: x = g() else: x = h()`) into which a change puts a new one, and of
// which the others stand there as before: as `elif` and `else`, in an `if` that is all that an `else` comes to, or as
// returns one behind the other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// What an alternative comes to.
enum class ActKind : std::uint8_t {
  kCalls,    ///< `f(x)`; `y = f(x)` where all alternatives give `y` a value.
  kSets,     ///< `y = x`, where all do.
  kReturns,  ///< `return x`, `return f(x)`.
  kRaises,
  kNothing,  ///< No branch is there for it, or one that holds nothing.
};

struct Act {
  ActKind kind = ActKind::kNothing;
  const python::Stmt* statement = nullptr;  ///< Null of kNothing.
  const python::Expr* value = nullptr;      ///< The call, the value, the error; null of `return` and `raise` alone.
  const python::Expr* target = nullptr;     ///< What gets it; null where it is returned or dropped.

  /// The call that it is; null of others.
  [[nodiscard]] const python::Call* call() const;
};

struct Alternative {
  static constexpr std::size_t kNone = SIZE_MAX;
  const python::Expr* condition = nullptr;  ///< Null: where none before it holds.
  const python::If* branch = nullptr;       ///< Whose condition it is; null for the last one.
  python::Seq<python::Stmt> body = {};
  std::vector<const python::Stmt*> prepared = {};  ///< What the `else` around its `if` does before.
  Act act = {};
  std::size_t partner = kNone;  ///< Index on the other side.
  bool stays = false;           ///< It does what it did.
  bool does_more = false;       ///< Than its act: calls for their effect, attributes that it sets.
};

struct ChoiceChain {
  std::vector<Alternative> before;
  std::vector<Alternative> after;  ///< In the order in which they are asked, as `before`.

  [[nodiscard]] const python::If* head() const { return after.front().branch; }
  [[nodiscard]] static bool is_new(const Alternative& one) { return one.partner == Alternative::kNone; }
  /// All that were there stay as they were.
  [[nodiscard]] bool others_stay() const;
};

/// The chains of a function that stays and get a new alternative with a condition, while at least two were there before
/// and one of them does what it did; the outer ones of chains within chains. Only those that can be told exactly: each
/// alternative comes to one call or one value of one kind, does nothing besides that lasts, and no condition does more
/// than ask.
std::vector<ChoiceChain> changed_chains(const Actor& actor);

/// The step of a branch or a statement; Step::kNone where it has none.
std::size_t step_of(const std::vector<Step>& steps, const python::Node* node);

/// Whether both conditions cannot hold at once, as their words show: `x == "a"` and `x == "b"`, `x` and `not x`.
bool exclude_each_other(const python::Expr& one, const SourceText& source, const python::Expr& other,
                        const SourceText& other_source);
/// Whether `one` cannot hold where `other` does not, as their words show: `x and y` and `x`.
bool asks_for_all_of(const python::Expr& one, const SourceText& source, const python::Expr& other,
                     const SourceText& other_source);

}  // namespace lockstep::report
