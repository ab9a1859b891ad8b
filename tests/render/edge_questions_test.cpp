// What is asked of edge cases: nothing that the code beside it answers.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

TEST(EdgeQuestions, ARefusalInsideAnotherBranchIsAskedAboutWithBoth) {
  const auto check = [](const std::string& asked) {
    return "import os\n\n\ndef check(config):\n    if " + asked +
           ":\n        if 'expandable' in os.getenv('CONF', ''):\n            raise ValueError('not with it')\n"
           "    return config\n";
  };
  const std::string text =
      dive_of({{"a.py", check("config.pooled")}}, {{"a.py", check("config.pooled and not config.fresh")}});
  EXPECT_TRUE(says(text, "`'expandable'` is in `os.getenv('CONF', '')`")) << text;
  EXPECT_FALSE(says(text, "What happens when `config.pooled` is set and `config.fresh` is not set?")) << text;
}

TEST(EdgeQuestions, ADivisorThatIsAtLeastOneIsNotAskedAbout) {
  const auto text_with = [](const std::string& value) {
    const std::string before = "def degree(config, size):\n    ep = " + value + "\n    return size\n";
    return explain_of({{"a.py", before}}, {{"a.py", replace_all(before, "return size", "return size / ep")}});
  };
  EXPECT_TRUE(says(text_with("config.ep"), "Can `ep` be zero")) << text_with("config.ep");
  EXPECT_FALSE(says(text_with("max(1, config.ep)"), "be zero")) << text_with("max(1, config.ep)");
  EXPECT_FALSE(says(text_with("config.ep or 1"), "be zero"));
  for (const char* value : {"torch.clamp(size, min=1)", "torch.clamp(size, 1)", "size.sum().clamp(min=1)",
                            "size.clamp(1e-6)", "torch.clamp_min(size, 1)", "np.maximum(size.sum(), 1)"})
    EXPECT_FALSE(says(text_with(value), "be zero")) << value;
  for (const char* value : {"torch.clamp(size, max=1)", "size.clamp(min=0)", "torch.clamp(size, min=config.least)",
                            "np.maximum(size, config.least)"})
    EXPECT_TRUE(says(text_with(value), "Can `ep` be zero")) << value;
}

TEST(EdgeQuestions, ANoneThatABranchBeforeReplacesIsNotAskedAbout) {
  const std::string before = "def total(losses, first):\n    result = first\n    return result\n";
  const std::string check = "    assert result is not None\n    return result\n";
  const std::string asked = parts_of({{"a.py", before}}, {{"a.py", replace_all(before, "    return result\n", check)}});
  EXPECT_TRUE(says(asked, "What happens when `result` is `None`?")) << asked;
  const std::string handled = parts_of(
      {{"a.py", before}}, {{"a.py", replace_all(before, "    return result\n",
                                                "    if result is None:\n        result = losses\n" + check)}});
  EXPECT_FALSE(says(handled, "What happens when `result` is `None`?")) << handled;
}

TEST(EdgeQuestions, AlikeOnesAreOneWithAllPlaces) {
  const std::string before = "def f(x):\n    return x\n\n\ndef g(x):\n    return x + 1\n";
  const std::string after =
      "def f(x):\n    if x is None:\n        raise ValueError('no x')\n    return x\n\n\n"
      "def g(x):\n    if x is None:\n        raise ValueError('no x')\n    return x + 1\n";
  const std::string text = parts_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "Refused at `a.py:2` (`f`) and `a.py:8` (`g`)")) << text;
}

TEST(EdgeQuestions, ACheckBehindAnEarlyReturnSaysSo) {
  const std::string before = "def f(x, y):\n    if y is None:\n        return x\n    return x + y\n";
  const std::string check = "    assert x.size > y.size\n    return x + y\n";
  const std::string text = parts_of({{"a.py", before}}, {{"a.py", replace_all(before, "    return x + y\n", check)}});
  EXPECT_TRUE(says(text, "Refused at `a.py:4` (`f`) unless it returned before: an assertion fails")) << text;
}

TEST(EdgeQuestions, WhatReturnsEarlySaysSoItself) {
  const std::string before = "def f(x):\n    y = x + 1\n    return y\n";
  const std::string text =
      explain_of({{"a.py", before}},
                 {{"a.py", "def f(x):\n    if x is None:\n        return None\n    y = x + 1\n    return y\n"}});
  EXPECT_FALSE(says(text, "What happens when")) << text;
}

TEST(EdgeQuestions, WhatDefaultsToFalseIsFalseOrMissing) {
  const std::string before = "def close(self):\n    self.end()\n";
  const std::string text = explain_of(
      {{"a.py", before}},
      {{"a.py", "def close(self):\n    if not getattr(self, 'enable', False):\n        return\n    self.end()\n"}});
  EXPECT_TRUE(says(text, "`enable` of `self` is false or missing")) << text;
}

