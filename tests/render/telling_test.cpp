// How single edits and definitions are told: shortest where nothing is lost.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"
#include "report/author/why.h"
#include "report/story/wording/differing_text.h"
#include "report/story/wording/edits.h"

namespace lockstep::render {
namespace {

TEST(Telling, OfACallInAValueOnlyItsArgumentsAreTold) {
  const std::string body = "def log(old, a, b):\n    metrics = old | prepare(first=a)\n    return metrics\n";
  const std::string text = explain_of({{"a.py", body}}, {{"a.py", replace_all(body, "first=a", "first=a, second=b")}});
  EXPECT_TRUE(says(text, "also passes `second=b` to `prepare`")) << text;
  EXPECT_FALSE(says(text, "sets `metrics`")) << text;
  // What stands around the call is a part of the edit.
  const std::string other = explain_of(
      {{"a.py", body}}, {{"a.py", replace_all(body, "old | prepare(first=a)", "prepare(first=a, second=b) | old")}});
  EXPECT_TRUE(says(other, "sets `metrics` to")) << other;
}

TEST(Telling, ASentenceOfADocstringGoesOnBehindAPreposition) {
  const std::string added =
      "class Dense:\n    \"\"\"Dense layers with one group in order to trigger\n    "
      "FusedForward of the library.\n\n    More.\n    \"\"\"\n\n    def run(self, x):\n        return x\n";
  const std::string text = explain_of({{"a.py", "X = 1\n"}}, {{"a.py", "X = 1\n\n\n" + added}});
  EXPECT_TRUE(says(text, "“Dense layers with one group in order to trigger FusedForward of the library.”")) << text;
}

/// Of two ways to a changed function the one that the change edits is the one that it is for.
TEST(Telling, AWayThroughTheChangeComesFirst) {
  const Files before = {{"train.py", R"(from lib import choose


def main(args):
    build(args)


def build(args):
    layers(args)


def layers(args):
    choose(args.size)


if __name__ == "__main__":
    main(parse())
)"},
                        {"other.py", "from lib import choose\n\nif __name__ == \"__main__\":\n    choose(1)\n"},
                        {"lib.py", "def choose(size, grouped=False):\n    return size\n"}};
  Files after = with_edit(before, "lib.py", "    return size\n", "    return size if grouped else -size\n");
  EXPECT_TRUE(says(explain_of(before, after), "`other.py` →"));
  after = with_edit(after, "train.py", "choose(args.size)", "choose(args.size, grouped=args.grouped)");
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "`train.py` → `main` (`train.py:4`)")) << text;
}

/// Where nothing else gives a reason, a new check's message may.
TEST(Telling, WhatANewCheckSaysIsQuoted) {
  const std::string was = "def run(args):\n    return args.x\n";
  const std::string now =
      "def run(args):\n    assert not args.reset, (\n        \"--reset is not supported here: \"\n"
      "        \"the forward pass never reads a dense mask.\"\n    )\n    return args.x\n";
  const std::string text = explain_of({{"a.py", was}}, {{"a.py", now}});
  EXPECT_TRUE(says(text,
                   "the check at `a.py:2`: “--reset is not supported here: the forward pass never reads a dense "
                   "mask.”"))
      << text;
  EXPECT_FALSE(says(explain_of({{"a.py", now}}, {{"a.py", now + "\n\nX = 1\n"}}), "the check at"));
  // Written otherwise, or moved here from another file, it is none.
  const std::string literal = "--reset is not supported here: \"\n        \"the forward pass";
  EXPECT_FALSE(
      says(explain_of({{"a.py", replace_all(now, literal, "-\"\n\"-reset is not supported here: the forward pass")}},
                      {{"a.py", now + "\n\nX = 1\n"}}),
           "the check at"));
  EXPECT_FALSE(
      says(explain_of({{"a.py", now}, {"b.py", "X = 1\n"}}, {{"a.py", "Y = 1\n"}, {"b.py", "X = 1\n\n\n" + now}}),
           "the check at"));
}

/// That something is not supported is a limit, not what the change is for.
TEST(Telling, ALimitThatANewCheckNamesIsNoReason) {
  const std::string was = "def run(args):\n    return args.x\n";
  const auto with = [&](const std::string& message) {
    return explain_of({{"a.py", was}}, {{"a.py", "def run(args):\n    assert not args.reset, \"" + message +
                                                     "\"\n    return args.x\n"}});
  };
  EXPECT_FALSE(says(with("The new projection of the head does not support resets of positions."), "the check at"));
  const std::string told = with("The projection does not support resets because it never reads a dense mask.");
  EXPECT_TRUE(says(told, "the check at `a.py:2`: “The projection does not support resets because")) << told;
}

/// A script that refuses a setting breaks the runs that set it.
TEST(Telling, AScriptThatRefusesASettingIsToldAsIncompatible) {
  const std::string was = "if __name__ == \"__main__\":\n    args = parse()\n    run(args)\n";
  const std::string now =
      "if __name__ == \"__main__\":\n    args = parse()\n    assert not args.reset_mask\n    run(args)\n";
  const std::string text = explain_of({{"train.py", was}}, {{"train.py", now}});
  EXPECT_TRUE(says(text,
                   "`train.py` insists now that `args.reset_mask` is not set (`train.py:3`). Runs of which that "
                   "does not hold stop there."))
      << text;
}

/// A step that a new branch holds was there: it is not new that it is done.
TEST(Telling, AStepUnderANewConditionIsDoneOnlyThen) {
  const std::string was = "def collect(rows, out):\n    for row in rows:\n        out.extend(one for one in row)\n";
  const std::string now =
      "def collect(rows, out):\n    for row in rows:\n        if row.good:\n            out.extend(one for one in "
      "row)\n";
  EXPECT_TRUE(says(explain_of({{"a.py", was}}, {{"a.py", now}}), "now only when `row.good` is set, calls `out.extend"));
  const std::string other = replace_all(now, "one in row)", "one in row.kept)");
  EXPECT_FALSE(says(explain_of({{"a.py", was}}, {{"a.py", other}}), "now only when"));
  // So was a whole block, and what it holds.
  const std::string plain = "def count(self, n):\n    with no_grad():\n        self.total.add_(n)\n    return n\n";
  const std::string guarded =
      "def count(self, n):\n    if self.training:\n        with no_grad():\n            self.total.add_(n)\n    return "
      "n\n";
  EXPECT_TRUE(says(explain_of({{"a.py", plain}}, {{"a.py", guarded}}), "now only when `self.training` is true"));
  const std::string unwrapped = replace_all(guarded, "        with no_grad():\n            self", "        self");
  EXPECT_FALSE(says(explain_of({{"a.py", plain}}, {{"a.py", unwrapped}}), "now only when"));
}

