// Whether the code leads from one statement or function of a flowchart to another, and by what: a call, the order
// within one function, a name that one sets and the other reads. Private to this folder.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "writer/author/placements_parts.h"

namespace lockstep::writer::internal {

/// Names that a statement gives a value (attributes, items, variables, keywords of calls), and those that it uses.
struct Names {
  std::set<std::string, std::less<>> set;    ///< Attributes, keys, keywords: known outside the function.
  std::set<std::string, std::less<>> local;  ///< Variables that it assigns.
  std::set<std::string, std::less<>> used;
  std::set<std::string, std::less<>> keys;       ///< Texts under which it puts something into a dictionary.
  std::set<std::string, std::less<>> read_keys;  ///< Attributes and items that it reads, by name.
};

/// What a box of a flowchart stands for: a statement or a function, with the names of the statement.
struct FlowStop {
  DrawnPlace place;
  Names names;
};
Names names_of(const DrawnPlace& place);
/// Of `setattr(x, name, value)` and `getattr(x, name)`, whose name is a parameter: the texts that calls give it.
void add_names_given(const program::Program& program, const DrawnPlace& place, Names& names);

/// Labels of arrows for calls.
inline constexpr std::string_view kCallsLabel = "calls", kReturnsLabel = "returns";

/// Whether a run leaves the function there.
bool leaves(const DrawnPlace& place);

/// What leads from one to the other, as the words of an arrow ("calls", "yes", "when x is set", a name; may be empty);
/// nullopt where nothing is known that does: then `why` says so.
std::optional<std::string> flow_lead(const FlowStop& from, const FlowStop& to, const DrawnSide& side, std::string& why);

/// Two arrows of a drawing: `from` -> `in`, a statement under a condition, and from there, or from another statement
/// under it, `out` -> `to`, which stands behind the branch.
struct Detour {
  const FlowStop& from;
  const FlowStop& in;
  const FlowStop& out;
  const FlowStop& to;
};
/// What an arrow `from` -> `to` says of a run that does not take the branch ("when x is not set", "no"): without it a
/// reader takes the branch for the only way. nullopt where there is no such run, and where the branch has another side.
std::optional<std::string> flow_bypass(const Detour& detour, const DrawnSide& side);

}  // namespace lockstep::writer::internal
