// What the branches of a function ask, on both sides of a change: whether a question that went is still asked in
// another form, and which conditions only moved between a branch and those around or in it.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/story/steps/steps.h"
#include "report/story/wording/edits.h"
#include "report/story/wording/words.h"

namespace lockstep::report {

/// The operands of a condition joined by `and`, as texts; of others the whole.
void add_operands(const python::Expr& condition, const SourceText& source, std::vector<std::string>& out);

/// Variables and attributes that a condition asks for, by their last names; `self` left out.
std::set<std::string_view> names_asked(const python::Expr& condition);

/// What must hold beside the condition of the changed branch `index` of the after side: what the branches around it
/// ask, and a branch without `else:` that is all that it holds.
AskedWith asked_with(const StepComparison& steps, std::size_t index);

/// Whether the new function, or one that it calls or hands on, may ask anything of `condition` of the old `function`:
/// an attribute or a global name of it, else one of its local names, stands in a condition, a comparison, `getattr`,
/// `hasattr`, or what a variable is set to.
bool is_still_asked(const python::Expr& condition, const python::Node& function, const WordsContext& after);

}  // namespace lockstep::report
