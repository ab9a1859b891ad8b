#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"
#include "render/markdown.h"
#include "report/documents/explain.h"

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
  EXPECT_THAT(
      text, HasSubstr("- `limit` (line 2): decides the branch at line 5; goes into `x` (line 6); is used at line 7."));
}

// The difference stands in an argument of an inner call, past the width at which such arguments are left out.
TEST(ExplainVariables, AValueThatChangesDeepInsideShowsWhatChangesAndWhoReadsIt) {
  const std::string value = "WAIT = timedelta(minutes=int(os.getenv(\"LIBRARY_TIMEOUT_MINUTES\", default=30)))\n";
  const std::string user =
      "import lib.constants\nfrom lib.constants import WAIT as limit\n\n\ndef start(timeout=limit):\n    return "
      "timeout\n\n\n"
      "def stop():\n    return lib.constants.WAIT\n\n\ndef other(WAIT):\n    return WAIT\n";
  const auto files = [&](const std::string& of) {
    return Files{{"lib/__init__.py", ""}, {"lib/constants.py", "import os\n" + of}, {"lib/user.py", user}};
  };
  const std::string text = explain_of(files(value), files(replace_all(value, "30", "10")));
  EXPECT_THAT(text, HasSubstr("\", default=30)))` to `timedelta"));
  EXPECT_THAT(text, HasSubstr("\", default=10)))`."));
  EXPECT_THAT(
      text, HasSubstr("`WAIT` is no function; it is read in `start` (`lib/user.py:5`) and `stop` (`lib/user.py:9`)."));
}

}  // namespace
}  // namespace lockstep::render
