// Conditions of ways that do not stand around their calls: what is called got its value under one, a parameter that
// nobody gives, early returns before what changes; and calls that throw away what changes.
#include <gtest/gtest.h>

#include <map>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kMain =
    "from core import run\n\n\ndef main():\n    for step in range(3):\n        run(step)\n\n\n"
    "if __name__ == '__main__':\n    main()\n";

std::string explained(const std::string& before, const std::string& old_text, const std::string& new_text,
                      const Files& more = {}) {
  Files old = more;
  old["core.py"] = before;
  old.try_emplace("train.py", kMain);
  return explain_of(old, with_edit(old, "core.py", old_text, new_text));
}

const std::string kLayouts = R"(def by_layer(x):
    y = x + 1
    return y


def by_tensor(x):
    return x


def wrap(x, layer_wise=False):
    compute = None
    if layer_wise:
        compute = by_layer
    elif x > 3:
        compute = by_tensor
    if compute is not None:
        return finish(compute(x))
    return x


def finish(x):
    return x


def run(x, layer_wise=False):
    return wrap(x, layer_wise)
)";

TEST(WayConditions, TheConditionUnderWhichAFunctionIsChosenIsToldOfItsCall) {
  const std::string text =
      explained(kLayouts, "x + 1", "x + 2", {{"train.py", replace_all(kMain, "run(step)", "run(step, step > 1)")}});
  EXPECT_TRUE(says(text, "This way is taken when `layer_wise` is set (`core.py:12`)")) << text;
  EXPECT_FALSE(says(text, "`compute` is not `None`")) << text;
}

/// A comprehension comes to its element only where its conditions hold, and to the first `in` in any case.
TEST(WayConditions, ConditionsOfComprehensionsAreConditionsOfTheCallsInThem) {
  const auto text_with = [](const std::string& made) {
    return explained("def work(x):\n    return x + 1\n\n\ndef run(x, deep=False):\n    return " + made + "\n", "x + 1",
                     "x + 2", {{"train.py", replace_all(kMain, "run(step)", "run([step], step > 1)")}});
  };
  const std::string_view asks = "taken when `deep` is set";
  for (const std::string made :
       {"[work(y) for y in x if deep]", "{y: work(y) for y in x if deep}", "list(work(y) for y in x if deep)",
        "[z for y in x if deep for z in work(y)]", "[y for y in x if deep if work(y)]"}) {
    const std::string text = text_with(made);
    EXPECT_TRUE(says(text, asks)) << made << text;
  }
  for (const std::string made : {"[y for y in work(x) if deep]", "[y for y in x if work(y) if deep]",
                                 "[z for y in x for z in work(y) if deep]", "[work(y) for y in x]"}) {
    const std::string text = text_with(made);
    EXPECT_FALSE(says(text, asks)) << made << text;
  }
}

TEST(WayConditions, WhatMayHoldAnotherFunctionSaysNothingOfItsChoice) {
  const std::string library =
      replace_all(kLayouts, "compute = by_tensor", "compute = pick(x)") + "\n\ndef pick(x):\n    return by_layer\n";
  const std::string text =
      explained(library, "x + 1", "x + 2", {{"train.py", replace_all(kMain, "run(step)", "run(step, step > 1)")}});
  EXPECT_FALSE(says(text, "taken when `layer_wise`")) << text;
}

const std::string kRank = R"(import os


def rank(ready):
    if ready:
        return 1
    if "RANK" in os.environ:
        return int(os.environ["RANK"])
    return 0


def run(x):
    return rank(x > 1)
)";

TEST(WayConditions, EarlyReturnsBeforeAllThatChangesAreTold) {
  const std::string text = explained(kRank, "    return 0\n", "    print(ready)\n    return 0\n");
  EXPECT_TRUE(says(
      text, "The steps that change in `rank` run only when `ready` is not set and `\"RANK\"` is not in `os.environ`."))
      << text;
  const std::string first =
      explained(kRank, "        return int(os.environ[\"RANK\"])\n", "        return int(os.environ[\"RANK\"]) + 1\n");
  EXPECT_TRUE(says(
      first, "The steps that change in `rank` run only when `ready` is not set and `\"RANK\"` is in `os.environ`."))
      << first;
  // The branch of the old version around all that changes.
  const std::string inner = explained(kRank, "        return 1\n", "        return 2\n");
  EXPECT_TRUE(says(inner, "The steps that change in `rank` run only when `ready` is set.")) << inner;
  // Of a new arm that those before it are not taken says little.
  const std::string arm =
      explained(kRank, "        return int(os.environ[\"RANK\"])\n",
                "        return int(os.environ[\"RANK\"])\n    elif ready is None:\n        return 3\n");
  EXPECT_FALSE(says(arm, "`\"RANK\"` is not in `os.environ`.")) << arm;
  // One that the change itself brings is told with it.
  const std::string own = explained(kRank, "    return 0\n", "    if ready is None:\n        return 3\n    return 0\n");
  EXPECT_FALSE(says(own, "`ready` is `None` and") || says(own, "run only when `ready` is `None`")) << own;
}

