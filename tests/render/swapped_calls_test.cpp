// What a change does in many places at once: one call in place of another, a new class that many functions come to use;
// and that what nothing uses yet is told behind what runs.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kIndex = R"(import numpy


def documents(path):
    index = numpy.load(path, allow_pickle=True)
    return index


def samples(path, other):
    index = numpy.load(path, mmap_mode="r")
    more = numpy.load(other, mmap_mode="r")
    return index, more


def count(path):
    return len(path)


if __name__ == "__main__":
    documents("a")
    samples("a", "b")
    count("a")
)";

const std::string kSafe = R"(import numpy


def safe_load(path, **options):
    """Loads nothing but arrays."""
    return numpy.load(path, **options)
)";

std::string safe_index() {
  return replace_all(replace_all(kIndex, "numpy.load(", "safe_load("), "import numpy\n",
                     "from safe import safe_load\n");
}

TEST(SwappedCalls, OneCallInPlaceOfAnotherIsToldOnceOfWhatIsCalled) {
  const std::string text = explain_of({{"index.py", kIndex}}, {{"index.py", safe_index()}, {"safe.py", kSafe}});
  EXPECT_TRUE(says(text,
                   "- `safe_load` (new, `safe.py:4`): \u201cLoads nothing but arrays.\u201d Called in place of "
                   "`numpy.load` at 3 places: in `samples` (`index.py:10`) and `documents` (`index.py:5`)."))
      << text;
  EXPECT_FALSE(says(text, "- `samples` (changed")) << text;
  EXPECT_FALSE(says(text, "more definitions change")) << text;
}

TEST(SwappedCalls, WhatElseChangesInAFunctionIsToldOfIt) {
  const std::string text = explain_of(
      {{"index.py", kIndex}},
      {{"index.py", replace_all(safe_index(), "return index, more", "return index, more, other")}, {"safe.py", kSafe}});
  EXPECT_TRUE(says(text, "at 3 places")) << text;
  EXPECT_TRUE(says(text, "- `samples` (changed, `index.py:9`): returns `index, more, other`")) << text;
}

TEST(SwappedCalls, TwoPlacesOrOtherArgumentsAreNone) {
  const std::string two =
      explain_of({{"index.py", kIndex}},
                 {{"index.py", replace_all(safe_index(), "safe_load(other, mmap_mode=\"r\")", "safe_load(other)")},
                  {"safe.py", kSafe}});
  EXPECT_FALSE(says(two, "Called in place of")) << two;
}

const std::string kSteps = R"(def first(x):
    print(x)
    return x


def second(x):
    print(x)
    return x


def third(x):
    print(x)
    if x > 3:
        return x + 1
    return x


if __name__ == "__main__":
    first(1)
    second(2)
    third(3)
)";

const std::string kTracker = R"(class Tracker:
    """Keeps what steps record until it is reported."""

    def __init__(self):
        self.values = []

    def record(self, value):
        self.values.append(value)

    def report(self):
        return list(self.values)


_TRACKER = Tracker()


def unused():
    return _TRACKER.report()
)";

TEST(SwappedCalls, ANewClassThatManyComeToUseLeads) {
  const std::string now = "from tracker import Tracker\n\n\n" +
                          replace_all(kSteps, "    print(x)\n", "    tracker = Tracker()\n    tracker.record(x)\n");
  const std::string text = explain_of({{"steps.py", kSteps}}, {{"steps.py", now}, {"tracker.py", kTracker}});
  const std::size_t what = text.find("### What");
  ASSERT_NE(what, std::string::npos);
  EXPECT_EQ(text.find("- `Tracker` (new, `tracker.py:1`)", what), text.find("- ", what)) << text;
  // What nothing uses yet comes behind it.
  EXPECT_TRUE(says(text, "No Python code outside tests uses the new `unused` yet.")) << text;
}

}  // namespace
}  // namespace lockstep::render
