// Which way to changed code is told, which callers and tests count: what a run can do there decides.
#include <gtest/gtest.h>
#include <pthread.h>

#include <functional>

#include "base/strings.h"
#include "render/document_fixture.h"
#include "report/source/import_closure.h"
#include "report/ways/conditions/class_guards.h"
#include "report/ways/scripts/script_reach.h"

namespace lockstep::render {
namespace {

std::string with(std::string text, std::string_view what, std::string_view by) {
  return text.replace(text.find(what), what.size(), by);
}

TEST(WaysTaken, ALiteralAgainstTheGuardOfTheChangedLineMakesNoWay) {
  const std::string lib = R"(def layer(x, is_expert=False):
    if is_expert:
        x = x + 1
    return x
)";
  const std::string run = R"(from lib import layer


def dense(x):
    return layer(x, is_expert=False)


def deeper(x):
    return experts(x)


def experts(x):
    return layer(x, is_expert=True)


if __name__ == "__main__":
    dense(1)
    deeper(1)
)";
  const std::string text = explain_of({{"lib.py", lib}, {"pretrain.py", run}},
                                      {{"lib.py", with(lib, "x + 1", "x + 2")}, {"pretrain.py", run}});
  EXPECT_TRUE(says(text, "`experts` (`pretrain.py:12`) → `layer`")) << text;
  EXPECT_FALSE(says(text, "\u2192 `dense`")) << text;
}

/// What the target newly takes is what the change is about: only the calls that the change edits give it.
TEST(WaysTaken, AWayThroughACallThatTheChangeEditsComesFirst) {
  const std::string lib = "def gather(x, group=None):\n    return x\n";
  const std::string run = R"(from lib import gather


def save(x):
    return gather(x)


def load(x):
    return read(x)


def read(x):
    return gather(x)


if __name__ == "__main__":
    save(1)
    load(1)
)";
  const Files before = {{"lib.py", "def gather(x):\n    return x\n"}, {"pretrain.py", run}};
  const std::string unchanged = explain_of(before, {{"lib.py", lib}, {"pretrain.py", run}});
  EXPECT_TRUE(says(unchanged, "\u2192 `save` (`pretrain.py:4`) \u2192 `gather`")) << unchanged;
  const std::string edited = with(run, "def read(x):\n    return gather(x)", "def read(x):\n    return gather(x, 2)");
  const std::string text = explain_of(before, {{"lib.py", lib}, {"pretrain.py", edited}});
  EXPECT_TRUE(says(text, "\u2192 `read` (`pretrain.py:12`) \u2192 `gather`")) << text;
}

TEST(WaysTaken, AWayThatIsOffByDefaultIsToldOnlyWhereNoOtherIs) {
  const std::string run = R"(import argparse


def f(x):
    return x


def far(args):
    return farther(args)


def farther(args):
    return farthest(args)


def farthest(args):
    return last(args)


def last(args):
    if args.a and args.b and args.c and args.d:
        if args.e and args.g:
            for each in args:
                f(each)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    if args.quick:
        f(args)
    far(args)


if __name__ == "__main__":
    main()
)";
  const std::string text = explain_of({{"run.py", run}}, {{"run.py", with(run, "return x\n", "return x + 1\n")}});
  EXPECT_TRUE(says(text, "`last`")) << text;
  EXPECT_FALSE(says(text, "args.quick")) << text;
  const std::string only = with(run, "    far(args)\n\n\nif", "\n\nif");
  const std::string off = dive_of({{"run.py", only}}, {{"run.py", with(only, "return x\n", "return x + 1\n")}});
  EXPECT_TRUE(says(off, "`args.quick` is set")) << off;
}

