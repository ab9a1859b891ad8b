// What a change brings in its author's words, documentation and new modules; and what documentation says still.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"
#include "render/markdown.h"
#include "report/documents/explain.h"

namespace lockstep::render {
namespace {

const std::string kConfig =
    "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    use_symmetric_pool: bool = False\n";
const Files kBefore = {
    {"config.py", "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    size: int\n"},
    {"docs/guide.md", "# Guide\n\nWords.\n"}};

TEST(Purpose, ANewSectionThatNamesTheSettingIsQuoted) {
  const std::string text = explain_of(
      kBefore,
      {{"config.py", kConfig},
       {"docs/guide.md",
        "# Guide\n\nWords.\n\n## Other\n\nThe rest of this guide tells of other things altogether.\n\n## Pools\n\n"
        "```bash\n--use-symmetric-pool\n```\n\n**Takes the buffers from a [pool](https://a.b/c)** that is registered "
        "with `--use-symmetric-pool`.\nOnly the send side needs it.\n\n- An item.\n"}});
  EXPECT_TRUE(
      says(text,
           "- The documentation that it adds (`docs/guide.md:15`, “Pools”): “Takes the buffers from a pool that "
           "is registered with `--use-symmetric-pool`. Only the send side needs it.”"))
      << text;
}

TEST(Purpose, ASentenceThatNamesTheSettingIsQuotedWhereNoSectionIsNew) {
  const auto text_with = [](const std::string& line) {
    return explain_of(kBefore, {{"config.py", kConfig}, {"docs/guide.md", "# Guide\n\nWords.\n\n" + line + "\n"}});
  };
  const std::string named = text_with("- `--use-symmetric-pool` takes the buffers from a registered pool.");
  EXPECT_TRUE(
      says(named,
           "- The documentation that it adds (`docs/guide.md:5`): “`--use-symmetric-pool` takes the buffers from "
           "a registered pool.”"))
      << named;
  for (const std::string& line : {std::string("- `--use-symmetric-pools` takes the buffers from a registered pool."),
                                  std::string("Takes the buffers from a pool that is registered."),
                                  std::string("run.sh --use-symmetric-pool --size 4 --other 5 --more 6")}) {
    const std::string other = text_with(line);
    EXPECT_FALSE(says(other, "The documentation that it adds")) << other;
  }
}

/// A field that one class loses and another keeps: documentation that gives it to the first is stale, and code that
/// reads the other's is none that uses it.
/// What something else goes past is a reason; what the code itself goes past is what it does.
TEST(Reasons, WhatBypassesACacheIsOne) {
  const auto text_with = [](const std::string& comment) {
    return explain_of({{"a.py", "def train(self, mode):\n    return mode\n"}},
                      {{"a.py", "def train(self, mode):\n    if not mode:\n        # " + comment +
                                    "\n        self.refresh()\n    return mode\n"}});
  };
  EXPECT_TRUE(says(text_with("Graph replay bypasses the lazy refresh path."),
                   "\u201cGraph replay bypasses the lazy refresh path.\u201d"));
  EXPECT_FALSE(says(text_with("Bypasses the lazy refresh path of the cache."), "\u201cBypasses"));
}

TEST(StaleDocumentation, AFieldThatAClassHasNoLongerIsGivenToItStill) {
  const std::string slow =
      "from dataclasses import dataclass\n\n\nclass SlowConverter:\n    @dataclass\n    class Config:\n"
      "        recipe_name: str = \"a\"\n        size: int = 1\n\n    def __init__(self, config: Config):\n"
      "        self.config = config\n";
  const std::string fast = replace_all(replace_all(slow, "Slow", "Fast"), "        self.config = config\n",
                                       "        self.config = config\n        cfg = self.config\n"
                                       "        self.recipe = cfg.recipe_name\n");
  const std::string use =
      "from fast import FastConverter\nfrom slow import SlowConverter\n\n\n"
      "def make():\n    return FastConverter(FastConverter.Config()), SlowConverter(SlowConverter.Config())\n";
  const auto text_with = [&](const std::string& prose) {
    const Files before = {
        {"slow.py", slow}, {"fast.py", fast}, {"use.py", use}, {"docs/guide.md", "# Guide\n\n" + prose + "\n"}};
    return explain_of(before, with_edit(before, "slow.py", "        recipe_name: str = \"a\"\n", ""));
  };
  const std::string text = text_with(
      "```python\nx = [\n    SlowConverter.Config(\n        size=2,\n        recipe_name=\"a\",\n    ),\n]\n```");
  EXPECT_TRUE(
      says(text,
           "- Documentation still gives `recipe_name` to `SlowConverter.Config`, which has no such field any more "
           "(`docs/guide.md:7`). Describes what is gone."))
      << text;
  EXPECT_FALSE(says(text, "Code inside still uses `recipe_name`")) << text;
  for (const char* other : {"FastConverter.Config(recipe_name=\"a\")", "SlowConverter.Config(size=f(recipe_name=1))",
                            "SlowConverter.Config(size=2), recipe_name=3"})
    EXPECT_FALSE(says(text_with(other), "Documentation still")) << text_with(other);
}

TEST(StaleDocumentation, WhatARuleFoundIsToldOnceWithAllItsPlaces) {
  const std::string lib = "def keep(x):\n    return x\n\n\ndef _register_streams(x):\n    return x\n";
  const std::string guide = "`_register_streams` here.\n\nAnd `_register_streams` there.\n";
  const std::unique_ptr<Fixture> fixture =
      make_fixture({{"lib.py", lib}, {"docs/guide.md", guide}},
                   {{"lib.py", "def keep(x):\n    return x\n"}, {"docs/guide.md", guide}}, "Change it");
  for (const std::uint32_t line : {0u, 2u}) {
    rules::Finding finding;
    finding.rule = "stale-documentation";
    finding.path = "docs/guide.md";
    finding.start_line = finding.end_line = line;
    finding.message = "the change makes this line false: `_register_streams` stands nowhere";
    finding.fix = "name what exists";
    fixture->findings.push_back(finding);
  }
  fixture->inputs.findings = fixture->findings;
  const std::string text = render_markdown(report::write_explain(fixture->inputs));
  EXPECT_TRUE(says(text,
                   "- The change makes this line false: `_register_streams` stands nowhere. (`docs/guide.md:1` and "
                   "`docs/guide.md:3`) P2 `stale-documentation`, likely. Name what exists."))
      << text;
  EXPECT_FALSE(says(text, "stands nowhere. (`docs/guide.md:3`")) << text;
  EXPECT_FALSE(says(text, "Documentation still names")) << text;
}

TEST(StaleDocumentation, WhatIsGoneAndStillDescribedIsARisk) {
  const std::string lib = "def keep(x):\n    return x\n\n\ndef _register_streams(x):\n    return x\n";
  const auto text_with = [&](const std::string& prose, const std::string& path, const std::string& now) {
    return explain_of({{"lib.py", lib}, {path, "# Guide\n\n" + prose + "\n"}},
                      {{"lib.py", now}, {path, "# Guide\n\n" + prose + "\n"}});
  };
  const std::string now = "def keep(x):\n    return x\n";
  const std::string text = text_with("Call `_register_streams` first.", "docs/guide.md", now);
  EXPECT_TRUE(says(text,
                   "- Documentation still names what no Python code of the repository has any more: "
                   "`_register_streams` (`docs/guide.md:3`). Describes what is gone."))
      << text;
  const std::string twice =
      text_with("`_register_streams` here.\n\nAnd `_register_streams` there.", "docs/guide.md", now);
  EXPECT_TRUE(says(twice, "`_register_streams` (`docs/guide.md:3` and `docs/guide.md:5`).")) << twice;
  const std::string kept = now + "\n\nstreams = [\"_register_streams\"]\n";
  for (const auto& [prose, path, after] :
       {std::tuple(std::string("Call `_register_streams_now` first."), std::string("docs/guide.md"), now),
        std::tuple(std::string("Call `_register_streams` first."), std::string("CHANGELOG.md"), now),
        std::tuple(std::string("Call `_register_streams` first."), std::string("docs/guide.md"), kept)}) {
    const std::string other = text_with(prose, path, after);
    EXPECT_FALSE(says(other, "Documentation still names")) << other;
  }
}

TEST(Purpose, ANewModuleSaysWhatItIs) {
  const auto text_with = [](const std::string& docstring) {
    return explain_of({{"main.py", "def main():\n    return 1\n"}},
                      {{"main.py", "from pool import take\n\n\ndef main():\n    return take(1)\n"},
                       {"pool.py", "\"\"\"" + docstring + "\"\"\"\n\n\ndef take(size):\n    return [0] * size\n"}});
  };
  const std::string text = text_with("Buffers for sends, recycled in the order of their return.\n\nMore of it.");
  EXPECT_TRUE(says(text, "- The new module `pool.py`: “Buffers for sends, recycled in the order of their return.”"))
      << text;
  // What stands below a bare heading is of a part.
  const std::string bare = text_with("Pools.\n\nThe helpers below are there for those who call them.");
  EXPECT_FALSE(says(bare, "The new module `pool.py`")) << bare;
}

TEST(Purpose, OfNewSettingsAndParametersAllIsTold) {
  const std::string text = explain_of(
      {{"config.py", "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    size: int\n"},
       {"a.py",
        "def f(x):\n    \"\"\"Does it.\n\n    Args:\n        x: The input. It is not changed.\n    \"\"\"\n"
        "    return x\n"}},
      {{"config.py",
        "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    size: int\n    wire_dtype: str = "
        "'bf16'\n"
        "    \"\"\"What is sent. With 'fp8' the payload\n    is quantized first.\"\"\"\n"},
       {"a.py",
        "def f(x, ids=None):\n    \"\"\"Does it.\n\n    Args:\n        x: The input. It is not changed.\n"
        "        ids: Of the sequences. None where there\n            is one.\n    \"\"\"\n    return g(x, ids)\n"}});
  EXPECT_TRUE(says(text, "“What is sent. With 'fp8' the payload is quantized first.”")) << text;
  EXPECT_TRUE(says(text, "`ids`, default `None` — “Of the sequences. None where there is one.”")) << text;
  EXPECT_FALSE(says(text, "It is not changed.”")) << text;
}

TEST(Purpose, CommentsAmongArgumentsAndBehindLinesGiveReasons) {
  const auto text_of = [](const std::string& first, const std::string& second) {
    return explain_of({{"a.py", "def f(x):\n    return g(x)\n"}},
                      {{"a.py", "def f(x):\n    if x:\n        return None" + first + "\n    return g(\n        x,\n" +
                                    second + "        scale=1,\n    )\n"}});
  };
  const std::string text = text_of("  # Older versions of the kernel cannot scale it",
                                   "        # The product must not be rounded, because its users\n"
                                   "        # compare it.\n");
  EXPECT_TRUE(says(text, "`a.py:6`: “The product must not be rounded, because its users compare it.”")) << text;
  const std::string behind = text_of("  # Older versions of the kernel cannot scale it", "");
  EXPECT_TRUE(says(behind, "`a.py:3`: “Older versions of the kernel cannot scale it”")) << behind;
  const std::string plain =
      text_of("  # Nothing is done here in this case", "        # The input of it is given as it is.\n");
  EXPECT_FALSE(says(plain, "“Nothing is done") || says(plain, "“The input of it")) << plain;
}

TEST(Purpose, DetailsOfWhatWasRunGiveNoReasons) {
  const std::string body =
      "It keeps the old values, since others read them.\n\n## Test plan\n\n<details>\n<summary>Logs of the "
      "run</summary>\n\nThe run crashed because the node was out of memory.\n\n</details>\n\n"
      "It fails without a device because of the driver.\n\n## Validation loss is wrong\n\n"
      "The loss was divided twice, because both sides did it.\n";
  const std::string text =
      explain_of({{"a.py", "def f(x):\n    return x\n"}}, {{"a.py", "def f(x):\n    return g(x)\n"}}, "Keep it", body);
  EXPECT_TRUE(says(text, "since others read them")) << text;
  EXPECT_TRUE(says(text, "The loss was divided twice, because both sides did it.")) << text;
  EXPECT_FALSE(says(text, "out of memory") || says(text, "because of the driver")) << text;
}

TEST(Purpose, WhatALineAnnouncesAsTestsIsNoReason) {
  const std::string body =
      "It keeps the old values, since others read them.\n\nTests:\n\n- `pytest tests` (28 passed)\n"
      "- File-scoped hooks, because they are quick\n\nDetails:\nThe rest follows because it has to.\n";
  const std::string text =
      explain_of({{"a.py", "def f(x):\n    return x\n"}}, {{"a.py", "def f(x):\n    return g(x)\n"}}, "Keep it", body);
  EXPECT_TRUE(says(text, "since others read them")) << text;
  EXPECT_TRUE(says(text, "The rest follows because it has to.")) << text;
  EXPECT_FALSE(says(text, "28 passed") || says(text, "File-scoped")) << text;
}

TEST(Purpose, ASummaryOfDetailsIsAHeading) {
  const std::string body =
      "## Human review\n\nI have carefully read it.\n\n<details>\n<summary>AI assistance disclosure and "
      "summary</summary>\n\n"
      "AI tools assisted with the tests.\n\nIt keeps the old values, since others read them.\n\n</details>\n\n"
      "<details>\n<summary>Validation</summary>\n\n- All passed.\n\n</details>\n\nThe rest is as before.\n";
  const std::string text =
      explain_of({{"a.py", "def f(x):\n    return x\n"}}, {{"a.py", "def f(x):\n    return g(x)\n"}}, "Keep it", body);
  EXPECT_TRUE(says(text, "> It keeps the old values, since others read them.\n>\n> The rest is as before.")) << text;
  for (const char* gone : {"carefully", "AI ", "All passed", "Validation"}) EXPECT_FALSE(says(text, gone)) << text;
}

TEST(Purpose, APictureOfTheMessageIsNoWord) {
  const std::string text =
      explain_of({{"a.py", "def f(x):\n    return x\n"}}, {{"a.py", "def f(x):\n    return x + 1\n"}}, "Add one",
                 "Counting from one is what callers expect.\n<img width=\"9\"\n"
                 "src=\"https://example.org/a.png\" />\nThey start there.\n");
  EXPECT_TRUE(says(text, "Counting from one is what callers expect.")) << text;
  EXPECT_TRUE(says(text, "They start there.")) << text;
  EXPECT_FALSE(says(text, "example.org")) << text;
}

/// What the class of a changed method says now is a reason, too.
TEST(Purpose, ADocstringThatItsClassGainsGivesTheReason) {
  const std::string text = explain_of(
      {{"a.py", "class Sampler:\n    \"\"\"Samples.\"\"\"\n\n    def draw(self, x):\n        return graphed(x)\n"}},
      {{"a.py",
        "class Sampler:\n    \"\"\"Samples.\n\n    The kernel depends on the data, so it cannot be captured in a "
        "graph.\n"
        "    \"\"\"\n\n    def draw(self, x):\n        return eager(x)\n"}});
  EXPECT_TRUE(says(text, "the docstring of `Sampler`")) << text;
  EXPECT_TRUE(says(text, "so it cannot be captured in a graph")) << text;
}

/// A comment above an import is on the import, or on what is done with it.
TEST(Purpose, ACommentAboveAnImportIsQuotedWhereItIsNotOnTheImportAlone) {
  const auto text_of = [](const std::string& comment, bool used) {
    const std::string before = "def size(self, config):\n    self.layers = config.layers // config.stages\n";
    const std::string now =
        "def size(self, config):\n" + comment + "    from layers import to_build\n\n" +
        (used ? "    self.layers = to_build(config)\n" : "    self.layers = config.layers // config.stages\n");
    return explain_of({{"a.py", before}, {"layers.py", "def to_build(config):\n    return 1\n"}},
                      {{"a.py", now}, {"layers.py", "def to_build(config):\n    return 1\n"}});
  };
  const std::string reason =
      "    # Dividing layers by stages mis-sizes the map of layers and can raise KeyError, because stages may be "
      "uneven.\n";
  EXPECT_TRUE(says(text_of(reason, true), "mis-sizes the map of layers")) << text_of(reason, true);
  const std::string circular =
      "    # Imported here because the module of layers imports this one, which would be a circular import.\n";
  EXPECT_FALSE(says(text_of(circular, true), "would be a circular import.\u201d")) << text_of(circular, true);
  // Where the import is all that changes, it is the reason.
  EXPECT_TRUE(says(text_of(circular, false), "would be a circular import.\u201d")) << text_of(circular, false);
}

}  // namespace
}  // namespace lockstep::render
