// What code asks by calling a short function that the change brings: told with the question.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/story/steps/intermediates.h"
#include "report/story/story.h"

namespace lockstep::report {

/// "`drop(group)` being `False` where …, else `spread(group) <= 1e-6`" of the branch or loop at `index` of the after
/// side: what the one new function that its condition calls gives, where that is a single expression, behind one early
/// return of a constant at most. Nothing for other steps.
LocalValue predicate_asked_at(const DocumentInputs& inputs, const Actor& actor, std::size_t index);

/// "`self.drops(group)` gives `spread(group) <= 1e-6`": of the calls and properties that new or changed steps of the
/// after side ask for a value, those that enter functions which the change brings and which give a single expression.
/// At most `most`; those that `told` has, or that central functions of `story` are, are left out.
std::vector<std::string> given_by_new_callees(const DocumentInputs& inputs, const Story& story, const Actor& actor,
                                              const std::string& told, std::size_t most);

/// Whether all that the function returns is a constant or a question, by its form or by the function's name.
bool answers(const python::FunctionDef& def);

/// "`self.is_last` gives `self.rank == self.size - 1`": of what conditions ask that the change brings or edits, or that
/// stand around what changes, the short functions and properties that stay as they were and give the truth of one
/// expression. At most `most`; what `told` has is left out.
std::vector<std::string> given_by_asked_predicates(const DocumentInputs& inputs, const Actor& actor,
                                                   const std::string& told, std::size_t most);

}  // namespace lockstep::report
