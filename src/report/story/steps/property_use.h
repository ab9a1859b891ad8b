// Attributes that a property stands before now: what read `self._phase` reads `self.phase`, which gives just that, and
// what set it goes through the setter, which may refuse.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Fills Step::renames of steps that differ in nothing but that they read `self.phase` for `self._phase`, where the
/// class has a property `phase` that does nothing but return `self._phase`; and pairs a removed `self._phase = x` with
/// the one added `self.phase = x` of the same value, under whatever conditions either stands.
void mark_property_use(const program::Program& after, std::vector<Actor>& actors);

/// " `self.phase` is set through it now by `f` (`a.py:3`) and `g` (`a.py:9`), which set `self._phase` itself before."
/// of a new setter; empty for other actors and where no function of the change does so.
std::string words_as_setter(const std::vector<Actor>& actors, const Actor& actor);

/// " (formerly when `x`)" of a new branch that does nothing but to set an attribute through the property, which the old
/// version set itself under another condition; empty for others.
std::string former_store_words(const Actor& actor, std::size_t index);

/// "The setter of `self.phase`, through which it goes now, raises `E` when `x`" of a function that sets an attribute
/// itself no longer but through a setter that may raise; empty for others.
std::string setter_refusal_words(const DocumentInputs& inputs, const Actor& actor);

}  // namespace lockstep::report
