// What a change gives another form rather than another meaning, and what new forms mean: renamed fields, functions that
// move out of others, hooks with overrides, functions that mostly give back what they get, models that ask for more.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

TEST(NewForms, AFieldUnderAnotherNameIsNoNewSetting) {
  const auto config = [](const std::string& first, const std::string& second) {
    return "from dataclasses import dataclass\n\n\n@dataclass\nclass StateConfig:\n    " + first + ": tuple\n    " +
           second + ": tuple\n";
  };
  const auto reader = [](const std::string& first, const std::string& second) {
    return "from config import StateConfig\n\n\ndef allocate(config: StateConfig):\n    return (config." + first +
           ", config." + second + ")\n";
  };
  const std::string text =
      explain_of({{"config.py", config("mamba_conv_shape", "mamba_ssm_shape")},
                  {"a.py", reader("mamba_conv_shape", "mamba_ssm_shape")}},
                 {{"config.py", config("conv_shape", "ssm_shape")}, {"a.py", reader("conv_shape", "ssm_shape")}});
  EXPECT_TRUE(says(text,
                   "`StateConfig` renames its fields `mamba_conv_shape` to `conv_shape` and `mamba_ssm_shape` to "
                   "`ssm_shape`."))
      << text;
  EXPECT_FALSE(says(text, "New setting")) << text;
  EXPECT_TRUE(says(text, "(now `conv_shape`)")) << text;
  // Another type is another field.
  const std::string other = explain_of(
      {{"config.py", config("mamba_conv_shape", "size")}, {"a.py", reader("mamba_conv_shape", "size")}},
      {{"config.py", replace_all(config("kernel_width", "size"), "kernel_width: tuple", "kernel_width: int")},
       {"a.py", reader("kernel_width", "size")}});
  EXPECT_FALSE(says(other, "renames its field")) << other;
  // Two of one type, each with a word of its own for another: staleness is no epoch.
  const std::string meaning = explain_of({{"config.py", config("cache_staleness", "policy_staleness")},
                                          {"a.py", reader("cache_staleness", "policy_staleness")}},
                                         {{"config.py", config("cache_entry_epoch", "policy_epoch")},
                                          {"a.py", reader("cache_entry_epoch", "policy_epoch")}});
  EXPECT_FALSE(says(meaning, "renames its field")) << meaning;
  const std::string long_names = explain_of(
      {{"config.py", config("kv_cache_staleness", "policy_staleness")},
       {"a.py", reader("kv_cache_staleness", "policy_staleness")}},
      {{"config.py", config("kv_cache_epoch", "policy_epoch")}, {"a.py", reader("kv_cache_epoch", "policy_epoch")}});
  EXPECT_FALSE(says(long_names, "renames its field")) << long_names;
}

TEST(NewForms, AFunctionThatLeavesAnotherOneMoved) {
  const std::string inner =
      "def fake_mode_of(graph):\n    found = None\n    for node in graph.nodes:\n        value = node.meta.get('val')\n"
      "        if value is None or not hasattr(value, 'fake_mode'):\n            continue\n"
      "        if found is not None and found is not value.fake_mode:\n            raise ValueError('two modes')\n"
      "        found = value.fake_mode\n    return found\n";
  const auto compile = [](const std::string& inside) {
    return "def compile_graph(graph):\n" + inside + "    mode = fake_mode_of(graph)\n    return graph.compile(mode)\n";
  };
  std::string nested;
  for (const std::string_view line : split(inner, '\n'))
    nested += line.empty() ? "" : "    " + std::string(line) + "\n";
  const std::string text = explain_of({{"a.py", compile(nested)}}, {{"a.py", inner + "\n\n" + compile("")}});
  EXPECT_TRUE(says(text, "moved out of `compile_graph`")) << text;
  EXPECT_FALSE(says(text, "`fake_mode_of` (new")) << text;
}

TEST(NewForms, AHookThatAnHeirOverridesIsToldWithWhoRunsWhich) {
  const auto layers = [](const std::string& base, const std::string& heir, const std::string& call) {
    return "class Attention:\n    def forward(self, x):\n        return self." + call +
           "(x)\n\n    def core(self, x):\n"
           "        return x\n" +
           base + "\n\nclass Latent(Attention):\n    def scale(self, x):\n        return x\n" + heir;
  };
  const auto method = [](const std::string& body) {
    return "\n    def run_core(self, x):\n        return " + body + "\n";
  };
  const std::string text =
      explain_of({{"a.py", layers("", "", "core")}},
                 {{"a.py", layers(method("self.core(x)"), method("self.core(x)[:-1]"), "run_core")}});
  EXPECT_TRUE(says(text,
                   "New hook `run_core`: `Attention.forward` calls `self.run_core` now where it called `self.core`. "
                   "Objects of `Latent` (`a.py:16`) run their own, others `Attention.run_core` (`a.py:8`)."))
      << text;
  // A method that nobody overrides is one more method.
  const std::string alone =
      explain_of({{"a.py", layers("", "", "core")}}, {{"a.py", layers(method("self.core(x)"), "", "run_core")}});
  EXPECT_FALSE(says(alone, "New hook")) << alone;
}

TEST(NewForms, WhatGivesBackWhatItGetsSaysWhenItDoesNot) {
  const std::string before = "def run(value, wide):\n    return value\n";
  const auto helper = [](const std::string& more) {
    return "def pad(value, wide):\n    \"\"\"Pad the value.\"\"\"\n    if wide:\n        value = value.pad(1)\n" +
           more + "    return value\n\n\ndef run(value, wide):\n    return pad(value, wide)\n";
  };
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", helper("")}});
  EXPECT_TRUE(says(text, "“Pad the value.” It returns `value` as it was given unless `wide` is set.")) << text;
  const std::string more = explain_of({{"a.py", before}}, {{"a.py", helper("    value = value.scale()\n")}});
  EXPECT_FALSE(says(more, "as it was given")) << more;
}

TEST(NewForms, AModelOfPydanticRefusesDataWithoutItsNewField) {
  const auto model = [](const std::string& field) {
    return "from pydantic import BaseModel\n\n\nclass Rollout(BaseModel):\n    reward: float\n" + field;
  };
  const auto make = [](const std::string& given) {
    return "from rollouts import Rollout\n\n\ndef make(x):\n    return Rollout(reward=x" + given + ")\n";
  };
  const std::string field = "    staleness: list[int]\n";
  const std::string text = explain_of({{"rollouts.py", model("")}, {"a.py", make("")}},
                                      {{"rollouts.py", model(field)}, {"a.py", make(", staleness=[]")}});
  EXPECT_TRUE(says(text,
                   "The pydantic model `Rollout` takes the new `staleness` without a default: to make one without, "
                   "or to read one from data that lacks it, fails validation."))
      << text;
  const std::string fits = explain_of({{"rollouts.py", model("")}, {"a.py", make("")}},
                                      {{"rollouts.py", model("    staleness: list[int] = []\n")}, {"a.py", make("")}});
  EXPECT_FALSE(says(fits, "fails validation")) << fits;
}

}  // namespace
}  // namespace lockstep::render
