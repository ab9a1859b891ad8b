// Edits that only follow another one, which is told: names that stand for what others were called.
#pragma once

#include "report/story/story.h"

namespace lockstep::report {

/// Whether a changed step differs only in one key, a string, and others of its function get the same one in the place
/// of the same old one, which the function does not have any more.
bool only_follows_key(const Actor& actor, const Step& step);

/// Whether a changed step differs only in that it names a function or method that the change adds in the place of one
/// that it removes: the new one is told.
bool only_follows_successor(const DocumentInputs& inputs, const Actor& actor, const Step& step);

/// Whether a changed step only reads a new parameter where it read a local that the function worked out itself and does
/// not have any more.
bool only_reads_given(const Actor& actor, const Step& step);

/// Whether the function is decorated with `staticmethod` now and took no object before: calls through the class did
/// what they do.
bool was_static_before(const Actor& actor);

/// Whether a new or changed step gives `self` an attribute that its function did not name before, by a call.
bool makes_new_attribute(const Actor& actor, const Step& step);

}  // namespace lockstep::report
