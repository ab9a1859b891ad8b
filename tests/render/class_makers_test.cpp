// Methods of classes that a function defines and gives back: where they run, and which tests may run them.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kMade = R"(def quantized(parent):
    class Quantized(parent):
        def multiply(self, a, b):
            return a * b

    return Quantized


def convert(parent):
    return quantized(parent)
)";

const std::string kTest = R"(from quantization import quantized


def test_multiply():
    assert quantized(object)
)";

TEST(ClassMakers, AMethodOfAClassThatAFunctionDefinesIsToldWithWhoCallsThat) {
  const Files old = {{"quantization.py", kMade}, {"tests/test_quantization.py", kTest}};
  const std::string text = explain_of(old, with_edit(old, "quantization.py", "a * b", "a @ b"));
  EXPECT_TRUE(says(text,
                   "The call graph finds no call that leads to `quantized.Quantized.multiply`; its class is defined in "
                   "`quantized` (`quantization.py:1`), which `convert` (`quantization.py:9`) calls."))
      << text;
  EXPECT_TRUE(says(text,
                   "Open: the class is defined in `quantized`, which `test_multiply` (`tests/test_quantization.py:4`) "
                   "calls; what is done there with the class was not followed."))
      << text;
  EXPECT_FALSE(says(text, "NOT TESTED")) << text;
}

TEST(ClassMakers, WhereNoTestCallsTheFunctionNoneIsNamed) {
  const Files old = {{"quantization.py", kMade},
                     {"tests/test_quantization.py", replace_all(kTest, "quantized(object)", "quantized is not None")}};
  const std::string text = explain_of(old, with_edit(old, "quantization.py", "a * b", "a @ b"));
  EXPECT_FALSE(says(text, "Open: the class is defined in")) << text;
  EXPECT_TRUE(says(text, "NOT TESTED")) << text;
}

}  // namespace
}  // namespace lockstep::render
