// Data of a function that changes on both sides of a choice: a drawing of each.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

/// The part of the deep dive that draws data.
std::string data_of(const std::string& before, const std::string& after) {
  const std::string text = dive_of({{"a.py", before}}, {{"a.py", after}});
  const std::size_t begin = text.find("### 4.3 Data Flow");
  return text.substr(begin, text.find("### 4.4") - begin);
}

std::string attend(const std::string& prefill, const std::string& decode, const std::string& between = "    else:\n") {
  return "import torch\n\n\ndef attend(q, k, decodes):\n    if not decodes:\n        q = q.squeeze(1)\n" + prefill +
         "        out = out.unsqueeze(1)\n" + between +
         "        # [batch, tokens, heads, dim]\n        q = q.reshape(8, -1, 4, 16)\n" + decode + "    return out\n";
}

const std::string kOld = "        out = torch.matmul(q, k)\n";
const std::string kPrefill = "        out = torch.addmm(q, q, k)\n";
const std::string kDecode = "        flat = q.reshape(-1, 4, 16)\n        out = torch.bmm(flat, k)\n";

/// `None` does not come to where it was asked whether it is that.
TEST(DataSides, NoneComesToNothingThatAsksForMore) {
  const auto text_of = [](const std::string& condition) {
    const std::string before = "import torch\n\n\ndef shard(x, wide):\n    return x\n";
    return data_of(before, replace_all(before, "    return x",
                                       "    mesh = None\n    if wide:\n        mesh = torch.outer(x, x)\n    if " +
                                           condition + ":\n        x = torch.matmul(x, mesh)\n    return x"));
  };
  EXPECT_TRUE(says(text_of("wide"), "= None")) << text_of("wide");
  for (const std::string asked : {"mesh is not None", "mesh"})
    EXPECT_FALSE(says(text_of(asked), "= None")) << text_of(asked);
  EXPECT_TRUE(says(text_of("mesh is None"), "= None")) << text_of("mesh is None");
}

TEST(DataSides, BothSidesOfAChoiceAreDrawn) {
  const std::string text = data_of(attend(kOld, kOld), attend(kPrefill, kDecode));
  const std::size_t first = text.find("Data in `attend` when `decodes` is not set:");
  const std::size_t second = text.find("Data in `attend` when `decodes` is set:");
  ASSERT_NE(first, std::string::npos) << text;
  ASSERT_NE(second, std::string::npos) << text;
  const std::string prefill = text.substr(first, second - first);
  const std::string decode = text.substr(second);
  EXPECT_TRUE(says(prefill, "addmm") && says(prefill, "unsqueeze")) << text;
  EXPECT_FALSE(says(prefill, "bmm") || says(prefill, "reshape") || says(prefill, "tokens")) << text;
  EXPECT_TRUE(says(decode, "bmm") && says(decode, "reshape(-1, 4, 16)")) << text;
  EXPECT_FALSE(says(decode, "addmm") || says(decode, "squeeze")) << text;
  EXPECT_TRUE(says(decode, "Shapes, as comments and code state them: `q` is `[batch, tokens, heads, dim]`") ||
              says(decode, "Shapes, as comments and code state them: `q` is `[8, -1, 4, 16]`"))
      << text;
  // What unsqueeze makes is returned there, and not what it takes.
  const std::size_t label = prefill.find("([\"return out\"])");
  ASSERT_NE(label, std::string::npos) << text;
  const std::size_t name = prefill.rfind(' ', label) + 1;
  const std::string arrow = "--> " + prefill.substr(name, label - name) + "\n";
  EXPECT_NE(prefill.find(arrow), std::string::npos) << prefill;
  EXPECT_EQ(prefill.find(arrow), prefill.rfind(arrow)) << prefill;
}

TEST(DataSides, OneChangedSideIsOneDrawing) {
  const std::string text = data_of(attend(kOld, kOld), attend(kOld, kDecode));
  EXPECT_TRUE(says(text, "Data in `attend`:")) << text;
  EXPECT_FALSE(says(text, "when `decodes`")) << text;
}

TEST(DataSides, WithAnElifThereIsNoOtherSide) {
  const std::string between = "    elif k is None:\n        out = q\n    else:\n";
  const std::string text = data_of(attend(kOld, kOld, between), attend(kPrefill, kDecode, between));
  EXPECT_TRUE(says(text, "Data in `attend`:")) << text;
}

}  // namespace
}  // namespace lockstep::render
