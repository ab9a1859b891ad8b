// Imports that a change mends or only takes from elsewhere, and what is told of them.
#include <gtest/gtest.h>

#include <utility>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const char* const kCore = R"(def unwrap(model):
    return model
)";

const char* const kTool = R"(from acme.training.utils import print_rank_0, unwrap

if __name__ == "__main__":
    print_rank_0(unwrap(1))
)";

const char* const kMended = R"(from acme.core import unwrap
from acme.training.utils import print_rank_0

if __name__ == "__main__":
    print_rank_0(unwrap(1))
)";

/// `binds`: what `acme.training.utils` imports beside.
Files tree(const char* tool, const std::string& binds = {}) {
  return {{"acme/__init__.py", ""},
          {"acme/core.py", kCore},
          {"acme/training/__init__.py", ""},
          {"acme/training/utils/__init__.py", "from acme.training.utils.common import print_rank_0\n" + binds},
          {"acme/training/utils/common.py", "def print_rank_0(text):\n    print(text)\n"},
          {"tools/export.py", tool},
          {"tools/prune.py", tool}};
}

TEST(ChangedImports, ThatFailedAreTheReason) {
  const std::string text = explain_of(tree(kTool), tree(kMended));
  EXPECT_TRUE(says(text,
                   "its message gives no reason; the code shows one. Before the change `unwrap` was imported "
                   "from `acme.training.utils`, which bound no such name: each of these 2 scripts failed at its "
                   "start with an `ImportError`: `tools/export.py` and `tools/prune.py`."))
      << text;
  EXPECT_TRUE(says(text,
                   "`unwrap` is imported from `acme.core`, where it is defined, instead of "
                   "`acme.training.utils`, which binds no such name"))
      << text;
  EXPECT_TRUE(says(text,
                   "Each start of one of the 2 scripts `tools/export.py` and `tools/prune.py` runs its changed "
                   "imports."))
      << text;
  EXPECT_TRUE(says(text,
                   "- `tools/export.py` and `tools/prune.py` (modified, +4 −2): imports `unwrap` from "
                   "`acme.core` instead of `acme.training.utils`."))
      << text;
  const std::string dive = dive_of(tree(kTool), tree(kMended));
  EXPECT_TRUE(says(dive, "**What:** `unwrap` is imported from `acme.core`, where it is defined")) << dive;
  EXPECT_TRUE(says(dive,
                   "`unwrap` was imported from `acme.training.utils` (before the change at "
                   "`tools/export.py:1` and `tools/prune.py:1`), which bound no such name: the import raised an "
                   "`ImportError`."))
      << dive;
  EXPECT_FALSE(says(dive, "no run enters new code")) << dive;
  EXPECT_FALSE(says(dive, "no code is involved")) << dive;
  EXPECT_FALSE(says(dive, "dependency gone")) << dive;
  EXPECT_TRUE(says(dive,
                   "`tools/export.py` and `tools/prune.py` import `unwrap` from `acme.core` instead of "
                   "`acme.training.utils`"))
      << dive;
}

TEST(ChangedImports, OfTheSameObjectFailedNever) {
  const std::string binds = "from acme.core import unwrap\n";
  const std::string text = explain_of(tree(kTool, binds), tree(kMended, binds));
  EXPECT_FALSE(says(text, "ImportError")) << text;
  EXPECT_TRUE(says(text,
                   "`unwrap` is imported from `acme.core`, where it is defined, instead of "
                   "`acme.training.utils`, which only took it from elsewhere: it is the same object."))
      << text;
}

/// Which of several objects a name is, what runs decides.
TEST(ChangedImports, WhatIsBoundTwiceIsNotSaidToBeTheSame) {
  for (const std::string binds :
       {"import os\nif os.environ.get(\"SLOW\"):\n    from acme.training.utils.common import print_rank_0 as unwrap\n"
        "else:\n    from acme.core import unwrap\n",
        "from acme.core import unwrap\nif not hasattr(unwrap, \"ok\"):\n    unwrap = None\n"}) {
    const std::string text = explain_of(tree(kTool, binds), tree(kMended, binds));
    EXPECT_FALSE(says(text, "the same object")) << binds << text;
  }
}

