// What the documents say must be so: each on a change small enough to see what would be false.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"
#include "render/markdown.h"
#include "report/documents/dive.h"
#include "report/documents/explain.h"

namespace lockstep::render {
namespace {

TEST(Facts, ADefaultWithinAFieldIsTheDefault) {
  const std::string config =
      "from dataclasses import dataclass, field\n\n\n@dataclass\nclass Config:\n"
      "    steps: int = 1\n    act: Callable[[torch.Tensor], torch.Tensor] = None\n";
  const std::string fields =
      "    fp8: str = field(default=None, metadata={'a': 1})\n    names: list = field(default_factory=list)\n"
      "    ranks: list = field(default_factory=lambda: [0])\n";
  const std::string read = "\n\ndef run(config: Config):\n    return config.steps";
  const std::string text =
      explain_of({{"config.py", config + read + "\n"}},
                 {{"config.py", config + fields + read + ", config.fp8, config.names, config.ranks\n"}});
  EXPECT_TRUE(says(text, "`fp8` (new, `config.py:8`), default `None`")) << text;
  EXPECT_TRUE(says(text, "default `list()`")) << text;
  EXPECT_TRUE(says(text, "default `[0]`")) << text;
}

TEST(Facts, ACheckInABranchIsRequiredOnlyThere) {
  const std::string text = parts_of({{"a.py", "X = 1\n"}}, {{"a.py", R"(X = 1


def f(recipe, size):
    """Do it."""
    if recipe is not None:
        if not X:
            raise RuntimeError("the library is too old")
    if size == 0:
        return None
    assert size > 2
    found = g(size)
    assert found is not None
    for one in found:
        assert recipe
    return found
)"}});
  EXPECT_TRUE(says(text, "`X` is set, else `RuntimeError`, where `recipe` is not `None`")) << text;
  EXPECT_TRUE(says(text, "`size` is more than `2` where `size` is not `0`")) << text;
  EXPECT_FALSE(says(text, "`found` is not `None`;")) << text;
  EXPECT_FALSE(says(text, "; `recipe` is set")) << text;
}

TEST(Facts, WhatAMethodOfAResultDoesIsNotWhatTheCallDoes) {
  const std::string text = parts_of({{"a.py", "X = 1\n"}}, {{"a.py", R"(import torch.distributed as dist

X = 1


def swap(x, group):
    """Send x around."""
    dist.all_reduce(x, group=group)
    return x


def f(x, group):
    """Do it."""
    tail = swap(x, group).view(2, 3)
    return tail
)"}});
  EXPECT_TRUE(says(text, "“Send x around”), which can issue `all_reduce`, then applies `.view(2, 3)`, which reads"))
      << text;
}

TEST(Facts, ACheckThatAnotherFunctionMakesNowIsLeftToIt) {
  const std::string check = "raise ValueError(\"--wide is only supported with --long\")\n";
  const std::string text = explain_of(
      {{"a.py",
        "class C:\n    def check(self):\n        assert self.long, \"--wide is only supported with --long\"\n"
        "        return 1\n\n\ndef build(c):\n    return c\n"}},
      {{"a.py",
        "class C:\n    def check(self):\n        return 1\n\n\ndef build(c):\n    if c.wide and not c.long:\n"
        "        " +
            check + "    return c\n"}});
  EXPECT_TRUE(says(text, "leaves the check `assert self.long, ")) << text;
  EXPECT_FALSE(says(text, "no longer insists")) << text;
}

TEST(Facts, ACheckInAnotherFormIsNotGone) {
  const std::string text = explain_of(
      {{"a.py", "def f(x):\n    assert x.wide, \"x must be wide enough\"\n    return g(x)\n"}},
      {{"a.py",
        "def f(x):\n    if not x.wide:\n        raise ValueError(\"x must be wide enough\")\n    return g(x)\n"}});
  EXPECT_TRUE(says(text, "in place of `assert x.wide, \"x must be wide enough\"`")) << text;
  EXPECT_FALSE(says(text, "no longer insists")) << text;
}

TEST(Facts, AnotherHelpTextIsNoOtherSetting) {
  const std::string before =
      "def arguments(parser):\n    parser.add_argument('--size', type=int, default=4, help='Old words.')\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", replace_all(before, "Old", "New")}});
  EXPECT_FALSE(says(text, "declaration of setting")) << text;
}

TEST(Facts, AHandlerThatRaisesAgainSwallowsNothing) {
  const std::string text = explain_of(
      {{"a.py", "def f(x):\n    return g(x)\n"}},
      {{"a.py",
        "def f(x):\n    try:\n        return g(x)\n    except BaseException:\n        x.close()\n        raise\n"}});
  EXPECT_FALSE(says(text, "catches nearly everything")) << text;
}

TEST(Facts, TheMethodOfAResultIsNamedByItself) {
  const std::string text = explain_of({{"a.py", "def f(x):\n    y = (x >= 1).to(x.dtype)\n    return y\n"}},
                                      {{"a.py", "def f(x):\n    y = (x >= 1).to(x.other.dtype)\n    return y\n"}});
  EXPECT_TRUE(says(text, "asses `x.other.dtype` to `.to` instead of `x.dtype`")) << text;
}

TEST(Facts, ANameThatStandsInForAnImportIsNoNewDefinition) {
  const std::string text =
      explain_of({{"a.py", "X = 1\n"}}, {{"a.py",
                                          "try:\n    from lib import fast\nexcept ImportError:\n    fast = None\n\nX = "
                                          "1\n\n\ndef f(x):\n    return fast(x)\n"}});
  EXPECT_FALSE(says(text, "- `fast` (new")) << text;
}

TEST(Facts, LinesBetweenChangedOnesAreShown) {
  const std::string text =
      explain_of({{"a.sh", "if a; then\n  one\nfi\ntwo\n"}}, {{"a.sh", "if b; then\n  one\nfi\nthree\n"}});
  EXPECT_TRUE(says(text, "+ if b; then\n    one\n  fi\n- two\n+ three\n")) << text;
}

TEST(Facts, StatementsAboutOtherThingsAreNoEdits) {
  const std::string text = explain_of(
      {{"a.py",
        "def f(self):\n    paused_block_counts = self.request_block_counts[: self.paused_count]\n    return 1\n"}},
      {{"a.py", "def f(self):\n    retained_paused_count = self._get_count_within_budget()\n    return 1\n"}});
  EXPECT_FALSE(says(text, "in place of `paused_block_counts")) << text;
}

TEST(Facts, ANewNameOfAnAttributeIsNoOtherBehaviour) {
  const std::string before =
      "class Pool:\n    def __init__(self, size):\n        self.total_count = size\n\n    def left(self):\n"
      "        return self.total_count - self.used_blocks\n\n    def show(self, log):\n"
      "        log.write(self.total_count, self.used_blocks)\n        return log\n";
  std::string after = replace_all(before, "total_count", "pool_size");
  after = replace_all(after, "        return log\n", "        log.flush()\n        return log\n");
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text,
                   "`Pool.show` (changed, `a.py:8`): calls `log.flush()`; follows the new name `pool_size` of "
                   "`total_count`"))
      << text;
  EXPECT_FALSE(says(text, "instead of `self.total_count")) << text;
  // Two attributes that both were there: another value is read.
  const std::string other = explain_of(
      {{"a.py", "def f(x):\n    y = g(x.first, x.second, x.third)\n    return y + g(x.first, x.second, 1)\n"}},
      {{"a.py", "def f(x):\n    y = g(x.third, x.second, x.third)\n    return y + g(x.third, x.second, 1)\n"}});
  EXPECT_FALSE(says(other, "follows the new name")) << other;
}

/// One attribute in the place of two that are gone is another thing, not a new name of one of them.
TEST(Facts, AnAttributeThatJoinsTwoIsNoNewName) {
  const std::string rest =
      "\n    def left(self):\n        return len(self.free_blocks)\n\n    def taken(self):\n"
      "        return len(self.used_blocks)\n\n    def show(self, log):\n        log.write(self.free_blocks)\n"
      "        return log\n";
  const std::string head = "class Pool:\n    def __init__(self, size):\n";
  std::string after = replace_all(replace_all(rest, "free_blocks", "pool_blocks"), "used_blocks", "pool_blocks");
  after = replace_all(after, "        return log\n", "        log.flush()\n        return log\n");
  const std::string text = explain_of(
      {{"a.py", head + "        self.free_blocks = make(size)\n        self.used_blocks = make(0)\n" + rest}},
      {{"a.py", head + "        self.pool_blocks = make(size)\n" + after}});
  EXPECT_TRUE(says(text, "calls `log.flush()`")) << text;
  EXPECT_FALSE(says(text, "follows the new name")) << text;
}

TEST(Facts, ANameBoundInBothBranchesIsOneDefinition) {
  const std::string rest = "def f(x):\n    return x\n";
  const std::string text = explain_of(
      {{"a.py", "try:\n    import lib\n\n    HAVE = True\nexcept ImportError:\n    HAVE = False\n\n\n" + rest}},
      {{"a.py", rest}});
  const std::size_t first = text.find("`HAVE` (removed");
  EXPECT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("`HAVE` (removed", first + 1), std::string::npos) << text;
}

