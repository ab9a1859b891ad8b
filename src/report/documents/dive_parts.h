// The sections of the deep dive, one function each; dive.cpp puts them together.
#pragma once

#include "report/author/why.h"
#include "report/document.h"
#include "report/documents/drawings/drawings.h"
#include "report/story/story.h"

namespace lockstep::report {

/// What the sections share.
/// How much is told. A document that grows too long is written again with less.
struct DiveDetail {
  std::size_t central;
  std::size_t why_words;
  std::size_t lead_lines;   ///< Annotated code of the heaviest entity.
  std::size_t other_lines;  ///< Of each other one.
  std::size_t file_rows;
  std::size_t functions;  ///< Rows of the index.
  std::size_t pointers;
  std::size_t tests;
};

struct DiveInputs {
  const DocumentInputs& inputs;
  const Story& story;
  const OwnWords& words;
  const DiveDetail& detail;
  const TrailPicture& trail;
};

/// What changes in what carries the change: its weightiest edits; where these are long and new data passes through, the
/// shortest edit that names such data, or that it carries the change. Empty where nothing does.
std::string lead_words(const DiveInputs& dive);

/// Whether section 2.1 draws the trail of the data; if not, section 4.3 does, where there is one.
bool draws_trail_first(const DiveInputs& dive);
void add_trail(Document& document, const TrailPicture& trail);

/// 1; `lead`: lead_words().
void add_summary(Document& document, const DiveInputs& dive, const std::string& lead);
void add_big_picture(Document& document, const DiveInputs& dive);  ///< 2
/// 3; `lead`: lead_words().
void add_rationale(Document& document, const DiveInputs& dive, const std::string& lead);
void add_execution(Document& document, const DiveInputs& dive);      ///< 4
void add_relationships(Document& document, const DiveInputs& dive);  ///< 5
void add_risk_table(Document& document, const DiveInputs& dive);     ///< 6
void add_reference(Document& document, const DiveInputs& dive);      ///< 7

}  // namespace lockstep::report
