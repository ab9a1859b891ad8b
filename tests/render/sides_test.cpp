// What the documents say of checks, settings, classes and calls holds for both sides: it compares what stands in the
// same place.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

std::string explain_a(const std::string& before, const std::string& after) {
  return explain_of({{"a.py", before}}, {{"a.py", after}});
}

std::string parts_a(const std::string& before, const std::string& after) {
  return parts_of({{"a.py", before}}, {{"a.py", after}});
}

std::string with(std::string text, std::string_view what, std::string_view by) {
  return text.replace(text.find(what), what.size(), by);
}

std::size_t times(const std::string& text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(Sides, ASettingThatAHeirSetsOtherwiseDecidesNothing) {
  const std::string body = R"(from dataclasses import dataclass


@dataclass
class Config:
    fast: bool = False


class Base:
    def __init__(self, config: Config):
        self.fast = config.fast

    def forward(self, x):
        if self.fast:
            return x + 1
        return x


class Derived(Base):
    def __init__(self, config: Config):
        super().__init__(config)
        self.fast = True


def main():
    print(Derived(Config()).forward(1))


if __name__ == "__main__":
    main()
)";
  const auto dive_with = [](const std::string& code) {
    return dive_of({{"a.py", code}}, {{"a.py", replace_all(code, "x + 1", "x + 2")}});
  };
  constexpr std::string_view kClaim = "By default (`fast` is `False`) its changed branch is not taken.";
  EXPECT_TRUE(says(dive_with(replace_all(body, "        self.fast = True\n", "")), kClaim));
  EXPECT_FALSE(says(dive_with(body), kClaim)) << dive_with(body);
  // A base that sets it is as good as a heir, an augmented assignment as a plain one.
  EXPECT_FALSE(says(dive_with(replace_all(body, "self.fast = True", "self.fast |= True")), kClaim));
}

TEST(Sides, OneRelationIsOne) {
  const std::string body =
      "class Store:\n    def put(self, x):\n        return x\n\n\n"
      "class Worker:\n    def run(self, x):\n        return x\n";
  const std::string used =
      with(body, "run(self, x):\n        return x", "run(self, x):\n        return Store().put(x)");
  constexpr std::string_view kNone = "no other class was found that the changed lines call or build";
  const std::string text = dive_of({{"a.py", body}}, {{"a.py", used}});
  EXPECT_FALSE(says(text, kNone)) << text;
  EXPECT_TRUE(
      says(dive_of({{"a.py", body}}, {{"a.py", with(body, "x):\n        return x\n", "x):\n        return x + 1\n")}}),
           kNone));
  // That it derives from another class, as before, is no news; a new base is.
  const std::string heir = replace_all(body, "class Worker:", "class Worker(Store):");
  EXPECT_TRUE(says(dive_of({{"a.py", heir}}, {{"a.py", with(heir, "run(self, x):\n        return x",
                                                            "run(self, x):\n        return x + 1")}}),
                   kNone));
  EXPECT_FALSE(says(dive_of({{"a.py", body}}, {{"a.py", with(heir, "run(self, x):\n        return x",
                                                             "run(self, x):\n        return x + 1")}}),
                    kNone));
}

TEST(Sides, ACheckOfAnotherBranchRefusesNothingOfTheOldOne) {
  const std::string before =
      "def check_args(config, x, mode):\n    if mode == 1:\n        if x < 0:\n            raise ValueError(x)\n"
      "        x = x + 1\n    return x\n";
  const std::string other =
      "def check_args(config, x, mode):\n    if mode == 1:\n        x = x + 1\n    else:\n"
      "        if x < 0 and config.strict:\n            raise ValueError(x)\n    return x\n";
  const std::string same = replace_all(before, "if x < 0:", "if x < 0 and config.strict:");
  const std::string apart = parts_a(before, other);
  EXPECT_FALSE(says(apart, "It is refused still when")) << apart;
  EXPECT_TRUE(says(apart, "refuses more")) << apart;
  const std::string kept = parts_a(before, same);
  EXPECT_FALSE(says(kept, "refuses more")) << kept;
}

TEST(Sides, ADivisionOfAnotherFunctionDoesNotAnswerForThisOne) {
  const std::string before = "def f(x, n):\n    return x\n\n\ndef g(x, n):\n    return x / n\n";
  const std::string after = with(before, "return x\n", "return x / n\n");
  EXPECT_TRUE(says(explain_a(before, after), "Can `n` be zero")) << explain_a(before, after);
  const std::string own = "def f(x, n):\n    return x / n\n";
  EXPECT_FALSE(says(explain_a(own, replace_all(own, "x / n", "(x + 1) / n")), "Can `n` be zero"));
}

