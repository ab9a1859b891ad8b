// What the deep dive says that the code did before.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

/// The part of the deep dive that tells it, of a function with such a step before and after.
std::string previous_of(const std::string& before, const std::string& after) {
  const std::string start = "def build(args, make):\n    ";
  const std::string text = dive_of({{"a.py", start + before + "\n"}}, {{"a.py", start + after + "\n"}});
  const std::size_t begin = text.find("What the code did before:");
  return begin == std::string::npos ? text : text.substr(begin, text.find("### 3.2") - begin);
}

TEST(Previous, WhatACallWasNotGivenIsNamed) {
  const std::string call =
      "made = make(args.first_of_the_many_settings, second=args.second_of_the_many_settings, third=args.third";
  const std::string text = previous_of(call + ")\n    return made", call + ", kind=args.kind)\n    return made");
  EXPECT_TRUE(says(text, "- `build`: Calls `make` without `kind=args.kind`.")) << text;
}

TEST(Previous, WhatADictionaryDidNotHoldIsNamed) {
  const std::string entries =
      "options = {\n        \"first\": args.first_of_the_many_settings,\n        \"second\": "
      "args.second_of_the_many_settings,\n";
  const std::string end = "    }\n    return make(**options)";
  const std::string text = previous_of(entries + end, entries + "        \"kind\": args.kind,\n" + end);
  EXPECT_TRUE(says(text, "- `build`: Sets `options` without the entry `\"kind\"`.")) << text;
}

TEST(Previous, WhatAListHeldIsWhatItWasSetTo) {
  const std::string names =
      "names = [\"first_of_the_many_settings\", \"second_of_the_many_settings\", \"third_of_the_many_settings\"";
  const std::string end = "]\n    return make(args, names)";
  const std::string text = previous_of(names + ", \"kind\"" + end, names + end);
  EXPECT_TRUE(says(text, "- `build`: Sets `names` to `[")) << text;
}

}  // namespace
}  // namespace lockstep::render
