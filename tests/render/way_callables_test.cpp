// Ways through what calls give: functions that parameters hold, objects whose class a setting chose, and constructors
// that refuse their arguments.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

std::string explained(const Files& files, const std::string& old_text, const std::string& new_text) {
  return explain_of(files, with_edit(files, "core.py", old_text, new_text));
}

/// A schedule that is too long to be copied for each of its callers, as schedules are.
const std::string kSchedules = R"(def forward(step, data, count, total):
    context = {}
    if count > total:
        context["last"] = True
    for key in list(context):
        context[key] = not context[key]
    if count == total:
        context["first"] = False
    return step(data)


def schedule(*, step, data, steps, total=4):
    losses = []
    for count in range(steps):
        if count % 2 == 0:
            losses.append(forward(step, data, count, total))
        else:
            losses.append(forward(step, data, count + 1, total))
    if losses and total > len(losses):
        losses.append(sum(losses))
    return losses


def pipelined(*, step, data, steps, total=8):
    def helper(count):
        return forward(step, data, count, total)

    losses = []
    for count in range(steps):
        losses.append(helper(count))
    return losses


def schedule_of(stages):
    return pipelined if stages > 1 else schedule


def score(data):
    y = data + 1
    return y


def logprobs(data, scale=1):
    return score(data) * scale


def run(run_step, data, runner):
    return runner(step=run_step, data=data, steps=3)
)";

const std::string kTrain = R"(from core import run, schedule_of


def train_step(data):
    return data


def main():
    for data in range(3):
        run(train_step, data, schedule_of(data))


if __name__ == '__main__':
    main()
)";

const std::string kRollouts = R"(from functools import partial

from core import logprobs, schedule_of


def rollout(data):
    forward_backward = schedule_of(data)
    return forward_backward(step=partial(logprobs, scale=2), data=data, steps=2)


def main():
    rollout(4)


if __name__ == '__main__':
    main()
)";

TEST(WayCallables, AWayGoesThroughTheCallerThatPassesTheFunction) {
  const std::string text = explained(
      {{"core.py", kSchedules}, {"train.py", kTrain}, {"examples_rl/rollouts.py", kRollouts}}, "data + 1", "data + 2");
  EXPECT_TRUE(says(text, "`examples_rl/rollouts.py` → `main`")) << text;
  EXPECT_FALSE(says(text, "`train.py`")) << text;
}

TEST(WayCallables, WhatAnObjectHandsOnInItsKeywordsIsWhatItsCallerGave) {
  const std::string captured = R"(


class Captured:
    def __init__(self, runner):
        self.runner = runner

    def __call__(self, *args, **kwargs):
        data = kwargs['data']
        kwargs['data'] = data + 1
        if data > 3:
            print('captured')
        return self.runner(*args, **kwargs)
)";
  const std::string train = replace_all(replace_all(kTrain, "import run,", "import Captured, run,"),
                                        "schedule_of(data))", "Captured(schedule_of(data)))");
  const auto of = [&](const std::string& core) {
    return explained({{"core.py", core}, {"train.py", train}, {"examples_rl/rollouts.py", kRollouts}},
                     "data + 1\n    return y", "data + 2\n    return y");
  };
  const std::string text = of(kSchedules + captured);
  EXPECT_TRUE(says(text, "`examples_rl/rollouts.py` → `main`")) << text;
  EXPECT_FALSE(says(text, "1 more script can lead there")) << text;
  // What it puts there itself may be anything.
  const std::string other = of(
      kSchedules + replace_all(captured, "kwargs['data'] = data + 1", "kwargs['step'] = kwargs['step'] or logprobs"));
  EXPECT_TRUE(says(other, "1 more script can lead there")) << other;
}

TEST(WayCallables, WhatIsGivenOnInAnotherNameIsFollowed) {
  const std::string train = replace_all(kTrain, "from core import run", "from core import logprobs, run");
  const std::string text =
      explained({{"core.py", kSchedules}, {"train.py", replace_all(train, "run(train_step,", "run(logprobs,")}},
                "data + 1", "data + 2");
  EXPECT_TRUE(says(text, "`train.py` → `main`")) << text;
}

TEST(WayCallables, AParameterThatIsBoundAnewMayHoldAnything) {
  const std::string wrapped = replace_all(kSchedules, "    return runner(step",
                                          "    run_step = logprobs if data else run_step\n    return runner(step");
  const std::string text = explained({{"core.py", wrapped}, {"train.py", kTrain}}, "data + 1", "data + 2");
  EXPECT_TRUE(says(text, "`train.py` → `main`")) << text;
}

