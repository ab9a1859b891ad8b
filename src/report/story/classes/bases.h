// A class that gets a new base: what of the base its own code calls, and which of its methods the base calls in turn.
#pragma once

#include <string>
#include <vector>

#include "change/change.h"
#include "program/program.h"

namespace lockstep::report {

/// A new base of a class, as far as the program shows what the two have to do with each other.
struct NewBase {
  program::ClassId base;
  std::vector<program::FunctionId> used;   ///< Of the base's own methods: those that the class's code calls.
  std::vector<program::FunctionId> hooks;  ///< Of the class's own methods: those that the base's code calls.
};

/// The new bases of a changed class that are classes of the program; none for other entities.
std::vector<NewBase> new_bases(const program::Program& after, const change::EntityChange& entity);

/// "derives from `Base`, calls its `run` and gives it `decode` and `prefill` to call"; `base` as in the header of the
/// class. Without what is not known.
std::string base_words(const program::Program& after, const change::EntityChange& entity, const std::string& base);

}  // namespace lockstep::report
