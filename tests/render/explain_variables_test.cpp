#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/document_fixture.h"
#include "render/markdown.h"
#include "report/explain.h"

namespace lockstep::render {
namespace {

using ::testing::HasSubstr;

TEST(ExplainVariables, CountsNoWordOfAStringAndNoOtherObjectsAttributeAsAUse) {
  const Files before = {{"clip.py", "def clip(x):\n    return x\n"}};
  const Files after = {{"clip.py",
                        "def clip(x):\n"
                        "    limit = x.limit * 2\n"
                        "    print('the limit')\n"
                        "    x.limit = 1\n"
                        "    if x > limit:\n"
                        "        x = limit\n"
                        "    print(f'{limit}')\n"
                        "    return x\n"}};
  const auto fixture = make_fixture(before, after, "Clip");
  const std::string text = render_markdown(report::write_explain(fixture->inputs));
  EXPECT_THAT(text, HasSubstr("Variables: `limit` is set at line 2 and used at lines 5, 6 and 7."));
}

}  // namespace
}  // namespace lockstep::render
