// Code that a refactoring takes out of one function and puts into others: told as moved where it is the same under
// other names, as gone where it is not.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"
#include "report/story/steps/renamed_code.h"

namespace lockstep::render {
namespace {

using report::code_words;
using report::LocalNames;
using report::Renaming;
using report::same_but_names;

TEST(MovedCode, WordsLeaveLayoutOut) {
  EXPECT_EQ(code_words("f(a.b, 'x',\n  # why\n)"), code_words("f(a.b, \"x\")"));
  EXPECT_NE(code_words("x = (a,)"), code_words("x = (a)"));
  EXPECT_EQ(code_words("x = {1: 2,}"), code_words("x = {1: 2}"));
  EXPECT_EQ(code_words("x = (a, b,)"), code_words("x = (a, b)"));
}

TEST(MovedCode, NamesAreRenamedAlike) {
  const LocalNames here = {"self", "op"};
  const LocalNames there = {"module", "out"};
  Renaming names{&here, &there};
  const auto same = [&](std::string_view a, std::string_view b) {
    return same_but_names(code_words(a), code_words(b), names).has_value();
  };
  EXPECT_TRUE(same("op.weight = self.norm.weight", "out.weight = module.weight"));
  EXPECT_FALSE(same("op.weight = self.norm.weight", "out.weight = module.bias"));
  // One name there is one thing here.
  EXPECT_FALSE(same("op = f(self.a.eps, self.b.eps)", "out = f(module.eps, module.eps)"));
  // What is no local there is none here, and names of parameters stay.
  EXPECT_FALSE(same("op = f(self)", "out = f(torch)"));
  EXPECT_FALSE(same("op = f(op=self)", "out = f(out=module)"));
  // What the call gives is known.
  names.given["module"] = {code_words("self.norm")};
  EXPECT_TRUE(same("op = f(self.norm.eps)", "out = f(module.eps)"));
  EXPECT_FALSE(same("op = f(self.other.eps)", "out = f(module.eps)"));
}

const char* const kLayer = R"(import torch
from rng import tracker


class Layer:
    def build(self):
        """Build it."""
        seed = None
        if tracker().is_ready(self.name):
            seed = tracker
        kwargs = {"eps": self.norm.eps, "device": "meta", "dtype": self.norm.weight.dtype}
        if hasattr(self.norm, "_margin"):
            kwargs["margin"] = self.norm._margin
        op = torch.ops.Norm(self.norm.weight.shape, seed, **kwargs)
        op.weight = self.norm.weight
        self.add_hooks(op)
        return op
)";

const char* const kSplit = R"(import torch
from rng import tracker


def seed_function(name):
    """Find the tracker."""
    if tracker().is_ready(name):
        return tracker
    return None


def make_norm(module, seed):
    """Make a norm."""
    kwargs = {
        "eps": module.eps,
        "device": "meta",
        "dtype": module.weight.dtype,
    }
    if hasattr(module, '_margin'):
        kwargs["margin"] = module._margin
    norm = torch.ops.Norm(module.weight.shape, seed, **kwargs)
    norm.weight = module.weight
    return norm


class Layer:
    def build(self):
        """Build it."""
        seed = seed_function(self.name)
        return make_norm(self.norm, seed)

    def get(self):
        """Get it."""
        op = self.build()
        self.add_hooks(op)
        return op
)";

TEST(MovedCode, WhatHelpersHaveUnderOtherNamesIsMoved) {
  const Files before = {{"a.py", kLayer}};
  const Files after = {{"a.py", kSplit}};
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "sets `seed` to what the new `seed_function()` returns, which has the code that stood here"))
      << text;
  EXPECT_TRUE(says(text, "steps to `seed_function` and `make_norm`")) << text;
  EXPECT_TRUE(says(text, "moves `self.add_hooks(op)` to `Layer.get`, which calls this one")) << text;
  for (const char* wrong : {"instead of `None`", "o longer sets `kwargs`", "rops the branch", "o longer sets `op",
                            "o longer calls `self.add_hooks", "| `seed = None` |"})
    EXPECT_FALSE(says(text + dive_of(before, after), wrong)) << wrong << "\n" << text;
}

