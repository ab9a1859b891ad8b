// Lockstep's own passages beside a model's prose: what of them a document keeps where the model writes the section, and
// the tables and diagrams that it may have placed in its text, by number. What a rule found and the author's quoted
// words stay whatever the model says.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/document.h"

namespace lockstep::writer {

/// The tables and diagrams of some blocks, also in folds, in their order.
std::vector<report::Block> offered_passages(const std::vector<report::Block>& own);
/// "[3] table: …" of each on a line of its own, harmless (data_text), long ones cut; empty where there are none.
std::string numbered_passages(const std::vector<report::Block>& offered);

/// What must stay of a section that a model writes: the author's quoted words with the line that says whose they are,
/// and what a rule found.
struct Remains {
  std::vector<report::Block> quotes;
  std::vector<report::Block> findings;
};
Remains remains_of(const std::vector<report::Block>& own);

/// Takes out headings below which nothing is left; a numbered heading of a section that a document must have stays,
/// with "N/A" and the reason.
void close_gaps(report::Document& document, std::string_view language);

/// "3, 7-9 and 12" -> the numbers, at most kMostPassages of them.
std::set<std::size_t> numbers_in(std::string_view text);
inline constexpr std::size_t kMostPassages = 60;

}  // namespace lockstep::writer
