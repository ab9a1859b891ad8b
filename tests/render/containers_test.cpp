// Of a list or a dictionary a condition asks whether it is empty.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

TEST(Containers, OfAListItIsAskedWhetherItIsEmpty) {
  const std::string before = "def load(state):\n    missing = [k for k in state if k.bad]\n    return state\n";
  const auto text_of = [&](const std::string& start) {
    const std::string was = replace_all(before, "[k for k in state if k.bad]", start);
    return explain_of({{"a.py", was}},
                      {{"a.py", replace_all(was, "    return state\n",
                                            "    assert not missing, 'keys are missing'\n    return state\n")}});
  };
  for (const std::string& start : {std::string("[k for k in state if k.bad]"),
                                   std::string("set(state) - state.known()"), std::string("dict(state)")}) {
    const bool is_container = !contains(start, " - ");
    const std::string text = text_of(start);
    EXPECT_EQ(says(text, "that `missing` is empty"), is_container) << text;
    EXPECT_EQ(says(text, "`missing` is not set"), !is_container) << text;
  }
  // What may be None as well is set or not.
  const std::string either = text_of("[]\n    if state is None:\n        missing = None");
  EXPECT_TRUE(says(either, "that `missing` is not set")) << either;
}

TEST(Containers, AParameterIsOneByItsAnnotation) {
  const auto text_of = [](const std::string& parameter) {
    const std::string was = "from typing import List, Optional\n\n\ndef go(" + parameter + "):\n    return 1\n";
    return explain_of(
        {{"a.py", was}},
        {{"a.py", replace_all(was, "    return 1\n", "    if names:\n        print(names)\n    return 1\n")}});
  };
  EXPECT_TRUE(says(text_of("names: List[str]"), "`names` is not empty")) << text_of("names: List[str]");
  EXPECT_TRUE(says(text_of("names: Optional[List[str]] = None"), "`names` is set"));
  EXPECT_TRUE(says(text_of("names: List[str] = None"), "`names` is set"));
}

}  // namespace
}  // namespace lockstep::render