TEST(MovedCode, WhatHelpersDoNotHaveIsGone) {
  const Files before = {{"a.py", kLayer}};
  // Another attribute is read, the branch is nowhere, and nobody adds the hooks.
  std::string split = replace_all(kSplit, "norm.weight = module.weight", "norm.bias = module.bias");
  split = replace_all(split, "    if hasattr(module, '_margin'):\n        kwargs[\"margin\"] = module._margin\n", "");
  split = replace_all(split, "        self.add_hooks(op)\n", "");
  split = replace_all(split, "        return tracker\n    return None\n", "        return name\n    return name\n");
  const std::string text = explain_of(before, {{"a.py", split}}) + dive_of(before, {{"a.py", split}});
  EXPECT_TRUE(says(text, "rops the branch when `self.norm` has `_margin`")) << text;
  EXPECT_FALSE(says(text, "which has the code that stood here")) << text;
  EXPECT_FALSE(says(text, "moves `self.add_hooks")) << text;
}

/// What comes under another condition, or with another argument, is no plain move.
TEST(MovedCode, WhatChangesOnTheWayIsCounted) {
  const Files before = {{"a.py", kLayer}};
  const auto hands = [&](std::string_view was, std::string_view now) {
    const std::string text = explain_of(before, {{"a.py", replace_all(kSplit, was, now)}});
    return says(text, "steps to `seed_function` and `make_norm`, 1 of them changed")   ? 1
           : says(text, "steps to `seed_function` and `make_norm`, 2 of them changed") ? 2
           : says(text, "steps to `seed_function` and `make_norm`")                    ? 0
                                                                                       : -1;
  };
  EXPECT_EQ(hands("", ""), 0);
  EXPECT_EQ(
      hands("norm = torch.ops.Norm(module.weight.shape, seed", "norm = torch.ops.Norm(module.weight.numel(), seed"), 1);
  EXPECT_EQ(hands("    norm.weight = module.weight\n", "    if module.tied:\n        norm.weight = module.weight\n"),
            1);
}

const char* const kRun = R"(def run(self, x):
    """Run it."""
    y = self.first.scale(x, self.limit, mode="wide")
    z = self.second.scale(y, self.limit, mode="wide")
    return z
)";

/// The receiver that the call gives decides.
/// The question of an `if` that goes on from another in the helper stands there still.
TEST(MovedCode, AnIfThatIsAnElifThereIsNotGone) {
  const std::string before =
      "def build(config, count):\n    if config.num_buckets is not None:\n"
      "        config.bucket_size = count // config.num_buckets\n    if config.bucket_size is None:\n"
      "        config.bucket_size = max(40000000, 1000000 * count)\n    return make(config)\n";
  const auto after = [](const std::string& asked) {
    return "def resolve(config, count):\n    if config.num_buckets is not None:\n"
           "        size = count // config.num_buckets\n    elif " +
           asked +
           ":\n        size = max(40000000, 1000000 * count)\n    else:\n        size = config.bucket_size\n"
           "    return size\n\n\ndef build(config, count):\n    config.bucket_size = resolve(config, count)\n"
           "    return make(config)\n";
  };
  const std::string moved = dive_of({{"a.py", before}}, {{"a.py", after("config.bucket_size is None")}});
  EXPECT_TRUE(says(moved, "MOVED to resolve, as `elif`: if config.bucket_size is None:")) << moved;
  EXPECT_FALSE(says(moved, "REMOVED: if config.bucket_size is None")) << moved;
  const std::string gone = dive_of({{"a.py", before}}, {{"a.py", after("config.is_small")}});
  EXPECT_FALSE(says(gone, "as `elif`")) << gone;
}

