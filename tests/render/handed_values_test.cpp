// Functions as values on the way to a change: who hands one over decides who gets there.
#include <gtest/gtest.h>

#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

/// `run` calls back what it is given: `outer` gives it something unknown, `block` its own function.
Files with_block(const std::string& block) {
  return {{"train.py", "from lib import outer\n\nif __name__ == \"__main__\":\n    outer(1)\n"},
          {"deep.py", "from middle import go\n\nif __name__ == \"__main__\":\n    go(2)\n"},
          {"middle.py",
           "from lib import block\n\n\ndef go(x):\n    return further(x)\n\n\ndef further(x):\n"
           "    return block(x)\n"},
          {"lib.py", R"(def outer(x):
    return run(x.mlp)


def run(function):
    return function(1)


)" + block + R"(

def change(x):
    return x
)"}};
}

std::string way_to_change(const Files& before) {
  return explain_of(before, with_edit(before, "lib.py", "    return x\n", "    return x + 1\n"));
}

TEST(HandedValues, AFunctionInsideAnotherIsEnteredBelowIt) {
  const std::string text = way_to_change(with_block(R"(def block(x):
    def custom():
        return change(x)

    return run(custom)
)"));
  EXPECT_TRUE(says(text, "`deep.py` →")) << text;
  EXPECT_FALSE(says(text, "`train.py` →")) << text;
}

TEST(HandedValues, AlsoWhereAHelperInsideHandsItOn) {
  const std::string text = way_to_change(with_block(R"(def block(x):
    def custom():
        return change(x)

    def handler():
        return run(custom)

    return handler()
)"));
  EXPECT_TRUE(says(text, "`deep.py` →")) << text;
  EXPECT_FALSE(says(text, "`train.py` →")) << text;
}

TEST(HandedValues, WhatIsKeptMayBeEnteredFromAnywhere) {
  const std::string text = way_to_change(with_block(R"(class Kept:
    function = None


def block(x):
    def custom():
        return change(x)

    Kept.function = custom
    return run(custom)
)"));
  EXPECT_TRUE(says(text, "`train.py` →")) << text;
}

TEST(HandedValues, WhatALibraryIsGivenItMayKeep) {
  const auto text_with = [](const std::string& call) {
    return way_to_change(with_block("def block(x):\n    def custom():\n        return change(x)\n\n    " + call +
                                    "\n    return run(custom)\n"));
  };
  EXPECT_FALSE(says(text_with("print(custom)"), "`train.py` →")) << text_with("print(custom)");
  EXPECT_TRUE(says(text_with("x.add_done_callback(custom)"), "`train.py` →"))
      << text_with("x.add_done_callback(custom)");
}

/// A bound method that one function hands on runs below that function alone.
TEST(HandedValues, AMethodThatIsHandedOnIsEnteredBelowWhoHandsItOn) {
  const Files before = {{"train.py", R"(from lib import plain, planned


def main(args):
    plain(args.loss)
    if args.planned:
        planned(args)


if __name__ == "__main__":
    main(parse())
)"},
                        {"lib.py", R"(class Node:
    def __init__(self, function):
        self.function = function

    def forward(self, x):
        return x


def calc(loss):
    return loss(1)


def plain(loss):
    return calc(loss)


def planned(args):
    node = Node(args)
    loss = node.forward
    return calc(loss)
)"}};
  const std::string text = explain_of(before, with_edit(before, "lib.py", "        return x\n", "        return -x\n"));
  EXPECT_TRUE(says(text, "`planned` (`lib.py:17`)")) << text;
  EXPECT_FALSE(says(text, "`plain` (`lib.py:13`)")) << text;
}

/// What the caller is known to give is what is called.
TEST(HandedValues, AKnownArgumentIsWhatIsEntered) {
  const Files before = {{"train.py", R"(from lib import Layer, block


def main(args):
    block(args)
    if args.deep:
        further(Layer(), args)


def further(layer, args):
    layer.run_deep(args)


if __name__ == "__main__":
    main(parse())
)"},
                        {"lib.py", R"(class Layer:
    def run_deep(self, x):
        return run(self.mlp, x)

    def mlp(self, x):
        return x


def run(function, x):
    return function(x)


def block(x):
    def custom(y):
        return y

    return run(custom, x)
)"}};
  const std::string text = explain_of(before, with_edit(before, "lib.py", "        return x\n", "        return -x\n"));
  EXPECT_TRUE(says(text, "`Layer.run_deep` (`lib.py:2`) → `run` (`lib.py:9`) → `Layer.mlp` (`lib.py:5`)")) << text;
  EXPECT_FALSE(says(text, "`block` (`lib.py:13`) → `run`")) << text;
}

/// A test that is called with what it is to call, by two others: the search for tests ends.
TEST(HandedValues, ATestThatIsGivenWhatItRunsLeadsThere) {
  const Files before = {{"lib.py", "def scale(x):\n    return x\n"}, {"tests/test_lib.py", R"(from lib import scale


def test_impl(function):
    assert function(1)


def other(x):
    return x


def test_scale():
    test_impl(scale)


def test_other():
    test_impl(other)
)"}};
  const std::string text = explain_of(before, with_edit(before, "lib.py", "    return x\n", "    return x + 1\n"));
  EXPECT_TRUE(says(text, "By the call graph only tests lead to `scale`")) << text;
}

/// A base class whose objects a run walks through, and a method that only a test is known to call on one class.
Files with_children(const std::string& more) {
  return {
      {"lib.py", "class Mixer:\n    def sharded_state(self, prefix):\n        return {prefix: 1}\n" + more},
      {"tests/test_lib.py", "from lib import Mixer\n\n\ndef test_mixer():\n    assert Mixer().sharded_state(\"a\")\n"}};
}

TEST(HandedValues, ACallByNameOutsideTestsLeavesOpenWhoLeadsThere) {
  const Files before = with_children(
      "\n\ndef save(model):\n    for name, child in model.named_children():\n"
      "        child.sharded_state(name)\n");
  const std::string text = explain_of(before, with_edit(before, "lib.py", "prefix: 1", "prefix: 2"));
  EXPECT_FALSE(says(text, "only tests lead to")) << text;
  EXPECT_TRUE(says(text, "No script is found that leads to `Mixer.sharded_state`; a test does: ")) << text;
  EXPECT_TRUE(says(text, "Calls of `sharded_state` on values of unknown class may enter it: `lib.py:8`.")) << text;
  // One whose arguments do not fit it enters another.
  const Files other = with_children(
      "\n\ndef save(model):\n    for name, child in model.named_children():\n"
      "        child.sharded_state(name, 1, 2)\n");
  const std::string only = explain_of(other, with_edit(other, "lib.py", "prefix: 1", "prefix: 2"));
  EXPECT_TRUE(says(only, "By the call graph only tests lead to `Mixer.sharded_state`")) << only;
}

TEST(HandedValues, AFunctionThatRegisteredCodeCallsIsNotForTestsAlone) {
  const auto with_route = [](const std::string& decorator) {
    return Files{{"lib.py", "from server import app\n\n\ndef stream(x):\n    return x\n\n\n" + decorator +
                                "def completions(x):\n    return stream(x)\n"},
                 {"tests/test_lib.py", "from lib import stream\n\n\ndef test_stream():\n    assert stream(1)\n"}};
  };
  const Files served = with_route("@app.kept(\"/v1\")\n");
  const std::string text = explain_of(served, with_edit(served, "lib.py", "    return x\n", "    return x + 1\n"));
  EXPECT_FALSE(says(text, "only tests lead to")) << text;
  // What nothing calls in turn starts nothing.
  const Files idle = with_route("");
  const std::string none = explain_of(idle, with_edit(idle, "lib.py", "    return x\n", "    return x + 1\n"));
  EXPECT_FALSE(says(none, "No script is found that leads to `stream`; a test does")) << none;
}

/// What the code of a module calls runs with the first import of it.
TEST(HandedValues, WhatAModuleCallsItselfIsNotForTestsAlone) {
  const Files before = {{"lib.py", "def keys():\n    return [1]\n\n\nKEYS = tuple(keys())\n"},
                        {"tests/test_lib.py", "from lib import keys\n\n\ndef test_keys():\n    assert keys()\n"}};
  const std::string text = explain_of(before, with_edit(before, "lib.py", "[1]", "[1, 2]"));
  EXPECT_TRUE(says(text,
                   "`keys` is called as the module of `lib.py:5` is imported; else by the call graph only tests lead "
                   "to it: "))
      << text;
}

/// `**kwargs` that is handed over whole in a `return` is what it was for the code behind.
TEST(HandedValues, WhatACallLeavesOutStaysOutBehindAReturn) {
  const Files before = {{"train.py", R"(from lib import Model


def main(args):
    Model(args)(args.tokens)


if __name__ == "__main__":
    main(parse())
)"},
                        {"serve.py", R"(from lib import Model


def main(args):
    serve(Model(args), args)


def serve(model, args):
    answer(model, args)


def answer(model, args):
    model(args.tokens, context=args.context)


if __name__ == "__main__":
    main(parse())
)"},
                        {"lib.py", R"(class Base:
    def __call__(self, *args, **kwargs):
        if self.manager:
            return self.manager(self, args, kwargs)
        return self.forward(*args, **kwargs)


class Model(Base):
    def __init__(self, args):
        self.manager = args.manager

    def forward(self, tokens, context=None):
        if context is not None:
            tokens = tokens + 1
        return tokens
)"}};
  const std::string text =
      explain_of(before, with_edit(before, "lib.py", "tokens = tokens + 1\n", "tokens = tokens + 2\n"));
  EXPECT_TRUE(says(text, "`serve.py` → `main` (`serve.py:4`)")) << text;
  EXPECT_FALSE(says(text, "`train.py` →")) << text;
}

/// Scripts of two models share their code: a way goes through the model that its script is about.
void expect_ways_by_subject(const std::string& model_name, const std::string& word) {
  const std::string plain = "pretrain_" + word + ".py";
  const auto script = [](const std::string& model) {
    return "from trainer import run\nfrom models import " + model + "\n\nif __name__ == \"__main__\":\n    run(" +
           model + "(None))\n";
  };
  const Files before = {{plain, script(model_name)},
                        {"pretrain_hybrid.py", script("HybridModel")},
                        {"trainer.py", "def run(model):\n    model.forward(1)\n"},
                        {"README.md", "Run " + plain + ", " + plain + " and " + plain + " again.\n"},
                        {"models.py", "class " + model_name + R"(:
    def __init__(self, layer):
        self.layer = layer or Layer()

    def forward(self, x):
        return self.layer.forward(x)


class HybridModel:
    def __init__(self, layer):
        self.stack = HybridStack()

    def forward(self, x):
        return self.stack.forward(x)


class HybridStack:
    def forward(self, x):
        return Layer().forward(x)


class Layer:
    def forward(self, x):
        return x
)"}};
  const std::string stack = explain_of(before, with_edit(before, "models.py", "        return Layer().forward(x)\n",
                                                         "        return Layer().forward(x + 1)\n"));
  EXPECT_TRUE(says(stack, "`pretrain_hybrid.py` →")) << stack;
  const std::string layer =
      explain_of(before, with_edit(before, "models.py", "        return x\n", "        return x + 1\n"));
  EXPECT_TRUE(says(layer, "`" + plain + "` →")) << layer;
}

TEST(EntrySubjects, AWayKeepsToWhatItsScriptIsAbout) {
  expect_ways_by_subject("GPTModel", "gpt");
  expect_ways_by_subject("T5Model", "t5");
}

/// The class that a configuration names by a dotted text is made where that is imported.
TEST(EntrySubjects, ABuilderThatIsNamedByATextIsOnTheWay) {
  const Files before = {{"train.py", R"(from trainer import run
from gpt import Config

if __name__ == "__main__":
    run(Config())
)"},
                        {"trainer.py", R"(import importlib


def run(config):
    path, name = config.builder.rsplit(".", 1)
    builder = getattr(importlib.import_module(path), name)(config)
    builder.build()
)"},
                        {"gpt.py", R"(class Config:
    builder = "gpt.Builder"


class Builder:
    def __init__(self, config):
        self.config = config

    def build(self):
        return 1
)"}};
  const std::string text = explain_of(before, with_edit(before, "gpt.py", "        return 1\n", "        return 2\n"));
  EXPECT_TRUE(says(text, "`train.py` → `run` (`trainer.py:4`) → `Builder.build` (`gpt.py:9`)")) << text;
}

}  // namespace
}  // namespace lockstep::render