/// Behind a branch that now leaves, `if` asks in the cases in which `elif` asked.
TEST(Telling, AnElifBehindABranchThatLeavesNowIsTheSameQuestion) {
  const std::string was =
      "def save(self, x):\n    if self.first:\n        write(x)\n    elif self.second:\n        log(x)\n";
  const std::string now =
      "def save(self, x):\n    if self.first:\n        return write(x)\n    if self.second:\n        log(x)\n"
      "    return False\n";
  const std::string text = explain_of({{"a.py", was}}, {{"a.py", now}});
  EXPECT_TRUE(says(text, "returns `False`")) << text;
  EXPECT_FALSE(says(text, "when `self.second` is set")) << text;
  // The other way round, too; but not where the first branch goes on.
  EXPECT_FALSE(says(explain_of({{"a.py", now}}, {{"a.py", was}}), "when `self.second` is set"));
  const std::string goes_on = replace_all(now, "return write(x)", "write(x)");
  EXPECT_TRUE(says(explain_of({{"a.py", was}}, {{"a.py", goes_on}}), "when `self.second` is set"));
}

/// A call that the new version still makes is not replaced by what stands in its old place.
TEST(Telling, WhatHasItsOwnCounterpartIsNoEditOfAnother) {
  const std::string was =
      "async def run(self, x):\n    await self.queue.put(\n        Group(rows=x, batch=self.batch)\n    )\n"
      "    self.done += 1\n\n\ndef other(self):\n    self.done += 1\n";
  const std::string now =
      "async def run(self, x):\n    group = Group(rows=x, batch=self.batch)\n    if drop(group):\n        return\n"
      "    await self.queue.put(group)\n    self.flying += 1\n\n\ndef other(self):\n    self.done += 1\n";
  const std::string text = explain_of({{"a.py", was}}, {{"a.py", now}});
  EXPECT_FALSE(says(text, "in place of `await")) << text;
  EXPECT_FALSE(says(text, "in place of `self.done += 1`")) << text;
  EXPECT_TRUE(says(text, "when `drop(group)` is true, returns (`group` being `Group(rows=x, batch=self.batch)`)"))
      << text;
}

/// What a `try` that goes caught is no longer caught, and the other way round.
TEST(Telling, WhatIsCaughtNoLongerReachesCallers) {
  const std::string bare = "def rank(env):\n    log(env)\n    return int(env.get(\"RANK\", 0))\n";
  const std::string caught =
      "def rank(env):\n    log(env)\n    try:\n        return int(env.get(\"RANK\", 0))\n"
      "    except (ValueError, TypeError):\n        return 7\n";
  const std::string gone = explain_of({{"a.py", caught}}, {{"a.py", bare}});
  EXPECT_TRUE(says(gone, "no longer catches `ValueError` and `TypeError`, on which it returned `7`")) << gone;
  EXPECT_FALSE(says(gone, "drops the branch on")) << gone;
  EXPECT_FALSE(says(gone, "no longer returns `7`")) << gone;
  const std::string come = explain_of({{"a.py", bare}}, {{"a.py", caught}});
  EXPECT_TRUE(says(come,
                   "catches `ValueError` and `TypeError`, which no longer reach callers from "
                   "`return int(env.get(\"RANK\", 0))`"))
      << come;
  // A handler that raises lets it out, and another one around takes it.
  const std::string raises = replace_all(caught, "return 7", "raise");
  EXPECT_FALSE(says(explain_of({{"a.py", raises}}, {{"a.py", bare}}), "reach callers"));
  const std::string broader = replace_all(caught, "(ValueError, TypeError)", "Exception");
  EXPECT_FALSE(says(explain_of({{"a.py", caught}}, {{"a.py", broader}}), "reach callers"));
}

/// What is cut to fit keeps its shape and what it is where nothing is found.
TEST(Telling, AValueThatIsCutKeepsItsEnd) {
  const std::string body = "def pick(self, tensor, key):\n    log(tensor)\n    return 1\n";
  const auto text_of = [&](const std::string& value) {
    return explain_of({{"a.py", body}}, {{"a.py", replace_all(body, "return 1", "return " + value)}});
  };
  const std::string chain =
      text_of("tensor.index_select(self.dimension_of_the_batch, self.all_the_indices).transpose(0, 1).squeeze(1)");
  EXPECT_TRUE(says(chain, "\u2026).transpose(0, 1).squeeze(1)`")) << chain;
  const std::string found =
      text_of("self.values_by_layer_and_name.get((key.layer_number, key.name_of_the_layer), self.nothing)");
  EXPECT_TRUE(says(found, ", self.nothing)`")) << found;
}

/// A quote starts where its subject is named.
TEST(Telling, AQuoteDoesNotStartInTheMiddleOfAThought) {
  const auto text_of = [](const std::string& comment) {
    return explain_of({{"a.py", "def f(x):\n    return x\n"}},
                      {{"a.py", "def f(x):\n" + comment + "    y = g(x)\n    return y\n"}});
  };
  const std::string text = text_of(
      "    # The two buffers of the optimizer share one storage with the gradients.\n"
      "    # They must be copied first, because the next step writes over them again.\n");
  EXPECT_TRUE(says(text, "\u201cThe two buffers of the optimizer share one storage with the gradients. They must"))
      << text;
}

