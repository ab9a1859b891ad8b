// A way out whose question was turned round (`if x is not None: continue` as `if x is None: continue`): what follows it
// ran for those for which it does not run now, and the other way round.
#pragma once

#include <string>
#include <vector>

#include "python/tree.h"
#include "report/story/story.h"
#include "report/story/wording/words.h"

namespace lockstep::report {

/// Whether a branch without `else` that leaves (returns, raises, goes on, breaks) holds the same statements as before
/// under exactly the opposite condition.
bool turns_guard(const python::If& before, const SourceText& before_source, const python::If& after,
                 const SourceText& after_source);

/// "`all_reduce`": the collectives that the function of `context` issues itself behind such a branch, up to the end of
/// the block that holds it; empty where it issues none there.
std::vector<std::string> collectives_behind(const python::If& guard, const WordsContext& context);

/// Functions with such a branch, which nearly always mends a fault, lead the others where collectives stand behind it,
/// and weigh more where none do.
void weigh_turned_guards(const DocumentInputs& inputs, std::vector<Actor>& actors);

}  // namespace lockstep::report
