// One step that the change edits, as it was and as it is -> what differs, in words.
#pragma once

#include <string>
#include <string_view>

#include "report/story/story.h"
#include "report/story/wording/condition_edits.h"

namespace lockstep::report {

/// Source text as code on one line, cut to `limit` characters.
std::string short_code(std::string_view text, std::size_t limit = 60);

/// "adds `or x` to the value of `y`", "drops `and x` from …": of a step that gives one name a condition with operands
/// more or fewer than before; empty for others.
std::string growth_words(const Step& before, const WordsContext& before_context, const Step& after,
                         const WordsContext& after_context);

/// "x" where `before` is `x = value` and `after` returns that value at once; empty for others.
std::string_view only_loses_name(const Step& before, const SourceText& before_source, const Step& after,
                                 const SourceText& after_source);

/// How a changed step differs: "sets `x` to `b` instead of `a`", "also passes `y` to `f`". A condition that only moved
/// between a branch and what stands around or in it is not told.
std::string edit_words(const Step& before, const WordsContext& before_context, const Step& after,
                       const WordsContext& after_context, const AskedWith& asked);

}  // namespace lockstep::report
