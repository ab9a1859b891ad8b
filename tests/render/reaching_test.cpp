// Which tests a function has: those that run it, and of what changes in it no more than they do run.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kConfig =
    "from dataclasses import dataclass\n\n\n@dataclass\nclass RouterConfig:\n    size: int = 1\n";
const std::string kField = "    force_biased: float = None\n";
const std::string kRouter = R"(def route(config, logits):
    logits = logits + 1
    logits = logits * 2
    return logits
)";
const std::string kForced = R"(def route(config, logits):
    logits = logits + 1
    if config.force_biased is not None:
        logits = apply_bias(logits, config.force_biased)
    logits = logits * 2
    return logits


def apply_bias(logits, std):
    total = logits + std
    total = total * 2
    total = total - 1
    return total
)";
std::string test_with(const std::string& more) {
  return "from lib.router import route\nfrom lib.config import RouterConfig\n\n\ndef test_route():\n"
         "    config = RouterConfig(size=2" +
         more + ")\n    assert route(config, 3) == 8\n";
}
std::string explain_forced(const std::string& test) {
  return explain_of({{"lib/config.py", kConfig}, {"lib/router.py", kRouter}, {"tests/test_router.py", test}},
                    {{"lib/config.py", kConfig + kField}, {"lib/router.py", kForced}, {"tests/test_router.py", test}});
}

TEST(Reaching, CodeUnderASettingThatNoTestSetsIsNotTested) {
  for (const std::string& more : {std::string(), std::string(", force_biased=None")}) {
    const std::string text = explain_forced(test_with(more));
    EXPECT_TRUE(says(text,
                     "Which test sets `force_biased`? NOT TESTED: no test was found that does, and without it none "
                     "runs what is new in `route`, and no calls lead from a test to `apply_bias`."))
        << text;
    EXPECT_FALSE(says(text, "`apply_bias`: Calls lead to it")) << text;
    EXPECT_TRUE(says(text, "What changes in it they do not run: that needs `force_biased`")) << text;
  }
}

TEST(Reaching, ATestThatSetsTheSettingRunsIt) {
  const std::string text = explain_forced(test_with(", force_biased=0.5"));
  EXPECT_FALSE(says(text, "Which test sets")) << text;
  EXPECT_TRUE(says(text, "`apply_bias`: Calls lead to it")) << text;
}

const std::string kHelpers = R"(class Helper:
    def __init__(self, layers):
        self.layers = layers
        self.discover()

    def discover(self):
        return 1


class VisionHelper(Helper):
    def discover(self):
        return 2
)";

TEST(Reaching, TheClassThatATestMakesSaysWhichOverrideRuns) {
  const std::string now =
      replace_all(kHelpers, "        return 1\n", "        self.count = len(self.layers)\n        return 1\n");
  const auto text_with = [&](const std::string& made) {
    const std::string test =
        "from lib.helpers import Helper, VisionHelper\n\n\ndef test_helper():\n    helper = " + made +
        "([1])\n    assert helper.layers\n";
    return explain_of({{"lib/helpers.py", kHelpers}, {"tests/test_helpers.py", test}},
                      {{"lib/helpers.py", now}, {"tests/test_helpers.py", test}});
  };
  const std::string own = text_with("Helper");
  EXPECT_TRUE(says(own, "`Helper.discover`: Calls lead to it from the test `test_helper`")) << own;
  const std::string other = text_with("VisionHelper");
  EXPECT_FALSE(says(other, "lead to it from the test `test_helper`")) << other;
  EXPECT_FALSE(says(other, "some may, among them `test_helper`")) << other;
}

TEST(Reaching, AMethodOfALocalObjectIsTheOneOfItsClass) {
  const std::string before = R"(class Optimizer:
    def step(self):
        return 1


class ChainedOptimizer(Optimizer):
    def __init__(self, chained):
        self.chained = chained

    def step(self):
        return [each.step() for each in self.chained]
)";
  const std::string after = replace_all(before, "        return [each", "        self.steps = 1\n        return [each");
  const std::string test =
      "from lib.opt import ChainedOptimizer, Optimizer\n\n\ndef test_step():\n"
      "    chained = ChainedOptimizer([Optimizer()])\n    chained.step()\n";
  const std::string text = explain_of({{"lib/opt.py", before}, {"tests/test_opt.py", test}},
                                      {{"lib/opt.py", after}, {"tests/test_opt.py", test}});
  EXPECT_TRUE(says(text, "`ChainedOptimizer.step`: Called in the test `test_step`")) << text;
}