const std::string kEngines = R"(class Static:
    def __init__(self, size):
        self.size = size

    def generate(self, prompt):
        return prompt

    def generate_all(self, prompt):
        return prompt


class Dynamic:
    def __init__(self, size, seed=0):
        self.size = size
        self.seed = seed

    def generate(self, prompt):
        return self.step(prompt)

    def generate_all(self, prompt):
        return self.step(prompt)

    def step(self, prompt):
        y = prompt + 1
        return y
)";

const std::string kServe = R"(import argparse

from core import Dynamic, Static


def engine_of(args):
    if args.engine_type == "static":
        return Static(4)
    elif args.engine_type == "dynamic":
        return Dynamic(4, seed=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine-type", default="static")
    args = parser.parse_args()
    engine = engine_of(args)
    if args.engine_type == "static":
        engine.generate(1)
    elif args.engine_type == "dynamic":
        engine.generate_all(1)


if __name__ == '__main__':
    main()
)";

TEST(WayCallables, AnObjectIsOfTheClassThatTheSettingChose) {
  const std::string text = explained({{"core.py", kEngines}, {"serve.py", kServe}}, "prompt + 1", "prompt + 2");
  EXPECT_TRUE(says(text, "→ `Dynamic.generate_all` (")) << text;
  EXPECT_FALSE(says(text, "→ `Dynamic.generate` (")) << text;
  EXPECT_TRUE(says(text, "taken when `args.engine_type` is `\"dynamic\"` (")) << text;
  // Asked for another setting, the branch says nothing of the class.
  const std::string other = replace_all(kServe, "    if args.engine_type == \"static\":\n        engine.generate(1)",
                                        "    if args.stream == \"on\":\n        engine.generate(1)");
  const std::string near = explained({{"core.py", kEngines}, {"serve.py", other}}, "prompt + 1", "prompt + 2");
  EXPECT_TRUE(says(near, "→ `Dynamic.generate` (")) << near;
}

TEST(WayCallables, AConstructorThatRefusesItsArgumentsMakesNoObject) {
  const std::string serve = R"(from core import Dynamic, Static


def engine_of(kind):
    if kind > 2:
        return Static(4)
    return Dynamic(4, termination_id=-1)


def main():
    engine = engine_of(3)
    engine.generate(1)


if __name__ == '__main__':
    main()
)";
  const std::string text = explained({{"core.py", kEngines}, {"serve.py", serve}}, "prompt + 1", "prompt + 2");
  EXPECT_FALSE(says(text, "`serve.py` →")) << text;
  const std::string fitting = replace_all(serve, "termination_id=-1", "seed=3");
  const std::string near = explained({{"core.py", kEngines}, {"serve.py", fitting}}, "prompt + 1", "prompt + 2");
  EXPECT_TRUE(says(near, "`serve.py` →")) << near;
}

const std::string kSync = R"(class Model:
    def __init__(self, config):
        self.config = config

    def start_sync(self, *unused, force=False):
        if not force and self.config.overlap_gather:
            self.prefetch()
        else:
            self.gather()

    def prefetch(self):
        return 1

    def gather(self):
        y = 1
        return y

    def finish(self):
        self.gather()


def schedule(config, model):
    if config.sync_func is not None:
        config.sync_func(model)
    if config.grads_func is not None:
        config.grads_func(model)


def finish_grads(model):
    model.finish()


def train(args, config):
    model = Model(config)
    if args.overlap_gather:
        config.sync_func = model.start_sync
    config.grads_func = finish_grads
    schedule(config, model)
)";

const std::string kTrainSync = R"(import argparse

from core import train


class Config:
    sync_func: object = None
    grads_func: object = None
    overlap_gather: bool = False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--overlap-gather", action="store_true")
    train(parser.parse_args(), Config())


if __name__ == '__main__':
    main()
)";

TEST(WayCallables, WhatIsLeftOfAlternativesGoesWithWhereTheCallbackIsStored) {
  const std::string text = explained({{"core.py", kSync}, {"train.py", kTrainSync}}, "    y = 1", "    y = 2");
  EXPECT_TRUE(says(text, "→ `Model.finish` (")) << text;
  EXPECT_FALSE(says(text, "→ `Model.start_sync` (")) << text;
  // Where the callback is given the other alternative, the setting does not matter.
  const std::string forced = replace_all(kSync, "config.sync_func(model)", "config.sync_func(model, force=True)");
  const std::string near = explained(
      {{"core.py", replace_all(forced, "        self.gather()\n\n\ndef sched", "        return 2\n\n\ndef sched")},
       {"train.py", kTrainSync}},
      "    y = 1", "    y = 2");
  EXPECT_TRUE(says(near, "→ `Model.start_sync` (")) << near;
}