TEST(MovedCode, TheSameOnAnotherObjectIsNotMoved) {
  const std::string helper =
      "\n\ndef scale_with(layer, value, limit):\n    out = layer.scale(value, limit, mode=\"wide\")\n    return out\n";
  const auto told = [&](const std::string& call) {
    const std::string now = replace_all(kRun, "    y = self.first.scale(x, self.limit, mode=\"wide\")\n", call);
    return explain_of({{"a.py", kRun}}, {{"a.py", now + helper}});
  };
  const std::string moved = told("    y = x\n    self.y = scale_with(self.first, x, self.limit)\n");
  EXPECT_FALSE(says(moved, "o longer sets `y` to `self.first.scale")) << moved;
  EXPECT_TRUE(
      says(told("    self.y = scale_with(self.third, x, self.limit)\n"), "o longer sets `y` to `self.first.scale"))
      << told("    self.y = scale_with(self.third, x, self.limit)\n");
}

/// Few words say nothing alone.
TEST(MovedCode, ATrivialStepAloneIsNotMoved) {
  const std::string was = "def run(model):\n    \"\"\"Run it.\"\"\"\n    model.state = None\n    return model.go()\n";
  const std::string now =
      "def run(model):\n    \"\"\"Run it.\"\"\"\n    note(model.log)\n    return model.go()\n\n\n"
      "def note(log):\n    \"\"\"Note it.\"\"\"\n    log.state = None\n    log.write(\"a\", \"b\")\n";
  const std::string text = explain_of({{"a.py", was}}, {{"a.py", now}});
  EXPECT_TRUE(says(text, "o longer sets `model.state`")) << text;
  EXPECT_FALSE(says(text, "moves ")) << text;
}

/// What an override leaves to the base sets the same attribute of the same object.
TEST(MovedCode, AnAttributeThatTheBaseSetsNowIsNotGone) {
  const std::string was =
      "class Base:\n    def __init__(self, size):\n        self.size = size\n\n\n"
      "class Heir(Base):\n    def __init__(self, size):\n        super().__init__(size)\n        self.cache: list = "
      "None\n"
      "        self.width = size + 1\n";
  const std::string base =
      replace_all(was, "        self.size = size\n", "        self.size = size\n        self.cache = None\n");
  const std::string line = "        self.cache: list = None\n";
  const std::string text = explain_of({{"a.py", was}}, {{"a.py", replace_all(base, line, "")}});
  EXPECT_FALSE(says(text, "o longer sets `self.cache`")) << text;
  const std::string gone = explain_of({{"a.py", was}}, {{"a.py", replace_all(was, line, "")}});
  EXPECT_TRUE(says(gone, "o longer sets `self.cache`") || says(gone, "o longer declares `self.cache`")) << gone;
}

/// A base class that asks for all overrides of a hook asks for those that call one another, too.
TEST(MovedCode, AGuardOfTheBaseHoldsForHandedUpCalls) {
  const std::string guard = "        if self.future is None:\n            return\n";
  const std::string base = "class Base:\n    def wait(self):\n";
  const std::string heirs = "\n\nclass One(Base):\n    def _wait(self):\n" + guard +
                            "        self.future.result()\n        self.future = None\n\n\n"
                            "class Two(One):\n    def _wait(self):\n        self.note()\n        super()._wait()\n";
  const auto told = [&](const std::string& asked) {
    const Files before = {{"a.py", base + "        self._wait()\n" + heirs}};
    const Files after = {{"a.py", base + asked + "        self._wait()\n" + replace_all(heirs, guard, "")}};
    return explain_of(before, after) + dive_of(before, after);
  };
  const std::string left = "eaves it to `Base.wait` to ask whether `self.future` is `None`";
  const std::string dropped = "rops the branch when `self.future` is `None`";
  EXPECT_TRUE(says(told(guard), left)) << told(guard);
  EXPECT_FALSE(says(told(guard), dropped)) << told(guard);
  const std::string also = told("        if not self.enable or self.future is None:\n            return\n");
  EXPECT_TRUE(says(also, "eaves it to `Base.wait` to ask whether `self.future` is `None`")) << also;
  // Both must hold there: that lets more through.
  const std::string both = told("        if not self.enable and self.future is None:\n            return\n");
  EXPECT_FALSE(says(both, left)) << both;
  EXPECT_TRUE(says(both, dropped) || says(both, "o longer asks whether `self.future` is `None`")) << both;
}