TEST(WaysTaken, WhatTheProgramStoresIsNotItsDeclaredDefault) {
  const std::string run = R"(from dataclasses import dataclass


@dataclass
class RunConfig:
    finish: object = None


def f(x):
    return x


def schedule(config: RunConfig):
    if config.finish is not None:
        f(config)


def main():
    config = RunConfig()
    config.finish = make()
    schedule(config)


def make():
    return print


if __name__ == "__main__":
    main()
)";
  const Files before = {{"run.py", run}};
  EXPECT_FALSE(says(dive_of(before, {{"run.py", with(run, "return x\n", "return x + 1\n")}}), "off by default"));
}

TEST(WaysTaken, AStandInsAttributeIsNoTest) {
  const std::string lib = "class Store:\n    def load_everything(self):\n        return 1\n";
  const auto tests_of = [&](const std::string& body) {
    const std::string test = "from unittest.mock import MagicMock\nfrom lib import other\n\n\ndef test_it():\n" + body;
    return dive_of({{"lib.py", lib}, {"tests/test_a.py", test}},
                   {{"lib.py", with(lib, "return 1", "return 2")}, {"tests/test_a.py", test}});
  };
  const std::string mocked =
      tests_of("    store = MagicMock()\n    other(store)\n    store.inner.load_everything.assert_called()\n");
  EXPECT_TRUE(says(mocked, "NOT TESTED")) << mocked;
  const std::string put =
      tests_of("    store = MagicMock(size=4)\n    store.inner = MagicMock()\n    store.inner.load_everything()\n");
  EXPECT_TRUE(says(put, "NOT TESTED")) << put;
  for (const std::string& made :
       {std::string("store = MagicMock(wraps=other())"), std::string("store = MagicMock()\n    store = other()"),
        std::string("store = MagicMock(load_everything=other())"),
        std::string("store = MagicMock()\n    for store in other():\n        pass"),
        std::string("store = MagicMock()\n    store.load_everything = other().load_everything")}) {
    const std::string text = tests_of("    " + made + "\n    store.load_everything()\n");
    EXPECT_FALSE(says(text, "NOT TESTED: no test function")) << made << text;
  }
  const std::string named = tests_of("    store = other()\n    store.load_everything()\n");
  EXPECT_FALSE(says(named, "NOT TESTED: no test function")) << named;
}

TEST(WaysTaken, ATestThatHoldsNoObjectOfTheClassAskedForDoesNotSurelyRunIt) {
  const std::string lib = R"(class Wide:
    pass


def make_wide(model):
    return 1


def make(model):
    if isinstance(model, Wide):
        return make_wide(model)
    return 2
)";
  const auto tests_of = [&](const std::string& names, const std::string& model) {
    const std::string test = "from lib import " + names + "\n\n\ndef test_it():\n    make(" + model + ")\n";
    return dive_of({{"lib.py", lib}, {"tests/test_a.py", test}},
                   {{"lib.py", with(lib, "return 1", "return 3")}, {"tests/test_a.py", test}});
  };
  EXPECT_TRUE(says(tests_of("make, Wide", "Wide()"), "Calls lead to it from the test"));
  const std::string other = tests_of("make", "object()");
  EXPECT_FALSE(says(other, "Calls lead to it from")) << other;
  EXPECT_FALSE(says(other, "- a test that leads to `make_wide`")) << other;
}

TEST(WaysTaken, OfTwoWaysTheSurerOneCounts) {
  // The shorter way asks for a class of which the test makes no object, the longer one for none.
  const std::string lib = R"(class Wide:
    pass


def make_wide(model):
    return 1


def through(model):
    return make_wide(model)


def make(model):
    if isinstance(model, Wide):
        return make_wide(model)
    return through(model)


def start(model):
    return make(model)
)";
  const std::string test = "from lib import start\n\n\ndef test_it():\n    start(object())\n";
  const std::string text = dive_of({{"lib.py", lib}, {"tests/test_a.py", test}},
                                   {{"lib.py", with(lib, "return 1", "return 3")}, {"tests/test_a.py", test}});
  EXPECT_TRUE(says(text, "The nearest test by the call graph, `test_it`")) << text;
  const std::string unsure = with(lib, "    return through(model)", "    return 2");
  const std::string none = dive_of({{"lib.py", unsure}, {"tests/test_a.py", test}},
                                   {{"lib.py", with(unsure, "return 1", "return 3")}, {"tests/test_a.py", test}});
  EXPECT_TRUE(says(none,
                   "The test `test_it` (`tests/test_a.py:4`) may lead to it through calls that may not be made or can "
                   "enter other functions as well; none was found that surely does."))
      << none;
}

