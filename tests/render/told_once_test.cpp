// What reads like a change and is none, or one of less: casts, generators that are used up at once, calls that are made
// in another form, waits that come in fewer cases; and what must not be cut away.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

/// A class with the new methods of these docstrings, each called.
std::string with_methods(const std::vector<std::string>& docstrings) {
  std::string cls = "class Model:\n    def __init__(self):\n        self.parts = []\n";
  std::string use = "\n\ndef run(model):\n    model.parts.clear()\n";
  for (std::size_t i = 0; i < docstrings.size(); ++i) {
    const std::string name = "method_" + std::to_string(i);
    cls += "\n    def " + name + "(self):\n        \"\"\"" + docstrings[i] +
           "\"\"\"\n        for part in self.parts:\n" + "            part.do_" + std::to_string(i) + "()\n";
    use += "    model." + name + "()\n";
  }
  return cls + use;
}

TEST(ToldOnce, MethodsWhoseDocstringsEndAlike) {
  const auto text_of = [](const std::vector<std::string>& docstrings) {
    return explain_of({{"m.py", with_methods({})}}, {{"m.py", with_methods(docstrings)}});
  };
  const std::string text =
      text_of({"Start the sync on all overlapped inner parts.", "Stop the sync on all overlapped inner parts.",
               "Free the buffers on all overlapped inner parts."});
  EXPECT_TRUE(says(text,
                   "3 new methods of `Model` (`m.py:5`), each “… on all overlapped inner parts.”: `method_0` (“Start "
                   "the sync …”), `method_1` (“Stop the sync …”) and `method_2` (“Free the buffers …”)."))
      << text;
  const std::string same = text_of({"Do what the parts do.", "Do what the parts do.", "Do what the parts do."});
  EXPECT_TRUE(says(same,
                   "3 new methods of `Model` (`m.py:5`), each “Do what the parts do.”: `method_0`, `method_1` and "
                   "`method_2`."))
      << same;
  // Two are no list, and three words are little.
  EXPECT_FALSE(
      says(text_of({"Start all overlapped inner parts.", "Stop all overlapped inner parts."}), "new methods of"));
  EXPECT_FALSE(
      says(text_of({"Start the inner parts.", "Stop the inner parts.", "Free the inner parts."}), "new methods of"));
}

std::string explained(const std::string& before, std::string_view old_text, std::string_view new_text) {
  const Files files = {{"a.py", before}};
  return explain_of(files, with_edit(files, "a.py", old_text, new_text));
}

const char* const kBlocks = R"(from typing import cast


class Like:
    moe: object


def update(blocks, scale):
    out = []
    for block in blocks:
        moe = block.moe
        out.append(moe)
    return out


def train_step(blocks):
    return update(blocks, 2)


if __name__ == "__main__":
    train_step([])
)";

TEST(ToldOnce, ACastIsWhatItCasts) {
  std::string after = replace_all(kBlocks, "moe = block.moe", "moe = cast(Like, block.moe)");
  after = replace_all(after, "    return out\n", "    return out * scale\n");
  const std::string text = explain_of({{"a.py", kBlocks}}, {{"a.py", after}});
  EXPECT_FALSE(says(text, "| `moe = block.moe` |")) << text;
  EXPECT_FALSE(says(text, "Sets `moe`")) << text;
  EXPECT_TRUE(says(text, "out * scale")) << text;
  // A function of that name that is given a value first is another one.
  const std::string other = explained(kBlocks, "moe = block.moe", "moe = cast(block, block.moe)");
  EXPECT_TRUE(says(other, "cast(block, block.moe)")) << other;
}

TEST(ToldOnce, WhatEndsALoopIsTold) {
  const std::string text = explained(kBlocks, "        out.append(moe)\n",
                                     "        out.append(moe)\n        if moe is None:\n            mark(block)\n"
                                     "            count(block)\n            note(block)\n            keep(block)\n"
                                     "            break\n");
  EXPECT_TRUE(says(text, "leaves the loop")) << text;
}

const char* const kGenerator = R"(def items(blocks):
    for block in blocks:
        yield block


def train_step(blocks):
    return list(items(blocks))


if __name__ == "__main__":
    train_step([])
)";

