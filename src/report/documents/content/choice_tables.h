// Chains of alternatives that get a new one (story/steps/choice_chains.h), as tables: what each comes to, before and
// after, in the order in which they are asked.
#pragma once

#include <string>
#include <vector>

#include "report/document.h"
#include "report/story/story.h"

namespace lockstep::report {

struct ChoiceTable {
  std::string caption;  ///< Marked text, with where it stands and what holds there.
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  ///< Marked text.
};

/// Of the chains of at least three alternatives; at most `most`, in the order of the source.
std::vector<ChoiceTable> choice_tables(const Actor& actor, std::size_t most);

/// Puts them into the document, each below its caption.
void add_choice_tables(Document& document, const Actor& actor, std::size_t most);

}  // namespace lockstep::report
