// A newly passed argument: what was done without it.
#include <gtest/gtest.h>

#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

std::string with(std::string text, std::string_view what, std::string_view by) {
  return text.replace(text.find(what), what.size(), by);
}

TEST(Given, WhatTheCalleeDidWithoutANewArgumentIsSaid) {
  const std::string body = R"(import torch


def process_loss(labels, loss_mask):
    if loss_mask is None:
        loss_mask = torch.ones_like(labels)
    return labels * loss_mask


def model(labels, loss_mask=None):
    return process_loss(labels=labels, loss_mask=loss_mask)


def forward(labels, mask):
    return model(labels=labels)
)";
  const std::string text = explain_of(
      {{"a.py", body}}, {{"a.py", with(body, "model(labels=labels)\n", "model(labels=labels, loss_mask=mask)\n")}});
  EXPECT_TRUE(says(text,
                   "Before, `model` was not given `loss_mask`; where that is `None`, `process_loss`, which can get it "
                   "from there, runs `loss_mask = torch.ones_like(labels)` (`a.py:6`)."))
      << text;
  // The place is that of the new version: of the statement, not of what stands on its old line.
  const std::string after = with(body, "model(labels=labels)\n", "model(labels=labels, loss_mask=mask)\n");
  const std::string moved = explain_of({{"a.py", body}}, {{"a.py", "# One.\n# Two.\n# Three.\n" + after}});
  EXPECT_TRUE(says(moved, "runs `loss_mask = torch.ones_like(labels)` (`a.py:9`).")) << moved;
}

TEST(Given, NothingIsSaidWhereNobodyAsks) {
  const std::string body =
      "def model(labels, scale=1):\n    return labels * scale\n\n\ndef forward(labels):\n"
      "    return model(labels=labels)\n";
  const std::string text = explain_of({{"a.py", body}}, {{"a.py", with(body, "=labels)\n", "=labels, scale=2)\n")}});
  EXPECT_FALSE(says(text, "was not given")) << text;
}

// What decides only at times, of another value, or on calls that are made where the parameter is given is no decision.
TEST(Given, WhatIsDecidedOnlyAtTimesIsNotSaid) {
  const std::string inner =
      "def inner(grad, group):\n    if group is None:\n        raise ValueError('needed')\n    return grad\n\n\n";
  const std::string step = "\n\ndef step(grad, dp):\n    return reduce(grad)\n";
  const auto says_it = [&](const std::string& body) {
    const std::string text =
        explain_of({{"a.py", inner + body + step}},
                   {{"a.py", with(inner + body + step, "reduce(grad)\n", "reduce(grad, group=dp)\n")}});
    return says(text, "was not given `group`");
  };
  const std::string head = "def reduce(grad, group=None, strict=False):\n";
  EXPECT_TRUE(says_it(head + "    return inner(grad, group=group)\n"));
  EXPECT_TRUE(says_it(head + "    if group is None:\n        raise ValueError('needed')\n    return grad\n"));
  EXPECT_FALSE(says_it(head + "    if strict:\n        if group is None:\n            raise ValueError('needed')\n"
                              "    return grad\n"));
  EXPECT_FALSE(says_it(head + "    if grad is None:\n        return None\n    group = group or grad.group\n"
                              "    return grad\n"));
  EXPECT_FALSE(says_it(head + "    group = grad.group\n    return inner(grad, group=group)\n"));
  EXPECT_FALSE(says_it(head + "    if grad is not None and group is not None:\n"
                              "        return inner(grad, group=group)\n    return grad\n"));
  EXPECT_FALSE(says_it(head + "    if group is not None:\n        return inner(grad, group=group)\n    return grad\n"));
}

}  // namespace
}  // namespace lockstep::render
