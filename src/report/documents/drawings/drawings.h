// The diagrams of the documents, from the story. Each has at most about fifteen nodes; one without anything to show is
// nullopt, and the document says why.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/diagram.h"
#include "report/story/story.h"
#include "report/story/trails/trail.h"

namespace lockstep::report {

/// How a changed entity is marked in a diagram.
Mark mark_of(const change::EntityChange& entity);
/// How a step is.
Mark mark_of(StepStatus status);
/// What a drawing says of a step: one that only moved within its function is no new one.
StepStatus drawn_status(const Step& step);
/// Before and after as two groups: the central entities with who calls them and what they call that changed; for small
/// changes the statements that differ.
std::optional<Flowchart> architecture_diagram(const DocumentInputs& inputs, const Story& story);
/// The decisions of a function that get a new alternative, with all alternatives on both sides in the order in which
/// they are asked, at most two of them; where they are most of what changes in it.
std::optional<Flowchart> choice_diagram(const DocumentInputs& inputs, const Actor& actor);
/// How data that the change brings passes from function to function: fields, arguments, results; see trail.h. Before
/// and after, in one chart where there is room for both. No charts where it joins fewer than three functions.
struct TrailPicture {
  std::optional<Trail> after;  ///< What is drawn of the side after the change, of at most kMostTrailNodes.
  std::vector<Flowchart> charts;
  std::string legend;         ///< How its signs are to be read; may be empty.
  std::size_t functions = 0;  ///< That it joins after the change.
  bool has_lead = false;      ///< The function that carries the change is one of them.

  /// Whether it shows how the change hangs together better than who calls whom.
  [[nodiscard]] bool is_architecture() const { return has_lead && functions >= 4; }
};
TrailPicture data_trail_picture(const DocumentInputs& inputs, const Story& story);
/// Files by kind, where no code changed.
Flowchart files_diagram(const DocumentInputs& inputs);
/// Control flow of the actor's function with changed steps marked and kept stretches folded.
std::optional<Flowchart> control_flow_diagram(const DocumentInputs& inputs, const Actor& actor);
/// The call chain from the entry to central[index], and what happens in it.
std::optional<Sequence> sequence_diagram(const DocumentInputs& inputs, const Story& story, std::size_t index);
/// The sequence that tells most: the lead's, unless another central entity's has more in it. None where it would be one
/// arrow from whoever calls it: that says nothing.
std::optional<Sequence> best_sequence(const DocumentInputs& inputs, const Story& story);
/// How data passes through a function, or where one side of a choice in it is taken.
struct DataFlowDrawing {
  std::string condition;  ///< Marked: "when `c` is set"; empty: there is one drawing.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> others;  ///< First and last lines, from 0, of the other sides.
  Flowchart chart;
};
/// How data passes through the actor's function: parameters, transformations, collectives, what is returned or stored.
/// Where it changes on two sides of one `if` of a function that was there, a drawing of each, in the order of the
/// code; none where there is nothing to draw.
std::vector<DataFlowDrawing> data_flow_diagrams(const DocumentInputs& inputs, const Actor& actor);
/// Changed classes (and modules of changed functions) with their bases, changed members, and whom they use.
/// `trail`: what the change joins them by, where that is known.
std::optional<ClassDiagram> class_diagram(const DocumentInputs& inputs, const Story& story,
                                          const std::optional<Trail>& trail);

}  // namespace lockstep::report
