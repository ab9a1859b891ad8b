#include "writer/author/reviewer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/markdown.h"
#include "report/review/summary.h"
#include "writer/author_fixture.h"
#include "writer/scripted_model.h"

namespace lockstep::writer {
namespace {

using testing::AuthorFixture;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::question_of;
using testing::says;
using testing::ScriptedModel;

constexpr const char* kProposal =
    R"({"summary": "The loss is divided by the tokens of all ranks.", "proposals": [{"severity": "P0", "path": "lib/loss.py", "line": 20,
  "quote": "return (output * mask).sum() / total", "title": "`masked_loss` divides by zero where no token counts",
  "problem": "`total` is 0 where the mask of all ranks is empty, and nothing before `lib/loss.py:19` checks it.",
  "fix": "Clamp it from below."}]})";

report::ReportedFinding finding(rules::FindingCertainty certainty) {
  report::ReportedFinding reported;
  rules::Finding& one = reported.finding;
  one.rule = "rank-divergent-collective";
  one.severity = rules::Severity::kP1;
  one.certainty = certainty;
  one.path = "lib/loss.py";
  one.start_line = one.end_line = 7;
  one.message = "some ranks miss it";
  return reported;
}

class ReviewerTest : public ::testing::Test {
 protected:
  ReviewerTest() : author_(testing::loss_change()) {}

  std::string review(ScriptedModel& model, std::vector<report::ReportedFinding> findings = {}) {
    report::Report report;
    report.findings = std::move(findings);
    return render::render_markdown(review_document(
        review_with_model(report, report::write_summary(author_.fixture->inputs), author_.inputs(model))));
  }

  static ScriptedModel::Script answers(std::string opinion, std::string refutation) {
    return [=](const ChatRequest& request, std::size_t) -> ScriptedModel::Answer {
      const std::string& question = question_of(request);
      if (contains(question, "Try to refute each one")) return says(refutation);
      if (contains(question, "do not hold")) return says("1. DROP\n");
      return says(opinion);
    };
  }
  static std::string verdict(const std::string& verdict, const std::string& severity = "P1") {
    return R"({"verdicts": [{"claim": 1, "verdict": ")" + verdict + R"(", "severity": ")" + severity +
           R"(", "reason": "Nothing checks `total`."}]})";
  }

  AuthorFixture author_;
};

TEST_F(ReviewerTest, PrintsAProposalThatCannotBeRefuted) {
  ScriptedModel model(answers(kProposal, verdict("stands")));
  const std::string text = review(model);
  EXPECT_THAT(text, HasSubstr("**[P1]** `lib/loss.py:19`"));       // the line is where the quote stands
  EXPECT_THAT(text, HasSubstr("nothing before `:19` checks it"));  // the path stands above
  EXPECT_THAT(text, HasSubstr("`masked_loss` divides by zero where no token counts"));
  EXPECT_THAT(text, HasSubstr("All points are a model's"));
  EXPECT_THAT(text, Not(HasSubstr("(model)")));  // said once
  EXPECT_THAT(text, HasSubstr("*scripted* wrote the prose"));
  EXPECT_THAT(text, Not(HasSubstr("| File | Lines |")));  // its summary says what changes
  EXPECT_THAT(text, HasSubstr("The loss is divided by the tokens of all ranks."));
  EXPECT_THAT(text, HasSubstr("1 problem; 1 kept"));
  EXPECT_EQ(model.requests.size(), 2u);  // all that it says, and the second reading
}

