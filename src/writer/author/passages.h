// Lockstep's own passages around a model's prose - paragraphs, items of lists, rows of tables, code, diagrams -
// numbered, so that a model can say which of them to leave out: what its text tells better, and what says nothing here.
// What a rule found is no passage: it stays whatever the model says.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/document.h"

namespace lockstep::writer {

/// "[3] text" of each passage on a line of its own, harmless (data_text), long ones cut. Blocks for which `is_left` is
/// true are no passages, nor is what lies below headings (they stay).
std::string numbered_passages(const report::Document& own, const std::vector<bool>& is_left);

/// Takes out the passages with these numbers, and lists, tables and folds of which nothing is left. A numbered section
/// of which nothing would be left stays as it is, unless the model wrote it (`is_told`, by block): a document must have
/// it. Blocks of the document keep their places: what is gone becomes a paragraph without text. The number of passages
/// taken out.
std::size_t leave_out(report::Document& own, const std::vector<bool>& is_left, const std::vector<bool>& is_told,
                      std::set<std::size_t> numbers);

/// Takes out paragraphs without text, then headings below which nothing is left; a numbered heading of a section that a
/// document must have stays, with "N/A" and the reason.
void close_gaps(report::Document& document, std::string_view language);

/// "3, 7-9 and 12" -> the numbers, at most kMostPassages of them.
std::set<std::size_t> numbers_in(std::string_view text);
inline constexpr std::size_t kMostPassages = 400;

}  // namespace lockstep::writer
