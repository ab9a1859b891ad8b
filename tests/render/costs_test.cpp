// What the documents say of cost: what runs in a step, what runs where the model is built, and what is new there.
#include <gtest/gtest.h>

#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

std::string explain_body(const std::string& before, const std::string& after) {
  return explain_of({{"a.py", before}}, {{"a.py", after}});
}

std::string with(std::string text, std::string_view what, std::string_view by) {
  return text.replace(text.find(what), what.size(), by);
}

TEST(Costs, WhatOnlyConstructorsOfModulesLeadToRunsWhenTheModelIsBuilt) {
  const std::string body = R"(import torch


def slice_weight(param):
    return param


class Layer(torch.nn.Module):
    def __init__(self, param):
        self.weight = slice_weight(param)

    def forward(self, x):
        return scale(x)


def scale(x):
    return x


def model_provider(param):
    return Layer(param)


def train_step(param):
    return model_provider(param)
)";
  const std::string built = explain_body(body, with(body, "return param", "return param + 1"));
  EXPECT_TRUE(says(built,
                   "The call graph finds no way from a training step to `slice_weight` but through constructors, where "
                   "objects are built."))
      << built;
  EXPECT_FALSE(says(built, "lies on the way of a training step")) << built;
  const std::string run = explain_body(body, with(body, "return x\n", "return x + 1\n"));
  EXPECT_TRUE(says(run, "`scale` lies on the way of a training step.")) << run;
}

TEST(Costs, WhatARunExchangesRightBeforeItEndsIsSaidSo) {
  const std::string body =
      "import sys\nimport torch\n\n\ndef train(model, steps):\n    for step in range(steps):\n        model(step)\n"
      "    if model.stopped:\n        model.close()\n        sys.exit(1)\n    return model\n";
  const std::string barrier = "        torch.distributed.barrier()\n";
  const std::string last =
      explain_body(body, with(body, "        model.close()\n", barrier + "        model.close()\n"));
  EXPECT_TRUE(says(last, "New communication, right before the process ends.")) << last;
  const std::string each = explain_body(body, with(body, "        model(step)\n", barrier + "        model(step)\n"));
  EXPECT_FALSE(says(each, "right before the process ends")) << each;
}

/// What the first step makes and keeps is not made in each.
TEST(Costs, WhatIsMadeWhileAnAttributeIsNoneIsSaidSo) {
  const std::string core =
      "def run_passes(x):\n    y = x + 1\n    return y\n\n\nclass Trainer:\n    def __init__(self):\n"
      "        self.traced = None\n\n    def train_step(self, x):\n        if self.traced is None:\n"
      "            self.traced = x\n            self.traced.graph = run_passes(x)\n        return self.traced\n";
  const std::string main =
      "from core import Trainer\n\n\ndef main():\n    trainer = Trainer()\n    for x in range(3):\n"
      "        trainer.train_step(x)\n\n\nif __name__ == '__main__':\n    main()\n";
  const auto text_of = [&](const std::string& text) {
    const Files before = {{"core.py", text}, {"train.py", main}};
    return explain_of(before, with_edit(before, "core.py", "y = x + 1", "y = x + 2"));
  };
  EXPECT_TRUE(says(text_of(core),
                   "`run_passes` lies on the way of a training step, on the way told here only while "
                   "`self.traced` is `None`, which it then sets."))
      << text_of(core);
  // It is never set: each step comes there.
  const std::string each =
      with(core, "            self.traced = x\n            self.traced.graph =", "            x =");
  EXPECT_TRUE(says(text_of(each), "`run_passes` lies on the way of a training step.")) << text_of(each);
}

/// What new code sends for functions that sent it themselves is no new communication; for others it is.
TEST(Costs, ANewFunctionThatTransfersForItsCallersTakesTheirPlace) {
  const std::string before = R"(import torch.distributed as dist


class Bridge:
    def send_forward(self, x, peer):
        dist.send(x, dst=peer, group=self.bridge_pg)

    def recv_forward(self, x, peer):
        dist.recv(x, src=peer, group=self.bridge_pg)
)";
  const std::string after = R"(import torch.distributed as dist


class Bridge:
    def send_forward(self, x, peer):
        self._batched(dist.isend, x, peer)

    def recv_forward(self, x, peer):
        self._batched(dist.irecv, x, peer)

    def _batched(self, op, x, peer):
        ops = [dist.P2POp(op, x, peer, self.bridge_pg)]
        for request in dist.batch_isend_irecv(ops):
            request.wait()
)";
  const std::string text = explain_body(before, after);
  EXPECT_TRUE(
      says(text,
           "`Bridge._batched` issues `batch_isend_irecv` over `self.bridge_pg`, in place of `recv` and `send` of "
           "the 2 functions that call it"))
      << text;
  EXPECT_FALSE(says(text, "New communication")) << text;
  const std::string more =
      explain_body(before, after + "\n    def probe(self, x):\n        self._batched(dist.isend, x, 0)\n");
  EXPECT_TRUE(says(more, "New communication")) << more;
}

/// A function of the step that comes to a collective only now, in code that another function of the change came to.
TEST(Costs, AFunctionThatComesToCollectivesNowIsTold) {
  const std::string body = R"(import torch.distributed as dist


def gather(x, depth):
    return one(x)


def one(x):
    return two(x)


def two(x):
    return three(x)


def three(x):
    return four(x)


def four(x):
    dist.all_reduce(x)
    return x


def load(x):
    return gather(x, 1)


def refresh(x):
    return x


def train_step(x):
    return refresh(x)
)";
  const std::string now = with(with(body, "return gather(x, 1)", "return gather(x, 2)"),
                               "def refresh(x):\n    return x", "def refresh(x):\n    return gather(x, 1)");
  const std::string text = explain_body(body, now);
  EXPECT_TRUE(says(text, "`refresh`, on the training step path, can come to collectives now, through what it calls") ||
              says(text, "`refresh` comes to call `four`, which issues `all_reduce`"))
      << text;
  EXPECT_FALSE(says(text, "No new collective, wait for the GPU or allocation")) << text;
}

/// What a constructor waits for, it waits for once.
TEST(Costs, WhatRunsOncePerObjectNeedsNoProfiling) {
  const std::string body =
      "import torch\n\n\nclass Layer(torch.nn.Module):\n    def __init__(self, scale):\n        self.scale = scale\n\n"
      "    def forward(self, x):\n        return x\n\n\n"
      "def model_provider(x):\n    return Layer(x)\n\n\ndef train_step(x):\n    return model_provider(x)\n";
  const std::string built =
      explain_body(body, with(body, "self.scale = scale\n", "self.scale = scale\n        torch.cuda.synchronize()\n"));
  EXPECT_TRUE(says(built, "Runs once for each object that is built")) << built;
  EXPECT_FALSE(says(built, "Needs profiling")) << built;
  const std::string run = explain_body(body, with(body, "return x\n", "torch.cuda.synchronize()\n        return x\n"));
  EXPECT_TRUE(says(run, "Needs profiling")) << run;
}

TEST(Costs, WhatProvidesBatchesIsWorkOfAStepThatCallsIt) {
  const std::string body =
      "import torch\n\n\ndef scale(x):\n    return x\n\n\ndef batch_provider(x):\n    return scale(x)\n\n\n"
      "def train_step(x):\n    return batch_provider(x)\n";
  const std::string text = explain_body(body, with(body, "return x\n", "torch.cuda.synchronize()\n    return x\n"));
  EXPECT_TRUE(says(text, "Needs profiling")) << text;
}

