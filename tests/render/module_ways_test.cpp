// Ways through modules: what a base does in `__call__` for some of its heirs alone, and wrappers put over a method.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

/// A model and its layer, both below a base that may replay a graph; `asked` is what the model says of itself.
Files modules(const std::string& asked) {
  return {
      {"graphs.py",
       "import torch\n\n\nclass Manager:\n    def __call__(self, module, x):\n        return replay(module, x)\n\n\n"
       "def replay(module, x):\n    x = x + 1\n    return x\n\n\n"
       "class Graphed(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
       "        self.manager = Manager()\n\n    def is_graphed(self, context=None):\n"
       "        return hasattr(self, 'manager')\n\n    def __call__(self, x, inference_context=None):\n"
       "        if self.is_graphed(inference_context):\n            return self.manager(self, x)\n"
       "        return super().__call__(x)\n"},
      {"model.py",
       "from graphs import Graphed\n\n\nclass Layer(Graphed):\n    def forward(self, x):\n        return x\n\n\n"
       "class Model(Graphed):\n    def __init__(self):\n        super().__init__()\n        self.layer = Layer()\n\n"
       "    def is_graphed(self, inference_context=None):\n        return " +
           asked +
           "\n\n"
           "    def __call__(self, x, inference_context=None):\n        return super().__call__(x, "
           "inference_context)\n\n"
           "    def forward(self, x):\n        return self.layer(x)\n"},
      {"pretrain_model.py",
       "from model import Model\n\n\ndef train_step(model, x):\n    return model(x)\n\n\ndef main():\n"
       "    model = Model()\n    for x in range(3):\n        train_step(model, x)\n\n\nif __name__ == '__main__':\n"
       "    main()\n"}};
}

std::string way(const Files& before) {
  const std::string text = explain_of(before, with_edit(before, "graphs.py", "x = x + 1", "x = x + 2"));
  const std::size_t at = text.find("## 2.");
  return text.substr(at, text.find("## 3.", at) - at);
}

TEST(ModuleWays, ATrainingRunTakesNoBranchThatItsClassKeepsForInference) {
  const std::string text = way(modules("inference_context is not None"));
  EXPECT_TRUE(says(text, "`Model.forward`")) << text;
  EXPECT_FALSE(says(text, "`Model.__call__` (`model.py:19`) \u2192 `Graphed.__call__`")) << text;
}

TEST(ModuleWays, OneThatItTakesAnywayItDoes) {
  const std::string text = way(modules("self.layer is not None"));
  EXPECT_TRUE(says(text, "`Model.__call__`")) << text;
  EXPECT_FALSE(says(text, "`Model.forward`")) << text;
}

/// What an attribute was before a wrapper takes its place is not the wrapper.
TEST(ModuleWays, WhatIsWrappedDoesNotEnterItsWrapper) {
  const std::string code =
      "class Manager:\n    def __init__(self, base, name):\n        func = getattr(base, name)\n\n"
      "        def wrapped(x):\n            return self.run(x)\n\n        setattr(base, name, wrapped)\n"
      "        self.func = func\n\n    def run(self, x):\n        return self.func(x)\n\n    def warm_up(self, x):\n"
      "        return self.func(x)\n";
  const std::string script =
      "from manager import Manager\n\n\nclass Engine:\n    def step(self, x):\n        return x\n\n\ndef "
      "warm(manager):\n"
      "    manager.warm_up(1)\n\n\ndef main():\n    engine = Engine()\n    manager = Manager(engine, 'step')\n"
      "    warm(manager)\n    engine.step(2)\n\n\nif __name__ == '__main__':\n    main()\n";
  const Files before = {{"manager.py", code}, {"run.py", script}};
  const std::string text = explain_of(before, with_edit(before, "manager.py", "return self.func(x)\n\n    def warm",
                                                        "return self.func(x + 1)\n\n    def warm"));
  EXPECT_FALSE(says(text, "`Manager.warm_up`")) << text;
}

}  // namespace
}  // namespace lockstep::render