TEST(Facts, ANewNameOfALocalVariableIsNoOtherBehaviour) {
  const std::string before =
      "def f(xs, g):\n    prepared = []\n    for x in xs:\n        prepared.append(g(x))\n    return prepared\n";
  const std::string text = explain_of(
      {{"a.py", before}},
      {{"a.py", replace_all(replace_all(before, "prepared", "buffers"), "return buffers", "return buffers, xs")}});
  EXPECT_TRUE(says(text, "renames `prepared` to `buffers`")) << text;
  EXPECT_FALSE(says(text, "| `f` | `prepared = []`")) << text;
  // Where the old name goes on, it is another variable.
  const std::string other =
      explain_of({{"a.py", before}}, {{"a.py", replace_all(replace_all(before, "prepared", "buffers"), "return buffers",
                                                           "prepared = buffers[0]\n    return prepared")}});
  EXPECT_FALSE(says(other, "renames")) << other;
}

TEST(Facts, OfAnEditedStatementOnlyWhatDiffersIsTold) {
  const std::string before =
      "def f(self, model, batch, config):\n"
      "    result = model.forward_and_score(batch.tokens, attention_mask=batch.attention_mask, "
      "positions=batch.positions, "
      "labels=batch.labels, loss_mask=batch.loss_mask, temperature=config.temperature, keep=False, use_cache=True)\n"
      "    if config.accumulate and batch.size > 2:\n        model.flush()\n    x = model.take(batch)\n"
      "    return result, x\n";
  std::string after = replace_all(before, "keep=False", "scale=config.scale");
  after = replace_all(after, "batch.size > 2:", "batch.size > 2 and not model.is_pooled:");
  after = replace_all(after, "    x = model", "    x, rest = model");
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text,
                   "| `result = model.forward_and_score(…, keep=False, …)` | `result = "
                   "model.forward_and_score(…, scale=config.scale, …)` |"))
      << text;
  EXPECT_TRUE(says(
      text, "requires also that `model.is_pooled` is false for the branch on `config.accumulate and batch.size > 2`"))
      << text;
  EXPECT_TRUE(says(text, "takes `x, rest` from `model.take(batch)` instead of `x`")) << text;
}

TEST(Facts, WhereNoReasonIsGivenCommentsAndTestsSpeak) {
  const std::string text = render_markdown(report::write_explain(
      make_fixture({{"a.py", "def f(x):\n    return [0] * x\n"}, {"tests/test_a.py", "import a\n"}},
                   {{"a.py", "def f(x):\n    return [0] * len(x)\n"},
                    {"tests/test_a.py",
                     "import a\n\n\ndef test_f():\n    # One mode per item of the list, not one per unit of length.\n"
                     "    assert a.f([3, 2]) == [0, 0]\n"}},
                   "Use the length")
          ->inputs));
  EXPECT_TRUE(says(text, "Beyond its title, “Use the length”, no reason was found in its message. Its tests say:"))
      << text;
  EXPECT_TRUE(says(text, "“One mode per item of the list, not one per unit of length.”")) << text;
}

TEST(Facts, OperandsThatComeAndGoAreToldAlone) {
  const auto text_of = [](const std::string& old_value, const std::string& new_value) {
    return explain_of({{"a.py", "def f(a, b, c):\n    x = " + old_value + "\n    return x\n"}},
                      {{"a.py", "def f(a, b, c):\n    x = " + new_value + "\n    return x\n"}});
  };
  const std::string added = text_of("a or b", "a or b or c");
  EXPECT_TRUE(says(added, "(changed, `a.py:1`): adds `or c` to the value of `x`")) << added;
  EXPECT_TRUE(says(parts_of({{"a.py", "def f(a, b, c):\n    x = a or b\n    return x\n"}},
                            {{"a.py", "def f(a, b, c):\n    x = a or b or c\n    return x\n"}}),
                   "| \u2014 | Adds `or c` to the value of `x` |"))
      << added;
  const std::string removed = text_of("a and b and c", "a and c");
  EXPECT_TRUE(says(removed, "drops `and b` from the value of `x`")) << removed;
  const std::string nested = text_of("a and (b or 1)", "a and (b or 1 or c)");
  EXPECT_TRUE(says(nested, "adds `or c` to `b or 1` in the value of `x`")) << nested;
  const std::string first = text_of("a", "a or b");
  EXPECT_TRUE(says(first, "adds `or b` to the value of `x`")) << first;
  // An operand that another takes the place of is no operand more.
  const std::string other = text_of("a or b", "a or c");
  EXPECT_TRUE(says(other, "sets `x` to `a or c` instead of `a or b`")) << other;
  // What stands in front of the others is what the value is taken from.
  const std::string in_front = text_of("1", "a or 1");
  EXPECT_TRUE(says(in_front, "sets `x` to `a or 1` instead of `1`")) << in_front;
  const std::string between = text_of("a or 1", "a or b or 1");
  EXPECT_TRUE(says(between, "sets `x` to `a or b or 1` instead of `a or 1`")) << between;
}

TEST(Facts, ANewBranchIsNotTheNextOneThoughItDoesMuchTheSame) {
  const auto branch = [](const std::string& name, const std::string& size) {
    return "    elif x == \"" + name +
           "\":\n        c.act = relu\n        c.fuse = False\n        c.bias = False\n"
           "        c.size = " +
           size + "\n";
  };
  const std::string start = "def f(x, c):\n    if x == \"a\":\n        c.size = 1\n";
  const std::string text = explain_of({{"m.py", start + branch("big", "5") + "    return c\n"}},
                                      {{"m.py", start + branch("new", "4") + branch("big", "6") + "    return c\n"}});
  EXPECT_FALSE(says(text, "takes the branch when")) << text;
  EXPECT_TRUE(says(text, "when `x` is `\"new\"`, sets `c.act`")) << text;
}