TEST(ToldOnce, AGeneratorThatIsUsedUpAtOnceHasNoLateEffects) {
  const std::string at_once = explained(kGenerator, "yield block", "yield block + 1");
  EXPECT_FALSE(says(at_once, "**Generators**")) << at_once;
  const Files lazy = {{"a.py", replace_all(kGenerator, "list(items(blocks))", "items(blocks)")}};
  const std::string late = explain_of(lazy, with_edit(lazy, "a.py", "yield block", "yield block + 1"));
  EXPECT_TRUE(says(late, "**Generators**")) << late;
}

TEST(ToldOnce, AConditionInsideAnExpressionIsNotCutAway) {
  const std::string text = explained(R"(import torch


def save(self, states):
    if self.last:
        states = {k: v.to(self.export_dtype) for k, v in states.items()}
    return states
)",
                                     "{k: v.to(self.export_dtype) for k, v in states.items()}",
                                     "{k: v.to(self.export_dtype) if isinstance(v, torch.Tensor) and "
                                     "v.is_floating_point() and v.dtype != self.export_dtype else v for k, v in "
                                     "states.items()}");
  EXPECT_TRUE(says(text, "v.is_floating_point() and v.dtype != self.export_dtype else v")) << text;
}

TEST(ToldOnce, AWaitThatMovesBehindAConditionComesInFewerCases) {
  const std::string before = R"(import torch


class Layer(torch.nn.Module):
    def forward(self, x):
        self.event.record()
        self.event.synchronize()
        return x


def train_step(x):
    return Layer()(x)


if __name__ == "__main__":
    train_step(1)
)";
  std::string after =
      replace_all(before, "        self.event.record()\n        self.event.synchronize()\n        return",
                  "        self.wait_for(x)\n        return");
  after = replace_all(after, "def train_step", R"(def train_step)");
  after = replace_all(after, "        return x\n\n\n", R"(        return x

    def wait_for(self, x):
        if x.device.type != "cpu":
            return
        self.event.record()
        self.event.synchronize()


)");
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text,
                   "Waits of the host that come only under a condition now: `self.event.synchronize()` (now in "
                   "`Layer.wait_for`, when `x.device.type` is `\"cpu\"`). Nothing to do: it waited in any case "
                   "before."))
      << text;
}

TEST(ToldOnce, AnArgumentThatMakesASettingFalseSaysSo) {
  const std::string before = R"(import argparse
from dataclasses import dataclass


@dataclass
class Config:
    rows: int = 1


def run(config, seed):
    return seed


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1)
    args = parser.parse_args()
    return run(Config(args.rows), 1)


if __name__ == "__main__":
    parse()
)";
  std::string after = replace_all(before, "    rows: int = 1\n", "    rows: int = 1\n    offset_seed: bool = True\n");
  after = replace_all(after, "    return seed\n", "    if config.offset_seed:\n        seed += 1\n    return seed\n");
  after = replace_all(after, "    args = parser",
                      R"(    parser.add_argument("--same-seed", action="store_false", dest="offset_seed")
    args = parser)");
  after = replace_all(after, "Config(args.rows)", "Config(args.rows, args.offset_seed)");
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "argument `--same-seed` makes it `False`")) << text;
}

TEST(ToldOnce, WhatIsAddedToAListIsNotRead) {
  const std::string before = R"(class State:
    def __init__(self):
        self.rows = []

    def note(self, row):
        self.rows.append(row)


def finish(state):
    return state.rows
)";
  std::string after =
      replace_all(before, "        self.rows = []\n", "        self.rows = []\n        self.waiting = []\n");
  after = replace_all(after, "        self.rows.append(row)\n",
                      "        self.rows.append(row)\n        self.waiting.append(row)\n");
  after = replace_all(after, "    return state.rows\n", "    return state.rows + state.waiting\n");
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "elements set in `State.note`; read in `finish`")) << text;
}

const char* const kGiven = R"(from contextlib import contextmanager


@contextmanager
def shard_context(device=None, use_pool=False):
    """Make room.

    Args:
        device: Where.
        use_pool: Take staging buffers from the pool of the communicator.
    """
    yield (device, use_pool)


def layout(placements=None):
    return placements


def set_up(config, enable_ep):
    with shard_context(device=config.device):
        build(config)
    return layout(placements=((1, 2) if enable_ep else None))


def build(config):
    return config
)";

TEST(ToldOnce, AConditionThatAnArgumentLosesIsTheChange) {
  const std::string text = explained(kGiven, "placements=((1, 2) if enable_ep else None)", "placements=(1, 2)");
  EXPECT_TRUE(says(text,
                   "gives `placements` of `layout` the value `(1, 2)` also when `enable_ep` is false, where it "
                   "was `None`"))
      << text;
  const std::string back =
      explain_of({{"a.py", replace_all(kGiven, "((1, 2) if enable_ep else None)", "(1, 2)")}}, {{"a.py", kGiven}});
  EXPECT_TRUE(says(back,
                   "gives `placements` of `layout` the value `None` where `enable_ep` is false; otherwise as "
                   "before"))
      << back;
}