TEST(Reaching, ALabelNamesNoFunctionWhoseNameOthersShare) {
  const std::string before = R"(class Dispatcher:
    def dispatch_tokens(self, x):
        return x


class OtherDispatcher:
    def dispatch_tokens(self, x):
        return x
)";
  const std::string after =
      replace_all(before, "class Dispatcher:\n    def dispatch_tokens(self, x):\n        return x",
                  "class Dispatcher:\n    def dispatch_tokens(self, x):\n        x = x + 1\n        return x");
  const std::string test =
      "from lib.d import Dispatcher\n\n\ndef test_labels():\n    dispatch_tokens = 1\n"
      "    assert {'dispatch_tokens': dispatch_tokens}\n";
  const std::string text =
      explain_of({{"lib/d.py", before}, {"tests/test_d.py", test}}, {{"lib/d.py", after}, {"tests/test_d.py", test}});
  EXPECT_FALSE(says(text, "it is named in")) << text;
}

TEST(Reaching, AScriptThatATestLoadsByItsPathIsCalled) {
  const std::string script = "def rotate_schedule(names):\n    first = names[0]\n    return names[1:] + [first]\n";
  const std::string test = R"(import importlib.util

PATH = "ci/rotate.py"


def loaded():
    spec = importlib.util.spec_from_file_location("rotate", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_rotates():
    script = loaded()
    assert script.rotate_schedule([1, 2]) == [2, 1]
)";
  const std::string text =
      explain_of({{"ci/rotate.py", script}, {"tests/test_rotate.py", test}},
                 {{"ci/rotate.py", replace_all(script, "names[0]", "names[-1]")}, {"tests/test_rotate.py", test}});
  EXPECT_TRUE(says(text, "`rotate_schedule`: Called in the test `test_rotates`")) << text;
  EXPECT_FALSE(says(text, "none was found that surely")) << text;
}

TEST(Reaching, ConfigurationsOfTestsAreNamedWithWhatTheySet) {
  const std::string arguments = "def add(parser):\n    parser.add_argument('--size', type=int, default=1)\n";
  const std::string text =
      explain_of({{"lib/args.py", arguments}},
                 {{"lib/args.py", arguments + "    parser.add_argument('--cpu-shm', action='store_true')\n"},
                  {"tests/functional_tests/case/model_config.yaml", "MODEL_ARGS:\n  --size: 2\n  --cpu-shm: true\n"}});
  EXPECT_TRUE(
      says(text, "the configuration `tests/functional_tests/case/model_config.yaml` (new: with `--cpu-shm: true`"))
      << text;
}

// A decorator's wrapper stands between a test and what it makes: the test runs it all the same.
TEST(Reaching, ATestEntersWhatADecoratorWraps) {
  const std::string guard = R"(import functools


def refuse(*names):
    def decorator(func):
        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            if set(names) & set(kwargs):
                raise TypeError(names)
            return func(*args, **kwargs)

        return wrapper

    return decorator
)";
  const std::string body = R"(from lib.guard import refuse


class Context:
    @refuse("size")
    def __init__(self, count):
        self.count = count


class Other:
    @refuse("size")
    def __init__(self, count):
        self.count = count


def both():
    return Context(1), Other(2)
)";
  const std::string test =
      "from lib.context import Context\n\n\ndef test_context():\n    assert Context(3).count == 3\n";
  const auto text_of = [&](const std::string& cls) {
    const std::size_t at = body.find("self.count = count", body.find("class " + cls));
    std::string after = body;
    after.replace(at, 18, "self.count = count + 0");
    return explain_of({{"lib/guard.py", guard}, {"lib/context.py", body}, {"tests/test_context.py", test}},
                      {{"lib/guard.py", guard}, {"lib/context.py", after}, {"tests/test_context.py", test}});
  };
  EXPECT_TRUE(says(text_of("Context"), "`Context.__init__`: Called in the test `test_context`")) << text_of("Context");
  EXPECT_FALSE(says(text_of("Other"), "Called in the test")) << text_of("Other");
}