/// What a test checks is told beside a lone comment, and not where the code says more.
TEST(Telling, ATestsDocstringIsQuotedWhereLittleElseIs) {
  const std::string code = "def f(x):\n    return x\n";
  const std::string changed =
      "def f(x):\n    # The value must be the same on all ranks here before they go on.\n    return g(x)\n";
  const std::string test = "from a import f\n\n\ndef test_f():\n";
  const std::string doc =
      "    \"\"\"A pending value must not stall the others, because they wait for it.\"\"\"\n    f(1)\n";
  const Files before = {{"a.py", code}, {"tests/test_a.py", test + "    f(1)\n"}};
  const std::string both = explain_of(before, {{"a.py", changed}, {"tests/test_a.py", test + doc}});
  EXPECT_TRUE(says(both, "- the test `test_f`")) << both;
  EXPECT_TRUE(says(both, "\u201cThe value must be the same on all ranks")) << both;
  const std::string alone =
      explain_of(before, {{"a.py", replace_all(code, "return x", "return g(x)")}, {"tests/test_a.py", test + doc}});
  EXPECT_TRUE(says(alone, "- the test `test_f`")) << alone;
  const std::string more =
      replace_all(changed, "    return g(x)\n",
                  "    x = x + 1\n    # The buffers must stay as they are until the step is over.\n    return g(x)\n");
  const std::string what =
      replace_all(doc, "must not stall the others, because they wait for it", "leaves others as they are");
  const std::string two = explain_of(before, {{"a.py", more}, {"tests/test_a.py", test + what}});
  EXPECT_FALSE(says(two, "- the test `test_f`")) << two;
  const std::string why = explain_of(before, {{"a.py", more}, {"tests/test_a.py", test + doc}});
  EXPECT_TRUE(says(why, "Its comments and tests say:\n\n- the test `test_f`")) << why;
}

/// A comment that only follows new names gives no reason; one that says something else does.
TEST(Telling, ACommentThatFollowsNewNamesIsOld) {
  const auto code = [](const std::string& names, const std::string& end) {
    return "def f(" + names + "):\n    # Dicts keep their order, so " + names + " and\n    # " + names +
           "_all must define the same order" + end + ".\n    return g(" + names + ")\n";
  };
  const std::string old = code("row_names", " of rows");
  const std::string followed = explain_of({{"a.py", old}}, {{"a.py", code("row_groups", " of rows")}});
  EXPECT_FALSE(says(followed, "\u201cDicts keep their order")) << followed;
  const std::string other = explain_of({{"a.py", old}}, {{"a.py", code("row_groups", " on all ranks of rows")}});
  EXPECT_TRUE(says(other, "\u201cDicts keep their order")) << other;
}

/// What stands above a line that only hands a new argument on may say why it is there.
TEST(Telling, ACommentAboveWhatFollowsGivesTheReason) {
  const std::string was = "def f(x):\n    return x\n\n\ndef g(x):\n    return f(x)\n";
  const std::string now =
      "def f(x, wide=False):\n    if wide:\n        x = x + 1\n    return x\n\n\ndef g(x):\n"
      "    # Narrow rows are not supported here rather than padded to the width of the others.\n"
      "    return f(x, wide=True)\n";
  const std::string text = explain_of({{"a.py", was}}, {{"a.py", now}});
  EXPECT_TRUE(says(text, "`a.py:8`: \u201cNarrow rows are not supported here rather than padded")) << text;
}

/// A new setting does nothing by itself: those that hand it on carry the change.
TEST(Telling, WhoHandsANewSettingOnIsTold) {
  const std::string was =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    host: str = \"\"\n\n\n"
      "def start(host, sock=None):\n    return host, sock\n\n\ndef serve(config):\n    return start(config.host)\n";
  const std::string now =
      replace_all(replace_all(was, "    host: str = \"\"\n", "    host: str = \"\"\n    sock: int | None = None\n"),
                  "start(config.host)", "start(config.host, sock=config.sock)");
  const std::string text = explain_of({{"a.py", was}}, {{"a.py", now}});
  EXPECT_TRUE(says(text, "New setting: `sock`")) << text;
  EXPECT_TRUE(says(text, "- `serve` (changed, `a.py:14`): also passes `sock=config.sock` to `start`")) << text;
  EXPECT_TRUE(says(text, "### `serve`")) << text;
}

/// Nobody takes the result: no arrow brings it back.
TEST(Telling, AResultThatNobodyTakesHasNoArrow) {
  const std::string body =
      "def main(x):\n    save(x)\n\n\ndef save(x):\n    write(x)\n    return x + 1\n\n\n"
      "def write(x):\n    pass\n\n\nif __name__ == \"__main__\":\n    main(1)\n";
  const auto text_of = [](const std::string& before) {
    return explain_of({{"a.py", before}},
                      {{"a.py", replace_all(before, "write(x)\n    return", "write(x + 1)\n    return")}});
  };
  EXPECT_FALSE(says(text_of(body), "-->>")) << text_of(body);
  const std::string taken = replace_all(body, "    save(x)\n", "    print(save(x))\n");
  EXPECT_TRUE(says(text_of(taken), "-->>p0: x + 1")) << text_of(taken);
}

/// `__post_init__` is nobody's to call.
TEST(Telling, AMethodThatPythonCallsIsNotPublic) {
  const std::string body =
      "class Box:\n    def __len__(self):\n        return 1\n\n    def size(self):\n        return 1\n\n\n"
      "def fill(box: Box):\n    return len(box) + box.size()\n";
  const std::string text =
      explain_of({{"a.py", body}},
                 {{"a.py", replace_all(body, "__len__(self):\n        return 1", "__len__(self):\n        return 2")}});
  EXPECT_FALSE(says(text, "which is public itself")) << text;
}

/// Every run on several ranks has data parallelism: a test need not name it.
TEST(Telling, WhatOnlyTheFileOfATestMentionsIsNotAskedFor) {
  const std::string code = "def f(x, config):\n    return x\n";
  const std::string changed =
      "def f(x, config):\n    if config.fp8 and config.dp_size > 1:\n        return x + 1\n    return x\n";
  const auto text_of = [&](const std::string& test) {
    const Files before = {{"a.py", code}, {"tests/test_a.py", "from a import f\n"}};
    return explain_of(before, {{"a.py", changed}, {"tests/test_a.py", test}});
  };
  const std::string own = text_of("from a import f\n\n\ndef test_f():\n    f(1, make(fp8=True))\n");
  EXPECT_FALSE(says(own, "The changed lines deal with")) << own;
  const std::string other = text_of("from a import f\n\nMODES = [\"fp8\"]\n\n\ndef test_f():\n    f(1, make())\n");
  EXPECT_FALSE(says(other, "The changed lines deal with")) << other;
  const std::string none = text_of("from a import f\n\n\ndef test_f():\n    f(1, make())\n");
  EXPECT_TRUE(says(none, "The changed lines deal with FP8. Does a test switch it on?")) << none;
}