TEST(Costs, WhatAFunctionSetsUpByItsNameAloneIsNotSaidToRunWhereObjectsAreBuilt) {
  const std::string body = R"(def scale(x):
    return x


def setup_batch(x):
    return scale(x)


def prepare(x):
    return setup_batch(x)


def train_step(x):
    return prepare(x)
)";
  const std::string named = explain_body(body, with(body, "return x\n", "return x + 1\n"));
  EXPECT_TRUE(says(named,
                   "The call graph finds no way from a training step to `scale` but through constructors and functions "
                   "that, by their names, build or set something up."))
      << named;
  EXPECT_FALSE(says(named, "objects are built")) << named;
  const std::string allocates = explain_body(
      "import torch\n\n\n" + body, "import torch\n\n\n" + with(body, "return x\n", "return torch.zeros_like(x)\n"));
  EXPECT_TRUE(says(allocates,
                   "New allocations where, by the names on the way, something is built or set up: "
                   "`torch.zeros_like(x)`"))
      << allocates;
}

TEST(Costs, ASecondAllocationOfAKindIsNewToo) {
  const std::string body = R"(import torch


def f(a, b):
    a = torch.zeros_like(a)
    return a, b
)";
  const std::string text = explain_body(body, with(body, "    return", "    b = torch.zeros_like(b)\n    return"));
  EXPECT_TRUE(says(text, "New allocations where the call graph sees no training step: `torch.zeros_like(b)`")) << text;
  const std::string moved =
      explain_body(body, with(body, "    a = torch.zeros_like(a)", "    a = torch.zeros_like(b)"));
  EXPECT_FALSE(says(moved, "New allocations")) << moved;
}

TEST(Costs, AnotherGroupIsToldWithTheOneBefore) {
  const std::string body = R"(import torch.distributed as dist


def train_step(x, pg):
    dist.all_reduce(x, group=pg.dp_cp)
    return x
)";
  const std::string text =
      explain_body(body, with(with(body, "    dist", "    group = pg.dp_cp_gtp or pg.dp_cp\n    dist"),
                              "=pg.dp_cp)\n    return", "=group)\n    return"));
  EXPECT_TRUE(says(text, "issues `all_reduce` over `pg.dp_cp_gtp or pg.dp_cp`")) << text;
  EXPECT_TRUE(says(text, "Changed: it was `all_reduce` over group over dp and cp.")) << text;
}

/// A name that holds the group of before is no other group.
TEST(Costs, AGroupWrittenOtherwiseIsNoChange) {
  const std::string body = R"(import torch.distributed as dist


class Optimizer:
    def __init__(self, pg):
        self.pg = pg

    def step(self, x):
        dist.all_reduce(x, group=self.pg.dp_cp)
        return x
)";
  const auto text_of = [&](std::string_view group) {
    return explain_body(body, with(with(body, "        self.pg = pg",
                                        "        self.pg = pg\n        self.dp_cp = getattr(pg, 'dp_cp', None)"),
                                   "group=self.pg.dp_cp", "group=" + std::string(group)));
  };
  EXPECT_FALSE(says(text_of("self.dp_cp"), "it was `all_reduce`")) << text_of("self.dp_cp");
  EXPECT_FALSE(says(text_of("self.dp_cp"), "issues `all_reduce` over")) << text_of("self.dp_cp");
  EXPECT_TRUE(says(text_of("self.pg.tp"), "Changed: it was `all_reduce` over group over dp and cp."))
      << text_of("self.pg.tp");
}

/// `None` is the group of all ranks to torch: who gives no group, as before, has what was before.
TEST(Costs, AGroupThatMayBeLeftOutIsTheOneBefore) {
  const std::string before =
      "import torch.distributed as dist\n\n\ndef train_step(x):\n    dist.all_reduce(x)\n    return x\n";
  const auto text_of = [&](const std::string& parameter, const std::string& first) {
    return explain_body(before, with(with(before, "step(x)", "step(x, " + parameter + ")"), "    dist.all_reduce(x)",
                                     first + "    dist.all_reduce(x, group=group)"));
  };
  const std::string_view kept = "over all ranks, and still is where `group` is `None`, its default.";
  const std::string text = text_of("group=None", "");
  EXPECT_TRUE(says(text, kept)) << text;
  EXPECT_FALSE(says(text_of("group", ""), "and still is"));
  EXPECT_FALSE(says(text_of("group=None", "    if group is None:\n        group = made()\n"), "and still is"));
}

TEST(Costs, CommentsAloneLieOnNoWay) {
  const std::string body =
      "def train_step(x):\n    # Once.\n    x = f(x)\n    return x\n\n\ndef f(x):\n    return x\n\n\n"
      "def g(x):\n    return x\n";
  const std::string text =
      explain_body(body, with(with(body, "Once", "Twice"), "def g(x):\n    return x", "def g(x):\n    return x + 1"));
  EXPECT_FALSE(says(text, "`train_step` lies on the way")) << text;
}

std::string explain_forward(const std::string& was, const std::string& now, const std::string& rest = {}) {
  const std::string head = "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n";
  const std::string tail = rest + "\n\ndef train_step(model, x):\n    return model(x)\n";
  return explain_body(head + was + tail, head + now + tail);
}

// One wait became two, a name only ends like another, and one that stood alone stands in a loop now.
TEST(Costs, CallsAreCountedByNameAndLoop) {
  const std::string none = "No new collective, wait for the GPU or allocation was recognized";
  const std::string twice =
      explain_forward("        first = torch.zeros(1)\n        return first + x\n",
                      "        second = torch.zeros(100)\n        third = torch.zeros(100) + second\n"
                      "        return third + x\n");
  EXPECT_TRUE(says(twice, "New allocations in functions of the training step")) << twice;
  const std::string ending = explain_forward("        return self.get_item(x)\n", "        return x.sum().item()\n",
                                             "\n    def get_item(self, x):\n        return x\n");
  EXPECT_TRUE(says(ending, "New waits of the host in functions of the training step")) << ending;
  const std::string check = "if x.sum().item() > 2:\n";
  const std::string looped = explain_forward(
      "        " + check + "            return x\n        return x + 1\n",
      "        for row in x:\n            " + check + "                return x\n        return x + 1\n");
  EXPECT_TRUE(says(looped, "New waits of the host in functions of the training step")) << looped;
  // As often as before, elsewhere in the function.
  const std::string moved = explain_forward("        first = x.sum().item()\n        return first + x\n",
                                            "        y = x + 1\n        return y + x.mean().item()\n");
  EXPECT_TRUE(says(moved, none)) << moved;
}

// What a new call enters is followed, but not what the changed code came to before.
TEST(Costs, NewCallsAreFollowed) {
  const std::string rest =
      "\n    def both(self, x):\n        return self.pad(x)\n"
      "\n    def pad(self, x):\n        return x + torch.zeros(8)\n"
      "\n    def twice(self, x):\n        return x * 2\n";
  const std::string plain = "        return x\n";
  const std::string text = explain_forward(plain, "        x = self.both(x)\n        return x\n", rest);
  EXPECT_TRUE(says(text, "in `Model.pad`, which `Model.forward` comes to call)")) << text;
  const std::string silent = explain_forward(plain, "        x = self.twice(x)\n        return x\n", rest);
  EXPECT_TRUE(says(silent, "changed lines, nor in the function that their new calls surely enter")) << silent;
  const std::string known =
      explain_forward("        return self.both(x)\n", "        x = self.pad(x)\n        return self.both(x)\n", rest);
  EXPECT_FALSE(says(known, "comes to call")) << known;
  const std::string asked = explain_forward(
      plain, "        x = self.both(x)\n        return x\n",
      "\n    def both(self, x):\n        if x.ndim > 1:\n            return x + torch.zeros(8)\n        return x\n");
  EXPECT_TRUE(says(asked, "which `Model.forward` comes to call, under conditions)")) << asked;
}

