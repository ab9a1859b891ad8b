#include "writer/author/claims.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "writer/author/model_text.h"
#include "writer/author_fixture.h"
#include "writer/verify.h"

namespace lockstep::writer {
namespace {

using testing::AuthorFixture;
using ::testing::ElementsAre;

class Claims : public ::testing::Test {
 protected:
  Claims() : author_(testing::loss_change()), checker_(author_.fixture->inputs, *author_.sides) {
    material_.add(
        "line 16, 40 ranks, [line 49]\n   37| total = 0\n+   38| x\n@@ -50,51 +52,53 @@\n`a.py:54-55` by `c5ff59b7f1`");
  }

  [[nodiscard]] std::vector<std::string> faults(std::string_view sentence) const {
    std::vector<std::string> kinds;
    for (const Fault& fault : checker_.check(sentence, material_).faults) kinds.emplace_back(fault.kind);
    return kinds;
  }

  AuthorFixture author_;
  ClaimChecker checker_;
  Material material_;
};

TEST_F(Claims, LetsTrueSentencesPass) {
  for (const std::string_view sentence :
       {"`masked_loss` now calls `count_tokens`, see `lib/loss.py:16`.", "`count_tokens` is called by `masked_loss`.",
        "`train_step` calls `masked_loss` on 40 ranks.", "`count_tokens` issues `all_reduce`.",
        "It sets `total = count_tokens(mask, config.group)` when `config.global_token_count` is set.",
        "The option is off by default.", "`masked_loss` calls `sum`.", "It runs in FP8 and on 2 ranks.",
        "`train_step` does not call `count_tokens`.", "See line 37."}) {
    EXPECT_THAT(faults(sentence), ElementsAre()) << sentence;
  }
}

TEST_F(Claims, LetsFormulasOverKnownNamesPass) {
  EXPECT_THAT(faults("It holds `min(total, mask - count_tokens // 2)` rows."), ElementsAre());
  EXPECT_THAT(faults("It holds `min(total, unheard_of_name - 2)` rows."), ::testing::Contains("quoted code"));
  EXPECT_THAT(faults("It sets `total = min(total, mask - 2)`."), ElementsAre("quoted code"));
}

TEST_F(Claims, LetsFactsOfLibrariesPass) {
  EXPECT_THAT(faults("The state holds `max_exp_avg_sq` with `amsgrad=True` (known of PyTorch)."), ElementsAre());
  EXPECT_THAT(faults("The state holds `max_exp_avg_sq`."), ElementsAre("symbol"));
  // What it says of the repository is held against it still.
  EXPECT_THAT(faults("See `lib/los.py:16` (known of PyTorch)."), ElementsAre("path"));
  EXPECT_THAT(faults("`masked_loss` calls `train_step` (known of PyTorch)."), ElementsAre("call"));
  EXPECT_THAT(faults("It is `Config(1)` then."), ElementsAre());
  EXPECT_THAT(faults("It is `Unheard(1)` then."), ::testing::Contains("quoted code"));
  EXPECT_THAT(faults("It is `count_tokens(1)` then."), ElementsAre("quoted code"));
}

TEST_F(Claims, FindsWhatIsFalse) {
  EXPECT_THAT(faults("`masked_loss` calls `train_step`."), ElementsAre("call"));
  EXPECT_THAT(faults("`train_step` is called by `count_tokens`."), ElementsAre("call"));
  EXPECT_THAT(faults("`masked_loss` no longer calls `count_tokens`."), ElementsAre("call"));
  EXPECT_THAT(faults("`masked_loss` calls `sum`, `count_tokens` and `train_step`."), ElementsAre("call"));
  EXPECT_THAT(faults("`Config.group` overrides `Module.group`."), ElementsAre("base class"));
  EXPECT_THAT(faults("See `lib/los.py:16`."), ElementsAre("path"));
  EXPECT_THAT(faults("See `lib/loss.py:999`."), ElementsAre("line"));
  EXPECT_THAT(faults("It uses `count_all_the_tokens`."), ElementsAre("symbol"));
  EXPECT_THAT(faults("It sets `total = count_tokens(config.group, mask)`."), ElementsAre("quoted code"));
  EXPECT_THAT(faults("It costs 37 percent."), ElementsAre("number"));
  EXPECT_THAT(faults("`train_step` issues `broadcast`."), ElementsAre());  // what it reaches communicates
  EXPECT_THAT(faults("`Config` derives from `Module`."), ElementsAre("base class"));
  EXPECT_THAT(faults("`masked_loss` overrides `Module`."), ElementsAre("base class"));
}

// What a thing holds, a calculation or an example is no quote.
TEST_F(Claims, LetsValuesAndExamplesPass) {
  for (const std::string_view sentence :
       {"With `global_token_count=True` it counts.", "Then `config.global_token_count == False`.",
        "The result is `1e-5 + 0.5 * 9e-5 = 5.5e-5`.", "For example, 64 tokens on 16 ranks make 1024.",
        "Suppose 37 ranks.", "`global_token_count` is False by default.", "`global_token_count` defaults to `False`.",
        "`count_tokens` is called from 1 place.", "Since #40 it does."}) {
    EXPECT_THAT(faults(sentence), ElementsAre()) << sentence;
  }
}

// A number that stands somewhere else proves nothing of this one.
TEST_F(Claims, HoldsValuesAgainstWhatTheyBelongTo) {
  EXPECT_THAT(faults("`count_tokens` is called from 40 places."), ElementsAre("number"));
  EXPECT_THAT(faults("`global_token_count` is True by default."), ElementsAre("number"));
  EXPECT_THAT(faults("`global_token_count` defaults to `None`."), ElementsAre("number"));
  EXPECT_THAT(faults("With `global_token_sum=True` it counts."), ElementsAre("code", "symbol"));
  EXPECT_THAT(faults("Since #41 it does."), ElementsAre("number"));
  // Numbers of lines, hunks and commits are no numbers of things.
  for (const int number : {16, 49, 37, 38, 50, 51, 52, 53, 54, 55, 59})
    EXPECT_THAT(faults(fmt::format("It takes {} ranks.", number)), ElementsAre("number")) << number;
  EXPECT_THAT(faults("See lines 54 and 38."), ElementsAre("number"));
}

// What argparse gives, read from the calls and not from the text around an option's name.
TEST(ClaimsOfArguments, AreHeldAgainstTheirDeclarations) {
  const std::string help(600, 'h');
  const std::string text =
      "import argparse\n\n\ndef arguments():\n    parser = argparse.ArgumentParser()\n"
      "    parser.add_argument(\"--warmup\", type=int, help=\"" +
      help +
      ", as in default=9\", default=4)\n"
      "    parser.add_argument(\"--lr-steps\", dest=\"steps\", default=7)\n"
      "    parser.add_argument(\"--quiet\", action=\"store_true\")\n"
      "    parser.add_argument(\"--loud\", action=\"store_false\")\n"
      "    parser.add_argument(\"--size\", default=max(1, 2))\n"
      "    parser.add_argument(\"--name\")\n"
      "    parser.add_argument(\"--count\", action=\"count\")\n"
      "    parser.add_argument(\"--own\", action=\"of_ours\")\n"
      "    parser.add_argument(\"--depth\", default=3)\n"
      "    parser.set_defaults(depth=5)\n"
      "    return parser  # not \"--named\", default=8\n";
  const AuthorFixture author(
      render::make_fixture({{"a.py", text}, {"b.py", "x = 1\n"}}, {{"a.py", text}, {"b.py", "x = 2\n"}}, "Set x"));
  const ClaimChecker checker(author.fixture->inputs, *author.sides);
  Material material;
  material.add("4 5 7 8 9");
  const auto is_false = [&](std::string_view sentence) { return !checker.check(sentence, material).faults.empty(); };
  for (const std::string_view sentence :
       {"`--warmup` is 4 by default.", "`--lr-steps` is 7 by default.", "`steps` is 7 by default.",
        "`--quiet` defaults to `False`.", "`--loud` defaults to `True`.", "`--size` is 8 by default.",
        "`--name` defaults to `None`.", "`--count` defaults to `None`.", "`--own` is 9 by default.",
        "`--depth` is 5 by default."}) {
    EXPECT_FALSE(is_false(sentence)) << sentence;
  }
  for (const std::string_view sentence :
       {"`--warmup` is 9 by default.", "`--lr-steps` is 4 by default.", "`--quiet` defaults to `True`.",
        "`--loud` defaults to `False`.", "`--name` is 8 by default.", "`--count` is 9 by default.",
        "`--depth` is 4 by default."}) {
    EXPECT_TRUE(is_false(sentence)) << sentence;
  }
}

// What is silent, and what the change takes away.
TEST(ClaimsOfAnotherChange, HoldCollectivesAndWhatIsReadNow) {
  const char* const kLoop =
      "import torch.distributed as dist\n\n\ndef plan(args):\n    return args.%s\n\n\ndef share(x):\n    "
      "dist.all_reduce(x)\n";
  const std::string text = kLoop;
  const auto with = [&](const std::string& name) { return std::string(text).replace(text.find("%s"), 2, name); };
  const AuthorFixture author(render::make_fixture({{"loop.py", with("vocal_size")}, {"kept.py", "old_name = 1\n"}},
                                                  {{"loop.py", with("padded_size")}, {"kept.py", "old_name = 1\n"}},
                                                  "Read the padded size"));
  const ClaimChecker checker(author.fixture->inputs, *author.sides);
  const auto kinds = [&](std::string_view sentence) {
    std::vector<std::string> found;
    for (const Fault& fault : checker.check(sentence, Material()).faults) found.emplace_back(fault.kind);
    return found;
  };
  EXPECT_THAT(kinds("It issues an `all_reduce` in `plan`."), ElementsAre("collective"));
  EXPECT_THAT(kinds("There is a `dist.broadcast` inside `plan`."), ElementsAre("collective"));
  EXPECT_THAT(kinds("It issues an `all_reduce` in `share`."), ElementsAre());
  EXPECT_THAT(kinds("No `all_reduce` stands in `plan`."), ElementsAre());
  EXPECT_THAT(kinds("`plan` returns before the `all_reduce` is issued."), ElementsAre());
  EXPECT_THAT(kinds("`plan` reads `args.vocal_size` now."), ElementsAre("symbol"));
  EXPECT_THAT(kinds("`plan` now reads `args.padded_size` instead of `args.vocal_size`."), ElementsAre());
  EXPECT_THAT(kinds("`plan` does not read `args.vocal_size` now."), ElementsAre());
  EXPECT_THAT(kinds("`plan` read `args.vocal_size`."), ElementsAre());
  EXPECT_THAT(kinds("`old_name` is now read."), ElementsAre());
}

// A call that the change took away is told as gone, or not at all; of the side before it may be told.
TEST(ClaimsOfAnotherChange, HoldCallsThatAreGone) {
  const std::string share = "def share(x):\n    return x\n\n\ndef plan(x):\n    return ";
  const AuthorFixture author(
      render::make_fixture({{"loop.py", share + "share(x)\n"}}, {{"loop.py", share + "x\n"}}, "Plan alone"));
  const auto is_false = [&](std::string_view document) {
    return !verify_document(document, *author.sides).problems.empty();
  };
  EXPECT_TRUE(is_false("# Review\n\n`plan` calls `share`.\n"));
  EXPECT_TRUE(is_false("`plan` now calls `share`.\n"));
  // A call on an object whose class nobody knows is one that is written, too.
  const AuthorFixture other(render::make_fixture({{"a.py", "def step(x):\n    return x\n"}},
                                                 {{"a.py", "def step(x):\n    return x.finish_all()\n"}}, "Finish"));
  EXPECT_FALSE(verify_document("`step` does not call `finish_all`.\n", *other.sides).problems.empty());
  EXPECT_FALSE(verify_document("`step` no longer calls `finish_all`.\n", *other.sides).problems.empty());
  EXPECT_TRUE(verify_document("`step` does not call `step`.\n", *other.sides).problems.empty());
  EXPECT_TRUE(verify_document("Without tokens `step` does not call `finish_all`.\n", *other.sides).problems.empty());
  for (const std::string_view document :
       {"# Review\n\n`plan` no longer calls `share`.\n", "# Review\n\nBefore the change `plan` calls `share`.\n",
        "# Before\n\n`plan` calls `share`.\n", "# Review\n\nBefore:\n\n- `plan` calls `share`.\n",
        "# Review\n\n| Before | After |\n| --- | --- |\n| `plan` calls `share` | nothing |\n",
        "`plan` calls `share`.\n"}) {
    EXPECT_FALSE(is_false(document)) << document;
  }
}

TEST_F(Claims, CountsSentencesWithoutAnythingToHold) {
  EXPECT_EQ(checker_.check("This keeps the gradients comparable.", material_).claims, 0u);
  EXPECT_EQ(checker_.check("`masked_loss` calls `count_tokens`.", material_).claims, 3u);
}

TEST(ModelText, KeepsProseAndListsOnly) {
  const ModelText text = read_model_text(
      "# Heading\n\nFirst. Second, e.g. `a.b` here.\n\n- one\n- two. three\n\n```python\nprint(1)\n```\n| a | b "
      "|\n|---|\n"
      "[words](https://evil.example/x) and ![pixel](http://evil.example/p.png) <img src=x> https://evil.example/y "
      "done");
  ASSERT_EQ(text.passages.size(), 5u);
  EXPECT_THAT(text.passages[0].sentences, ElementsAre("Heading"));
  EXPECT_THAT(text.passages[1].sentences, ElementsAre("First.", "Second, e.g. `a.b` here."));
  EXPECT_TRUE(text.passages[2].is_item);
  EXPECT_THAT(text.passages[3].sentences, ElementsAre("two.", "three"));
  EXPECT_THAT(text.passages[4].sentences, ElementsAre("words and   (an address) done"));
  EXPECT_EQ(text.removed, 6u);  // code, table, link, image, tag, address
}

TEST(ModelText, SplitsSentencesOutsideCode) {
  EXPECT_THAT(split_sentences("Uses `a. b`. Then v0.3.0 runs! Is it? Yes"),
              ElementsAre("Uses `a. b`.", "Then v0.3.0 runs!", "Is it?", "Yes"));
  EXPECT_THAT(split_sentences("\u7b2c\u4e00\u3002\u7b2c\u4e8c\u3002"),
              ElementsAre("\u7b2c\u4e00\u3002", "\u7b2c\u4e8c\u3002"));
}

}  // namespace
}  // namespace lockstep::writer