/// Each of two is tested, and no test has both.
TEST(Telling, WhatNoTestRunsTogetherIsAskedFor) {
  const std::string code = "def f(x, config):\n    return x\n";
  const std::string changed =
      "def f(x, config):\n    if config.fp8 and config.cuda_graph:\n        return x + 1\n    return x\n";
  const auto text_of = [&](const std::string& test) {
    const Files before = {{"a.py", code}, {"tests/test_a.py", "from a import f\n"}};
    return explain_of(before, {{"a.py", changed}, {"tests/test_a.py", "from a import f\n\n\n" + test}});
  };
  const std::string apart =
      text_of("def test_f():\n    f(1, make(fp8=True))\n\n\ndef test_graph():\n    f(1, make(cuda_graph=True))\n");
  EXPECT_TRUE(says(apart, "Does a test run them together? Open: no test that surely leads there mentions both"))
      << apart;
  const std::string together = text_of("def test_f():\n    f(1, make(fp8=True, cuda_graph=True))\n");
  EXPECT_FALSE(says(together, "run them together")) << together;
}

/// A call where another call stood, and one where a block stood.
TEST(Telling, ACallInAnotherPlaceIsToldAsOneEdit) {
  const std::string was = "def run(x):\n    a(x)\n    inner.reset()\n    b(x)\n";
  const std::string helper = "\n\ndef reset_all(x):\n    inner.reset(x)\n";
  const std::string text =
      explain_of({{"a.py", was}}, {{"a.py", replace_all(was, "inner.reset()", "reset_all(x)") + helper}});
  EXPECT_TRUE(says(text, "in place of `inner.reset()`")) << text;
  EXPECT_FALSE(says(text, "no longer calls")) << text;
  EXPECT_TRUE(says(text, "| `run` | `inner.reset()` | `reset_all(x)` |")) << text;
  const std::string block =
      "def run(x):\n    a(x)\n    found = set()\n    for one in x:\n        if one.group is None:\n            "
      "continue\n        found.add(one.group)\n    b(x)\n";
  const std::string call =
      "def run(x):\n    a(x)\n    sync(x)\n    b(x)\n\n\ndef sync(rows):\n    for row in rows:\n        row.sync()\n";
  const std::string replaced = explain_of({{"a.py", block}}, {{"a.py", call}});
  EXPECT_TRUE(says(replaced, "calls `sync(x)` in place of 5 steps")) << replaced;
  EXPECT_FALSE(says(replaced, "no longer")) << replaced;
  EXPECT_TRUE(says(replaced, "| `run` | 5 steps, from `found = set()` on | `sync(x)` |")) << replaced;
  // What it refused is told by itself.
  const std::string checks = replace_all(block, "found.add(one.group)", "assert one.group");
  EXPECT_FALSE(says(explain_of({{"a.py", checks}}, {{"a.py", call}}), "in place of 5 steps"));
}

TEST(Telling, OfAValueThatReplacesOneOfSeveralItsConditionIsTold) {
  const std::string was =
      "def rank(group, x):\n    log(x)\n    if group is not None:\n        rank = of_group(group)\n    else:\n"
      "        rank = of_world()\n    return rank\n";
  const std::string now = "def rank(group, x):\n    log(x)\n    rank = of_any(group, x)\n    return rank\n";
  const std::string text = explain_of({{"a.py", was}}, {{"a.py", now}});
  EXPECT_TRUE(says(text, "instead of `of_group(group)`, which it was where `group` is not `None`")) << text;
}

/// What a block does comes before what it works out for it.
TEST(Telling, OfACrowdedBlockTheCallIsTold) {
  const std::string was = "def save(args, step):\n    log(step)\n";
  const std::string now =
      "def save(args, step):\n    log(step)\n    if args.assets:\n        name = name_of(step)\n        config = "
      "config_of(args)\n        write_assets(config, name)\n";
  EXPECT_TRUE(says(explain_of({{"a.py", was}}, {{"a.py", now}}), "calls `write_assets(config, name)`"));
}

TEST(Telling, ARoleOfADocstringIsNoWord) {
  const std::string now = "def save(x):\n    \"\"\"Save what :func:`~lib.io.load` loads.\"\"\"\n    return x\n";
  EXPECT_TRUE(says(explain_of({{"a.py", "X = 1\n"}}, {{"a.py", "X = 1\n\n\n" + now}}), "Save what `load` loads"));
}

TEST(Telling, AResultThatWasDroppedIsReturned) {
  const std::string was = "def save(x):\n    write(x)\n";
  const std::string text = explain_of({{"a.py", was}}, {{"a.py", "def save(x):\n    return write(x)\n"}});
  EXPECT_TRUE(says(text, "returns `write(x)` instead of dropping its result")) << text;
  EXPECT_FALSE(says(text, "in place of `write(x)`")) << text;
}

/// A test that never loads the module does not run its override.
TEST(Telling, ATestOfTheBaseIsNoWayToAnHeirThatItDoesNotLoad) {
  const Files before = {{"base.py",
                         "class Base:\n    def save(self):\n        return self._save()\n\n"
                         "    def _save(self):\n        return 1\n"},
                        {"heir.py",
                         "from base import Base\n\n\nclass Heir(Base):\n    def _save(self):\n"
                         "        return 2\n"},
                        {"tests/test_base.py",
                         "from base import Base\n\n\ndef test_save():\n"
                         "    assert Base().save()\n"}};
  const std::string text = explain_of(before, with_edit(before, "heir.py", "return 2", "return 3"));
  EXPECT_FALSE(says(text, "`test_save`")) << text;
}

/// What a class that was there refuses from now on was taken before.
TEST(Telling, ANewPostInitOfAClassThatWasThereRefusesMore) {
  const std::string was = "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    freq: int = 1\n";
  const std::string check =
      "\n    def __post_init__(self):\n        if self.freq <= 0:\n            raise ValueError(\"freq\")\n";
  const std::string refused = "`Config.__post_init__` refuses more: ";
  EXPECT_TRUE(says(explain_of({{"a.py", was}}, {{"a.py", was + check}}), refused));
  EXPECT_FALSE(says(explain_of({{"a.py", "X = 1\n"}}, {{"a.py", "X = 1\n\n\n" + was + check}}), refused));
}

