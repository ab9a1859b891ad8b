// What differs in one entity, as verb phrases ("no longer calls `f`"), from the compared steps and the differences that
// change/ found.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Of a parameter with its type and default: whole in most cases.
inline constexpr std::size_t kParameterWidth = 72;

/// A verb phrase, and where it holds.
struct ToldClause {
  std::string text;                     ///< Marked text: "no longer calls `f`".
  std::vector<std::string> conditions;  ///< The innermost ones, the outer first: "`x` is set". May be empty.
};

struct ToldClauses {
  std::vector<ToldClause> clauses;
  std::size_t left_out = 0;  ///< How many more there are to tell.
};

/// The most telling `limit` ones, in the order of the source.
ToldClauses told_clauses(const DocumentInputs& inputs, const Actor& actor, std::size_t limit);

/// Each with its conditions as one phrase; one that holds where the one before holds says so.
std::vector<std::string> phrases_of(const std::vector<ToldClause>& clauses);

/// "a; b": all in one sentence, but for what follows a phrase that begins with a condition and has none in front of it
/// itself: it begins a sentence of its own, or it would read as if that condition held for it, too.
std::string joined_phrases(const std::vector<std::string>& phrases);

/// `phrases_of` what `told_clauses` gives: "issues `all_reduce` over …", "passes `x=y` to `f`".
std::vector<std::string> change_clauses(const DocumentInputs& inputs, const Actor& actor, std::size_t limit);

}  // namespace lockstep::report
