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

/// What a library makes objects of by its own registry: who registers the class is as far as calls show.
TEST(ClassMakers, AMethodThatOnlyAClassInAFunctionCallsIsToldWithWhoRegistersThat) {
  const auto text_of = [](const std::string& last) {
    const Files old = {{"wrapper.py", "class Wrapper:\n    def __init__(self, spec):\n        self.spec = spec\n"},
                       {"plugin.py",
                        "from registry import Models\nfrom wrapper import Wrapper\n\n\ndef register(spec):\n"
                        "    class Model(Wrapper):\n        def __init__(self, config):\n"
                        "            super().__init__(spec)\n\n    " +
                            last + "\n\n\ndef generate(spec):\n    register(spec)\n"}};
    return explain_of(old, with_edit(old, "wrapper.py", "= spec", "= spec.model"));
  };
  const std::string_view told =
      "`Wrapper.__init__` is called by `register.Model.__init__` (`plugin.py:7`); the class of that method is defined "
      "in "
      "`register` (`plugin.py:5`), which ";
  const std::string text = text_of("Models.register_model(\"m\", Model)");
  EXPECT_TRUE(says(text, std::string(told) + "hands it to `Models.register_model` and which `generate` "
                                             "(`plugin.py:13`) calls."))
      << text;
  const std::string given = text_of("return Model");
  EXPECT_TRUE(says(given, std::string(told) + "`generate` (`plugin.py:13`) calls.")) << given;
  EXPECT_FALSE(says(text_of("print(Model)"), "hands it to")) << text_of("print(Model)");
}

}  // namespace
}  // namespace lockstep::render