/// Only what a checkpoint holds is a part of checkpoints.
TEST(Telling, ABufferThatDoesNotPersistIsNoStateOfCheckpoints) {
  const std::string was =
      "import torch\n\n\nclass Layer(torch.nn.Module):\n    def __init__(self, t):\n        super().__init__()\n";
  const auto text_with = [&](const std::string& rest) {
    const std::string line = "        self.register_buffer(\"x\", t" + rest + ")\n";
    return explain_of({{"a.py", was}}, {{"a.py", was + line}});
  };
  EXPECT_TRUE(says(text_with(""), "New module state: ")) << text_with("");
  EXPECT_TRUE(says(text_with(", persistent=True"), "New module state: "));
  EXPECT_FALSE(says(text_with(", persistent=False"), "New module state: "));
  EXPECT_FALSE(says(text_with(", False"), "New module state: ")) << text_with(", False");
}

/// A call of a decorated method is one of the method, not of the decorator's wrapper in another file.
TEST(Telling, ACallOfADecoratedMethodIsOneOfTheMethod) {
  const Files before = {{"tracing.py",
                         "import functools\n\n\ndef traced(function):\n    @functools.wraps(function)\n"
                         "    def wrapper(*args, **kwargs):\n        return function(*args, **kwargs)\n\n"
                         "    return wrapper\n"},
                        {"lib.py",
                         "from tracing import traced\n\n\nclass Pipeline:\n    @traced\n"
                         "    def again(self, x):\n        \"\"\"Do it again.\"\"\"\n        return x\n\n"
                         "    def run(self, x):\n        return x\n"}};
  const std::string text = explain_of(before, with_edit(before, "lib.py", "    def run(self, x):\n        return x\n",
                                                        "    def run(self, x):\n        return self.again(x)\n"));
  EXPECT_TRUE(says(text, "(`lib.py:6`: “Do it again”)")) << text;
  EXPECT_FALSE(says(text, "tracing.py")) << text;
}

/// What a loop goes over changes; its body stays: it is the same loop.
TEST(Telling, ALoopOverSomethingElseIsTheSameLoop) {
  const std::string body =
      "def scan(chunks):\n    total = 0\n    for i in range(len(chunks)):\n        chunks[i].load()\n"
      "        total = total + chunks[i].size\n    return total\n";
  const std::string text =
      explain_of({{"a.py", body}}, {{"a.py", replace_all(body, "range(len(chunks))", "reversed(order_of_chunks())")}});
  EXPECT_TRUE(says(text, "loops over `reversed(order_of_chunks())` instead of `range(len(chunks))`")) << text;
  EXPECT_FALSE(says(text, "NEW")) << text;
}

/// An excerpt around a difference begins and ends at whole names.
TEST(Telling, NamesAreNotCutAroundADifference) {
  const std::string call =
      "    generate_text_with_the_inference_engine(first_of_the_arguments=args.first_of_the_arguments, "
      "generation_arguments=generation_arguments, number_of_sequences=OLD, "
      "another_argument_that_stays=another_argument_that_stays, the_last=args.the_last_argument_of_all)\n";
  const std::string body = "def run(args, generation_arguments, another_argument_that_stays):\n" + call;
  const std::string before = replace_all(body, "OLD", "args.count");
  const std::string after = replace_all(body, "OLD", "args.count * 2");
  const SourceText was(before);
  const SourceText now(after);
  const auto begin = static_cast<std::uint32_t>(before.find("    gen") + 4);
  const auto [left, right] = report::where_they_differ(was, {begin, static_cast<std::uint32_t>(before.size() - 1)}, now,
                                                       {begin, static_cast<std::uint32_t>(after.size() - 1)}, 70);
  EXPECT_EQ(left, "…number_of_sequences=args.count, another_argument_that_stays=…");
  EXPECT_EQ(right, "…number_of_sequences=args.count * 2, another_argument_that_stays=…");
}

/// A docstring that says "Returns: None" says nothing of a result.
TEST(Telling, NothingIsNoResult) {
  const std::string text = dive_of(
      {{"a.py", "X = 1\n"}}, {{"a.py",
                               "X = 1\n\n\ndef put(x):\n    \"\"\"Puts it.\n\n    Returns:\n        None\n    \"\"\"\n"
                               "    x.store(1)\n"}});
  EXPECT_TRUE(says(text, "`put`")) << text;
  EXPECT_FALSE(says(text, "Out:")) << text;
}

/// Two new functions of one name are asked for with their files.
TEST(Telling, NamesakesWithoutTestsAreToldApart) {
  const std::string added = "\n\ndef quiet(x):\n    x.log(2)\n    return x\n";
  const std::string text = explain_of({{"a.py", "X = 1\n"}, {"b.py", "Y = 1\n"}},
                                      {{"a.py", "X = 1\n" + added}, {"b.py", "Y = 1\n" + added}});
  EXPECT_TRUE(says(text, "Which test runs `quiet` in `a.py` and `quiet` in `b.py`?")) << text;
}

/// Whom a change thanks is no reason for it.
TEST(Telling, CreditIsNoReason) {
  const std::vector<std::string> paragraphs = report::without_boilerplate(
      "In collaboration with @somebody and @others.\n\nThe buffer is reused, so that the peak falls.\n\n"
      "Thanks to @somebody for the review.\n",
      "");
  ASSERT_EQ(paragraphs.size(), 1U);
  EXPECT_EQ(paragraphs[0], "The buffer is reused, so that the peak falls.");
}

/// What a module runs itself is told as what a function does; its definitions, variables and imports are told as what
/// they are.
TEST(Telling, CodeOfAModuleIsTold) {
  const std::string before =
      "import logging\n\nlogger = logging.getLogger(__name__)\n\n\ndef run(args):\n    return args.x\n\n\n"
      "if __name__ == \"__main__\":\n    args = parse()\n    run(args)\n";
  std::string after = replace_all(before, "(__name__)\n", "(__name__)\nlogger.setLevel(logging.INFO)\n");
  after = replace_all(after, "    run(args)\n", "    assert not args.dense, \"never dense\"\n    run(args)\n");
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "`a.py` (changed at module level, `a.py:4`): calls `logger.setLevel(logging.INFO)`")) << text;
  EXPECT_TRUE(says(text, "insists that `args.dense` is not set (`\"never dense\"`) where the file runs as a script"))
      << text;
  EXPECT_FALSE(says(text, "NOT TESTED")) << text;
  const std::string defined = explain_of(
      {{"a.py", before}}, {{"a.py", replace_all(before, "import logging\n",
                                                "import logging\nimport math\n\ntry:\n    import torch\nexcept "
                                                "ImportError:\n    torch = None\nsize = 4\n")}});
  EXPECT_FALSE(says(defined, "at module level")) << defined;
}