TEST(Sides, AHookOfTheRepositorysOwnIsNoneOfAutograd) {
  const std::string before = "def prepare(plugins, tensor, save):\n    return tensor\n";
  const auto hooked = [&](const std::string& call, const Files& more = {}) {
    Files was = more;
    was["a.py"] = before;
    Files is = more;
    is["a.py"] = with(before, "    return", "    " + call + "\n    return");
    return parts_of(was, is);
  };
  const std::string own = "class Plugins:\n    def register_hook(self, hook):\n        self.hooks.append(hook)\n";
  const std::string plain = hooked("tensor.register_hook(save)");
  constexpr std::string_view kRisk = "registers a hook: autograd, or the module";
  EXPECT_TRUE(says(plain, kRisk)) << plain;
  EXPECT_FALSE(says(hooked("plugins.register_hook(\"on_save\", save)"), kRisk));
  EXPECT_FALSE(says(hooked("plugins.register_hook(save)", {{"plugins.py", own}}), kRisk));
}

TEST(Sides, ACallWhoseTextEndsAnotherOneIsNew) {
  const std::string before =
      "def step(a, b):\n    return a\n\n\nclass Loop:\n    def step(self, a, b):\n        return b\n\n"
      "    def run(self, a, b):\n        x = self.step(a, b)\n        return x\n";
  const std::string text = explain_a(before, replace_all(before, "x = self.step(", "x = step("));
  EXPECT_TRUE(says(text, ">>p2: step(a, b)")) << text;
}

TEST(Sides, WhatIsLeftOutOfALabelIsSaid) {
  const std::string before =
      "def last(x):\n    return x\n\n\ndef main(a, b, c):\n    if a:\n        if b:\n            if c:\n"
      "                return last(a)\n\n\nif __name__ == \"__main__\":\n    main(input(), input(), input())\n";
  const std::string text = explain_a(before, replace_all(before, "return x\n", "return x + 1\n"));
  EXPECT_TRUE(says(text, ", and more")) << text;
  const std::string two = replace_all(before, "            if c:\n                return", "            return");
  EXPECT_FALSE(says(explain_a(two, replace_all(two, "return x\n", "return x + 1\n")), ", and more"));
}

TEST(Sides, LabelsOfAChangedStatementDiffer) {
  const std::string name(61, 'n');
  const std::string before = "def f(first_argument, " + name + "):\n    result = combine(first_argument, " + name +
                             ", " + name + ", size + 1)\n    return result\n";
  const std::string text = dive_of({{"a.py", before}}, {{"a.py", replace_all(before, "+ 1)", "+ 2)")}});
  EXPECT_TRUE(says(text, "[\"\u2026, size + 1)\"]")) << text;
  EXPECT_TRUE(says(text, "[\"\u2026, size + 2)<br/>MODIFIED\"]")) << text;
}

TEST(Sides, AMethodThatMayBeOverriddenIsNotSettled) {
  const std::string before =
      "class Layer:\n    def run(self, x):\n        return x\n\n\ndef scale(x, by=1):\n    return x * by\n";
  const auto changed = [&](const std::string& name) {
    return replace_all(
        replace_all(replace_all(before, "run(self, x)", name + "(self, x, y=1)"), "return x\n", "return x + y\n"),
        "by=1", "by=2");
  };
  const auto named = [&](const std::string& name) {
    return explain_a(replace_all(before, "run(self", name + "(self"), changed(name));
  };
  constexpr std::string_view kOpen = "Existing calls still fit; overrides in subclasses outside the repository";
  EXPECT_TRUE(says(named("run"), kOpen)) << named("run");
  EXPECT_FALSE(says(named("__init__"), "Existing calls still fit")) << named("__init__");
}

/// Methods that take the same new parameter share a line, which says who passes it.
TEST(Sides, WhatSeveralMethodsNewlyTakeIsToldOnce) {
  const std::string before =
      "class Layer:\n    def run(self, x):\n        return x\n\n    def stop(self, x):\n        return x\n\n\ndef "
      "go(layer: Layer):\n    return layer.run(1)\n";
  std::string after = replace_all(before, "(self, x)", "(self, x, view=None)");
  after = replace_all(after, "return x\n", "return x + (view or 0)\n");
  EXPECT_TRUE(says(explain_a(before, after),
                   "`Layer.run` and `Layer.stop` take the new `view`, with a default. Existing calls still fit; "
                   "overrides in subclasses outside the repository lack it."))
      << explain_a(before, after);
  const std::string passed = replace_all(after, "layer.run(1)", "layer.run(1, view=2)");
  EXPECT_TRUE(says(explain_a(before, passed),
                   "an override outside the repository that lacks it fails where it is passed, as at `a.py:10`"))
      << explain_a(before, passed);
}