TEST(WaysTaken, AMethodThatAWrapperIsPutOverIsStillCalled) {
  const std::string lib = R"(import torch


class Net(torch.nn.Module):
    def forward(self, x, late=None):
        if x.is_cuda:
            return 1
        return 2
)";
  const std::string wrap = R"(from lib import Net


def inject(model):
    previous = model.forward

    def routed(self, x):
        if x is None:
            x = 0
        return previous(x)

    model.forward = routed.__get__(model, model.__class__)


def build():
    model = Net()
    inject(model)
    return model
)";
  const std::string test = R"(from lib import Net


def test_it():
    model = Net()
    model.forward(3)
)";
  const auto told = [&](const std::string& by) {
    return dive_of({{"lib.py", lib}, {"wrap.py", by}, {"tests/test_a.py", test}},
                   {{"lib.py", with(lib, "return 1", "return 3")}, {"wrap.py", by}, {"tests/test_a.py", test}});
  };
  const std::string text = told(wrap);
  EXPECT_TRUE(says(text, "Called in the test `test_it`")) << text;
  // One that does not always call what it stands over, or calls it under another name, is another function.
  for (const std::string& other :
       {with(wrap, "return previous(x)", "return previous(x) if x else 0"),
        with(wrap, "            x = 0", "            return 0"),
        with(wrap, "previous = model.forward", "previous = abs"),
        with(wrap, "    previous = model.forward\n", "    previous = model.forward\n    model = Net()\n")}) {
    EXPECT_FALSE(says(told(other), "Called in the test")) << other;
  }
}

TEST(WaysTaken, AConstructorThatADecoratorWrapsIsEnteredWhereObjectsAreMade) {
  const std::string lib = R"(import functools


def checked(*names):
    def decorator(func):
        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            if set(names) & set(kwargs):
                raise TypeError(names)
            return func(*args, **kwargs)

        return wrapper

    return decorator


class A:
    @checked("old")
    def __init__(self, x):
        self.x = x


class B:
    @checked("old")
    def __init__(self, x):
        self.x = x


class C:
    @checked("old")
    def __init__(self, x):
        self.x = x


class Engine:
    @checked("old")
    def __init__(self, x):
        self.x = x
        self.capture()

    def resume(self):
        if self.x.is_paused and self.x.is_free:
            self.capture()

    def capture(self):
        return 1
)";
  const std::string run = R"(from lib import A, B, C, Engine


def run(engine):
    engine.resume()


def main():
    engine = Engine(C(B(A(1))))
    run(engine)


if __name__ == "__main__":
    main()
)";
  const std::string text = explain_of({{"lib.py", lib}, {"pretrain.py", run}},
                                      {{"lib.py", with(lib, "return 1", "return 2")}, {"pretrain.py", run}});
  EXPECT_TRUE(says(text, "Runs reach `Engine.capture`: `pretrain.py` → `main`")) << text;
  EXPECT_TRUE(says(text, "`main` (`pretrain.py:8`) → `Engine.__init__` (`lib.py:37`) → `Engine.capture`")) << text;
  // Whoever calls what it is given under another name says nothing of what it enters.
  const std::string kept =
      with(lib, "            return func(*args, **kwargs)", "            return func(args, kwargs)");
  const std::string other = explain_of({{"lib.py", kept}, {"pretrain.py", run}},
                                       {{"lib.py", with(kept, "return 1", "return 2")}, {"pretrain.py", run}});
  EXPECT_TRUE(says(other, "`Engine.resume`")) << other;
}

