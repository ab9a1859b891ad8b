// The data that a change brings, or takes away, and the functions that it passes through: a field that one function
// gives and others take, an argument that a caller hands to a new parameter, a value that a changed return hands back.
//   request.uid -> `finish` files a record under it -> `gather` unites the records -> `join` looks one up
//
// Of the changed statements of Python code outside tests. A name ties two functions only where it is that of one thing:
// the class of the object is known, or no file of the other side has the word and one class alone has such a field.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// A function that the data passes through, or a field that several functions give and take.
struct TrailNode {
  const Actor* actor = nullptr;  ///< The function, or the field that the change brings or takes away; may be null.
  program::ClassId cls;          ///< Of a field, where it is known.
  bool is_field = false;
  std::string name;  ///< "Class.method", "Class.field"; of several fields that the same give and take "Class.a, b".
  bool is_filled = false;    ///< Its declaration gives it a value.
  bool is_old = false;       ///< Of a field: both sides have it.
  bool is_of_lead = false;   ///< Arrows join it to the function that carries the change, and to two more.
  std::string communicates;  ///< "`all_gather_object` over all ranks": what its changed steps issue; may be empty.
};
struct TrailEdge {
  std::size_t from = 0;  ///< Indices into Trail::nodes.
  std::size_t to = 0;
  std::vector<std::string> names;  ///< Of the data; of an arrow from or to a field none.
  bool is_argument = false;        ///< `from` calls `to` with it.
  bool is_by_name = false;         ///< Nothing but the name ties them: see Carrier::Kind::kKey.
};
struct Trail {
  std::vector<TrailNode> nodes;
  std::vector<TrailEdge> edges;
  std::size_t left_out = 0;  ///< Functions that it passes through, too.

  /// Whether the function is one of its nodes.
  [[nodiscard]] bool has(const Actor& actor) const;
};

inline constexpr std::size_t kMostTrailNodes = 15;  ///< Of a picture.

/// Of one side, at most `most` nodes: the part that the function which carries the change is joined to, and the part
/// that ties most functions together, with others of three functions where there is room. Nothing
/// where that are fewer than three, or where no name that is new (or gone) goes from one to another.
std::optional<Trail> data_trail(const DocumentInputs& inputs, const Story& story, bool is_after, std::size_t most);

}  // namespace lockstep::report