/// A method that is made private is that method, however short.
TEST(MovedCode, AnUnderscoreMakesNoOtherMethod) {
  const std::string was =
      "class A:\n    def load(self, step):\n        if not self.enable:\n            return False\n"
      "        raise NotImplementedError(\"A does not load yet.\")\n";
  const std::string now =
      "class A:\n    def _load(self, step):\n        raise NotImplementedError(\"A does not load yet.\")\n";
  const std::string text = explain_of({{"a.py", was}}, {{"a.py", now}});
  EXPECT_TRUE(says(text, "renamed from `load`")) << text;
  // Another name or another body is another method.
  EXPECT_FALSE(says(explain_of({{"a.py", was}}, {{"a.py", replace_all(now, "_load", "_drop")}}), "renamed from"));
  EXPECT_FALSE(says(explain_of({{"a.py", was}}, {{"a.py",
                                                  "class A:\n    def _load(self):\n        for x in self.all():\n"
                                                  "            x.close(1, 2)\n        self.done = True\n"}}),
                    "renamed from"));
}

/// A function that goes, and whose code stands where it was called.
TEST(MovedCode, AFunctionThatGoesIsInlined) {
  const std::string loop =
      "for index, shard in enumerate(self.shards):\n            shard.grad = self.main.get(index)\n";
  const std::string bind = "    def bind(self):\n        assert self.main\n        " + loop + "\n";
  const std::string was = "class A:\n" + bind +
                          "    def reduce(self, last):\n        if self.fresh:\n            self.bind()\n"
                          "        self.send()\n        if last:\n            self.finish()\n            self.bind()\n";
  const std::string now =
      "class A:\n    def reduce(self, last):\n        self.send()\n        if last:\n"
      "            self.finish()\n        " +
      loop;
  const std::string text = explain_of({{"a.py", was}}, {{"a.py", now}});
  EXPECT_TRUE(says(text,
                   "has the code of the removed `A.bind` itself, in place of 2 calls of it (where `self.fresh` is set; "
                   "where `last` is set): for each"))
      << text;
  EXPECT_FALSE(says(text, "rops the branch when `self.fresh`")) << text;
  EXPECT_TRUE(says(dive_of({{"a.py", was}}, {{"a.py", now}}), "[INLINED from bind]"));
  // Code that does something else is no inlined one.
  const std::string other =
      explain_of({{"a.py", was}}, {{"a.py", replace_all(now, "self.main.get", "self.main.make")}});
  EXPECT_FALSE(says(other, "has the code of")) << other;
  EXPECT_TRUE(says(other, "`self.fresh`")) << other;
}

/// What a new function asks before it does what the old one did always.
TEST(MovedCode, WhatIsAskedOnTheWayIsTold) {
  const std::string before =
      "class Layer:\n    def run(self, outputs):\n        self.event.record()\n        self.event.synchronize()\n"
      "        return self.compute(outputs)\n\n    def compute(self, outputs):\n        return outputs\n";
  const std::string after =
      "class Layer:\n    def run(self, outputs):\n        self.wait_for(outputs)\n        return "
      "self.compute(outputs)\n\n    def wait_for(self, outputs):\n        if not any(one.on_host for one in outputs):\n"
      "            return\n        self.event.record()\n        self.event.synchronize()\n\n    def compute(self, "
      "outputs):\n        return outputs\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text,
                   "oves `self.event.record()` and `self.event.synchronize()` to `Layer.wait_for`, which does so only "
                   "when `one.on_host` is set for some `one` of `outputs`"))
      << text;
  const std::string always =
      replace_all(after, "        if not any(one.on_host for one in outputs):\n            return\n", "");
  EXPECT_FALSE(says(explain_of({{"a.py", before}}, {{"a.py", always}}), "which does so only when"));
}

