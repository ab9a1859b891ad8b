// A function's body as a flat list of steps, each compared with the other side: what the walk-through, the pseudo-code
// and the diagrams are made of. Compares statements by their tokens, so layout and comments never count as a change.
//
// Left out: nested function and class definitions are one step each; they are entities of their own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "python/tree.h"
#include "repo/diff.h"
#include "text/source.h"

namespace lockstep::change {
struct EntityChange;
}

namespace lockstep::report {

enum class StepKind : std::uint8_t {
  kPlain,  ///< Simple statement, or nested definition (the whole of it).
  kIf,
  kElse,  ///< `elif` is a kIf with is_elif at the same depth. kElse has the If (or loop, or Try) as node.
  kFor,
  kWhile,
  kWith,
  kTry,
  kExcept,
  kFinally,
  kMatch,
  kCase,
};
enum class StepStatus : std::uint8_t { kKept, kAdded, kRemoved, kChanged };

struct Step {
  static constexpr std::size_t kNone = SIZE_MAX;
  StepKind kind = StepKind::kPlain;
  bool is_elif = false;
  bool is_after_elif = false;          ///< Of a kElse.
  const python::Node* node = nullptr;  ///< Statement; ExceptHandler, MatchCase for theirs.
  int depth = 0;                       ///< 0: directly in the body.
  std::size_t parent = kNone;          ///< Index of the step that holds it.
  Span span;                           ///< The step alone: the header up to its colon for compound statements.
  std::uint32_t first_line = 0;        ///< Of `span`, from 0.
  std::uint32_t last_line = 0;
  StepStatus status = StepStatus::kKept;
  std::size_t partner = kNone;    ///< Index on the other side for kKept, kChanged and moved ones.
  std::uint64_t fingerprint = 0;  ///< Of its tokens.
  std::uint64_t as_elif = 0;      ///< Of an `if` that no branch before it comes to: its fingerprint, were it an `elif`.
  std::uint64_t as_if = 0;        ///< Of an `elif`: its fingerprint, were it the first branch.
  const change::EntityChange* elsewhere = nullptr;  ///< Removed here, added there: the other function that has it now.
  bool is_led_there = false;   ///< Calls of the new version lead from here to that function, or from it to here.
  bool differs_there = false;  ///< Not to the letter, or under other conditions than here.
  /// Changed: it gets what this function returns now, which has the code that stood here and gave the value.
  const change::EntityChange* returned_by = nullptr;
  /// Added here: the function that did the same and goes, or, of a check, that asked it and does not any more.
  const change::EntityChange* taken_from = nullptr;
  /// Added here: a function that goes, was called here, and did this; removed here: a call of it. See inlined.h.
  const change::EntityChange* inlined = nullptr;
  /// Removed here: a collective that the new version still comes to, by a step or a function that the change brings.
  bool is_still_issued = false;
  /// Removed here, added there: `partner` is the same step on the other side; of a kChanged one, within a branch that
  /// moved, the changed one.
  bool is_moved = false;
  /// Of a kChanged step: it only calls another function, as several do; see swapped_calls.h.
  bool swaps_call = false;
  /// Of a kChanged step in which only names differ that the whole change gives anew (matches.h), or what it reads from
  /// an attribute that keeps it now (cached_attributes.h): old and new ones.
  std::vector<std::pair<std::string, std::string>> renames;
};

/// The value that the assignment `node` gives to its one target or its first, which `target` gets; null for other
/// nodes and for a declaration without a value.
const python::Expr* assigned_value(const python::Node* node, const python::Expr*& target);
/// The value that a plain statement assigns, adds to what it changes, returns, or drops; null for others.
const python::Expr* value_of_step(const Step& step);
/// The call, awaited or not, that a plain statement makes and does nothing with but to give its result on (`f(x)`,
/// `y = f(x)`, `return await f(x)`); null for others.
const python::Call* call_of_step(const Step& step);

/// Steps of `body` in source order; the docstring is left out. At most kMaxSteps.
inline constexpr std::size_t kMaxSteps = 4000;
std::vector<Step> steps_of(python::Seq<python::Stmt> body, const SourceText& source);
/// Steps of a FunctionDef or ClassDef; of a Module those that it runs itself: no definitions, plain variables or
/// imports.
std::vector<Step> steps_of(const python::Node& definition, const SourceText& source);

/// The text of `span` without layout: a formatter's work gives the same.
std::string without_layout(const SourceText& source, Span span);

/// Fills status, partner and is_moved on both sides: longest common subsequence of equal steps, then similar neighbours
/// as kChanged, then what is removed here and added there alike as moved. `elsewhere` and `renames` need the whole
/// change and are filled for all functions together (matches.h). `lines`: the difference of the two files, which
/// decides between steps alike; null: not known.
void compare_steps(std::vector<Step>& before, const SourceText& before_source, std::vector<Step>& after,
                   const SourceText& after_source, const repo::LineDiff* lines = nullptr);

/// Both sides of one function; a missing side is empty.
struct StepComparison {
  std::vector<Step> before;
  std::vector<Step> after;
  const SourceText* before_source = nullptr;
  const SourceText* after_source = nullptr;
  [[nodiscard]] std::size_t changed_after() const;   ///< Added or changed steps.
  [[nodiscard]] std::size_t removed_before() const;  ///< Removed steps.
};
StepComparison compare_functions(const python::Node* before, const SourceText* before_source, const python::Node* after,
                                 const SourceText* after_source, const repo::LineDiff* lines = nullptr);

/// Old and new names where two steps differ in nothing but names; empty for others.
std::vector<std::pair<std::string, std::string>> renamed_words(const Step& before, const SourceText& before_source,
                                                               const Step& after, const SourceText& after_source);

/// For each removed step of `before`: the index in `after` before which it stood (size of `after` at the end).
std::vector<std::size_t> removal_points(const StepComparison& steps);

/// Raises, asserts and branches that hold nothing else: they refuse what a function is given.
bool only_refuses(const std::vector<Step>& steps, std::size_t index);
/// True if all that the step, or what stands below it, does is tell people something.
bool only_logs(const std::vector<Step>& steps, std::size_t index);
/// Whether a branch does nothing but to refuse, to warn, or to give settings constant values.
bool only_checks(const std::vector<Step>& steps, std::size_t index,
                 const std::function<bool(const python::Attribute&)>& is_setting);
/// Whether a step of the same words elsewhere is this one: ways out ("continue") and blocks prove nothing.
bool tells_itself(const Step& step);
/// Whether step `index` and all inside it only stand elsewhere on the other side.
bool is_moved_whole(const std::vector<Step>& steps, std::size_t index);
/// Whether step `index` or anything inside it is added or changed.
bool has_change_inside(const std::vector<Step>& steps, std::size_t index);
/// Whether a run that takes one of the two steps does not take the other: they stand on two sides of one `if`.
bool are_alternatives(const std::vector<Step>& steps, std::size_t one, std::size_t other);
/// One past the last step inside step `index`.
std::size_t end_of(const std::vector<Step>& steps, std::size_t index);

}  // namespace lockstep::report
