// Unchanged code that is largely a changed function's, and unchanged classes and packages that new code does not fit.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

/// A function that wraps a model, with a statement of its own between.
std::string wrapper(const std::string& name, const std::string& own) {
  return "def " + name + R"((model, mesh, policy, plan):
    replicated = mesh.get_submesh("replicate")
    sharded = mesh.get_submesh("shard")
    for layer in model.layers:
        sharded.distribute_layer(layer, policy)
    model.norm = replicated.distribute_layer(model.norm, policy)
    model.output = sharded.distribute_layer(model.output, policy)
    if plan.uses_checkpointing:
        policy.checkpoint_layers(model.layers)
    if plan.uses_compilation:
        policy.compile_layers(model.layers)
)" + own +
         R"(    model.is_distributed = True
    return model


)";
}

const std::string kFresh = "    policy.register_gradient_hooks(model, sharded)\n";

TEST(NearCopies, ACopyThatGetsNothingOfWhatIsNewIsAskedAbout) {
  const Files before{{"llama.py", wrapper("wrap_llama", "")}, {"qwen.py", wrapper("wrap_qwen", "")}};
  Files after = before;
  after["llama.py"] = wrapper("wrap_llama", kFresh);
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text,
                   "`wrap_qwen` (`qwen.py:1`, 10 of 10 statements) is largely the code that `wrap_llama` was, and has "
                   "none of what is new in it. Should it get that, too?"))
      << text;
  // Both get it.
  after["qwen.py"] = wrapper("wrap_qwen", kFresh);
  const std::string both = explain_of(before, after);
  EXPECT_FALSE(says(both, "largely the code")) << both;
  // What is new stands between statements that the copy does not have.
  const std::string apart = replace_all(wrapper("wrap_qwen", ""), "policy.compile_layers", "plan.compile_layers");
  const std::string elsewhere = explain_of({{"llama.py", before.at("llama.py")}, {"qwen.py", apart}},
                                           {{"llama.py", after.at("llama.py")}, {"qwen.py", apart}});
  EXPECT_FALSE(says(elsewhere, "largely the code")) << elsewhere;
  // A function of other statements.
  const Files other{{"llama.py", wrapper("wrap_llama", "")},
                    {"qwen.py", replace_all(wrapper("wrap_qwen", ""), "policy", "plan.policy")}};
  const std::string unlike =
      explain_of(other, with_edit(other, "llama.py", "    model.is_dist", kFresh + "    model.is_dist"));
  EXPECT_FALSE(says(unlike, "largely the code")) << unlike;
}

TEST(NearCopies, WhatACopyHadAlreadyIsTold) {
  const Files before{{"llama.py", wrapper("wrap_llama", "")}, {"qwen.py", wrapper("wrap_qwen", kFresh)}};
  Files after = before;
  after["llama.py"] = wrapper("wrap_llama", kFresh);
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(
      says(text,
           "What is new in it stood already in `wrap_qwen` (`qwen.py:1`, 10 of 11 statements), which is largely "
           "the code that it was."))
      << text;
  EXPECT_FALSE(says(text, "Should it get that, too?")) << text;
}

const std::string kFamily = R"(class Optimizer:
    def step(self):
        self.prepare()
        return True

    def prepare(self):
        pass


class Sharded(Optimizer):
    def __init__(self, groups):
        self.sharding_group = groups.sharding


class Plain(Optimizer):
    def __init__(self, groups):
        self.groups = groups
)";

