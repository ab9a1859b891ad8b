// Arguments that changed calls give otherwise: where that decides what a run does.
#include <gtest/gtest.h>

#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

std::string with(std::string text, std::string_view what, std::string_view by) {
  return text.replace(text.find(what), what.size(), by);
}

std::string change(const std::string& body, std::string_view what, std::string_view by) {
  return explain_of({{"a.py", body}}, {{"a.py", with(body, what, by)}});
}

const std::string kRouter = R"(class Router:
    def __init__(self, config, is_extra=False):
        self.config = config
        self.is_extra = is_extra


class TopKRouter(Router):
    def __init__(self, config, is_extra=False):
        super().__init__(config, is_extra=is_extra)

    def attach(self, loss):
        if self.is_extra and self.config.repeated:
            loss = loss / self.config.depth
        return loss


class Layer:
    def __init__(self, config, is_extra=False, shifted=True):
        if is_extra or not shifted:
            self.number = 1
        else:
            self.number = 2 + config.first
        self.router = TopKRouter(config, is_extra=is_extra)


def build(cls, **kwargs):
    return cls(**kwargs)


def stack(config, is_extra):
    return build(Layer, config=config, shifted=False)
)";

TEST(Followed, AnArgumentIsFollowedToWhatItDecides) {
  const std::string text = change(kRouter, "shifted=False)", "is_extra=is_extra, shifted=False)");
  EXPECT_TRUE(
      says(text,
           "`is_extra` can reach `TopKRouter` through `Layer` and decides in `TopKRouter.attach` (`a.py:12`): "
           "`loss = loss / self.config.depth` runs only if `self.is_extra and self.config.repeated`. Before, it "
           "was `False`, the default."))
      << text;
  // The question that the call itself answers is none.
  EXPECT_FALSE(says(text, "is_extra or not shifted")) << text;
  const std::string open =
      change(with(kRouter, ", shifted=False", ""), "config=config)", "config=config, is_extra=is_extra)");
  // Both sides of the branch give one attribute its value.
  EXPECT_TRUE(
      says(open,
           "`is_extra` decides in `Layer.__init__` (`a.py:19`): `self.number` is `1` where `is_extra` is true or "
           "`shifted` is not set, else `2 + config.first`."))
      << open;
  const std::string apart = change(with(with(kRouter, ", shifted=False", ""), "self.number = 2", "self.other = 2"),
                                   "config=config)", "config=config, is_extra=is_extra)");
  EXPECT_TRUE(says(apart, "runs only if `is_extra` is false and `shifted` is set")) << apart;
}

/// What a function returns before it asks is part of the answer.
TEST(Followed, AnEarlyReturnBeforeTheQuestionIsToldWithIt) {
  const std::string late = with(kRouter, "        if self.is_extra and",
                                "        if loss is None:\n            return None\n        if self.is_extra and");
  const std::string text = change(late, "shifted=False)", "is_extra=is_extra, shifted=False)");
  EXPECT_TRUE(says(text, "runs only if `loss` is not `None` and `self.is_extra` is true and")) << text;
  // Where what it asked is given another value, nothing is known of it.
  const std::string reset =
      with(late, "        if self.is_extra and", "        loss = loss + 1\n        if self.is_extra and");
  EXPECT_TRUE(says(change(reset, "shifted=False)", "is_extra=is_extra, shifted=False)"),
                   "runs only if `self.is_extra and self.config.repeated`"));
}

TEST(Followed, TheDefaultIsNotToldWhereSomethingElseMayGiveTheArgument) {
  const std::string partial =
      "import functools\n\n\n" + kRouter + "\n\nEXTRA = functools.partial(Layer, is_extra=True)\n";
  const std::string text = change(partial, "shifted=False)", "is_extra=is_extra, shifted=False)");
  EXPECT_TRUE(says(text, "decides in `TopKRouter.attach`")) << text;
  EXPECT_FALSE(says(text, "the default")) << text;
}

