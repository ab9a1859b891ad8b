// Values that come to stand in one and the same call in many places.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kBefore =
    "from weakref import ref\n\n\nclass Order:\n    def __init__(self, owner):\n        self.owner = owner\n"
    "        self.items = []\n\n    def append(self, item):\n        self.items.append(item)\n\n"
    "    def mark(self, parameter):\n        setattr(parameter, 'order', self)\n";

TEST(WrappedValues, OneCallAroundManyValuesIsToldOnce) {
  const std::string after =
      replace_all(replace_all(replace_all(kBefore, "self.owner = owner", "self.owner = ref(owner)"), "append(item)\n",
                              "append(ref(item))\n"),
                  "'order', self)", "'order', ref(self))");
  const std::string text = explain_of({{"m.py", kBefore}}, {{"m.py", after}});
  EXPECT_TRUE(says(text,
                   "- `ref(…)` now stands around `item`, `self` and `owner`, which stood alone before, in "
                   "`Order.append`, `Order.mark` and `Order.__init__`."))
      << text;
}

TEST(WrappedValues, TwoPlacesOrOtherValuesAreNone) {
  const std::string two = replace_all(replace_all(kBefore, "append(item)\n", "append(ref(item))\n"), "'order', self)",
                                      "'order', ref(self))");
  EXPECT_FALSE(says(explain_of({{"m.py", kBefore}}, {{"m.py", two}}), "now stands around"));
  const std::string other =
      replace_all(replace_all(replace_all(kBefore, "self.owner = owner", "self.owner = ref(self)"), "append(item)\n",
                              "append(ref(self))\n"),
                  "'order', self)", "'order', ref(parameter))");
  EXPECT_FALSE(says(explain_of({{"m.py", kBefore}}, {{"m.py", other}}), "now stands around"));
}

}  // namespace
}  // namespace lockstep::render