TEST(WayCallables, WhatOnlyAnUnusedFunctionMakesIsEnteredByNoRun) {
  const std::string core = R"(class Model:
    def __init__(self):
        self.finish_func = None

    def forward(self, x):
        return x


def train_step(model: Model, x):
    y = model.forward(x)
    if model.finish_func is not None:
        model.finish_func(y)
    return y
)";
  // Too long to be copied for each of its callers.
  std::string counts;
  for (int i = 0; i < 100; ++i) counts += "        counts[" + std::to_string(i) + "] = total + counts[0]\n";
  const std::string hooks =
      "from core import Model\n\n\ndef configure(model: Model):\n    def finish(total):\n        counts = {}\n" +
      counts + "        return total.item()\n\n    model.finish_func = finish\n";
  const std::string script = R"(from core import Model, train_step


def main():
    train_step(Model(), 1)


if __name__ == '__main__':
    main()
)";
  const std::string test = R"(from core import Model, train_step
from hooks import configure


def test_finish():
    model = Model()
    configure(model)
    train_step(model, 1)
)";
  Files files = {{"core.py", core}, {"hooks.py", hooks}, {"train.py", script}, {"tests/test_hooks.py", test}};
  const auto told = [&] {
    return explain_of(files, with_edit(files, "hooks.py", "total.item()", "total.sum().item()"));
  };
  const std::string unused = told();
  EXPECT_FALSE(says(unused, "`train.py` \u2192")) << unused;
  EXPECT_TRUE(says(unused, "only tests lead to `configure.finish`")) << unused;
  EXPECT_FALSE(says(unused, "on the training step path")) << unused;
  // Where other code names the function, some run may make what stands in it.
  files["train.py"] =
      replace_all(script, "train_step\n\n", "train_step\nfrom hooks import configure\n\nHOOK = configure\n");
  const std::string used = told();
  EXPECT_TRUE(says(used, "`train.py` \u2192")) << used;
}

const std::string kSaves = R"(def save(state, async_save=False):
    if not async_save:
        return store(state)
    return later(state)


def later(state):
    return parallel(state)


def store(state):
    pieces = []
    for part in [state]:
        for piece in [part]:
            pieces.append(parallel(piece))
    return pieces


def parallel(state):
    y = state + 1
    return y
)";

const std::string kSaving = R"(import argparse

from core import save


class Config:
    async_save: bool = False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--async-save", action="store_true")
    args = parser.parse_args()
    save(1, async_save=args.async_save)


if __name__ == '__main__':
    main()
)";

TEST(WayCallables, AParameterThatASettingOffByDefaultIsGivenToComesLast) {
  const std::string text = explained({{"core.py", kSaves}, {"train.py", kSaving}}, "state + 1", "state + 2");
  EXPECT_TRUE(says(text, "→ `store` (")) << text;
  // What a call gives itself says nothing of defaults.
  const std::string given = replace_all(kSaving, "async_save=args.async_save", "async_save=True");
  const std::string near = explained({{"core.py", kSaves}, {"train.py", given}}, "state + 1", "state + 2");
  EXPECT_TRUE(says(near, "→ `later` (")) << near;
}

const std::string kEndpoints = R"(from quart import Blueprint

from core import answer

bp = Blueprint("chat", __name__)


@bp.route("/chat", methods=["POST"])
async def chat():
    return answer(1)
)";

const std::string kAnswer = "def answer(x):\n    y = x + 1\n    return y\n";

TEST(WayCallables, AFunctionThatAServerCallsIsReachedByTheScriptThatRegistersIt) {
  const std::string serve = R"(from quart import Quart

import endpoints


def main():
    app = Quart(__name__)
    for endpoint in endpoints.__all__:
        app.register_blueprint(endpoint)
    app.run()


if __name__ == '__main__':
    main()
)";
  const std::string package = "from endpoints.chat import bp as Chat\n\n__all__ = [Chat]\n";
  const Files files = {
      {"core.py", kAnswer}, {"serve.py", serve}, {"endpoints/__init__.py", package}, {"endpoints/chat.py", kEndpoints}};
  const std::string text = explained(files, "x + 1", "x + 2");
  EXPECT_TRUE(says(text, "`serve.py` → `main` (`serve.py:6`) → registers `chat` (`endpoints/chat.py:9`) → `answer`"))
      << text;
  EXPECT_TRUE(says(text, "`chat` answers the request `POST /chat`: the server")) << text;
  Files other = files;
  other["endpoints/__init__.py"] = "from endpoints.chat import other as Chat\n\n__all__ = [Chat]\n";
  const std::string near = explained(other, "x + 1", "x + 2");
  EXPECT_FALSE(says(near, "`serve.py` →")) << near;
}

