// What code beside the change makes of it: callers of a flag that it gives back now, siblings that leave a new setting
// unread, command lines whose arguments are kept or chosen otherwise, conditions that sizes of groups decide.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kOptimizer = R"(class Optimizer:
    def step(self, config):
        norm = self.norm()
        ok = self.update()
        return ok, norm

    def norm(self):
        return 1.0

    def update(self):
        return True
)";

const std::string kTraining = R"(from optim import Optimizer


def all_agree(x):
    return x


def train_step(optimizer: Optimizer, scheduler, config):
    ok, norm = optimizer.step(config)
    ok = all_agree(ok)
    if ok:
        scheduler.step(1)
        skipped = 0
    else:
        skipped = 1
    return skipped, norm


def log_step(optimizer: Optimizer, config):
    ok, norm = optimizer.step(config)
    if not ok:
        print("skipped")
    return norm
)";

TEST(ReadByOthers, CallersOfAFlagThatIsGivenBackNow) {
  const Files files = {{"optim.py", kOptimizer}, {"train.py", kTraining}};
  const std::string choice = "ok = False if norm > config.limit else self.update()";
  const std::string text = explain_of(files, with_edit(files, "optim.py", "ok = self.update()", choice));
  EXPECT_TRUE(says(text,
                   "**In callers:** given `False`, `train_step` (`train.py:11`), where `ok` is not set, runs "
                   "`skipped = 1` instead of `scheduler.step(1)`."))
      << text;
  const std::string reference = dive_of(files, with_edit(files, "optim.py", "ok = self.update()", choice));
  EXPECT_TRUE(says(reference, "**In callers:** given `False`, `train_step`")) << reference;
  // Something else gives it another value in between.
  Files other = with_edit(files, "train.py", "    ok = all_agree(ok)\n", "    ok = config.always or ok\n");
  EXPECT_FALSE(says(explain_of(other, with_edit(other, "optim.py", "ok = self.update()", choice)), "In callers"));
  // No flag: what it is does not show.
  const std::string value = "ok = norm if norm > config.limit else self.update()";
  EXPECT_FALSE(says(explain_of(files, with_edit(files, "optim.py", "ok = self.update()", value)), "In callers"));
}

TEST(ReadByOthers, CallersThatAssertWhatIsGivenBack) {
  const std::string before = "def ready(x):\n    return x.is_done()\n\n\n";
  const auto explained = [&](const std::string& user) {
    return explain_of(
        {{"a.py", before + user}},
        {{"a.py", replace_all(before, "    return x", "    if x.old:\n        return False\n    return x") + user}});
  };
  const std::string text = explained("def use(x):\n    assert ready(x), \"not ready\"\n    return x.value()\n");
  EXPECT_TRUE(says(text, "**In callers:** given `False`, `use` (`a.py:8`) stops: it asserts `ready(x)`.")) << text;
  EXPECT_TRUE(says(text,
                   "`ready` returns `False` in a case where it did not. Given that, `use` (`a.py:8`) stops: it asserts "
                   "`ready(x)`. What passed there before may be refused now."))
      << text;
  const std::string local = explained("def use(x):\n    ok = ready(x)\n    assert ok\n    return x.value()\n");
  EXPECT_TRUE(says(local, "given `False`, `use` (`a.py:9`) stops: it asserts `ok`.")) << local;
  // What is asserted holds then, or is open.
  EXPECT_FALSE(says(explained("def use(x):\n    assert not ready(x)\n    return x.value()\n"), "stops"));
  EXPECT_FALSE(says(explained("def use(x):\n    assert ready(x) or x.late\n    return x.value()\n"), "stops"));
}

TEST(ReadByOthers, CallersThatAskAtOnce) {
  const std::string ready = "def ready(x):\n    return x.is_done()\n\n\n";
  const std::string user = "def use(x):\n    if not ready(x):\n        return None\n    return x.value()\n";
  const std::string text = explain_of(
      {{"a.py", ready + user}},
      {{"a.py", replace_all(ready, "    return x", "    if x.failed:\n        return False\n    return x") + user}});
  EXPECT_TRUE(says(text,
                   "**In callers:** given `False`, `use` (`a.py:8`), where `ready(x)` is false, runs `return "
                   "None`."))
      << text;
}

const std::string kFamily = R"(from config import OptimConfig