TEST(WaysTaken, OfScriptsAsNearOneThatTrainsIsTold) {
  const std::string lib = "def pool(x):\n    return x\n";
  const std::string run = "from FOLDER import pool\n\nif __name__ == \"__main__\":\n    pool(1)\n";
  const std::string longer =
      "from FOLDER import pool\n\n\ndef main():\n    pool(1)\n\n\nif __name__ == \"__main__\":\n    main()\n";
  const auto told = [&](const std::string& folder, const std::string& near, const std::string& far) {
    const std::string from = folder + ".lib";
    return explain_of(
        {{folder + "/lib.py", lib}, {near, with(run, "FOLDER", from)}, {far, with(longer, "FOLDER", from)}},
        {{folder + "/lib.py", with(lib, "return x", "return x + 1")},
         {near, with(run, "FOLDER", from)},
         {far, with(longer, "FOLDER", from)}});
  };
  for (const std::string near : {"a_inference.py", "evaluation/a.py", "serve_model.py", "generate.py"}) {
    const std::string text = told("core", near, "pretrain_model.py");
    EXPECT_TRUE(says(text, "Runs reach `pool`: `pretrain_model.py`")) << text;
    EXPECT_TRUE(says(told("inference", near, "pretrain_model.py"), "Runs reach `pool`: `" + near + "`"));
    EXPECT_TRUE(says(told("core", near, "convert.py"), "Runs reach `pool`: `" + near + "`")) << near;
  }
  EXPECT_TRUE(says(told("core", "report.py", "pretrain_model.py"), "Runs reach `pool`: `report.py`"));
  EXPECT_TRUE(says(told("core", "convert.py", "pretrain_model.py"), "Runs reach `pool`: `pretrain_model.py`"));
}

TEST(WaysTaken, AScriptThatCannotHoldTheClassDoesNotCallIt) {
  const std::string lib = R"(import torch


class First(torch.nn.Module):
    def forward(self, x):
        return x


class Second(torch.nn.Module):
    def forward(self, x):
        return x + 1


def step(model, x):
    return model(x)


def make(kind):
    return First() if kind else Second()
)";
  const std::string one = R"(from lib import First


def forward_step(model: object):
    return model(1)


if __name__ == "__main__":
    forward_step(First())
)";
  const Files before = {{"lib.py", lib}, {"one.py", one}};
  Files after = before;
  after["lib.py"] = with(lib, "x + 1", "x + 2");
  const std::string text = dive_of(before, after);
  EXPECT_FALSE(says(text, "`forward_step` - calls `Second.forward`")) << text;
}

/// A layer whose cache code needs a context; `train.py` passes none, `serve.py` does. `{}`: how a run gets to the
/// layer.
std::string way_to_cache_code(const std::string& wrapper) {
  const std::string layer = R"(from utils import either


class Layer:
    def forward(self, x, context=None, *, params=None):
        context = either(context, params)
        if context is not None:
            x = x + 1
        return x
)";
  const std::string utils = R"(def either(context, params):
    """Takes the old name, too."""
    if context is None and params is not None:
        return params
    return context
)";
  const std::string train = R"(from wrapper import wrapped


def train(model, batches):
    for batch in batches:
        wrapped(batch)


if __name__ == "__main__":
    train(None, [1])
)";
  const std::string serve = R"(from wrapper import wrapped


class Engine:
    def __init__(self, state):
        self.state = state

    def generate(self, x):
        return self.run(x)

    def run(self, x):
        return self.enter(x)

    def enter(self, x):
        return wrapped(x, context=self.state)


def main():
    Engine(object()).generate(1)


