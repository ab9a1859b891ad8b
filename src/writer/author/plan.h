// Which sections of Lockstep's documents are a model's to write, from what, and where its prose goes. By the numbers of
// the headings, which are the same in every language.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/document.h"
#include "report/story.h"
#include "writer/author/section_writer.h"

namespace lockstep::writer {

/// A heading with the blocks below it, up to the next heading.
struct Spot {
  std::size_t heading = 0;  ///< Index of the block.
  std::size_t end = 0;      ///< Behind the last block.
  std::string part;         ///< "3" of the level-2 heading that it is or stands under; may be empty.
  std::string number;       ///< "3.1"; empty where the heading has none.
  int level = 2;
  std::size_t place = 0;  ///< Among the headings of its level in this part, from 1.
  std::string title;      ///< Plain text.
  std::string code;       ///< Its first code: the name of an entity; may be empty.
};
std::vector<Spot> spots_of(const report::Document& document);

enum class Placing : std::uint8_t {
  kInsteadOfText,  ///< Lockstep's paragraphs and lists go; its code, tables, diagrams and quotes stay.
  kBesideCode,     ///< The same, but lists before the first code stay: an entity's contract.
  kAfterAll,       ///< Lockstep's own stays above.
};
struct PlannedSection {
  Spot spot;
  Placing placing = Placing::kInsteadOfText;
  SectionTask task;  ///< Its own_text is filled later.
};

/// In the order of the document.
std::vector<PlannedSection> plan_sections(Purpose purpose, const report::Document& own,
                                          const report::DocumentInputs& inputs, const report::Story& story);

}  // namespace lockstep::writer