TEST(WayCallables, MethodsOfAResourceAreCalledForRequests) {
  const std::string serve = R"(from flask import Flask
from flask_restful import Api, Resource

from core import answer


class Generate(Resource):
    def put(self):
        return answer(1)

    def count(self):
        return answer(2)


class Server:
    def __init__(self):
        self.app = Flask(__name__)
        Api(self.app).add_resource(Generate, "/api")

    def run(self):
        self.app.run()


def main():
    Server().run()


if __name__ == '__main__':
    main()
)";
  const std::string text = explained({{"core.py", kAnswer}, {"serve.py", serve}}, "x + 1", "x + 2");
  EXPECT_TRUE(says(text, "registers `Generate.put` (`serve.py:8`)")) << text;
  EXPECT_TRUE(says(text, "`Generate.put` answers the request `PUT /api`")) << text;
  const std::string other =
      replace_all(serve, "def put(self):\n        return answer(1)", "def put(self):\n        return 1");
  const std::string near = explained({{"core.py", kAnswer}, {"serve.py", other}}, "x + 1", "x + 2");
  EXPECT_FALSE(says(near, "registers `Generate")) << near;
}

TEST(WayCallables, AnInnerFunctionThatAServerCallsIsRegisteredWhereItStands) {
  const std::string serve = R"(from fastapi import FastAPI

from core import answer


def launch(port):
    app = FastAPI()

    @app.post("/rollouts/")
    async def rollouts():
        return answer(port)

    return app


if __name__ == '__main__':
    launch(4)
)";
  const std::string text = explained({{"core.py", kAnswer}, {"serve.py", serve}}, "x + 1", "x + 2");
  EXPECT_TRUE(says(text, "registers `launch.rollouts` (`serve.py:10`) → `answer`")) << text;
}

const std::string kNorms = R"(class Plain:
    def __init__(self, size):
        self.size = size


class Fused:
    def __init__(self, size):
        y = size + 1
        self.size = y


def norm(config, size, residual=False):
    use_fused = config.fused and residual
    if use_fused:
        kind = Fused
    else:
        kind = Plain
    return kind(size)


class Block:
    def __init__(self, config, layer_norm):
        self.final = layer_norm(config=config, size=4)


class Layer:
    def __init__(self, config, layer_norm):
        self.make(config, layer_norm)

    def make(self, config, layer_norm):
        self.first = layer_norm(config=config, size=4, residual=True)


def build(config):
    return [Block(config, norm), Layer(config, norm)]
)";

TEST(WayCallables, WhatACallLeavesOutDoesNotChooseAClass) {
  const std::string run =
      "from core import build\n\n\ndef main(config):\n    build(config)\n\n\nif __name__ == '__main__':\n    "
      "main(None)\n";
  const std::string text = explained({{"core.py", kNorms}, {"train.py", run}}, "size + 1", "size + 2");
  EXPECT_TRUE(says(text, "→ `Layer.make` (")) << text;
  EXPECT_FALSE(says(text, "→ `Block.__init__` (")) << text;
  const std::string given = replace_all(kNorms, "layer_norm(config=config, size=4)", "layer_norm(config, 4, True)");
  const std::string near = explained({{"core.py", given}, {"train.py", run}}, "size + 1", "size + 2");
  EXPECT_TRUE(says(near, "→ `Block.__init__` (")) << near;
}

TEST(WayCallables, ADocumentedScriptThatTrainsIsToldBeforeOneForManyTasks) {
  const std::string run = "from core import answer\n\nif __name__ == '__main__':\n    answer(1)\n";
  const std::string longer =
      "from core import answer\n\n\ndef main():\n    answer(1)\n\n\nif __name__ == '__main__':\n    main()\n";
  Files files = {{"core.py", kAnswer}, {"tasks/main.py", run}, {"pretrain_gpt.py", longer}};
  EXPECT_TRUE(says(explained(files, "x + 1", "x + 2"), "`tasks/main.py`"));
  files["README.md"] = "Run `tasks/main.py` for RACE, `tasks/main.py` for MNLI.\n\nTrain with `pretrain_gpt.py`.\n";
  const std::string text = explained(files, "x + 1", "x + 2");
  EXPECT_TRUE(says(text, "`pretrain_gpt.py` → `main`")) << text;
}