TEST(Followed, WhoGivesTheParameterThatIsHandedOnIsTold) {
  const auto with_callers = [](const std::string& callers) {
    const std::string body =
        with(kRouter, "def stack(config, is_extra):", "def stack(config, is_extra=False):") + callers;
    return change(body, "shifted=False)", "is_extra=is_extra, shifted=False)");
  };
  const std::string plain = "\n\ndef main(config):\n    stack(config)\n";
  const std::string text = with_callers(plain + "\n\ndef further(config):\n    stack(config, is_extra=True)\n");
  EXPECT_TRUE(says(text,
                   "Before, it was `False`, the default. Of what calls `stack`, `further` (`a.py:39`) gives it as "
                   "`True`; where it is left out, `False` goes on, as before."))
      << text;
  // Nobody gives it, or what everybody else gets.
  EXPECT_FALSE(says(with_callers(plain), "Of what calls")) << with_callers(plain);
  const std::string same = with_callers(plain + "\n\ndef further(config):\n    stack(config, is_extra=False)\n");
  EXPECT_FALSE(says(same, "Of what calls")) << same;
}

TEST(Followed, WhatAnotherArgumentIsMadeOfNowIsToldWithTheOneThatIsGone) {
  const std::string body = R"(def report(count, further=None):
    if further:
        count = count + further
    return count


def log(args):
    layers = args.layers
    return report(count=layers, further=args.further)
)";
  const std::string moved = explain_of(
      {{"a.py", body}}, {{"a.py", with(with(body, "layers = args.layers", "layers = args.layers + args.further"),
                                       "count=layers, further=args.further", "count=layers")}});
  EXPECT_TRUE(says(moved, "No longer passed, it is `None`, the default; `args.further` goes into `count` now."))
      << moved;
  const std::string gone = change(body, "count=layers, further=args.further", "count=layers");
  EXPECT_TRUE(says(gone, "No longer passed, it is `None`, the default.")) << gone;
}

TEST(Followed, AnArgumentThatIsNoLongerPassedFallsBack) {
  const std::string body = R"(def scale(x, factor=2, fast=True):
    if fast:
        x = x * factor
    return x


def step(x, quick):
    return scale(x, fast=quick)
)";
  const std::string gone = change(body, "scale(x, fast=quick)", "scale(x)");
  EXPECT_TRUE(says(gone,
                   "`fast` decides in `scale` (`a.py:2`): `x = x * factor` runs only if `fast`. No longer passed, "
                   "it is `True`, the default."))
      << gone;
  const std::string other = change(with(body, "fast=quick", "fast=True"), "fast=True)\n", "fast=False)\n");
  EXPECT_TRUE(says(other, "`fast` decides in `scale` (`a.py:2`)")) << other;
  EXPECT_TRUE(says(other, "Before, it was `True`; now it is `False`.")) << other;
  // By position, and reckoned with.
  const std::string placed = change(body, "scale(x, fast=quick)", "scale(x, 3, fast=quick)");
  EXPECT_TRUE(
      says(placed, "`factor` is used in `scale` (`a.py:3`): `x = x * factor`. Before, it was `2`, the default."))
      << placed;
  // What is taken anyway changes nothing.
  const std::string same = change(body, "scale(x, fast=quick)", "scale(x, factor=2, fast=quick)");
  EXPECT_FALSE(says(same, "is used in")) << same;
}

TEST(Followed, WhatIsOnlyWrittenSomewhereDecidesNothing) {
  const auto says_it = [&](const std::string& inner, const std::string& argument) {
    const std::string body = "class Norm:\n    def __init__(self, size, " + argument + "=None):\n" + inner +
                             "\n\ndef make(size, given):\n    return Norm(size)\n";
    const std::string text = change(body, "Norm(size)", "Norm(size, " + argument + "=given)");
    return says(text, "decides in") || says(text, "is used in") || says(text, "is checked in");
  };
  EXPECT_FALSE(says_it("        self.path = name + \".x\" if name is not None else None\n", "name"));
  EXPECT_FALSE(says_it("        self.path = size + name\n", "name"));
  EXPECT_FALSE(says_it("        print(note)\n", "note"));
  EXPECT_FALSE(says_it("        if note:\n            print(size)\n", "note"));
  EXPECT_FALSE(says_it("        note = size\n        self.x = note * 2\n", "note"));
  EXPECT_FALSE(says_it("        self.text = f\"{note}\" + str(size)\n", "note"));
  EXPECT_TRUE(says_it("        self.x = size * note\n", "note"));
  // Set in two places, it may be another one where it is asked.
  const std::string ask = "\n    def run(self, x):\n        if self.note:\n            x = x * 2\n        return x\n";
  EXPECT_TRUE(says_it("        self.note = note\n" + ask, "note"));
  EXPECT_FALSE(says_it("        self.note = note\n" + ask + "\n    def set(self):\n        self.note = 1\n", "note"));
}