TEST(Costs, WhatMakesAModelParallelIsNoWorkOfAStep) {
  const auto text_with = [](const std::string& name) {
    const std::string body = "def " + name + "(model):\n    return model\n\n\ndef prepare(model):\n    return " + name +
                             "(model)\n\n\ndef train_step(x, model):\n    return prepare(model)(x)\n";
    return explain_of({{"a.py", body}}, {{"a.py", with(body, "    return model\n\n", "    return model.eval()\n\n")}});
  };
  EXPECT_FALSE(says(text_with("parallelize_llama"), "lies on the way of a training step"));
  EXPECT_TRUE(says(text_with("scale_llama"), "lies on the way of a training step"));
}

TEST(Costs, AnAllocationThatTakesThePlaceOfAnotherIsNotNew) {
  const auto with_value = [](const std::string& value) {
    const std::string text =
        "import torch\n\n\ndef train_step(x, n):\n    kept = torch.zeros(n, device=x.device)\n    return x + kept\n";
    return explain_of({{"a.py", text}}, {{"a.py", with(text, "torch.zeros(n, device=x.device)", value)}});
  };
  EXPECT_FALSE(says(with_value("x.new_zeros(n)"), "New allocations")) << with_value("x.new_zeros(n)");
  const std::string more = with_value("torch.cat([torch.ones(n), x.new_zeros(n)])");
  EXPECT_TRUE(says(more, "New allocations in functions of the training step")) << more;
}

// Another function of the same last name is another cost.
TEST(Costs, CallsAreToldApartByWhatTheyCall) {
  const std::string text = explain_of(
      {{"a.py", "import numpy as np\nimport torch\n\n\ndef train_step(x):\n    return x + np.zeros(4)\n"}},
      {{"a.py", "import numpy as np\nimport torch\n\n\ndef train_step(x):\n    return x + torch.zeros(4)\n"}});
  EXPECT_TRUE(says(text, "New allocations in functions of the training step: `torch.zeros(4)`")) << text;
}

TEST(Costs, WhatModulesDoOnlyWhereTheyDoNotTrainIsNoPartOfAStep) {
  const auto forward = [](const std::string& condition) {
    return explain_forward(
        "        return self.quick(x)\n",
        "        if " + condition + ":\n            return self.gathered(x)\n        return self.quick(x)\n",
        "\n    def gathered(self, x):\n        return self.joined(x)\n"
        "\n    def quick(self, x):\n        return x\n"
        "\n    def joined(self, x):\n        return x + torch.zeros(8)\n");
  };
  EXPECT_TRUE(says(forward("x.ndim > 1"), "New allocations in functions of the training step"))
      << forward("x.ndim > 1");
  const std::string body =
      "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n"
      "        if not self.training:\n            return self.gathered(x)\n        return x\n"
      "\n    def gathered(self, x):\n        return x\n\n\ndef train_step(model, x):\n    return model(x)\n";
  const std::string text = explain_body(
      body, with(body, "(self, x):\n        return x\n\n\n", "(self, x):\n        return x + torch.zeros(8)\n\n\n"));
  EXPECT_FALSE(says(text, "in functions of the training step")) << text;
}

TEST(Costs, WhatATableKeepsByKeyIsMarked) {
  const std::string text = explain_forward(
      "        return x\n",
      "        kept = self.kept\n        if x.ndim not in kept:\n            kept[x.ndim] = torch.zeros(8)\n"
      "        return x + kept[x.ndim]\n");
  EXPECT_TRUE(says(text, "`torch.zeros(8)` (`a.py:8`, only where it is not kept yet)")) << text;
}

// What a function allocated in each step and no longer does; not where it allocates still, in whatever words.
TEST(Costs, AllocationsThatAreGoneAreTold) {
  const std::string makes = "        return x[torch.arange(x.shape[0], device=x.device)]\n";
  const std::string kept = "        return x[self.kept]\n";
  const std::string goes = explain_forward(makes, kept);
  EXPECT_TRUE(says(goes,
                   "Allocations that are gone in functions of the training step: `torch.arange(x.shape[0], "
                   "device=x.device)` (in `Model.forward`). Nothing to do: nothing is allocated there any more."))
      << goes;
  const std::string other = explain_forward(makes, "        return x[torch.zeros(x.shape[0])]\n");
  EXPECT_FALSE(says(other, "Allocations that are gone")) << other;
  EXPECT_FALSE(says(explain_forward(kept, makes), "Allocations that are gone"));
}

// `if` on a tensor waits, what an exception says of it costs a run nothing, and a number is no tensor.
TEST(Costs, ConditionsOnTensorsWait) {
  const std::string asks =
      "        loss = x.sum()\n        if not loss.isfinite():\n"
      "            raise ValueError(f'bad {loss.item()}')\n        return loss\n";
  const std::string none = "        loss = x.sum()\n        return loss\n";
  const std::string comes = explain_forward(none, asks);
  EXPECT_TRUE(says(comes,
                   "New waits of the host in functions of the training step: `loss.isfinite()` (`a.py:7`, where its "
                   "truth is asked)."))
      << comes;
  const std::string goes = explain_forward(asks, none);
  EXPECT_TRUE(says(goes,
                   "Waits of the host that are gone in functions of the training step: `loss.isfinite()` (in "
                   "`Model.forward`)."))
      << goes;
  EXPECT_TRUE(says(goes,
                   "o longer calls `loss.isfinite()`, which makes the host wait for the GPU where its truth is "
                   "asked"))
      << goes;
  const std::string number =
      explain_forward(none,
                      "        import math\n        loss = x.sum()\n        if not math.isfinite(x.ndim):\n"
                      "            raise ValueError(f'bad {loss.item()}')\n        return loss\n");
  EXPECT_FALSE(says(number, "New waits of the host")) << number;
}

// What one function hands to a new one is issued as before; what is reduced instead of it is not.
TEST(Costs, MovedCollectivesAreNotNewAndLostOnesAreTold) {
  const std::string body =
      "import torch.distributed as dist\n\n\ndef log_loss(loss):\n    return loss\n\n\n"
      "def train_step(grads, loss):\n    for grad in grads:\n        dist.all_reduce(grad)\n    log_loss(loss)\n"
      "    return grads\n";
  const std::string loop = "    for grad in grads:\n        dist.all_reduce(grad)\n";
  const std::string extracted =
      explain_body(body, with(body, loop, "    reduce_all(grads)\n") +
                             "\n\ndef reduce_all(grads):\n    for grad in grads:\n        dist.all_reduce(grad)\n");
  EXPECT_FALSE(says(extracted, "New communication")) << extracted;
  const std::string lost = explain_body(
      body, with(with(body, loop, ""), "def log_loss(loss):\n", "def log_loss(loss):\n    dist.all_reduce(loss)\n"));
  EXPECT_TRUE(says(lost, "no longer issues `all_reduce`") || says(lost, "drops the loop for each `grad`")) << lost;
}

TEST(Costs, WhatAStepMakesItselfIsMadeInTheStep) {
  const std::string body =
      "import torch\n\n\ndef pick(x):\n    return x + 1\n\n\nclass Loss(torch.nn.Module):\n"
      "    def __init__(self, x):\n        super().__init__()\n        self.weights = pick(x)\n\n"
      "    def forward(self, y):\n        return y * self.weights\n\n\ndef setup_batch(x):\n    return x + 2\n\n\n"
      "class Model(torch.nn.Module):\n    def forward(self, x):\n        return Loss(x)(setup_batch(x))\n\n\n"
      "def train_step(model, x):\n    return model(x)\n";
  for (const char* const line : {"    return x + 1\n", "    return x + 2\n"}) {
    const std::string text = explain_body(body, with(body, line, "    torch.cuda.synchronize()\n" + std::string(line)));
    EXPECT_TRUE(says(text, "New waits of the host in functions of the training step")) << text;
  }
}