TEST(ToldOnce, AConditionThatAValueLosesIsTheChange) {
  const std::string before = "def f(x, c):\n    y = x.a if c else x.b\n    return y\n";
  const std::string text = explained(before, "x.a if c else x.b", "x.a");
  EXPECT_TRUE(says(text, "sets `y` to `x.a` also when `c` is not set, where it was `x.b`")) << text;
}

TEST(ToldOnce, AnArgumentOfAContextManagerIsToldWithWhatItIsFor) {
  const std::string text = explained(kGiven, "shard_context(device=config.device)",
                                     "shard_context(device=config.device, use_pool=config.ub)");
  EXPECT_TRUE(says(text,
                   "also passes `use_pool=config.ub` to `shard_context`, which took `False` without it "
                   "(\u201cTake staging buffers from the pool of the communicator.\u201d)"))
      << text;
}

/// The same edit in several functions is one row.
TEST(ToldOnce, TheSameEditInSeveralPlacesIsOneRow) {
  const std::string before = R"(def a(x):
    y = x.rank
    return y + 1


def b(x):
    y = x.rank
    return y + 2


def train_step(x):
    return a(x) + b(x)
)";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", replace_all(before, "x.rank", "x.local_rank")}});
  EXPECT_TRUE(says(text, "| `a`; `b` | `y = x.rank` | `y = x.local_rank` |")) << text;
}

TEST(ToldOnce, OfSeveralRefusalsOneIsNotAll) {
  const std::string before = "def pick(x):\n    return x\n";
  const std::string now = R"(def pick(x):
    return check(x)


def check(x):
    if x is None:
        raise ValueError("none")
    if x < 0:
        raise ValueError("negative")
    return x
)";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", now}});
  EXPECT_FALSE(says(text, "It raises `ValueError` when `x` is `None`.")) << text;
}

/// A local that goes and its value that stands in its place are one thing.
TEST(ToldOnce, AValueInPlaceOfItsLocalIsNoChange) {
  const std::string before = R"(def build(layers, compiler):
    return layers


def config(n, wide):
    settings = make_settings(n, enable=True)
    rows = make_settings(wide, enable=False)
    return build(layers=n, compiler=settings)


def make_settings(n, enable):
    return n
)";
  std::string after = replace_all(before, "    settings = make_settings(n, enable=True)\n", "");
  after = replace_all(after, "compiler=settings)", "compiler=make_settings(n, enable=True))");
  after = replace_all(after, "layers=n,", "layers=n + wide,");
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_FALSE(says(text, "o longer sets `settings`")) << text;
  EXPECT_FALSE(says(text, "instead of `compiler=settings`")) << text;
  EXPECT_TRUE(says(text, "`layers=n + wide`")) << text;
}

/// Names in a message that no file has are from another state of the change.
TEST(ToldOnce, NamesOfTheMessageThatNoFileHasAreNamed) {
  const std::string before = "def combine(x, local_length):\n    return x\n";
  const std::string after = "def combine(x, local_length):\n    return x + local_length\n";
  const std::string body =
      "Pass `input_shape_bld` through the metadata, because the local_length alone does not say where rows are. See "
      "https://example.org/some_long_path and torch.nested_tensor_fn, and tests/test_combine_rows.py.";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}}, "Fix it", body);
  EXPECT_TRUE(says(text,
                   "No Python file of the repository has the name `input_shape_bld` of these words, before or "
                   "after the change."))
      << text;
  const std::string fine =
      explain_of({{"a.py", before}}, {{"a.py", replace_all(after, "x +", "input_shape_bld(x) +")}}, "Fix it", body);
  EXPECT_FALSE(says(fine, "No Python file of the repository")) << fine;
}

/// `not (a or b)` asks for more than `not a`: what asks for more refuses less.
TEST(ToldOnce, ARefusalThatAsksForMoreRefusesLess) {
  const std::string before = R"(from dataclasses import dataclass


@dataclass
class Config:
    path: str = ""

    def __post_init__(self):
        if not self.path.startswith("/"):
            raise ValueError("absolute")


def is_remote(path):
    return "://" in path
)";
  const std::string text = explained(
      before, "if not self.path.startswith(\"/\"):", "if not (self.path.startswith(\"/\") or is_remote(self.path)):");
  EXPECT_TRUE(says(text, "refuses less: when `self.path.startswith(\"/\")` is false, now only if")) << text;
  EXPECT_FALSE(says(text, "Refused anew")) << text;
}