class Base:
    def __init__(self, config: OptimConfig):
        self.config = config

    def step(self):
        raise NotImplementedError


class Chained(Base):
    def step(self):
        norm = self.norm()
        self.write(norm)
        return norm

    def norm(self):
        return 1.0

    def write(self, norm):
        print(norm)


class Single(Base):
    def step(self):
        self.clip(1.0)
        return self.update()

    def clip(self, limit):
        pass

    def update(self):
        return 0
)";

TEST(ReadByOthers, SiblingsThatLeaveANewSettingUnread) {
  const std::string config =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass OptimConfig:\n    lr: float = 1.0\n";
  const auto changed = [&](const std::string& setting) {
    Files files = {{"config.py", config}, {"optim.py", kFamily}};
    files = with_edit(files, "config.py", "    lr: float = 1.0\n",
                      "    lr: float = 1.0\n    " + setting + ": float = 2.0\n");
    return with_edit(
        files, "optim.py", "        self.write(norm)\n",
        "        if norm > self.config." + setting + ":\n            return None\n        self.write(norm)\n");
  };
  const Files before = {{"config.py", config}, {"optim.py", kFamily}};
  const std::string text = explain_of(before, changed("norm_limit"));
  EXPECT_TRUE(says(text,
                   "Outside tests, `norm_limit` was found to be read in `Chained.step` alone; `Single.step` "
                   "(`optim.py:28`), of another class below `Base`, does not. Is it to hold there, too?"))
      << text;
  // Called after the class that reads it.
  EXPECT_FALSE(says(explain_of(before, changed("chained_limit")), "was found to be read in"));
  // The sibling goes through the one that reads it.
  const Files through = with_edit(before, "optim.py", "        self.clip(1.0)\n", "        Chained.step(self)\n");
  Files after = changed("norm_limit");
  after["optim.py"] = replace_all(after["optim.py"], "        self.clip(1.0)\n", "        Chained.step(self)\n");
  EXPECT_FALSE(says(explain_of(through, after), "was found to be read in"));
}

TEST(ReadByOthers, ArgumentsThatAreKeptUnderAnotherName) {
  const std::string parser =
      "def add_args(parser):\n    parser.add_argument('--tokenizer-tokens', type=str, default=None)\n"
      "    parser.add_argument('--pattern', type=str, default=None)\n    return parser\n";
  const std::string config =
      "from dataclasses import dataclass, field\nfrom typing import Literal\n\n\n@dataclass\nclass TokenConfig:\n"
      "    tokens: str = field(default=None, metadata={'names': ['--tokenizer-tokens']})\n"
      "    pattern: Literal['v1', 'v2'] = None\n";
  const std::string reader = "def build(args):\n    return args.tokenizer_tokens\n";
  const std::string made =
      "from config import TokenConfig\n\n\ndef add_args(parser):\n    make(parser, TokenConfig)\n"
      "    return parser\n";
  const std::string text = explain_of({{"args.py", parser}, {"config.py", ""}, {"use.py", reader}},
                                      {{"args.py", made}, {"config.py", config}, {"use.py", reader}});
  EXPECT_TRUE(says(text,
                   "What a command-line argument gives is kept under another name now: `--tokenizer-tokens` as "
                   "`tokens`, formerly `tokenizer_tokens`. `build` still reads `tokenizer_tokens`."))
      << text;
  EXPECT_TRUE(says(text, "`pattern` is declared to take only `\"v1\"` and `\"v2\"` now, formerly any text.")) << text;
  // Under the name that it had, and still any text.
  const std::string same =
      replace_all(replace_all(config, "    tokens:", "    tokenizer_tokens:"), "Literal['v1', 'v2']", "str");
  const std::string kept = explain_of({{"args.py", parser}, {"config.py", ""}, {"use.py", reader}},
                                      {{"args.py", made}, {"config.py", same}, {"use.py", reader}});
  EXPECT_FALSE(says(kept, "under another name now")) << kept;
  const std::string named =
      replace_all(config, "'--tokenizer-tokens']", "'--tokenizer-tokens'], 'dest': 'tokenizer_tokens'");
  EXPECT_FALSE(says(explain_of({{"args.py", parser}, {"config.py", ""}, {"use.py", reader}},
                               {{"args.py", made}, {"config.py", named}, {"use.py", reader}}),
                    "under another name now"));
  EXPECT_FALSE(says(kept, "to take only")) << kept;
}