/// Modules that change their folder are one thing to the reader, and another name to whoever imports them.
TEST(MovedCode, ModulesThatMoveAreToldTogether) {
  Files before = {{"ops/__init__.py", ""}};
  Files after = {{"ops/__init__.py", ""}, {"ops/ssm/__init__.py", ""}};
  for (const char* name : {"bmm", "scan", "state"}) {
    std::string code = std::string("def ") + name + "(x):\n    y = x + 1\n    z = y * 2\n    return z\n";
    before[std::string("ops/") + name + ".py"] = code;
    after[std::string("ops/ssm/") + name + ".py"] = code;
  }
  before["use.py"] = "from ops.bmm import bmm\n\n\ndef f(x):\n    return bmm(x)\n";
  after["use.py"] = "from ops.ssm.bmm import bmm\n\n\ndef f(x):\n    return bmm(x)\n";
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "- 3 modules move from `ops/` to `ops/ssm/`: `bmm.py`, `scan.py` and `state.py`.")) << text;
  EXPECT_TRUE(says(text,
                   "The modules `ops.bmm` (now `ops.ssm.bmm`), `ops.scan` (now `ops.ssm.scan`) and `ops.state` (now "
                   "`ops.ssm.state`) are imported by another name. Code outside the repository that imports them by "
                   "the old one breaks."))
      << text;
}

/// A public method that is a function of another module now is told as moved, and its old name as gone.
TEST(MovedCode, AMethodThatLeavesItsClassIsToldWithItsOldName) {
  const auto text_of = [](const std::string& name) {
    const auto code = [](const std::string& indent) {
      return indent + "total = 0\n" + indent + "for index, item in enumerate(items):\n" + indent +
             "    if item.size > limit:\n" + indent + "        raise ValueError(f'{item} is too large')\n" + indent +
             "    total += item.size * scale\n" + indent + "return total / len(items)\n";
    };
    const std::string cls = "class Box:\n    def size(self):\n        return 1\n";
    return explain_of({{"a.py", cls + "\n    def " + name + "(self, items):\n" + code("        ")}},
                      {{"a.py", cls}, {"b.py", "def weigh(items):\n    check(items)\n" + code("    ")}});
  };
  const std::string own = text_of("_weigh");
  EXPECT_TRUE(says(own, "`weigh` (moved from `a.py:5`, called `_weigh` there, to `b.py:1`): calls `check(items)`"))
      << own;
  EXPECT_FALSE(says(own, "Removed from the importable names")) << own;
  EXPECT_FALSE(says(own, "`self`")) << own;
  const std::string open = text_of("weigh");
  EXPECT_TRUE(says(open, "Removed from the importable names: `Box.weigh` (now `weigh` in `b.py`).")) << open;
}

/// In the same file, too; its code is shown as it is now, for no line of it is indented as before.
TEST(MovedCode, WhatGoesIntoAClassIsShownAsItIsNow) {
  const auto code = [](const std::string& indent, const std::string& test) {
    return indent + "total = 0\n" + indent + "for index, item in enumerate(items):\n" + indent + "    if " + test +
           ":\n" + indent + "        raise ValueError(f'{item} is too large')\n" + indent +
           "    total += item.size * scale\n" + indent + "return total / len(items)\n";
  };
  const std::string cls = "class Box:\n    def size(self):\n        return 1\n";
  const std::string text =
      explain_of({{"a.py", cls + "\n\ndef weigh(items, limit):\n" + code("    ", "item.size > limit")}},
                 {{"a.py", cls + "\n    def weigh(self, items, limit):\n" + code("        ", "item.size >= limit")}});
  EXPECT_TRUE(says(text, "`Box.weigh` (moved into `Box`, `a.py:5`): ")) << text;
  EXPECT_TRUE(says(text, "```python\ndef weigh(self, items, limit):\n    total = 0\n")) << text;
  EXPECT_TRUE(says(text, "Removed from the importable names: `weigh` (now `Box.weigh` in `a.py`).")) << text;
}

/// The head of a branch, and a name for what stands elsewhere, are no code that moved.
TEST(MovedCode, WhatManyFunctionsHaveMovedNowhere) {
  const auto marked = [](const std::string& body) {
    const std::string before =
        "def first(x):\n    stream = x.context.stream\n    if x.is_root():\n        release(x)\n    y = x.pack()\n"
        "    return y\n\n\ndef second(x):\n    return x\n";
    const std::string after =
        "def first(x):\n    y = x.pack(2)\n    z = x.spread(y, wide=True)\n    w = x.fold(z, y)\n"
        "    return w\n\n\ndef second(x):\n    stream = x.context.stream\n"
        "    if x.is_root():\n        " +
        body + "\n    return x\n";
    return dive_of({{"a.py", before}}, {{"a.py", after}});
  };
  EXPECT_TRUE(says(marked("release(x)"), "MOVED to second: if x.is_root():")) << marked("release(x)");
  EXPECT_TRUE(says(marked("release(x)"), "MOVED to second: stream = x.context.stream"));
  EXPECT_FALSE(says(marked("gather(x)"), "MOVED to second")) << marked("gather(x)");
}