TEST_F(ReviewerTest, PrintsCodeThatFitsTheFile) {
  const auto with = [](const std::string& code, int first, int last) {
    return replace_all(kProposal, "\"fix\": \"Clamp it from below.\"",
                       fmt::format(R"("fix": "Clamp it.", "comment": "`total` may be 0: please clamp it.",
  "replacement": {{"first": {}, "last": {}, "code": "{}"}})",
                                   first, last, code));
  };
  const std::string good = with("return (output * mask).sum() / total.clamp(min=1)", 19, 19);
  ScriptedModel model(answers(good, verdict("stands")));
  const std::string text = review(model);
  EXPECT_THAT(text, HasSubstr("> ```suggestion\n>     return (output * mask).sum() / total.clamp(min=1)\n> ```"));
  EXPECT_THAT(text, HasSubstr("> **[P1]** `total` may be 0: please clamp it.\n"));
  EXPECT_THAT(text, HasSubstr("**Code:** 1 piece of code"));
  EXPECT_THAT(question_of(model.requests.back()), HasSubstr("in place of lines 19-19"));
  for (const std::string& bad :
       {with("return (output * mask).sum() / totals", 19, 19), with("return (output", 19, 19),
        with("import os", 19, 19), with("return output.sum() / total  # https://evil.example/", 19, 19),
        with("return eval('total')", 19, 19), with("return total.eval('1')", 19, 19),
        with("return total / 'requests'", 19, 19), with("return total / self.no_such_thing", 19, 19),
        with("return getattr(output, 'su' + 'm')() / total", 19, 19),
        with("return getattr(output, '__class__')", 19, 19),
        with("return getattr(output, 'load_state_dict_from_url')", 19, 19),
        with("for name in ('sum', '__dict__'):\\n    total = getattr(output, name)", 19, 19),
        with("return total", 1, 2), with("return (output * mask).sum() / total", 19, 19), with("pass", 18, 900)}) {
    ScriptedModel other(answers(bad, verdict("stands")));
    const std::string printed = review(other);
    EXPECT_THAT(printed, Not(HasSubstr("```suggestion"))) << bad;
    EXPECT_THAT(printed, HasSubstr("divides by zero")) << bad;  // the problem stays
    EXPECT_THAT(question_of(other.requests.back()), HasSubstr(", which does not hold (")) << bad;
    EXPECT_THAT(printed, Not(HasSubstr("evil.example"))) << bad;
  }
  // An attribute by a name that everybody can read, and one that the code itself brings.
  for (const std::string& plain :
       {with("return getattr(output, 'sum')() / getattr(total, 'count', 1)", 19, 19),
        with("'All requests of the system.'\\nreturn output.sum() / total", 19, 19),
        with("assert total > 0, 'no requests of the system'\\nreturn output.eval().sum() / total", 19, 19),
        with("for name in ('sum', 'mean'):\\n    total = total + getattr(output, name)()\\nreturn total", 19, 19),
        with("self = output\\nself.no_such_thing = total\\nreturn total / self.no_such_thing", 19, 19)}) {
    ScriptedModel other(answers(plain, verdict("stands")));
    EXPECT_THAT(review(other), HasSubstr("```suggestion")) << plain;
  }
  // The second reader may put right what was refused.
  ScriptedModel mended(answers(
      with("return eval('total')", 19, 19),
      replace_all(verdict("stands"), "\"verdict\":", "\"code\": \"return output.sum() / total\", \"verdict\":")));
  EXPECT_THAT(review(mended), HasSubstr("> ```suggestion\n>     return output.sum() / total\n"));
  ScriptedModel doubted(
      answers(good, replace_all(verdict("stands"), "\"verdict\":", "\"fix\": \"fails\", \"verdict\":")));
  EXPECT_THAT(review(doubted), Not(HasSubstr("```suggestion")));
}

TEST_F(ReviewerTest, DrawsInItsSummary) {
  ScriptedModel model(answers(
      R"({"summary": "It counts.\n\n@calls train_step -> masked_loss -> count_tokens\n\n@calls masked_loss -> train_step"})",
      ""));
  const std::string text = review(model);
  EXPECT_THAT(text, HasSubstr("sequenceDiagram"));
  EXPECT_THAT(text, HasSubstr("line 16: count_tokens(mask, config.group)"));
}

TEST_F(ReviewerTest, TakesTheLowerOfTwoSeverities) {
  ScriptedModel model(answers(kProposal, verdict("stands", "P2")));
  EXPECT_THAT(review(model), HasSubstr("**[P2]** `lib/loss.py:19`"));
}

// A line each at the end of the suggestions, once the second reading has confirmed them, and no comments.
TEST_F(ReviewerTest, TellsSuggestionsInShort) {
  const std::string in_short = R"json("Clamp it from below."}], "in_short": [
  {"path": "lib/loss.py", "line": 16, "quote": "total = count_tokens(mask, config.group)", "title": "`total` is of all ranks: say so."},
  {"path": "lib/loss.py", "line": 18, "quote": "total = mask.sum()", "title": "`total` is of one rank: say so."},
  {"path": "lib/loss.py", "line": 18, "quote": "stands nowhere", "title": "It stands nowhere."}])json";
  const std::string opinion = replace_all(kProposal, "\"Clamp it from below.\"}]", in_short);
  const std::string verdicts = R"json({"verdicts": [
  {"claim": 1, "verdict": "stands", "severity": "P1", "reason": "So it is."},
  {"claim": 2, "verdict": "stands", "severity": "P1", "reason": "So it is."},
  {"claim": 3, "verdict": "unsure", "reason": "Who knows."}]})json";
  ScriptedModel model(answers(opinion, verdicts));
  const std::string text = review(model);
  EXPECT_THAT(question_of(model.requests.back()), HasSubstr("2. The claim, [P2] at lib/loss.py:16: `total` is of all"));
  EXPECT_THAT(text, HasSubstr("**1 important (P1), 1 suggested (P2).**"));
  EXPECT_THAT(text, HasSubstr("### 3. Suggestions [P2]\n\nNone among the weightiest.\n\n"
                              "**Less weighty than those told in full:**\n\n"
                              "- `lib/loss.py:16` - `total` is of all ranks: say so\n"));
  EXPECT_THAT(text, Not(HasSubstr("of one rank")));
  EXPECT_THAT(text, Not(HasSubstr("It stands nowhere")));
  EXPECT_THAT(text, Not(HasSubstr("**Line 16:**")));
  EXPECT_THAT(text, HasSubstr("**Left out:** 1 suggestion of one line"));
}

