// Concepts that the documents explain beside the code: only where the code has them, and what holds for it.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

std::string dive_into(const std::string& code) { return dive_of({{"a.py", "\n"}}, {{"a.py", code}}); }

TEST(Concepts, ARecursionEndsWhereItsCodeSays) {
  const std::string branch = dive_into(
      "def collect(tree):\n    if tree.children:\n        for child in tree.children:\n"
      "            collect(child)\n");
  EXPECT_TRUE(says(branch, "`collect` calls itself; it ends where its arguments no longer take the branch that does."))
      << branch;
  const std::string loop = dive_into(
      "def collect(tree, out):\n    if tree.is_leaf:\n        out.append(tree)\n        return\n"
      "    for child in tree.children:\n        collect(child, out)\n");
  EXPECT_TRUE(says(loop,
                   "`collect` calls itself; it ends where it returns before that (`a.py:4`), or where the loop "
                   "around that has nothing to go over."))
      << loop;
  const std::string open = dive_into("def collect(tree):\n    tree.visit()\n    collect(tree.next)\n");
  EXPECT_TRUE(says(open, "`collect` calls itself.")) << open;
}

TEST(Concepts, WhetherAnExceptionSkipsTheEndOfAContextManagerIsTold) {
  const auto manager = [](const std::string& body) {
    return dive_into(
        "from contextlib import contextmanager\n\n\n@contextmanager\ndef scope(state):\n    state.on = True\n" + body);
  };
  const std::string guarded = manager("    try:\n        yield\n    finally:\n        state.on = False\n");
  EXPECT_TRUE(says(guarded, "the code after it on exit. It stands in `finally`, which runs on an exception, too."))
      << guarded;
  const std::string open = manager("    yield\n    state.on = False\n");
  EXPECT_TRUE(says(open, "No `try`/`finally` is around it, so an exception in the block skips the latter.")) << open;
  const std::string last = manager("    yield\n");
  EXPECT_FALSE(says(last, "`finally`")) << last;
}

TEST(Concepts, ATensorOfAnotherKindIsNoDTensor) {
  const std::string own = dive_into("def restore(weight, placements):\n    return weight.redistribute(placements)\n");
  EXPECT_FALSE(says(own, "**DTensor**")) << own;
  const std::string made = dive_into(
      "from torch.distributed.tensor import Shard, distribute_tensor\n\n\ndef restore(weight, mesh):\n"
      "    return distribute_tensor(weight, mesh, [Shard(0)])\n");
  EXPECT_TRUE(says(made, "**DTensor** (`a.py:5`)")) << made;
}

}  // namespace
}  // namespace lockstep::render
