// What a model wrote -> paragraphs and lists of a document, sentence by sentence, so that each can be held against the
// code, mended or dropped. Headings, paragraphs and lists survive, with text, code spans, strong and emphasised words
// in them. Code blocks, tables, diagrams, images and HTML go: lines such as "@code path:12-30" ask for what Lockstep
// makes of the code itself (placements.h). Links keep their words and lose their targets, so that nothing in a document
// leads to where a hostile repository talked a model into sending people.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/document.h"

namespace lockstep::writer {

/// A paragraph, a list item, a heading, or a request for something that Lockstep makes.
struct Passage {
  bool is_item = false;
  bool is_heading = false;
  std::string request;                 ///< "@code path:12-30", "@table A | B", "@sequence …"; empty for others.
  std::vector<std::string> sentences;  ///< Markdown of one line each; emptied ones are dropped.
  /// Of a request for code: the line (from 1) that each of its sentences is a note on. Of a table: the row of each of
  /// its cells, which are its sentences; 0 is its head. Of a sequence: the same of its steps; 0 is its title. Of a
  /// flow: the number, in quotes, by which the request has the words of a box.
  std::vector<std::uint32_t> places;
  [[nodiscard]] bool is_table() const { return request.starts_with("@table "); }
  [[nodiscard]] bool is_sequence() const { return request.starts_with("@sequence "); }
  /// A worked example, "Example: …": its numbers are the writer's own.
  [[nodiscard]] bool is_example() const;
};

struct ModelText {
  std::vector<Passage> passages;
  std::size_t removed = 0;  ///< Blocks that a model must not place: code, tables, diagrams, HTML; links and images.
};

ModelText read_model_text(std::string_view markdown);
/// What Lockstep makes of a passage that is a request; nothing where it cannot.
using Fill = std::function<std::vector<report::Block>(const Passage& request)>;
/// Blocks without what is empty. Headings are of `heading_level`, or paragraphs in strong letters where it is 0;
/// requests are left out where there is no `fill`.
std::vector<report::Block> blocks_of(const ModelText& text, int heading_level = 0, const Fill& fill = {});
/// All its sentences as one line of Markdown.
std::string one_line(const ModelText& text);
/// Marked text (report/document.h) of one sentence's Markdown.
std::string marked_text(std::string_view sentence);
/// Without the asterisks around what is to be printed boldly; Python's `**` stays.
std::string without_strong_marks(std::string_view text);
/// What is said of a name or category that stood before: without the dashes, colons and blanks between them.
std::string_view without_lead(std::string_view words);
/// Sentences of one line of Markdown; back-quotes and abbreviations do not end one.
std::vector<std::string> split_sentences(std::string_view line);
/// "2. The new sentence." -> 2, "The new sentence." of each line that begins with a number; of one that ends with a
/// colon with the items ("- …") on the lines below it.
std::map<std::size_t, std::string> numbered_lines(std::string_view text);
/// "2+ A further sentence." -> 2, "A further sentence." of each line of that form, in their order.
std::multimap<std::size_t, std::string> further_lines(std::string_view text);
/// What stands behind a number where the sentence is to go.
inline constexpr std::string_view kDropIt = "DROP";

}  // namespace lockstep::writer