const std::string kLoop = R"(import logging

import torch


class Coordinator:
    def __init__(self, socket):
        self.socket = socket
        self.ids = {}
        self.count = 0

    def start(self):
        """Run."""
        known = set()
        while True:
            sender, message = self.socket.receive()
            kind = message[0]
            if kind == Kinds.CONNECT:
                if sender in known:
                    logging.info("Client connects twice.")
                    continue
                known.add(sender)
                self.socket.send([sender, Kinds.ACK])
            elif kind == Kinds.SUBMIT:
                if sender not in known:
                    logging.info("Ignoring the request.")
                    continue
                request, prompt = message[1:]
                number = self.count
                self.count += 1
                self.ids[number] = request
                if isinstance(prompt, torch.Tensor):
                    prompt = prompt.tolist()
                self.route(number, prompt)
            elif kind == Kinds.RESET:
                self.count = 0
                self.ids.clear()
            else:
                raise ValueError(kind)

    def route(self, number, prompt):
        """Route it."""
        self.socket.send([number, prompt])


class Kinds:
    CONNECT = 1
    ACK = 2
    SUBMIT = 3
    RESET = 4


def main(socket):
    Coordinator(socket).start()


if __name__ == "__main__":
    main(None)
)";

const std::string kHandlers = R"(import logging

import torch

HANDLERS = {}


def handler(*kinds):
    def decorator(function):
        for kind in kinds:
            HANDLERS[kind] = function
        return function

    return decorator


@handler(Kinds.CONNECT)
def handle_connect(coordinator, sender, message):
    """Connect."""
    if sender in coordinator.known:
        logging.info("Client connects twice.")
        return
    coordinator.known.add(sender)
    coordinator.socket.send([sender, Kinds.ACK])


@handler(Kinds.SUBMIT)
def handle_submit(coordinator, sender, message):
    """Submit."""
    if sender not in coordinator.known:
        logging.info("Ignoring the request.")
        return
    request, prompt = message[1:]
    number = coordinator.count
    coordinator.count += 1
    coordinator.ids[number] = request
    if isinstance(prompt, torch.Tensor):
        prompt = prompt.tolist()
    coordinator.route(number, prompt)


@handler(Kinds.RESET)
def handle_reset(coordinator, sender, message):
    """Reset."""
    coordinator.count = 0
    coordinator.ids.clear()


)";