TEST(Followed, AQuestionThatTheChangeBringsIsToldForItself) {
  const std::string body = "def scale(x, fast=False):\n    return x\n\n\ndef step(x):\n    return scale(x)\n";
  const std::string after = with(with(body, "    return x\n", "    if fast:\n        x = x * 2\n    return x\n"),
                                 "return scale(x)", "return scale(x, fast=True)");
  EXPECT_FALSE(says(explain_of({{"a.py", body}}, {{"a.py", after}}), "decides in"));
}

TEST(Followed, OfABranchTheSideIsToldThatDoesMore) {
  const auto text_of = [&](const std::string& branch) {
    const std::string body = "def scale(x, wide=False, near=None):\n" + branch +
                             "    return x\n\n\ndef step(x, how):\n    return scale(x)\n";
    return change(body, "scale(x)\n", "scale(x, wide=how)\n");
  };
  const std::string other = text_of("    if wide:\n        pass\n    else:\n        x = x * 2\n        x = x + 1\n");
  EXPECT_TRUE(says(other, "`x = x * 2` and 1 more step run only if `wide` is not set")) << other;
  // What hangs on more than the argument is not told as if it hung on that alone.
  const std::string nested =
      text_of("    if wide:\n        if near:\n            x = x * 2\n        else:\n            x = x * 3\n");
  EXPECT_TRUE(says(nested, "`if near:` and 2 more steps run only if `wide`")) << nested;
}

TEST(Followed, OneConsequenceIsToldOnce) {
  const std::string body = with(kRouter, "\n\ndef stack",
                                "\n\ndef other(config, is_extra):\n    wide = config.wide\n"
                                "    return build(Layer, config=wide, shifted=False)\n\n\ndef stack");
  const std::string after = with(with(body, "wide, shifted", "wide, is_extra=is_extra, shifted"),
                                 "config=config, shifted", "config=config, is_extra=is_extra, shifted");
  const std::string text = explain_of({{"a.py", body}}, {{"a.py", after}});
  const std::size_t first = text.find("can reach");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("can reach", first + 1), std::string::npos) << text;
}

// However much else changes, the one line is told.
TEST(Followed, AnArgumentThatDecidesIsToldBesideLongerChanges) {
  std::string long_body = "\n\ndef report(values):\n    total = 0\n";
  std::string longer = long_body;
  for (int i = 0; i < 30; ++i) {
    const std::string n = std::to_string(i);
    longer += "    if values[" + n + "] > total:\n        total = total + check_" + n + "(values)\n";
  }
  std::string other = "\n\ndef gather(values):\n    out = []\n";
  const std::string body = kRouter + long_body + "    return total\n" + other + "    return out\n";
  for (int i = 0; i < 20; ++i)
    other += "    for x in values.part_" + std::to_string(i) + "():\n        out.append(x)\n";
  const std::string after = with(kRouter, "shifted=False)", "is_extra=is_extra, shifted=False)") + longer +
                            "    return total\n" + other + "    return out\n";
  const std::string text = explain_of({{"a.py", body}}, {{"a.py", after}});
  const std::string what = text.substr(0, text.find("## 2."));
  EXPECT_TRUE(says(what, "- `stack` (changed")) << what;
  EXPECT_TRUE(says(what, "decides in `TopKRouter.attach`")) << what;
}

