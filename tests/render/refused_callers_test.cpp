// Who is refused: tests that expect an error, and callers that left out what the code did without before.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kReduce =
    "from groups import world\n\n\ndef reduce(model, groups=None, size=None):\n"
    "    if model is None:\n        raise ValueError('no model')\n    return scale(model)\n\n\n"
    "def scale(model):\n    total = model * 2\n    return total\n";
const std::string kGroups = "def world():\n    return 1\n";

std::string explain_reduce(const std::string& after, const std::string& test, const std::string& before = kReduce) {
  return explain_of({{"lib/reduce.py", before}, {"groups.py", kGroups}},
                    {{"lib/reduce.py", after}, {"groups.py", kGroups}, {"tests/test_reduce.py", test}});
}

const std::string kScaled = replace_all(kReduce, "model * 2", "model * 3");
const std::string kRefusing =
    "def test_none():\n    with pytest.raises(ValueError, match='no'):\n        reduce(None)\n\n\n";
const std::string kHead = "import pytest\nfrom lib.reduce import reduce, scale\n\n\n";

TEST(RefusedCallers, ATestThatExpectsAnErrorIsToldAsSuch) {
  const std::string text = explain_reduce(kScaled, kHead + kRefusing);
  EXPECT_TRUE(says(text, "`test_none` (new here, `tests/test_reduce.py:5`, expects `ValueError`)")) << text;
}

TEST(RefusedCallers, WhereOthersRunTheFunctionOnesThatAreRefusedOnTheWayAreNotNamed) {
  const std::string text = explain_reduce(kScaled, kHead + kRefusing + "def test_two():\n    assert reduce(1) == 3\n");
  EXPECT_TRUE(says(text, "`scale`: Calls lead to it from the test `test_two`")) << text;
}

TEST(RefusedCallers, ATestThatAlsoCallsItElsewhereExpectsNothingOfIt) {
  const std::string text = explain_reduce(kScaled, kHead + kRefusing + "    assert reduce(1) == 3\n");
  EXPECT_TRUE(says(text, "`test_none` (new here")) << text;
  EXPECT_FALSE(says(text, "expects")) << text;
}

TEST(RefusedCallers, AnAssertionOfWhatWasOptionalRefusesCallers) {
  const std::string after = replace_all(
      kReduce, "    return scale(model)\n",
      "    if groups is not None:\n        assert hasattr(groups, 'data') and groups.data is not None, 'no data'\n"
      "        print(groups.data)\n    return scale(model)\n");
  const std::string text = explain_reduce(after, kHead);
  EXPECT_TRUE(says(text,
                   "`reduce` refuses more: where `groups` is not `None`: when `groups` has no `data` or "
                   "`groups.data` is `None`. Callers that leave it out, and passed there before, are refused now."))
      << text;
}

TEST(RefusedCallers, AnAssertionOfWhatWasNeededRefusesNobody) {
  const std::string used = replace_all(kReduce, "    return scale(model)\n", "    return scale(model + groups.data)\n");
  const std::string after =
      replace_all(used, "    return scale(", "    assert groups.data is not None\n    return scale(");
  EXPECT_FALSE(says(explain_reduce(after, kHead, used), "refuses more"));
  // Nor where what it calls needs it.
  const std::string handed = replace_all(replace_all(kReduce, "return scale(model)", "return scale(model, groups)"),
                                         "def scale(model):\n    total = model * 2",
                                         "def scale(model, groups):\n    total = model * groups.data");
  const std::string asserting =
      replace_all(handed, "    return scale(", "    assert groups.data is not None\n    return scale(");
  EXPECT_FALSE(says(explain_reduce(asserting, kHead, handed), "refuses more"));
}

TEST(RefusedCallers, AnAssertionOfWhatABranchAskedForRefusesNobody) {
  const std::string before = replace_all(kReduce, "    return scale(model)\n",
                                         "    if groups is None and size is None:\n        return scale(model)\n"
                                         "    elif groups is not None and size is not None:\n        print(size)\n"
                                         "    else:\n        raise ValueError('both')\n    return scale(model)\n");
  const std::string after = replace_all(kReduce, "    return scale(model)\n",
                                        "    if (groups is None) != (size is None):\n        raise ValueError('both')\n"
                                        "    if groups is None and size is None:\n        return scale(model)\n"
                                        "    else:\n        assert groups is not None and size is not None\n"
                                        "        print(size)\n    return scale(model)\n");
  const std::string text = explain_reduce(after, kHead, before);
  EXPECT_FALSE(says(text, "refuses more")) << text;
}