/// Which object it is says what `self.run(x)` calls: a way that only goes through such a call is the last one to tell.
const std::string kKeeper = R"(class Keeper:
    def __init__(self):
        self.run = None

    def keep(self, run, x):
        self.run = run
        return run(x)

    def again(self, x):
        return self.run(x)
)";

const std::string kKept = R"(from keeper import Keeper

KEEPERS = [Keeper() for _ in range(4)]


def norm(x):
    y = x
    return y


def mix(x):
    y = x
    return y


def gate(x):
    y = x
    return y


def scale(x):
    y = x
    return y


def layer(x, config):
    first = KEEPERS[x]
    y = first.keep(norm, x)
    y = first.again(y)
    return inner(y, config)


def inner(x, config):
    return deep(x, config)


def deep(x, config):
    return deeper(x, config)


def deeper(x, config):
    return deepest(x, config)


def deepest(x, config):
    return middle(x, config)


def middle(x, config):
    second, third, last = KEEPERS[x], KEEPERS[x - 1], KEEPERS[x - 2]
    x = last.keep(scale, third.keep(gate, second.keep(mix, x)))
    if config.exact:
        return mix(x)
    return x
)";

const std::string kStart = R"(import argparse

from core import layer


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--exact", action="store_true")
    layer(1, parser.parse_args())
)";

TEST(WayCallables, WhatAnObjectKeepsIsNoShorterWay) {
  const Files files = {{"keeper.py", kKeeper}, {"core.py", kKept}, {"train.py", kStart}};
  const std::string text = explained(files, "def mix(x):\n    y = x\n", "def mix(x):\n    y = x + 1\n");
  EXPECT_TRUE(says(text, "\u2192 `middle` (")) << text;
  EXPECT_FALSE(says(text, "`Keeper.again`")) << text;
}

TEST(WayCallables, WhatIsRegisteredWhereThereIsNothingComesLast) {
  const auto text_of = [](const std::string& condition) {
    const std::string hook = "            self.register_full_backward_hook(lambda unit, *_: cast(Unit, unit).post())\n";
    const std::string core =
        "from typing import cast\n\nimport torch\n\n\nclass Unit(torch.nn.Module):\n    def register(self):\n        "
        "if " +
        condition + ":\n" + hook + "        else:\n" + hook + "\n    def post(self):\n        self.total = 1 + 1\n";
    const Files files = {{"core.py", core},
                         {"train.py",
                          "from core import Unit\n\n\ndef main():\n    Unit().register()\n\n\nif __name__ == "
                          "'__main__':\n    main()\n"}};
    return explained(files, "1 + 1", "1 + 2");
  };
  const std::string none = text_of("self.count == 0");
  EXPECT_TRUE(says(none, "registers a lambda (`core.py:11`)")) << none;
  const std::string other = text_of("self.count == 1");
  EXPECT_TRUE(says(other, "registers a lambda (`core.py:9`)")) << other;
}

/// What trains learns: the way through what is frozen is taken where no other leads on.
TEST(WayCallables, WhatIsFrozenComesLast) {
  const auto text_of = [](const std::string& condition) {
    const Files files = {
        {"core.py",
         "def frozen(x, weight):\n    return inner(x)\n\n\ndef trained(x, weight):\n    return "
         "inner(x)\n\n\ndef inner(x):\n    return x + 1\n\n\ndef layer(x, weight):\n    if " +
             condition + ":\n        return frozen(x, weight)\n    else:\n        return trained(x, weight)\n"},
        {"train.py",
         "from core import layer\n\n\ndef main(x, weight):\n    layer(x, weight)\n\n\nif __name__ == "
         "'__main__':\n    main(1, 2)\n"}};
    return explained(files, "x + 1", "x + 2");
  };
  const std::string frozen = text_of("not weight.requires_grad");
  EXPECT_TRUE(says(frozen, "\u2192 `trained` (")) << frozen;
  const std::string either = text_of("weight.requires_grad");
  EXPECT_TRUE(says(either, "\u2192 `frozen` (")) << either;
}

}  // namespace
}  // namespace lockstep::render
