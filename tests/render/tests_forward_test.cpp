// Tests from which calls lead to a function, but which pass values with which it is not called.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kAttention = R"(import warnings


def either(context, params):
    if context is None and params is not None:
        warnings.warn("renamed")
        return params
    return context


class Attention:
    def forward(self, x, context=None, *, params=None):
        context = either(context, params)
        if context is None or context.is_static():
            return x
        return self.decode(x)

    def decode(self, x):
        return x


class Layer:
    def __init__(self):
        self.attention = Attention()

    def forward(self, x, context=None):
        return self.attention.forward(x, context)
)";

std::string explain_decode(const std::string& test) {
  const Files before = {{"lib/attention.py", kAttention}, {"tests/test_attention.py", test}};
  return explain_of(before, with_edit(before, "lib/attention.py", "    def decode(self, x):\n        return x\n",
                                      "    def decode(self, x):\n        y = x + 1\n        return y\n"));
}

const std::string kLeavingOut =
    "from lib.attention import Attention, Layer\n\n\ndef test_training():\n    Attention().forward(1)\n"
    "    Layer().forward(1)\n";

TEST(TestsForward, ATestThatLeavesOutWhatIsAskedForDoesNotLeadThere) {
  const std::string text = explain_decode(kLeavingOut);
  EXPECT_FALSE(says(text, "Calls lead to it")) << text;
}

TEST(TestsForward, ATestThatGivesItDoes) {
  for (const std::string& call :
       {std::string("Layer().forward(1, context)"), std::string("Attention().forward(1, params=context)")}) {
    const std::string text = explain_decode(kLeavingOut + "\n\ndef test_decoding(context):\n    " + call + "\n");
    EXPECT_TRUE(says(text, "`Attention.decode`: Calls lead to it from the test `test_decoding`")) << text;
    EXPECT_FALSE(says(text, "test_training")) << text;
  }
}

/// A value that the function makes when none is given may be anything.
TEST(TestsForward, AValueMadeInItsPlaceIsNotKnown) {
  const Files before = {
      {"lib/attention.py", replace_all(kAttention, "    return context\n", "    return context or make()\n")},
      {"tests/test_attention.py", kLeavingOut}};
  const std::string text =
      explain_of(before, with_edit(before, "lib/attention.py", "    def decode(self, x):\n        return x\n",
                                   "    def decode(self, x):\n        y = x + 1\n        return y\n"));
  EXPECT_TRUE(says(text, "Calls lead to it from the test `test_training`")) << text;
}

}  // namespace
}  // namespace lockstep::render
