// What is told of a new setting: its documentation, the argument that sets it, and what the change asks of it.
#include <gtest/gtest.h>

#include <string>

#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

/// A factory of the kind that large training programs have: one argument for each field of a dataclass.
const std::string kFactory = R"(import dataclasses
from argparse import ArgumentParser


class ArgumentGroup:
    def __init__(self, config, exclude=None):
        self.config = config
        self.exclude = set(exclude or [])

    def build(self, parser):
        for one in dataclasses.fields(self.config):
            if one.name in self.exclude:
                continue
            parser.add_argument("--" + one.name.replace("_", "-"), default=one.default)
)";

const std::string kArguments = R"(from argparse import ArgumentParser

from config import Config
from factory import ArgumentGroup


def add_arguments(parser):
    hidden = ["inner", "rate"]
    ArgumentGroup(Config, exclude=hidden).build(parser)


def validate(args):
    args.depth = max(args.depth, 1)
    return args
)";

const std::string kConfig = R"(from dataclasses import dataclass


@dataclass
class Config:
    depth: int = 1

    def __post_init__(self):
        self.width = 2 * self.depth
)";

const std::string kModel = R"(class Model:
    def forward(self, x):
        for _ in range(self.config.depth):
            x = self.layer(x)
        return x
)";

Files base() {
  return {{"factory.py", kFactory}, {"arguments.py", kArguments}, {"config.py", kConfig}, {"model.py", kModel}};
}

/// The base with two new settings, one of which no argument sets.
Files with_settings() {
  Files out = base();
  out =
      with_edit(out, "config.py", "    depth: int = 1\n",
                "    depth: int = 1\n\n    mix_states: bool = False\n"
                "    \"\"\"Mix the states of all depths.\n    Each token draws one of them. Needs two depths.\"\"\"\n\n"
                "    inner: bool = False\n    \"\"\"Keep what was drawn.\"\"\"\n");
  out = with_edit(out, "config.py", "        self.width = 2 * self.depth\n",
                  "        self.width = 2 * self.depth\n        if self.mix_states and self.depth < 2:\n"
                  "            raise ValueError(\"mix_states needs two depths\")\n");
  out = with_edit(out, "arguments.py", "    return args\n",
                  "    if args.mix_states and args.depth < 2:\n        args.mix_states = False\n    return args\n");
  return with_edit(out, "model.py", "        for _ in range(self.config.depth):\n            x = self.layer(x)\n",
                   "        mixes = self.config.mix_states and self.training\n"
                   "        for _ in range(self.config.depth):\n            x = self.layer(x)\n"
                   "            if mixes and x.ndim > 1:\n                x = x + x.roll(1)\n");
}

TEST(NewSettings, AreToldWithTheirWholeDocumentation) {
  const std::string text = explain_of(base(), with_settings());
  EXPECT_TRUE(says(text,
                   "New setting `mix_states` (argument `--mix-states`, default `False`): “Mix the states of all "
                   "depths. Each token draws one of them. Needs two depths.”"))
      << text;
}

TEST(NewSettings, AnArgumentIsMadeOfEachFieldThatIsNotLeftOut) {
  const std::string text = explain_of(base(), with_settings());
  EXPECT_TRUE(says(text, "New setting `inner` (default `False`): “Keep what was drawn.”")) << text;
  EXPECT_FALSE(says(text, "--inner")) << text;
  // What is left out cannot be told: nothing is said.
  const Files unknown = with_edit(with_settings(), "arguments.py", "hidden = [\"inner\", \"rate\"]", "hidden = load()");
  EXPECT_FALSE(says(explain_of(base(), unknown), "--mix-states"));
  const Files filled = with_edit(with_settings(), "arguments.py", "    ArgumentGroup(",
                                 "    hidden.append(parser.prog)\n    ArgumentGroup(");
  EXPECT_FALSE(says(explain_of(base(), filled), "--mix-states"));
  // What is on unless it is negated has another argument.
  const Files on = with_edit(with_settings(), "config.py", "mix_states: bool = False", "mix_states: bool = True");
  EXPECT_FALSE(says(explain_of(base(), on), "--mix-states"));
}

/// So much more code that the checks are none of what the change is about.
Files with_more_code(Files files) {
  for (const char* name : {"gather", "scatter", "mix", "drop", "fill"}) {
    files["model.py"] += std::string("\n\ndef ") + name + "(x):\n";
    for (int i = 0; i < 30; ++i) files["model.py"] += "    x = " + std::string(name) + "_row(x)\n";
    files["model.py"] += "    return x\n";
  }
  return files;
}

TEST(NewSettings, WhatTheChangeAsksOfThemIsToldWithThem) {
  const std::string text = explain_of(base(), with_more_code(with_settings()));
  EXPECT_TRUE(says(text, "What checks it: ")) << text;
  EXPECT_TRUE(says(text,
                   "in `Config.__post_init__`: when `self.mix_states` is set and `self.depth` is less than `2`, "
                   "raises `ValueError` (`\"mix_states needs two depths\"`)"))
      << text;
  EXPECT_TRUE(says(text,
                   "in `validate`: when `args.mix_states` is set and `args.depth` is less than `2`, sets "
                   "`args.mix_states` to `False`"))
      << text;
  // What does more than to refuse or to warn is no check.
  const Files works = with_edit(with_settings(), "arguments.py", "        args.mix_states = False\n",
                                "        args.mix_states = resolve(args)\n");
  EXPECT_FALSE(says(explain_of(base(), with_more_code(works)), "in `validate`: when"));
}

TEST(NewSettings, ALocalThatHoldsTheSettingIsItsCondition) {
  const std::string text = explain_of(base(), with_settings());
  EXPECT_TRUE(says(text,
                   "In the condition: `self.config.mix_states` is set and `self.training` is true (does not hold "
                   "by default)."))
      << text;
  // A local with another value somewhere decides nothing.
  const Files twice = with_edit(with_settings(), "model.py", "        for _ in",
                                "        if x.is_cuda:\n            mixes = True\n        for _ in");
  EXPECT_FALSE(says(explain_of(base(), twice), "`self.training` is true (does not")) << explain_of(base(), twice);
}

}  // namespace
}  // namespace lockstep::render