/// `x = new if c else old`, where `x = old` stood.
TEST(Telling, TheOldValueIsWhatHoldsOtherwise) {
  const std::string body = "def rank(group, other):\n    first = is_first() and get_rank() == 0\n    return first\n";
  std::string text = explain_of(
      {{"a.py", body}},
      {{"a.py", replace_all(body, "is_first() and", "(group.rank() == 0 if group is not None else is_first()) and")}});
  EXPECT_TRUE(says(text, "sets `first` to `group.rank() == 0` where `group` is not `None`; otherwise as before"))
      << text;
  const std::string plain = "def rank(group):\n    first = get_rank()\n    return first\n";
  text = explain_of({{"a.py", plain}},
                    {{"a.py", replace_all(plain, "= get_rank()", "= get_rank() if group is None else group.rank()")}});
  EXPECT_TRUE(says(text, "sets `first` to `group.rank()` where `group` is not `None`; otherwise as before")) << text;
}

/// What a call did that is made in one of the cases only is left out in the other.
TEST(Telling, ACallThatAnotherValueTakesThePlaceOfIsLeftOut) {
  const std::string body =
      "class Chain:\n    def apply(self):\n        return True\n\n    def step(self, skips):\n"
      "        done = self.apply()\n        return done\n";
  const std::string text =
      explain_of({{"a.py", body}},
                 {{"a.py", replace_all(body, "done = self.apply()", "done = False if skips else self.apply()")}});
  EXPECT_TRUE(
      says(text, "sets `done` to `False` where `skips` is set, without a call of `self.apply`; otherwise as before"))
      << text;
  const std::string both = explain_of(
      {{"a.py", body}},
      {{"a.py", replace_all(body, "done = self.apply()", "done = not self.apply() if skips else self.apply()")}});
  EXPECT_FALSE(says(both, "without a call")) << both;
}

/// What a function that is handed on does counts, not what it takes.
TEST(Telling, ALambdaShowsWhatItDoes) {
  const std::string body = "def hook(self, module):\n    return module\n";
  const std::string text = explain_of(
      {{"a.py", body}},
      {{"a.py",
        replace_all(body, "    return",
                    "    module.register_full_backward_hook(\n        lambda _module, _grad_input, _grad_output: "
                    "self.post_backward()\n    )\n    return")}});
  EXPECT_TRUE(says(text, "calls `module.register_full_backward_hook(lambda …: self.post_backward())`")) << text;
}

/// A wait for the device that goes is what a reader of a training step looks for.
TEST(Telling, AWaitThatIsGoneIsTold) {
  const std::string body =
      "import torch\n\n\ndef count(tokens: torch.Tensor):\n    total = tokens.sum()\n    return float(total.item())\n";
  std::string text = explain_of({{"a.py", body}}, {{"a.py", replace_all(body, "float(total.item())", "total")}});
  EXPECT_TRUE(says(text, "no longer calls `total.item()`, which reads one value to the host, waiting for the GPU"))
      << text;
  text = explain_of({{"a.py", body}}, {{"a.py", replace_all(body, "float(total.item())", "total.tolist()")}});
  EXPECT_FALSE(says(text, "no longer calls")) << text;
}

/// What an entry of a new table reads is not written.
TEST(Telling, OnlyWhatChangedLinesWriteIsWritten) {
  const std::string body =
      "def collect(pipe, metrics):\n    metrics.update({\"a\": pipe.made_count})\n    pipe.made_count = 0\n"
      "    pipe.sent_count = 0\n    return metrics\n";
  std::string after = replace_all(body, "pipe.made_count})", "pipe.made_count, \"b\": pipe.kept_count})");
  after = replace_all(after, "    return", "    pipe.kept_count = 0\n    return");
  const std::string text = explain_of({{"a.py", body}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "**Writes, in the changed lines:** `pipe.kept_count`.")) << text;
  // A long index leaves the name.
  const std::string item = "pipe.rows[pipe.made_count + pipe.sent_count + len(metrics)]";
  const std::string long_index =
      explain_of({{"a.py", body}}, {{"a.py", replace_all(body, "    return", "    " + item + " = 0\n    return")}});
  EXPECT_TRUE(says(long_index, "**Writes, in the changed lines:** `pipe.rows[\u2026]`.")) << long_index;
}

/// A method that is called where another one was takes its place, though it looks otherwise.
TEST(Telling, ASuccessorNamesWhatItReplaces) {
  const std::string before =
      "class P:\n    def _should_drop(self, group):\n        \"\"\"No signal.\"\"\"\n        return std(group) <= "
      "1e-6\n\n"
      "    def run(self, group):\n        if self._should_drop(group):\n            self.task(group)\n";
  const std::string after =
      "class P:\n    def _decide(self, group):\n        \"\"\"Decide it.\"\"\"\n        if all(x.empty for x in "
      "group):\n"
      "            self.count += 1\n            return True\n        return False\n\n"
      "    def run(self, group):\n        if self._decide(group):\n            self.task(group)\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "`P._decide` (new, `a.py:2`), called where `P._should_drop` was, which is gone: “Decide it.”"))
      << text;
}

/// A handler is told before arguments that only follow other parameters.
TEST(Telling, AHandlerComesBeforeWhatFollowsTheSignature) {
  const std::string before =
      "def regen(queue, dropped):\n    try:\n        queue.submit(batch=dropped.batch, index=dropped.index)\n"
      "    except Closed:\n        queue.release()\n";
  std::string after = replace_all(before, "dropped.", "");
  after = replace_all(after, "dropped", "batch, index") +
          "    except BaseException:\n        queue.shutdown()\n        raise\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  const std::size_t handler = text.find("on `BaseException`, calls `queue.shutdown()` and raises the exception again");
  ASSERT_NE(handler, std::string::npos) << text;
}