if __name__ == "__main__":
    main()
)";
  const Files before = {
      {"layer.py", layer}, {"utils.py", utils}, {"wrapper.py", wrapper}, {"train.py", train}, {"serve.py", serve}};
  Files after = before;
  after["layer.py"] = with(layer, "x + 1", "x + 2");
  return explain_of(before, after);
}

TEST(WaysTaken, AWayThatLeavesOutWhatTheChangedLineNeedsIsNone) {
  // The value is passed on as it is, by **kwargs, and in a closure: each time only one script gives one.
  for (const std::string wrapper :
       {"from layer import Layer\n\n\ndef wrapped(x, context=None):\n    return Layer().forward(x, context=context)\n",
        "from layer import Layer\n\n\ndef wrapped(*args, **kwargs):\n    kwargs[\"x\"] = args[0]\n"
        "    return Layer().forward(**kwargs)\n",
        "from layer import Layer\n\n\ndef wrapped(x, context=None):\n    def inner(y):\n"
        "        return Layer().forward(y, params=context)\n    return inner(x)\n"}) {
    const std::string text = way_to_cache_code(wrapper);
    EXPECT_TRUE(says(text, "reach `Layer.forward`: `serve.py`")) << wrapper << text;
    EXPECT_FALSE(says(text, "`train.py`")) << wrapper << text;
  }
  // Where the wrapper gives one itself, any script will do.
  const std::string text = way_to_cache_code(
      "from layer import Layer\n\n\ndef wrapped(x, context=None):\n"
      "    return Layer().forward(x, context=context or object())\n");
  EXPECT_TRUE(says(text, "reach `Layer.forward`: `train.py`")) << text;
}

TEST(WaysTaken, WhereItDoesNotShowWhetherAWayPassesWhatTheChangedLineNeedsItIsSaid) {
  const std::string lib = R"(class Layer:
    def forward(self, x, mask=None):
        if mask is not None:
            x = x + 1
        return x
)";
  const std::string run = R"(from lib import Layer


def captured(arguments, options):
    return Layer().forward(*arguments, **options)


if __name__ == "__main__":
    captured([1], {})
)";
  const Files before = {{"lib.py", lib}, {"train.py", run}};
  Files after = before;
  after["lib.py"] = with(lib, "x + 1", "x + 2");
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text,
                   "The changed lines ask for `mask`: whether a call on this way gives it, was not found out; "
                   "`train.py` does not name it."))
      << text;
  after["lib.py"] = with(lib, "return x\n", "return x + 2\n");
  EXPECT_FALSE(says(explain_of(before, after), "The changed lines ask for"));
}

TEST(WaysTaken, OfSeveralCallsTheOneInTheTrainingLoopIsTold) {
  const std::string run = R"(import argparse


def save(x):
    return x


def save_and_time(args):
    save(args)


def train_step(x):
    return x


def train(args):
    for i in range(args.train_iters):
        train_step(i)
        if i % args.save_interval == 0:
            save_and_time(args)


def main():
    args = argparse.ArgumentParser().parse_args()
    train(args)
    save(args)


if __name__ == "__main__":
    main()
)";
  const std::string text = explain_of(
      {{"train.py", run}}, {{"train.py", with(run, "def save(x):\n    return x", "def save(x):\n    return x + 1")}});
  EXPECT_TRUE(says(text, "`train` (`train.py:16`) → `save_and_time` (`train.py:8`) → `save`")) << text;
}

TEST(WaysTaken, ACallThatDoesNotGiveWhatIsRequiredIsOnNoWay) {
  const std::string run = R"(def build(builder, pre=True):
    return finish(builder)


def finish(x):
    return x


def other(pre=True):
    return 1


def wrong(quick):
    provider = build if quick else other
    if quick:
        provider = build
    else:
        provider = other
    return provider(pre=True)


def far(x):
    return farther(x)


def farther(x):
    return build(x)


if __name__ == "__main__":
    wrong(True)
    far(1)
)";
  const std::string plain = with(run, "    provider = build if quick else other\n", "");
  const std::string text =
      explain_of({{"train.py", plain}},
                 {{"train.py", with(plain, "def finish(x):\n    return x", "def finish(x):\n    return x + 1")}});
  EXPECT_TRUE(says(text, "`farther`")) << text;
  EXPECT_FALSE(says(text, "`wrong`")) << text;
}

