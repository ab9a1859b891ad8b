// Methods that new code asks objects of unknown class for.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

TEST(AskedMethods, TheClassesThatDefineThemAreNamed) {
  const Files before = {{"te.py",
                         "class Linear:\n    def finish_init(self, x):\n        return x\n\n\n"
                         "class Grouped:\n    def finish_init(self, x):\n        return x\n"},
                        {"tests/fake.py", "class Fake:\n    def finish_init(self, x):\n        return x\n"},
                        {"model.py", "def build(parts):\n    return parts\n"}};
  const auto text_with = [&](const std::string& name) {
    Files after = before;
    after["model.py"] = "def build(parts):\n    for part in parts:\n        if hasattr(part, '" + name +
                        "'):\n            part." + name + "(1)\n    return parts\n";
    return explain_of(before, after);
  };
  EXPECT_TRUE(
      says(text_with("finish_init"),
           "- `finish_init`, which it asks for, is a method of `Linear` (`te.py:2`) and `Grouped` (`te.py:7`)."))
      << text_with("finish_init");
  EXPECT_FALSE(says(text_with("other"), "which it asks for")) << text_with("other");
}

}  // namespace
}  // namespace lockstep::render