TEST(Facts, FieldsOfPrivateClassesAreNoSettings) {
  const std::string cls = "from typing import NamedTuple\n\n\nclass _UnitConfig(NamedTuple):\n    size: int\n";
  const std::string text = explain_of({{"m.py", cls}}, {{"m.py", cls + "    groups: int\n"}});
  EXPECT_FALSE(says(text, "New setting")) << text;
  EXPECT_FALSE(says(text, "New field")) << text;
}

TEST(Facts, WhatCarriesTheDataOfACallIsNoSetting) {
  const std::string head = "from dataclasses import dataclass\n\nfrom torch import Tensor\n\n\n@dataclass\n";
  const std::string data = head + "class PackedParams:\n    offsets: Tensor = None\n";
  EXPECT_FALSE(says(explain_of({{"m.py", data}}, {{"m.py", data + "    cache: object = None\n"}}), "New setting"));
  const std::string code = head + "class GroupParams:\n    run: Callable[[], int]\n";
  EXPECT_FALSE(says(explain_of({{"m.py", code}}, {{"m.py", code + "    end: object = None\n"}}), "New setting"));
  const std::string settings = head + "class SamplingParams:\n    top_k: int = 0\n";
  EXPECT_TRUE(says(explain_of({{"m.py", settings}}, {{"m.py", settings + "    top_p: float = 0\n"}}), "New setting"));
}

TEST(Facts, WhatOnlyABackwardPassIssuesIsToldAsThat) {
  const std::string lib = R"(import torch
import torch.distributed as dist


def spread(x, group):
    dist.all_gather_into_tensor(x, x, group=group)
    return x


def fold(x, group):
    dist.reduce_scatter_tensor(x, x, group=group)
    return x


class Spread(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, group):
        ctx.group = group
        return spread(x, group)

    @staticmethod
    def backward(ctx, grad):
        return fold(grad, ctx.group), None
)";
  const std::string head = "from lib import Spread\n\n\ndef f(x, group):\n    y = Spread.apply(x, group)\n    return y";
  const std::string text =
      explain_of({{"lib.py", lib}, {"a.py", head + "\n"}},
                 {{"lib.py", lib}, {"a.py", replace_all(head, "apply(x,", "apply(x + 1,") + "\n"}});
  EXPECT_TRUE(says(text, "`spread` (`lib.py:5`): `all_gather_into_tensor` over the group passed as `group`;")) << text;
  EXPECT_TRUE(says(text, "`reduce_scatter_tensor` over the group passed as `group`, in a backward pass only")) << text;
}

// Which ranks meet below a call hangs on what the call gives: the getter that stands in for a group that is left out.
TEST(Facts, ACollectiveBelowACallHasTheGroupThatTheCallGivesIt) {
  const std::string lib = R"(import torch.distributed as dist
from megatron.core import parallel_state


def get_group_if_none(group):
    if group is None:
        group = parallel_state.get_tensor_model_parallel_group()
    return group


def gather(x, group=None):
    group = get_group_if_none(group)
    return collect(x, group)


def collect(x, group):
    dist.all_gather_into_tensor(x, x, group=group)
    return x
)";
  const auto text_of = [&](const std::string& call) {
    const std::string head = "from lib import gather, parallel_state\n\n\ndef f(x, other):\n    x = x + 1\n";
    return explain_of({{"lib.py", lib}, {"a.py", head + "    return x\n"}},
                      {{"lib.py", lib}, {"a.py", head + "    return " + call + "\n"}});
  };
  const std::string plain = text_of("gather(x)");
  EXPECT_TRUE(says(plain, "`collect` (`lib.py:16`): `all_gather_into_tensor` over tensor-parallel group (tp)"))
      << plain;
  const std::string given = text_of("gather(x, parallel_state.get_data_parallel_group())");
  EXPECT_TRUE(says(given, "`collect` (`lib.py:16`): `all_gather_into_tensor` over data-parallel group (dp)")) << given;
  const std::string open = text_of("gather(x, other)");
  EXPECT_TRUE(says(open, "`collect` (`lib.py:16`): `all_gather_into_tensor` over the group passed as `group`")) << open;
  const std::string both = text_of("gather(x) + gather(x, parallel_state.get_data_parallel_group())");
  EXPECT_TRUE(says(both, "`collect` (`lib.py:16`): `all_gather_into_tensor` over the group passed as `group`")) << both;
}

// A collective that the arguments of a call close is none that it comes to.
TEST(Facts, ACollectiveThatAnArgumentClosesIsNotToldOfTheCall) {
  const std::string lib = R"(import torch.distributed as dist


def match(x, sync):
    if sync:
        x = spread(x)
    return x


def spread(x):
    dist.all_reduce(x)
    return x
)";
  const auto text_of = [&](const std::string& call) {
    const std::string head = "from lib import match\n\n\ndef f(x, other):\n    x = x + 1\n";
    return explain_of({{"lib.py", lib}, {"a.py", head + "    return x\n"}},
                      {{"lib.py", lib}, {"a.py", head + "    x = " + call + "\n    return x\n"}});
  };
  for (const char* call : {"match(x, True)", "match(x, other)"}) {
    const std::string text = text_of(call);
    EXPECT_TRUE(says(text, "**Communicates through what it calls:** `spread`")) << text;
    EXPECT_TRUE(says(text, "`f` comes to call `spread`, which issues `all_reduce`")) << text;
    EXPECT_TRUE(says(text, ", which can issue `all_reduce`")) << text;
  }
  const std::string closed = text_of("match(x, False)");
  EXPECT_FALSE(says(closed, "all_reduce")) << closed;
  EXPECT_FALSE(says(closed, "can come to collectives")) << closed;
}

// What a title is filed under is no setting that it speaks of.
TEST(Facts, TheScopeOfATitleNamesNoSetting) {
  const std::string options =
      "import argparse\n\n\ndef parse():\n    parser = argparse.ArgumentParser()\n"
      "    parser.add_argument('--tensor-parallel', type=int, default=1)\n    return parser.parse_args()\n";
  const auto text_of = [&](std::string title) {
    return explain_of({{"options.py", options}, {"a.py", "def f(x):\n    return x\n"}},
                      {{"options.py", options}, {"a.py", "def f(x):\n    return x + 1\n"}}, std::move(title));
  };
  const std::string listed = "`tensor_parallel` (`options.py:6`)";
  EXPECT_TRUE(says(text_of("Honour tensor_parallel in f"), listed)) << text_of("Honour tensor_parallel in f");
  EXPECT_FALSE(says(text_of("fix(tensor_parallel): add one"), listed)) << text_of("fix(tensor_parallel): add one");
}

TEST(Facts, WhatATitleNamesIsASettingOnlyWhereItIsDeclaredAsOne) {
  const std::string data =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass Saved:\n    saved_state: dict\n\n\n"
      "def saved_state(x):\n    return x\n";
  const std::string text =
      explain_of({{"data.py", data}, {"a.py", "def f(x):\n    return x\n"}},
                 {{"data.py", data}, {"a.py", "def f(x):\n    return x + 1\n"}}, "Use saved_state in f");
  EXPECT_FALSE(says(text, "Settings that it adds")) << text;
}