// What the summary says is nowhere is refuted by one place.
TEST_F(ReviewerTest, TakesBackWhatIsSomewhereAfterAll) {
  const std::string proposal = replace_all(
      kProposal, "The loss is divided by the tokens of all ranks.",
      "The loss is divided by the tokens of all ranks. No test runs `masked_loss`. Nothing checks `total`.");
  const auto judged = [](const std::string& second) {
    return R"({"verdicts": [{"claim": 1, "verdict": "stands", "severity": "P1", "reason": "It does."},
        {"claim": 2, "verdict": ")" +
           second + R"(", "reason": "A test runs it."}, {"claim": 3, "verdict": "stands", "reason": "So it is."}]})";
  };
  ScriptedModel model(answers(proposal, judged("refuted")));
  const std::string text = review(model);
  EXPECT_THAT(question_of(model.requests.back()),
              HasSubstr("2. The claim that this is right: No test runs `masked_loss`."));
  EXPECT_THAT(text, HasSubstr("The loss is divided by the tokens of all ranks. Nothing checks `total`."));
  EXPECT_THAT(text, Not(HasSubstr("No test runs")));
  EXPECT_THAT(text, Not(HasSubstr("A test runs it.")));  // Nobody has to be asked.
  ScriptedModel held(answers(proposal, judged("stands")));
  EXPECT_THAT(review(held), HasSubstr("No test runs `masked_loss`."));
  // What nobody looked for again is not said.
  ScriptedModel open(answers(proposal, judged("unsure")));
  EXPECT_THAT(review(open), Not(HasSubstr("No test runs")));
  ScriptedModel silent(answers(proposal, "I cannot tell."));
  EXPECT_THAT(review(silent), Not(HasSubstr("No test runs")));
}

// It is looked for where nothing else is to be read again, too.
TEST_F(ReviewerTest, ReadsASummaryAgainThatSpeaksOfAllThereAre) {
  const std::string opinion = R"({"summary": "It sums. `masked_loss` is the only function that divides by `total`."})";
  ScriptedModel refuted(answers(opinion, verdict("refuted")));
  const std::string text = review(refuted);
  EXPECT_THAT(question_of(refuted.requests.back()),
              HasSubstr("1. The claim that this is right: `masked_loss` is the only function"));
  EXPECT_THAT(text, HasSubstr("It sums."));
  EXPECT_THAT(text, Not(HasSubstr("the only function")));
  ScriptedModel held(answers(opinion, verdict("stands")));
  EXPECT_THAT(review(held), HasSubstr("is the only function"));
  // Nothing of the kind, and nothing proposed: one request.
  ScriptedModel plain(answers(R"({"summary": "It sums."})", verdict("refuted")));
  review(plain);
  EXPECT_EQ(plain.requests.size(), 1u);
}

TEST_F(ReviewerTest, PrintsItsQuestions) {
  ScriptedModel model(answers(
      R"({"summary": "It counts.", "questions": ["Is `total` never zero?", "Is `no_such_thing` meant?"]})", ""));
  const std::string text = review(model);
  EXPECT_THAT(text, HasSubstr("Is `total` never zero?"));
  EXPECT_THAT(text, Not(HasSubstr("no_such_thing")));
}

TEST_F(ReviewerTest, DropsWhatIsRefutedAndWhatNobodyRead) {
  for (const std::string& answer : {verdict("refuted"), std::string("no JSON"),
                                    std::string(R"({"verdicts": [{"claim": 2, "verdict": "stands"}]})")}) {
    ScriptedModel model(answers(kProposal, answer));
    const std::string text = review(model);
    EXPECT_THAT(text, Not(HasSubstr("divides by zero"))) << answer;
    EXPECT_EQ(contains(text, "**Incomplete:** 1 problem that the model proposed is left out"),
              !contains(answer, "refuted"));
  }
}

TEST_F(ReviewerTest, TheSecondReaderSeesEachClaimHoweverLong) {
  std::string problem, proposals;
  for (int i = 0; i < 80; ++i) problem += "Nothing before `lib/loss.py:19` checks it. ";
  for (int i = 0; i < 10; ++i) {
    proposals += fmt::format(
        R"({}{{"severity": "P2", "path": "lib/loss.py", "line": 19, "quote": "return (output * mask).sum() / total",
           "title": "Trouble of kind {}", "problem": "{}", "fix": "Check it."}})",
        i > 0 ? "," : "", static_cast<char>('a' + i), problem);
  }
  ScriptedModel model(
      answers("{\"summary\": \"It counts.\", \"proposals\": [" + proposals + "]}", R"({"verdicts": []})"));
  EXPECT_THAT(review(model), HasSubstr("10 without a verdict that holds"));
  for (int i = 0; i < 10; ++i)
    EXPECT_THAT(question_of(model.requests.back()),
                HasSubstr(fmt::format("Trouble of kind {}", static_cast<char>('a' + i))));
}

