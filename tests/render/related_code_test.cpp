// Section 7.3 of the deep dive: what is found outside the diff, and what is said where nothing is.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kNothing =
    "Outside the diff, no surely resolved call of what carries the change, no override or subclass and no test that "
    "makes its objects was found";

Files muon(const std::string& rate, const std::string& tests = {}) {
  return {{"a.py", "import library\n\n\nclass Muon(library.Optimizer):\n    def scale(self, x):\n        return x * " +
                       rate +
                       "\n\n\nclass Adaptive(Muon):\n    pass\n\n\nclass Other(Muon):\n    def scale(self, x):\n"
                       "        return x\n"},
          {"tests/test_a.py", tests}};
}

TEST(RelatedCode, HeirsAndTestsThatMakeObjectsAreListedWhereNothingCallsWhatChanges) {
  const std::string tests =
      "from a import Adaptive, Muon\n\n\ndef test_smoke():\n    assert Muon()\n\n\ndef test_adaptive():\n"
      "    assert Adaptive()\n\n\ndef test_nothing():\n    assert Muon is not Adaptive\n";
  // An override is found before them.
  const std::string text = dive_of(muon("2", tests), muon("3", tests));
  EXPECT_TRUE(says(text, "`Other.scale` - overrides `Muon.scale`")) << text;
  const auto without_other = [](Files files) {
    std::string& code = files["a.py"];
    code.resize(code.find("\n\nclass Other"));
    return files;
  };
  const std::string heirs = dive_of(without_other(muon("2", tests)), without_other(muon("3", tests)));
  EXPECT_TRUE(says(heirs, "- `a.py:9` `Adaptive` - inherits `Muon.scale`")) << heirs;
  EXPECT_TRUE(says(heirs, "- `tests/test_a.py:4` `test_smoke` - makes objects of `Muon`")) << heirs;
  EXPECT_TRUE(says(heirs, "- `tests/test_a.py:8` `test_adaptive` - makes objects of `Adaptive`")) << heirs;
  EXPECT_FALSE(says(heirs, "test_nothing")) << heirs;
  EXPECT_FALSE(says(heirs, kNothing)) << heirs;
}

TEST(RelatedCode, CallersOfAChangedFileStandForThoseOfWhatChanges) {
  const auto files = [](const std::string& value, const std::string& user) {
    return Files{{"a.py", "def scale(x):\n    return x * " + value + "\n\n\ndef read(x):\n    return x\n"},
                 {"b.py", user}};
  };
  const std::string user = "from a import read\n\n\ndef run(x):\n    return read(x)\n";
  const std::string text = dive_of(files("2", user), files("3", user));
  EXPECT_TRUE(says(text, "- `b.py:4` `run` - calls `read`, of a changed file")) << text;
  const std::string alone = dive_of(files("2", "x = 1\n"), files("3", "x = 1\n"));
  EXPECT_TRUE(says(alone, kNothing + "; the changed files themselves are the place to look:\n\n- `a.py`")) << alone;
}

}  // namespace
}  // namespace lockstep::render