TEST(WaysTaken, AScriptThatMentionsTheClassComesBeforeOneThatDoesNot) {
  const std::string lib = R"(class Spec:
    def __init__(self, module):
        self.module = module


def build(spec):
    return spec.module()


class Layer:
    def forward(self):
        return self.inner()

    def inner(self):
        return 1


class Experts(Layer):
    def inner(self):
        return 2


def plain_spec():
    return Spec(module=Layer)


def experts_spec():
    return Spec(module=Experts)


def run(spec):
    layer = build(spec)
    layer.forward()
)";
  const std::string gpt = R"(from lib import plain_spec, run

if __name__ == "__main__":
    run(plain_spec())
)";
  const std::string hybrid = R"(from lib import experts_spec, run


def start():
    run(experts_spec())


if __name__ == "__main__":
    start()
)";
  const std::string readme = "Run pretrain_gpt.py. pretrain_gpt.py trains. pretrain_gpt.py\n";
  const Files before = {
      {"lib.py", lib}, {"pretrain_gpt.py", gpt}, {"pretrain_hybrid.py", hybrid}, {"README.md", readme}};
  Files after = before;
  after["lib.py"] = with(lib, "return 2", "return 3");
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "`Experts.inner`: `pretrain_hybrid.py`")) << text;
  // So it is where only a method mentions the class.
  const auto in_class = [&](const std::string& code) {
    return with(code, "def experts_spec():\n    return Spec(module=Experts)\n",
                "class Specs:\n    def experts_spec(self):\n        return Spec(module=Experts)\n");
  };
  const std::string start =
      with(with(hybrid, "experts_spec, run", "Specs, run"), "experts_spec()", "Specs().experts_spec()");
  const std::string by_method = explain_of(
      {{"lib.py", in_class(lib)}, {"pretrain_gpt.py", gpt}, {"pretrain_hybrid.py", start}, {"README.md", readme}},
      {{"lib.py", with(in_class(lib), "return 2", "return 3")},
       {"pretrain_gpt.py", gpt},
       {"pretrain_hybrid.py", start},
       {"README.md", readme}});
  EXPECT_TRUE(says(by_method, "`Experts.inner`: `pretrain_hybrid.py`")) << by_method;
}

TEST(WaysTaken, AChainOfClassesIsNoChainOfCalls) {
  constexpr int kClasses = 4000;
  std::string deep = "def load(name):\n    return name\n";
  for (int i = 0; i < kClasses; ++i) {
    deep += "\n\nclass C" + std::to_string(i) + ":\n    def m(self):\n        return load(\"deep.C" +
            std::to_string(i + 1) + "\")\n";
  }
  const Files files = {{"deep.py", deep},
                       {"train.py", "import deep\n\nif __name__ == \"__main__\":\n    deep.load(\"deep.C0\")\n"}};
  const auto fixture = make_fixture(files, files, "Nothing");
  const program::Program& program = fixture->after;
  report::ImportClosure closure(program);
  report::ClassMentions mentions(program);
  const report::MadeClasses made(program);
  const report::ClassGuards guards(program, made);
  const std::vector<int>& loaded = closure.from(program.find_path("train.py"));
  // A stack that 4000 calls in one another do not fit into.
  bool reaches = false;
  std::function<void()> run = [&] {
    const report::ScriptReach reach(program, made, guards, loaded, &mentions);
    reaches = reach.reaches(program.find_function("deep.C0.m")) &&
              reach.reaches(program.find_function("deep.C" + std::to_string(kClasses - 1) + ".m"));
  };
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, std::size_t{256} << 10);
  pthread_t thread = {};
  const auto start = [](void* function) -> void* {
    (*static_cast<std::function<void()>*>(function))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, start, &run), 0);
  pthread_join(thread, nullptr);
  EXPECT_TRUE(reaches);
}

