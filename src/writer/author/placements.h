// What a model asks to have placed in its text, on a line of its own -> blocks that Lockstep makes of the code: lines
// of a file, the difference of an entity, a sequence of calls, a flow between statements. The model only says where to
// look: every line, place and arrow in what is placed comes from the code, and what the code does not bear out is
// refused with the reason, so that the model can ask again. Words of its own (notes, boxes) are checked as its prose
// is.
//
//   @code path:12-30, 41-44        lines as they are, also of several places of a file; "before path:…": as they were
//   @change Class.method           the difference of a changed entity
//   @calls f -> g -> h; f -> k     who calls whom, with the conditions and collectives on the way; "path:12": that line
//   @flow path:12 -> :15 -> g      statements and what leads from one to the next; "before …; after …": both sides;
//                                  words in quotes behind one stand in its box, above its place
//   @classes Trainer, file.py      classes and modules, with what joins them
//   @sequence Example: …           what actors do to each other in one case, step by step; the model's words throughout
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/document.h"
#include "report/inputs.h"
#include "report/story/story.h"
#include "writer/author/claims.h"
#include "writer/author/model_text.h"
#include "writer/cited_sides.h"

namespace lockstep::writer {

/// What came of a request: as much of it as holds, and what does not.
struct Filled {
  std::vector<report::Block> blocks;
  std::vector<Fault> faults;
  /// Of lines as they are: the number (from 1) of each line of the block, 0 where something is left out.
  std::vector<std::uint32_t> line_numbers;
};

class Placements {
 public:
  Placements(const report::DocumentInputs& inputs, const CitedSides& sides, const report::Story& story)
      : inputs_(inputs), sides_(sides), story_(story) {}

  /// `request`: "@code path:12-30".
  [[nodiscard]] Filled fill(std::string_view request, const std::vector<std::string>& words = {}) const;
  /// The same with its notes in the code, each a comment above its line: "# » words"; and its words in boxes.
  [[nodiscard]] Filled fill(const Passage& passage) const;

 private:
  [[nodiscard]] Filled lines_at(std::string_view places) const;
  [[nodiscard]] Filled difference_of(std::string_view name) const;

  const report::DocumentInputs& inputs_;
  const CitedSides& sides_;
  const report::Story& story_;
};

/// Of placements_calls.cpp, placements_classes.cpp and placements_flow.cpp.
Filled draw_classes(const report::DocumentInputs& inputs, const report::Story& story, std::string_view request);
/// Of placements_sequence.cpp. Nothing where a step was dropped.
Filled sequence_of(const Passage& passage);
Filled draw_calls(const report::DocumentInputs& inputs, const report::Story& story, std::string_view request);
/// `words`: what the boxes say instead of their code, the first by the number "1" behind a stop; empty ones are not
/// told.
Filled draw_flow(const report::DocumentInputs& inputs, const report::Story& story, std::string_view request,
                 const std::vector<std::string>& words);

}  // namespace lockstep::writer