TEST(EdgeQuestions, DimensionsAreThoseThatChangedCodeNames) {
  const std::string before =
      "def run(config, x):\n    with scope(config.fp8):\n        y = build(x, tp_group=config.tp_group)\n    return "
      "y\n";
  const std::string kept = replace_all(before, "build(x, tp_group", "build(x, dp_cp_group=None, size=2, tp_group");
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", kept}});
  EXPECT_FALSE(says(text, "The changed lines deal with")) << text;
  const std::string added = explain_of(
      {{"a.py", before}},
      {{"a.py", replace_all(before, "    return y\n", "    if config.fp8:\n        y = y + 1\n    return y\n")}});
  EXPECT_TRUE(says(added, "The changed lines deal with FP8.")) << added;
  // What is switched off is not dealt with.
  const std::string off = explain_of(
      {{"a.py", before}},
      {{"a.py", replace_all(before, "    return y\n",
                            "    config.fp8 = None\n    config.sequence_parallel = False\n    return y\n")}});
  EXPECT_FALSE(says(off, "The changed lines deal with")) << off;
}

TEST(EdgeQuestions, ASettingUnderWhichChangedCodeIsMarkedIsTheSwitch) {
  const std::string config =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass BlockConfig:\n    detach_heads: bool = False\n";
  const std::string block =
      "def build(config, params):\n    for param in params:\n        param.size = 1\n    return params\n";
  const std::string mark =
      "    if config.detach_heads:\n        for param in params:\n            param.norm_group = 'mtp'\n    return "
      "params\n";
  const std::string clip = "def clip(params):\n    return [param for param in params]\n";
  const std::string text = explain_of({{"config.py", config}, {"block.py", block}, {"clip.py", clip}},
                                      {{"config.py", config},
                                       {"block.py", replace_all(block, "    return params\n", mark)},
                                       {"clip.py",
                                        "def clip(params):\n    found = [param for param in params if param.norm_group "
                                        "== 'mtp']\n    return found\n"}});
  EXPECT_TRUE(says(text, "`detach_heads` (`config.py:6`), default `False`")) << text;
}

TEST(EdgeQuestions, ASettingInTheTitleIsListed) {
  const std::string config =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass RunConfig:\n    detach_heads: bool = False\n";
  const std::string run = "def run(x):\n    return x\n";
  const std::string text = explain_of({{"config.py", config}, {"run.py", run}},
                                      {{"config.py", config}, {"run.py", "def run(x):\n    return x + 1\n"}},
                                      "Add one when detach_heads=True");
  EXPECT_TRUE(says(text, "`detach_heads` (`config.py:6`), default `False`")) << text;
}

TEST(EdgeQuestions, AChecksOwnDivisionGetsPastZero) {
  const auto text_with = [](const std::string& check) {
    const std::string before = "def share(total, n):\n" + check + "    return total\n";
    return explain_of({{"a.py", before}}, {{"a.py", replace_all(before, "return total\n", "return total // n\n")}});
  };
  EXPECT_TRUE(says(text_with(""), "Can `n` be zero")) << text_with("");
  for (const std::string check : {"    if total % n:\n        raise ValueError('uneven')\n",
                                  "    if total % n != 0:\n        raise ValueError('uneven')\n"})
    EXPECT_FALSE(says(text_with(check), "be zero")) << text_with(check);
}

TEST(EdgeQuestions, WhatKeptStepsUnderAChangedOneAskIsNotAskedAnew) {
  const std::string config =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass BlockConfig:\n    keep_heads: bool = False\n"
      "    detach_heads: bool = False\n";
  const std::string block =
      "def build(config, params):\n    for param in params:\n        param.size = 1\n    return params\n";
  const std::string mark =
      "    if config.keep_heads:\n        params.keep()\n    if config.detach_heads:\n        for param in params:\n"
      "            param.norm_group = 'mtp'\n    return params\n";
  const std::string clip =
      "def clip(params, n):\n    if n > 1:\n        found = [param.norm_group for param in params]\n        return "
      "found\n"
      "    return params\n";
  // A setting that switches other changed code on leads the list.
  const auto is_first = [&](const std::string& now) {
    const std::string text = explain_of(
        {{"config.py", config}, {"block.py", block}, {"clip.py", clip}},
        {{"config.py", config}, {"block.py", replace_all(block, "    return params\n", mark)}, {"clip.py", now}});
    const std::size_t first = text.find("- `detach_heads` (`config.py:7`), default `False`");
    const std::size_t other = text.find("- `keep_heads` (`config.py:6`), default `False`");
    EXPECT_TRUE(first != std::string::npos && other != std::string::npos) << text;
    return first < other;
  };
  EXPECT_TRUE(is_first(replace_all(clip, "n > 1", "params[0].norm_group")));
  EXPECT_FALSE(is_first(replace_all(clip, "n > 1", "n > 2")));
}