TEST(Reaching, WhatSuperEntersNeedNotBeWhatTheObjectHasByTheName) {
  const std::string before = R"(class Base:
    def f(self):
        return 1


class Mixin(Base):
    def f(self):
        return 2


class C(Base):
    def f(self):
        return super().f()


class D(C, Mixin):
    pass
)";
  const auto text_with = [&](const std::string& made) {
    const std::string test = "from lib.c import C, D\n\n\ndef test_d():\n    d = " + made + "()\n    assert d.f()\n";
    return explain_of(
        {{"lib/c.py", before}, {"tests/test_c.py", test}},
        {{"lib/c.py", replace_all(before, "        return 2\n", "        print(self)\n        return 2\n")},
         {"tests/test_c.py", test}});
  };
  EXPECT_FALSE(says(text_with("D"), "NOT TESTED")) << text_with("D");
  EXPECT_TRUE(says(text_with("D"), "`test_d`")) << text_with("D");
}

TEST(Reaching, WhatAMethodReadsOffAStandInThatATestGivesItAsSelfIsNoCode) {
  const std::string before = R"(class Saver:
    def wait(self):
        return 1


class Trainer:
    def __init__(self):
        self.saver = Saver()

    def step(self, count):
        self.saver.wait()
        return count


def main():
    trainer = Trainer()
    trainer.step(1)
)";
  const auto text_with = [&](const std::string& body) {
    const std::string test =
        "from types import SimpleNamespace\nfrom typing import cast\nfrom unittest.mock import MagicMock\n\n"
        "from lib.trainer import Saver, Trainer\n\n\ndef test_step():\n" +
        body;
    return explain_of(
        {{"lib/trainer.py", before}, {"tests/test_trainer.py", test}},
        {{"lib/trainer.py", replace_all(before, "        return 1\n", "        print(self)\n        return 2\n")},
         {"tests/test_trainer.py", test}});
  };
  for (const std::string& body :
       {std::string("    trainer = cast(Trainer, SimpleNamespace(saver=SimpleNamespace(wait=MagicMock())))\n"
                    "    Trainer.step(trainer, 1)\n"),
        std::string("    trainer = MagicMock()\n    Trainer.step(trainer, 1)\n"),
        std::string("    Trainer.step(SimpleNamespace(saver=MagicMock()), count=1)\n"),
        std::string("    saver = MagicMock(spec=Saver)\n    saver.wait.return_value = 1\n"
                    "    trainer = SimpleNamespace(saver=saver)\n    Trainer.step(trainer, 1)\n")}) {
    const std::string text = text_with(body);
    EXPECT_FALSE(says(text, "`Saver.wait`: Calls lead to it")) << text;
  }
  for (const std::string& body :
       {std::string("    trainer = SimpleNamespace(saver=Saver())\n    Trainer.step(trainer, 1)\n"),
        std::string("    trainer = MagicMock()\n    trainer.saver = Saver()\n    Trainer.step(trainer, 1)\n"),
        std::string(
            "    trainer = object.__new__(Trainer)\n    trainer.saver = Saver()\n    Trainer.step(trainer, 1)\n"),
        std::string("    trainer = SimpleNamespace(saver=SimpleNamespace(wait=Saver().wait))\n"
                    "    Trainer.step(trainer, 1)\n"),
        std::string("    trainer = SimpleNamespace(saver=SimpleNamespace(inner=MagicMock(wraps=Saver())))\n"
                    "    Trainer.step(trainer, 1)\n"),
        std::string("    trainer = MagicMock()\n    trainer.saver.inner = Saver()\n    Trainer.step(trainer, 1)\n"),
        std::string("    saver = SimpleNamespace()\n    trainer = SimpleNamespace(saver=saver)\n"
                    "    saver.inner = Saver()\n    Trainer.step(trainer, 1)\n"),
        std::string("    Trainer.step(MagicMock(), 1)\n    trainer = Trainer()\n    trainer.step(1)\n")}) {
    const std::string text = text_with(body);
    EXPECT_TRUE(says(text, "`Saver.wait`: Calls lead to it from the test `test_step`")) << body << text;
  }
}