// What a field of a dataclass holds now is told by who calls it, and who asks for it; those of experiments come last.
TEST(Followed, AFieldThatGetsAFunctionIsToldByItsReaders) {
  const std::string spec =
      "from dataclasses import dataclass\nfrom typing import Callable\n\n\n@dataclass\nclass "
      "ModelSpec:\n    name: str\n    pipelining_fn: Callable | None\n";
  const std::string trainer = R"(class Trainer:
    def __init__(self, spec, parallel):
        if parallel.enabled:
            if not spec.pipelining_fn:
                raise RuntimeError("no pipeline for this model")
            self.stages = spec.pipelining_fn(parallel)
)";
  const std::string forge = "def build(spec):\n    return spec.pipelining_fn(None)\n";
  const std::string model =
      "from spec import ModelSpec\n\n\ndef pipeline(parallel):\n    return [parallel]\n\n\n"
      "def model_registry():\n    return ModelSpec(name=\"a\", pipelining_fn=None)\n";
  const Files before = {
      {"spec.py", spec}, {"trainer.py", trainer}, {"experiments/forge.py", forge}, {"model.py", model}};
  const Files after = with_edit(before, "model.py", "pipelining_fn=None", "pipelining_fn=pipeline");
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text,
                   "`pipelining_fn` is called in `Trainer.__init__` (`trainer.py:6`) where `parallel.enabled` is "
                   "true; in `build` (`experiments/forge.py:2`). `pipelining_fn` decides in `Trainer.__init__` "
                   "(`trainer.py:4`): `raise RuntimeError(\"no pipeline for this model\")` runs only if `not "
                   "spec.pipelining_fn`."))
      << text;
  // Another class with such a field: which of the two is read, the name does not say.
  Files two = before;
  two["other.py"] = "class Other:\n    def __init__(self):\n        self.pipelining_fn = None\n";
  EXPECT_FALSE(says(explain_of(two, with_edit(two, "model.py", "pipelining_fn=None", "pipelining_fn=pipeline")),
                    "is called in"));
}

/// What is given otherwise makes no difference where nobody reads it.
TEST(Followed, WhereTheOnlyReaderReadsAnEditedArgumentIsTold) {
  const std::string router = R"(class RouterConfig:
    per_token_loss: bool = False


class Router:
    def __init__(self, config: RouterConfig):
        self.per_token_loss = config.per_token_loss

    def attach(self, loss, count):
        record(loss)
        if self.per_token_loss:
            loss = loss * count
        return loss

    def apply(self, loss, tokens, batch):
        return self.attach(loss, count=tokens)


def record(loss):
    print(loss)
)";
  const std::string text = change(router, "count=tokens)", "count=tokens * batch)");
  EXPECT_TRUE(says(text,
                   "`Router.attach` reads `count` only where `self.per_token_loss` is set (`a.py:11`), which does "
                   "not hold by default."))
      << text;
  // One that is on by default is no news of that kind, and one that is read elsewhere, too, depends on nothing.
  const std::string on = with(router, "per_token_loss: bool = False", "per_token_loss: bool = True");
  EXPECT_TRUE(says(change(on, "count=tokens)", "count=tokens * batch)"), "is set (`a.py:11`).")) << on;
  const std::string always = with(router, "record(loss)\n        if", "record(loss / count)\n        if");
  EXPECT_FALSE(says(change(always, "count=tokens)", "count=tokens * batch)"), "reads `count` only where"));
  // Nor does one that the function sets itself, or asks for.
  const std::string asked = with(router, "if self.per_token_loss:", "if count is not None:");
  EXPECT_FALSE(says(change(asked, "count=tokens)", "count=tokens * batch)"), "reads `count` only where"));
}

/// An argument that another object keeps, under a name that nothing else sets, decides where that is read.
TEST(Followed, WhatAnEntryKeepsDecidesWhereItIsRead) {
  const std::string body = R"(import torch.distributed as dist


class Metrics:
    def __init__(self):
        self.entries = {}

    def record(self, name, value, avg_group=None):
        entry = self.entries[name]
        entry.value = value
        entry.avg_group = avg_group

    def sync(self, name):
        entry = self.entries[name]
        if entry.avg_group is not None:
            dist.all_reduce(entry.value, group=entry.avg_group)


def tracker():
    return Metrics()


def train_step(loss, group):
    tracker().record("loss", loss)
    return loss
)";
  const std::string text = change(body, "\"loss\", loss)", "\"loss\", loss, avg_group=group)");
  EXPECT_TRUE(says(text,
                   "also passes `avg_group=group` to `tracker().record`. `avg_group` decides in `Metrics.sync` "
                   "(`a.py:15`): `dist.all_reduce(entry.value, group=entry.avg_group)` runs only if "
                   "`entry.avg_group is not None`. Before, it was `None`, the default."))
      << text;
  EXPECT_TRUE(says(text,
                   "An argument among the changed lines decides over a collective, as told above; no new wait for the "
                   "GPU or allocation was recognized in them"))
      << text;
  const std::string twice =
      with(body, "    def sync(self",
           "    def clear(self, name):\n        self.entries[name].avg_group = None\n\n    def sync(self");
  EXPECT_FALSE(says(change(twice, "\"loss\", loss)", "\"loss\", loss, avg_group=group)"), "decides in"))
      << "set elsewhere";
}

}  // namespace
}  // namespace lockstep::render