TEST(EdgeQuestions, WhatOneNumberDividesIsAskedTogether) {
  const std::string before = "def f(sizes, patch):\n    return sizes\n";
  const auto with = [&](const std::string& second) {
    return explain_of({{"a.py", before}},
                      {{"a.py", "def f(sizes, patch):\n    h = sizes[0] // patch\n    w = sizes[1] // " + second +
                                    "\n    return [h, w]\n"}});
  };
  const std::string together = with("patch");
  EXPECT_TRUE(says(together,
                   "Can `patch` be zero, or not divide `sizes[0]` and `sizes[1]` evenly? Open: see `a.py:2` "
                   "and `a.py:3`."))
      << together;
  EXPECT_TRUE(says(with("other"), "Can `other` be zero, or not divide `sizes[1]` evenly?")) << with("other");
}

/// What rounds down or up is written for what does not divide evenly.
TEST(EdgeQuestions, WhatRoundsIsNotAskedWhetherItDividesEvenly) {
  const auto text_with = [](const std::string& value) {
    const std::string before = "def cut(length, block, other):\n    return length\n";
    return explain_of({{"a.py", before}}, with_edit({{"a.py", before}}, "a.py", "return length", "return " + value));
  };
  for (const char* const value : {"length // block", "length // block * other"}) {
    EXPECT_TRUE(says(text_with(value), "divide `length` evenly?")) << text_with(value);
  }
  for (const char* const value :
       {"length // block * block", "block * (length // block)", "(length + block - 1) // block"}) {
    EXPECT_FALSE(says(text_with(value), "evenly")) << text_with(value);
    EXPECT_TRUE(says(text_with(value), "Can `block` be zero?")) << text_with(value);
  }
}

/// What a class stores only above zero is no divisor to ask about.
TEST(EdgeQuestions, AnAttributeThatIsOnlyStoredAboveZeroIsNotAskedFor) {
  const auto text_with = [](const std::string& stored) {
    const std::string before =
        "class Layer:\n    def __init__(self, mesh, size):\n        self.parts = 1\n        self.parts = " + stored +
        "\n\n    def forward(self, rows):\n        parts = self.parts\n        return rows\n";
    return explain_of({{"a.py", before}}, with_edit({{"a.py", before}}, "a.py", "return rows", "return rows / parts"));
  };
  EXPECT_TRUE(says(text_with("size"), "Can `parts` be zero?")) << text_with("size");
  EXPECT_FALSE(says(text_with("mesh.size()"), "be zero?")) << text_with("mesh.size()");
}

/// How many ranks a group has is never zero.
TEST(EdgeQuestions, TheSizeOfAGroupIsNotAskedForZero) {
  const auto text_of = [](const std::string& expression) {
    return explain_of({{"a.py", "def split(x, dp_size, parts):\n    return x\n"}},
                      {{"a.py", "def split(x, dp_size, parts):\n    return " + expression + "\n"}});
  };
  EXPECT_TRUE(says(text_of("x // dp_size"), "Does `dp_size` always divide `x` evenly?"));
  EXPECT_FALSE(says(text_of("x // dp_size"), "be zero"));
  EXPECT_FALSE(says(text_of("x / dp_size"), "`dp_size` be zero"));
  EXPECT_TRUE(says(text_of("x // parts"), "Can `parts` be zero, or not divide `x` evenly?"));
}

/// What a private function is given by all of its calls is known: numbers above zero need no question.
TEST(EdgeQuestions, ADivisorThatAllCallsGiveAboveZeroIsNone) {
  const auto text_of = [](const std::string& name, const std::string& calls) {
    return explain_of({{"a.py", "ALIGNMENT = 16\n"}},
                      {{"a.py", "ALIGNMENT = 16\n\n\ndef " + name +
                                    "(value, multiple=8):\n    return ((value + multiple - 1) // multiple) * multiple\n"
                                    "\n\ndef use(n, m):\n    return " +
                                    calls + "\n"}});
  };
  for (const char* calls : {"_rounded(n, ALIGNMENT)", "_rounded(n, multiple=4) + _rounded(n)"})
    EXPECT_FALSE(says(text_of("_rounded", calls), "be zero")) << text_of("_rounded", calls);
  for (const char* calls :
       {"_rounded(n, m)", "_rounded(n, 0)", "_rounded(*n)", "_rounded(n, 4) + apply(_rounded)", "n"})
    EXPECT_TRUE(says(text_of("_rounded", calls), "Can `multiple` be zero")) << text_of("_rounded", calls);
  // Anybody may call a public one.
  EXPECT_TRUE(says(text_of("rounded", "rounded(n, ALIGNMENT)"), "Can `multiple` be zero"));
}