TEST(WaysTaken, AScriptThatTrainsIsToldBeforeOneThatPrepares) {
  const std::string lib = "def passes(x):\n    return x\n";
  const std::string offline = "from lib.passes import passes\n\nif __name__ == \"__main__\":\n    passes(1)\n";
  const std::string train =
      "from lib.passes import passes\n\n\ndef main():\n    passes(1)\n\n\nif __name__ == \"__main__\":\n    main()\n";
  const Files before = {{"lib/passes.py", lib}, {"graph_trainer/precompile_main.py", offline}, {"train.py", train}};
  Files after = before;
  after["lib/passes.py"] = with(lib, "return x", "return x + 1");
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "`passes`: `train.py`")) << text;
}

TEST(Ways, OthersThatCallTheLeadAreNamed) {
  const Files before = {
      {"core.py",
       "def copy_state(x):\n    return x\n\n\ndef step(x):\n    return copy_state(x)\n\n\n"
       "def warm_up(x):\n    return copy_state(x)\n\n\ndef guess(x):\n    return x.copy_state()\n"},
      {"train.py",
       "from core import step\n\n\ndef main():\n    step(1)\n\n\nif __name__ == \"__main__\":\n    main()\n"},
      {"tests/test_core.py", "from core import copy_state\n\n\ndef test_it():\n    copy_state(1)\n"}};
  const std::string text =
      explain_of(before, with_edit(before, "core.py", "    return x\n\n\ndef step", "    return x + 1\n\n\ndef step"));
  EXPECT_TRUE(says(text, "It is called, too, by `warm_up` (`core.py:10`).")) << text;
  const std::string one = explain_of(before, with_edit(before, "core.py", "def guess(x):\n    return x.copy_state()",
                                                       "def guess(x):\n    return x.keep_state()"));
  EXPECT_FALSE(says(one, "It is called, too")) << one;
}

TEST(Ways, WhatTheMethodOfTheSameNameBeginsIsReachedThroughIt) {
  const auto text_of = [](const std::string& name) {
    const std::string engine = "class Engine:\n    def _" + name +
                               "(self, x):\n        return x\n\n    def resume(self, x):\n"
                               "        return self._" +
                               name +
                               "(x)\n\n    def add_request(self, x):\n        self.count = 1\n"
                               "        return self._" +
                               name + "(x)\n";
    const Files before = {
        {"engine.py", engine},
        {"run.py",
         "from engine import Engine\n\n\ndef submit(engine, x):\n    return engine.add_request(x)\n\n\n"
         "def main():\n    engine = Engine()\n    engine.resume(1)\n    submit(engine, 2)\n\n\n"
         "if __name__ == \"__main__\":\n    main()\n"}};
    return explain_of(
        before, with_edit(before, "engine.py", "(self, x):\n        return x\n", "(self, x):\n        return x + 1\n"));
  };
  EXPECT_TRUE(says(text_of("add_request"), "`Engine.add_request` (`engine.py:8`) \u2192 `Engine._add_request`"))
      << text_of("add_request");
  EXPECT_TRUE(says(text_of("put_request"), "`Engine.resume` (`engine.py:5`) \u2192 `Engine._put_request`"))
      << text_of("put_request");
}

