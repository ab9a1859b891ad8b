// What of a change is in use: what nothing calls yet or any more does not lead, and is said to be so; code that only
// moved is told as moved.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const char* const kTrain = R"(def train(x):
    total = 0
    for item in x:
        total += item
    return total


if __name__ == "__main__":
    train([1])
)";

const char* const kTrainChecked = R"(def train(x):
    total = 0
    for item in x:
        if item > 3:
            total += 2 * item
        else:
            total += item
    return total


if __name__ == "__main__":
    train([1])
)";

const char* const kHelper = R"(class VisionHelper:
    """Captures the graphs of the vision encoder."""

    def __init__(self, model):
        self.model = model
        self.graphs = []

    def capture(self):
        for layer in self.model.layers:
            if layer.is_graphable:
                self.graphs.append(layer)
        return shape_of(self.graphs)


def shape_of(graphs):
    return [len(graph) for graph in graphs]
)";

TEST(Use, WhatNothingUsesYetIsSaidToBeSoAndDoesNotLead) {
  const Files after = {{"train.py", kTrainChecked},
                       {"helper.py", kHelper},
                       {"tests/test_helper.py",
                        "from helper import VisionHelper\n\n\ndef test_it():\n    VisionHelper(None).capture()\n"}};
  const std::string text = explain_of({{"train.py", kTrain}}, after, "Add a vision helper");
  EXPECT_TRUE(says(text,
                   "No Python code outside tests, other than their own, uses the new `VisionHelper` and "
                   "`shape_of` yet."))
      << text;
  EXPECT_TRUE(says(text, "yet.\n- `train` (changed")) << text;
}

TEST(Use, WhatNothingUsesYetIsOnNoStep) {
  const std::string encoder =
      "import torch\n\n\nclass Encoder(torch.nn.Module):\n    def forward(self, x):\n        return x.sum().item()\n";
  const Files before = {{"train.py", kTrain}};
  Files after = {{"train.py", kTrainChecked}, {"encoder.py", encoder}};
  const std::string unused = explain_of(before, after);
  EXPECT_TRUE(says(unused, "uses the new `Encoder` yet")) << unused;
  EXPECT_FALSE(says(unused, "training step path")) << unused;
  EXPECT_FALSE(says(unused, "in functions of the training step")) << unused;
  after["pretrain.py"] = "from encoder import Encoder\n\nEncoder()\n";
  const std::string used = explain_of(before, after);
  EXPECT_TRUE(says(used, "New waits of the host in functions of the training step")) << used;
}

TEST(Use, WhatIsUsedIsNot) {
  Files after = {{"train.py", std::string("from helper import VisionHelper\n\n\n") + kTrainChecked +
                                  "    VisionHelper(None).capture()\n"},
                 {"helper.py", kHelper}};
  EXPECT_FALSE(says(explain_of({{"train.py", kTrain}}, after), "outside tests"))
      << explain_of({{"train.py", kTrain}}, after);
  // A table names it, too.
  after = {{"train.py", std::string(kTrainChecked)},
           {"helper.py", kHelper},
           {"table.py", "TABLE = {\"vision\": \"helper.VisionHelper\"}\n"}};
  EXPECT_FALSE(says(explain_of({{"train.py", kTrain}}, after), "outside tests"));
}

TEST(Use, LastCallThatGoes) {
  const Files before = {{"data.py", R"(class Loader:
    def __init__(self, items):
        self.items = items

    def lengths(self, items):
        sizes = []
        for item in items:
            sizes.append(len(item))
        return sizes

    def batch(self):
        return self.lengths(self.items)


if __name__ == "__main__":
    Loader([]).batch()
)"}};
  const Files after = {{"data.py", R"(class Loader:
    def __init__(self, items):
        self.items = items

    def lengths(self, items):
        sizes = []
        for item in items:
            if item:
                sizes.append(len(item))
            else:
                sizes.append(0)
        return sizes[:-1]

    def batch(self):
        return [len(item) for item in self.items if item]


if __name__ == "__main__":
    Loader([]).batch()
)"}};
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text,
                   "The change takes out the last call of `Loader.lengths`: no Python code outside tests uses it "
                   "any more."))
      << text;
  // Behind what the change does.
  EXPECT_LT(text.find("- `Loader.batch` (changed"), text.find("takes out the last call of")) << text;
}