TEST(Facts, WhatTheTitleNamesIsToldFirst) {
  // Whatever else had to follow: the long function holds the title's common word alone.
  const std::string head = "def build_wrapper(model, args):\n    wrap(model)\n";
  const std::string other = "\n\ndef load_all(args):\n    state = read(args)\n";
  const std::string rest =
      "\n\ndef one(args):\n    a(args)\n\n\ndef two(args):\n    b(args)\n\n\ndef three(args):\n    c(args)\n";
  const std::string text = explain_of(
      {{"a.py", head + other + rest}},
      {{"a.py",
        head + "    if args.freeze:\n        model.hooks.append(freeze_layers)\n        stop(model)\n" + other +
            "    if args.freeze:\n        args.other = True\n        for one in state:\n            if one.bad:\n"
            "                drop(one)\n            else:\n                keep(one)\n        if args.more:\n"
            "            more(args)\n    finish(state)\n" +
            replace_all(replace_all(replace_all(rest, "a(args)", "if args.x:\n        a(args)"), "b(args)",
                                    "if args.x:\n        b(args)"),
                        "c(args)", "if args.x:\n        c(args)")}},
      "Fix freeze of layers for the model builder");
  EXPECT_LT(text.find("### `build_wrapper`"), text.find("### `load_all`")) << text;
}

TEST(Facts, WhatTookAnotherFormIsNoRowOfItsOwn) {
  const std::string head = "def f(state, args):\n    first(args)\n";
  const std::string text = parts_of(
      {{"a.py", head +
                    "    size = getattr(state, 'size', None)\n    state['iteration'] = args.target\n    second(args)\n"
                    "    gone_for_good(state)\n    third(args)\n"}},
      {{"a.py",
        head +
            "    second(args)\n    third(args)\n    iteration = getattr(args, 'target', 0)\n    tell(iteration)\n"}});
  const std::string rows =
      text.substr(text.find("| Where"), text.find("```", text.find("| Where")) - text.find("| Where"));
  EXPECT_FALSE(says(rows, "Sets `state['iteration']`")) << rows;
  EXPECT_TRUE(says(rows, "gone_for_good")) << rows;
}

TEST(Facts, ManyTestsAreNotCounted) {
  Files before = {{"a.py", "def pool_tokens(x):\n    return x\n\n\ndef around(x):\n    return pool_tokens(x)\n"}};
  std::string tests = "from a import around\n";
  for (const char* name : {"one", "two", "three", "four", "five", "six"})
    tests += fmt::format("\n\ndef test_{}():\n    assert around(1)\n", name);
  before["tests/test_a.py"] = tests;
  Files after = before;
  after["a.py"] = replace_all(before["a.py"], "return x\n", "return x + 1\n");
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "Calls lead to it from several tests, among them `test_five`")) << text;
  EXPECT_FALSE(says(text, "6 tests")) << text;
  EXPECT_FALSE(says(text, "more.")) << text;
}

TEST(Facts, WhatAnInnerFunctionReadsIsItsOwn) {
  const std::string code =
      "X = 1\n\n\ndef outer(x, config):\n    y = config.width\n\n    def inner(z):\n        return z * config.depth\n\n"
      "    x.install(inner, y)\n    return x\n";
  const std::string text = parts_of({{"a.py", "X = 1\n"}}, {{"a.py", code}});
  EXPECT_TRUE(says(text, "- **Reads from the configuration:** `width`.")) << text;
  EXPECT_TRUE(says(text, "- **Reads from the configuration:** `depth`.")) << text;
}

TEST(Facts, AChangedInnerFunctionIsNoOther) {
  const std::string code =
      "def outer(x):\n    def inner(z):\n        if z is None:\n            return 0\n        return z\n\n"
      "    def other(z):\n        return z\n\n    return x(inner, other)\n";
  const std::string text =
      explain_of({{"a.py", code}}, {{"a.py", replace_all(code, "z is None", "z is None or z < 0")}});
  EXPECT_FALSE(says(text, "in place of `def inner")) << text;
}

TEST(Facts, AnImportOfMoreNamesSaysWhich) {
  const Files before = {{"m.py", "def g():\n    pass\n\n\ndef h():\n    pass\n"},
                        {"a.py", "def f(x):\n    from m import g\n    return x\n"}};
  Files after = before;
  after["a.py"] = "def f(x):\n    from m import g, h\n    return x\n";
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "also imports `h` from `m`")) << text;
  const std::string back = explain_of(after, before);
  EXPECT_TRUE(says(back, "no longer imports `h` from `m`")) << back;
}

TEST(Facts, DocumentationThatChangesLeavesTheRestAsItWas) {
  const std::string text =
      explain_of({{"a.py", "class RunConfig:\n    size: int = 1\n    \"\"\"Size, only before the cut.\"\"\"\n"}},
                 {{"a.py", "class RunConfig:\n    size: int = 1\n    \"\"\"Size.\"\"\"\n"}});
  EXPECT_TRUE(says(text, "only its documentation changes; what runs is the same.")) << text;
  EXPECT_TRUE(says(text, "-     \"\"\"Size, only before the cut.\"\"\"\n+     \"\"\"Size.\"\"\"\n")) << text;
  EXPECT_TRUE(says(text, "N/A - only comments, documentation or layout of `RunConfig.size` change")) << text;
}

TEST(Facts, OfLayoutOnlyTheLinesAreShown) {
  const Files before = {{"a.py",
                         "def scale(x):\n    (a, b) = x\n    return a * b\n\n\ndef main():\n    scale((1, 2))\n\n\n"
                         "if __name__ == \"__main__\":\n    main()\n"}};
  const std::string text = dive_of(before, with_edit(before, "a.py", "(a, b) = x", "a, b = x"));
  EXPECT_TRUE(says(text, "outside tests, only comments, documentation or layout of Python code change")) << text;
  EXPECT_TRUE(says(text, "-     (a, b) = x\n+     a, b = x\n")) << text;
  EXPECT_FALSE(says(text, "[MODIFIED]:") || says(text, "sequenceDiagram")) << text;
}

TEST(Facts, ChecksThatComeAndGoAreCompatibility) {
  const std::string wide = "    if config.wide:\n        raise ValueError(\"wide is not supported yet\")\n";
  const std::string narrow = "    if config.narrow:\n        raise ValueError(\"narrow needs something else\")\n";
  const std::string start = "def validate(config):\n";
  const std::string end = "    return config\n";
  const std::string gone = explain_of({{"a.py", start + wide + end}}, {{"a.py", start + end}});
  EXPECT_TRUE(
      says(gone,
           "- `validate` no longer raises `ValueError` when `config.wide` is set. Unless another check refuses it, "
           "that is let through now."))
      << gone;
  const std::string handed_on =
      explain_of({{"a.py", start + wide + end}},
                 {{"a.py", "def refuse_wide(config):\n" + wide + "\n\n" + start + "    refuse_wide(config)\n" + end}});
  EXPECT_FALSE(says(handed_on, "let through now")) << handed_on;
  const std::string sized = "def pack(size):\n    assert size % 32 == 0\n    return size\n";
  const std::string named = "BLOCK = 32\n\n\ndef pack(size):\n    assert size % BLOCK == 0\n    return size\n";
  const std::string rewritten = explain_of({{"a.py", sized}}, {{"a.py", named}});
  EXPECT_FALSE(says(rewritten, "let through now")) << rewritten;
  const std::string fresh = explain_of({{"a.py", start + end}}, {{"a.py", start + wide + end}});
  EXPECT_TRUE(says(fresh, "- `validate` refuses more: when `config.wide` is set, raises `ValueError`")) << fresh;
  const std::string other = explain_of({{"a.py", start + wide + end}}, {{"a.py", start + narrow + end}});
  EXPECT_TRUE(says(other,
                   "- `validate` refuses what it is given: when `config.narrow` is set, no longer when "
                   "`config.wide` is set."))
      << other;
}

