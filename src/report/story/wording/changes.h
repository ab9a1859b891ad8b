// What changes in one entity, as one sentence or as an item with points of its own.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Whether the entity differs in this way.
bool has_difference(const change::EntityChange& entity, change::DifferenceKind kind);

/// One sentence on an entity: what it is for in its author's words if new, what changes in it otherwise.
std::string actor_words(const DocumentInputs& inputs, const Actor& actor, std::size_t most_clauses);

/// The same for a list: where the sentence would be long, each clause is a line of its own, an item below the first
/// line, and conditions that all of them have stand in that.
std::string actor_item(const DocumentInputs& inputs, const Actor& actor, std::size_t most_clauses);

}  // namespace lockstep::report
