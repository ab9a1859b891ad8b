// What entities of a change weigh beside one another: what others call, hand over or follow, what the title names and
// what runs.
#pragma once

#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// A new class is told as one, not by whichever of its methods is longest.
void weigh_classes(std::vector<Actor>& actors);

/// A new file that holds much of what a change adds, and of which its title speaks, is what the change is about: the
/// class that fills it leads, not the largest of the places that were made to call it.
void weigh_new_files(const DocumentInputs& inputs, std::vector<Actor>& actors);

/// What only follows new names behaves as before.
void weigh_renames(std::vector<Actor>& actors);

/// What a function hands over to another one as it is, it does not change: only what is left counts.
void weigh_handed_over(std::vector<Actor>& actors);

/// Where nothing but the order of steps changes, the order is the change.
void weigh_order(std::vector<Actor>& actors);

/// The one new function that all weighty changed functions call is what they all do now: it leads them. One that many
/// of them call leads these.
void weigh_shared(const DocumentInputs& inputs, std::vector<Actor>& actors);

/// What the title speaks of, found in the lines that change: of functions alike, those that do it come first.
void weigh_words(const DocumentInputs& inputs, std::vector<Actor>& actors);

/// Changed functions that call one another are one story: each gains from the other.
void weigh_connections(const DocumentInputs& inputs, std::vector<Actor>& actors);

/// What makes an attribute that other changed functions read now is where the change starts.
void weigh_sources(std::vector<Actor>& actors);

/// What runs leads: of new definitions that nothing names yet, of functions that nothing calls any more and of code
/// that only moved to a function of its own each weighs less than the heaviest that does more.
void weigh_use(std::vector<Actor>& actors);

}  // namespace lockstep::report