TEST(RefusedCallers, ANewParameterThatIsInsistedOnBreaksCallsThatLeaveItOut) {
  const std::string taken = replace_all(kReduce, "size=None)", "size=None, rank=None)");
  const std::string insisting =
      replace_all(taken, "    return scale(model)\n", "    assert rank is not None\n    return scale(model + rank)\n");
  const std::string text = explain_reduce(insisting, kHead);
  EXPECT_TRUE(says(text, "`reduce` takes the new `rank`, with a default. Calls that leave out `rank` are refused."))
      << text;
  // Where something stands in for it before, it is there.
  const std::string filled =
      replace_all(insisting, "    assert rank", "    if rank is None:\n        rank = world()\n    assert rank");
  EXPECT_TRUE(says(explain_reduce(filled, kHead), "with a default. Existing calls still fit."));
}

/// What a new callee refuses of what a changed call gives it, where a run may have it set.
TEST(RefusedCallers, ALimitOfWhatACallNewlyEntersIsToldWithWhatItIsGiven) {
  const std::string before =
      "class Head:\n    def __init__(self, size, shared=False, mask=None):\n        self.size = size\n\n\n"
      "class Model:\n    def __init__(self, config, tied, buffer):\n        self.tied = tied\n"
      "        self.mask = None\n        self.buffer = buffer\n"
      "        self.head = Head(3, shared=self.tied, mask=self.mask)\n";
  const std::string fused =
      "class FusedHead:\n    def __init__(self, size, shared=False, mask=None):\n        if shared:\n"
      "            raise ValueError('shared')\n        if mask is not None:\n            raise ValueError('mask')\n"
      "        self.size = size\n\n\n";
  const auto explained = [&](const std::string& call, const std::string& head) {
    const std::string after =
        head + replace_all(before, "        self.head = Head(3, shared=self.tied, mask=self.mask)\n", call);
    return explain_of({{"a.py", before}}, {{"a.py", after}});
  };
  const std::string chosen =
      "        head = FusedHead if config.fused else Head\n"
      "        self.head = head(3, shared=self.tied, mask=self.mask)\n";
  const std::string text = explained(chosen, fused);
  // What is only ever None is not refused.
  EXPECT_TRUE(says(text,
                   "`FusedHead.__init__` raises `ValueError` for what `Model.__init__` gives it (`a.py:21`), where "
                   "`self.tied` is set (its `shared`). A limit of what is new here, refused at `a.py:3`."))
      << text;
  const auto is_silent = [&](const std::string& call, const std::string& head) {
    return !says(explained(call, head), "for what `Model.__init__` gives it");
  };
  EXPECT_TRUE(is_silent(replace_all(chosen, "=self.tied", "=False"), fused));
  EXPECT_TRUE(is_silent("        if not self.tied:\n            self.head = FusedHead(3, shared=self.tied)\n", fused));
  EXPECT_TRUE(is_silent(chosen, replace_all(fused, "if shared:", "if size and shared:")));
  EXPECT_TRUE(is_silent(chosen, replace_all(fused, "        if shared:",
                                            "        if size:\n            return\n"
                                            "        if shared:")));
}

TEST(RefusedCallers, ACallThatDidNotFitBeforeIsTold) {
  const auto files = [](const std::string& call, const std::string& body) {
    return Files{{"a.py", "class Attention:\n    def attend(self, q, is_decode_only):\n        " + body +
                              "\n        return y\n\n\nclass Latent(Attention):\n    def forward(self, q):\n        "
                              "return self.attend(" +
                              call + ")\n"}};
  };
  const auto text = [&](const std::string& call) {
    return explain_of(files(call, "y = q + 1"), files(call, "y = q + 2 if is_decode_only else q"));
  };
  EXPECT_TRUE(says(text("q"),
                   "Python refuses the call of `Attention.attend` in `Latent.forward` (`a.py:9`): missing "
                   "`is_decode_only`."))
      << text("q");
  // What the change broke was not so before.
  const std::string broken =
      explain_of(files("q, True", "y = q + 1"), files("q", "y = q + 2 if is_decode_only else q"));
  EXPECT_FALSE(says(broken, "It was so before")) << broken;
  for (const char* const fitting : {"q, True", "q, is_decode_only=True", "*q", "q, **self.options"})
    EXPECT_FALSE(says(text(fitting), "Python refuses")) << text(fitting);
}

}  // namespace
}  // namespace lockstep::render