TEST(Reaching, ACallOfSuperUnderAConditionIsNoSureWay) {
  const auto text_with = [](const std::string& guard) {
    const std::string before =
        "class Base:\n    def make(self):\n        return 1\n\n\nclass Grouped(Base):\n"
        "    def make(self):\n" +
        guard + "\n\ndef size():\n    return 1\n";
    const std::string test =
        "from lib.layers import Grouped\n\n\ndef test_grouped():\n    layer = Grouped()\n"
        "    assert layer.make()\n";
    return explain_of(
        {{"lib/layers.py", before}, {"tests/test_layers.py", test}},
        {{"lib/layers.py", replace_all(before, "        return 1\n\n", "        print(self)\n        return 1\n\n")},
         {"tests/test_layers.py", test}});
  };
  const std::string guarded =
      text_with("        if size() > 1:\n            return super().make()\n        return 2\n");
  EXPECT_FALSE(says(guarded, "`Base.make`: Calls lead to it")) << guarded;
  EXPECT_TRUE(says(guarded, "`Base.make`: T") && says(guarded, "none was found that surely does")) << guarded;
  for (const std::string& guard :
       {std::string("        return super().make()\n"),
        std::string("        if size() > 1:\n            raise ValueError('size')\n        return super().make()\n")}) {
    const std::string text = text_with(guard);
    EXPECT_TRUE(says(text, "`Base.make`: Calls lead to it from the test `test_grouped`")) << text;
  }
}

TEST(Reaching, ADecoratedMethodThatTheObjectsClassHasIsEnteredThroughItsBase) {
  const std::string before = R"(import functools


def traced(fn):
    @functools.wraps(fn)
    def inner(*args, **kwargs):
        return fn(*args, **kwargs)

    return inner


class Base:
    def save(self):
        self._save()

    def wait(self):
        self._wait()

    def _save(self):
        raise NotImplementedError

    def _wait(self):
        raise NotImplementedError


class Manager(Base):
    @traced
    def _save(self):
        self.wait()

    def _wait(self):
        return 1


class Other(Base):
    @traced
    def _save(self):
        self.wait()

    def _wait(self):
        return 3
)";
  const auto text_with = [&](const std::string& cls) {
    const std::string test = "from lib.manager import Manager, Other\n\n\ndef test_saves():\n    manager = " + cls +
                             "()\n    manager.save()\n";
    return explain_of(
        {{"lib/manager.py", before}, {"tests/test_manager.py", test}},
        {{"lib/manager.py", replace_all(before, "        return 1\n", "        print(self)\n        return 1\n")},
         {"tests/test_manager.py", test}});
  };
  const std::string text = text_with("Manager");
  EXPECT_TRUE(says(text, "`Manager._wait`: The nearest test by the call graph, `test_saves`")) << text;
  EXPECT_FALSE(says(text_with("Other"), "`Manager._wait`: The nearest test")) << text_with("Other");
}

TEST(Reaching, AConstructorIsNamedByItsClass) {
  const auto text_of = [](const std::string& test) {
    const std::string was = "class RemoteManager:\n    def __init__(self, config):\n        self.config = config\n";
    return explain_of(
        {{"lib/manager.py", was}, {"tests/test_manager.py", test}},
        {{"lib/manager.py", replace_all(was, "= config\n", "= config.copy()\n")}, {"tests/test_manager.py", test}});
  };
  const std::string made = text_of(
      "from lib.manager import RemoteManager\nimport other\n\n\ndef test_it():\n    "
      "other.make(RemoteManager.Config())\n");
  EXPECT_TRUE(says(made, "No test was found that surely leads to it; its class is named in the test `test_it`"))
      << made;
  const std::string typed = text_of(
      "from lib.manager import RemoteManager\nimport other\n\n\ndef test_it(x: RemoteManager):\n    other.make(x)\n");
  EXPECT_TRUE(says(typed, "NOT TESTED")) << typed;
}