TEST(Use, CodeThatMovedToAMethodOfItsOwn) {
  const std::string body = R"(        self.chunks = []
        self.layers = []
        for chunk in model:
            self.chunks.append(chunk.name)
            for layer in chunk.layers:
                if layer.is_graphable:
                    self.layers.append(layer)
)";
  const std::string start = R"(class Helper:
    def __init__(self, model):
        self.model = model
)";
  const std::string end = R"(

if __name__ == "__main__":
    Helper([])
)";
  const Files before = {{"helper.py", start + body + end}};
  const Files after = {{"helper.py", start + "        self._discover(model)\n\n    def _discover(self, model):\n" +
                                         body +
                                         "\n\nclass Vision(Helper):\n    def _discover(self, model):\n"
                                         "        self.layers = list(model)\n" +
                                         "\n\nif __name__ == \"__main__\":\n    Helper([])\n    Vision([])\n"}};
  const std::string text = explain_of(before, after, "Let vision discover by itself");
  EXPECT_TRUE(says(text, "which has its 7 steps as they were in `Helper.__init__`; `Vision` overrides it")) << text;
  EXPECT_FALSE(says(text, "no longer sets")) << text;
}

const char* const kTwoCallers = R"(class Layer:
    def forward(self, x, packed=None):
        x = self.norm(x)
%1        out = self.mlp(x)
%2        return out


class Expert(Layer):
    def forward(self, x, packed=None):
%1        if self.fast:
            out = self.quick(x)
        else:
            out = self.slow(x)
%2        return out


if __name__ == "__main__":
    Layer().forward(1)
    Expert().forward(1)
)";

std::string filled(std::string text, const std::string& first, const std::string& second) {
  for (const auto& [mark, with] : {std::pair<std::string, std::string>{"%1", first}, {"%2", second}}) {
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark)) text.replace(at, 2, with);
  }
  return text;
}

TEST(Use, NewFunctionThatAllChangedOnesCallLeads) {
  const std::string helper = R"(def unflatten(x, packed):
    """Restore the batch dimension.

    When masking flattens the batch, the router sees one sample and computes its loss over the whole sequence
    instead of per sample.
    """
    if packed is None:
        return x
    rows = x.shape[0] // packed
    if rows <= 1:
        return x
    return x.view(rows, packed).transpose(0, 1)


)";
  const std::string text = explain_of(
      {{"layer.py", filled(kTwoCallers, "", "")}},
      {{"layer.py", helper + filled(kTwoCallers, "        x = unflatten(x, packed)\n", "        out = out + 1\n")}},
      "Fix the loss with packed samples");
  EXPECT_TRUE(says(text, "### What\n\n- `unflatten` (new")) << text;
  // The whole docstring is read for reasons.
  EXPECT_TRUE(says(text, "instead of per sample.")) << text;
}

TEST(Use, ResultThatIsKeptInsteadOfReturnedIsNoNews) {
  const auto with = [](const std::string& keep, const std::string& rest) {
    return "def f(x, n):\n    if x > n:\n        " + keep +
           " run_with_checkpoint(x, n, True, None)\n    else:\n        " + keep + " run_plainly(x, n)\n" + rest +
           "\n\ndef run_with_checkpoint(x, y, z, w):\n    return x + y\n\n\ndef run_plainly(x, y):\n    return x\n\n\n"
           "if __name__ == \"__main__\":\n    f(1, 2)\n";
  };
  const std::string text =
      explain_of({{"a.py", with("return", "")}}, {{"a.py", with("out =", "    return 2 * out\n")}});
  EXPECT_FALSE(says(text, "in place of `return run")) << text;
  EXPECT_TRUE(says(text, "returns `2 * out`")) << text;
}

