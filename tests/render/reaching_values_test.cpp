// Which arrows the drawing of data has: those that a run can take.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

/// The arrows of the drawing, one a line: "label -> label", as the labels begin.
std::string arrows_of(const std::string& before, const std::string& after) {
  const std::string text = dive_of({{"a.py", before}}, {{"a.py", after}});
  const std::size_t begin = text.find("### 4.3 Data Flow");
  const std::string part = text.substr(begin, text.find("### 4.4") - begin);
  std::map<std::string, std::string> labels;
  std::string out;
  for (const std::string_view line : split_lines(part)) {
    const std::string_view words = trim(line);
    if (!words.starts_with("n")) continue;
    const std::size_t arrow = words.find(" --> ");
    const std::size_t named = words.find(" -->|");
    const std::size_t quote = words.find('"');
    const std::string id(words.substr(0, words.find_first_of(" [(/{>")));
    if (arrow != std::string_view::npos || named != std::string_view::npos) {
      out += labels[id] + " -> " + labels[std::string(words.substr(words.rfind(' ') + 1))] + "\n";
    } else if (quote != std::string_view::npos) {
      const std::string_view label = words.substr(quote + 1);
      labels[id] = label.substr(0, std::min(label.find("<br/>"), label.find('"')));
    }
  }
  return out + part;
}

/// Two sides of a choice, each with a list of one name.
TEST(ReachingValues, WhatOneSideOfAChoiceMakesStaysThere) {
  const auto code = [](const std::string& body, const std::string& between) {
    return "def sync(buckets, reuse):\n    for bucket in buckets:\n        if reuse:\n" + body + between +
           "    return buckets\n";
  };
  const std::string old_body = "            for param in bucket.params:\n                copy_one(param)\n";
  const std::string new_body =
      "            picked = []\n            for param in bucket.params:\n                picked.append(param)\n"
      "            copy_all(picked)\n";
  const std::string rest_of_else =
      "            picked = []\n            for param in bucket.params:\n                picked.append(param)\n"
      "            process(picked)\n";
  const std::string text =
      arrows_of(code(old_body, "        else:\n" + rest_of_else), code(new_body, "        else:\n" + rest_of_else));
  EXPECT_TRUE(says(text, "picked.append(param) -> copy_all(picked)")) << text;
  EXPECT_FALSE(says(text, "-> process(picked)")) << text;
  EXPECT_EQ(text.find("picked -> picked.append(param)"), text.rfind("picked -> picked.append(param)")) << text;
  // The same where the first side goes on with the next turn.
  const std::string dedented = replace_all(rest_of_else, "            ", "        ");
  const std::string early = "            continue\n";
  const std::string turned =
      arrows_of(code(old_body + early, replace_all(dedented, "        picked.app", "            picked.app")),
                code(new_body + early, replace_all(dedented, "        picked.app", "            picked.app")));
  EXPECT_TRUE(says(turned, "picked.append(param) -> copy_all(picked)")) << turned;
  EXPECT_FALSE(says(turned, "-> process(picked)")) << turned;
}

TEST(ReachingValues, ALoopTakesWhatItsOwnHeaderGives) {
  const auto code = [](const std::string& first) {
    return "def wrap(module, mesh):\n" + first +
           "    for part in reversed(list(module.modules())):\n        shard(part, mesh)\n    return module\n";
  };
  const std::string loop = "    for part in module.modules():\n        shard(part.experts, 2)\n";
  const std::string text = arrows_of(code(""), replace_all(code(loop), "shard(part, mesh)", "shard(part, mesh=mesh)"));
  EXPECT_TRUE(says(text, "each part -> shard(part.experts, 2)")) << text;
  EXPECT_TRUE(says(text, "each part -> shard(part, mesh=mesh)")) << text;
  // From the first header nothing gets past the second.
  EXPECT_EQ(text.find("each part -> shard(part, mesh=mesh)"), text.rfind("each part -> shard(part, mesh=mesh)"))
      << text;
}

TEST(ReachingValues, AValueEndsWhereItsNameIsBoundAnew) {
  const std::string text = arrows_of(
      "import torch\n\n\ndef f(x, y):\n    out = torch.relu(x)\n    send(out)\n    with opened(y) as out:\n"
      "        out = torch.relu(y)\n    return out\n",
      "import torch\n\n\ndef f(x, y):\n    out = torch.tanh(x)\n    send(out)\n    with opened(y) as out:\n"
      "        out = torch.relu(y)\n    return out\n");
  EXPECT_TRUE(says(text, "in: x -> out")) << text;
  EXPECT_FALSE(says(text, "return out")) << text;
}

/// What surely returned, or is raised, goes nowhere; what a handler gets may be from before the block.
TEST(ReachingValues, WaysOutEndAWay) {
  const auto code = [](const std::string& call) {
    return "import torch\n\n\ndef f(x, y):\n    out = torch.relu(x)\n    try:\n        if y:\n            out = " +
           call +
           "\n            return out\n        out = torch.abs(out)\n    except ValueError:\n        out = "
           "torch.neg(out)\n"
           "    return out * 2\n";
  };
  const std::string text = arrows_of(code("torch.exp(x)"), code("torch.sin(x)"));
  EXPECT_TRUE(says(text, "out -> return out\n")) << text;
  EXPECT_FALSE(says(text, "return out * 2")) << text;
}

/// How far a value is followed back has a limit; what it was made of stands there all the same.
TEST(ReachingValues, TheFirstStepDrawnSaysWhatItIs) {
  const auto code = [](const std::string& last) {
    return "import torch\n\n\ndef f(x):\n    one = torch.relu(x)\n    two = torch.abs(one)\n    three = "
           "torch.neg(two)\n"
           "    four = " +
           last + "(three)\n    return four\n";
  };
  const std::string text = arrows_of(code("torch.cos"), code("torch.sin"));
  EXPECT_TRUE(says(text, "one<br/>= torch.relu(x)") && says(text, "one -> two") && says(text, "three -> four")) << text;
}

/// Of two sides that both come to one step, both are shown there.
TEST(ReachingValues, BothSidesMeetBehindTheChoice) {
  const auto code = [](const std::string& one) {
    return "import torch\n\n\ndef f(x, wide):\n    if wide:\n        mask = torch.zeros(4)\n    else:\n        mask "
           "= " +
           one + "\n    return mask\n";
  };
  const std::string text = arrows_of(code("torch.ones(4)"), code("None"));
  EXPECT_TRUE(says(text, "mask -> return mask") && says(text, "mask [4] -> return mask")) << text;
}

}  // namespace
}  // namespace lockstep::render