TEST(WayConditions, OfWhatGoesTheEarlyReturnsBeforeTheChangeAreTold) {
  const std::string text =
      explained(kRank, "    if \"RANK\" in os.environ:\n        return int(os.environ[\"RANK\"])\n", "");
  EXPECT_TRUE(says(text, "The steps that change in `rank` run only when `ready` is not set.")) << text;
}

const std::string kFused = R"(from functools import partial


class Layer:
    def __init__(self, size):
        self.size = size

    def forward(self, x):
        return x


class FusedLayer(Layer):
    def forward(self, x):
        y = x + 1
        return y


def layer_spec(size, fused=False):
    if fused:
        kind = FusedLayer
    else:
        kind = Layer
    return partial(kind, size)


def block_spec(*args, **kwargs):
    return layer_spec(*args, **kwargs)


def run(x):
    layer = block_spec(4)()
    return layer.forward(x)
)";

TEST(WayConditions, AParameterThatNobodyGivesIsToldOfTheClassThatItChooses) {
  const std::string words =
      "`FusedLayer` is chosen only with `fused` of `layer_spec` (`core.py:18`), and no call outside tests was found "
      "that "
      "gives it.";
  const std::string test = "from core import block_spec\n\n\ndef test_fused():\n    assert block_spec(4, fused=True)\n";
  const std::string text = explained(kFused, "x + 1", "x + 2", {{"tests/test_core.py", test}});
  EXPECT_TRUE(says(text, words)) << text;
  for (const std::string& given : {std::string("block_spec(4, fused=True)()"), std::string("block_spec(4, True)()"),
                                   std::string("block_spec(*[4, True])()")}) {
    const std::string other = explained(replace_all(kFused, "block_spec(4)()", given), "x + 1", "x + 2");
    EXPECT_FALSE(says(other, "chosen only with `fused`")) << other;
  }
  const std::string elsewhere = explained(kFused + "\n\ndef make():\n    return FusedLayer(4)\n", "x + 1", "x + 2");
  EXPECT_FALSE(says(elsewhere, "chosen only with `fused`")) << elsewhere;
}

const std::string kResult = R"(def reduce_it(x):
    total = x + 1
    x.mark()
    return total


def drain(x):
    reduce_it(x)


def collect(x):
    return again(x)


def again(x):
    return reduce_it(x)


def run(x):
    drain(x)
    return collect(x)
)";

TEST(WayConditions, AWayThatUsesWhatChangesComesBeforeOneThatThrowsItAway) {
  const std::string text = explained(kResult, "x + 1", "x + 2");
  EXPECT_TRUE(says(text, "`again` (`core.py:15`) → `reduce_it`")) << text;
  const std::string by_name = explained(
      replace_all(replace_all(kResult, "return collect(x)", "return x.collect_of_shard(x)"), "def collect(x):",
                  "class Shard:\n    def collect_of_shard(self, x):\n        return again(x)\n\n\ndef collect(x):"),
      "x + 1", "x + 2");
  EXPECT_TRUE(says(by_name, "taking calls of `collect_of_shard` on values of unknown class to enter it")) << by_name;
  // Not what a wrapper of a process group may do, nor a call that does not fit.
  for (const auto& [call, method] : {std::pair("x.all_reduce(x)", "all_reduce(self, x)"),
                                     std::pair("x.collect_of_shard(x, 1, 2)", "collect_of_shard(self, x)")}) {
    const std::string wrong = explained(
        replace_all(replace_all(kResult, "return collect(x)", std::string("return ") + call), "def collect(x):",
                    std::string("class Shard:\n    def ") + method + ":\n        return again(x)\n\n\ndef collect(x):"),
        "x + 1", "x + 2");
    EXPECT_FALSE(says(wrong, "on values of unknown class to enter it")) << wrong;
  }
  const std::string other = explained(kResult, "    x.mark()\n", "    x.mark(1)\n");
  EXPECT_TRUE(says(other, "`drain` (`core.py:7`) → `reduce_it`")) << other;
}