TEST(Use, ConditionWithANameOfItsOwnIsTheSameCondition) {
  const Files before = {{"a.py", R"(def step(metrics, loss, n):
    if metrics.should_log(n):
        print(loss)
    return loss


if __name__ == "__main__":
    step(None, 1, 2)
)"}};
  const Files after = {{"a.py", R"(def step(metrics, loss, n):
    should_log = metrics.should_log(n)
    loss = loss * 2
    if should_log:
        print(loss)
    return loss


if __name__ == "__main__":
    step(None, 1, 2)
)"}};
  const std::string text = explain_of(before, after);
  EXPECT_FALSE(says(text, "takes the branch when")) << text;
  EXPECT_FALSE(says(text, "`if should_log:`")) << text;
}

TEST(Use, ElifIsToldWithWhatItGoesOnFrom) {
  const Files before = {{"a.py", "def f(x, y):\n    return x\n\n\nif __name__ == \"__main__\":\n    f(1, 2)\n"}};
  const Files after = {{"a.py", R"(def f(x, y):
    for item in x:
        if item.is_known:
            y.append(item)
        elif item.is_needed:
            raise ValueError("unknown item that is needed")
    return x


if __name__ == "__main__":
    f(1, 2)
)"}};
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "otherwise, when `item.is_needed`")) << text;
}

TEST(Use, DocumentationOfNewSettingsIsReadForReasons) {
  const Files before = {{"config.py",
                         "from dataclasses import dataclass\n\n\n@dataclass\nclass SaveConfig:\n"
                         "    path: str = \"\"\n"}};
  const Files after = {{"config.py",
                        "from dataclasses import dataclass\n\n\n@dataclass\nclass SaveConfig:\n"
                        "    path: str = \"\"\n\n    use_shared_memory: bool = False\n"
                        "    \"\"\"Copy tensors to shared memory before handing them off.\n"
                        "    Avoids handles of the device in the worker where they are exhausted.\"\"\"\n"}};
  const std::string text = explain_of(before, after, "Add an option");
  EXPECT_TRUE(says(text, "the documentation of `SaveConfig.use_shared_memory`")) << text;
  EXPECT_TRUE(says(text, "Avoids handles of the device in the worker where they are exhausted.")) << text;
}

TEST(Use, ShortenedMessageKeepsHowBehaviourDiffers) {
  std::string body = "The check was repeated at six sites.\n\n";
  for (int i = 0; i < 8; ++i) {
    body += "Paragraph " + std::to_string(i) +
            " tells at some length of how the hooks are named and where each of them "
            "is called from, which a reader of the code sees for himself when he reads the code that is below.\n\n";
  }
  body +=
      "They are renamed. This does change one behavior: previously the hook still ran when disabled. It no longer "
      "does. The rest is as it was.\n";
  const std::string text = explain_of({{"train.py", kTrain}}, {{"train.py", kTrainChecked}}, "Move the guard", body);
  EXPECT_TRUE(says(text, "previously the hook still ran when disabled. It no longer does.")) << text;
  EXPECT_TRUE(says(text, "(shortened)")) << text;
}

TEST(Use, HugeChangeIsTold) {
  std::string text;
  for (int i = 0; i < 120; ++i) {
    const std::string name = "part_" + std::to_string(i);
    text += "def " + name + "(x):\n    x.total = x.total + " + std::to_string(i) + "\n    return x.total\n\n\n";
  }
  EXPECT_TRUE(says(explain_of({{"train.py", kTrain}}, {{"train.py", text + kTrainChecked}}), "`part_0`"));
}

TEST(Use, WhatAnExceptClauseOfAModuleNamesIsUsed) {
  const auto text_with = [](const std::string& named) {
    return explain_of({{"train.py", kTrain}},
                      {{"train.py", kTrainChecked},
                       {"errors.py",
                        "class StartError(Exception):\n    code = 1\n\n\nclass Other(Exception):\n"
                        "    code = 2\n"},
                       {"start.py", "import errors\nimport train\n\ntry:\n    train.train([1])\nexcept " + named +
                                        ":\n    raise\n"}});
  };
  EXPECT_TRUE(says(text_with("errors.Other"), "uses the new `StartError` yet.")) << text_with("errors.Other");
  EXPECT_FALSE(says(text_with("errors.StartError"), "`StartError` yet.")) << text_with("errors.StartError");
  EXPECT_TRUE(says(text_with("errors.StartError"), "uses the new `Other` yet.")) << text_with("errors.StartError");
}

TEST(Use, ADecoratorOfTheRepositoryTellsWhetherItHandsOn) {
  const auto text_with = [](const std::string& decorator, const std::string& use = "@marked") {
    const std::string lib = "import functools\n\nALL = {}\n\n\n" + decorator;
    return explain_of({{"train.py", kTrain}, {"lib.py", lib}},
                      {{"train.py", kTrainChecked},
                       {"lib.py", lib},
                       {"helper.py", "from lib import marked\n\n\n" + use +
                                         "\ndef shape_of(graphs):\n    return [len(graph) for graph in graphs]\n"}});
  };
  const std::string told = "uses the new `shape_of` yet.";
  const std::string marks = "def marked(fn):\n    fn.is_marked = True\n    return fn\n";
  EXPECT_TRUE(says(text_with(marks), told)) << text_with(marks);
  const std::string lambda = "def marked(fn):\n    return lambda x: fn(x)\n";
  EXPECT_TRUE(says(text_with(lambda), told)) << text_with(lambda);
  const std::string wraps =
      "def name_of(fn):\n    return fn.__name__\n\n\ndef marked(label=None):\n    def decorator(fn):\n"
      "        text = label or name_of(fn)\n\n        @functools.wraps(fn)\n        def wrapper(*args, **kwargs):\n"
      "            print(text)\n            return fn(*args, **kwargs)\n\n        return wrapper\n\n"
      "    return decorator\n";
  EXPECT_TRUE(says(text_with(wraps, "@marked('shape')"), told)) << text_with(wraps, "@marked('shape')");
  for (const std::string& keeps :
       {std::string("def marked(fn):\n    ALL[fn.__name__] = fn\n    return fn\n"),
        std::string("def keep(fn):\n    ALL['x'] = fn\n\n\ndef marked(fn):\n    keep(fn)\n    return fn\n"),
        std::string("def marked(fn):\n    other = fn\n    return other\n"),
        std::string("def marked(fn):\n    def wrapper(x):\n        return fn(x)\n\n    ALL['x'] = wrapper\n"
                    "    return wrapper\n"),
        std::string("def marked(fn):\n    ALL['x'] = lambda x: fn(x)\n    return fn\n"),
        std::string("def keep(fn):\n    ALL['x'] = fn\n    return fn\n\n\ndef marked(fn):\n    @keep\n"
                    "    def wrapper(x):\n        return fn(x)\n\n    return wrapper\n")})
    EXPECT_FALSE(says(text_with(keeps), told)) << text_with(keeps);
  const std::string called =
      replace_all(wraps, "        return wrapper\n", "        ALL[text] = fn\n        return wrapper\n");
  EXPECT_FALSE(says(text_with(called, "@marked('shape')"), told)) << text_with(called, "@marked('shape')");
}

TEST(Use, WhatAWorkedOutNameMayLoadIsNotSaidToBeUnused) {
  const auto text_with = [](const std::string& load) {
    const std::string tool = "import importlib\nimport sys\n\n# import_module(name) loads them.\n" + load + "\n";
    return explain_of(
        {{"train.py", kTrain}, {"tool.py", tool}},
        {{"train.py", kTrainChecked}, {"tool.py", tool}, {"recipes.py", "def small():\n    return [1, 2]\n"}});
  };
  const std::string told = "uses the new `small` yet.";
  EXPECT_TRUE(says(text_with("importlib.import_module('json')"), told)) << text_with("importlib.import_module('json')");
  for (const std::string load :
       {"importlib.import_module(sys.argv[1])", "importlib.import_module(f'recipes_{sys.argv[1]}')"})
    EXPECT_FALSE(says(text_with(load), told)) << text_with(load);
}

/// A call on objects of a base class enters no method of an heir that nothing makes.
TEST(Use, NoWayLeadsToMethodsOfAnHeirThatOnlyTestsMake) {
  const std::string base = R"(class Attention:
    def forward(self, x):
        return self.project(x)

    def project(self, x):
        return x


def train_step(x):
    return Attention().forward(x)


if __name__ == "__main__":
    train_step(1)
)";
  const std::string heir = R"(import torch

from attention import Attention


class Absorbed(Attention):
    def project(self, x):
        return x + 1
)";
  Files before = {{"attention.py", base},
                  {"absorbed.py", heir},
                  {"tests/test_absorbed.py",
                   "from absorbed import Absorbed\n\n\ndef test_it():\n    assert Absorbed().forward(1) == 2\n"}};
  const auto explain = [](const Files& files) {
    return explain_of(files, with_edit(files, "absorbed.py", "return x + 1", "return torch.zeros_like(x) + x"));
  };
  const std::string text = explain(before);
  EXPECT_TRUE(says(text,
                   "No way leads to `Absorbed.project`: no Python code outside tests makes an object of "
                   "`Absorbed`."))
      << text;
  EXPECT_FALSE(says(text, "in functions of the training step")) << text;
  before["spec.py"] = "from absorbed import Absorbed\n\nSPECS = {\"absorbed\": Absorbed}\n";
  EXPECT_FALSE(says(explain(before), "No way leads to")) << explain(before);
}