TEST(Costs, WhatNumpyMakesTouchesNoGpu) {
  const auto text_of = [](const std::string& value) {
    const std::string was = "import numpy as np\n\n\ndef train_step(x):\n    return 1\n";
    return explain_body(was, with(was, "return 1", "return " + value));
  };
  EXPECT_FALSE(says(text_of("np.where(x > 0, x, 0.0).flatten().tolist()"), "New waits of the host"));
  EXPECT_TRUE(says(text_of("(x + 1).flatten().tolist()"), "New waits of the host"));
}

TEST(Costs, ALibraryCallsNeitherConstructorsNorPrivateNamesNorWhatIsAContainer) {
  const auto text_of = [](const std::string& base, const std::string& method) {
    const std::string was = "import collections\n\nimport lightning.pytorch as pl\n\n\nclass Part(" + base +
                            "):\n    def " + method + "(self, size):\n        self.size = size\n";
    return explain_body(was, with(was, "= size", "= size * 2"));
  };
  EXPECT_TRUE(says(text_of("pl.LightningDataModule", "prepare"), "library may call it"))
      << text_of("pl.LightningDataModule", "prepare");
  EXPECT_FALSE(says(text_of("pl.LightningDataModule", "__init__"), "library may call it"));
  EXPECT_FALSE(says(text_of("pl.LightningDataModule", "_prepare"), "library may call it"));
  EXPECT_FALSE(says(text_of("collections.OrderedDict", "prepare"), "library may call it"));
}

TEST(Costs, ATensorOfOneElementIsNoAllocationToMeasure) {
  const auto text_with = [](const std::string& made) {
    const std::string body = "import torch\n\n\ndef f(x):\n    return x\n";
    return explain_body(body, with(body, "    return x\n", "    y = " + made + "\n    return x + y\n"));
  };
  for (const std::string made :
       {"torch.ones((), dtype=torch.int32)", "torch.zeros(1)", "torch.tensor(0.0)", "torch.full((1,), 4)"}) {
    const std::string text = text_with(made);
    EXPECT_FALSE(says(text, "New allocations")) << text;
  }
  for (const std::string made : {"torch.ones((x, 1))", "torch.zeros(x)", "torch.tensor(x)", "torch.full((1, 2), 4)"}) {
    const std::string text = text_with(made);
    EXPECT_TRUE(says(text, "New allocations")) << text;
  }
}

/// Waits and allocations that stand inside another call, as measured: `torch.unique` blocks the host each time.
TEST(Costs, WaitsAndAllocationsInArgumentsAreTold) {
  const std::string body = R"(import torch


def release(blocks, mask):
    drop(blocks[mask])


def drop(blocks):
    return blocks
)";
  const std::string text = explain_body(
      body, with(body, "drop(blocks[mask])", "drop(torch.unique(blocks[mask]), torch.full_like(mask, 1))"));
  EXPECT_FALSE(says(text, "No new collective, wait for the GPU or allocation was recognized")) << text;
  EXPECT_TRUE(says(text,
                   "New waits of the host where the call graph sees no training step: "
                   "`torch.unique(blocks[mask])`"))
      << text;
  EXPECT_TRUE(says(text, "`torch.full_like(mask, 1)`")) << text;
}

/// A wrapper that several functions are decorated with leads a caller only to the function that this one calls.
TEST(Costs, AWrapperLeadsAStepOnlyToWhatTheStepCalls) {
  const Files before = {{"spans.py", R"(import functools


class span:
    def __init__(self, name):
        self.name = name

    def __call__(self, func):
        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            return func(*args, **kwargs)

        return wrapper
)"},
                        {"trainer.py", R"(from spans import span


class Trainer:
    @span("load")
    def load_weights(self, x):
        return x + 1

    @span("forward")
    def forward_backward(self, x):
        return x + 3

    def train_step(self, x):
        return self.forward_backward(x)


def main():
    trainer = Trainer()
    trainer.load_weights(1)
    trainer.train_step(1)


if __name__ == "__main__":
    main()
)"}};
  const std::string loads = explain_of(before, with_edit(before, "trainer.py", "x + 1", "x + 2"));
  EXPECT_FALSE(says(loads, "lies on the way of a training step")) << loads;
  const std::string steps = explain_of(before, with_edit(before, "trainer.py", "x + 3", "x + 4"));
  EXPECT_TRUE(says(steps, "`Trainer.forward_backward` lies on the way of a training step")) << steps;
}

/// Code that is no longer recorded in a CUDA graph costs launches; where another function records it, it does not.
TEST(Costs, CodeThatIsNoLongerRecordedIsTold) {
  const std::string before = R"(from graphs import CudaGraphManager


class Sampler:
    def __init__(self, config):
        self.config = config
        CudaGraphManager(config, self)

    def start(self):
        return self.config
)";
  const std::string gone = with(before, "        CudaGraphManager(config, self)\n", "");
  const std::string text = explain_body(before, gone);
  EXPECT_TRUE(says(text,
                   "`Sampler.__init__` no longer calls `CudaGraphManager(config, self)`: what it recorded in a CUDA "
                   "graph is launched kernel by kernel from the host."))
      << text;
  const std::string moved = explain_body(before, with(gone, "        return self.config\n",
                                                      "        CudaGraphManager(self.config, self)\n"
                                                      "        return self.config\n"));
  EXPECT_FALSE(says(moved, "launched kernel by kernel")) << moved;
}

TEST(Costs, ACopyThatIsMadeBlockingIsAWait) {
  const auto text_of = [](const std::string& was, const std::string& now) {
    const std::string body = "def train_step(view, staged):\n    view.copy_(staged" + was + ")\n    return view\n";
    return explain_body(body, with(body, "staged" + was, "staged" + now));
  };
  const std::string flipped = text_of(", non_blocking=True", ", non_blocking=False");
  EXPECT_TRUE(says(flipped,
                   "New waits of the host in functions of the training step: `view.copy_(staged, non_blocking=False)` "
                   "(`a.py:2`), which was `non_blocking=True` before and waits where it copies to or from the host."))
      << flipped;
  EXPECT_TRUE(says(text_of(", non_blocking=True", ""), "New waits of the host"));
  EXPECT_FALSE(says(text_of(", non_blocking=False", ", non_blocking=True"), "New waits of the host"));
  EXPECT_FALSE(says(text_of(", non_blocking=True", ", non_blocking=fast"), "New waits of the host"));
}

