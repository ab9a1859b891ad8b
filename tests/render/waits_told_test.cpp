// Waits that a title is about, conditions that edited steps leave, and what new functions insist on.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kCount =
    "import torch\nimport torch.distributed as dist\n\n\n"
    "def count(x, group):\n"
    "    total = torch.zeros(1, device=\"cuda\")\n"
    "    dist.all_reduce(total, group=group)\n"
    "    return float(total.item())\n\n\n"
    "def scale(x, group):\n"
    "    factor = 1.0\n"
    "    present = count(x, group)\n"
    "    if 0.0 < present < 8.0:\n"
    "        factor *= 8.0 / present\n"
    "    return x * factor\n";

std::string on_device() {
  std::string now = replace_all(kCount, "float(total.item())", "total");
  now = replace_all(now, "    if 0.0 < present < 8.0:\n        factor *= 8.0 / present\n",
                    "    factor = factor * present.reciprocal()\n");
  return now;
}

TEST(GoneWaits, AreToldFirstWhereTheTitleIsAboutThem) {
  const std::string item =
      "- The host no longer waits for the GPU at `total.item()` (in `count`). `count` returns the tensor itself now.";
  const std::string text = explain_of({{"a.py", kCount}}, {{"a.py", on_device()}}, "Keep the count on device");
  EXPECT_TRUE(says(text, item)) << text;
  EXPECT_LT(text.find(item), text.find("- `scale` (changed")) << text;
  EXPECT_FALSE(says(explain_of({{"a.py", kCount}}, {{"a.py", on_device()}}, "Rescale gradients"), item));
  const std::string elsewhere = replace_all(kCount, "float(total.item())", "group");
  EXPECT_FALSE(
      says(explain_of({{"a.py", kCount}}, {{"a.py", elsewhere}}, "Keep the count on device"), "the tensor itself now"));
}

TEST(GoneWaits, OfALoopAreToldAsSuch) {
  const auto lib = [](const std::string& once, const std::string& each) {
    return "import torch\n\n\ndef place(starts: torch.Tensor):\n    out = []\n" + once +
           "    for i in range(3):\n        out.append(int(" + each + "))\n    return out\n";
  };
  const std::string text = explain_of({{"a.py", lib("", "starts[i].item()")}},
                                      {{"a.py", lib("    all_starts = starts.tolist()\n", "all_starts[i]")}},
                                      "Avoid CUDA syncs in each item");
  EXPECT_TRUE(
      says(text, "- The host no longer waits for the GPU in each round of a loop, at `starts[i].item()` (in `place`)."))
      << text;
}

TEST(FormerGuards, AnEditedStepSaysUnderWhatItStood) {
  const std::string text = explain_of({{"a.py", kCount}}, {{"a.py", on_device()}});
  EXPECT_TRUE(says(text, " (formerly only when `0.0 < present < 8.0`)")) << text;
  const std::string kept = replace_all(kCount, "factor *= 8.0 / present", "factor *= 9.0 / present");
  EXPECT_FALSE(says(explain_of({{"a.py", kCount}}, {{"a.py", kept}}), "formerly only when"));
}

TEST(Requirements, ConstantsThatLocalsHoldAreNamedAndSharedConditionsAreToldOnce) {
  const auto with = [](const std::string& local) {
    return kCount +
           "\n\ndef check(strict):\n"
           "    \"\"\"Refuse what cannot be.\"\"\"\n"
           "    if not strict:\n        return\n"
           "    assert ready(), \"not ready\"\n"
           "    least = " +
           local + "\n    assert is_new_enough(least), \"too old\"\n";
  };
  const std::string text = explain_of({{"a.py", kCount}}, {{"a.py", with("\"1.6.0\"")}});
  EXPECT_TRUE(
      says(text, " It requires that `ready()` is true and `is_new_enough(\"1.6.0\")` is true where `strict` is set."))
      << text;
  EXPECT_FALSE(says(explain_of({{"a.py", kCount}}, {{"a.py", with("read()")}}), "is_new_enough(least)` is true where"));
}

}  // namespace
}  // namespace lockstep::render
