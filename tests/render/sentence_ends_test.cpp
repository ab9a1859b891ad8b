// Where sentences end, and what a document that is a little too long does without.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "report/documents/first_fitting.h"
#include "report/documents/shortening.h"
#include "report/source/code.h"
#include "report/source/sentence_ends.h"

namespace lockstep::report {
namespace {

std::vector<std::string> sentences(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = sentence_end(text, at);
    out.emplace_back(text.substr(at, end - at));
    at = std::min(text.find_first_not_of(' ', end), text.size());
  }
  return out;
}

TEST(SentenceEnds, AbbreviationsEndNone) {
  for (const char* one : {"It waits (i.e. the race can occur) before it goes on.", "Copies x, e.g. one of a rank.",
                          "Compares a vs. b.", "Takes lists, tuples, etc. as they are.", "Works w.r.t. the group."})
    EXPECT_EQ(sentences(one), std::vector<std::string>{one});
  EXPECT_EQ(sentences("Takes lists, etc. Others fail."),
            (std::vector<std::string>{"Takes lists, etc.", "Others fail."}));
  EXPECT_EQ(sentences("Is it so? Yes. See a.b for more"),
            (std::vector<std::string>{"Is it so?", "Yes.", "See a.b for more"}));
  EXPECT_EQ(first_sentence("It is off (i.e. the race fixed by it can occur). Else on."),
            "It is off (i.e. the race fixed by it can occur).");
  EXPECT_EQ(sentence_begin("One. Two is here.", 8), 5u);
}

Document document_with(std::size_t concepts, bool is_drawn) {
  Document document;
  document.heading(2, "How").paragraph("One two three four five six seven eight nine ten.");
  if (is_drawn) document.diagram(Flowchart{}, "Flow:");
  const std::vector<std::string> items(concepts, "one two three four five");
  if (concepts > 0) document.heading(3, "Concepts behind it").bullets(items);
  document.heading(2, "Risks").paragraph("One two three.");
  return document;
}

/// The drawing stays; of the concepts those go that are too many, and their heading with the last.
TEST(Shortening, DetailsOfLittleUseGoBeforeADrawing) {
  const std::size_t bare = word_count(document_with(0, true), true);
  const std::size_t full = word_count(document_with(4, true), true);
  const auto write = [](std::size_t version) { return document_with(version == 0 ? 4 : 0, version == 0); };
  const Document shorter = first_fitting(2, full - 1, 1, write);
  EXPECT_EQ(drawings_in(shorter), 1u);
  EXPECT_EQ(word_count(shorter, true), word_count(document_with(3, true), true));
  EXPECT_EQ(word_count(first_fitting(2, bare, 1, write), true), bare);
  // Where even that is too long, the shorter version is taken.
  EXPECT_EQ(drawings_in(first_fitting(2, bare - 1, 1, write)), 0u);
  // What fits is left as it is.
  EXPECT_EQ(word_count(first_fitting(2, full, 1, write), true), full);
}

}  // namespace
}  // namespace lockstep::report
