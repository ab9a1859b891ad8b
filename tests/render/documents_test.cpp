#include <gtest/gtest.h>

#include "render/document_fixture.h"
#include "render/markdown.h"
#include "report/documents/dive.h"
#include "report/documents/explain.h"

namespace lockstep::render {
namespace {

constexpr const char* kTrainBefore = R"(import torch
import torch.distributed as dist
from lib.config import Config
from lib.loss import masked_loss


def train_step(model, batch, config):
    """Run one step."""
    output = model(batch)
    loss = masked_loss(output, batch, config)
    loss.backward()
    return loss


def main():
    config = Config()
    for batch in range(10):
        train_step(None, batch, config)


if __name__ == "__main__":
    main()
)";

constexpr const char* kLossBefore = R"(import torch
import torch.distributed as dist


def masked_loss(output, batch, config):
    """Average the loss over the tokens that count."""
    mask = batch.mask
    total = mask.sum()
    loss = (output * mask).sum() / total
    return loss
)";

constexpr const char* kLossAfter = R"(import torch
import torch.distributed as dist


def count_tokens(mask, group):
    """Count the tokens of all ranks of the group.

    Args:
        mask: marks the tokens that count, [s, b].
        group: ranks that share one batch.
    """
    if mask is None:
        return None
    total = mask.sum()
    # Every rank must divide by the same number, otherwise gradients differ.
    dist.all_reduce(total, group=group)
    return total


def masked_loss(output, batch, config):
    """Average the loss over the tokens that count."""
    mask = batch.mask
    if config.global_token_count:
        total = count_tokens(mask, config.group)
    else:
        total = mask.sum()
    loss = (output * mask).sum() / total
    return loss
)";

constexpr const char* kConfigBefore = R"(from dataclasses import dataclass


@dataclass
class Config:
    """Settings of a run."""

    group: object = None
)";

constexpr const char* kConfigAfter = R"(from dataclasses import dataclass


@dataclass
class Config:
    """Settings of a run."""

    group: object = None
    global_token_count: bool = False
    """Divide the loss by the tokens of all ranks."""
)";

constexpr const char* kTest = R"(from lib.loss import masked_loss


def test_masked_loss():
    assert masked_loss(1, 2, 3) is not None
)";

Files library(const char* loss, const char* config) {
  return {{"train.py", kTrainBefore},
          {"lib/__init__.py", ""},
          {"lib/loss.py", loss},
          {"lib/config.py", config},
          {"tests/test_loss.py", kTest}};
}

std::unique_ptr<Fixture> feature() {
  return make_fixture(library(kLossBefore, kConfigBefore), library(kLossAfter, kConfigAfter),
                      "Divide the loss by all tokens (#12)",
                      "<!-- template -->\n# What does this PR do ?\nRanks saw different numbers of tokens, so their "
                      "losses were weighted "
                      "wrongly.\n\n## Pre-checks\n- [x] I read the guide\n\nSigned-off-by: Ada <ada@example.com>\n");
}

TEST(Documents, ExplainsAFeature) {
  expect_golden("feature.explain.md", render_markdown(report::write_explain(feature()->inputs)));
}
TEST(Documents, DivesIntoAFeature) {
  expect_golden("feature.dive.md", render_markdown(report::write_dive(feature()->inputs)));
}

TEST(Documents, TellsTheFeaturesStory) {
  const std::string text = render_markdown(report::write_explain(feature()->inputs));
  EXPECT_NE(text.find("Ranks saw different numbers of tokens"), std::string::npos);
  EXPECT_EQ(text.find("I read the guide"), std::string::npos);
  EXPECT_EQ(text.find("Signed-off-by"), std::string::npos);
  EXPECT_NE(text.find("global_token_count"), std::string::npos);
  EXPECT_NE(text.find("(does not hold by default)"), std::string::npos);
  EXPECT_NE(text.find("`train.py`"), std::string::npos);
  EXPECT_NE(text.find("`all_reduce`"), std::string::npos);
}

TEST(Documents, SaysWhenTheReasonIsNotRecorded) {
  const auto fixture =
      make_fixture({{"a.py", "def f(x):\n    return x\n"}}, {{"a.py", "def f(x):\n    return x + 1\n"}}, "Change f");
  const std::string text = render_markdown(report::write_explain(fixture->inputs));
  EXPECT_NE(text.find("no reason was found"), std::string::npos);
  EXPECT_NE(text.find("+     return x + 1"), std::string::npos);
}

const std::vector<std::string>& dive_headings() {
  static const std::vector<std::string> kHeadings = {"## 1. TL;DR",
                                                     "## 2. Big Picture",
                                                     "### 2.1 Before vs After Architecture",
                                                     "### 2.2 Change Scope Summary",
                                                     "## 3. Design Rationale",
                                                     "### 3.1 Problem Background",
                                                     "### 3.2 Solution Approach",
                                                     "### 3.3 Key Design Points",
                                                     "## 4. Execution Path Deep Dive",
                                                     "### 4.1 Entry Point",
                                                     "### 4.2 Call Chain Visualization",
                                                     "### 4.3 Data Flow",
                                                     "### 4.4 Core Code Walkthrough",
                                                     "## 5. Module Relationships",
                                                     "## 6. Risks & Edge Cases",
                                                     "## 7. Quick Reference",
                                                     "### 7.1 File Change Summary",
                                                     "### 7.2 Key Functions Index",
                                                     "### 7.3 Related Code Pointers"};
  return kHeadings;
}