/// Who goes over all fields of a dataclass meets a new one without naming it.
TEST(Telling, LoopsOverFieldsMeetANewOne) {
  const Files before = {
      {"params.py",
       "import dataclasses\n\n\n@dataclasses.dataclass\nclass Packed:\n    lengths: int = 0\n\n    def names(self):\n"
       "        return [f.name for f in dataclasses.fields(self)]\n\n\n@dataclasses.dataclass\nclass Other:\n"
       "    size: int = 0\n"},
      {"attention.py",
       "import dataclasses\n\nfrom params import Other, Packed\n\n\ndef build(other):\n    kept = {f.name for f in "
       "dataclasses.fields(Packed)}\n    return kept, dataclasses.fields(Other), dataclasses.fields(other)\n"}};
  std::string text = explain_of(before, with_edit(before, "params.py", "    lengths: int = 0\n",
                                                  "    lengths: int = 0\n    pad: bool = False\n"));
  EXPECT_TRUE(says(text,
                   "`Packed.pad` (new, `params.py:7`): `False`; no Python code outside tests sets it by name; "
                   "`attention.py:7` in `build` and `params.py:10` "
                   "in `Packed.names` go over all fields of the class."))
      << text;
  text = explain_of(
      before, with_edit(before, "params.py", "    size: int = 0\n", "    size: int = 0\n    pad: bool = False\n"));
  EXPECT_TRUE(says(text, "sets it by name; `attention.py:8` in `build` goes over all fields of the class.")) << text;
}

/// A change that only takes dead code out says so first; who calls itself is nobody's callee.
TEST(Telling, DeadCodeThatGoesIsToldAsThat) {
  const std::string kept = "def keep(x):\n    return x\n";
  const std::string gone =
      "\n\ndef inspect(x):\n    for each in x:\n        inspect(each)\n\n\ndef inner(x):\n    return x\n\n\n"
      "def outer(x):\n    return inner(x)\n";
  const std::string text = explain_of({{"a.py", kept + gone}}, {{"a.py", kept}});
  EXPECT_TRUE(says(
      text,
      "Of Python code the change only takes out 3 definitions. No Python code of the repository, tests included, has "
      "one of their names any more."))
      << text;
  EXPECT_TRUE(says(text, "no call in the repository led to it but its own")) << text;
  EXPECT_TRUE(says(text, "it was called by `outer` alone, which is gone, too")) << text;
  const std::string used = explain_of({{"a.py", kept + gone}, {"b.py", "import a\n\na.inspect([])\n"}},
                                      {{"a.py", kept}, {"b.py", "import a\n\na.inspect([])\n"}});
  EXPECT_FALSE(says(used, "only takes out")) << used;
}

/// A class of its own that gives way to a library's is replaced, not just gone.
TEST(Telling, WhatIsImportedInsteadIsNamed) {
  const Files before = {
      {"placement.py",
       "class Partial:\n    def __init__(self, op):\n        self.op = op\n\n\nclass Flat:\n    pass\n"},
      {"buffer.py", "from placement import Flat, Partial\n\n\ndef make():\n    return Partial(\"sum\"), Flat()\n"}};
  const Files after = {
      {"placement.py", "class Flat:\n    pass\n"},
      {"buffer.py",
       "from torch.distributed.tensor import Partial\n\nfrom placement import Flat\n\n\ndef make():\n    return "
       "Partial(\"sum\"), Flat()\n"}};
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "in place of which `torch.distributed.tensor.Partial` is imported")) << text;
  const std::string back = explain_of(after, before);
  EXPECT_TRUE(
      says(back, "`Partial` (new, `placement.py:1`), in place of the imported `torch.distributed.tensor.Partial`"))
      << back;
}

/// Where a new setting is asked for behind `not`, runs that do not set it meet the change.
TEST(Telling, ASettingThatKeepsTheOldWayIsNotOff) {
  const Files before = {
      {"config.py", "from dataclasses import dataclass\n\n\n@dataclass\nclass Params:\n    size: int = 1\n"},
      {"a.py", "def send(self, params):\n    return self.all(params.size)\n"}};
  Files after =
      with_edit(before, "config.py", "    size: int = 1\n", "    size: int = 1\n    keep_prompt: bool = False\n");
  after = with_edit(after, "a.py", "    return", "    if not params.keep_prompt:\n        self.drop()\n    return");
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "existing runs meet what is new")) << text;
  EXPECT_FALSE(says(text, "Off unless set")) << text;
}

/// A branch for runs without the setting that only leaves brings them nothing new; nor is it sure to be taken where
/// more is asked.
TEST(Telling, WhatIsSkippedWithoutASettingIsNotMet) {
  const Files before = {
      {"config.py", "from dataclasses import dataclass\n\n\n@dataclass\nclass Params:\n    size: int = 1\n"},
      {"a.py", "def send(self, requests):\n    for one in requests:\n        self.all(one.params.size)\n"}};
  const Files with_setting =
      with_edit(before, "config.py", "    size: int = 1\n", "    size: int = 1\n    streaming: bool = False\n");
  const auto text_with = [&](std::string_view added) {
    return explain_of(before, with_edit(with_setting, "a.py", "    for one in requests:\n",
                                        "    for one in requests:\n" + std::string(added)));
  };
  const std::string skipped = text_with(
      "        if not getattr(one.params, 'streaming', False):\n            continue\n        self.stream(one)\n");
  EXPECT_FALSE(says(skipped, "existing runs meet")) << skipped;
  EXPECT_TRUE(says(skipped, "New setting `streaming`")) << skipped;
  const std::string refused = text_with("        if not one.params.streaming:\n            raise ValueError(one)\n");
  EXPECT_FALSE(says(refused, "existing runs meet")) << refused;
  const std::string more_asked =
      text_with("        if not one.params.streaming and one.is_old:\n            self.drop(one)\n");
  EXPECT_FALSE(says(more_asked, "existing runs meet")) << more_asked;
  const std::string met = text_with("        if not one.params.streaming:\n            self.drop(one)\n");
  EXPECT_TRUE(says(met, "existing runs meet what is new")) << met;
}

/// A hook runs in each backward pass, though no call leads there.
TEST(Telling, AHookCostsInTheStep) {
  const std::string body = "def wrap(self, module):\n    return module\n";
  const std::string text = explain_of(
      {{"a.py", body}},
      {{"a.py", replace_all(body, "    return", "    module.register_full_backward_hook(self.after)\n    return")}});
  EXPECT_TRUE(says(text, "`wrap` registers a hook: autograd, or the module, runs it each time that it gets there"))
      << text;
  EXPECT_FALSE(says(text, "No way from a training step")) << text;
}

