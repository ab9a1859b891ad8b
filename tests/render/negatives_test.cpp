// Counts and negatives of the documents hold for the whole change; what is quoted shows what differs.
#include <gtest/gtest.h>

#include "render/document_fixture.h"
#include "render/markdown.h"
#include "report/review/summary.h"

namespace lockstep::render {
namespace {

std::string with(std::string text, std::string_view what, std::string_view by) {
  return text.replace(text.find(what), what.size(), by);
}

std::string summary_of(const Files& before, const Files& after, std::string title) {
  return render_markdown(report::write_summary(make_fixture(before, after, std::move(title))->inputs).document);
}

std::string dive_bodies(const std::string& before, const std::string& after) {
  return dive_of({{"a.py", before}}, {{"a.py", after}});
}

TEST(Negatives, ARaiseInAnyChangedFunctionIsAnEdgeCase) {
  const std::string body = R"(def f(x):
    for each in x:
        if each.wide:
            each.run()
    return x
)";
  const std::string text = dive_bodies(
      body, with(body, "            each.run()\n",
                 "            each.run()\n        elif each.deep:\n            raise ValueError(\"too deep\")\n"));
  EXPECT_FALSE(says(text, "No open one was found")) << text;
  EXPECT_TRUE(says(text, "Refused at `a.py:5` (`f`): raises `ValueError`")) << text;
}

TEST(Negatives, AWayOnIsNoEdgeCase) {
  const std::string body = "def f(x):\n    for each in x:\n        each.run()\n";
  const std::string text =
      dive_bodies(body, with(body, "        each", "        if each.wide:\n            continue\n        each"));
  EXPECT_TRUE(says(text, "| **Edge Cases** | No open one was found")) << text;
}

TEST(Negatives, ADivisorThatIsAskedForIsNoQuestion) {
  const std::string body = "def f(a, b):\n    return a\n";
  EXPECT_TRUE(says(dive_bodies(body, with(body, "return a", "return a / b")), "Can `b` be zero"));
  EXPECT_FALSE(says(dive_bodies(body, with(body, "return a", "if b == 0:\n        return 0\n    return a / b")),
                    "Can `b` be zero"));
}

TEST(Negatives, HexagonsAreToldWhereThereAreSome) {
  const std::string body = "def f(a, b):\n    c = a + b\n    d = c + a\n    return d\n";
  const std::string text = dive_bodies(body, with(body, "c + a", "c + b"));
  EXPECT_TRUE(says(text, "Data in `f`:")) << text;
  EXPECT_FALSE(says(text, "hexagons")) << text;
}

// What a function makes itself, or a comprehension binds, does not come in from outside.
TEST(Negatives, LocalsAreNoInputsOfTheDataFlow) {
  const std::string body =
      "def f(x, gate):\n    scores = gate(x)\n    scale = x.max()\n    kept = [one for one in scores]\n"
      "    total = scores.sum()\n    return total\n";
  const std::string text = dive_bodies(body, with(body, "scores.sum()", "scores.sum() * scale + len(kept)"));
  EXPECT_FALSE(says(text, "[/\"scores\"/]") || says(text, "[/\"scale\"/]")) << text;
  EXPECT_FALSE(says(text, "[/\"one\"/]")) << text;
  EXPECT_TRUE(says(text, "[/\"in: x\"/]")) << text;
  EXPECT_TRUE(says(text, "-->|\"gate\"|")) << text;
}

// A module's constant that a changed step reads anew is what the change is about.
TEST(Negatives, WhatAStepReadsAnewIsDrawn) {
  const std::string body = "def f(x):\n    y = place(x, \"cuda\")\n    return y\n";
  const std::string text = dive_bodies(body, with(body, "\"cuda\"", "DEVICE"));
  EXPECT_TRUE(says(text, "[/\"DEVICE\"/]")) << text;
}

TEST(Negatives, WhatTheCodeDidBeforeShowsWhatDiffers) {
  const std::string body = R"(def f(model, x, labels, attention_mask, packed):
    import os
    out = model.language_model(input_ids=None, position_ids=x.position_ids, decoder_input=x.embeddings, labels=labels, attention_mask=attention_mask)
    return out
)";
  const std::string text = dive_bodies(
      body, with(with(body, "import os", "import sys"), "labels=labels,", "labels=labels, loss_mask=packed,"));
  EXPECT_TRUE(says(text, "- `f`: Calls `model.language_model` without `loss_mask=packed`.")) << text;
  EXPECT_FALSE(says(text, "`f`: Imports")) << text;
}

TEST(Negatives, ACallBetweenWhatSetsAndRestoresIsShown) {
  const std::string body = R"(def f(optimizer):
    prepare(optimizer)
    optimizer.step()
    finish(optimizer)
    return optimizer
)";
  const std::string after =
      with(with(body, "    optimizer.step()",
                "    for group in optimizer.param_groups:\n        group[\"lr\"] = 0.0\n    optimizer.step()"),
           "    finish", "    for group in optimizer.param_groups:\n        group[\"lr\"] = 1.0\n    finish");
  const std::string text = explain_of({{"a.py", body}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "[\"optimizer.step()\"]")) << text;
}

TEST(Negatives, ATitleThatIsASentenceMayBeTheReason) {
  const Files before = {{"a.py", "def f(x):\n    return x\n"}};
  const Files after = {{"a.py", "def f(x):\n    return x + 1\n"}};
  EXPECT_FALSE(
      says(summary_of(before, after, "Count contributors explicitly in hybrid models"), "own words do not say"));
  EXPECT_TRUE(says(summary_of(before, after, "Fix"), "own words do not say"));
}

TEST(Negatives, ASettingThatSomethingReplacesIsNotOffUnlessSet) {
  const std::string before =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    dtype: str = \"bf16\"\n\n\n"
      "def scan(x, config: Config):\n    return x.to(config.dtype)\n";
  const auto after = [&](const std::string& taken) {
    return "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    dtype: str = \"bf16\"\n"
           "    state_dtype: str = None\n\n\ndef scan(x, config: Config):\n    return x.to(" +
           taken + ")\n";
  };
  const auto explain = [&](const std::string& taken) {
    return explain_of({{"a.py", before}}, {{"a.py", after(taken)}});
  };
  const std::string text = explain("config.state_dtype or config.dtype");
  EXPECT_TRUE(says(text, "Where it is not set, `config.dtype` (`a.py:11`) counts in its place in `scan`.")) << text;
  EXPECT_FALSE(says(text, "Off unless set")) << text;
  for (const std::string choice : {"config.state_dtype if config.state_dtype else config.dtype",
                                   "config.dtype if config.state_dtype is None else config.state_dtype",
                                   "config.state_dtype if config.state_dtype is not None else config.dtype"}) {
    const std::string chosen = explain(choice);
    EXPECT_TRUE(says(chosen, "Where it is not set, `config.dtype` (`a.py:11`) counts in its place in `scan`."))
        << chosen;
  }
  const std::string other = explain("config.dtype if config.dtype is None else config.state_dtype");
  EXPECT_TRUE(says(other, "New setting `state_dtype` (default `None`). It is `None` unless set.")) << other;
}

}  // namespace
}  // namespace lockstep::render
