// Statements that stay, under fewer conditions than before.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// A condition of the old version around a statement that does not stand under it now.
struct GoneCondition {
  const python::If* branch = nullptr;
  const python::Expr* condition = nullptr;  ///< The branch's, or a part of it: `b` of `if a and b:`.
  bool negated = false;                     ///< It stood in the `else`.
};

/// The conditions under which step `index` of the after side alone ran before, outermost first; empty where it runs
/// under the same ones, under new ones, or where the caller or an early way out may ask for them now.
std::vector<GoneCondition> gone_conditions(const DocumentInputs& inputs, const Actor& actor, std::size_t index);

/// "comes to `x` also where …": of a kept step that stands under fewer conditions than before; empty for others, and
/// where that is not sure.
std::string freed_words(const DocumentInputs& inputs, const Actor& actor, std::size_t index,
                        const WordsContext& context);

}  // namespace lockstep::report