/// Two checks that become one for both cases together refuse less, not more.
TEST(Facts, ACheckOfTwoCasesTogetherRefusesNoMore) {
  const std::string start = "def validate(config):\n    use(config)\n";
  const auto check = [](const std::string& condition, const std::string& words) {
    return "    if " + condition + ":\n        raise ValueError(\"" + words + "\")\n";
  };
  const std::string was = start + check("config.ub", "no ub") + check("config.other", "no other") + "    go(config)\n";
  const std::string now = start + check("config.ub and config.plain", "ub needs it") + "    go(config)\n";
  const std::string text = parts_of({{"a.py", was}}, {{"a.py", now}});
  EXPECT_FALSE(says(text, "refuses more")) << text;
  EXPECT_TRUE(says(text,
                   "`validate` formerly raised `ValueError` when `config.ub` is set; now it does so only when "
                   "`config.ub` is set and `config.plain` is set") ||
              says(text, "no longer when `config.ub` is set"))
      << text;
  const std::string more = start + check("config.wide and config.plain", "wide needs it") + "    go(config)\n";
  EXPECT_TRUE(says(parts_of({{"a.py", start + "    go(config)\n"}}, {{"a.py", more}}), "refuses more"));
}

TEST(Facts, MakingGroupsIsNoCollective) {
  const auto text_of = [](const std::string& call) {
    const std::string start =
        "import torch.distributed as dist\n\nX = 1\n\n\ndef set_up(x):\n    \"\"\"Get ready.\"\"\"\n    ";
    const std::string end = "\n    return x\n\n\ndef f(x):\n    \"\"\"Do it.\"\"\"\n    y = set_up(x)\n    return y\n";
    return parts_of({{"a.py", "X = 1\n"}}, {{"a.py", start + call + end}});
  };
  for (const std::string_view making :
       {"dist.new_group([0])", "dist.new_subgroups(4)", "dist.new_subgroups_by_enumeration([[0], [1]])"})
    EXPECT_FALSE(says(text_of(std::string(making)), "can issue")) << making;
  const std::string sums = text_of("dist.all_reduce(x)");
  EXPECT_TRUE(says(sums, "which can issue `all_reduce`")) << sums;
}

TEST(Facts, ACheckWithAnotherConditionChanges) {
  const auto text_of = [](const std::string& old_body, const std::string& new_body) {
    const std::string start = "class Layer:\n    def forward(self, x, other=1):\n";
    return explain_of({{"a.py", start + old_body}}, {{"a.py", start + new_body}});
  };
  const std::string check = "        if x.dim() != 3:\n            raise ValueError(\"too few\")\n";
  const std::string end = "        return x\n";
  const std::string_view checks_do =
      "No public signature, declared default, setting or state_dict function changes; what is refused changes.";
  const std::string_view none = "No public signature, declared default, setting or state_dict function changes.";
  const std::string other = text_of(check + end, replace_all(check, "3", "4") + end);
  EXPECT_TRUE(says(other, checks_do)) << other;
  const std::string fresh = text_of(end, check + end);
  EXPECT_TRUE(says(fresh, checks_do)) << fresh;
  EXPECT_TRUE(says(fresh, " New error: `ValueError` in `Layer.forward` when `x.dim() != 3` (`a.py:4`).")) << fresh;
  EXPECT_FALSE(says(other, "New error")) << other;
  const std::string asserted = text_of("        assert x.ok\n" + end, "        assert x.fine\n" + end);
  EXPECT_TRUE(says(asserted, checks_do)) << asserted;
  const std::string kept = text_of(check + end, check + "        return x + 1\n");
  EXPECT_TRUE(says(kept, none)) << kept;
  const std::string runs = "        log(x)\n        run(x)\n";
  const std::string moved = text_of(check + runs + end, runs + check + end);
  EXPECT_TRUE(says(moved, none)) << moved;
}

TEST(Facts, ANewParameterBeforeOthersMovesThemOn) {
  const auto text_of = [](const std::string& old_parameters, const std::string& new_parameters) {
    return explain_of({{"a.py", "def f(" + old_parameters + "):\n    return a\n"}},
                      {{"a.py", "def f(" + new_parameters + "):\n    return a + 1\n"}});
  };
  const std::string pushes = text_of("a, b=1", "a, n=0, b=1");
  EXPECT_TRUE(says(pushes, "`f` takes the new `n` before `b`, which moves a position on.")) << pushes;
  EXPECT_TRUE(says(pushes, "Only callers that give `b` or what follows it by position have to follow.")) << pushes;
  const std::string two = text_of("a, b=1", "a, m=0, n=0, b=1");
  EXPECT_TRUE(says(two, "`f` takes the new `m` and `n` before `b`, which moves 2 positions on.")) << two;
  const std::string stars = text_of("a, *b", "a, n=0, *b");
  EXPECT_TRUE(says(stars, "`f` takes the new `n` before `*b`")) << stars;
  const std::string other = text_of("a, b=1", "a, b=2");
  EXPECT_TRUE(says(other, "changes the default of `b`: 1 → 2. Callers that leave it out get the new one.") ||
              says(other, "`b`: `1` → `2`. Callers that leave it out get the new one."))
      << other;
  const std::string last = text_of("a, b=1", "a, b=1, n=0");
  EXPECT_TRUE(says(last, "`f` takes the new `n`, with a default.")) << last;
  EXPECT_FALSE(says(last, "a position on")) << last;
  const std::string by_name = text_of("a, *, b=1", "a, *, n=0, b=1");
  EXPECT_FALSE(says(by_name, "a position on")) << by_name;
  const std::string rest = text_of("a", "a, *rest: int");
  EXPECT_TRUE(says(rest, "`f` takes the new `*rest`")) << rest;
  EXPECT_FALSE(says(rest, "takes the new `*rest: int`, with")) << rest;
}

TEST(Facts, OfTheRepositorysOwnCallsOnlyWhatAllOfThemShowIsSaid) {
  const auto text_of = [](const std::string& call) {
    const std::string rest = "    return a\n\n\ndef g():\n    return " + call + "\n";
    return explain_of({{"a.py", "def f(a, b=1):\n" + rest}}, {{"a.py", "def f(a, n=0, b=1):\n" + rest}});
  };
  const std::string by_name = text_of("f(1, b=2)");
  EXPECT_TRUE(says(by_name, "have to follow; of 1 call site found outside tests none does.")) << by_name;
  const std::string by_position = text_of("f(1, 2)");
  EXPECT_TRUE(says(by_position, "by position have to follow.")) << by_position;
  EXPECT_FALSE(says(by_position, "none does")) << by_position;
  const std::string spread = text_of("f(*g())");
  EXPECT_FALSE(says(spread, "none does")) << spread;
}