TEST(Sides, AWayThroughAChangedClassIsNoCallOfTheChange) {
  const std::string before = R"(class Loop:
    def outer(self, x):
        return self.inner(x)

    def inner(self, x):
        if x > 1:
            x = x + 1
        if x > 2:
            x = x + 2
        return x


def log(x):
    return x


def main():
    loop = Loop()
    for step in range(3):
        loop.outer(step)


if __name__ == "__main__":
    main()
)";
  const auto explained = [&](const std::string& line) {
    return explain_a(before, replace_all(replace_all(before, "x > 1:", "x > 3:"), "x > 2:\n", "x > 4:\n" + line));
  };
  constexpr std::string_view kCaption = "which calls of the changed lines it makes then:";
  const std::string none = explained("");
  EXPECT_TRUE(says(none, "Flow of control in `Loop.inner`")) << none;
  EXPECT_FALSE(says(none, kCaption)) << none;
  EXPECT_TRUE(says(explained("            log(x)\n"), kCaption));
}

TEST(Sides, AWayIsToldOnce) {
  const std::string before = R"(def train_step(model, x):
    return model(x)


def main():
    for step in range(3):
        train_step(abs, step)


if __name__ == "__main__":
    main()
)";
  const std::string added = R"(class Scaler:
    """Scales what a step gives."""

    def __init__(self, factor, offset, limit):
        self.factor = factor
        self.offset = offset
        self.limit = limit

    def scale(self, value):
        result = value * self.factor + self.offset
        if result > self.limit:
            result = self.limit
        return result


)";
  const std::string table = "from b import Scaler\n\n\nKINDS = {\"scale\": Scaler}\n";
  const std::string text = explain_of(
      {{"a.py", before}, {"c.py", "KINDS = {}\n"}},
      {{"a.py", replace_all(before, "return model(x)", "return model(x) * 2")}, {"b.py", added}, {"c.py", table}});
  EXPECT_EQ(times(text, "Runs reach `train_step`: "), 1u) << text.substr(0, text.find("## 3."));
}

TEST(Sides, OfTwoFunctionsOfOneNameEachIsToldAtItsPlace) {
  const std::string body = "def run(x):\n    \"\"\"Runs it all.\"\"\"\n    return x\n";
  const std::string fresh =
      "def run(x):\n    \"\"\"Runs it all.\"\"\"\n    y = x + 1\n    if y > 2:\n        y = y * 2\n    return y\n";
  const std::string text = explain_of({{"a.py", "A = 1\n"}, {"b.py", body}},
                                      {{"a.py", fresh}, {"b.py", replace_all(body, "return x", "return x + 1")}});
  // The first item tells of the old function, the second one quotes the new one's docstring.
  EXPECT_EQ(times(text, "Its docstring: \u201cRuns it all."), 1u) << text;
}

TEST(Sides, TestsAreAskedForAFewSettings) {
  const auto config = [](int count) {
    std::string out = "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    size: int = 1\n";
    for (int i = 0; i < count; ++i) out += "    added_" + std::to_string(i) + ": int = 0\n";
    return out;
  };
  const Files before = {{"config.py", config(0)}};
  EXPECT_TRUE(says(parts_of(before, {{"config.py", config(4)}}),
                   "Which test sets `added_0`, `added_1`, `added_2` or `added_3`?"))
      << parts_of(before, {{"config.py", config(4)}});
  EXPECT_TRUE(says(parts_of(before, {{"config.py", config(5)}}),
                   "Which test sets `added_0`, `added_1`, `added_2` or 2 more settings?"));
  const auto with_test = [&](const std::string& option) {
    const Files test = {{"config.py", config(0)},
                        {"tests/test_run.py", "def test_run():\n    run('" + option + "')\n"}};
    Files after = test;
    after["config.py"] = config(1);
    return parts_of(test, after);
  };
  EXPECT_TRUE(says(with_test("--added-0-more"), "Which test sets `added_0`?")) << with_test("--added-0-more");
  EXPECT_TRUE(says(with_test("--added_0_more"), "Which test sets `added_0`?"));
  EXPECT_FALSE(says(with_test("--added-0 1"), "Which test sets"));
  EXPECT_FALSE(says(with_test("--added_0=1"), "Which test sets"));
}

}  // namespace
}  // namespace lockstep::render
