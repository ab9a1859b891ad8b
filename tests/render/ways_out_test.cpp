// Code that is walked through: the ways out beside what changes.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

TEST(WaysOut, ThatStandBesideAChangedStepAreShown) {
  std::string filler;
  for (int i = 0; i < 70; ++i) filler += "    a" + std::to_string(i) + " = state.get(" + std::to_string(i) + ")\n";
  const std::string was = "def sync(buckets, state):\n" + filler +
                          "    for bucket in buckets:\n"
                          "        if bucket.data is None:\n            continue\n"
                          "        size = state.size(bucket)\n"
                          "        offset = state.offset(bucket)\n"
                          "        stride = state.stride(bucket)\n"
                          "        state.cast(bucket, size, offset, stride)\n"
                          "        if bucket.is_mixed:\n            continue\n"
                          "        bucket.data.zero_()\n" +
                          filler + "    return a1\n";
  const std::string text =
      dive_of({{"a.py", was}}, {{"a.py", replace_all(was, "state.cast(bucket,", "state.cast_all(bucket,")}});
  const std::size_t code = text.find("def sync(", text.find("4.4"));
  ASSERT_NE(code, std::string::npos) << text;
  const std::string walked = text.substr(code, text.find("```", code) - code);
  EXPECT_TRUE(says(walked, "if bucket.data is None:\n            continue\n")) << walked;
  EXPECT_TRUE(says(walked, "if bucket.is_mixed:\n            continue\n        bucket.data.zero_()\n")) << walked;
  EXPECT_FALSE(says(walked, "a20 = state.get(20)")) << walked;
}

}  // namespace
}  // namespace lockstep::render
