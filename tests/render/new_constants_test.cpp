// Constants that a class gains.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const Files kAfter = {
    {"symbols.py", "class Symbols:\n    ATTENTION = \"*\"\n    MLA = \"+\"\n"},
    {"build.py",
     "from symbols import Symbols as LayerSymbols\n\n\ndef build(kind):\n"
     "    if kind == LayerSymbols.ATTENTION:\n        return 1\n    if kind == LayerSymbols.MLA:\n"
     "        return 2\n    raise ValueError(kind)\n\n\ndef other(config):\n    return config.MLA\n"}};
const Files kBefore = {
    {"symbols.py", replace_all(kAfter.at("symbols.py"), "    MLA = \"+\"\n", "")},
    {"build.py", replace_all(kAfter.at("build.py"), "    if kind == LayerSymbols.MLA:\n        return 2\n", "")}};

TEST(NewConstants, AConstantOfAClassIsToldWithWhoReadsIt) {
  const std::string text = explain_of(kBefore, kAfter);
  EXPECT_TRUE(says(text, "- `Symbols.MLA` is new: `\"+\"`; read in `build`.")) << text;
}

TEST(NewConstants, OneThatNobodyReadsOffTheClassIsNot) {
  const Files after = with_edit(kAfter, "build.py", "LayerSymbols.MLA", "\"+\"");
  EXPECT_FALSE(says(explain_of(kBefore, after), "`; read in"));
  // What a class that is new itself declares goes with it.
  EXPECT_FALSE(says(explain_of({{"a.py", "x = 1\n"}}, kAfter), "`; read in"));
}

/// What was there by a base, was set from outside or had another name is not new.
TEST(NewConstants, AConstantThatWasThereIsNot) {
  const auto told = [](const std::string& before, const std::string& after) {
    const std::string run = "\n\ndef run(kind):\n    return kind == Symbols.MLA\n";
    return says(explain_of({{"m.py", before + "\n\ndef run(kind):\n    return kind\n"}}, {{"m.py", after + run}}),
                "`Symbols.MLA` is new");
  };
  const std::string after = "class Symbols:\n    DSA = \"-\"\n    MLA = \"+\"\n";
  EXPECT_TRUE(told("class Symbols:\n    DSA = \"-\"\n", after));
  EXPECT_FALSE(told("class Base:\n    MLA = \"+\"\n\n\nclass Symbols(Base):\n    DSA = \"-\"\n",
                    "class Base:\n    pass\n\n\nclass Symbols(Base):\n    DSA = \"-\"\n    MLA = \"+\"\n"));
  EXPECT_FALSE(told("class Symbols:\n    DSA = \"-\"\n\n\nSymbols.MLA = \"+\"\n", after));
  EXPECT_FALSE(told("class Symbols:\n    DSA = \"-\"\n    LATENT = \"+\"\n", after));
  EXPECT_FALSE(told("class Symbols:\n    DSA = \"-\"\n", after + "\n\nSymbols.MLA = \"%\"\n"));
}

}  // namespace
}  // namespace lockstep::render
