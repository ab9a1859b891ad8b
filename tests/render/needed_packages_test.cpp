// Packages that a file needs now when it is imported, and that other code takes for optional.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const Files kBefore = {{"train.py", "def main():\n    return 1\n\n\nif __name__ == '__main__':\n    main()\n"},
                       {"quantize.py", "try:\n    import modelopt.torch\nexcept ImportError:\n    modelopt = None\n"},
                       {"tools/__init__.py", ""},
                       {"tools/report.py", "import modelopt.torch.opt as mto\n\n\ndef summary():\n    return mto\n"}};

std::string with_import(const std::string& statement, Files before = kBefore) {
  Files after = before;
  after["train.py"] = statement + "\n\n" + before.at("train.py");
  return explain_of(before, after);
}

constexpr std::string_view kNeeds = "needs the package `modelopt` now";

TEST(NeededPackages, AnImportThatLeadsToAnOptionalPackageIsTold) {
  const std::string text = with_import("from tools.report import summary");
  EXPECT_TRUE(says(text,
                   "Importing `train.py` needs the package `modelopt` now: its new import of `tools.report` (line 1) "
                   "leads to that of the package at `tools/report.py:1`."))
      << text;
  EXPECT_TRUE(says(text, "Fails where `modelopt` is not installed, which `quantize.py:2` expects and catches")) << text;
  EXPECT_TRUE(says(with_import("import modelopt"),
                   "Importing `train.py` needs the package `modelopt` now, which it imports at line 1."));
}

/// Of an import that is caught, or made when a function runs; of a package that was needed before, that nobody takes
/// for optional, or that the project lists.
TEST(NeededPackages, NothingIsSaidOfOthers) {
  for (const char* statement : {"try:\n    import modelopt\nexcept ImportError:\n    pass",
                                "def late():\n    from tools.report import summary\n    return summary()"})
    EXPECT_FALSE(says(with_import(statement), kNeeds)) << statement;
  Files needed = kBefore;
  needed["train.py"] = "import modelopt\n" + kBefore.at("train.py");
  EXPECT_FALSE(says(with_import("from tools.report import summary", needed), kNeeds));
  Files sure = kBefore;
  sure["quantize.py"] = "import modelopt.torch\n";
  EXPECT_FALSE(says(with_import("from tools.report import summary", sure), kNeeds));
  Files listed = kBefore;
  listed["pyproject.toml"] = "[project]\nname = \"acme\"\ndependencies = [\n  \"modelopt>=0.3\",\n]\n";
  EXPECT_FALSE(says(with_import("from tools.report import summary", listed), kNeeds));
}

}  // namespace
}  // namespace lockstep::render