const std::string kSettings = R"(from dataclasses import dataclass


@dataclass
class RunConfig:
    optimizer: str = 'adam'
    level: int = 0


def finish(x):
    return x + 1


def build(config, x, name):
    kind = len(name)
    if kind > 3:
        return finish(x)
    return x


def pick(config, x, name):
    if config.optimizer not in ('adam', 'sgd'):
        return build(config, x, name)
    return x


def middle(config, x, name):
    return pick(config, x, name)


def run(x):
    return middle(RunConfig(), x, input())
)";

TEST(WayConditions, WhatSomebodyCanSetIsToldAndLocalsAreNotBesideIt) {
  const std::string text = explained(kSettings, "x + 1", "x + 2");
  EXPECT_TRUE(says(text,
                   "This way is taken when `config.optimizer` is not in `('adam', 'sgd')` (`core.py:22`), among other "
                   "conditions.\n"))
      << text;
  EXPECT_FALSE(says(text, "`kind` is more than `3` (")) << text;
  // Where nothing can be set, they are all there is.
  const std::string only = explained(replace_all(kSettings, "config.optimizer not in", "x not in"), "x + 1", "x + 2");
  EXPECT_TRUE(says(only, "`kind` is more than `3` (`core.py:16`)")) << only;
  // A parameter is no local, but comes after what can be set.
  const std::string given = explained(replace_all(kSettings, "kind > 3", "name is not None"), "x + 1", "x + 2");
  EXPECT_TRUE(says(given, "`('adam', 'sgd')` (`core.py:22`), and when `name` is not `None` (`core.py:16`)")) << given;
  // What the call on the way passes holds: nobody has to see to it.
  const std::string passed =
      explained(replace_all(replace_all(kSettings, "kind > 3", "name is not None"), "x, input())", "x, 'name')"),
                "x + 1", "x + 2");
  EXPECT_FALSE(says(passed, "`name` is not `None`")) << passed;
  const std::string nearer = explained(
      replace_all(replace_all(kSettings, "kind > 3", "config.level > 2"), "config.optimizer not in", "x not in"),
      "x + 1", "x + 2");
  EXPECT_TRUE(says(nearer, "when `config.level` is more than `2` (`core.py:16`), and when `x` is not in")) << nearer;
}

TEST(WayConditions, ALocalThatHoldsASettingIsOne) {
  const std::string held = explained(
      replace_all(kSettings, "    kind = len(name)\n    if kind > 3:", "    kind = config.level\n    if kind > 3:"),
      "x + 1", "x + 2");
  EXPECT_TRUE(says(held, "`kind` is more than `3` (`core.py:16`)")) << held;
  const std::string changed =
      explained(replace_all(kSettings, "    kind = len(name)\n", "    kind = config.level\n    kind = kind + 1\n"),
                "x + 1", "x + 2");
  EXPECT_FALSE(says(changed, "`kind` is more than `3` (")) << changed;
}

TEST(WayConditions, WhatTwoConditionsAskForIsToldOnce) {
  const std::string run =
      "def work(x):\n    return x + 1\n\n\ndef main(kind, sharded, layered):\n"
      "    if sharded and kind == 'ddp':\n        if kind == 'ddp' and layered:\n"
      "            work(1)\n\n\nif __name__ == '__main__':\n    main(input(), input(), input())\n";
  const std::string text = explain_of({{"a.py", run}}, {{"a.py", replace_all(run, "x + 1", "x + 2")}});
  EXPECT_TRUE(says(text, "`sharded` is set, `kind` is `'ddp'` and `layered` is set")) << text;
}