TEST(EdgeQuestions, AFieldThatRefusesZeroIsNotAskedWhetherItIsZero) {
  const auto text_with = [](const std::string& check, const std::string& more = "") {
    const std::string config =
        "from dataclasses import dataclass\n\n\n@dataclass\nclass BucketConfig:\n    parts: int = None\n\n"
        "    def __post_init__(self):\n        " +
        check + "\n";
    const std::string before = "def size_of(config, total):\n    return total\n" + more;
    return explain_of(
        {{"config.py", config}, {"a.py", before}},
        {{"config.py", config}, {"a.py", replace_all(before, "return total\n", "return total // config.parts\n")}});
  };
  const std::string checked = "if self.parts is not None:\n            assert self.parts > 0";
  EXPECT_TRUE(says(text_with(checked), "Does `config.parts` always divide `total` evenly?")) << text_with(checked);
  EXPECT_FALSE(says(text_with(checked), "be zero")) << text_with(checked);
  EXPECT_FALSE(says(text_with("if self.parts <= 0:\n            raise ValueError('parts')"), "be zero"));
  // Not where zero passes, or somebody sets it later.
  EXPECT_TRUE(says(text_with("if self.parts:\n            assert self.parts > 0"), "Can `config.parts` be zero"));
  EXPECT_TRUE(says(text_with("assert self.parts >= 0"), "Can `config.parts` be zero"));
  EXPECT_TRUE(says(text_with(checked, "\n\ndef reset(config):\n    config.parts = 0\n"), "Can `config.parts` be zero"));
}

TEST(EdgeQuestions, ADivisionThatMovedIsNoNewQuestion) {
  const std::string before =
      "def plan(config, total, width):\n    size = total // config.parts\n    return size * width\n\n\n"
      "def other(total):\n    return total\n";
  const std::string after =
      "def size_of(config, total):\n    return total // config.parts\n\n\n"
      "def plan(config, total, width):\n    size = size_of(config, total)\n    return size * width\n\n\n"
      "def other(total):\n    return total\n";
  EXPECT_FALSE(says(explain_of({{"a.py", before}}, {{"a.py", after}}), "`config.parts` be zero"));
  const std::string anew = replace_all(before, "    return total\n", "    return total // before.parts\n");
  EXPECT_TRUE(says(explain_of({{"a.py", before}}, {{"a.py", anew}}), "Can `before.parts` be zero"));
}

TEST(EdgeQuestions, AKeyThatIsTakenOutWithoutADefaultMayBeMissing) {
  const auto asked = [](const std::string& signature, const std::string& body) {
    return explain_of({{"a.py", "def join(" + signature + "):\n    return []\n"}},
                      {{"a.py", "def join(" + signature + "):\n" + body + "    return out\n"}});
  };
  const std::string body = "    out = [ledger.pop(one) for one in ids]\n";
  const std::string text = asked("ids, ledger: dict[str, int]", body);
  EXPECT_TRUE(
      says(text, "What happens when `one` is not in `ledger`? `ledger.pop(one)` raises a `KeyError` at `a.py:2`"))
      << text;
  const char* const kQuestion = "is not in `ledger`?";
  EXPECT_FALSE(says(asked("ids, ledger: list[int]", body), kQuestion));
  EXPECT_FALSE(says(asked("ids, ledger: dict", "    out = 0\n    if ledger.get(ids):\n        out = ledger.pop(ids)\n"),
                    kQuestion));
  EXPECT_FALSE(says(asked("ids, ledger: dict", "    ledger[ids] = 1\n    out = ledger.pop(ids)\n"), kQuestion));
  EXPECT_FALSE(
      says(asked("ids, ledger: dict", "    out = 0\n    if ids in ledger.keys():\n        out = ledger.pop(ids)\n"),
           kQuestion));
  EXPECT_FALSE(says(asked("ids, ledger: dict", "    out = [ledger.pop(one, None) for one in ids]\n"), kQuestion));
  EXPECT_FALSE(
      says(asked("ids, ledger: dict", "    out = [ledger.pop(one) for one in ids if one in ledger]\n"), kQuestion));
  EXPECT_FALSE(says(
      asked("ids, ledger: dict", "    try:\n        out = ledger.pop(ids)\n    except KeyError:\n        out = 0\n"),
      kQuestion));
  EXPECT_FALSE(says(
      asked("ids, ledger: dict", "    out = []\n    for key in list(ledger):\n        out.append(ledger.pop(key))\n"),
      kQuestion));
}

}  // namespace
}  // namespace lockstep::render
