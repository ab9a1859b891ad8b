// A model reads its own document again: what it corrects, takes back and leaves, and what becomes of words that do not
// hold then.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/markdown.h"
#include "report/documents/explain.h"
#include "writer/author/author.h"
#include "writer/author_fixture.h"
#include "writer/scripted_model.h"

namespace lockstep::writer {
namespace {

using testing::AuthorFixture;
using testing::calls;
using testing::fails;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::question_of;
using testing::says;
using testing::ScriptedModel;

constexpr std::string_view kHolds = "With the setting, `masked_loss` calls `count_tokens`.";

bool is_proofreading(const ChatRequest& request) {
  return contains(question_of(request), "a reviewer who wants to prove it wrong");
}

class Proofreading : public ::testing::Test {
 protected:
  Proofreading() : author_(testing::loss_change()) {}

  // With `first` as what stands in "what", and `corrections` for the second reading.
  std::string explain(std::string_view first, std::string_view corrections) {
    ScriptedModel model([&](const ChatRequest& request, std::size_t) {
      if (is_proofreading(request)) return says(std::string(corrections));
      return says(fmt::format("=== what\n{}\n=== walk\n{}\n", first, kHolds));
    });
    std::string text = explain(model);
    requests_ = model.requests;
    return text;
  }
  std::string explain(ScriptedModel& model) {
    AuthorInputs inputs = author_.inputs(model);
    inputs.proofreads = true;
    return render::render_markdown(
        author_document(Purpose::kExplain, report::write_explain(author_.fixture->inputs), inputs));
  }

