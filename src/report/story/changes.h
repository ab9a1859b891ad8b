// What differs in one entity, in words: clauses ("no longer calls `f`"), and rows of before and after. From the
// compared steps and the differences that change/ found.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Whether the entity differs in this way.
bool has_difference(const change::EntityChange& entity, change::DifferenceKind kind);

/// Verb phrases, most telling first: "issues `all_reduce` over …", "passes `x=y` to `f`", "no longer calls `g`".
std::vector<std::string> change_clauses(const DocumentInputs& inputs, const Actor& actor, std::size_t limit);

struct BeforeAfter {
  std::string aspect;  ///< Marked text: "`x`", "condition", "default of `y`".
  std::string before;  ///< Marked text; "—" where there was nothing.
  std::string after;
  bool decides = false;  ///< A condition, or an argument that switches something.
};
std::vector<BeforeAfter> before_after(const DocumentInputs& inputs, const Actor& actor, std::size_t limit);

/// One sentence on an entity: what it is for in its author's words if new, what changes in it otherwise.
std::string actor_words(const DocumentInputs& inputs, const Actor& actor, std::size_t most_clauses);

}  // namespace lockstep::report