TEST(Facts, ACollectiveThatAnInnerHelperIssuesNowIsStillIssued) {
  const std::string import = "import torch.distributed as dist\n\n\n";
  const auto text_of = [&](const std::string& before, const std::string& after) {
    return explain_of({{"a.py", import + before}}, {{"a.py", import + after}});
  };
  const std::string direct = "def f(x, group):\n    y = x * 2\n    dist.all_reduce(y, group=group)\n    return y\n";
  const std::string gone = text_of(direct, "def f(x, group):\n    y = x * 2\n    return y\n");
  EXPECT_TRUE(says(gone, "o longer issues `all_reduce`")) << gone;
  const std::string inner = text_of(direct,
                                    "def f(x, group):\n    def total(z, g):\n        if g is not None:\n"
                                    "            dist.all_reduce(z, group=g)\n\n    y = x * 2\n    total(y, group)\n"
                                    "    return y\n");
  EXPECT_FALSE(says(inner, "o longer issues")) << inner;
  EXPECT_FALSE(says(inner, "o longer calls")) << inner;
  const std::string helper = "def total(z, g):\n    dist.all_reduce(z, group=g)\n\n\n";
  const std::string called =
      text_of(helper + direct, helper + "def f(x, group):\n    y = x * 2\n    total(y, group)\n    return y\n");
  EXPECT_FALSE(says(called, "o longer issues")) << called;
}

TEST(Facts, WhatIsLeftOutOfTheInputsIsCounted) {
  const std::string before = "def f(a, b, c, d):\n    x = a + b\n    return x\n";
  const std::string after = "def f(a, b, c, d):\n    x = a - b\n    return x\n";
  const std::string text = parts_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "**In:** `a`; `b`; and 2 more.")) << text;
}

