// Statements that stay, under fewer conditions than before.
#pragma once

#include <cstddef>
#include <optional>
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

/// " (formerly only when `a` is set)" of an edited plain step that stands under fewer conditions than before; empty for
/// others.
std::string former_guard_words(const DocumentInputs& inputs, const Actor& actor, std::size_t index);

/// A kept step that stands under fewer conditions than before.
struct FreedStep {
  std::string what;            ///< Its code, marked.
  std::string where;           ///< "`c` is not set": where it runs now, too; with several conditions, these.
  bool is_of_several = false;  ///< `where` names all the conditions that it ran under.
};

/// Of step `index` of the after side; nullopt for others, and where that is not sure.
std::optional<FreedStep> freed_step(const DocumentInputs& inputs, const Actor& actor, std::size_t index,
                                    const WordsContext& context);
/// "comes to `x`, `y` and 2 more steps also where …" of steps that are freed of the same.
std::string freed_words(const std::vector<FreedStep>& steps);

}  // namespace lockstep::report
