// A class that gets a new base: told first, with what the two call of each other.
#include <gtest/gtest.h>

#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const char* const kShared = R"(class Orchestrated:
    def run_all(self, x):
        return self.decode(x)

    def decode(self, x):
        raise NotImplementedError

    def unrelated(self, x):
        return x
)";

TEST(NewBases, WhatTheyCallOfEachOtherIsToldFirst) {
  const std::string before = R"(class Mixer:
    def forward(self, x, y):
        if y > 1:
            return self._run(x)
        return self._run(x) + y

    def _run(self, x):
        return self.decode(x)

    def decode(self, x):
        return x
)";
  const std::string after = R"(from shared import Orchestrated


class Mixer(Orchestrated):
    def forward(self, x, y):
        if y > 1:
            return self.run_all(x)
        return self.run_all(x) + y

    def decode(self, x):
        return x
)";
  const std::string text =
      explain_of({{"shared.py", kShared}, {"mixer.py", before}}, {{"shared.py", kShared}, {"mixer.py", after}});
  EXPECT_TRUE(says(text,
                   "### What\n\n- `Mixer` (changed, `mixer.py:4`): derives from `Orchestrated`, calls its "
                   "`run_all` and gives it `decode` to call."))
      << text;
}

TEST(NewBases, OfAPlainBaseOnlyTheNameIsTold) {
  const std::string plain = "class Plain:\n    pass\n\n\nclass Box{}:\n    size = 1\n";
  const auto with_header = [&](const std::string& header) {
    std::string text = plain;
    return text.replace(text.find("{}"), 2, header);
  };
  const std::string text = explain_of({{"box.py", with_header("")}}, {{"box.py", with_header("(Plain)")}});
  EXPECT_TRUE(says(text, "derives from `Plain`.")) << text;
}

// Nobody outside called it by the name that it had.
TEST(Compatibility, WhatBecomesPublicBreaksNobody) {
  const auto text_of = [](const std::string& name) {
    return explain_of(
        {{"box.py", "class Box:\n    def " + name + "(self, x):\n        y = x + 1\n        return y * 2\n"}},
        {{"box.py", "class Box:\n    def put(self, x, z):\n        y = x + 1\n        return y * 2\n"}});
  };
  EXPECT_TRUE(says(text_of("put"), "`Box.put` takes a new `z` without a default.")) << text_of("put");
  EXPECT_FALSE(says(text_of("_put"), "takes a new `z` without a default.")) << text_of("_put");
}

// Whose attribute it is, its name alone does not say; comments and code outside functions are no functions.
TEST(Flags, UsersOfTheNameAreCountedAsSuch) {
  const std::string users =
      "# config.size_limit matters\nsize = config.size_limit\n\n\ndef a(config):\n    # config.size_limit\n    return "
      "1\n\n\ndef b(config):\n    return config.size_limit\n";
  const std::string text =
      explain_of({{"c.py", "class Config:\n    size: int = 1\n"}, {"use.py", users}},
                 {{"c.py", "class Config:\n    size: int = 1\n    size_limit: int = 2\n"}, {"use.py", users}});
  EXPECT_TRUE(says(text, "Its name is read at least in `b`.")) << text;
}

// Of any receiver whose class is known it is read, too.
TEST(Flags, AReadThroughAReceiverOfAKnownClassCounts) {
  const std::string users =
      "from c import Config\n\n\ndef a(options: Config):\n    return options.size_limit\n\n\ndef b(box):\n    return "
      "box.size_limit\n\n\ndef c():\n    made = Config()\n    return made.size_limit\n";
  const std::string text =
      explain_of({{"c.py", "class Config:\n    size: int = 1\n"}, {"use.py", users}},
                 {{"c.py", "class Config:\n    size: int = 1\n    size_limit: int = 2\n"}, {"use.py", users}});
  EXPECT_TRUE(says(text, "Its name is read at least in `a` and `c`.")) << text;
}

TEST(NewBases, OfTwoWithOneNameTheNewOneIsMeant) {
  const auto text_of = [](const std::string& bases) {
    return Files{
        {"a/__init__.py", ""},
        {"b/__init__.py", ""},
        {"a/m.py", "class Base:\n    def run(self):\n        self.go()\n\n    def go(self):\n        pass\n"},
        {"b/m.py", "class Base:\n    def stop(self):\n        self.end()\n\n    def end(self):\n        pass\n"},
        {"c.py", "import a.m\nimport b.m\n\n\nclass Job(" + bases +
                     "):\n    def go(self):\n        pass\n\n    def end(self):\n        pass\n"}};
  };
  const std::string text = explain_of(text_of("a.m.Base"), text_of("a.m.Base, b.m.Base"));
  EXPECT_TRUE(says(text, "derives from `b.m.Base` and gives it `end` to call.")) << text;
}

}  // namespace
}  // namespace lockstep::render