TEST(Ways, WhatMakesObjectsIsNoConstructorOfAnHeir) {
  const Files before = {
      {"core.py",
       "class State:\n    def __init__(self, x):\n        self.x = x\n\n\nclass Heir(State):\n"
       "    def __init__(self, x):\n        super().__init__(x)\n\n\ndef restore(x):\n    return State(x)\n\n\n"
       "def step(x):\n    return State(x)\n"},
      {"train.py",
       "from core import step\n\n\ndef main():\n    step(1)\n\n\nif __name__ == \"__main__\":\n    main()\n"}};
  const std::string text = explain_of(before, with_edit(before, "core.py", "self.x = x", "self.x = x + 1"));
  EXPECT_TRUE(says(text, "Objects are made, too, in `restore` (`core.py:12`).")) << text;
}

TEST(Ways, AMixinOfAClassThatNothingMakesIsInNoRun) {
  const Files files = {
      {"engine.py",
       "class Engine:\n    def step(self):\n        return self.prepare()\n\n    def prepare(self):\n        return "
       "{}\n"},
      {"handoff.py", "class HandoffMixin:\n    def prepare(self):\n        return {1: 2}\n"},
      {"both.py",
       "from engine import Engine\nfrom handoff import HandoffMixin\n\n\nclass HandoffEngine(HandoffMixin, Engine):\n  "
       "  "
       "pass\n"},
      {"tests/test_both.py", "from both import HandoffEngine\n\n\ndef test_it():\n    HandoffEngine().step()\n"}};
  const std::string text = explain_of(files, with_edit(files, "handoff.py", "{1: 2}", "{1: 3}"));
  EXPECT_TRUE(
      says(text, "no Python code outside tests makes an object of `HandoffEngine`, which takes in `HandoffMixin`"))
      << text;
  EXPECT_TRUE(says(text, "On one it is called by `Engine.step` (`engine.py:3`).")) << text;
}

TEST(Ways, WhoGivesAConstantThatKeepsFromTheChangeIsNoOtherCaller) {
  const auto others = [](const std::string& arguments) {
    const Files before = {
        {"core.py",
         "def copy_state(x, wrap=True):\n    if wrap:\n        x = x * 2\n    return x\n\n\n"
         "def step(x):\n    return copy_state(x)\n\n\ndef warm_up(x):\n    return copy_state(" +
             arguments + ")\n"},
        {"train.py",
         "from core import step\n\n\ndef main():\n    step(1)\n\n\nif __name__ == \"__main__\":\n    main()\n"}};
    return explain_of(before, with_edit(before, "core.py", "x * 2", "x * 3"));
  };
  EXPECT_TRUE(says(others("x"), "It is called, too, by `warm_up`")) << others("x");
  EXPECT_TRUE(says(others("x, wrap=x"), "It is called, too, by `warm_up`"));
  EXPECT_FALSE(says(others("x, wrap=False"), "It is called, too")) << others("x, wrap=False");
}

TEST(Ways, WhereEachClassLeadsThereRunsDo) {
  const auto explained = [](const std::string& other) {
    const Files before = {
        {"core.py",
         "def scale(x):\n    return x * 2\n\n\nclass Plain:\n    def forward(self, x):\n        return scale(x)\n\n\n"
         "class Fused:\n    def forward(self, x):\n        " +
             other + "\n\n\ndef make(fused):\n    return Fused() if fused else Plain()\n"},
        {"train.py",
         "import sys\nfrom core import make\n\n\ndef main():\n    layer = make(len(sys.argv) > 1)\n"
         "    layer.forward(1)\n\n\nif __name__ == '__main__':\n    main()\n"}};
    return explain_of(before, with_edit(before, "core.py", "x * 2", "x * 3"));
  };
  EXPECT_TRUE(says(explained("return scale(x + 1)"), "Runs reach `scale`")) << explained("return scale(x + 1)");
  EXPECT_TRUE(says(explained("return x"), "Runs can reach `scale`")) << explained("return x");
  const std::string asking = "return scale(x) if x else x";
  EXPECT_TRUE(says(explained("if x:\n            return scale(x)\n        return x"), "Runs can reach `scale`"))
      << asking;
}

}  // namespace
}  // namespace lockstep::render
