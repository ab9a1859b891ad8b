// New functions that have the code of one of the same name that stays.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kHybrid = R"(class HybridModel:
    def uses_graph(self, context):
        """Whether a graph is replayed."""
        if self.manager is None:
            return False
        if context.is_static():
            return context.is_decode()
        return context.uses_graph()

    def run(self, x):
        return x
)";

const std::string kGpt = "class GPTModel:\n    def run(self, x):\n        return x\n";

std::string told(const std::string& method) {
  return explain_of({{"hybrid.py", kHybrid}, {"gpt.py", kGpt}}, {{"hybrid.py", kHybrid}, {"gpt.py", kGpt + method}});
}

const std::string kMethod = R"(
    def uses_graph(self, context):
        # As the other model does.
        if self.manager is None:
            return False
        if context.is_static():
            return context.is_decode()
        return context.uses_graph()
)";

TEST(SameCode, ANewFunctionWithTheCodeOfAnotherIsToldAsThat) {
  const std::string text = told(kMethod);
  EXPECT_TRUE(says(text,
                   "The new `uses_graph` of `GPTModel` has the same statements as the one of `HybridModel` "
                   "(`hybrid.py:2`)."))
      << text;
}

TEST(SameCode, OtherCodeOtherNamesAndIdiomsAreNot) {
  EXPECT_FALSE(says(told(replace_all(kMethod, "return False", "return True")), "the same statements as"));
  EXPECT_FALSE(says(told(replace_all(kMethod, "uses_graph(self", "has_graph(self")), "the same statements as"));
  EXPECT_FALSE(says(told("\n    def uses_graph(self, context):\n        return False\n"), "the same statements as"));
}

}  // namespace
}  // namespace lockstep::render