TEST(ReadByOthers, SizesOfGroupsThatMayBeMissing) {
  const std::string config =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass ModelConfig:\n    context_parallel_size: int = 1\n"
      "    tensor_model_parallel_size: int = 1\n\n\n@dataclass\nclass DataConfig:\n"
      "    context_parallel_size: int = None\n";
  const std::string model =
      "import torch\n\n\ndef logprobs(model, x):\n    group = model.groups.cp\n"
      "    size = torch.distributed.get_world_size(group) if group is not None else 1\n"
      "    if size > 1:\n        x = x + 1\n    return x\n\n\nif __name__ == '__main__':\n    logprobs(None, 1)\n";
  const Files files = {{"config.py", config}, {"model.py", model}};
  const std::string text = explain_of(files, with_edit(files, "model.py", "x + 1", "x + 2"));
  EXPECT_TRUE(
      says(text, "- `context_parallel_size` (`config.py:6`), default `1`. That `size` is more than `1` depends on it"))
      << text;
  // The other value is one, too.
  const Files always = with_edit(files, "model.py", "else 1", "else 8");
  EXPECT_FALSE(says(explain_of(always, with_edit(always, "model.py", "x + 1", "x + 2")), "depends on it"));
}

TEST(ReadByOthers, ASettingThatTheTitleSpellsOut) {
  const std::string config =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass SaveConfig:\n    export_dtype: str = 'float32'\n";
  const std::string saver =
      "class Saver:\n    def __init__(self, config):\n        self.export_dtype = make(config.export_dtype)\n\n"
      "    def save(self, states):\n        return states.to(self.export_dtype)\n";
  const Files files = {{"config.py", config}, {"save.py", saver}};
  const Files after = with_edit(files, "save.py", "states.to(self.export_dtype)", "states.cpu().to(self.export_dtype)");
  const std::string text = explain_of(files, after, "Fix the export dtype of a save");
  EXPECT_TRUE(says(text, "- `export_dtype` (`config.py:6`), default `'float32'`.")) << text;
  EXPECT_FALSE(says(explain_of(files, after, "Fix the export"), "- `export_dtype` (")) << text;
}

TEST(ReadByOthers, WhatWasPrivateIsAPublicNameNow) {
  const std::string body =
      "(x, y):\n    total = x + y\n    for one in range(3):\n        total += one * y\n    return total\n";
  const std::string user = "\n\ndef use(x):\n    return NAME(x, 2)\n";
  const auto file = [&](const std::string& name) { return "def " + name + body + replace_all(user, "NAME", name); };
  const std::string text = explain_of({{"a.py", file("_combine")}}, {{"a.py", file("combine")}});
  EXPECT_TRUE(says(text, "Adds the public `combine`; no public")) << text;
  const std::string still = explain_of({{"a.py", file("_combine")}}, {{"a.py", file("_combined")}});
  EXPECT_FALSE(says(still, "Adds the public")) << still;
}

TEST(ReadByOthers, ADecoratorInPlaceOfABlock) {
  const std::string block =
      "import torch\n\n\ndef merge(x):\n    with torch.no_grad():\n        y = torch.cat(x)\n        return y\n";
  const std::string decorated =
      "import torch\n\n\n@torch.no_grad()\ndef merge(x):\n    y = torch.cat(x)\n    return y\n";
  EXPECT_FALSE(says(explain_of({{"a.py", block}}, {{"a.py", decorated}}), "is decorated with"));
  EXPECT_FALSE(says(explain_of({{"a.py", decorated}}, {{"a.py", block}}), "loses the decorator"));
  const std::string part = replace_all(block, "        return y", "    return y");
  EXPECT_TRUE(says(explain_of({{"a.py", part}}, {{"a.py", decorated}}), "is decorated with")) << part;
}

TEST(ReadByOthers, AVariableThatIsThereToBeFilled) {
  const std::string before = "def run(x):\n    return x\n";
  const std::string after =
      "_pool = None\n\n\ndef pool():\n    global _pool\n    if _pool is None:\n        _pool = object()\n    return "
      "_pool"
      "\n\n\ndef run(x):\n    return x, pool()\n";
  const std::string text = dive_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "`None` until `pool` sets it.") || !says(text, "`_pool` (new")) << text;
  EXPECT_FALSE(says(text, "`_pool` (new, `a.py:1`): `None`.")) << text;
}

