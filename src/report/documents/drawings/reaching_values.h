// Which steps of a function what one of them makes can get to.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "report/story/steps/steps.h"

namespace lockstep::report {

/// Adds the names, as a drawing writes them, to which an assignment to the target gives values; null adds none.
void add_bound(const SourceText& source, const python::Expr* target, std::vector<std::string>& out);

/// The ways through a function's steps, and the names that each binds anew. Ways go forward alone: what a loop hands to
/// its own next turn is left out.
class ReachingValues {
 public:
  /// `untaken`: sides of choices that no way takes, their headers with them. The steps must outlive this.
  ReachingValues(const std::vector<Step>& steps, const SourceText& source, const std::set<std::size_t>& untaken);

  /// Whether `name` may be at step `to` what it became at step `from`: a way leads there, and no step on it binds the
  /// name anew. `from` Step::kNone: what it is when the function starts.
  [[nodiscard]] bool reaches(std::size_t from, std::size_t to, const std::string& name) const;
  /// The last step before `to` that binds `name` to what it may be there; Step::kNone for none.
  [[nodiscard]] std::size_t last_binding(const std::string& name, std::size_t to) const;

 private:
  using Steps = std::vector<std::size_t>;

  /// Where a way goes on from a step, the header of its block where it is one.
  [[nodiscard]] Steps next_of(std::size_t index) const;
  [[nodiscard]] Steps next_of_plain(std::size_t index) const;
  /// Where it goes on behind the whole statement that the step is a part of; the number of steps for the end.
  [[nodiscard]] std::size_t behind(std::size_t index) const;
  /// Where it goes on when the block below a header has run.
  [[nodiscard]] std::size_t behind_block(std::size_t header) const;
  /// Where a loop goes on that has no further turn.
  [[nodiscard]] std::size_t behind_turns(std::size_t loop) const;
  /// The next part of the statement that the header begins or goes on with, its own inner steps passed; none for its
  /// last part.
  [[nodiscard]] std::size_t next_part(std::size_t header) const;
  /// Handlers of the innermost `try:` whose block holds the step.
  [[nodiscard]] Steps handlers_around(std::size_t index) const;
  /// Of a side that is not taken the header is passed all the same.
  [[nodiscard]] bool is_untaken(std::size_t index) const;
  /// Of a branch that asks whether a local is set, to which `from` gives `None`: the answer. Nothing for others.
  [[nodiscard]] std::optional<bool> holds_of_none(std::size_t from, std::size_t branch, const std::string& name) const;
  [[nodiscard]] bool binds(std::size_t index, const std::string& name) const;

  const std::vector<Step>& steps_;
  const std::set<std::size_t>& untaken_;
  std::vector<std::vector<std::string>> bound_;  ///< By step.
};

}  // namespace lockstep::report
