// A new alternative in a chain of them: what it takes the place of, and that the others stay.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

constexpr const char* kKernels =
    "try:\n    from fast.cute import varlen as fast_varlen\n\n    HAVE_FAST = True\nexcept ImportError:\n"
    "    HAVE_FAST = False\n\n";

std::string attend(const std::string& chain) {
  return "from kernels import HAVE_GOOD, good, plain\n" + std::string(kKernels) +
         "\ndef attend(q, k, causal, exact):\n    q = q.squeeze(1)\n" + chain + "    return out.unsqueeze(1)\n";
}

constexpr const char* kOld =
    "    if HAVE_GOOD:\n        out = good(q, k, splits=0 if causal else 1)\n    else:\n        assert not exact\n"
    "        out = plain(q, k)\n";
constexpr const char* kAsElif =
    "    if HAVE_FAST:\n        out, _ = fast_varlen(q, k, splits=1)\n        out = out.reshape(-1)\n"
    "    elif HAVE_GOOD:\n        out = good(q, k, splits=0 if causal else 1)\n    else:\n"
    "        assert not exact\n        out = plain(q, k)\n";
constexpr const char* kInElse =
    "    if HAVE_FAST:\n        out, _ = fast_varlen(q, k, splits=1)\n    else:\n        if HAVE_GOOD:\n"
    "            out = good(q, k, splits=0 if causal else 1)\n        else:\n            assert not exact\n"
    "            out = plain(q, k)\n";
constexpr const char* kSentence =
    "when `HAVE_FAST` is set, calls `fast_varlen` in place of `good` (where `HAVE_GOOD` is set, too) or `plain`; "
    "otherwise as before";

TEST(ChoiceChains, ANewAlternativeIsToldWithWhatItTakesThePlaceOf) {
  for (const char* chain : {kAsElif, kInElse}) {
    const std::string text = explain_of({{"a.py", attend(kOld)}}, {{"a.py", attend(chain)}});
    EXPECT_TRUE(says(text, kSentence)) << text;
    EXPECT_FALSE(says(text, "sets `out")) << text;
    EXPECT_TRUE(says(text, "| `HAVE_FAST` is set | not asked | Calls `fast_varlen` (**new**) |")) << text;
    EXPECT_TRUE(says(text, "| `HAVE_GOOD` is set | Calls `good` | as before |")) << text;
    EXPECT_TRUE(says(text, "| otherwise | Calls `plain`; insists that `exact` is not set | as before |")) << text;
    EXPECT_TRUE(says(text, "`fast_varlen` gets `splits=1`, where `good` gets `splits=0 if causal else 1`")) << text;
    EXPECT_TRUE(says(text, "`plain` is called only where `exact` is not set")) << text;
  }
}

TEST(ChoiceChains, TheDiveDrawsAllAlternativesInTheirOrder) {
  const std::string text = dive_of({{"a.py", attend(kOld)}}, {{"a.py", attend(kAsElif)}});
  EXPECT_TRUE(says(text, "\"1. HAVE_FAST is set\"")) << text;
  EXPECT_TRUE(says(text, "\"2. HAVE_GOOD is set\"")) << text;
  EXPECT_TRUE(says(text, "\"3. otherwise\"")) << text;
  EXPECT_TRUE(says(text, "elif HAVE_GOOD:")) << text;
  EXPECT_TRUE(says(text, "Step 1 [NEW]: when `HAVE_FAST` is set, calls `fast_varlen` in place of")) << text;
}

TEST(ChoiceChains, WhatExcludesTheNewOneIsNotReplacedByIt) {
  const auto make = [](const std::string& chain) {
    return "from kernels import A, B, C\n\n\ndef make(backend):\n" + chain + "    return cls()\n";
  };
  const std::string old = "    if backend == 'a':\n        cls = A\n    else:\n        raise ValueError(backend)\n";
  const std::string now =
      "    if backend == 'b':\n        cls = B\n    elif backend == 'a':\n        cls = A\n    else:\n"
      "        raise ValueError(backend)\n";
  const std::string text = explain_of({{"a.py", make(old)}}, {{"a.py", make(now)}});
  EXPECT_TRUE(says(text, "when `backend` is `'b'`, sets `cls` to `B` instead of raising `ValueError`")) << text;
  EXPECT_FALSE(says(text, "`A` (where")) << text;
}