TEST(Costs, WhatNoCallSwitchesOnIsNoCost) {
  const auto text_of = [](const std::string& given) {
    const std::string body =
        "import torch\n\n\ndef merge(x, y, check=False):\n    if check:\n        x.cpu()\n    return x + y\n\n\n"
        "def other(x):\n    return merge(x, x" +
        given + ")\n\n\ndef train_step(x: torch.Tensor):\n    return x\n";
    return explain_body(body, with(body, "    return x\n", "    return merge(x, x)\n"));
  };
  EXPECT_FALSE(says(text_of(""), "New waits of the host")) << text_of("");
  EXPECT_FALSE(says(text_of(", check=False"), "New waits of the host"));
  // Whatever others give: the new call leaves it out.
  EXPECT_FALSE(says(text_of(", check=True"), "New waits of the host")) << text_of(", check=True");
  const auto text_with = [](const std::string& given) {
    const std::string body =
        "import torch\n\n\ndef merge(x, y, check=False, other=None):\n    if check:\n        x.cpu()\n    if other is "
        "not "
        "None:\n        y.item()\n    return x + y\n\n\ndef pair(x, check=False):\n    return merge(x, x, check, [x])\n"
        "\n\ndef train_step(x: torch.Tensor):\n    return x\n";
    return explain_body(body, with(body, "):\n    return x\n", "):\n    return pair(x" + given + ")\n"));
  };
  // What is handed on decides as far down as it goes.
  EXPECT_FALSE(says(text_with(""), "`x.cpu()`")) << text_with("");
  EXPECT_TRUE(says(text_with(""), "`y.item()`")) << text_with("");
  EXPECT_TRUE(says(text_with(", True"), "`x.cpu()`")) << text_with(", True");
  EXPECT_TRUE(says(text_with(", x.strict"), "`x.cpu()`"));
}

/// Of two waits the one in the place of the old one is that one.
TEST(Costs, AWaitInTheBranchOfTheOldOneIsNotTheNewOne) {
  const std::string body = R"(def validate(losses, sums, counts, is_parallel):
    mean = losses / 2
    if is_parallel:
        average = reduce(mean)
    else:
        average = float(losses.item())
    log(average)


def train_step(losses, sums, counts):
    validate(losses, sums, counts, False)
)";
  const std::string now =
      with(with(with(body, "    mean = losses / 2\n", "    count = int(counts.item())\n"), "average = reduce(mean)",
                "total = reduce(sums)"),
           "average = float(losses.item())\n", "total = float(sums.item())\n    average = total / count\n");
  const std::string text = explain_body(body, now);
  EXPECT_TRUE(says(text, "New waits of the host in functions of the training step: `counts.item()` (`a.py:2`)."))
      << text;
}

/// That a local is not `None` is said to a type checker; of a parameter it refuses.
TEST(Costs, AnAssertionForATypeCheckerRefusesNothing) {
  const auto text_of = [](const std::string& name) {
    const std::string body = "def f(x, given=None):\n    made = g(x)\n    return made, given\n";
    return explain_body(body, with(body, "    return", "    assert " + name + " is not None\n    return"));
  };
  EXPECT_FALSE(says(text_of("made"), "what is refused changes")) << text_of("made");
  EXPECT_TRUE(says(text_of("given"), "what is refused changes")) << text_of("given");
}

/// What only runs that generate come to is not on the way of a training step.
TEST(Costs, WhatStandsUnderInferenceIsNoWorkOfATrainingStep) {
  for (const std::string condition :
       {"inference_context is not None", "in_inference_mode", "inference_params", "InferenceMode.is_active()"}) {
    const std::string body =
        "def pick(x):\n    return x\n\n\ndef forward(x, in_inference_mode, inference_context, "
        "inference_params):\n    if " +
        condition +
        ":\n        x = pick(x)\n    return x\n\n\ndef train_step(x):\n    return "
        "forward(x, False, None, None)\n";
    const std::string text = explain_body(body, with(body, "return x\n", "return x + 1\n"));
    EXPECT_FALSE(says(text, "lies on the way of a training step")) << condition << text;
    const std::string other = with(body, condition + ":", "x:");
    EXPECT_TRUE(says(explain_body(other, with(other, "return x\n", "return x + 1\n")), "on the way of a training step"))
        << condition;
  }
}

TEST(Costs, ANewCallOfWhatCommunicatedBeforeIsNoCallThatDoesNothing) {
  const std::string body = R"(import torch.distributed as dist


def finish(grad):
    dist.all_reduce(grad)


def start(grad):
    dist.broadcast(grad, 0)
    return grad


def train_step(grad):
    start(grad)
    finish(grad)
)";
  const std::string text =
      explain_body(body, with(with(body, "    return grad\n", "    finish(grad)\n    return grad\n"), "    dist.all",
                              "    grad.add_(1)\n    dist.all"));
  EXPECT_TRUE(says(text,
                   "`start`, on the training step path, comes to call `finish`, which was there before and can come to "
                   "collectives. It may communicate or wait where it did not: needs profiling"))
      << text;
  EXPECT_FALSE(says(text, "No new collective, wait for the GPU or allocation")) << text;
}

TEST(Costs, ArraysOfNumpyWaitForNoGpu) {
  const std::string body =
      "import numpy as np\n\n\ndef ranks(n):\n    return []\n\n\ndef train_step(n):\n    return "
      "ranks(n)\n";
  const std::string by_local = explain_body(
      body,
      with(body, "    return []\n",
           "    grid = np.arange(n).reshape(-1, 2)\n    grid = np.moveaxis(grid, 0, 1)\n    return grid.tolist()\n"));
  EXPECT_FALSE(says(by_local, "waiting for the GPU")) << by_local;
  EXPECT_FALSE(says(by_local, "New waits of the host")) << by_local;
  const std::string by_einops = explain_body(
      body, with(body, "    return []\n", "    return einops.rearrange(np.arange(n), 'a b -> b a').tolist()\n"));
  EXPECT_FALSE(says(by_einops, "New waits of the host")) << by_einops;
  const std::string tensor = explain_body(
      body,
      with(body, "    return []\n", "    grid = np.arange(n)\n    grid = load(grid)\n    return grid.tolist()\n"));
  EXPECT_TRUE(says(tensor, "New waits of the host")) << tensor;
}

TEST(Costs, WaitingForAnotherThreadIsAWait) {
  const std::string body =
      "import asyncio\n\n\ndef stop(loop, work):\n    return None\n\n\ndef train_step(loop, work):\n"
      "    return stop(loop, work)\n";
  const std::string text = explain_body(
      body, with(body, "    return None\n",
                 "    future = asyncio.run_coroutine_threadsafe(work(), loop)\n    return future.result()\n"));
  EXPECT_TRUE(says(text, "New waits of the host in functions of the training step: `future.result()`")) << text;
}

TEST(Costs, WhatIsKeptOnTheHostWaitsForNoGpu) {
  const std::string body = R"(import torch


class Pool:
    def __init__(self, n):
        self.counts = torch.zeros(n, device="cpu")
        self.scores = torch.zeros(n)

    def used(self, ids):
        return []


def train_step(pool: Pool, ids):
    return pool.used(ids)
)";
  const auto explain = [&](const std::string& line) {
    return explain_body(body, with(body, "        return []\n", line));
  };
  const std::string counts = explain("        return self.counts[ids].tolist()\n");
  EXPECT_FALSE(says(counts, "waiting for the GPU")) << counts;
  const std::string scores = explain("        return self.scores[ids].tolist()\n");
  EXPECT_TRUE(says(scores, "New waits of the host")) << scores;
  const std::string found = explain("        return torch.nonzero((self.counts > 0) & (ids > 0))\n");
  EXPECT_FALSE(says(found, "waiting for the GPU")) << found;
  const std::string moved = explain("        return self.counts[ids].cuda().tolist()\n");
  EXPECT_TRUE(says(moved, "New waits of the host")) << moved;
  const std::string copied = explain("        host = self.scores.cpu()\n        return host.tolist()\n");
  EXPECT_TRUE(says(copied, "New waits of the host in functions of the training step: `self.scores.cpu()` (`a.py:10`)."))
      << copied;
}

