// Changes without Python code, told file by file: which comes first, what an excerpt has room for, and what reads them.
#include <gtest/gtest.h>

#include <string>

#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

std::string values_of(int first, int count) {
  std::string out = "{\n";
  for (int i = 0; i < count; ++i) out += "  \"" + std::to_string(i) + "\": " + std::to_string(first + i) + ",\n";
  return out + "  \"end\": 0\n}\n";
}

const Files kBefore = {{"tests/cases/a_golden.json", values_of(100, 40)},
                       {"tests/cases/model_config.yaml", "MODEL_ARGS:\n  --hidden-size: 8\n"}};
const Files kAfter = {{"tests/cases/a_golden.json", values_of(500, 40)},
                      {"tests/cases/model_config.yaml", "MODEL_ARGS:\n  --hidden-size: 16\n"}};

TEST(FileParts, WhatTestsCompareWithStandsBehindWhatTheyRunWith) {
  for (const std::string& text : {explain_of(kBefore, kAfter), dive_of(kBefore, kAfter)})
    EXPECT_LT(text.find("model_config.yaml"), text.find("a_golden.json")) << text;
  // The first is not the one with most lines then.
  EXPECT_TRUE(says(dive_of(kBefore, kAfter), ", first of all `tests/cases/model_config.yaml`: "))
      << dive_of(kBefore, kAfter);
}

TEST(FileParts, AnExcerptShowsWhatGoesAndWhatComes) {
  const std::string text = explain_of(kBefore, kAfter);
  EXPECT_TRUE(says(text, "\n-   \"0\": 100,\n")) << text;
  EXPECT_TRUE(says(text, "\n+   \"0\": 500,\n")) << text;
  EXPECT_FALSE(says(text, "\n-   \"30\": 130,\n")) << text;
}

TEST(FileParts, WhatTestsRunWithIsSaidToBeRead) {
  const std::string text = dive_of(kBefore, kAfter);
  EXPECT_TRUE(says(text, "No Python code changes; runs of tests read what changes in `tests/cases/model_config.yaml`."))
      << text;
  EXPECT_FALSE(says(text, "nothing that runs in training is affected")) << text;
  const Files docs = {{"README.md", "# A\n"}};
  EXPECT_TRUE(says(dive_of(docs, {{"README.md", "# B\n"}}), "nothing that runs in training is affected"));
}

}  // namespace
}  // namespace lockstep::render