  AuthorFixture author_;
  std::vector<ChatRequest> requests_;
};

TEST_F(Proofreading, CorrectsTakesBackAndLeaves) {
  const std::string text =
      explain("It always sums. The mask decides. Nothing else changes.", "1. With the setting it sums.\n3. DROP\n");
  EXPECT_THAT(text, HasSubstr("With the setting it sums. The mask decides."));
  EXPECT_THAT(text, Not(HasSubstr("It always sums")));
  EXPECT_THAT(text, Not(HasSubstr("Nothing else changes")));
  EXPECT_THAT(text, HasSubstr("**Read again:** the model corrected 1 passage with the code at hand and took back 1."));
  // A further turn of the same exchange, so that a server has the beginning of it already.
  ASSERT_EQ(requests_.size(), 2u);
  ASSERT_EQ(requests_[1].turns.size(), 3u);
  EXPECT_EQ(requests_[1].turns[0].text, requests_[0].turns[0].text);
  EXPECT_EQ(requests_[1].system, requests_[0].system);
  EXPECT_EQ(requests_[1].tools.size(), requests_[0].tools.size());
  EXPECT_EQ(requests_[1].turns[1].role, ChatTurn::Role::kAssistant);
  EXPECT_THAT(requests_[1].turns[2].text, HasSubstr("[1] It always sums. [2] The mask decides. [3] Nothing"));
  // The text goes out once.
  EXPECT_EQ(requests_[1].turns[1].text, "(My text stands in the next message.)");
}

TEST_F(Proofreading, LeavesAllWhereAllHolds) {
  const std::string text = explain("It sums. The mask decides.", "ALL HOLDS");
  EXPECT_THAT(text, HasSubstr("It sums. The mask decides."));
  EXPECT_THAT(text, Not(HasSubstr("Read again")));
}

// One further request for both: what the checker found false stands below its sentence.
TEST_F(Proofreading, PointsOutWhatDoesNotHold) {
  const std::string first = "`masked_loss` calls `count_all_tokens`. `count_all_tokens` sums.";
  const std::string text = explain(first, "1. `masked_loss` calls `count_tokens`.\n");
  ASSERT_EQ(requests_.size(), 2u);
  EXPECT_THAT(requests_[1].turns[2].text,
              HasSubstr("   - [1] does not hold: 'count_all_tokens': there is no 'count_all_tokens' anywhere; nearest: "
                        "'count_tokens'\n"));
  EXPECT_THAT(text, HasSubstr("`masked_loss` calls `count_tokens`."));
  EXPECT_THAT(text, Not(HasSubstr("count_all_tokens")));  // what was not mended is dropped
  EXPECT_THAT(text, HasSubstr("**Mended:** 1 sentence"));
  EXPECT_THAT(text, HasSubstr("**Dropped:** 1 sentence"));
}

// What a text leaves open is to be looked up now: the request names the sentence. What is known of a library is no
// question.
TEST_F(Proofreading, PointsOutWhatIsLeftOpen) {
  explain("It sums. Whether the mask may be empty was not seen. The sum is exact (known of PyTorch, not seen here).",
          "ALL HOLDS");
  ASSERT_EQ(requests_.size(), 2u);
  EXPECT_THAT(requests_[1].turns[2].text, HasSubstr("   - [2] may leave a question open (\""));
  EXPECT_THAT(requests_[1].turns[2].text, Not(HasSubstr("[1] leaves")));
  EXPECT_THAT(requests_[1].turns[2].text, Not(HasSubstr("[3] leaves")));
}

// What a text says of all there are, one that was overlooked makes false: the request names the sentence.
TEST_F(Proofreading, PointsOutWhatIsSaidOfAll) {
  explain("It sums. No test runs the empty mask. The tests hand it a mask.", "ALL HOLDS");
  ASSERT_EQ(requests_.size(), 2u);
  EXPECT_THAT(requests_[1].turns[2].text, HasSubstr("   - [2] says it of all there are (\"no test\")"));
  EXPECT_THAT(requests_[1].turns[2].text, Not(HasSubstr("[1] says it")));
  EXPECT_THAT(requests_[1].turns[2].text, Not(HasSubstr("[3] says it")));
}

TEST_F(Proofreading, SaysWhereItGotNoAnswer) {
  ScriptedModel model([&](const ChatRequest& request, std::size_t) -> ScriptedModel::Answer {
    if (is_proofreading(request)) return testing::fails(ChatFailure::Kind::kExhausted);
    return says(fmt::format("=== what\nIt sums.\n=== walk\n{}\n", kHolds));
  });
  const std::string text = explain(model);
  EXPECT_THAT(text, HasSubstr("It sums."));
  EXPECT_THAT(text, HasSubstr("**Not read again:**"));
}

// A model that takes a sentence back and invents another has said nothing.
TEST_F(Proofreading, ACorrectionMustHold) {
  const std::string text = explain("It always sums. The mask decides.", "1. `count_no_tokens` sums.\n");
  EXPECT_THAT(text, Not(HasSubstr("It always sums")));
  EXPECT_THAT(text, Not(HasSubstr("count_no_tokens")));
  EXPECT_THAT(text, HasSubstr("corrected 0 passages with the code at hand and took back 1"));
}

TEST_F(Proofreading, RedrawsAndTakesDrawingsOut) {
  const std::string first =
      "It sums.\n\n@flow lib/loss.py:15 \"asks the setting\" -> :16 \"sums over the group\"\n\n"
      "@calls train_step -> masked_loss -> count_tokens";
  const std::string text =
      explain(first, "2. @flow lib/loss.py:15 \"is it set?\" -> :16 \"adds up\"; :15 -> :18 \"its own\"\n3. DROP\n");
  ASSERT_EQ(requests_.size(), 2u);
  EXPECT_THAT(requests_[1].turns[2].text,
              HasSubstr("[2] @flow lib/loss.py:15 \"asks the setting\" -> :16 \"sums over the group\""));
  EXPECT_THAT(requests_[1].turns[2].text, HasSubstr("[3] @calls train_step -> masked_loss -> count_tokens"));
  EXPECT_THAT(text, HasSubstr("adds up"));
  EXPECT_THAT(text, HasSubstr("its own"));
  EXPECT_THAT(text, Not(HasSubstr("sums over the group")));
  // Of sequences there is Lockstep's own alone.
  EXPECT_EQ(text.find("sequenceDiagram"), text.rfind("sequenceDiagram"));
  const std::string left = explain(first, "ALL HOLDS");
  EXPECT_NE(left.find("sequenceDiagram"), left.rfind("sequenceDiagram"));
  EXPECT_THAT(text, HasSubstr("corrected 1 passage with the code at hand and took back 1"));
}

TEST_F(Proofreading, NumbersCellsAndNotes) {
  const std::string first =
      "@table case | before\n@row set | all ranks\n@row not set | its own\n\n@code lib/loss.py:15-18\n@note 16: sums";
  const std::string text = explain(first, "4. one rank\n");
  EXPECT_THAT(requests_[1].turns[2].text,
              HasSubstr("@table [1] case [2] before\n  [3] set [4] all ranks\n  [5] not set [6] its own\n"));
  EXPECT_THAT(requests_[1].turns[2].text, HasSubstr("@code lib/loss.py:15-18\n  [7] sums"));
  EXPECT_THAT(text, HasSubstr("| set | one rank |"));
}

// An item stays one, with its label, and a list may come in the place of a sentence.
TEST_F(Proofreading, KeepsTheFormOfLists) {
  const std::string text = explain(
      "- **Correctness, high:** it always sums.\n- **Only labels**\n- The mask decides.\n\nTwo places ask. All sum.",
      "1. With the setting it sums.\n2. Labels\n5. These sum:\n- the loss;\n- the mask.\n");
  EXPECT_THAT(text, HasSubstr("- **Correctness, high:** With the setting it sums.\n- **Labels**\n- The mask decides.\n"
                              "\nTwo places ask. These sum:\n\n- the loss;\n- the mask.\n"));
}

// What the look showed comes in: as an item, a row, a sentence. What does not hold does not, nor a row of other width.
TEST_F(Proofreading, AddsWhatWasMissing) {
  const std::string text = explain(
      "- It sums.\n- The mask decides.\n\nAll sum.\n\n@table case | before\n@row set | all ranks\n",
      "1+ `count_tokens` sums.\n1+. `count_no_tokens` sums.\n3+ With the setting it sums.\n6+ not set | its own\n"
      "7+ one | two | three\n99+ nothing\n");
  EXPECT_THAT(text, HasSubstr("- It sums.\n- `count_tokens` sums.\n- The mask decides.\n\nAll sum. With the setting it "
                              "sums.\n"));
  EXPECT_THAT(text, HasSubstr("| set | all ranks |\n| not set | its own |\n"));
  EXPECT_THAT(text, Not(HasSubstr("count_no_tokens")));
  EXPECT_THAT(text, Not(HasSubstr("three")));
  EXPECT_THAT(text, HasSubstr("corrected 3 passages"));
}

// A list in the middle of a paragraph, or in a cell, is a sentence.
TEST_F(Proofreading, PutsListsOnlyWhereTheyStandAlone) {
  const std::string text = explain("All sum. The mask decides.", "1. These sum:\n- the loss;\n- the mask.\n");
  EXPECT_THAT(text, HasSubstr("These sum: the loss; the mask. The mask decides."));
}

TEST_F(Proofreading, LooksUpWhatIsOpenAndWrites) {
  ScriptedModel model([](const ChatRequest& request, std::size_t) {
    if (!is_proofreading(request)) return says("=== what\nIt always sums.\n=== walk\nThe mask decides.\n");
    if (request.turns.back().role == ChatTurn::Role::kUser) return calls("read_entity", R"({"symbol": "masked_loss"})");
    EXPECT_THAT(request.turns.back().text, HasSubstr("if config.global_token_count:"));
    return says("1. With the setting it sums.");
  });
  EXPECT_THAT(explain(model), HasSubstr("With the setting it sums."));
  EXPECT_EQ(model.requests.size(), 3u);
}

// The document that there is stays, where the second reading fails in any way; what does not hold goes.
TEST_F(Proofreading, KeepsTheDocumentWhereNothingComes) {
  const std::string first = "`masked_loss` calls `count_all_tokens`. The mask decides.";
  for (const ChatFailure::Kind kind :
       {ChatFailure::Kind::kExhausted, ChatFailure::Kind::kTooLong, ChatFailure::Kind::kBudget}) {
    ScriptedModel model([&](const ChatRequest& request, std::size_t) -> ScriptedModel::Answer {
      if (is_proofreading(request)) return fails(kind);
      return says(fmt::format("=== what\n{}\n=== walk\n{}\n", first, kHolds));
    });
    const std::string text = explain(model);
    EXPECT_THAT(text, HasSubstr("The mask decides."));
    EXPECT_THAT(text, HasSubstr(std::string(kHolds)));
    EXPECT_THAT(text, Not(HasSubstr("count_all_tokens")));
  }
}

TEST_F(Proofreading, NumbersThatStandForNothingChangeNothing) {
  const std::string text = explain("It sums.", "0. x\n7. y\n99999999999999999999. z\n1) \n");
  EXPECT_THAT(text, HasSubstr("It sums."));
}

}  // namespace
}  // namespace lockstep::writer