/// A comment inside a condition leaves no blank behind a bracket.
TEST(Telling, CommentsInBracketsLeaveNoBlank) {
  const std::string body = "def f(xs):\n    if any(x in xs for x in xs):\n        run(xs)\n";
  const std::string text =
      explain_of({{"a.py", body}},
                 {{"a.py", replace_all(replace_all(body, "any(x in xs", "any(\n        # why\n        not x.is_in(xs)"),
                                       "run(xs)", "run(xs, 1)")}});
  EXPECT_TRUE(says(text, "any(not x.is_in(xs) for x in xs)")) << text;
}

/// Two files of one name are two participants.
TEST(Telling, FilesOfOneNameAreToldApartInSequences) {
  const Files before = {
      {"train.py", "from post.checkpoint import load\n\nif __name__ == \"__main__\":\n    load(1)\n"},
      {"post/checkpoint.py", "from core.checkpoint import restore\n\n\ndef load(x):\n    restore(x)\n"},
      {"core/checkpoint.py", "def restore(x):\n    return x\n"}};
  const std::string text = explain_of(before, with_edit(before, "core/checkpoint.py", "return x", "return x.state"));
  EXPECT_TRUE(says(text, "as checkpoint.py\n")) << text;
  EXPECT_TRUE(says(text, "as core/checkpoint.py [MODIFIED]\n")) << text;
}

/// Where the fields of a dataclass are kept, and who reads them there.
TEST(Telling, WhatKeepsTheFieldsIsFollowedToItsReader) {
  const Files before = {
      {"params.py", "import dataclasses\n\n\n@dataclasses.dataclass\nclass Packed:\n    lengths: int = 0\n"},
      {"attention.py",
       "import dataclasses\n\nfrom params import Packed\n\n\nclass Attention:\n    def __init__(self):\n        "
       "self.kept = {one.name for one in dataclasses.fields(Packed)}\n\n    def forward(self, packed):\n        return "
       "{name: getattr(packed, name) for name in self.kept}\n\n\ndef make(n):\n    return Packed(lengths=n)\n"},
      {"tests/test_attention.py", "from params import Packed\n\n\ndef test_it():\n    Packed(lengths=1)\n"}};
  Files after = with_edit(before, "params.py", "lengths: int = 0\n", "lengths: int = 0\n    pad: bool = None\n");
  after = with_edit(after, "tests/test_attention.py", "lengths=1", "lengths=1, pad=True");
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(
      says(text,
           "`None`; no Python code outside tests sets it by name; `attention.py:8` in `Attention.__init__` goes "
           "over all fields of the class and keeps what it makes of them in `self.kept`, which "
           "`Attention.forward` reads."))
      << text;
  for (const auto& [was, now] :
       {std::pair("Packed(lengths=n)", "Packed(lengths=n, pad=True)"), std::pair("Packed(lengths=n)", "Packed(n, n)"),
        std::pair("return Packed(lengths=n)", "packed = Packed(n)\n    packed.pad = n"),
        std::pair("Packed(lengths=n)", "Packed(**{\"pad\": n})")})
    EXPECT_FALSE(says(explain_of(before, with_edit(after, "attention.py", was, now)), "sets it by name")) << now;
}

/// Of a collection that is written out the elements are told that come and go.
TEST(Telling, ElementsOfACollectionComeAndGo) {
  const std::string before =
      "class Names:\n    def __init__(self):\n        self.kinds = {\"one\", \"two\", \"three\"}\n  "
      "      self.order = [1, 2, 3]\n        self.options = {\"a\": 1, \"b\": 2}\n"
      "        for name in (\"a\", \"b\"):\n            print(name)\n";
  const auto text_of = [&](std::string_view was, std::string_view now) {
    std::string after = before;
    after.replace(after.find(was), was.size(), now);
    return explain_of({{"a.py", before}}, {{"a.py", after}});
  };
  EXPECT_TRUE(says(text_of("\"three\"}", "\"three\", \"four\"}"), "adds `\"four\"` to `self.kinds`"));
  EXPECT_TRUE(says(text_of("\"two\", \"three\"}", "\"two\", \"four\"}"),
                   "adds `\"four\"` to `self.kinds`, and takes `\"three\"` out of it"));
  EXPECT_TRUE(says(text_of("\"a\": 1, \"b\": 2}", "\"a\": 1, \"b\": 2, \"c\": 3}"),
                   "adds the entry `\"c\": 3` to `self.options`"));
  EXPECT_TRUE(says(text_of("[1, 2, 3]", "[1, 3]"), "takes `2` out of `self.order`"));
  EXPECT_TRUE(says(text_of("(\"a\", \"b\")", "(\"a\", \"b\", \"c\")"), "adds `\"c\"` to what it loops over"));
  // The order of a list is its own.
  EXPECT_FALSE(says(text_of("[1, 2, 3]", "[3, 2, 1, 4]"), "adds `4`"));
}

/// What a masked fill writes is told where the call is too long to show it.
TEST(Telling, AMaskedFillTellsItsValue) {
  const auto text_of = [](const std::string& value) {
    const std::string before = "import torch\n\n\ndef f(table, blocks):\n    rows = table[:4]\n    return rows\n";
    return explain_of({{"a.py", before}},
                      {{"a.py", replace_all(before, "    return rows",
                                            "    rows.masked_fill_(rows < blocks.first_block_of_the_table, " + value +
                                                ")\n    return rows")}});
  };
  const std::string longer = "blocks.allocator_of_blocks.dummy_block_index";
  EXPECT_TRUE(says(text_of(longer), "which replaces the masked values by `" + longer + "` in place"))
      << text_of(longer);
  EXPECT_TRUE(says(text_of("0"), "which replaces the masked values in place")) << text_of("0");
}

/// `return f(x)` that only gets a name on the way is as it was; what is deleted then is the change.
TEST(Telling, AReturnedValueThatOnlyGetsANameIsNoChange) {
  const std::string text =
      explain_of({{"a.py", "def f(x, y):\n    z = x + y\n    return z.to(x.dtype)\n"}},
                 {{"a.py",
                   "def f(x, y):\n    z = x + y\n    out = z.to(x.dtype)\n    del y, z\n    return "
                   "out\n"}});
  EXPECT_TRUE(says(text,
                   "`f` (changed, `a.py:1`): deletes the local names `y` and `z`, right before the return, which lets "
                   "go of them anyway."))
      << text;
}

}  // namespace
}  // namespace lockstep::render