TEST(ChoiceChains, ReturnsOneBehindTheOtherAreAChain) {
  const auto pick = [](const std::string& more) {
    return "from kernels import a, b, c\n\n\ndef pick(x, fast, good):\n" + more +
           "    if good:\n        return a(x)\n    return b(x)\n";
  };
  const std::string text = explain_of({{"a.py", pick("")}}, {{"a.py", pick("    if fast:\n        return c(x)\n")}});
  EXPECT_TRUE(says(text,
                   "when `fast` is set, returns `c(…)` in place of `a(…)` (where `good` is set, too) or `b(…)`; "
                   "otherwise as before"))
      << text;
}

TEST(ChoiceChains, WhatCannotBeToldExactlyIsNot) {
  // It does more than the others; what was asked may be given by asking; the branch was there, and only moved.
  const std::string more =
      "    if HAVE_FAST:\n        q.record()\n        out = fast_varlen(q, k)\n    elif HAVE_GOOD:\n"
      "        out = good(q, k, splits=0 if causal else 1)\n    else:\n        assert not exact\n"
      "        out = plain(q, k)\n";
  const std::string asks =
      "    if q.prepare():\n        out = fast_varlen(q, k)\n    elif HAVE_GOOD:\n"
      "        out = good(q, k, splits=0 if causal else 1)\n    else:\n        assert not exact\n"
      "        out = plain(q, k)\n";
  for (const std::string& chain : {more, asks}) {
    const std::string text = explain_of({{"a.py", attend(kOld)}}, {{"a.py", attend(chain)}});
    EXPECT_FALSE(says(text, "not asked")) << text;
    EXPECT_FALSE(says(text, "in place of `good`")) << text;
  }
  const std::string nested =
      "    if causal:\n        out = plain(k, q)\n    elif HAVE_FAST:\n"
      "        out = fast_varlen(q, k)\n    elif HAVE_GOOD:\n        out = good(q, k)\n"
      "    else:\n        out = plain(q, k)\n";
  const std::string inner =
      "    if exact:\n        if causal:\n            out = plain(k, q)\n        elif HAVE_FAST:\n"
      "            out = fast_varlen(q, k)\n        elif HAVE_GOOD:\n"
      "            out = good(q, k)\n        else:\n            out = plain(q, k)\n    else:\n"
      "        out = None\n";
  const std::string text = explain_of({{"a.py", attend(nested)}}, {{"a.py", attend(inner)}});
  EXPECT_FALSE(says(text, "calls `plain` in place of")) << text;
  EXPECT_FALSE(says(text, "not asked")) << text;
}

TEST(ChoiceChains, WhatIsGivenAlikeTellsNoneApart) {
  const auto route = [](const std::string& more) {
    return "from kernels import gather, topk, best\n\n\ndef route(scores, fixed, bias):\n" + more +
           " bias:\n        rows = best(scores + bias)\n        found = gather(scores, rows)\n    else:\n"
           "        rows = best(scores)\n        found = gather(scores, scores)\n    return rows, found\n";
  };
  const std::string text =
      explain_of({{"a.py", route("    if")}}, {{"a.py", route("    if fixed:\n        rows = fixed\n"
                                                              "        found = gather(scores, rows)\n    elif")}});
  EXPECT_TRUE(says(text, "when `fixed` is set, sets `rows` to `fixed` in place of `best(scores + bias)` (where `bias`"))
      << text;
  EXPECT_FALSE(says(text, "calls `gather(scores, rows)` in place of")) << text;
}

TEST(ChoiceChains, AFlagOfAnImportIsToldOnce) {
  const auto module = [](const std::string& flag) { return flag + "\n\ndef run(x):\n    return x\n"; };
  const std::string told = "`True` where `fast.cute.varlen` can be imported, else `False`";
  const std::string text = dive_of({{"a.py", module("")}}, {{"a.py", module(kKernels)}});
  EXPECT_TRUE(says(text, told)) << text;
  EXPECT_FALSE(says(text, "`False` or `True`")) << text;
  // It is called, too: whether that succeeds is more than whether it is there.
  const std::string called =
      "try:\n    import fast\n    fast.load()\n    HAVE_FAST = True\nexcept ImportError:\n    HAVE_FAST = False\n";
  EXPECT_FALSE(says(dive_of({{"a.py", module("")}}, {{"a.py", module(called)}}), "can be imported"));
}

TEST(ChoiceChains, AnAssertionWithOneMoreAlternativeAcceptsMore) {
  const auto run = [](const std::string& asked) {
    return "def run(x, a, b):\n    assert " + asked + ", 'needs one'\n    return x\n";
  };
  const std::string more = explain_of({{"a.py", run("a")}}, {{"a.py", run("b or a")}});
  EXPECT_TRUE(says(more, "also accepts that `b` is set, where it insisted that `a` is set")) << more;
  EXPECT_TRUE(says(more, "an assertion accepts more")) << more;
  const std::string other = explain_of({{"a.py", run("a")}}, {{"a.py", run("b and a")}});
  EXPECT_FALSE(says(other, "accepts")) << other;
}

