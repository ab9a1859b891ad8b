#include "report/review/review_pictures.h"

#include "report/documents/drawings/drawings.h"
#include "report/story/story.h"

namespace lockstep::report {

Document write_review_pictures(const DocumentInputs& inputs) {
  Document document;
  const Story story = find_story(inputs);
  if (!story.touches_python || story.central.empty()) return document;
  if (auto chart = architecture_diagram(inputs, story))
    document.diagram(std::move(*chart), "What changes: the central functions and classes, before and after");
  if (auto sequence = best_sequence(inputs, story))
    document.diagram(std::move(*sequence), "How a run gets there, and what happens in it");
  return document;
}

}  // namespace lockstep::report