/// Tests that lead to a function and name nothing of what its changed lines need.
TEST(Reaching, WhatTheFilesOfTheTestsDoNotNameTheyDoNotSwitchOn) {
  const std::string config =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass RouterConfig:\n    size: int = 1\n"
      "    overlap: bool = False\n    fp32_sum: bool = False\n";
  const std::string now = R"(def route(config, logits, in_order=False):
    logits = logits + 1
    if config.overlap and config.fp32_sum:
        logits = logits - 1
    logits = logits * 2
    return logits
)";
  const std::string near = test_with(", overlap=True");
  const auto explain = [&](const std::string& body, const std::string& test) {
    const std::string other =
        "from lib.config import RouterConfig\n\n\ndef test_other():\n    assert "
        "RouterConfig(fp32_sum=True)\n";
    const Files same = {{"lib/config.py", config}, {"tests/test_router.py", test}, {"tests/test_other.py", other}};
    Files before = same, after = same;
    before["lib/router.py"] =
        "def route(config, logits, in_order=False):\n    logits = logits + 1\n    logits = logits * "
        "2\n    return logits\n";
    after["lib/router.py"] = body;
    return explain_of(before, after);
  };
  const std::string kSentence =
      "What changes in it runs only with `fp32_sum`, which the code of these tests was not found "
      "to set.";
  EXPECT_TRUE(says(explain(now, near), kSentence)) << explain(now, near);
  // Given what is the default anyway, it is not set.
  EXPECT_TRUE(says(explain(now, test_with(", overlap=True, fp32_sum=False")), kSentence));
  EXPECT_FALSE(says(explain(now, test_with(", overlap=True, fp32_sum=True")), "which the code of these tests"));
  // Something runs without it.
  std::string open = now;
  open.replace(open.find("logits * 2"), 10, "logits * 3");
  EXPECT_FALSE(says(explain(open, near), "which the code of these tests")) << explain(open, near);
  std::string parameter = now;
  parameter.replace(parameter.find("config.overlap and config.fp32_sum"), 34, "in_order");
  EXPECT_TRUE(says(explain(parameter, near), "What changes in it runs only with `in_order`"))
      << explain(parameter, near);
}

/// A helper of tests that calls what it is given: each test enters the worker that it names.
TEST(Reaching, AWorkerThatATestHandsToAHelperIsEntered) {
  const Files before = {{"muon.py", "def scale(x):\n    return x\n\n\ndef shift(x):\n    return x\n"},
                        {"tests/helpers.py",
                         "import pytest\n\n\ndef run_on_all_ranks(fn, size, *args):\n    if size > 8:\n"
                         "        pytest.skip(\"too few\")\n    fn(0, size, *args)\n"},
                        {"tests/test_muon.py",
                         "from muon import scale, shift\nfrom tests.helpers import run_on_all_ranks\n\n\n"
                         "def _worker_scale(rank, size):\n    assert scale(rank) == 0\n\n\n"
                         "def _worker_shift(rank, size):\n    assert shift(rank) == 0\n\n\n"
                         "def test_scale():\n    run_on_all_ranks(_worker_scale, 2)\n\n\n"
                         "def test_shift():\n    run_on_all_ranks(_worker_shift, 2)\n"}};
  const std::string text = explain_of(
      before, with_edit(before, "muon.py", "def scale(x):\n    return x\n", "def scale(x):\n    return x * 2\n"));
  EXPECT_TRUE(says(text, "`scale`: Calls lead to it from the test `test_scale`") ||
              says(text, "`test_scale` (`tests/test_muon.py:13`)"))
      << text;
  EXPECT_FALSE(says(text, "`test_shift`")) << text;
  EXPECT_FALSE(says(text, "none was found that surely does")) << text;
}

/// A text with dots means what its path leads to: another module's function, or a module of that name.
TEST(Reaching, ATextWithDotsNamesWhatItsPathLeadsTo) {
  const auto with = [&](const std::string& text) {
    const Files before = {
        {"srv/__init__.py", ""},
        {"srv/old/__init__.py", ""},
        {"srv/old/completions.py", "def send_it(x):\n    return x\n\n\ndef answer(x):\n    return x\n"},
        {"srv/fresh.py", "def completions(request):\n    return request + 1\n"},
        {"tests/test_srv.py", "from lib import look_up\n\n\ndef test_it(client):\n    made = look_up(\"" + text +
                                  "\")\n    assert made(client)\n"}};
    return explain_of(before, with_edit(before, "srv/fresh.py", "request + 1", "request + 2"));
  };
  for (const char* other : {"srv.old.completions.send_it", "/completions"})
    EXPECT_FALSE(says(with(other), "it is named in")) << with(other);
  for (const char* own : {"srv.fresh.completions", "completions"})
    EXPECT_TRUE(says(with(own), "it is named in the test `test_it`")) << with(own);
}

