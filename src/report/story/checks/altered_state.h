// A changed function -> the attributes to which it gives another value than before, or that it newly sets, and the
// unchanged code that reads them: what a change breaks is often not what calls it but what reads, later, what it wrote.
//
// By name, and only where the name can mean nothing else: `self.x` is read off `self` of a class that is kin to the one
// that sets it, or off any object where only such classes have an attribute of that name; `param.x` off any object
// where no class of the repository has one. `group["x"]` is read off what has the name `group`, where that name says
// what it is. Settings (`args.x`, `config.x`) are told of the settings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"

namespace lockstep::report {

struct DocumentInputs;
struct Actor;

/// A function that reads it on a line that the change leaves as it is.
struct StateReader {
  program::FunctionId function;
  std::uint32_t line = 0;           ///< From 0: where it decides over a branch, else the first.
  std::string statement;            ///< What stands there, as code on one line; marked text.
  bool decides = false;             ///< The value is asked for: in a condition or an assertion.
  bool is_in_other_module = false;  ///< Than the one that sets it.
};

struct AlteredState {
  std::string shown;                 ///< "self.x", "group["x"]", as the changed code writes it.
  std::string_view name;             ///< "x"
  std::vector<StateReader> readers;  ///< What decides first, then other modules; one place of each function.
};

/// Fills Actor::altered of the functions that carry the change, in their order: of each what anything unchanged outside
/// tests reads, in the order of the code; none for new attributes. An attribute is told of the first that alters it.
void find_altered_state(const DocumentInputs& inputs, std::vector<Actor>& actors);

/// "`self.x` in `f` (place: `if self.x:`), `g` (…) and 3 more functions", of at most `most` functions.
std::string readers_words(const DocumentInputs& inputs, const AlteredState& state, std::size_t most);

}  // namespace lockstep::report