void expect_sections(const report::DocumentInputs& inputs) {
  const std::string dive = render_markdown(report::write_dive(inputs));
  std::size_t at = 0;
  for (const std::string& heading : dive_headings()) {
    const std::size_t found = dive.find("\n" + heading + "\n", at);
    ASSERT_NE(found, std::string::npos) << heading << "\n" << dive;
    const std::size_t text = dive.find_first_not_of('\n', found + heading.size() + 1);
    ASSERT_NE(text, std::string::npos) << heading;
    if (heading.starts_with("###")) {
      EXPECT_NE(dive[text], '#') << "nothing under " << heading;
    }
    at = found;
  }
  const std::string explain = render_markdown(report::write_explain(inputs));
  for (const char* heading :
       {"\n## 1. Problem Statement", "\n## 3. Detailed Code Walkthrough", "\n## 4. Potential Issues", "**Correctness**",
        "**Performance**", "**Compatibility**", "**Missing Tests**"}) {
    EXPECT_NE(explain.find(heading), std::string::npos) << heading;
  }
}

TEST(Documents, HaveEverySectionForEveryKindOfChange) {
  expect_sections(feature()->inputs);
  expect_sections(make_fixture({{"docs/a.md", "one\n"}}, {{"docs/a.md", "two\n"}}, "Docs")->inputs);
  expect_sections(make_fixture({}, {{".github/workflows/ci.yml", "on: push\n"}}, "CI")->inputs);
  expect_sections(make_fixture({{"a.py", "class A:\n    def f(self):\n        return 1\n"}}, {}, "Remove A")->inputs);
  expect_sections(make_fixture({{"a.py", "X = 1\n"}}, {{"a.py", "X = 2\n"}}, "Change X")->inputs);
  expect_sections(
      make_fixture({{"a.py", "def f():\n    return 1\n"}}, {{"a.py", "def f():\n    # why\n    return 1\n"}}, "Comment")
          ->inputs);
  expect_sections(make_fixture({{"a.py", "def f(:\n"}}, {{"a.py", "def f(\n  @@\n"}}, "Broken")->inputs);
  expect_sections(make_fixture({{"tests/test_a.py", "def test_a():\n    assert 1\n"}},
                               {{"tests/test_a.py", "def test_a():\n    assert 2\n"}}, "Test")
                      ->inputs);
}

TEST(Documents, NothingInHostileSourceBecomesMarkup) {
  const std::string evil = "<img src=x onerror=alert(1)>";
  const auto fixture =
      make_fixture({{"a.py", "def f(x):\n    return x\n"}},
                   {{"a.py", "def f(x):\n    \"\"\"" + evil + " ```` @octocat [a](http://evil).\"\"\"\n    y = \"" +
                                 evil + "```\"\n    if x == \"`|`" + evil + "\":\n        raise ValueError(\"" + evil +
                                 "\")\n    return g(y)\n\n\ndef g(" + "x=\"" + evil + "\"" +
                                 "):\n    \"\"\"@octocat #1 " + evil + "\"\"\"\n    return x\n"}},
                   "Hostile " + evil + " @octocat", "[click](javascript:alert(1)) " + evil + "\n\n```\n# x\n");
  for (const report::Document& document :
       {report::write_explain(fixture->inputs), report::write_dive(fixture->inputs)}) {
    const std::string text = render_markdown(document);
    bool in_fence = false;
    std::string fence;
    std::size_t start = 0;
    while (start < text.size()) {
      const std::size_t end = text.find('\n', start);
      const std::string line = text.substr(start, end - start);
      start = end + 1;
      if (line.starts_with("```")) {
        const std::string run = line.substr(0, line.find_first_not_of('`'));
        if (!in_fence) {
          in_fence = true;
          fence = run;
        } else if (run.size() >= fence.size() && line == run) {
          in_fence = false;
        }
        continue;
      }
      if (in_fence) continue;
      // Outside fences a tag may stand only inside a code span.
      for (std::size_t at = line.find("<img"); at != std::string::npos; at = line.find("<img", at + 1)) {
        EXPECT_EQ(std::count(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(at), '`') == 0, false) << line;
      }
      EXPECT_EQ(line.find("](javascript"), std::string::npos) << line;
      EXPECT_EQ(line.find(" @octocat"), std::string::npos) << line;
    }
    EXPECT_FALSE(in_fence);
  }
}

TEST(Documents, SameInputGivesSameBytes) {
  EXPECT_EQ(render_markdown(report::write_dive(feature()->inputs)),
            render_markdown(report::write_dive(feature()->inputs)));
}

}  // namespace
}  // namespace lockstep::render