/// Of two tests from which calls lead there, the one that switches the changed branch on is told.
TEST(Reaching, ATestThatCannotSwitchTheChangeOnIsNotToldWhereAnotherDoes) {
  const std::string core =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    bias: bool = False\n\n\nclass Router:\n"
      "    def __init__(self, config):\n        self.config = config\n        self.has_bias = self.config.bias\n\n"
      "    def route(self, x):\n        if self.has_bias:\n            x = x + 1\n        return x\n";
  const std::string head = "from core import Config, Router\n\n\n";
  const std::string plain = head + "def test_a():\n    Router(Config()).route(1)\n";
  const std::string set = head + "def test_b():\n    Router(Config(bias=True)).route(1)\n";
  const auto text_of = [&](const Files& tests) {
    Files files = tests;
    files["core.py"] = core;
    return explain_of(files, with_edit(files, "core.py", "x + 1", "x + 2"));
  };
  const std::string both = text_of({{"tests/test_a.py", plain}, {"tests/test_b.py", set}});
  EXPECT_TRUE(says(both, "- `Router.route`: Called in the test `test_b`")) << both;
}

/// The same of tests in one file, of what a class of tests sets up, and of a new function that stands under a setting.
TEST(Reaching, WhatOtherTestsOfAFileSetIsNotSetForATest) {
  const std::string core =
      "from dataclasses import dataclass\n\nimport torch\n\n\n@dataclass\nclass Config:\n    bias: bool = False\n"
      "    forced: bool = False\n\n\ndef draw(x):\n    return x + 1\n\n\nclass Router:\n"
      "    def __init__(self, config):\n        self.config = config\n        self.has_bias = self.config.bias\n\n"
      "    def route(self, x):\n        if self.config.forced:\n            x = draw(x)\n        x = x * 2\n        "
      "return x\n";
  const std::string now =
      replace_all(replace_all(core, "return x + 1", "return x + 2"), "        x = x * 2\n        return x\n",
                  "        x = x * 2\n        self.add_bias(x)\n        return x\n\n"
                  "    def add_bias(self, x):\n        if self.has_bias and torch.is_grad_enabled():\n"
                  "            self.total += x\n            self.count += 1\n            self.last = x\n");
  const std::string tests =
      "import torch\n\nfrom core import Config, Router\n\n\nclass TestPlain:\n    def setup_method(self, method):\n"
      "        self.router = Router(Config())\n\n    def test_a(self):\n        self.router.route(1)\n\n"
      "    def test_forced(self):\n        self.router.config.forced = True\n        self.router.route(2)\n\n\n"
      "class TestBias:\n    def setup_method(self, method):\n        self.router = Router(Config(bias=True))\n\n"
      "    def test_biased(self):\n        self.router.route(1)\n\n    def test_b_no_grad(self):\n"
      "        with torch.no_grad():\n            self.router.route(1)\n";
  Files before = {{"core.py", core}, {"tests/test_core.py", tests}}, after = before;
  after["core.py"] = now;
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "- `draw`: Calls lead to it from the test `test_forced`")) << text;
  EXPECT_TRUE(says(text, "- `Router.add_bias`: Calls lead to it from the test `test_biased`")) << text;
  // Who sets nothing runs none of it.
  Files plain_before = {{"core.py", core}, {"tests/test_core.py", tests.substr(0, tests.find("class TestBias"))}};
  Files plain = plain_before;
  plain["core.py"] = now;
  const std::string none = explain_of(plain_before, plain);
  EXPECT_TRUE(says(none, "`bias`")) << none;
  EXPECT_FALSE(
      says(none, "`Router.add_bias`: Calls lead to it from the test `test_forced` (`tests/test_core.py:13`).\n"))
      << none;
}

/// An attribute that only a parameter of the constructor fills, which is off where nobody gives it.
TEST(Reaching, AnAttributeThatAnOffParameterFillsIsSetByWhoGivesThat) {
  const std::string before =
      "class Handler:\n    def __init__(self, size, most=None):\n        self.size = size\n        self.most = most\n\n"
      "    def push(self, x):\n        self.size += 1\n        return x\n";
  const std::string after = replace_all(
      before, "        return x\n", "        if self.most is not None:\n            self.drain(x)\n        return x\n");
  const auto with = [&](const std::string& made) {
    const Files test = {{"tests/test_handler.py",
                         "from handler import Handler\n\n\ndef test_it():\n    Handler(" + made + ").push(1)\n"}};
    Files old_files = test, new_files = test;
    old_files["handler.py"] = before;
    new_files["handler.py"] = after;
    return explain_of(old_files, new_files);
  };
  EXPECT_TRUE(says(with("1"), "What changes in it runs only with `most`")) << with("1");
  EXPECT_TRUE(says(with("1, most=None"), "What changes in it runs only with `most`")) << with("1, most=None");
  EXPECT_FALSE(says(with("1, most=2"), "runs only with")) << with("1, most=2");
}