TEST_F(ReviewerTest, AsksWhatASecondReadingLeftOpen) {
  ScriptedModel model(answers(kProposal, verdict("unsure")));
  const std::string text = review(model);
  const std::size_t questions = text.find("### 5. Questions for Author");
  ASSERT_NE(questions, std::string::npos);
  EXPECT_THAT(text.substr(questions), HasSubstr("`lib/loss.py:19` - Can this happen? `masked_loss` divides"));
  EXPECT_THAT(text.substr(questions), HasSubstr("What the code leaves open: Nothing checks `total`."));
  EXPECT_THAT(text.substr(0, questions), Not(HasSubstr("divides by zero")));
  // Its reason is checked as well.
  ScriptedModel false_reason(answers(kProposal, replace_all(verdict("unsure"), "`total`", "`no_such_total`")));
  EXPECT_THAT(review(false_reason), Not(HasSubstr("divides by zero")));
}

TEST_F(ReviewerTest, BlocksOnlyWithAFactBehindIt) {
  const std::string blocking = verdict("stands", "P0");
  // Of a line that issues no collective, decides about none, and to which no run is known to come, a model's word is
  // not enough.
  const std::string field = R"({"summary": "It counts.", "proposals": [{"severity": "P0", "path": "lib/config.py",
      "line": 7, "quote": "global_token_count: bool = False", "title": "It is off", "problem": "It is.", "fix": "Set it."}]})";
  ScriptedModel word(answers(field, blocking));
  EXPECT_THAT(review(word), HasSubstr("**[P1]** `lib/config.py:7`"));
  ScriptedModel reached(answers(kProposal, blocking));
  const std::string with_way = review(reached);
  EXPECT_THAT(with_way, HasSubstr("**[P0]** `lib/loss.py:19`"));
  EXPECT_THAT(with_way, HasSubstr("1. `lib/loss.py:19`: runs can come to this function: `train.py` \u2192 `train_step` "
                                  "\u2192 `masked_loss`"));
  const std::string guarded = replace_all(replace_all(kProposal, "\"line\": 20", "\"line\": 15"),
                                          "return (output * mask).sum() / total", "if config.global_token_count:");
  ScriptedModel fact(answers(guarded, blocking));
  const std::string text = review(fact);
  EXPECT_THAT(text, HasSubstr("**[P0]** `lib/loss.py:15`"));
  EXPECT_THAT(
      text,
      HasSubstr("`lib/loss.py:16`: a call that communicates is made only where `config.global_token_count` holds"));
  // Both readings must think so.
  ScriptedModel doubted(answers(guarded, verdict("stands", "P1")));
  EXPECT_THAT(review(doubted), HasSubstr("**[P1]** `lib/loss.py:15`"));
}

/// What stands around the line and what leaves the function above it, also on the line right before.
TEST(ReviewOfALineThatRunsReach, TellsWhenTheLineRuns) {
  const std::string step =
      "def reduce(grad, wanted):\n    if wanted:\n        if grad is None:\n            return 0\n";
  const auto train = [&](const std::string& last) {
    return render::Files{{"train.py", step + "        " + last + "\n\n\ndef main():\n    reduce(1, True)\n\n\n" +
                                          "if __name__ == \"__main__\":\n    main()\n"}};
  };
  const AuthorFixture author(render::make_fixture(train("grad += 1"), train("grad += 2"), "Add two"));
  ScriptedModel model([&](const ChatRequest& request, std::size_t) {
    if (contains(question_of(request), "Try to refute each one"))
      return says(R"({"verdicts": [{"claim": 1, "verdict": "stands", "severity": "P0", "reason": "It does."}]})");
    return says(R"({"summary": "It adds.", "proposals": [{"severity": "P0", "path": "train.py", "line": 5,
        "quote": "grad += 2", "title": "It adds too much", "problem": "It does.", "fix": "Add one."}]})");
  });
  const std::string text = render::render_markdown(review_document(
      review_with_model(report::Report(), report::write_summary(author.fixture->inputs), author.inputs(model))));
  EXPECT_THAT(text, HasSubstr("the line itself runs where `wanted` holds, unless `grad is None`")) << text;
}