TEST(ReadByOthers, WholeClassesOfErrorsThatWereLetThrough) {
  const std::string lib =
      "import torch\n\n\ndef cat_or_move(parts):\n    try:\n        return torch.cat(parts)\n"
      "    except (RuntimeError, torch.OutOfMemoryError):\n        moved = torch.cat([p.cpu() for p in parts])\n"
      "        return moved\n";
  const std::string user =
      "import torch\n\nfrom lib import cat_or_move\n\n\ndef cat(parts):\n    return torch.cat(parts)\n\n\n"
      "def load(parts, make):\n    return make(parts, cat)\n";
  const Files files = {{"lib.py", lib}, {"use.py", user}};
  const std::string text =
      explain_of(files, with_edit(files, "use.py", "make(parts, cat)", "make(parts, cat_or_move)"));
  EXPECT_TRUE(says(text,
                   "`cat_or_move` catches every `RuntimeError` of `torch.cat(parts)` (`lib.py:6`), not only "
                   "`torch.OutOfMemoryError`, and runs `moved = torch.cat([p.cpu() for p in parts])`; `cat` (`use.py`) "
                   "let it through. Is that meant for errors of all kinds?"))
      << text;
  // It raises in the end.
  const Files raising = with_edit(files, "lib.py", "        return moved\n", "        raise\n");
  EXPECT_FALSE(says(explain_of(raising, with_edit(raising, "use.py", "make(parts, cat)", "make(parts, cat_or_move)")),
                    "let it through"));
  // The other one caught it, too.
  const Files caught =
      with_edit(files, "use.py", "    return torch.cat(parts)\n",
                "    try:\n        return torch.cat(parts)\n    except RuntimeError:\n        return None\n");
  EXPECT_FALSE(says(explain_of(caught, with_edit(caught, "use.py", "make(parts, cat)", "make(parts, cat_or_move)")),
                    "let it through"));
}

TEST(ReadByOthers, WholeClassesOfErrorsAroundWhatStoodThere) {
  const std::string plain = "def run(x):\n    y = x.start()\n    return y\n";
  const auto caught = [](const std::string& type) {
    return "def run(x):\n    try:\n        y = x.start()\n    except " + type +
           ":\n        y = x.start_slowly()\n    return y\n";
  };
  const std::string text = explain_of({{"a.py", plain}}, {{"a.py", caught("RuntimeError")}});
  EXPECT_TRUE(says(text,
                   "`run` catches every `RuntimeError` of `x.start()` (`a.py:3`), and runs `y = x.start_slowly()`; the "
                   "old version let it through."))
      << text;
  EXPECT_FALSE(says(explain_of({{"a.py", plain}}, {{"a.py", caught("KeyError")}}), "let it through"));
}

/// An item by a text, of a dictionary that its name tells from others.
TEST(ReadByOthers, ItemsOfADictionaryThatOthersRead) {
  const std::string scheduler =
      "class Scheduler:\n    def get_lr(self, param_group):\n        return param_group.get('max_lr', 1.0)\n";
  const auto told = [&](const std::string& target, const std::string& reader) {
    const std::string load =
        "def load(optimizer, lr, kwargs):\n    for param_group in optimizer.param_groups:\n        ";
    const Files before = {{"load.py", load + "pass\n"}, {"lr.py", reader}};
    const Files after = {{"load.py", load + target + "['max_lr'] = lr\n"}, {"lr.py", reader}};
    return explain_of(before, after);
  };
  const std::string text = told("param_group", scheduler);
  EXPECT_TRUE(says(text,
                   "**Read by unchanged code:** `param_group[\"max_lr\"]` in `Scheduler.get_lr` (`lr.py:3`: `return "
                   "param_group.get('max_lr', 1.0)`)."))
      << text;
  EXPECT_FALSE(
      says(told("param_group", replace_all(scheduler, "param_group", "other_group")), "Read by unchanged code"));
  EXPECT_FALSE(says(told("param_group", replace_all(scheduler, "max_lr", "min_lr")), "Read by unchanged code"));
  EXPECT_FALSE(says(told("kwargs", replace_all(scheduler, "param_group", "kwargs")), "Read by unchanged code"));
}

}  // namespace
}  // namespace lockstep::render