/// Branches of a choice that functions do now which are registered for what the branch asked: they moved, and what they
/// do is not new.
TEST(MovedCode, BranchesThatFunctionsDoNowWhichATableHoldsMoved) {
  const std::size_t chain = kLoop.find("            if kind == Kinds.CONNECT:");
  const std::size_t rest = kLoop.find("    def route(");
  const std::string loop =
      replace_all(replace_all(kLoop.substr(0, chain), "        known = set()\n", ""), "        self.count = 0\n",
                  "        self.count = 0\n        self.known = set()\n        self.handlers = dict(HANDLERS)\n") +
      "            handle = self.handlers.get(kind)\n            if handle is None:\n                raise "
      "ValueError(kind)\n            handle(self, sender, message)\n\n" +
      kLoop.substr(rest);
  const std::size_t cls = loop.find("class Coordinator");
  const std::size_t kinds = loop.find("class Kinds");
  const std::size_t main = loop.find("def main");
  const std::string after =
      loop.substr(kinds, main - kinds) + kHandlers + loop.substr(cls, kinds - cls) + loop.substr(main);
  const std::string old_kinds =
      kLoop.substr(kLoop.find("class Kinds"), kLoop.find("def main") - kLoop.find("class Kinds"));
  const std::string before = replace_all(kLoop, old_kinds, "");
  const Files old_files = {{"a.py", old_kinds + before}};
  const Files new_files = {{"a.py", after}};
  const std::string explain = explain_of(old_files, new_files);
  EXPECT_TRUE(says(explain,
                   "oves 3 branches to functions of their own: where `kind` is `Kinds.CONNECT` to "
                   "`handle_connect`, where `kind` is `Kinds.SUBMIT` to `handle_submit`, where `kind` is "
                   "`Kinds.RESET` to `handle_reset`"))
      << explain;
  EXPECT_TRUE(says(explain, "`handle_submit` (new, `a.py:35`), which takes its 10 steps over from `Coordinator.start`"))
      << explain;
  EXPECT_FALSE(says(explain, "o longer asks whether") || says(explain, "rops the")) << explain;
  EXPECT_FALSE(says(explain, "waits for the GPU") || says(explain, "waiting for the GPU")) << explain;
  const std::string dive = dive_of(old_files, new_files);
  EXPECT_TRUE(says(dive, "# MOVED to handle_connect: if kind == Kinds.CONNECT:")) << dive;
  EXPECT_FALSE(says(dive, "# REMOVED: if kind == Kinds.CONNECT:")) << dive;
  EXPECT_FALSE(says(dive, "`prompt.tolist()`, which waits for the GPU")) << dive;
  // A function that is registered for something else, and does something else, has nothing of the branch.
  const Files other = with_edit(with_edit(new_files, "a.py", "    coordinator.count = 0\n    coordinator.ids.clear()\n",
                                          "    coordinator.socket.close()\n    return True\n"),
                                "a.py", "@handler(Kinds.RESET)", "@handler(Kinds.ACK)");
  const std::string its_explain = explain_of(old_files, other);
  EXPECT_TRUE(says(its_explain, "oves 2 branches to functions of their own")) << its_explain;
  EXPECT_FALSE(says(its_explain, "to `handle_reset`")) << its_explain;
  // What a branch asked inside may be asked by a table now; it is no news beside the move, which comes first.
  const Files asking = with_edit(old_files, "a.py", "                self.ids.clear()\n",
                                 "                self.ids.clear()\n                if message[1] == Kinds.ACK:\n"
                                 "                    self.limit = 3\n                    self.socket.wake(1)\n");
  const Files by_table = with_edit(new_files, "a.py", "    coordinator.ids.clear()\n",
                                   "    coordinator.ids.clear()\n    coordinator.limit = LIMITS[message[1]]\n");
  const std::string told = explain_of(asking, by_table);
  EXPECT_FALSE(says(told, "`Kinds.ACK`") || says(told, "o longer asks whether")) << told;
  const std::size_t moves = told.find("oves 3 branches");
  ASSERT_NE(moves, std::string::npos) << told;
  EXPECT_LT(moves, told.find("`handle(self, sender, message)`")) << told;
}

/// What a new function works out that other new functions lead to has moved there, in whatever statement it stands.
TEST(MovedCode, AValueThatANewFunctionFurtherOnWorksOutMoved) {
  const std::string head =
      "def build_packed_index(packed, length):\n    return packed.ids[:length]\n\n\ndef sizes_of(packed):\n"
      "    return packed.sizes\n\n\nclass Mixer:\n    def forward(self, x, packed):\n";
  const std::string before = head +
                             "        x = self.proj(x)\n        index = None\n        if packed is not None:\n"
                             "            index = build_packed_index(packed, x.shape[0])\n"
                             "        return self.scan(x, index)\n";
  const auto after = [&](const std::string& result) {
    return head +
           "        return self.run_chunk(x, packed)\n\n    def run_chunk(self, x, packed):\n"
           "        x = self.proj(x)\n        index, sizes = self.metadata(packed, x.shape[1])\n"
           "        return self.scan(x, index)\n\n    def metadata(self, packed, length):\n"
           "        if packed is None:\n            return None, None\n        return " +
           result + ", sizes_of(packed)\n";
  };
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after("build_packed_index(packed, length)")}});
  EXPECT_FALSE(says(text, "rops the branch") || says(text, "o longer asks")) << text;
  EXPECT_TRUE(says(text, "`Mixer.metadata`")) << text;
  // Where it is worked out of nothing that it was, or not at all, it has not moved.
  for (const char* other : {"build_packed_index(x, length)", "packed.ids"}) {
    const std::string gone = explain_of({{"a.py", before}}, {{"a.py", after(other)}});
    EXPECT_TRUE(says(gone, "rops the branch when `packed` is not `None`")) << gone;
  }
}