/// A call and a definition that does not take it are a fact as well, wherever the two are named.
TEST(ReviewOfABrokenCall, BlocksWithTheDefinitionThatRejectsIt) {
  const std::string finish = "def finish(chunks, force=False):\n    for chunk in chunks:\n        chunk.close(";
  const std::string classes = "class Base:\n    def close(self):\n        return 1\n";
  const AuthorFixture author(render::make_fixture({{"a.py", finish + ")\n"}, {"b.py", classes}},
                                                  {{"a.py", finish + "force=force)\n"}, {"b.py", classes}}, "Force"));
  const auto review_with = [&](const std::string& quote, int line) {
    const std::string opinion = fmt::format(
        R"json({{"summary": "It closes.", "proposals": [{{"severity": "P0", "path": "a.py", "line": 3,
            "quote": "chunk.close(force=force)", "title": "`close` fails", "problem": "`Base.close` takes no `force`.",
            "fix": "Add it.", "also": [{{"path": "b.py", "line": {}, "quote": "{}"}}]}}]}})json",
        line, quote);
    ScriptedModel model([&](const ChatRequest& request, std::size_t) {
      if (contains(question_of(request), "Try to refute each one"))
        return says(R"({"verdicts": [{"claim": 1, "verdict": "stands", "severity": "P0", "reason": "It does."}]})");
      return says(opinion);
    });
    return render::render_markdown(review_document(
        review_with_model(report::Report(), report::write_summary(author.fixture->inputs), author.inputs(model))));
  };
  const std::string proven = review_with("def close(self):", 2);
  EXPECT_THAT(proven, HasSubstr("**[P0]** `a.py:3`"));
  EXPECT_THAT(proven,
              HasSubstr("`chunk.close(force=force)` at `a.py:3` does not fit `Base.close`: no parameter `force`"));
  EXPECT_THAT(review_with("return 1", 3), HasSubstr("**[P1]** `a.py:3`"));
}

/// A module's call enters its `forward`: the definition that lacks a keyword is named, the call that passes it need not
/// be.
TEST(ReviewOfABrokenCall, BlocksWithAForwardThatRejectsWhatAModuleIsGiven) {
  const auto layer = [](const std::string& given) {
    return "import torch\n\nfrom b import Attention, Latent\n\n\nclass Layer(torch.nn.Module):\n"
           "    def __init__(self, latent):\n        super().__init__()\n"
           "        self.attention = Latent() if latent else Attention()\n\n"
           "    def forward(self, x, cos=None):\n        return self.attention(x" +
           given + ")\n";
  };
  const std::string modules =
      "import torch\n\n\nclass Attention(torch.nn.Module):\n    def forward(self, x, cos=None):\n        return x\n\n\n"
      "class Latent(Attention):\n    def forward(self, x):\n        return x\n";
  const AuthorFixture author(render::make_fixture({{"a.py", layer("")}, {"b.py", modules}},
                                                  {{"a.py", layer(", cos=cos")}, {"b.py", modules}}, "Pass it"));
  const auto review_of = [&](int line, const std::string& quote) {
    const std::string opinion = fmt::format(
        R"json({{"summary": "It passes it.", "proposals": [{{"severity": "P0", "path": "b.py", "line": {},
            "quote": "{}", "title": "A latent layer fails", "problem": "It takes no such keyword.", "fix": "Add it.",
            "cause": {{"path": "a.py", "line": 12, "quote": "return self.attention(x, cos=cos)"}}}}]}})json",
        line, quote);
    ScriptedModel model([&](const ChatRequest& request, std::size_t) {
      if (contains(question_of(request), "Try to refute each one"))
        return says(R"({"verdicts": [{"claim": 1, "verdict": "stands", "severity": "P0", "reason": "It does."}]})");
      return says(opinion);
    });
    return render::render_markdown(review_document(
        review_with_model(report::Report(), report::write_summary(author.fixture->inputs), author.inputs(model))));
  };
  const std::string text = review_of(10, "def forward(self, x):");
  EXPECT_THAT(text, HasSubstr("**[P0]** `b.py:10`"));
  EXPECT_THAT(text, HasSubstr("does not fit `Latent.forward`: no parameter `cos`"));
  EXPECT_THAT(review_of(5, "def forward(self, x, cos=None):"), Not(HasSubstr("does not fit")));
}

/// Places of the finding's own file need no path, but behind a place of another file a reader would take them for that.
TEST_F(ReviewerTest, NamesTheFileOfALineWhereItWouldBeTakenForAnother) {
  const std::string places = replace_all(kProposal, "nothing before `lib/loss.py:19` checks it.",
                                         "neither `lib/loss.py:16` nor `lib/config.py:2` checks it; `lib/loss.py:19` "
                                         "divides, as `lib/config.py:1` lets it.");
  ScriptedModel model(answers(places, verdict("stands")));
  EXPECT_THAT(
      review(model),
      HasSubstr("neither `:16` nor `lib/config.py:2` checks it; `loss.py:19` divides, as `config.py:1` lets it."));
}

