// Ways through what a factory returns only under a condition.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

/// Optimizers, and a factory whose body is `choice`; both kinds of optimizers clip in `clip_grads`.
Files optimizers(const std::string& choice) {
  return {{"clip.py", "def clip_grads(params):\n    return sum(params) * 2\n"},
          {"optim.py",
           "from clip import clip_grads\n\n\nclass Config:\n    use_fsdp: bool = False\n\n\nclass Plain:\n"
           "    def step(self):\n        return clip_grads(self.params)\n\n\nclass Chained:\n"
           "    def __init__(self, parts):\n        self.parts = parts\n\n    def step(self):\n"
           "        return self.norm()\n\n    def norm(self):\n        return clip_grads(self.parts)\n\n\n"
           "def make_optimizer(config: Config):\n" +
               choice},
          {"pretrain.py",
           "from optim import Config, make_optimizer\n\n\ndef setup(config):\n    optimizer = make_optimizer(config)\n"
           "    return 1, optimizer\n\n\ndef train_step(optimizer):\n    optimizer.step()\n\n\ndef main():\n"
           "    config = Config()\n    model, optimizer = setup(config)\n    train_step(optimizer)\n\n\n"
           "if __name__ == '__main__':\n    main()\n"}};
}

std::string text_of(const Files& before) { return explain_of(before, with_edit(before, "clip.py", "* 2", "* 3")); }

const std::string kSpecial = "    if config.use_fsdp:\n        return Plain()\n";

TEST(FactoryChoices, TheWayGoesThroughWhatRunsGetThatSetNothing) {
  const std::string text = text_of(optimizers(kSpecial + "    return Chained([1])\n"));
  EXPECT_TRUE(contains(text, "`train_step` (`pretrain.py:9`) → `Chained.step`")) << text;
  EXPECT_FALSE(contains(text, "→ `Plain.step`")) << text;
}

TEST(FactoryChoices, WhatIsOnByDefaultIsNoException) {
  Files on = optimizers("    if config.use_fsdp:\n        return Plain()\n    return Chained([1])\n");
  on = with_edit(on, "optim.py", "use_fsdp: bool = False", "use_fsdp: bool = True");
  EXPECT_TRUE(contains(text_of(on), "`train_step` (`pretrain.py:9`) → `Plain.step`"));
}

/// Only `Plain` comes to the changed code.
Files only_plain(const std::string& choice) {
  return with_edit(optimizers(choice), "optim.py", "return clip_grads(self.parts)", "return len(self.parts)");
}

TEST(FactoryChoices, TheConditionsOfAnExceptionAreTold) {
  const std::string text = text_of(only_plain(kSpecial + "    return Chained([1])\n"));
  EXPECT_TRUE(contains(text,
                       "`train_step` makes that call on an object of `Plain` only where `make_optimizer` returns "
                       "`Plain()`, when `config.use_fsdp` is true (`optim.py:25`); otherwise it is one of `Chained`."))
      << text;
}

TEST(FactoryChoices, WhatOthersMayBringIsNoException) {
  const std::string told = "makes that call on an object of";
  EXPECT_FALSE(contains(text_of(only_plain(kSpecial + "    return load(config)\n")), told));
  EXPECT_FALSE(contains(text_of(only_plain("    return Plain()\n")), told));
  EXPECT_FALSE(contains(
      text_of(only_plain("    if config.use_fsdp:\n        return Chained([1])\n    return Plain()\n")), told));
}

}  // namespace
}  // namespace lockstep::render