TEST(WayConditions, TheDrawingLeavesOutWhatTheLastCallOfTheWayCloses) {
  const auto side = [](const std::string& body, const std::string& call) {
    return "def check(group):\n    return group.size()\n\n\ndef gather(x):\n    return x\n\n\n"
           "def norm(x, group=None):\n" +
           body + "    return gather(x)\n\n\ndef main():\n    return norm(" + call +
           ")\n\n\nif __name__ == '__main__':\n    main()\n";
  };
  const std::string body = "    if group is not None:\n        check(group)\n    x = gather(x)\n";
  const std::string text = explain_of({{"a.py", side("", "1")}}, {{"a.py", side(body, "1")}});
  EXPECT_TRUE(says(text, ": gather(x)\n")) << text;
  EXPECT_FALSE(says(text, ": check(group)\n")) << text;
  EXPECT_TRUE(says(text, ": return\n")) << text;
  const std::string given = explain_of({{"a.py", side("", "1, 2")}}, {{"a.py", side(body, "1, 2")}});
  EXPECT_TRUE(says(given, ": check(group)\n")) << given;
}

TEST(WayConditions, TheDrawingShowsTheConditionThatReadsASettingOrOneOfItsParts) {
  const std::string quoted = "            'a long word' in name\n            and x.an_attribute_of_a_long_name > 3\n";
  const std::string text = explained(
      replace_all(kSettings, "    if config.optimizer not in ('adam', 'sgd'):\n",
                  "    if (\n" + quoted + "            and config.optimizer not in ('adam', 'sgd')\n    ):\n"),
      "x + 1", "x + 2");
  EXPECT_TRUE(says(text, "opt config.optimizer is not in ('adam', 'sgd'), and more\n")) << text;
  const std::string other =
      explained(replace_all(kSettings, "    if config.optimizer not in ('adam', 'sgd'):\n",
                            "    if (\n" + quoted +
                                "            and x.another_attribute_of_a_long_name\n    ):\n        name = ''\n"),
                "x + 1", "x + 2");
  EXPECT_TRUE(says(other, "opt 'a long word' is in name, and more")) << other;
}

const std::string kManagers = R"(from dataclasses import dataclass


class Base:
    enable: bool

    @dataclass
    class Config:
        enable: bool = False

    def save(self, x):
        if not self.enable:
            return False
        y = x + 1
        return y


class Manager(Base):
    @dataclass
    class Config(Base.Config):
        folder: str = ''

    def __init__(self, config: Config):
        self.enable = config.enable


@dataclass
class ProfilerConfig:
    enable: bool = True
    folder: str = ''


def run(x):
    return Manager(Manager.Config()).save(x)
)";

TEST(WayConditions, AnAttributeThatHoldsASettingNamesIt) {
  const std::string text = explained(kManagers, "x + 1", "x + 2");
  const std::string told =
      "- `enable` (`core.py:9`), default `False`. In the condition: `self.enable` is true (does not hold by default).";
  EXPECT_TRUE(says(text, told)) << text;
  // The exit that the change brings stands for what is behind it.
  Files before = {{"core.py", replace_all(kManagers, "        if not self.enable:\n            return False\n", "")},
                  {"train.py", kMain}};
  before["core.py"] = replace_all(before["core.py"], "x + 1", "x + 3");
  const std::string brought = explain_of(before, {{"core.py", kManagers}, {"train.py", kMain}});
  EXPECT_TRUE(says(brought, told)) << brought;
  // Alone it is what changes.
  before["core.py"] = replace_all(before["core.py"], "x + 3", "x + 1");
  const std::string alone = explain_of(before, {{"core.py", kManagers}, {"train.py", kMain}});
  EXPECT_TRUE(says(alone, "In the condition: `self.enable` is false (holds by default).")) << alone;
}

TEST(WayConditions, AnAttributeThatMayHoldAnythingElseNamesNoDefault) {
  for (const auto& [old_text, new_text] : std::map<std::string, std::string>{
           {"        self.enable = config.enable\n",
            "        self.enable = config.enable\n        self.enable = len(config.folder)\n"},
           {"        self.enable = config.enable\n", "        self.enable = len(config.folder) > 3\n"}}) {
    const std::string text = explained(replace_all(kManagers, old_text, new_text), "x + 1", "x + 2");
    EXPECT_FALSE(says(text, "by default)")) << new_text << text;
  }
  const std::string another = "\n\nclass Other(Base):\n    def __init__(self, other):\n        self.enable = other\n";
  EXPECT_FALSE(says(explained(kManagers + another, "x + 1", "x + 2"), "- `enable` (")) << another;
}