/// Words that point at code which is not printed go; others that say "below" stay.
TEST_F(ReviewerTest, PointsAtNoCodeThatIsNotPrinted) {
  const std::string pointing = replace_all(kProposal, "\"Clamp it from below.\"",
                                           "\"Clamp it. The code below costs one read. No value below 1 is left.\"");
  ScriptedModel model(answers(pointing, verdict("stands")));
  const std::string text = review(model);
  EXPECT_THAT(text, HasSubstr("**Fix**: Clamp it. No value below 1 is left.\n"));
  EXPECT_THAT(text, Not(HasSubstr("The code below")));
}

TEST_F(ReviewerTest, ASecondReadingMayRefuteWhatWasFoundRight) {
  const std::string opinion = replace_all(kProposal, "\"proposals\":", R"("looked_into": [
      "`count_tokens` reduces over `config.group` in each call.", "`masked_loss` keeps its return value a tensor."], "proposals":)");
  ScriptedModel model(answers(opinion, R"({"verdicts": [{"claim": 1, "verdict": "stands", "severity": "P1"},
      {"claim": 2, "verdict": "refuted", "reason": "`count_tokens` gets whatever `group` its caller has."},
      {"claim": 3, "verdict": "stands"}]})"));
  const std::string text = review(model);
  EXPECT_THAT(question_of(model.requests.back()), HasSubstr("2. The claim that this is right: `count_tokens` reduces"));
  EXPECT_THAT(text, HasSubstr("- `masked_loss` keeps its return value a tensor."));
  EXPECT_THAT(text, Not(HasSubstr("\n- `count_tokens` reduces over")));
  EXPECT_THAT(text, HasSubstr("- `count_tokens` gets whatever `group` its caller has. Is that case excluded "));
}

TEST_F(ReviewerTest, TheSecondReaderMayMendATest) {
  const std::string opinion =
      replace_all(kProposal, "\"fix\": \"Clamp it from below.\"",
                  "\"fix\": \"Clamp it.\", \"addition\": {\"path\": \"lib/loss.py\", \"after\": 19, \"code\": "
                  "\"def check_empty():\\n    return masked_losses()\"}");
  const std::string mended = replace_all(
      verdict("stands"),
      "\"reason\":", "\"code\": \"def check_empty():\\n    return masked_loss(None, None, None)\", \"reason\":");
  ScriptedModel model(answers(opinion, mended));
  EXPECT_THAT(review(model), HasSubstr("return masked_loss(None, None, None)"));
  EXPECT_THAT(question_of(model.requests.back()),
              HasSubstr("but it does not hold (nothing binds 'masked_losses' there)"));
}

TEST_F(ReviewerTest, PrintsWhatItFoundRight) {
  ScriptedModel model(answers(
      R"({"summary": "It counts.", "looked_into": ["`masked_loss` gets its group from `config.group` in each call.", "`no_such_thing` is closed."]})",
      ""));
  const std::string text = review(model);
  EXPECT_THAT(text, HasSubstr("**Followed and found right:**\n\n- `masked_loss` gets its group"));
  EXPECT_THAT(text, Not(HasSubstr("no_such_thing")));
}

TEST_F(ReviewerTest, ListsThePointsOfAProblem) {
  const std::string listed = replace_all(kProposal, "and nothing before `lib/loss.py:19` checks it.",
                                         "which nobody checks:\\n- `masked_loss` does not;\\n- `train_step` does not.");
  ScriptedModel model(answers(listed, verdict("stands")));
  EXPECT_THAT(review(model),
              HasSubstr("which nobody checks:\n    - `masked_loss` does not;\n    - `train_step` does not."));
}

TEST_F(ReviewerTest, PrintsATestThatFitsItsFile) {
  const auto with = [](const std::string& path, int after, const std::string& code) {
    return replace_all(kProposal, "\"fix\": \"Clamp it from below.\"",
                       fmt::format(R"("fix": "Clamp it.", "addition": {{"path": "{}", "after": {}, "code": "{}"}})",
                                   path, after, code));
  };
  const std::string good =
      with("lib/loss.py", 19, "def check_empty(output, mask, config):\\n    return masked_loss(output, mask, config)");
  ScriptedModel model(answers(good, verdict("stands")));
  const std::string text = review(model);
  EXPECT_THAT(text, HasSubstr("Proposed, behind `lib/loss.py:19`; nobody ran it:"));
  EXPECT_THAT(text, HasSubstr("def check_empty(output, mask, config):"));
  EXPECT_THAT(question_of(model.requests.back()), HasSubstr("What it adds to lib/loss.py behind line 19"));
  for (const std::string& bad :
       {with("lib/loss.py", 19, "def check_empty():\\n    return masked_losses()"),
        with("lib/loss.py", 900, "def check_empty():\\n    pass"),
        with("lib/none.py", 0, "def check_empty():\\n    pass"), with("lib/loss.py", 19, "import subprocess"),
        with("lib/loss.py", 19, "from lib.none import check_empty"), with("lib/loss.py", 19, "def check_empty(:"),
        with("lib/loss.py", 19, "# https://evil.example/"),
        with("lib/loss.py", 19, "def check_empty():\\n    eval('1')"),
        with("lib/loss.py", 19, "def check_empty():\\n    \xEF\xBD\x85val('1')"),
        with("lib/loss.py", 19, "def check_empty(total):\\n    vars(total)['x']()")}) {
    ScriptedModel other(answers(bad, verdict("stands")));
    const std::string printed = review(other);
    EXPECT_THAT(printed, Not(HasSubstr("nobody ran it:"))) << bad;
    EXPECT_THAT(printed, HasSubstr("divides by zero")) << bad;  // the problem stays
  }
}

