// Parts of an explanation that more than one file writes (explain.cpp, explain_walkthrough.cpp).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/document.h"
#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

/// How much is told. A document that grows too long is written again with less.
struct ExplainDetail {
  std::size_t central;
  std::size_t what;         ///< Items of "What".
  std::size_t in_short;     ///< Further definitions that are told there in one line each.
  std::size_t lead_lines;   ///< Code of the heaviest entity.
  std::size_t other_lines;  ///< Code of each other one.
  std::size_t why_words;
  std::size_t steps;  ///< Sentences on one excerpt.
  std::size_t inputs;
  std::size_t rows;          ///< Before and after.
  std::size_t notes;         ///< Concepts, pitfalls.
  std::size_t tests;         ///< Items, and changed tests.
  std::size_t summary_size;  ///< Of a file in the list of files, in bytes.
  bool variables;
  bool flow;                     ///< The flow of control is drawn.
  bool keeps_wholes = false;     ///< See ExcerptOptions.
  bool shows_takers = false;     ///< Each function that only takes up a new one is shown, not the first of them alone.
  std::string_view quoted = {};  ///< See ExcerptOptions.
};

/// "How": each entity that carries the change, with its code and what its steps do. `what`: the items of "What", whose
/// clauses are not told again beside the code.
void add_walkthrough(Document& document, const DocumentInputs& inputs, const Story& story, const ExplainDetail& detail,
                     const std::vector<std::string>& what);

}  // namespace lockstep::report