/// The same where another object keeps it, and it comes through locals and indices.
TEST(Costs, WhatAnotherObjectKeepsOnTheHostWaitsForNoGpu) {
  const std::string body = R"(import torch


class Context:
    def allocate(self, n):
        self.request_ids = torch.full((n,), -1, device='cpu', pin_memory=True)
        self.scores = torch.zeros((n,), device='cuda')


class Engine:
    def __init__(self, context: Context):
        self.context = context

    def find(self, request):
        return 0


def train_step(engine: Engine, request):
    return engine.find(request)
)";
  const auto explain = [&](const std::string& name) {
    return explain_body(body, with(body, "        return 0\n",
                                   "        active = self.context." + name +
                                       "[: self.count]\n        matches = torch.where(active == request)[0]\n"
                                       "        return int(matches[0].item())\n"));
  };
  const std::string host = explain("request_ids");
  EXPECT_FALSE(says(host, "New waits of the host")) << host;
  const std::string gpu = explain("scores");
  EXPECT_TRUE(says(gpu, "New waits of the host in functions of the training step: `matches[0].item()`")) << gpu;
}

/// One collective for all in place of one for each.
TEST(Costs, WhatLeavesALoopOrEntersOneIsTold) {
  const std::string loop = R"(import torch.distributed as dist


def exchange(x):
    dist.all_reduce(x)
    return x


def forward(parts):
    out = []
    for part in parts:
        out.append(exchange(part))
    return join(out)


def train_step(parts):
    return forward(parts)
)";
  const std::string once =
      with(loop, "    out = []\n    for part in parts:\n        out.append(exchange(part))\n    return join(out)\n",
           "    return exchange(join(parts))\n");
  const std::string less = explain_body(loop, once);
  EXPECT_TRUE(says(less, "calls `exchange` in no loop any more")) << less;
  EXPECT_TRUE(says(less,
                   "`forward`, on the training step path, calls `exchange` in no loop any more. Nothing to do: it "
                   "communicates, or waits, fewer times."))
      << less;
  const std::string more = explain_body(once, loop);
  EXPECT_TRUE(says(more,
                   "`forward`, on the training step path, calls `exchange` in a loop now (`for part in parts`). It "
                   "communicates, or waits, "
                   "more often: needs profiling."))
      << more;
}

TEST(Costs, WhatKeepsItsResultsAllocatesInNoStep) {
  const std::string body =
      "import functools\n\nimport torch\n\n\n@functools.lru_cache\ndef table(n):\n    return n\n\n\n"
      "def train_step(n):\n    return table(n)\n";
  const std::string now = with(body, "    return n\n", "    return torch.arange(n)\n");
  EXPECT_FALSE(says(explain_body(body, now), "New allocations")) << explain_body(body, now);
  const std::string bare = with(body, "@functools.lru_cache\n", "");
  EXPECT_TRUE(
      says(explain_body(bare, with(bare, "    return n\n", "    return torch.arange(n)\n")), "New allocations"));
}

TEST(Costs, WaitsOfStreamsAndCopiesOfRearrangedTensorsAreTold) {
  const std::string body = "import torch\n\n\ndef train_step(x, side):\n    return x + 1\n";
  const std::string waits = explain_body(
      body, with(body, "    return x + 1\n", "    side.wait_stream(torch.cuda.current_stream())\n    return x + 1\n"));
  EXPECT_TRUE(says(waits,
                   "Streams that wait now in functions of the training step: "
                   "`side.wait_stream(torch.cuda.current_stream())` (`a.py:5`)."))
      << waits;
  EXPECT_FALSE(says(waits, "No new collective, wait for the GPU or allocation")) << waits;
  const std::string copies = explain_body(body, with(body, "x + 1\n", "x.transpose(0, 1).contiguous()\n"));
  EXPECT_TRUE(says(copies,
                   "New allocations in functions of the training step: `x.transpose(0, 1).contiguous()` "
                   "(`a.py:5`, a copy)."))
      << copies;
  // What lies as it is read may stay where it is.
  const std::string plain = explain_body(body, with(body, "x + 1\n", "x.contiguous()\n"));
  EXPECT_FALSE(says(plain, "a copy")) << plain;
  EXPECT_TRUE(says(plain, "No new collective, wait for the GPU or allocation was recognized in the changed lines."))
      << plain;
}

/// A collective that moved into a new function is no new one, but one that is there.
TEST(Costs, WhatStillCommunicatesIsNotSaidToDoNothing) {
  const std::string body = R"(import torch.distributed as dist


def train_step(x, group):
    y = x + 1
    dist.all_reduce(y, group=group)
    return y
)";
  const std::string moved = R"(import torch.distributed as dist


def reduced(x, group):
    dist.all_reduce(x, group=group)
    return x


def train_step(x, group):
    y = x + 1
    return reduced(y, group)
)";
  const std::string text = explain_body(body, moved);
  EXPECT_FALSE(says(text, "recognized in the changed lines.")) << text;
}

/// What a call may come to is named, or not told at all.
TEST(Costs, TheCollectiveThatChangedLinesCanComeToIsNamed) {
  const std::string body =
      "import torch.distributed as dist\n\n\nclass Sum:\n    def reduce(self, x, group):\n"
      "        dist.all_reduce(x, group=group)\n\n\ndef total(x, group):\n    if x is not None:\n"
      "        Sum().reduce(x, group)\n    return x\n\n\ndef train_step(x, group):\n    x = total(x, group)\n"
      "    return x\n";
  const std::string edited = with(body, "x = total(x, group)", "x = total(x + 1, group)");
  EXPECT_TRUE(
      says(explain_body(body, edited),
           "What the changed lines call could come to `all_reduce` in `Sum.reduce` (`a.py:6`) before, too; no new "
           "wait for the GPU or allocation was recognized in them."))
      << explain_body(body, edited);
  // Nothing surely leads to it from here.
  const std::string open = with(body, "        Sum().reduce(x, group)\n", "        x.reducer.reduce(x, group)\n");
  EXPECT_FALSE(says(explain_body(open, with(open, "x = total(x, group)", "x = total(x + 1, group)")), "could come to"));
}

/// The collective stands in a line that stays, and what decides over it changes.
TEST(Costs, AConditionOverACollectiveIsNotSaidToDoNothing) {
  const std::string body =
      "import torch.distributed as dist\n\n\ndef train_step(x, group, size):\n    if size > 0:\n"
      "        dist.all_reduce(x, group=group)\n    return x\n";
  const std::string text = explain_body(body, with(body, "size > 0", "size > 1"));
  EXPECT_TRUE(says(text,
                   "Among the changed lines a condition of `train_step` decides over `all_reduce` (`a.py:6`); no new "
                   "wait for the GPU or allocation was recognized in them."))
      << text;
  const std::string two = body + "\n\ndef build(x, size):\n    return x + size\n";
  EXPECT_TRUE(says(explain_body(two, with(with(two, "size > 0", "size > 1"), "x + size", "x - size")),
                   "Among the changed lines a condition of `train_step` decides over `all_reduce` (`a.py:6`)"));
  const std::string plain = with(body, "        dist.all_reduce(x, group=group)\n", "        x = x + 1\n");
  EXPECT_TRUE(says(explain_body(plain, with(plain, "size > 0", "size > 1")),
                   "No new collective, wait for the GPU or allocation was recognized in the changed lines."));
}