TEST(ChoiceChains, WhatGoesOnBehindReturnsIsNotNothing) {
  const auto route = [](const std::string& more, const std::string& end) {
    return "def route(x, a, b, c):\n    if a:\n        return slow(x)\n" + more +
           "    if b:\n        return other(x)\n" + end;
  };
  const std::string fast = "    if c:\n        return fast(x)\n";
  const std::string on = "    x = post(x)\n    return post(x)\n";
  const std::string text = explain_of({{"a.py", route("", on)}}, {{"a.py", route(fast, on)}});
  EXPECT_FALSE(says(text, "oes nothing")) << text;
  EXPECT_FALSE(says(text, "doing nothing")) << text;
  // What is given back is what the name holds at last.
  const std::string blended =
      "    if c:\n        y = fast(x)\n        if x > 2:\n            y = blend(x)\n        return y\n";
  const std::string last =
      explain_of({{"a.py", route("", "    return post(x)\n")}}, {{"a.py", route(blended, "    return post(x)\n")}});
  EXPECT_FALSE(says(last, "eturns `fast(")) << last;
}

TEST(ChoiceChains, TextsAreComparedAsPythonDoes) {
  const auto route = [](const std::string& more) {
    return "def route(x, mode):\n    if mode == 'slow':\n        y = slow(x)\n" + more +
           "    elif mode in ('fast', 'quick'):\n        y = other(x)\n    else:\n        y = plain(x)\n    return y\n";
  };
  const std::string text =
      explain_of({{"a.py", route("")}}, {{"a.py", route("    elif mode == \"fast\":\n        y = fast(x)\n")}});
  EXPECT_TRUE(says(text, "in place of `other`") || says(text, "in place of `other(x)`")) << text;
}

TEST(ChoiceChains, WhatAnImportTurnsOnIsAMatterOfCompatibility) {
  const auto side = [](const std::string& flag, const std::string& first) {
    return "try:\n    from slow import slow_attend, HAVE_OLD\nexcept ImportError:\n    HAVE_OLD = False\n" + flag +
           "\n\ndef attend(q, config):\n" + first +
           "HAVE_OLD:\n        y = slow_attend(q)\n    else:\n        y = "
           "plain_attend(q)\n    return y\n";
  };
  const std::string import =
      "try:\n    from fast.lib import fast_attend\n    HAVE_FAST = True\nexcept ImportError:\n    HAVE_FAST = False\n";
  const std::string before = side("", "    if ");
  const std::string text = explain_of(
      {{"a.py", before}}, {{"a.py", side(import, "    if HAVE_FAST:\n        y = fast_attend(q)\n    elif ")}});
  EXPECT_TRUE(says(text,
                   "Where `fast.lib.fast_attend` can be imported, `attend` calls `fast_attend` in place of what it "
                   "called, with no setting given."))
      << text;
  const std::string asked =
      explain_of({{"a.py", before}},
                 {{"a.py", side(import, "    if HAVE_FAST and config.fast:\n        y = fast_attend(q)\n    elif ")}});
  EXPECT_FALSE(says(asked, "with no setting given")) << asked;
  // What the chain stands under may be a setting, too.
  const auto inside = [](std::string whole) {
    whole = replace_all(whole, "    if HAVE", "    if config.attend and config.level:\n      if HAVE");
    return replace_all(replace_all(whole, "    elif HAVE", "      elif HAVE"), "    else:", "      else:");
  };
  const std::string under =
      explain_of({{"a.py", inside(before)}},
                 {{"a.py", inside(side(import, "    if HAVE_FAST:\n        y = fast_attend(q)\n    elif "))}});
  EXPECT_TRUE(says(under, "calls `fast_attend` in place of `slow_attend`")) << under;
  EXPECT_FALSE(says(under, "with no setting given")) << under;
  // And what a run has left by before it.
  const auto behind = [](const std::string& whole) {
    return replace_all(whole, "    if HAVE", "    if config.plain:\n        return q\n    if HAVE");
  };
  const std::string past =
      explain_of({{"a.py", behind(before)}},
                 {{"a.py", behind(side(import, "    if HAVE_FAST:\n        y = fast_attend(q)\n    elif "))}});
  EXPECT_TRUE(says(past, "calls `fast_attend` in place of `slow_attend`")) << past;
  EXPECT_FALSE(says(past, "with no setting given")) << past;
}

}  // namespace
}  // namespace lockstep::render
