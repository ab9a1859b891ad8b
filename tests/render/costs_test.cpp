// What the documents say of cost: what runs in a step, what runs where the model is built, and what is new there.
#include <gtest/gtest.h>

#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

std::string explain_body(const std::string& before, const std::string& after) {
  return explain_of({{"a.py", before}}, {{"a.py", after}});
}

std::string with(std::string text, std::string_view what, std::string_view by) {
  return text.replace(text.find(what), what.size(), by);
}

TEST(Costs, WhatOnlyConstructorsOfModulesLeadToRunsWhenTheModelIsBuilt) {
  const std::string body = R"(import torch


def slice_weight(param):
    return param


class Layer(torch.nn.Module):
    def __init__(self, param):
        self.weight = slice_weight(param)

    def forward(self, x):
        return scale(x)


def scale(x):
    return x


def model_provider(param):
    return Layer(param)


def train_step(param):
    return model_provider(param)
)";
  const std::string built = explain_body(body, with(body, "return param", "return param + 1"));
  EXPECT_TRUE(says(built,
                   "A training step leads to `slice_weight` only through constructors: it runs where objects are "
                   "built."))
      << built;
  EXPECT_FALSE(says(built, "lies on the way of a training step")) << built;
  const std::string run = explain_body(body, with(body, "return x\n", "return x + 1\n"));
  EXPECT_TRUE(says(run, "`scale` lies on the way of a training step.")) << run;
}

TEST(Costs, WhatAFunctionSetsUpByItsNameAloneIsNotSaidToRunWhereObjectsAreBuilt) {
  const std::string body = R"(def scale(x):
    return x


def setup_batch(x):
    return scale(x)


def train_step(x):
    return setup_batch(x)
)";
  const std::string named = explain_body(body, with(body, "return x\n", "return x + 1\n"));
  EXPECT_TRUE(says(named,
                   "A training step leads to `scale` only through constructors and functions that, by their names, "
                   "build or set something up."))
      << named;
  EXPECT_FALSE(says(named, "objects are built")) << named;
  const std::string allocates = explain_body(
      "import torch\n\n\n" + body, "import torch\n\n\n" + with(body, "return x\n", "return torch.zeros_like(x)\n"));
  EXPECT_TRUE(says(allocates,
                   "New allocations where, by the names on the way, something is built or set up: "
                   "`torch.zeros_like(x)`"))
      << allocates;
}

TEST(Costs, ASecondAllocationOfAKindIsNewToo) {
  const std::string body = R"(import torch


def f(a, b):
    a = torch.zeros_like(a)
    return a, b
)";
  const std::string text = explain_body(body, with(body, "    return", "    b = torch.zeros_like(b)\n    return"));
  EXPECT_TRUE(says(text, "New allocations where the call graph sees no training step: `torch.zeros_like(b)`")) << text;
  const std::string moved =
      explain_body(body, with(body, "    a = torch.zeros_like(a)", "    a = torch.zeros_like(b)"));
  EXPECT_FALSE(says(moved, "New allocations")) << moved;
}

TEST(Costs, AnotherGroupIsToldWithTheOneBefore) {
  const std::string body = R"(import torch.distributed as dist


def train_step(x, pg):
    dist.all_reduce(x, group=pg.dp_cp)
    return x
)";
  const std::string text =
      explain_body(body, with(with(body, "    dist", "    group = pg.dp_cp_gtp or pg.dp_cp\n    dist"),
                              "=pg.dp_cp)\n    return", "=group)\n    return"));
  EXPECT_TRUE(says(text, "issues `all_reduce` over `pg.dp_cp_gtp or pg.dp_cp`")) << text;
  EXPECT_TRUE(says(text, "Changed: it was `all_reduce` over group over dp and cp.")) << text;
}

TEST(Costs, CommentsAloneLieOnNoWay) {
  const std::string body =
      "def train_step(x):\n    # Once.\n    x = f(x)\n    return x\n\n\ndef f(x):\n    return x\n\n\n"
      "def g(x):\n    return x\n";
  const std::string text =
      explain_body(body, with(with(body, "Once", "Twice"), "def g(x):\n    return x", "def g(x):\n    return x + 1"));
  EXPECT_FALSE(says(text, "`train_step` lies on the way")) << text;
}

TEST(Costs, AnAssertForTheTypeCheckerIsNoPitfall) {
  const std::string body = "def f(x):\n    return x.y\n";
  const auto with_assert = [&](std::string_view line) { return explain_body(body, with(body, "    return", line)); };
  EXPECT_TRUE(says(with_assert("    assert x is not None\n    return"), "`python -O`"));
  EXPECT_FALSE(says(with_assert("    # For the type checker.\n    assert x is not None\n    return"), "`python -O`"));
  EXPECT_FALSE(says(with_assert("    assert x is not None  # mypy\n    return"), "`python -O`"));
}

}  // namespace
}  // namespace lockstep::render