/// A parameter that every call leaves at its default: what changes for other values runs in none.
TEST(Reaching, WhatChangesForValuesThatNoCallGivesRunsNowhere) {
  const std::string before =
      "from torch import inf\n\n\ndef norm(grads, kind=2):\n    kind = float(kind)\n    if kind == inf:\n"
      "        total = max(grads)\n    elif kind == 2.0:\n        total = two(grads)\n    else:\n"
      "        total = power(grads, kind)\n    return total\n";
  const std::string after = replace_all(replace_all(before, "max(grads)", "max(grads, default=0)"),
                                        "power(grads, kind)", "power(grads, kind, 0)");
  const auto with = [&](const std::string& call) {
    const Files other = {{"use.py", "from lib import norm\n\n\ndef clip(grads):\n    return " + call + "\n"}};
    Files old_files = other, new_files = other;
    old_files["lib.py"] = before;
    new_files["lib.py"] = after;
    return explain_of(old_files, new_files);
  };
  EXPECT_TRUE(says(with("norm(grads)"),
                   "`kind` of `norm` is left at its default `2` by the one call of the repository, "
                   "tests included: what changes where `kind` equals `inf`"))
      << with("norm(grads)");
  EXPECT_TRUE(says(with("norm(grads, 2.0)"), "is left at its default")) << with("norm(grads, 2.0)");
  for (const char* call : {"norm(grads, 3)", "norm(grads, kind=clip.kind)", "norm(*grads)"})
    EXPECT_FALSE(says(with(call), "is left at its default")) << with(call);
}

/// A test that calls a function need not run the branch in which all of the change stands.
TEST(Reaching, OfChangesInBranchesItIsNotSaidThatATestTakesThem) {
  const auto text_of = [](const std::string& was, const std::string& is) {
    const auto side = [](const std::string& body) {
      return Files{{"a.py", "def load(x, parallel=False):\n    y = x\n" + body + "    return y\n"},
                   {"tests/test_a.py", "from a import load\n\n\ndef test_load():\n    assert load(1) == 1\n"}};
    };
    return explain_of(side(was), side(is));
  };
  const std::string in_branch =
      text_of("    if parallel:\n        y = x + 1\n", "    if parallel:\n        y = x + 2\n");
  EXPECT_TRUE(says(in_branch,
                   "What changes in it they do not run: what they give, or leave at its default, rules out "
                   "`parallel`."))
      << in_branch;
  EXPECT_FALSE(says(in_branch, "Whether the branches")) << in_branch;
  const std::string open =
      text_of("    if y > limit():\n        y = x + 1\n", "    if y > limit():\n        y = x + 2\n");
  EXPECT_TRUE(says(open, "Whether the branches that change are taken was not followed.")) << open;
  EXPECT_FALSE(says(text_of("    y = x + 1\n", "    y = x + 2\n"), "Whether the branches"));
}

/// Of a new branch for one more value those tests count that may give it.
TEST(Reaching, TestsWhoseArgumentsCloseAllThatChangesAreLeftOut) {
  const auto text_of = [](const std::string& more, const std::string& tests) {
    const auto side = [&](const std::string& branch) {
      return Files{{"lib/score.py", "def score(x, kind):\n    y = x\n    if kind == 'softmax':\n        y = x + 1\n" +
                                        branch + "    return y\n"},
                   {"tests/test_score.py", "import pytest\nfrom lib.score import score\n\n\n" + tests}};
    };
    return explain_of(side(""), side(more));
  };
  const std::string branch = "    elif kind == 'sigmoid':\n        y = x * 2\n";
  const std::string softmax = "def test_softmax():\n    assert score(1, 'softmax') == 2\n\n\n";
  const std::string sigmoid = "def test_sigmoid():\n    assert score(1, 'sigmoid') == 2\n";
  const std::string both = text_of(branch, softmax + sigmoid);
  EXPECT_TRUE(says(both, "`score`: Called in the test `test_sigmoid`")) << both;
  EXPECT_FALSE(says(both, "`score`: Called in the test `test_softmax`") || says(both, "at least the tests")) << both;
  const std::string none = text_of(branch, softmax);
  EXPECT_TRUE(says(none, "rules out `kind == 'sigmoid'`.")) << none;
  // By what the runner gives, one of the values is enough.
  const std::string some = text_of(branch,
                                   "@pytest.mark.parametrize('kind', ['softmax', 'sigmoid'])\n"
                                   "def test_kinds(kind):\n    assert score(1, kind)\n");
  EXPECT_TRUE(says(some, "`score`: Called in the test `test_kinds`")) << some;
  EXPECT_FALSE(says(some, "rules out")) << some;
  // What stands in no branch runs in any case.
  const std::string open = text_of(branch + "    print(kind)\n", softmax);
  EXPECT_FALSE(says(open, "rules out")) << open;
}