/// The questions of one if/elif chain decide each other: `not (a and b)` beside `a` is `not b`.
TEST(WayConditions, QuestionsOfOneChainAreToldAsSimplyAsTheyAre) {
  const std::string before = "def f(x, no_k, no_p):\n    return x\n";
  const std::string after = R"(def f(x, no_k, no_p):
    if no_k and no_p:
        x = plain(x)
    elif no_k:
        x = only_p(x)
    elif no_p:
        x = only_k(x)
    return x
)";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_FALSE(says(text, "(`no_k` is false or `no_p` is false)")) << text;
  EXPECT_TRUE(says(text, "`no_p` is false")) << text;
}

/// Of what a call may enter, that is no way which Python would refuse for its arguments.
TEST(WayConditions, ACallThatDoesNotFitLeadsNowhere) {
  const std::string losses = R"(class Plain:
    def __call__(self, pred, labels):
        return pred


class Weighted:
    def __call__(self, pred, labels, *, weights):
        return pred + 1
)";
  const auto text_with = [&](const std::string& given) {
    const std::string main = R"(from losses import Plain, Weighted


class Trainer:
    def __init__(self, kind):
        self.loss = Plain() if kind == "plain" else Weighted()

    def step(self, x, extra):
        options = {}
        if "w" in extra:
            options[")" + given +
                             R"("] = extra["w"]
        return self.loss(x, x, **options)


if __name__ == "__main__":
    Trainer("plain").step(1, {})
)";
    const Files before = {{"losses.py", losses}, {"train.py", main}};
    return explain_of(before, with_edit(before, "losses.py", "pred + 1", "pred + 2"));
  };
  const std::string way = "`Trainer.step` (`train.py:8`) → `Weighted.__call__`";
  EXPECT_TRUE(says(text_with("weights"), way)) << text_with("weights");
  EXPECT_FALSE(says(text_with("positions"), way)) << text_with("positions");
}

/// `if fused: if rows is not None: return …`: who gets past it with rows is not fused.
TEST(WayConditions, AWayOutInsideABranchClosesThatBranch) {
  const auto text_of = [](const std::string& between) {
    const std::string code =
        "def plain(rows):\n    return rows + 1\n\n\n"
        "def rotate(config, rows=None):\n    if config.fused:\n        if rows is None:\n            warn(config)\n"
        "        else:\n            return fused(rows)\n" +
        between +
        "    if rows is None:\n        return 0\n    else:\n        return plain(rows)\n\n\n"
        "if __name__ == \"__main__\":\n    rotate(load(), load())\n";
    const Files before = {{"run.py", code}};
    return explain_of(before, with_edit(before, "run.py", "rows + 1", "rows + 2"));
  };
  const std::string text = text_of("");
  EXPECT_TRUE(says(text, "This way is taken when `rows` is not `None` and `config.fused` is not set (`run.py:6-11`)"))
      << text;
  const std::string anew = text_of("    rows = load()\n");
  EXPECT_FALSE(says(anew, "`config.fused` is not set")) << anew;
}

/// Of a branch on a new member of an enumeration: who sends that.
TEST(WayConditions, WhoGivesANewMemberThatABranchAsksForIsTold) {
  const auto files = [](const std::string& member, const std::string& branch, const std::string& client) {
    return Files{{"headers.py", "from enum import Enum\n\n\nclass Headers(Enum):\n    PAUSE = 1\n" + member},
                 {"client.py",
                  "from headers import Headers\n\n\nclass Client:\n    def pause(self):\n        return "
                  "self.send(Headers.PAUSE)\n" +
                      client},
                 {"serve.py",
                  "from headers import Headers\n\n\ndef handle(header):\n    if header == Headers.PAUSE:\n        "
                  "print(header)\n" +
                      branch + "\n\nif __name__ == '__main__':\n    handle(Headers.PAUSE)\n"}};
  };
  const std::string text = explain_of(
      files("", "", ""), files("    PROFILE = 2\n", "    elif header == Headers.PROFILE:\n        print('profile')\n",
                               "\n    def profile(self):\n        return self.send(Headers.PROFILE)\n"));
  EXPECT_TRUE(says(text,
                   "`Headers.PROFILE` is asked for in what changes; it is named, too, by `Client.profile` "
                   "(`client.py:9`)."))
      << text;
  EXPECT_FALSE(says(text, "`Headers.PAUSE` is asked for")) << text;
}

}  // namespace
}  // namespace lockstep::render