TEST(Facts, OrderAndShapesAreSaidOnlyAsFarAsTheyAreKnown) {
  const std::string text = dive_of({{"ops.py", "X = 1\n"}}, {{"ops.py", R"(import torch

X = 1


def pool_backward_op(grad, size):
    """Spread the gradient back over all rows."""
    out = torch.empty((size, 4, grad.shape[0]), dtype=grad.dtype)
    for row in range(size):
        out[row] = grad * row + X
        out[row] += grad.sum()
    return out


def pool_forward_op(rows):
    """Add the rows up."""
    return rows.sum(0)
)"}});
  EXPECT_LT(text.find("#### `pool_forward_op`"), text.find("#### `pool_backward_op`")) << text;
  EXPECT_FALSE(says(text, "a run meets")) << text;
  EXPECT_TRUE(says(text, "`out` is `[size, 4, grad.shape[0]]`")) << text;
  EXPECT_FALSE(says(text, "o tensor shape")) << text;
  EXPECT_TRUE(says(text, "are new; nothing of these names existed before.")) << text;
}

TEST(Facts, WhatNobodyIsToSetIsNoNewSetting) {
  const std::string config = "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    steps: int = 1\n";
  const std::string read = "\n\ndef run(config: Config):\n    return config.steps";
  const auto text_of = [&](const std::string& documentation) {
    const std::string fields = "    shards: int = 1\n    \"\"\"" + documentation +
                               "\"\"\"\n    parts: int = 2\n    \"\"\"How many parts.\"\"\"\n";
    return explain_of({{"config.py", config + read + "\n"}},
                      {{"config.py", config + fields + read + ", config.parts, config.shards\n"}});
  };
  const std::string derived = text_of(
      "Shards of a weight.\n\n       INTERNAL / DERIVED: there is no flag for it;\n       do not set directly. "
      "Use parts.\n    ");
  EXPECT_TRUE(says(derived, "New setting `parts` (default `2`): “How many parts.”")) << derived;
  EXPECT_FALSE(says(derived, "New setting `shards`")) << derived;
  EXPECT_TRUE(says(derived,
                   "not to be set, default `1`. “Shards of a weight.” “INTERNAL / DERIVED: there is no flag "
                   "for it; do not set directly. Use parts.”"))
      << derived;
  for (const std::string_view other :
       {"Shards of a weight. If not given it is set automatically.", "Do not set it when parts is set."}) {
    const std::string text = text_of(std::string(other));
    EXPECT_TRUE(says(text, "New setting `shards` (default `1`): “" + std::string(other) + "”")) << text;
    EXPECT_TRUE(says(text, "New setting `parts` (default `2`): “How many parts.”")) << text;
  }
}

TEST(Facts, AShortenedPairShowsWhatDiffers) {
  const std::string sizes = "first_parallel_size * second_parallel_size * third_parallel_size";
  const auto text_of = [](const std::string& was, const std::string& now) {
    const std::string start = "def f(first_parallel_size, second_parallel_size, third_parallel_size, fourth_size):\n";
    return explain_of({{"a.py", start + "    total_size = " + was + "\n    return total_size\n"}},
                      {{"a.py", start + "    total_size = (" + now + ")\n    return total_size + 1\n"}});
  };
  const std::string text = text_of(sizes, sizes + " * fourth_size");
  const std::size_t row = text.find("| `f` | ");
  ASSERT_NE(row, std::string::npos) << text;
  EXPECT_TRUE(says(text.substr(row, text.find('\n', row) - row), "fourth_size")) << text;
}

TEST(Facts, ALaunchFillsTheTensorsThatItIsGiven) {
  const std::string text = dive_of({{"ops.py", "X = 1\n"}}, {{"ops.py", R"(import torch

X = 1


def scale(rows, kernel):
    """Scale the rows."""
    size = rows.shape[0]
    out = torch.empty((size, 4), dtype=rows.dtype)
    total = torch.zeros((size, 2), dtype=rows.dtype)
    kernel[(size,)](rows, X, 1, 2, out, total, WIDE=4)
    return out, total
)"}});
  const std::size_t flow = text.find("### 4.3");
  ASSERT_NE(flow, std::string::npos);
  const std::string drawing = text.substr(flow, text.find("### 4.4") - flow);
  EXPECT_TRUE(says(drawing, "kernel[(size,)](")) << drawing;
  // From the launch, not from what only allocates, to the return.
  const std::size_t launch = drawing.find("[\"kernel[");
  const std::size_t line = drawing.rfind('\n', launch) + 1;
  const std::string node(trim(std::string_view(drawing).substr(line, launch - line)));
  const std::size_t end = drawing.find("([\"return");
  ASSERT_NE(end, std::string::npos) << drawing;
  const std::size_t start = drawing.rfind('\n', end) + 1;
  const std::string result(trim(std::string_view(drawing).substr(start, end - start)));
  EXPECT_TRUE(says(drawing, node + " --> " + result)) << drawing;
  std::size_t arrows = 0;
  for (std::size_t at = drawing.find("> " + result); at != std::string::npos; at = drawing.find("> " + result, at + 1))
    ++arrows;
  EXPECT_EQ(arrows, 1u) << drawing;
}

TEST(Facts, ACheckThatMovedIsNotNew) {
  const std::string check =
      "        assert not context.is_chunked(), \"chunked prefill is not supported by this mixer\"\n";
  const std::string run = "    def run(self, context):\n        self.count = self.count + 1\n";
  const std::string start = "    def start(self, context):\n        self.size = context.size\n";
  const std::string prefill = "    def prefill(self, context):\n";
  const std::string end = "        return context\n\n";
  const std::string text = explain_of(
      {{"a.py",
        "class Mixer:\n" + run + check + end + prefill + "        self.total = context.total\n" + end + start + end}},
      {{"a.py",
        "class Mixer:\n" + run + end + prefill + "        self.total = context.total\n" + check + end + start + end}});
  EXPECT_TRUE(says(text, "(moved here from `Mixer.run`)")) << text;
  EXPECT_FALSE(says(text, "python -O")) << text;
  EXPECT_FALSE(says(text, "Refused at")) << text;
}

TEST(Facts, ABranchThatIsAskedAnewIsNotDropped) {
  const std::string text =
      explain_of({{"a.py",
                   "def f(cache, x):\n    x = scale(x)\n    if cache is not None and cache.offset > 0:\n"
                   "        x = cache.update(x)\n        x = cache.rotate(x)\n    return x\n"}},
                 {{"a.py",
                   "def f(cache, x):\n    if cache is not None:\n        if cache.offset > 0:\n            return "
                   "decode(cache, x)\n"
                   "    x = scale(x)\n    return x\n"}});
  EXPECT_FALSE(says(text, "rops the branch")) << text;
  const std::string gone =
      explain_of({{"a.py",
                   "def f(cache, x):\n    x = scale(x)\n    if cache is not None and cache.offset > 0:\n"
                   "        x = cache.update(x)\n        x = cache.rotate(x)\n    return x\n"}},
                 {{"a.py", "def f(cache, x):\n    x = scale(x)\n    return x\n"}});
  EXPECT_TRUE(says(gone, "rops the branch")) << gone;
}

TEST(Facts, AnIndexThatIsTakenApartIsNotAskedFor) {
  const auto text_of = [](const std::string& body) {
    return dive_of({{"a.py", "X = 1\n"}}, {{"a.py", "X = 1\n\n\ndef f(index, size):\n" + body}});
  };
  EXPECT_TRUE(says(text_of("    row = index // size\n    return row\n"), "Can `size` be zero, or not divide"));
  EXPECT_FALSE(
      says(text_of("    row = index // size\n    at = index % size\n    return row, at\n"), "Can `size` be zero"));
  EXPECT_FALSE(says(text_of("    parts = cdiv(size, 4)\n    row = index // parts\n    return row\n"), "Can `parts`"));
}

TEST(Facts, AKernelIsOneFunction) {
  std::string body;
  for (int i = 0; i < 160; ++i) body += fmt::format("    x{} = tl.load(p + {})\n", i, i);
  const auto text_of = [&](const std::string& decorator) {
    return dive_of({{"a.py", "X = 1\n"}}, {{"a.py", "import triton\nimport triton.language as tl\n\nX = 1\n\n\n" +
                                                        decorator + "def f(p):\n" + body}});
  };
  EXPECT_TRUE(says(text_of(""), "parts of it could stand"));
  EXPECT_FALSE(says(text_of("@triton.jit\n"), "parts of it could stand"));
}

TEST(Facts, ImportsOfABranchAreNotWhatItDoes) {
  const std::string text =
      explain_of({{"a.py", "def f(x):\n    return x\n"}},
                 {{"a.py",
                   "def f(x):\n    if x.fast:\n        from fast import go\n        from fast import stop\n"
                   "        x = go(x)\n        stop(x)\n    return x\n"}});
  EXPECT_TRUE(says(text, "when `x.fast` is set, sets `x` to `go(x)` and calls `stop(x)`.")) << text;
  EXPECT_FALSE(says(text, "imports inside")) << text;
}

TEST(Facts, TheStartOfAClassEndsBeforeTheDecoratorOfAnInnerOne) {
  const std::string text = dive_of({{"a.py", "X = 1\n"}}, {{"a.py", R"(from dataclasses import dataclass

X = 1


class Layer:
    """A layer."""

    size = 4
    depth = 2

    @dataclass
    class Config:
        width: int = X

    def run(self, x):
        """Run it."""
        return x * self.size
)"}});
  EXPECT_TRUE(says(text, "    depth = 2\n")) << text;
  EXPECT_FALSE(says(text, "@dataclass\n```")) << text;
}

TEST(Facts, APathThatIsJoinedDividesNothing) {
  const auto asks = [](const std::string& expression, const std::string& parameters = "a, b, log_dir, run_name") {
    const std::string start = "from pathlib import Path\n\n\ndef f(" + parameters + "):\n    root = Path(a)\n";
    return says(explain_of({{"a.py", start + "    return root\n"}},
                           {{"a.py", start + "    b += 1\n    return " + expression + "\n"}}),
                "be zero");
  };
  for (const std::string_view joined : {"log_dir / b", "a / run_name", "root / b", "a / 'x' / b", "Path(a) / b",
                                        "str(a) / b", "a / f'{b}' / b", "__file__ / b"})
    EXPECT_FALSE(asks(std::string(joined))) << joined;
  EXPECT_FALSE(asks("a / b", "a: str, b"));
  EXPECT_FALSE(asks("a / b", "a, b: Path | None"));
  for (const std::string_view divided : {"a / b", "profile_count / b", "direction / b", "num_files / b", "a.path / b",
                                         "a / file_size", "log_dir * 2 / b"})
    EXPECT_TRUE(asks(std::string(divided))) << divided;
  EXPECT_TRUE(asks("a / b", "a: int, b"));
}

TEST(Facts, AnExitEndsTheFlow) {
  const auto flow_of = [](const std::string& way_out) {
    return dive_of({{"a.py",
                     "import os\nimport sys\n\n\ndef f(x):\n    if x.bad:\n        report(x)\n    run(x)\n    stop(x)\n"
                     "    return x\n"}},
                   {{"a.py", "import os\nimport sys\n\n\ndef f(x):\n    if x.bad:\n        report(x)\n        " +
                                 way_out + "\n    run(x, 1)\n    stop(x)\n    return x\n"}});
  };
  for (const std::string_view way_out : {"sys.exit(1)", "os._exit(1)", "raise SystemExit(1)"}) {
    const std::string text = flow_of(std::string(way_out));
    const std::size_t at = text.find(way_out, text.find("flowchart TD"));
    ASSERT_NE(at, std::string::npos) << text;
    const std::size_t line = text.rfind('\n', at) + 1;
    const std::string node(trim(std::string_view(text).substr(line, text.find_first_of("([{", line) - line)));
    EXPECT_FALSE(says(text, "    " + node + " -->")) << node << text;
  }
  EXPECT_FALSE(says(flow_of("log(x)"), "sys.exit"));
}

TEST(Facts, ADefaultUnderItsNewNameIsNoOtherDefault) {
  const auto code = [](const std::string& name, const std::string& value) {
    return "class " + name +
           ":\n    FAST = 1\n    SLOW = 2\n\n    def speed(self):\n        return self.FAST\n\n\ndef f(x, mode=" +
           name + "." + value + "):\n    return x\n\n\ndef g(x):\n    return f(x)\n";
  };
  const std::string renamed = explain_of({{"a.py", code("Mode", "FAST")}}, {{"a.py", code("PoolMode", "FAST")}});
  EXPECT_FALSE(says(renamed, "changes the default")) << renamed;
  EXPECT_FALSE(says(renamed, "The default of `mode`")) << renamed;
  EXPECT_FALSE(says(renamed, "another default")) << renamed;
  const std::string other = explain_of({{"a.py", code("Mode", "FAST")}}, {{"a.py", code("PoolMode", "SLOW")}});
  EXPECT_TRUE(says(other, "changes the default of `mode`")) << other;
}

TEST(Facts, OneOfTwoCollectivesIsAnAlternative) {
  const auto sequence_of = [](const std::string& body) {
    const std::string start = "import torch.distributed as dist\n\n\ndef f(x, group, wide):\n    \"\"\"Sum.\"\"\"\n";
    const std::string end = "\n\ndef main(x):\n    f(x, None, True)\n\n\nif __name__ == '__main__':\n    main(1)\n";
    return explain_of({{"a.py", start + "    return x\n" + end}}, {{"a.py", start + body + end}});
  };
  const std::string either = sequence_of(
      "    work = dist.all_reduce(x, group=group) if wide else dist.broadcast(x, 0, group=group)\n    return work\n");
  EXPECT_TRUE(says(either, "    alt when wide is set\n")) << either;
  EXPECT_TRUE(says(either, "    else otherwise\n")) << either;
  const std::string by_shape = sequence_of(
      "    match wide:\n        case 1:\n            dist.all_reduce(x, group=group)\n        case _:\n"
      "            dist.broadcast(x, 0, group=group)\n    return x\n");
  EXPECT_TRUE(says(by_shape, "    alt for 1\n")) << by_shape;
  EXPECT_TRUE(says(by_shape, "    else for _\n")) << by_shape;
  const std::string both =
      sequence_of("    dist.all_reduce(x, group=group)\n    dist.broadcast(x, 0, group=group)\n    return x\n");
  EXPECT_FALSE(says(both, "    alt ")) << both;
}

TEST(Facts, AMissingAttributeIsWhatItsDefaultSays) {
  const std::string before = "def f(param):\n    return True\n";
  const std::string text =
      explain_of({{"a.py", before}}, {{"a.py",
                                       "def f(param):\n    if not getattr(param, 'use_muon', True):\n        return "
                                       "False\n    if getattr(param, 'tied', False):\n        return None\n    return "
                                       "True\n"}});
  EXPECT_TRUE(says(text, "hen `use_muon` of `param` is there and false, returns `False`")) << text;
  EXPECT_TRUE(says(text, "hen `tied` of `param` is set, returns `None`")) << text;
}

/// Of a missing attribute the default decides, and the words say which way it does.
TEST(Facts, ConditionsSayWhatADefaultOfGetattrDecides) {
  const auto told = [](const std::string& condition, const std::string& words) {
    const std::string text =
        explain_of({{"a.py", "def f(p):\n    return True\n"}},
                   {{"a.py", "def f(p):\n    if " + condition + ":\n        g(p)\n    return True\n"}});
    EXPECT_TRUE(says(text, "hen " + words + ", calls `g(p)`")) << condition << text;
  };
  told("getattr(p, 'x', True)", "`x` of `p` is true or missing");
  told("not getattr(p, 'x', True)", "`x` of `p` is there and false");
  told("getattr(p, 'x', False)", "`x` of `p` is set");
  told("not getattr(p, 'x', False)", "`x` of `p` is false or missing");
  told("getattr(p, 'x', None)", "`x` of `p` is set");
  told("not getattr(p, 'x', None)", "`x` of `p` is not set");
  // What else it may be says nothing by itself.
  told("getattr(p, 'x', 1)", "`getattr(p, 'x', 1)` is true");
  told("not getattr(p, 'x', p.y)", "`getattr(p, 'x', p.y)` is false");
}

TEST(Facts, TheEntriesOfADictionaryAreTold) {
  const std::string text = explain_of(
      {{"a.py", "def f(m, p):\n    m.update({\"first\": p.first, \"last\": p.last})\n"}},
      {{"a.py", "def f(m, p):\n    m.update({\"first\": p.first, \"middle\": p.middle, \"last\": p.last})\n"}});
  EXPECT_TRUE(says(text, "lso gives `m.update` the entry `\"middle\"`")) << text;
}

TEST(Facts, AFileIsNotSummedUpByABuiltin) {
  const std::string text = dive_of({{"a.py", "def f(x):\n    return [0] * x\n"}, {"b.py", "X = 1\n"}},
                                   {{"a.py", "def f(x):\n    return [0] * len(x)\n"}, {"b.py", "X = 2\n"}});
  EXPECT_FALSE(says(text, "calls `len`")) << text;
  EXPECT_TRUE(says(text, "hanges `f`")) << text;
}

TEST(Facts, AValueThatIsBoundAnewIsNoRename) {
  const std::string before = "def f(y, out):\n    out.use(y.size, y.shape)\n    return out\n";
  const auto text_with = [&](const std::string& between) {
    return explain_of({{"a.py", before}}, {{"a.py", "def f(y, out):\n    old = y\n" + between +
                                                        "    out.use(old.size, old.shape)\n    return out\n"}});
  };
  const std::string told = "renames `y` to `old`";
  EXPECT_TRUE(says(text_with("    print(old)\n"), told)) << text_with("    print(old)\n");
  EXPECT_FALSE(says(text_with("    y = next(y)\n"), told)) << text_with("    y = next(y)\n");
}

/// What follows a `try` is reached from what it holds, a handler from there only on an error, and the `else` never
/// from a handler.
TEST(Facts, HandlersAndElseAreWaysOfTheirOwn) {
  const std::string text = parts_of(
      {{"a.py", "def f(x):\n    start(x)\n    return x\n"}},
      {{"a.py",
        "def f(x):\n    start(x)\n    if x.wide:\n        try:\n            count = int(x.text)\n"
        "        except ValueError:\n            warn(x)\n        else:\n            keep(count)\n        close(x)\n"
        "    return x\n"}});
  const auto node_of = [&](std::string_view words) {
    const std::size_t at = text.find(words, text.find("flowchart TD"));
    if (at == std::string::npos) return std::string("?");
    const std::size_t line = text.rfind('\n', at) + 1;
    return std::string(trim(std::string_view(text).substr(line, text.find_first_of("([{", line) - line)));
  };
  const std::string body = node_of("count = int(x.text)");
  const std::string handler = node_of("warn(x)");
  const std::string otherwise = node_of("keep(count)");
  EXPECT_TRUE(says(text, body + " -->|\"on ValueError\"| " + handler)) << text;
  EXPECT_TRUE(says(text, body + " --> " + otherwise)) << text;
  EXPECT_FALSE(says(text, handler + " --> " + otherwise)) << text;
  EXPECT_TRUE(says(text, handler + " --> " + node_of("close(x)"))) << text;
}

/// Of a condition that finds no room in a label the line and the file are told, and on which side of it the call
/// stands.
TEST(Facts, AConditionThatIsTooLongIsToldWithItsSide) {
  const std::string before = R"(class Optimizer:
    def __init__(self, config):
        self.config = config
        self.copies = []

    def step(self):
        if self.config.reuse_gradient_buffer_for_the_gather_of_parameters and hasattr(
            self, "copy_main_parameters_to_the_parameter_buffer_of_the_model"
        ):
            self.config.count = 1
        else:
            self.copy_main()

    def copy_main(self):
        self.copies.append(1)


def main(config):
    Optimizer(config).step()


if __name__ == "__main__":
    main(None)
)";
  const std::string after = replace_all(before, "        self.copies.append(1)\n",
                                        "        self.copies.append(2)\n        self.copies.sort()\n");
  const std::string text = dive_of({{"run.py", before}}, {{"run.py", after}});
  EXPECT_TRUE(says(text, "opt the condition in line 7 of run.py does not hold")) << text;
  const std::string sides = "            self.config.count = 1\n        else:\n            self.copy_main()\n";
  const std::string turned = "            self.copy_main()\n        else:\n            self.config.count = 1\n";
  const std::string other =
      dive_of({{"run.py", replace_all(before, sides, turned)}}, {{"run.py", replace_all(after, sides, turned)}});
  EXPECT_FALSE(says(other, "does not hold")) << other;
}

}  // namespace
}  // namespace lockstep::render