/// Whoever puts something else in the place of the one name leaves the other as it is.
TEST(ChangedImports, WhatOthersReplaceIsNotSaidToBeTheSame) {
  const std::string binds = "from acme.core import unwrap\n";
  const auto tells = [&](const std::string& other) {
    Files before = tree(kTool, binds), after = tree(kMended, binds);
    before["acme/other.py"] = after["acme/other.py"] = other;
    return says(explain_of(before, after), "the same object");
  };
  EXPECT_TRUE(tells("class Holder:\n    def __init__(self, unwrap):\n        self.unwrap = unwrap\n"));
  EXPECT_FALSE(tells("import acme.training.utils\n\nacme.training.utils.unwrap = print\n"));
  EXPECT_FALSE(tells("from acme import core\n\nsetattr(core, \"unwrap\", print)\n"));
}

/// A package may hold modules that are built from other languages.
TEST(ChangedImports, WhatMayBeCompiledIsNotSaidToFail) {
  const auto tells = [&](const std::string& path, const std::string& text) {
    Files before = tree(kTool), after = tree(kMended);
    before[path] = after[path] = text;
    return says(explain_of(before, after), "ImportError");
  };
  EXPECT_TRUE(tells("acme/training/utils/other.pyx", "def f(): pass\n"));
  EXPECT_FALSE(tells("acme/training/utils/unwrap.pyx", "def f(): pass\n"));
  EXPECT_FALSE(tells("setup.py",
                     "from setuptools import Extension\n\nnative = Extension(\"acme.training.utils.unwrap\", [])\n"));
}

TEST(ChangedImports, OfWhichNothingIsKnownAreNotSaidToFail) {
  // Names that may come in other ways; and one that the module has by a star.
  for (const std::string binds :
       {"from outside import *\n", "def __getattr__(name):\n    return make(name)\n", "from acme.core import *\n",
        "globals().update(make())\n", "import acme.training.utils.common as unwrap\n"}) {
    const std::string text = explain_of(tree(kTool, binds), tree(kMended, binds));
    EXPECT_FALSE(says(text, "ImportError")) << binds << text;
  }
  // Caught, and under a condition.
  const std::string caught = replace_all(kTool, "from acme.training.utils import print_rank_0, unwrap",
                                         "try:\n    from acme.training.utils import print_rank_0, unwrap\n"
                                         "except ImportError:\n    unwrap = print_rank_0 = print");
  EXPECT_FALSE(says(explain_of(tree(caught.c_str()), tree(kMended)), "failed"));
  const std::string asked = replace_all(kTool, "from acme.training.utils import print_rank_0, unwrap",
                                        "import sys\nif len(sys.argv) > 1:\n"
                                        "    from acme.training.utils import print_rank_0, unwrap");
  EXPECT_FALSE(says(explain_of(tree(asked.c_str()), tree(kMended)), "failed"));
}

/// A package may hold it as a compiled module.
TEST(ChangedImports, OfACompiledModuleAreNotSaidToFail) {
  Files before = tree(kTool), after = tree(kMended);
  before["acme/training/utils/unwrap.pyx"] = "def unwrap(model):\n    return model\n";
  EXPECT_FALSE(says(explain_of(before, after), "ImportError"));
  before["acme/training/utils/unwrap.md"] = std::exchange(before["acme/training/utils/unwrap.pyx"], "");
  before.erase("acme/training/utils/unwrap.pyx");
  EXPECT_TRUE(says(explain_of(before, after), "ImportError"));
}

TEST(ChangedImports, AModuleThatIsNoScriptFailsWhenItIsLoaded) {
  Files before = tree(kTool), after = tree(kTool);
  before["acme/run.py"] = "from acme.training.utils import unwrap\n\n\ndef run():\n    return unwrap(1)\n";
  after["acme/run.py"] = "from acme.core import unwrap\n\n\ndef run():\n    return unwrap(1)\n";
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "whatever loaded `acme/run.py` failed with an `ImportError`")) << text;
  EXPECT_TRUE(says(text, "Whatever loads `acme/run.py` runs its changed imports.")) << text;
}

TEST(ChangedImports, LinesThatOnlyMoveImportsCountForNothing) {
  Files before = tree(kTool), after = tree(kMended);
  before["tools/prune.py"] = replace_all(kTool, "\n\nif", "\nfrom acme.core import (\n    unwrap as other,\n)\n\nif");
  after["tools/prune.py"] = replace_all(kMended, "\n\nif", "\nfrom acme.core import unwrap as other\n\nif");
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "Other changed lines of `tools/prune.py` only move imports or lay them out anew.")) << text;
  EXPECT_TRUE(says(text, "### `tools/export.py`")) << text;
}

}  // namespace
}  // namespace lockstep::render
