// Methods that a library calls: where runs make the objects that they run on.
#include <gtest/gtest.h>

#include <utility>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kOptimizer =
    "from library.optim import Base\n\n\n"
    "class Muon(Base):\n    def __init__(self, params):\n        super().__init__(params)\n\n"
    "    def orthogonalize(self, x):\n        return self.scale(x)\n\n"
    "    def scale(self, x):\n        y = x + 1\n        return y\n\n\n"
    "class Plain(Base):\n    pass\n\n\n";
const std::string kTable =
    "KINDS = {'muon': Muon, 'plain': Plain}\n\n\ndef create(name, params):\n    return KINDS[name](params)\n\n\n"
    "def make(config, params):\n    return create(config.kind, params)\n";
const std::string kTrain =
    "import argparse\n\nfrom pkg.optimizer import make\n\n\nclass Loop:\n    def __init__(self, optimizer):\n"
    "        self.optimizer = optimizer\n\n    def train_step(self):\n        self.optimizer.zero_grad()\n"
    "        self.optimizer.step()\n\n\ndef main():\n    parser = argparse.ArgumentParser()\n"
    "    parser.add_argument('--kind', default='plain')\n    args = parser.parse_args()\n"
    "    Loop(make(args, [])).train_step()\n\n\nif __name__ == '__main__':\n    main()\n";

std::string explained(const std::string& optimizer, const std::string& train = kTrain) {
  const Files files = {{"pkg/__init__.py", ""}, {"pkg/optimizer.py", optimizer}, {"train.py", train}};
  return explain_of(files, with_edit(files, "pkg/optimizer.py", "x + 1", "x + 2"));
}

TEST(ObjectOrigins, AreToldOfMethodsThatALibraryCalls) {
  const std::string text = explained(kOptimizer + kTable);
  EXPECT_TRUE(says(text, "The call graph finds no script that leads to `Muon.scale`")) << text;
  EXPECT_TRUE(says(text, "Objects of `Muon` are made at `pkg/optimizer.py:24`, on this way: `train.py` → `main`"))
      << text;
  EXPECT_TRUE(says(text,
                   "`KINDS` holds `Muon` under `\"muon\"` (`pkg/optimizer.py:20`); `create` takes what stands under "
                   "`name` (`pkg/optimizer.py:24`), which is set from `config.kind` (argument `--kind`, "
                   "`pkg/optimizer.py:28`)."))
      << text;
  EXPECT_TRUE(says(text,
                   "The repository calls what such an object inherits from `library.optim.Base`: `step` in "
                   "`Loop.train_step` (`train.py:12`)."))
      << text;
  EXPECT_FALSE(says(text, "zero_grad")) << text;
}

// A new branch that asks for such an object runs where one is made, and nowhere else.
TEST(ObjectOrigins, TheBranchThatAsksForThemIsTold) {
  const auto told = [](const std::string& asked) {
    const std::string step =
        replace_all(kTrain, "from pkg.optimizer import make", "from pkg.optimizer import Muon, make");
    const Files before = {{"pkg/__init__.py", ""}, {"pkg/optimizer.py", kOptimizer + kTable}, {"train.py", step}};
    Files after =
        with_edit(before, "pkg/optimizer.py", "        y = x + 1\n",
                  "        y = x + 2\n        for _ in range(5):\n            y = y * x\n            if y > 3:\n"
                  "                raise ValueError(y)\n        self.count = y\n");
    return explain_of(before, with_edit(after, "train.py", "        self.optimizer.step()\n",
                                        "        if " + asked +
                                            ":\n            self.optimizer.step(2)\n"
                                            "        self.optimizer.step()\n"));
  };
  const std::string text = told("isinstance(self.optimizer, Muon)");
  EXPECT_TRUE(says(text, "The new branch of `Loop.train_step` (`train.py:12`) is taken with such objects alone."))
      << text;
  EXPECT_FALSE(says(told("not isinstance(self.optimizer, Muon)"), "with such objects alone"));
}

TEST(ObjectOrigins, AreNotToldWhereNoScriptMakesAny) {
  const std::string unused = explained(kOptimizer +
                                       "KINDS = {'plain': Plain}\n\n\ndef make(config, params):\n"
                                       "    return KINDS[config.kind](params)\n");
  EXPECT_FALSE(says(unused, "Objects of")) << unused;
  const std::string called =
      explained(kOptimizer + kTable, replace_all(kTrain, "optimizer.step()", "optimizer.orthogonalize(1)"));
  EXPECT_FALSE(says(called, "Objects of `Muon` are made at")) << called;
}

TEST(ObjectOrigins, OfATableThatHoldsAClassUnderTwoKeysNoneIsNamed) {
  const std::string text = explained(kOptimizer + replace_all(kTable, "{'muon': Muon,", "{'muon': Muon, 'old': Muon,"));
  EXPECT_TRUE(says(text, "Objects of `Muon` are made at")) << text;
  EXPECT_FALSE(says(text, "`KINDS` holds")) << text;
}

TEST(WayEntries, ScriptsOfAHiddenFolderLeadToWhatStandsBesideThem) {
  const Files files = {{".github/scripts/bot.py",
                        "def work(x):\n    y = x + 1\n    return y\n\n\ndef main():\n    return work(1)\n\n\n"
                        "if __name__ == '__main__':\n    main()\n"}};
  const std::string text = explain_of(files, with_edit(files, ".github/scripts/bot.py", "x + 1", "x + 2"));
  EXPECT_TRUE(says(text, "Runs reach `work`: `.github/scripts/bot.py` → `main`")) << text;
}

}  // namespace
}  // namespace lockstep::render