/// A value that the new function asks for at once went there with its question: none of the two is told as dropped.
TEST(MovedCode, AValueThatIsAskedForAtOnceTakesItsQuestionAlong) {
  const std::string head =
      "def containing_group(parameter):\n    return parameter.group\n\n\nclass Optimizer:\n    def step_hook(self, "
      "parameters):\n";
  const std::string before = head +
                             "        found = set()\n        for parameter in parameters:\n"
                             "            group = containing_group(parameter)\n            if group is None:\n"
                             "                continue\n            found.add(group)\n        for group in found:\n"
                             "            group.refresh()\n";
  const std::string after = head +
                            "        refresh_groups(parameters)\n\n\ndef refresh_groups(parameters):\n"
                            "    seen = set()\n    for parameter in parameters:\n"
                            "        if (group := containing_group(parameter)) is None:\n            continue\n"
                            "        if group in seen:\n            continue\n        seen.add(group)\n"
                            "        group.refresh()\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_FALSE(says(text, "o longer asks whether `group` is `None`")) << text;
}

/// Two arms of a branch that became one: what both asked is told as both, and a question that the arm which stays asks
/// with others is asked still.
TEST(MovedCode, ArmsThatBecomeOneTellWhatBothAsked) {
  const auto explain_bodies = [](const std::string& old_body, const std::string& new_body) {
    return explain_of({{"a.py", old_body}}, {{"a.py", new_body}});
  };
  const std::string before =
      "def check(path, storage):\n    if storage.is_enabled():\n        if not storage.os.exists(path):\n"
      "            raise ValueError(path)\n    else:\n        if not os.exists(path):\n"
      "            raise ValueError(path)\n    return path\n";
  const std::string after =
      "def check(path, storage):\n    if not either.os.exists(path):\n        raise ValueError(path)\n    return "
      "path\n";
  const std::string text = explain_bodies(before, after);
  EXPECT_TRUE(says(text,
                   "when `either.os.exists(path)` is false, formerly when `storage.os.exists(path)` is false or "
                   "`os.exists(path)` is false (depending on the branch)"))
      << text;
  EXPECT_FALSE(says(text, "inside the branch on")) << text;
  // What the other arm does besides is not the same.
  const std::string other =
      explain_bodies(replace_all(before, "        if not os.exists(path):\n            raise ValueError(path)\n",
                                 "        os.load(path)\n"),
                     after);
  EXPECT_FALSE(says(other, "depending on the branch")) << other;

  const auto loops = [](const std::string& asked) {
    return "def hashes(path, storage, found):\n    if storage.is_enabled():\n        root = storage.Path(path)\n"
           "        for one in sorted(root.list(), key=str):\n            if " +
           asked +
           ":\n                found[one.name] = work(one)\n    else:\n        root = Path(path)\n"
           "        for one in sorted(root.list()):\n            if one.is_file() and one.name != INDEX:\n"
           "                found[one.name] = work(one)\n    return found\n";
  };
  const std::string merged =
      "def hashes(path, storage, found):\n    root = either.Path(path)\n    for one in sorted(root.list(), key=str):\n"
      "        if one.is_file() and one.name != INDEX:\n            found[one.name] = work(one)\n    return found\n";
  const std::string asks = explain_bodies(loops("one.name != INDEX"), merged);
  EXPECT_FALSE(says(asks, "rops the branch")) << asks;
  const std::string asked = explain_bodies(loops("one.name != OTHER"), merged);
  EXPECT_TRUE(says(asked, "rops the branch when `one.name` differs from `OTHER`")) << asked;
}

}  // namespace
}  // namespace lockstep::render
