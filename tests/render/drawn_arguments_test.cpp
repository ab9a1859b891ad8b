// Arguments of calls in drawings: what a change is about is shown, whatever else is left out.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

std::string section(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t begin = text.find(from);
  return text.substr(begin, text.find(to, begin) - begin);
}

const std::string kMasks =
    R"(def make_masks_of_documents(tokens, end, pad, positions, attention=True, end_loss=False, pad_loss=True,
                            dense=True):
    return tokens, end, pad, positions, attention, end_loss, pad_loss, dense


def prepare(tokens, settings):
    make_masks_of_documents(tokens, settings.end_of_document, settings.pad, settings.positions, CALL)
    return tokens


def train(tokens, settings):
    if settings.ready:
        return prepare(tokens, settings)
)";

std::string with_call(const std::string& arguments) { return replace_all(kMasks, "CALL", arguments); }

TEST(DrawnArguments, TheArgumentThatChangesIsShown) {
  const std::string text =
      dive_of({{"a.py", with_call("settings.attention, end_loss=False, pad_loss=True")}},
              {{"a.py", with_call("attention=False, end_loss=False, pad_loss=True, dense=False")}});
  const std::string picture = section(text, "### 2.1", "### 2.2");
  EXPECT_TRUE(says(picture, "make_masks_of_documents(…, attention=False, …, dense=False)<br/>MODIFIED")) << picture;
  EXPECT_TRUE(says(picture, "\"make_masks_of_documents(…, settings.attention, …)\"")) << picture;
  const std::string sequence = section(text, "### 4.2", "### 4.3");
  EXPECT_TRUE(says(sequence, "make_masks_of_documents(…, attention=False, …, dense=False)")) << sequence;
}

TEST(DrawnArguments, WhatStaysIsCutAsEver) {
  const std::string was = with_call("attention=False, end_loss=False, pad_loss=True, dense=False");
  const std::string text =
      dive_of({{"a.py", was}}, {{"a.py", replace_all(was, "    return tokens\n", "    return tokens[1:]\n")}});
  EXPECT_FALSE(says(text, "documents(…, attention=False")) << text;
}

/// A new call beside one that is there: where it differs from that.
TEST(DrawnArguments, ANewCallIsHeldAgainstTheOneThatIsThere) {
  const std::string code = R"(def shard(module, mesh, placements, mixed_precision_policy=None, grad_divisor=1):
    return module


def wrap(module, mesh, placements, policy, count):
    for part in module.parts():
        shard(part, mesh=mesh, placements=placements, mixed_precision_policy=policy)
    return module
)";
  const std::string after =
      code.substr(0, code.rfind("    return module\n")) +
      "    for part in module.experts():\n        shard(part.weights, mesh=mesh, placements=placements, "
      "mixed_precision_policy=policy, grad_divisor=count)\n    return module\n";
  const std::string data = section(dive_of({{"a.py", code}}, {{"a.py", after}}), "### 4.3", "### 4.4");
  EXPECT_TRUE(says(data, "shard(part.weights, …, grad_divisor=count)<br/>NEW")) << data;
}

}  // namespace
}  // namespace lockstep::render