TEST_F(ReviewerTest, DropsWhatDoesNotStandInTheChange) {
  const std::string proposal = kProposal;
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"\"lib/loss.py\"", "\"lib/other.py\""},
                                                        {"\"lib/loss.py\"", "\"train.py\""},
                                                        {"\"lib/loss.py\"", "\"../../etc/passwd\""},
                                                        {"\"line\": 20", "\"line\": 2"},
                                                        {".sum() / total\"", ".sum() / totals\""},
                                                        {"`masked_loss` divides", "`masked_losses` divides"}}) {
    ScriptedModel model(answers(replace_all(proposal, from, to), verdict("stands")));
    const std::string text = review(model);
    EXPECT_THAT(text, Not(HasSubstr("by zero where"))) << to;
    EXPECT_THAT(text, HasSubstr("1 problem; 0 kept")) << to;
  }
}

TEST_F(ReviewerTest, TakesAPlaceElsewhereThatFollowsFromTheChange) {
  const auto with = [](const std::string& more) {
    return R"json({"summary": "It counts.", "proposals": [{"severity": "P1", "path": "train.py", "line": 8,
  "quote": "loss.backward()", "title": "The step divides by zero", "problem": "It does.", "fix": "Clamp it.", )json" +
           more + R"json("comment": "Please clamp it."}]})json";
  };
  const std::string cause =
      R"json("cause": {"path": "lib/loss.py", "line": 16, "quote": "total = count_tokens(mask, config.group)"}, )json";
  const std::string also =
      R"json("also": [{"path": "train.py", "line": 7, "quote": "loss = masked_loss(model(batch), batch, config)"},
  {"path": "train.py", "line": 8, "quote": "loss.backward()"}, {"path": "train.py", "line": 3, "quote": "no such line"}], )json";
  ScriptedModel model(answers(with(cause + also), verdict("stands")));
  const std::string text = review(model);
  EXPECT_THAT(text, HasSubstr("**[P1]** `train.py:8`"));
  EXPECT_THAT(text, HasSubstr("**Also at**: `train.py:7`\n"));
  EXPECT_THAT(
      text,
      HasSubstr("#### `lib/loss.py`\n\n**Line 16:**\n\n> At `train.py:8`, because of this line: **[P1]** Please"));
  EXPECT_THAT(question_of(model.requests.back()), HasSubstr("1. The claim, [P1] at train.py:8, train.py:7:"));
  const std::string unrelated =
      R"json("cause": {"path": "train.py", "line": 1, "quote": "from lib.config import Config"}, )json";
  for (const std::string& none : {std::string(), unrelated, replace_all(cause, "count_tokens", "count_words")}) {
    ScriptedModel other(answers(with(none), verdict("stands")));
    EXPECT_THAT(review(other), Not(HasSubstr("divides by zero"))) << none;
  }
}

TEST_F(ReviewerTest, DemotesWhatIsLikelyAndOnlyDoubtsWhatIsProven) {
  const char* judgement =
      R"({"judgements": [{"finding": 1, "verdict": "demote", "reason": "The group is the same on all ranks."}]})";
  ScriptedModel likely(answers(judgement, ""));
  EXPECT_THAT(review(likely, {finding(rules::FindingCertainty::kLikely)}),
              HasSubstr("Demoted from P1 by the model \u201cscripted\u201d: The group is the same on all ranks."));
  ScriptedModel proven(answers(judgement, ""));
  const std::string text = review(proven, {finding(rules::FindingCertainty::kProven)});
  EXPECT_THAT(text, HasSubstr("**[P1]** `lib/loss.py:8`"));
  EXPECT_THAT(text, HasSubstr("Lockstep proved it, so its weight stays"));
  ScriptedModel baseless(answers(replace_all(judgement, "The group", "`no_such_group`"), ""));
  EXPECT_THAT(review(baseless, {finding(rules::FindingCertainty::kLikely)}), Not(HasSubstr("Demoted")));
}

