// Steps that one function leaves to others, in words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// "moves the branch where `kind` is `A` to `f`, the one where it is `B` to `g` and 2 more to functions of their own"
/// of branches of a choice that functions do now which a call enters as a table says; empty where there are fewer than
/// two.
std::string moved_branches_words(const DocumentInputs& inputs, const Actor& actor,
                                 const std::vector<std::size_t>& steps);
/// The same of all steps of the before side.
std::string moved_branches_words(const DocumentInputs& inputs, const Actor& actor);
/// The heads of these branches, of the before side; empty where there are fewer than two.
std::vector<std::size_t> moved_branches(const Actor& actor);
/// Whether step `index` of the before side is a question inside one of these branches, or stands under one: the
/// function that has the branch now may ask it in another form, by a table, say.
bool is_question_of_moved(const Actor& actor, const std::vector<std::size_t>& heads, std::size_t index);

/// "moves 7 steps to `f` and `g`, 2 of them changed", "moves `step(x)` to `f`" of the removed steps that other
/// functions gain, those that call this one apart, without what goes with such branches; empty where they say too
/// little.
std::vector<std::string> hand_over_words(const DocumentInputs& inputs, const Actor& actor);
/// The same of some steps of the before side alone.
std::vector<std::string> hand_over_words(const DocumentInputs& inputs, const Actor& actor,
                                         const std::vector<std::size_t>& steps);
/// What the new function that a step moved to asks first, and this one did not: marked words. Empty where it asks
/// nothing more, and where the step has other words there. The step must have an `elsewhere`.
std::string condition_there(const DocumentInputs& inputs, const Actor& actor, const Step& step);
/// Whether most of what the function no longer has went to others, and most of what it has in its place calls them.
bool hands_over_most(const Actor& actor);

/// "takes over 4 steps of `f`" of those that a function which goes did; empty where there are too few.
std::string taken_over_words(const DocumentInputs& inputs, const Actor& actor);

/// "sets `x` to what the new `f()` returns, which has the code that stood here", of a step with Step::returned_by.
std::string returned_words(const Step& step, const WordsContext& context);

}  // namespace lockstep::report