TEST(HeirsWithout, AnAttributeThatOneHeirNeverSetsIsAskedAbout) {
  const std::string read =
      replace_all(kFamily, "self.prepare()\n", "self.prepare()\n        reduce(self.sharding_group)\n");
  const std::string text = explain_of({{"a.py", kFamily}}, {{"a.py", read}});
  EXPECT_TRUE(says(text,
                   "`Optimizer.step` reads `self.sharding_group` now (`a.py:4`), which `Sharded` has; nothing that was "
                   "found sets it for `Plain` (`a.py:16`). Does it come there?"))
      << text;
  // Where the object itself is asked first.
  const std::string asked =
      replace_all(kFamily, "self.prepare()\n",
                  "self.prepare()\n        if self.is_sharded:\n            reduce(self.sharding_group)\n");
  const std::string guarded = explain_of({{"a.py", kFamily}}, {{"a.py", asked}});
  EXPECT_FALSE(says(guarded, "Does it come there?")) << guarded;
  // Where a base is not seen.
  const std::string outside = replace_all(read, "class Plain(Optimizer)", "class Plain(Optimizer, Mixin)");
  const std::string unseen = explain_of({{"a.py", kFamily}}, {{"a.py", outside}});
  EXPECT_FALSE(says(unseen, "Does it come there?")) << unseen;
  // Where other code sets it.
  const std::string set = read + "\n\ndef wrap(optimizer, group):\n    optimizer.sharding_group = group\n";
  const std::string handed = explain_of({{"a.py", kFamily}}, {{"a.py", set}});
  EXPECT_FALSE(says(handed, "Does it come there?")) << handed;
}

TEST(HeirsWithout, APartOfTheConfigurationThatHasNoSuchFieldIsAskedAbout) {
  const std::string common = R"(from dataclasses import dataclass


@dataclass
class Attention:
    heads: int = 1


@dataclass
class Grouped(Attention):
    kv_heads: int = 1


class Decoder:
    def update(self, degree):
        return self.layers
)";
  const auto model = [](const std::string& cls, const std::string& attention) {
    return "from common import Attention, Decoder, Grouped\n\n\nclass " + cls +
           "(Decoder):\n    pass\n\n\ndef make():\n    return " + cls + "(attention=" + attention + "(heads=2))\n";
  };
  const Files before{{"common.py", common},
                     {"qwen/model.py", model("Qwen", "Grouped")},
                     {"deep/model.py", model("Deep", "Attention")}};
  const std::string check =
      "        if degree > 1:\n            check(self.layers[0].attention.kv_heads)\n        return self.layers\n";
  const Files after = with_edit(before, "common.py", "        return self.layers\n", check);
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(
      says(text,
           "`Decoder.update` reads `self.layers[0].attention.kv_heads` now (`common.py:17`, if `degree` is more "
           "than `1`); `Deep` comes to it, too, and in its folder `attention` is given an object of `Attention` "
           "(`deep/model.py:9`), which has no `kv_heads`."))
      << text;
  const Files same = with_edit(after, "deep/model.py", "attention=Attention", "attention=Grouped");
  const std::string fits =
      explain_of(with_edit(before, "deep/model.py", "attention=Attention", "attention=Grouped"), same);
  EXPECT_FALSE(says(fits, "comes to it, too")) << fits;
}

TEST(NewDirections, TheFirstImportAgainstTheDirectionIsAskedAbout) {
  Files before{{"lib/__init__.py", ""}, {"lib/core/__init__.py", ""}, {"lib/train/__init__.py", ""}};
  for (int i = 0; i < 10; ++i) {
    before["lib/core/part" + std::to_string(i) + ".py"] = "def work():\n    return 1\n";
    before["lib/train/loop" + std::to_string(i) + ".py"] =
        "from lib.core.part0 import work\n\n\ndef run():\n    return work()\n";
  }
  Files after = before;
  after["lib/core/part1.py"] = "from lib.train.loop0 import run\n\n\ndef work():\n    return run()\n";
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(
      says(text,
           "`lib.core.part1` imports `lib.train.loop0` now (`lib/core/part1.py:1`), the first import of "
           "`lib.train` in `lib.core`; 10 modules of `lib.train` import `lib.core`. Is `lib.core` meant to need "
           "it?"))
      << text;
  // One that is there already.
  const auto known = [](Files files) {
    files["lib/core/part2.py"] = "def work():\n    from lib.train.loop1 import run\n\n    return run()\n";
    return files;
  };
  const std::string second = explain_of(known(before), known(after));
  EXPECT_FALSE(says(second, "the first import")) << second;
}

}  // namespace
}  // namespace lockstep::render
