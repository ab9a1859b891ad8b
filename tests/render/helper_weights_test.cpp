// Helpers and checkpoint code follow what they serve.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

/// `count` lines that do something.
std::string lines(int count, const std::string& indent) {
  std::string out;
  for (int i = 0; i < count; ++i)
    out += indent + "if x > " + std::to_string(i) + ":\n" + indent + "    x = step_" + std::to_string(i) + "(x)\n";
  return out;
}

const std::string kGridBefore =
    "class Grid:\n    def __init__(self, size):\n        self.size = size\n\n    def group(self, x):\n        return "
    "x\n";

std::string grid_after(const std::string& edits) {
  return "class Grid:\n    def __init__(self, size):\n        self.size = size\n\n    def group(self, x):\n" + edits +
         "        return self._enumerate_ranks(x)\n\n    def _enumerate_ranks(self, x):\n" + lines(36, "        ") +
         "        return x\n";
}

std::string grid_text(const std::string& edits, const std::string& title) {
  const std::string use = "from grid import Grid\n\n\ndef main():\n    Grid(1).group(2)\n\n\nmain()\n";
  return explain_of({{"grid.py", kGridBefore}, {"run.py", use}}, {{"grid.py", grid_after(edits)}, {"run.py", use}},
                    title);
}

TEST(HelperWeights, APrivateHelperFollowsThePublicFunctionThatCallsIt) {
  const std::string edits = lines(2, "        ");
  EXPECT_TRUE(contains(grid_text(edits, "Group by views"), "### What\n\n- `Grid.group` (changed"))
      << grid_text(edits, "Group by views");
  // Of which nothing changes but that call, it is told after what it calls; and after what the title names.
  EXPECT_TRUE(contains(grid_text("", "Group by views"), "### What\n\n- `Grid._enumerate_ranks` (new"))
      << grid_text("", "Group by views");
  EXPECT_TRUE(contains(grid_text(edits, "Add enumerate_ranks"), "### What\n\n- `Grid._enumerate_ranks` (new"))
      << grid_text(edits, "Add enumerate_ranks");
}

TEST(HelperWeights, WhatAModuleGivesItsClassesLeads) {
  const std::string after =
      "def _enumerate_ranks(x):\n" + lines(36, "    ") +
      "    return x\n\n\nclass Grid:\n    def __init__(self, size):\n        self.size = size\n\n" +
      "    def group(self, x):\n" + lines(2, "        ") + "        return _enumerate_ranks(x)\n";
  const std::string text = explain_of({{"grid.py", kGridBefore}}, {{"grid.py", after}}, "Group by views");
  EXPECT_TRUE(contains(text, "### What\n\n- `_enumerate_ranks` (new")) << text;
}

std::string layer(const std::string& forward, const std::string& saving) {
  return "class Layer:\n    def forward(self, x):\n" + forward +
         "        return x\n\n    def sharded_state_dict(self, x):\n" + saving + "        return x\n";
}

TEST(HelperWeights, WhatIsSavedFollowsWhatIsDone) {
  const Files before = {{"layer.py", layer("", "")}};
  const Files after = {{"layer.py", layer(lines(5, "        "), lines(8, "        "))}};
  EXPECT_TRUE(contains(explain_of(before, after, "Fuse projections"), "### What\n\n- `Layer.forward` (changed"))
      << explain_of(before, after, "Fuse projections");
  EXPECT_TRUE(
      contains(explain_of(before, after, "Fix the checkpoint"), "### What\n\n- `Layer.sharded_state_dict` (changed"))
      << explain_of(before, after, "Fix the checkpoint");
}

}  // namespace
}  // namespace lockstep::render