/// Behind `if a and b: return` what stands under `a` runs only where `b` does not hold.
TEST(ToldOnce, WhatAnExitLeavesOverIsTold) {
  const std::string before = R"(def loss(pred, labels):
    if isinstance(pred, list) and isinstance(labels, list):
        return 1
    return 2
)";
  const std::string text = explained(before, "        return 1\n    return 2\n",
                                     "        return 1\n    if isinstance(pred, list):\n        check(pred)\n"
                                     "    return 2\n");
  EXPECT_TRUE(says(text, "where `labels` is not an instance of `list`: when `pred` is an instance of `list`")) << text;
}

/// What is set anew behind an exit may be anything.
TEST(ToldOnce, AnExitThatAskedForAnOlderValueSaysNothing) {
  const std::string before = R"(def pick(x, items):
    if items:
        if x.ok:
            return 1
        x = items[0]
    return x
)";
  const std::string text = explained(before, "        x = items[0]\n", "        x = items[0]\n        note(x)\n");
  EXPECT_TRUE(says(text, "calls `note(x)`")) << text;
  EXPECT_FALSE(says(text, "`x.ok`")) << text;
  const std::string kept = explain_of({{"a.py", replace_all(before, "x = items[0]", "y = items[0]")}},
                                      {{"a.py", replace_all(before, "x = items[0]", "y = items[0]\n        note(x)")}});
  EXPECT_TRUE(says(kept, "`x.ok` is ")) << kept;
}

/// An exception that is swallowed leaves no collective out where there is none.
TEST(ToldOnce, ASwallowedErrorMattersWhereCollectivesAre) {
  const std::string before = R"(import os
import torch.distributed as dist


def purge(path, x):
    os.remove(path)
)";
  const auto pitfalls = [&](const std::string& body) {
    return dive_of({{"a.py", before}}, {{"a.py", replace_all(before, "    os.remove(path)\n", body)}});
  };
  const std::string harmless = pitfalls("    try:\n        os.remove(path)\n    except Exception:\n        x = None\n");
  EXPECT_FALSE(says(harmless, "later collectives may be skipped")) << harmless;
  const std::string text = pitfalls(
      "    try:\n        os.remove(path)\n        dist.all_reduce(x)\n    except Exception:\n        x = None\n");
  EXPECT_TRUE(says(text, "later collectives may be skipped")) << text;
}

/// A warning that stands in other words in another file is not gone.
TEST(ToldOnce, AWarningThatMovesToAnotherFileIsNotGone) {
  const std::string before = R"(def run(x):
    # Clear the outputs for padding tokens, otherwise stale values may corrupt the next step.
    x = x * 2
    return x
)";
  const Files moved = {
      {"a.py", "from b import clear\n\n\ndef run(x):\n    return clear(x)\n"},
      {"b.py",
       "def clear(x):\n    # Clear the outputs for padding tokens: otherwise stale values may corrupt the next "
       "step.\n    return x * 2\n"}};
  const std::string text = explain_of({{"a.py", before}}, moved);
  EXPECT_FALSE(says(text, "a comment is gone")) << text;
  const std::string gone = explain_of({{"a.py", before}}, {{"a.py", "def run(x):\n    return x * 3\n"}});
  EXPECT_TRUE(says(gone, "a comment is gone")) << gone;
}

/// The same edit in several functions is shown once.
TEST(ToldOnce, TheSameEditInSeveralFunctionsHasOneSection) {
  std::string before = "def make(rows, keep=True):\n    return rows\n";
  for (const char* name : {"one", "two", "three"})
    before += std::string("\n\ndef ") + name + "(rows):\n    return make(rows)\n";
  const std::string text =
      explain_of({{"a.py", before}}, {{"a.py", replace_all(before, "make(rows)\n", "make(rows, keep=False)\n")}});
  EXPECT_TRUE(says(text, "The same in `")) << text;
  std::size_t sections = 0;
  for (std::size_t at = text.find("\n### `"); at != std::string::npos; at = text.find("\n### `", at + 1)) ++sections;
  EXPECT_EQ(sections, 1u) << text;
}

}  // namespace
}  // namespace lockstep::render