/// A method that a decorator wraps is called where a test calls it on an object that it made.
TEST(Reaching, ADecoratedMethodOfAKnownObjectIsCalled) {
  const auto side = [](const std::string& value) {
    return Files{
        {"a.py",
         "import functools\n\n\ndef traced(fn):\n    @functools.wraps(fn)\n    def wrapper(*args, **kwargs):\n        "
         "print(fn)\n"
         "        return fn(*args, **kwargs)\n\n    return wrapper\n\n\nclass Manager:\n    @traced\n    def "
         "load(self, step):\n"
         "        return step + " +
             value + "\n\n    @traced\n    def save(self, step):\n        return step\n"},
        {"tests/test_a.py",
         "from a import Manager\n\n\ndef test_load():\n    manager = Manager()\n    assert manager.load(1) == 2\n\n\n"
         "def test_save():\n    manager = Manager()\n    assert manager.save(1) == 1\n"}};
  };
  const std::string text = explain_of(side("1"), side("2"));
  EXPECT_TRUE(says(text, "- `Manager.load`: Called in the test `test_load` (`tests/test_a.py:4`).")) << text;
}

/// The test that the change brings says more than one that happens to be nearer.
TEST(Reaching, TheNearestTestIsOneOfTheChangeWhereItBringsOne) {
  const auto chain = [](const std::string& name, int calls, const std::string& last) {
    std::string out;
    for (int i = 0; i < calls; ++i) {
      out += "def " + name + std::to_string(i) + "(x):\n    return " +
             (i + 1 < calls ? name + std::to_string(i + 1) : last) + "(x)\n\n\n";
    }
    return out;
  };
  const std::string lib = "def pool(x):\n    return x\n\n\n" + chain("near", 4, "pool") + chain("far", 6, "pool");
  const std::string old_test = "import lib\n\n\ndef test_old():\n    lib.near0(1)\n";
  const Files before = {{"lib.py", lib}, {"tests/test_a.py", old_test}};
  Files after = with_edit(before, "lib.py", "return x\n", "return x + 1\n");
  const std::string none = explain_of(before, after);
  EXPECT_TRUE(says(none, "The nearest test by the call graph, `test_old` (`tests/test_a.py:4`), is 5 calls away"))
      << none;
  after["tests/test_a.py"] = old_test + "\n\ndef test_new():\n    lib.far0(1)\n";
  const std::string own = explain_of(before, after);
  EXPECT_TRUE(says(own, "The nearest test of the change, `test_new` (new here, `tests/test_a.py:8`), is 7 calls away"))
      << own;
}

// A setting that was there before closes all that changes unless somebody sets it: a test, or nobody sees it run.
TEST(Reaching, ASwitchThatWasThereAndThatNoTestSetsIsAGap) {
  const auto text_with = [](const std::string& given, const std::string& more = {}) {
    const std::string train =
        "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    fast_path: bool = False\n\n\n"
        "def step(x, config):\n    if config.fast_path:\n        x = x + 1\n    return x\n\n\n"
        "def main():\n    step(1, Config())\n\n\nif __name__ == \"__main__\":\n    main()\n";
    const std::string test =
        "from train import Config, step\n\n\ndef test_step():\n    assert step(1, Config(" + given + ")) == 1\n";
    Files before = {{"train.py", train}, {"tests/test_train.py", test}};
    if (!more.empty()) before["tests/run.sh"] = more;
    return explain_of(before, with_edit(before, "train.py", "x + 1", "x + 2"));
  };
  const std::string gap =
      "Which test sets `fast_path`? NOT TESTED: what changes in `step` does not run with its default, and no test "
      "names it";
  const std::string unset = text_with("");
  EXPECT_TRUE(says(unset, gap)) << unset;
  EXPECT_FALSE(says(text_with("fast_path=True"), "Which test sets"));
  EXPECT_FALSE(says(text_with("", "python train.py --fast-path\n"), "Which test sets"));
}

}  // namespace
}  // namespace lockstep::render