/// Of several classes that a call may enter, the one in a file for inference does no work of a step.
TEST(Costs, WhatAFileForInferenceHoldsIsNoWorkOfAStepWhereOthersAre) {
  const std::string base = "class Dispatcher:\n    def dispatch(self, x):\n        return x\n";
  const std::string heirs =
      "from dispatcher import Dispatcher\n\n\nclass {}(Dispatcher):\n    def dispatch(self, x):\n        return x + "
      "1\n";
  const std::string layer =
      "from dispatcher import Dispatcher\nfrom dispatcher_inference import Gather\nfrom exchange import Exchange\n\n\n"
      "class Layer:\n    def __init__(self, fast):\n        self.dispatcher: Dispatcher = Gather() if fast else "
      "Exchange()\n\n    def forward(self, x):\n        return self.dispatcher.dispatch(x)\n\n\n"
      "def train_step(x):\n    return Layer(False).forward(x)\n";
  const auto named = [&](std::string text, const std::string& name) { return with(std::move(text), "{}", name); };
  Files before = {{"dispatcher.py", base},
                  {"exchange.py", named(heirs, "Exchange")},
                  {"dispatcher_inference.py", named(heirs, "Gather")},
                  {"layer.py", layer}};
  const std::string now = "        return torch.empty(4) + x\n";
  Files trains = with_edit(before, "exchange.py", "        return x + 1\n", now);
  trains["exchange.py"] = "import torch\n" + trains["exchange.py"];
  EXPECT_TRUE(says(explain_of(before, trains), "New allocations in functions of the training step"))
      << explain_of(before, trains);
  Files infers = with_edit(before, "dispatcher_inference.py", "        return x + 1\n", now);
  infers["dispatcher_inference.py"] = "import torch\n" + infers["dispatcher_inference.py"];
  EXPECT_TRUE(says(explain_of(before, infers), "New allocations where the call graph sees no training step"))
      << explain_of(before, infers);
}

/// A wait that comes to stand under a condition is no new one, but nor is there none.
TEST(Costs, AWaitThatAConditionDecidesOverIsNamed) {
  const std::string body =
      "import torch\n\n\ndef scale(x, lazy=False):\n    torch.cuda.synchronize()\n    return x\n\n\n"
      "def train_step(x):\n    return scale(x)\n";
  const std::string text = explain_body(
      body, with(body, "    torch.cuda.synchronize()\n", "    if not lazy:\n        torch.cuda.synchronize()\n"));
  EXPECT_TRUE(says(text, "decides over `torch.cuda.synchronize()` (`a.py:6`), which waits for the GPU")) << text;
}

/// Behind `if self.training: return …` and `if not InferenceMode.is_active(): return …` nothing is trained.
TEST(Costs, WhatTrainingLeavesBeforeIsNoWorkOfAStep) {
  const auto text_with = [](const std::string& way_out) {
    const std::string body = "import torch\n\n\nclass Layer(torch.nn.Module):\n    def forward(self, x):\n" + way_out +
                             "        return serve(x)\n\n\ndef serve(x):\n    return x\n\n\n"
                             "def train_step(x, layer: Layer):\n    return layer.forward(x)\n";
    return explain_body(body, with(body, "def serve(x):\n    return x\n", "def serve(x):\n    return x + 1\n"));
  };
  const std::string told = "`serve` lies on the way of a training step";
  EXPECT_TRUE(says(text_with(""), told)) << text_with("");
  EXPECT_TRUE(says(text_with("        if not self.training:\n            return x\n"), told));
  EXPECT_TRUE(says(text_with("        if self.training:\n            x = x + 2\n"), told));
  EXPECT_FALSE(says(text_with("        if self.training:\n            return x\n"), told));
  EXPECT_FALSE(says(text_with("        if not InferenceMode.is_active():\n            return x\n"), told));
}

/// What no step comes to is told where those functions that one comes to have nothing to tell; not as if it ran there.
TEST(Costs, WaitsOutsideAStepAreNotToldAsThoseOfOne) {
  const std::string body = R"(def scale(x):
    return x


def report(x):
    return x


def train_step(x):
    return scale(x)
)";
  const std::string after =
      with(with(body, "def scale(x):\n    return x\n", "def scale(x):\n    return x + 1\n"),
           "def report(x):\n    return x\n", "def report(x):\n    return x.cuda().sum().item()\n");
  const std::string text = explain_body(body, after);
  EXPECT_TRUE(says(text, "New waits of the host where the call graph sees no training step: ")) << text;
  EXPECT_FALSE(says(text, "in functions of the training step")) << text;
}

/// `x[i].item()` in a loop becomes `x.tolist()` before it: fewer waits, not new ones alone.
TEST(Costs, WaitsThatTakeThePlaceOfThoseInALoopAreNotOnlyNew) {
  const std::string loop = "        for i in range(8):\n            y = y + x[i].item()\n        return y\n";
  const std::string list =
      "        rows = x.tolist()\n        for i in range(8):\n            y = y + rows[i]\n        return y\n";
  const std::string text = explain_forward("        y = 0\n" + loop, "        y = 0\n" + list);
  EXPECT_TRUE(says(text,
                   "Waits of the host in place of `x[i].item()`, which waited in each round of a loop, in functions "
                   "of the training step: `x.tolist()` (`a.py:7`). Fewer, but where the loop has hardly a round."))
      << text;
  const std::string back = explain_forward("        y = 0\n" + list, "        y = 0\n" + loop);
  EXPECT_TRUE(says(back, "New waits of the host in functions of the training step: `x[i].item()`")) << back;
}

/// What a predicate says that holds only where a run generates is no part of a training step.
TEST(Costs, WhatAnInferenceBranchLeadsToIsNoWorkOfAStep) {
  const auto text_of = [](const std::string& mode) {
    const std::string head =
        "import torch\n\n\nclass Base(torch.nn.Module):\n    def __call__(self, x):\n        if self.replays(x):\n"
        "            return self.capture(x)\n        return x\n\n    def capture(self, x):\n"
        "        torch.cuda.synchronize()\n        return x\n\n\nclass Model(Base):\n    def replays(self, x):\n"
        "        if " +
        mode + ":\n            return True\n        return False\n\n";
    const std::string tail = "\n\ndef train_step(x):\n    return Model()(x)\n";
    const std::string was = "    def __call__(self, x):\n        return x\n";
    const std::string now = "    def __call__(self, x):\n        return super().__call__(x)\n";
    return explain_body(head + was + tail, head + now + tail);
  };
  EXPECT_TRUE(says(text_of("x.graphed"), "New waits of the host in functions of the training step"))
      << text_of("x.graphed");
  EXPECT_FALSE(says(text_of("InferenceMode.is_active() and x.graphed"), "New waits of the host"));
}

/// The return drops the locals of a function anyway.
TEST(Costs, ADeleteRightBeforeTheReturnFreesNothing) {
  const auto text_of = [](const std::string& end) {
    return explain_forward("        y = x + 1\n        z = y + 1\n        return z\n",
                           "        y = x + 1\n        z = y + 1\n" + end);
  };
  const std::string text = text_of("        del y\n        return z\n");
  EXPECT_TRUE(says(text,
                   "`del y` (`a.py:8`) stands right before the return, which lets go of these locals anyway. It frees "
                   "nothing earlier."))
      << text;
  EXPECT_FALSE(says(text_of("        del y\n        return z + 1\n"), "frees nothing")) << "the sum needs memory, too";
  EXPECT_FALSE(says(text_of("        del y\n        z = z * 2\n        return z\n"), "frees nothing"));
}

/// A method that hands on to what the object has by a name is called where its callers call it, for inference too.
TEST(Costs, WhatAMixinHandsOnToForInferenceIsNoPartOfAStep) {
  const auto text_of = [](const std::string& condition) {
    const std::string body =
        "import torch\n\n\nclass Mixin:\n    def run(self, x):\n        return self.prefill(x)\n\n\n"
        "class Mixer(Mixin, torch.nn.Module):\n    def forward(self, x, inference_context=None):\n        if " +
        condition +
        ":\n            return self.run(x)\n        return x\n\n    def prefill(self, x):\n        return x\n\n\n"
        "class Other(Mixin, torch.nn.Module):\n    def forward(self, x):\n        return self.run(x)\n\n    def "
        "prefill(self, x):\n"
        "        return x + 1\n\n\ndef train_step(x):\n    return Mixer()(x) + Other()(x)\n";
    return explain_body(body, with(body, "def prefill(self, x):\n        return x",
                                   "def prefill(self, x):\n        return x + torch.empty_like(x)"));
  };
  EXPECT_TRUE(says(text_of("x.ready"), "New allocations in functions of the training step")) << text_of("x.ready");
  const std::string text = text_of("inference_context is not None");
  EXPECT_TRUE(says(text, "New allocations where the call graph sees no training step")) << text;
}

