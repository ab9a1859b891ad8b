// What the documents say of sends and receives: their group, whether they are waited for, who must take part.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

/// The explanation of a change that adds `code` to a module.
std::string explain_new(const std::string& code) {
  const std::string head = "import torch.distributed as dist\n";
  return explain_of({{"a.py", head}}, {{"a.py", head + "\n\n" + code}});
}

TEST(Transfers, ABatchIsOfTheGroupThatAllItsOperationsName) {
  const std::string exchange =
      "def exchange(self, tensors, peers):\n    ops = []\n    for tensor, peer in zip(tensors, peers):\n"
      "        ops.append(dist.P2POp(dist.isend, tensor, peer, self.bridge_pg))\n"
      "        ops.append(dist.P2POp(dist.irecv, tensor, peer, group=self.bridge_pg))\n"
      "    if not ops:\n        return\n"
      "    requests = dist.batch_isend_irecv(ops)\n    for request in requests:\n        request.wait()\n";
  const std::string text = explain_new(exchange);
  EXPECT_TRUE(says(text, "`batch_isend_irecv` over `self.bridge_pg`")) << text;
  EXPECT_FALSE(says(text, "asynchronously")) << text;
  EXPECT_FALSE(says(text, "over all ranks")) << text;
  EXPECT_FALSE(says(text, "every rank of its group")) << text;
  EXPECT_TRUE(says(text, "each send needs its matching receive")) << text;
  // Two groups, an operation from elsewhere, and one of the default group: none is named.
  for (const std::string& other : {replace_all(exchange, "group=self.bridge_pg", "group=self.pp_group"),
                                   replace_all(exchange, ", group=self.bridge_pg", ""),
                                   replace_all(exchange, "    if not ops:", "    self.more(ops)\n    if not ops:"),
                                   replace_all(exchange, "peers):\n    ops = []\n", "peers, ops):\n")}) {
    const std::string unknown = explain_new(other);
    EXPECT_TRUE(says(unknown, "`batch_isend_irecv`")) << unknown;
    EXPECT_FALSE(says(unknown, "`batch_isend_irecv` over")) << unknown;
  }
}

TEST(Transfers, ASendWithoutAGroupIsNotOverAllRanks) {
  const std::string text = explain_new(
      "def roll(x, y, left, right):\n    reqs = []\n    reqs.append(dist.isend(x, dst=left))\n"
      "    reqs.append(dist.irecv(y, src=right))\n    for req in reqs:\n        req.wait()\n    return y\n");
  EXPECT_TRUE(says(text, "issues `isend`")) << text;
  EXPECT_FALSE(says(text, "over all ranks")) << text;
  EXPECT_FALSE(says(text, "asynchronously")) << text;
  EXPECT_TRUE(says(explain_new("def push(x, group):\n    dist.send(x, 1, group=group)\n"),
                   "`send` over the group passed as `group`"));
}

TEST(Transfers, OnlyWhatIsLeftOpenIsAsynchronous) {
  const std::string open = "def reduce(x):\n    work = dist.all_reduce(x, async_op=True)\n    return work\n";
  EXPECT_TRUE(says(explain_new(open), "asynchronously"));
  for (const std::string& waited :
       {replace_all(open, "    return work", "    work.wait()\n    return x"),
        replace_all(open, "    work = dist.all_reduce(x, async_op=True)\n    return work",
                    "    dist.all_reduce(x, async_op=True).wait()"),
        replace_all(open, "    return work",
                    "    works = [work]\n    [each.wait() for each in works]\n    return x")}) {
    const std::string text = explain_new(waited);
    EXPECT_TRUE(says(text, "`all_reduce` over all ranks")) << text;
    EXPECT_FALSE(says(text, "asynchronously")) << text;
  }
}

TEST(Transfers, AnOperationThatMayComeFromElsewhereNamesNoGroup) {
  const std::string exchange =
      "def exchange(self, tensor, peer, others):\n    ops = []\n"
      "    op = dist.P2POp(dist.isend, tensor, peer, self.bridge_pg)\n    ops.append(op)\n"
      "    requests = dist.batch_isend_irecv(ops)\n    for request in requests:\n        request.wait()\n";
  EXPECT_TRUE(says(explain_new(exchange), "`batch_isend_irecv` over `self.bridge_pg`")) << explain_new(exchange);
  for (const std::string& other :
       {replace_all(exchange, "others):", "others, op=None):"),
        replace_all(exchange, "    ops = []\n", "    ops = []\n    for op in others:\n        ops.append(op)\n"),
        replace_all(exchange, "    ops = []\n", "    ops = []\n    op, rest = others\n    ops.append(op)\n")}) {
    const std::string unknown = explain_new(other);
    EXPECT_TRUE(says(unknown, "`batch_isend_irecv`")) << unknown;
    EXPECT_FALSE(says(unknown, "`batch_isend_irecv` over")) << unknown;
  }
}

TEST(Transfers, AWaitForWhatIsUnpackedInPartsIsOne) {
  const std::string open =
      "def reduce(all):\n    works = []\n    for x in all:\n"
      "        works.append((dist.all_reduce(x, async_op=True), x))\n    return works\n";
  EXPECT_TRUE(says(explain_new(open), "asynchronously")) << explain_new(open);
  for (const std::string loop : {"    for i, (work, x) in enumerate(works):\n        work.wait()\n",
                                 "    for i, (work, *_) in enumerate(works):\n        work.wait()\n",
                                 "    for first, *rest in works:\n        rest[0].wait()\n",
                                 "    with kept(works) as held:\n        held.wait()\n"}) {
    const std::string text = explain_new(replace_all(open, "    return works\n", loop));
    EXPECT_FALSE(says(text, "asynchronously")) << text;
  }
}

/// A reduction by another operation than the sum is another reduction.
TEST(Transfers, TheOperationOfAReductionIsNamed) {
  const std::string before = "import torch.distributed as dist\n\n\ndef check(flag, group):\n    return flag\n";
  const std::string after =
      "import torch.distributed as dist\n\n\ndef check(flag, group):\n    dist.all_reduce(flag, "
      "op=dist.ReduceOp.MIN, group=group)\n    return flag\n";
  EXPECT_TRUE(says(explain_of({{"a.py", before}}, {{"a.py", after}}),
                   "`all_reduce` (`MIN`) over the group passed as "
                   "`group`"));
  EXPECT_FALSE(
      says(explain_of({{"a.py", before}}, {{"a.py", replace_all(after, "ReduceOp.MIN", "ReduceOp.SUM")}}), "(`SUM`)"));
}

}  // namespace
}  // namespace lockstep::render