TEST_F(ReviewerTest, DoesNotRepeatWhatLockstepFound) {
  ScriptedModel model(answers(kProposal, verdict("stands")));
  report::ReportedFinding known = finding(rules::FindingCertainty::kLikely);
  known.finding.start_line = known.finding.end_line = 18;
  EXPECT_THAT(review(model, {known}), Not(HasSubstr("divides by zero")));
}

/// What weighs more than a rule's finding on its line takes that one's place, with the finding as a step to it.
TEST_F(ReviewerTest, MakesMoreOfWhatLockstepFound) {
  report::ReportedFinding known = finding(rules::FindingCertainty::kLikely);
  known.finding.start_line = known.finding.end_line = 18;
  known.finding.severity = rules::Severity::kP2;
  ScriptedModel model(answers(kProposal, verdict("stands")));
  const std::string text = review(model, {known});
  EXPECT_THAT(text, HasSubstr("**[P1]** `lib/loss.py:19` - `masked_loss` divides by zero"));
  EXPECT_THAT(text,
              HasSubstr("`lib/loss.py:19`: a rule of Lockstep's, `rank-divergent-collective`: some ranks miss it"));
  EXPECT_THAT(text, Not(HasSubstr("**[P2]**")));
  // The second reader sees what fixes must hold beside, each claim's weight, and what it asks for.
  const std::string& question = question_of(model.requests.back());
  EXPECT_THAT(question, HasSubstr("- lib/loss.py:19: some ranks miss it."));
  EXPECT_THAT(question, HasSubstr("1. The claim, [P0] at lib/loss.py:19:"));
  EXPECT_THAT(question, HasSubstr("What it asks for: Clamp it from below."));
  ScriptedModel refuted(answers(kProposal, verdict("refuted")));
  EXPECT_THAT(review(refuted, {known}), HasSubstr("**[P2]** `lib/loss.py:19`"));
}

/// A fix that takes several places is printed with all of them, or not at all.
TEST_F(ReviewerTest, PrintsAFixOfSeveralPlaces) {
  const auto with = [](const std::string& second) {
    const std::string fix = R"json("fix": "Clamp it.", "replacement": [
        {"first": 19, "last": 19, "code": "return (output * mask).sum() / total.clamp(min=1)"},
        {"path": "lib/config.py", "first": 7, "last": 7, "code": "SECOND"}])json";
    return replace_all(kProposal, "\"fix\": \"Clamp it from below.\"", replace_all(fix, "SECOND", second));
  };
  ScriptedModel model(answers(with("global_token_count: bool = True"), verdict("stands")));
  const std::string text = review(model);
  EXPECT_THAT(text, HasSubstr("total.clamp(min=1)"));
  EXPECT_THAT(text, HasSubstr("global_token_count: bool = True"));
  EXPECT_THAT(question_of(model.requests.back()), HasSubstr("and in place of lib/config.py:7-7"));
  ScriptedModel half(answers(with("global_token_count: bool = no_such_name"), verdict("stands")));
  const std::string without = review(half);
  EXPECT_THAT(without, Not(HasSubstr("total.clamp(min=1)")));
  EXPECT_THAT(without, HasSubstr("divides by zero"));
}

/// Code that the second reader mends stands in place of what it says fails.
TEST_F(ReviewerTest, TheSecondReaderMayMendAReplacement) {
  const std::string fix = R"json("fix": "Clamp it.", "replacement": {"first": 19, "last": 19,
        "code": "return (output * mask).sum() / total.clamp(max=1)"})json";
  const std::string mend =
      R"json("fix": "fails", "code": "return (output * mask).sum() / total.clamp(min=1)", "reason":)json";
  ScriptedModel model(answers(replace_all(kProposal, "\"fix\": \"Clamp it from below.\"", fix),
                              replace_all(verdict("stands"), "\"reason\":", mend)));
  const std::string text = review(model);
  EXPECT_THAT(text, HasSubstr("total.clamp(min=1)"));
  EXPECT_THAT(text, Not(HasSubstr("total.clamp(max=1)")));
}

TEST_F(ReviewerTest, ReviewsWithoutTheModelWhereItGivesNothing) {
  ScriptedModel model([](const ChatRequest&, std::size_t) {
    return testing::fails(ChatFailure::Kind::kExhausted, "the server is gone");
  });
  const std::string text = review(model, {finding(rules::FindingCertainty::kLikely)});
  EXPECT_EQ(model.requests.size(), 1u);
  EXPECT_THAT(text, HasSubstr("**[P1]** `lib/loss.py:8`"));
  EXPECT_THAT(text, HasSubstr("the server is gone"));
}

}  // namespace
}  // namespace lockstep::writer
