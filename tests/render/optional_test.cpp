// Imports that become optional: one fact, not a new check of each function that needs the package.
#include <gtest/gtest.h>

#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const char* const kBefore = R"(import yaml
import os


def load(path):
    with open(path) as f:
        return yaml.safe_load(f)


def save(path, x):
    os.makedirs(path)
    yaml.dump(x)
)";

const char* const kAfter = R"(import os

try:
    import yaml

    HAVE_YAML = True
except ImportError:
    HAVE_YAML = False


def load(path):
    if not HAVE_YAML:
        raise ImportError("install yaml")
    with open(path) as f:
        return yaml.safe_load(f)


def save(path, x):
    os.makedirs(path, exist_ok=True)
    if not HAVE_YAML:
        raise ImportError("install yaml")
    yaml.dump(x)
)";

TEST(OptionalImports, AreToldOnce) {
  const std::string text = explain_of({{"lib.py", kBefore}}, {{"lib.py", kAfter}});
  EXPECT_TRUE(says(text, "- `yaml` becomes an optional import: `lib.py` has it in a `try` now; ")) << text;
  EXPECT_TRUE(says(text, "raise `ImportError` where it is missing.")) << text;
  EXPECT_TRUE(says(text, "| import of `yaml` | Unconditional: without it 1 module cannot be imported. | In a `try`: "))
      << text;
  EXPECT_FALSE(says(text, "- `load` (changed")) << text;
  EXPECT_FALSE(says(text, "`HAVE_YAML` (new")) << text;
  // What else changes is told.
  EXPECT_TRUE(says(text, "- `save` (changed")) << text;
}

TEST(OptionalImports, AnImportThatWasOptionalBeforeIsNoNews) {
  std::string grown = kAfter;
  grown.replace(grown.find("    yaml.dump(x)"), 16, "    yaml.dump(x, None)");
  const std::string text = explain_of({{"lib.py", kAfter}}, {{"lib.py", grown}});
  EXPECT_FALSE(says(text, "optional import")) << text;
}

TEST(OptionalImports, AModuleOfTheRepositoryIsNone) {
  const std::string text = explain_of({{"lib.py", kBefore}, {"yaml.py", "def dump(x):\n    pass\n"}},
                                      {{"lib.py", kAfter}, {"yaml.py", "def dump(x):\n    pass\n"}});
  EXPECT_FALSE(says(text, "optional import")) << text;
}

}  // namespace
}  // namespace lockstep::render
