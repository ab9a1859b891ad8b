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

TEST(OptionalImports, OnlyAHandlerThatGoesOnMakesOneOptional) {
  const auto text_of = [](const std::string& before, const std::string& after) {
    const std::string rest = "\n\ndef load(p):\n    return json.dumps(p)\n";
    return explain_of({{"a.py", "import json\nimport sys\n" + before + rest}},
                      {{"a.py", "import json\nimport sys\n" + after + rest}});
  };
  const std::string plain = "import yaml\n";
  const std::string attempt = "try:\n    import yaml\n";
  EXPECT_TRUE(says(text_of(plain, attempt + "except (OSError, ImportError):\n    yaml = None\n"), "optional import"));
  for (const std::string end : {"except ImportError as e:\n    raise RuntimeError('pip install yaml') from e\n",
                                "except ImportError:\n    sys.exit('no yaml')\n", "finally:\n    print('x')\n",
                                "except ValueError:\n    yaml = None\n"}) {
    const std::string text = text_of(plain, attempt + end);
    EXPECT_FALSE(says(text, "optional import")) << text;
  }
  const std::string conditional =
      text_of("if sys.platform == 'linux':\n    import yaml\n", attempt + "except ImportError:\n    yaml = None\n");
  EXPECT_FALSE(says(conditional, "optional import")) << conditional;
}

TEST(OptionalImports, AFlagSaysThatThePackageIsThere) {
  const std::string after = "try:\n    import yaml\n\n    STRICT = False\nexcept ImportError:\n    yaml = None\n";
  const auto load = [](const std::string& check) { return "\n\ndef load(p):\n" + check + "    return yaml.load(p)\n"; };
  const std::string text =
      explain_of({{"a.py", "import yaml\n" + load("")}},
                 {{"a.py", after + load("    if not STRICT:\n        raise ImportError('always')\n")}});
  EXPECT_TRUE(says(text, "`yaml` becomes an optional import: `a.py` has it in a `try` now.")) << text;
  EXPECT_FALSE(says(text, "where it is missing")) << text;
}

/// One more import in a `try` whose success decides a flag decides it, too.
TEST(OptionalImports, AFlagThatNeedsOneMorePackageIsTold) {
  const auto text_of = [](const std::string& was, const std::string& now) {
    const auto lib = [](const std::string& imports) {
      return "try:\n" + imports + "\n    HAVE_FAST = True\nexcept ImportError:\n    HAVE_FAST = False\n\n\n" +
             "def run(x):\n    return x if HAVE_FAST else None\n";
    };
    return explain_of({{"lib.py", lib(was)}, {"own.py", "X = 1\n"}, {"folder/deep.py", "Y = 1\n"}},
                      {{"lib.py", lib(now)}, {"own.py", "X = 1\n"}, {"folder/deep.py", "Y = 1\n"}});
  };
  const std::string fast = "    from fast import Buffer\n";
  const std::string text = text_of(fast, "    import fast_cpp\n" + fast);
  EXPECT_TRUE(says(text,
                   "- `HAVE_FAST` (`lib.py:5`) now also needs `fast_cpp`: it is true only where the import "
                   "succeeds. It is read in `run` (`lib.py:10`)."))
      << text;
  const std::string part = text_of(fast, fast + "    from fast.deep import Pool\n");
  EXPECT_TRUE(says(part, "now also needs `fast.deep.Pool`:")) << part;
  const std::string other = text_of(fast, "    from slow import Store\n");
  EXPECT_TRUE(says(other, "now needs `slow.Store`, and no longer `fast.Buffer`: it is true")) << other;
  // The same from elsewhere in the package, Python's own modules, and those of the repository are there as before.
  for (const std::string& now : {std::string("    from fast.buffers import Buffer\n"), fast + "    import os\n",
                                 fast + "    from own import X\n", fast + "    from folder.deep import Y\n"})
    EXPECT_FALSE(says(text_of(fast, now), " needs `")) << text_of(fast, now);
}

}  // namespace
}  // namespace lockstep::render
