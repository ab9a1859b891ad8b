// A method that a change gives to a class that was there: what the class inherited under that name until then.
#pragma once

#include <string>

#include "report/story/story.h"

namespace lockstep::report {

/// The method of the old program that a new method of a class which was there takes the place of; none for other
/// entities, and where the class inherited nothing of the repository by that name.
program::FunctionId inherited_before(const DocumentInputs& inputs, const change::EntityChange& entity);

/// ", in place of the inherited `Base.run` (`a.py:3`)", with the place of the new side where it is still there; empty
/// where inherited_before gives none.
std::string inherited_words(const DocumentInputs& inputs, const change::EntityChange& entity);

}  // namespace lockstep::report