/// What a function issued as often over the same group is not new when it is given something else.
TEST(Costs, ACollectiveThatIsGivenSomethingElseIsNotNew) {
  const std::string before =
      "import torch.distributed as dist\n\n\ndef share(self):\n    self.metas = [None] * self.size\n"
      "    dist.all_gather_object(self.metas, self.meta, group=self.pp)\n";
  const std::string after =
      "import torch.distributed as dist\n\n\ndef share(self):\n    gathered = [None] * self.size\n"
      "    local = {'kv': self.meta, 'ssm': self.other_kinds_of_metas}\n    if self.is_ready:\n"
      "        dist.all_gather_object(gathered, local, group=self.pp)\n    self.metas = [one['kv'] for one in "
      "gathered]\n";
  const std::string text = explain_body(before, after);
  EXPECT_FALSE(says(text, "New communication")) << text;
}

/// Of two collectives in the arms of one branch a run issues one, as it did before.
TEST(Costs, ACollectiveThatTakesAnotherArmIsNotNew) {
  const auto text_of = [](const std::string& body) {
    const auto side = [](const std::string& inside) {
      return "import torch.distributed as dist\n\n\ndef step(x, group, on_side=False):\n" + inside +
             "    return x\n\n\ndef train_step(x, group):\n    return step(x, group)\n";
    };
    return explain_body(side("    dist.all_reduce(x, group=group)\n"), side(body));
  };
  const std::string arms = text_of(
      "    if on_side:\n        handle = dist.all_reduce(x, group=group, async_op=True)\n        handle.wait()\n    "
      "else:\n        dist.all_reduce(x, group=group)\n");
  EXPECT_FALSE(says(arms, "New communication")) << arms;
  const std::string twice =
      text_of("    if on_side:\n        dist.all_reduce(x, group=group)\n    dist.all_reduce(x, group=group)\n");
  EXPECT_TRUE(says(twice, "New communication")) << twice;
}

/// What a loop of a constructor allocates is allocated more than once.
TEST(Costs, AnAllocationInALoopOfAConstructorIsNotMadeOnce) {
  const auto text_of = [](const std::string& body) {
    const auto side = [](const std::string& inside) {
      return "import torch\n\n\nclass Buffer:\n    def __init__(self, params):\n        self.params = params\n" +
             inside + "\n\nif __name__ == '__main__':\n    Buffer([])\n";
    };
    return explain_body(side(""), side(body));
  };
  const std::string once = text_of("        self.all = torch.empty(8)\n");
  EXPECT_TRUE(says(once, "Made once for each object that is built")) << once;
  const std::string looped = text_of("        for param in params:\n            param.grad = torch.empty(8)\n");
  EXPECT_TRUE(says(looped, "New allocations")) << looped;
  EXPECT_FALSE(says(looped, "Made once")) << looped;
}

TEST(Costs, AWaitOnWhatAllCallsGiveOnTheCpuIsNone) {
  const Files before = {{"train.py", "def train_step(model, batch, sizes):\n    return model(batch)\n"}};
  const std::string split =
      "import torch\n\n\ndef split(x, sizes, patch):\n    lengths = torch.prod(sizes // patch, dim=-1)\n"
      "    return torch.split(x, lengths.tolist(), dim=-2)\n\n\n"
      "def train_step(model, batch, sizes):\n    return split(model(batch), sizes, 2)\n";
  const auto with = [&](const std::string& sizes) {
    return explain_of(before, {{"train.py", split},
                               {"tests/test_train.py",
                                "import torch\n\nfrom train import train_step\n\n\ndef test_step():\n"
                                "    x = torch.randn(1, 8, device=\"cuda\")\n"
                                "    train_step(torch.nn.Identity(), x, " +
                                    sizes + ")\n"}});
  };
  const std::string on_cpu = with("torch.tensor([[4, 4]])");
  EXPECT_FALSE(says(on_cpu, "New waits of the host")) << on_cpu;
  const std::string on_gpu = with("torch.tensor([[4, 4]], device=\"cuda\")");
  EXPECT_TRUE(says(on_gpu, "New waits of the host in functions of the training step: `lengths.tolist()`")) << on_gpu;
}

/// What the class came to in whose place a new one stands is no news of that one.
TEST(Costs, ANewClassComesToNothingNewWhereTheOneBeforeItDidTheSame) {
  const std::string library =
      "import torch\nimport torch.distributed as dist\n\n\ndef gather(x):\n    dist.all_reduce(x)\n    return x\n\n\n"
      "class Head(torch.nn.Module):\n    def forward(self, x):\n        return gather(x)\n\n\n";
  const std::string model =
      "class Model(torch.nn.Module):\n    def __init__(self, config):\n        self.head = Head()\n\n"
      "    def forward(self, x):\n        return self.head(x)\n\n\n"
      "def train(config):\n    model = Model(config)\n    optimizer = torch.optim.SGD(model.parameters())\n"
      "    for x in range(3):\n        loss = model(x)\n        loss.backward()\n        optimizer.step()\n";
  const std::string fused =
      "class FusedHead(torch.nn.Module):\n    def forward(self, x):\n        y = x + 1\n        return gather(y)\n\n\n";
  const auto explained = [&](const std::string& before, const std::string& with_head) {
    return explain_body(before + model, before + fused + with(model, "self.head = Head()", with_head));
  };
  const std::string chosen = "self.head = (FusedHead if config.fused else Head)()";
  EXPECT_FALSE(says(explained(library, chosen), "New communication")) << explained(library, chosen);
  EXPECT_FALSE(says(explained(library, "self.head = FusedHead()"), "New communication"));
  const std::string quiet = with(library, "return gather(x)", "return x");
  EXPECT_TRUE(says(explained(quiet, chosen), "New communication")) << explained(quiet, chosen);
}

/// What the loop calls beside the step is told as that.
TEST(Costs, WhatTheTrainingLoopCallsBesideItsStepIsOutsideTheStep) {
  const std::string body = R"(import torch
import torch.distributed as dist


class Model(torch.nn.Module):
    def forward(self, x):
        return x


def collect(x):
    return x


def train_step(model, optimizer, x):
    loss = model(x)
    loss.backward()
    optimizer.step()


def train(args):
    model = Model()
    optimizer = torch.optim.SGD(model.parameters())
    collect(0)
    for x in range(3):
        collect(x)
        train_step(model, optimizer, x)


if __name__ == "__main__":
    train(None)
)";
  const std::string sum = "def collect(x):\n    dist.all_reduce(x)\n";
  const std::string text = explain_body(body, with(body, "def collect(x):\n", sum));
  EXPECT_TRUE(says(text, "`collect` issues `all_reduce` over all ranks in the training loop, outside its step"))
      << text;
  const std::string once = with(body, "        collect(x)\n", "");
  const std::string before = explain_body(once, with(once, "def collect(x):\n", sum));
  EXPECT_TRUE(says(before, "`collect` issues `all_reduce` over all ranks where the call graph sees no training step"))
      << before;
}

}  // namespace
}  // namespace lockstep::render