/// An import of a name that was used without one mends a NameError.
TEST(Use, AnImportForANameThatNothingBoundIsAMend) {
  const std::string before = "import torch\n\n\ndef scale(x):\n    return math.sqrt(x)\n";
  const std::string after = "import math\nimport torch\n\n\ndef scale(x):\n    return math.sqrt(x)\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text,
                   "`math` is imported now: `scale` used `math` (`a.py:5` before the change), and nothing bound "
                   "it, so that it raised `NameError`."))
      << text;
  // What anything in the module may have bound, or what only an annotation names, need not have failed.
  const std::string bound =
      "import torch\n\n\ndef set_up():\n    global math\n    math = torch\n\n\ndef scale(x):\n"
      "    return math.sqrt(x)\n";
  EXPECT_FALSE(says(explain_of({{"a.py", bound}}, {{"a.py", "import math\n" + bound}}), "is imported now"));
  const std::string typed = "import torch\n\n\ndef scale(x: \"math\") -> math:\n    return x\n";
  EXPECT_FALSE(says(explain_of({{"a.py", typed}}, {{"a.py", "import math\n" + typed}}), "is imported now"));
}

/// A keyword that a call gave before the function took it mends a TypeError.
TEST(Use, AKeywordThatACallGaveAlreadyIsAMend) {
  const std::string before =
      "class Layer:\n    def _run(self, x):\n        return x\n\n    def forward(self, x, mask=None):\n"
      "        if mask is not None:\n            return self._run(x, mask=mask)\n        return self._run(x)\n";
  const auto with = [&](std::string_view from, std::string_view to) {
    return with_edit({{"a.py", before}}, "a.py", from, to).at("a.py");
  };
  const std::string after =
      with("def _run(self, x):\n        return x", "def _run(self, x, mask=None):\n        return x");
  const std::string said =
      "`Layer._run` takes `mask` now. The unchanged call in `Layer.forward` (`a.py:7`) gave it before: it raised "
      "`TypeError`, where `mask` is not `None`.";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, said)) << text;
  // Whoever took any keyword took this one; a call that the change writes is no mend; a decorator may take it.
  const auto is_silent = [](const std::string& was, const std::string& is) {
    return !says(explain_of({{"a.py", was}}, {{"a.py", is}}), "raised `TypeError`");
  };
  EXPECT_TRUE(is_silent(with("def _run(self, x):", "def _run(self, x, **rest):"),
                        with("def _run(self, x):", "def _run(self, x, mask=None, **rest):")));
  EXPECT_TRUE(is_silent(with("self._run(x, mask=mask)", "self._run(x)"), after));
  const std::string decorated = "from lib import wrap\n\n\n";
  const auto wrapped = [&](const std::string& source) {
    return with_edit({{"a.py", decorated + source}}, "a.py", "    def _run", "    @wrap\n    def _run").at("a.py");
  };
  EXPECT_TRUE(is_silent(wrapped(before), wrapped(after)));
}

}  // namespace
}  // namespace lockstep::render
