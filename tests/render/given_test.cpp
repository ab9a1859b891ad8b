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
                   "Before, `model` was not given `loss_mask`; where that is `None`, `process_loss` (`a.py:6`), which "
                   "can get it from there, runs `loss_mask = torch.ones_like(labels)`."))
      << text;
  // The place is that of the new version: of the statement, not of what stands on its old line.
  const std::string after = with(body, "model(labels=labels)\n", "model(labels=labels, loss_mask=mask)\n");
  const std::string moved = explain_of({{"a.py", body}}, {{"a.py", "# One.\n# Two.\n# Three.\n" + after}});
  EXPECT_TRUE(says(moved, "`process_loss` (`a.py:9`), which can get it from there")) << moved;
}

TEST(Given, NothingIsSaidWhereNobodyAsks) {
  const std::string body =
      "def model(labels, scale=1):\n    return labels * scale\n\n\ndef forward(labels):\n"
      "    return model(labels=labels)\n";
  const std::string text = explain_of({{"a.py", body}}, {{"a.py", with(body, "=labels)\n", "=labels, scale=2)\n")}});
  EXPECT_FALSE(says(text, "was not given")) << text;
}

}  // namespace
}  // namespace lockstep::render
