// Sentences and drawings that would claim more than the code says: tests that run stand-ins, calls behind conditions,
// calls that are not drawn, reasons for one step, methods and classes that somebody outside calls.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const char* const kLibrary = "def work(x):\n    return x\n\n\ndef run(x):\n    return work(x) + 1\n";

std::string explain_work(const std::string& test) {
  const Files before = {{"lib.py", kLibrary}, {"tests/test_lib.py", test}};
  Files after = before;
  after["lib.py"] = replace_all(after["lib.py"], "    return x\n", "    return x * 2\n");
  return explain_of(before, after);
}

TEST(Precision, ATestThatReplacesTheFunctionDoesNotRunIt) {
  const char* const kReplacing[] = {
      "import lib\n\n\ndef test_run(monkeypatch):\n    monkeypatch.setattr(lib, \"work\", lambda x: 1)\n    "
      "lib.run(1)\n",
      "import lib\n\n\ndef test_run(monkeypatch):\n    monkeypatch.setattr(\"lib.work\", lambda x: 1)\n    "
      "lib.run(1)\n",
      "import lib\nfrom unittest.mock import patch\n\n\n@patch(\"lib.work\")\ndef test_run(work):\n    lib.run(1)\n",
      "import lib\nfrom unittest import mock\n\n\ndef test_run():\n    with mock.patch.object(lib, \"work\"):\n"
      "        lib.run(1)\n",
      "import lib\n\n\ndef test_run():\n    lib.work = lambda x: 1\n    lib.run(1)\n",
      "import lib\nimport pytest\n\n\n@pytest.fixture\ndef quick(monkeypatch):\n"
      "    monkeypatch.setattr(lib, \"work\", lambda x: 1)\n\n\ndef test_run(quick):\n    lib.run(1)\n"};
  for (const char* const test : kReplacing) {
    const std::string text = explain_work(test);
    EXPECT_TRUE(says(text, "NOT TESTED: 1 test replaces it, or what leads to it, by a stand-in: `test_run` (`tests/"))
        << text;
    EXPECT_FALSE(says(text, "Calls lead to it")) << text;
  }
}

TEST(Precision, AFunctionThatALocalStandsForIsReplacedWithItsName) {
  const std::string either =
      "def work(x):\n    return x\n\n\ndef slow(x):\n    return 0\n\n\n"
      "def run(x):\n    worker = work if x else slow\n    return worker(x)\n";
  const auto explained = [&](const std::string& name) {
    const Files before = {
        {"lib.py", either},
        {"tests/test_lib.py", "import lib\n\n\ndef test_run(monkeypatch):\n    monkeypatch.setattr(lib, \"" + name +
                                  "\", lambda x: 1)\n    lib.run(1)\n"}};
    return explain_of(before, {{"lib.py", replace_all(either, "    return x\n", "    return x * 2\n")},
                               {"tests/test_lib.py", before.at("tests/test_lib.py")}});
  };
  EXPECT_TRUE(says(explained("work"), "NOT TESTED: 1 test replaces it")) << explained("work");
  EXPECT_FALSE(says(explained("slow"), "NOT TESTED")) << explained("slow");
}

TEST(Precision, ATestThatReplacesSomethingElseOrOnlyForAWhileRunsIt) {
  const char* const kRunning[] = {
      // Another module's name; the original is wrapped; the call stands outside the block, or before it.
      "import lib\nimport other\n\n\ndef test_run(monkeypatch):\n"
      "    monkeypatch.setattr(other, \"work\", lambda x: 1)\n    lib.run(1)\n",
      "import lib\nfrom unittest.mock import patch\n\n\ndef test_run():\n"
      "    with patch(\"lib.work\", wraps=lib.work):\n        lib.run(1)\n",
      "import lib\nfrom unittest.mock import patch\n\n\ndef test_run():\n    with patch(\"lib.work\"):\n"
      "        pass\n    lib.run(1)\n",
      "import lib\n\n\ndef test_run(monkeypatch):\n    lib.run(1)\n"
      "    monkeypatch.setattr(lib, \"work\", lambda x: 1)\n"};
  for (const char* const test : kRunning) {
    const std::string text = explain_work(test);
    EXPECT_TRUE(says(text, "Calls lead to it from the test `test_run`")) << text;
  }
  // What was there is kept and may be called all the same: neither is sure.
  const std::string spied = explain_work(
      "import lib\n\n\ndef test_run(monkeypatch):\n    kept = lib.work\n"
      "    monkeypatch.setattr(lib, \"work\", lambda x: kept(x))\n    lib.run(1)\n");
  EXPECT_FALSE(says(spied, "NOT TESTED")) << spied;
  EXPECT_FALSE(says(spied, "Calls lead to it from the test")) << spied;
}

// What a test keeps for itself, what has been undone, and what holds within a helper alone does not hold where the
// function is called.
TEST(Precision, ATestThatReplacesTheFunctionForAWhileRunsItOutside) {
  const std::string mock = "from unittest import TestCase, mock\n\nimport lib\n\n\n";
  const std::string both =
      "        with mock.patch(\"lib.work\", return_value=1):\n            lib.run(2)\n        lib.run(2)\n";
  const std::string kRunning[] = {
      mock + "class TestLib(TestCase):\n    def setUp(self):\n        self.data = 3\n\n    def test_run(self):\n" +
          both,
      mock +
          "def stubbed(x):\n    with mock.patch(\"lib.work\"):\n        return lib.run(x)\n\n\n"
          "def test_run():\n    stubbed(2)\n    lib.run(2)\n",
      "import lib\n\n\ndef test_run(monkeypatch):\n    monkeypatch.setattr(lib, \"work\", lambda x: 1)\n    "
      "lib.run(2)\n"
      "    monkeypatch.undo()\n    lib.run(2)\n",
      mock +
          "def test_run():\n    patcher = mock.patch(\"lib.work\")\n    patcher.start()\n    lib.run(2)\n"
          "    patcher.stop()\n    lib.run(2)\n",
      mock +
          "@mock.patch(\"lib.work\")\nclass TestLib(TestCase):\n    def setUp(self):\n        self.wanted = "
          "lib.run(2)\n\n"
          "    def test_run(self, fake):\n        assert self.wanted == 5\n"};
  for (const std::string& test : kRunning) {
    const std::string text = explain_work(test);
    EXPECT_TRUE(says(text, "Calls lead to it from the test `test_run`") ||
                says(text, "Calls lead to it from the test `TestLib.test_run`"))
        << text;
  }
}

TEST(Precision, AStandInThatHoldsAllAlongIsOne) {
  const std::string mock = "from unittest import TestCase, mock\n\nimport lib\n\n\n";
  const std::string kReplacing[] = {
      mock +
          "def stubbed(x):\n    with mock.patch(\"lib.work\"):\n        return lib.run(x)\n\n\n"
          "def test_run():\n    stubbed(2)\n",
      mock +
          "def test_run():\n    patcher = mock.patch(\"lib.work\")\n    patcher.start()\n    lib.run(2)\n"
          "    patcher.stop()\n",
      mock +
          "class TestLib(TestCase):\n    def setUp(self):\n        mock.patch(\"lib.work\").start()\n\n"
          "    def test_run(self):\n        lib.run(2)\n",
      "import contextlib\n" + mock +
          "@contextlib.contextmanager\ndef stubbed():\n    with mock.patch(\"lib.work\"):\n        yield\n\n\n"
          "def test_run():\n    with stubbed():\n        lib.run(2)\n",
      "import lib\n\n\ndef stub(monkeypatch):\n    monkeypatch.setattr(lib, \"work\", lambda x: 1)\n\n\n"
      "def test_run(monkeypatch):\n    stub(monkeypatch)\n    lib.run(2)\n",
      "import lib\n\n\ndef test_run(mocker):\n    mocker.patch(\"lib.work\")\n    lib.run(2)\n",
      mock +
          "@mock.patch(\"lib.work\")\nclass TestLib(TestCase):\n    def test_run(self, fake):\n        lib.run(2)\n"};
  for (const std::string& test : kReplacing) {
    const std::string text = explain_work(test);
    EXPECT_TRUE(says(text, "NOT TESTED: 1 test replaces it, or what leads to it, by a stand-in")) << text;
  }
}

// A patch that nobody starts, and a stand-in that runs what it stands in for.
TEST(Precision, AStandInThatMayRunTheFunctionIsNone) {
  const std::string mock = "from unittest import mock\n\nimport lib\nfrom lib import work as real_work\n\n\n";
  const std::string kNone[] = {
      mock + "def test_run():\n    with mock.patch(\"lib.work\", side_effect=real_work) as fake:\n        lib.run(2)\n",
      mock + "def test_run():\n    with mock.patch(\"lib.work\", real_work):\n        lib.run(2)\n",
      mock +
          "def test_run(monkeypatch):\n    def noted(x):\n        return real_work(x)\n\n"
          "    monkeypatch.setattr(lib, \"work\", noted)\n    lib.run(2)\n",
      mock + "def test_run():\n    patcher = mock.patch(\"lib.work\")\n    lib.run(2)\n"};
  for (const std::string& test : kNone) EXPECT_FALSE(says(explain_work(test), "NOT TESTED")) << test;
}

// `box.value = trainer.compute_loss(3)` replaces `value` alone.
TEST(Precision, WhatIsAssignedIsNotWhatIsReplaced) {
  const char* const kNaming[] = {
      "def test_loss(trainer):\n    box = Box()\n    box.value = trainer.compute_scaled_loss(3)\n",
      "from lib import compute_scaled_loss\n\n\ndef test_loss(trainer):\n    trainer.loss_fn = compute_scaled_loss\n"
      "    trainer.run(3)\n",
      "from lib import compute_scaled_loss\n\n\ndef test_loss(monkeypatch, trainer):\n"
      "    monkeypatch.setattr(trainer, \"loss_fn\", compute_scaled_loss)\n    trainer.run(3)\n"};
  const std::string was = "def compute_scaled_loss(x):\n    return x\n";
  for (const std::string test : kNaming) {
    const std::string text =
        explain_of({{"lib.py", was}, {"tests/test_lib.py", test}},
                   {{"lib.py", replace_all(was, "return x", "return x * 2")}, {"tests/test_lib.py", test}});
    EXPECT_FALSE(says(text, "NOT TESTED")) << text;
  }
}

TEST(Precision, ATestThatLeavesASwitchOffDoesNotGetBehindIt) {
  Files before = {
      {"lib.py",
       "def work(x):\n    return x\n\n\ndef run(x, check=False):\n    if check and work(x):\n"
       "        return 0\n    return 1\n\n\ndef outer(x, check=False):\n    return run(x, check=check)\n"},
      {"tests/test_lib.py",
       "import lib\n\n\ndef test_off():\n    lib.run(1)\n    lib.outer(1)\n    lib.outer(1, check=False)\n"}};
  Files after = before;
  after["lib.py"] = replace_all(after["lib.py"], "    return x\n", "    return x * 2\n");
  EXPECT_TRUE(says(explain_of(before, after), "NOT TESTED")) << explain_of(before, after);
  before["tests/test_lib.py"] += "\n\ndef test_on():\n    lib.outer(1, check=True)\n";
  after["tests/test_lib.py"] = before["tests/test_lib.py"];
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "Calls lead to it from the test `test_on`")) << text;
}

// What is known of a call only in part gives a parameter as well as not: the test may get there.
TEST(Precision, ATestThatMayGiveASwitchMayGetBehindIt) {
  const auto explain_run = [](const std::string& run, const std::string& test) {
    const std::string work = "def work(x):\n    return x\n\n\n";
    const Files before = {{"lib.py", work + run}, {"tests/test_lib.py", "import functools\n\nimport lib\n\n\n" + test}};
    Files after = before;
    after["lib.py"] = replace_all(after["lib.py"], "def work(x):\n    return x\n", "def work(x):\n    return x * 2\n");
    return explain_of(before, after);
  };
  const std::string checked = "def run(x, check=False):\n    if check:\n        return work(x)\n    return x\n";
  EXPECT_TRUE(says(explain_run(checked, "def test_run():\n    lib.run(2)\n"), "NOT TESTED"));
  EXPECT_FALSE(
      says(explain_run(checked, "def test_run():\n    go = functools.partial(lib.run, check=True)\n    go(2)\n"),
           "NOT TESTED"));
  std::string many = "def run(x, a=False, b=False, c=False, d=False, e=False):\n";
  for (const char* const one : {"a", "b", "c", "d", "e"})
    many += std::string("    if ") + one + ":\n        return work(x + 1)\n";
  EXPECT_FALSE(says(explain_run(many + "    return x\n", "def test_run():\n    lib.run(2, e=True)\n"), "NOT TESTED"));
  // A parameter that the function gives another value.
  for (const char* const binding :
       {"    for x, check in x:\n", "    with x as check:\n", "    [check, x] = x\n    if x:\n",
        "    *check, x = x\n    if x:\n", "    ((check, y), x) = x\n    if x:\n"}) {
    const std::string run = std::string("def run(x, check=False):\n") + binding +
                            "        if check:\n            return work(x)\n    return x\n";
    EXPECT_FALSE(says(explain_run(run, "def test_run():\n    lib.run(2)\n"), "NOT TESTED")) << run;
  }
  const std::string inner =
      "def run(x, check=False):\n    def put():\n        nonlocal check\n        check = x\n\n    put()\n"
      "    if check:\n        return work(x)\n    return x\n";
  EXPECT_FALSE(says(explain_run(inner, "def test_run():\n    lib.run(2)\n"), "NOT TESTED"));
}

TEST(Precision, CallsBehindConditionsAreDrawnBehindThem) {
  const std::string was = "def go(a, b):\n    return 1\n";
  const std::string now =
      "import lib\n\n\ndef go(a, b):\n    if a is None:\n        return lib.one(b)\n    if b and lib.two(a):\n"
      "        lib.three(a)\n    return lib.four(a) or lib.five(b)\n";
  const std::string lib =
      "def one(x):\n    return x\n\n\ndef two(x):\n    return x\n\n\ndef three(x):\n    return x\n\n\n"
      "def four(x):\n    return x\n\n\ndef five(x):\n    return x\n";
  const std::string text = dive_of({{"go.py", was}, {"lib.py", lib}}, {{"go.py", now}, {"lib.py", lib}});
  EXPECT_TRUE(says(text, "    alt when a is None\n")) << text;
  EXPECT_TRUE(
      says(text, "    else otherwise\n        opt when b is set\n            p0->>p2: lib.two(a)\n        end\n"))
      << text;
  EXPECT_TRUE(says(text,
                   "        p0->>p2: lib.four(a)\n        opt when lib.four(a) is false\n"
                   "            p0->>p2: lib.five(b)\n"))
      << text;
}

TEST(Precision, CallsThatAreNotDrawnAreCounted) {
  std::string now = "import lib\n\n\ndef go(a):\n";
  for (int i = 0; i < 24; ++i) now += "    lib.send(a, " + std::to_string(i) + ")\n";
  const std::string lib = "def send(x, y):\n    return x\n";
  const std::string text =
      dive_of({{"go.py", "def go(a):\n    return 1\n"}, {"lib.py", lib}}, {{"go.py", now}, {"lib.py", lib}});
  EXPECT_TRUE(says(text, "\u2026 1 more call in go, not drawn")) << text;
}

TEST(Precision, StepsThatMayReturnAreNoPlainStretch) {
  const std::string was =
      "def go(a, b):\n    x = a\n    if a is None:\n        return b\n    y = b\n    if b:\n        y = a\n    return "
      "y\n";
  const std::string text = parts_of(
      {{"go.py", was}}, {{"go.py", replace_all(was, "        y = a\n", "        y = a + 1\n        x = y\n")}});
  EXPECT_TRUE(says(text, "(3 steps unchanged, may return here)")) << text;
}

TEST(Precision, ARefusalIsToldWithTheBranchesAroundIt) {
  const std::string was = "def go(first, data):\n    return data\n";
  const std::string text =
      dive_of({{"go.py", was}},
              {{"go.py", "def go(first, data):\n    if first:\n        assert data is not None\n    return data\n"}});
  EXPECT_TRUE(says(text, "What happens when `data` is `None`, where `first` is set?")) << text;
}

TEST(Precision, ACommentBesideAStepIsNoReasonForTheChange) {
  const std::string was = "def go(data):\n    return data\n";
  const Files before = {{"go.py", was}};
  const std::string beside =
      dive_of(before, {{"go.py",
                        "def go(data):\n    # The copy is needed because the caller cannot share its buffer.\n"
                        "    data = data.copy()\n    return data\n"}});
  EXPECT_TRUE(says(beside, "no reason was found for the change as a whole. Of one step a comment says (`go.py:2`): "))
      << beside;
  EXPECT_TRUE(says(beside, "cannot share its buffer")) << beside;
  const std::string whole =
      dive_of(before, {{"go.py",
                        "def go(data):\n    \"\"\"Go on.\n\n    It copies because the caller cannot share its buffer.\n"
                        "    \"\"\"\n    data = data.copy()\n    return data\n"}});
  EXPECT_TRUE(says(whole, "**Why:** The docstring of `go` (`go.py:1`) says: \u201cGo on. It copies because")) << whole;
}

TEST(Precision, ChangedLinesStayInALongExcerpt) {
  std::string was = "def go(data):\n    def inner(x):\n        call(\n";
  for (int i = 0; i < 30; ++i) was += "            x" + std::to_string(i) + ",\n";
  was += "        )\n        return x\n\n    return inner\n";
  const std::string now = replace_all(was, "            x15,\n", "            x15,\n            added=True,\n");
  const std::string text = dive_of({{"go.py", was}}, {{"go.py", now}});
  const std::size_t walk = text.find("### 4.4");
  ASSERT_NE(walk, std::string::npos);
  EXPECT_TRUE(says(text.substr(walk), "x15,\n        added=True,\n        # ... (")) << text;
}

TEST(Precision, AClassFromATableHasWhoMakesIt) {
  const std::string was =
      "class Fast:\n    def __init__(self, a, b=1):\n        self.a = a\n\n\nclass Slow:\n"
      "    def __init__(self, a):\n        self.a = a\n\n\nKINDS = {\"fast\": Fast, \"slow\": Slow}\n";
  const std::string now = replace_all(was, "a, b=1):\n        self.a = a\n", "a, c=2, b=1):\n        self.a = a + c\n");
  const std::string text = explain_of({{"a.py", was}}, {{"a.py", now}});
  EXPECT_TRUE(says(text, "its class is handed on at `a.py:11`, and what takes it from there may make its objects."))
      << text;
  EXPECT_TRUE(says(text, "No call by its name outside tests; the class is handed on at `a.py:11`")) << text;
  const std::string registered = replace_all(was, "class Fast:", "@register(\"fast\")\nclass Fast:");
  const std::string decorated = explain_of(
      {{"a.py", registered}},
      {{"a.py", replace_all(registered, "a, b=1):\n        self.a = a\n", "a, c=2, b=1):\n        self.a = a + c\n")}});
  EXPECT_TRUE(says(decorated, "its class is handed on at `@register(\"fast\")` (`a.py:1`)")) << decorated;
}

TEST(Precision, WhatOnlyATestGivesIsNotWhatTheCodeCalls) {
  const Files before = {
      {"lib.py", "def fetch(source):\n    return 1\n"},
      {"tests/test_lib.py",
       "import lib\n\n\nclass FakeSource:\n    def __next__(self):\n        \"\"\"Make a mock.\"\"\"\n"
       "        return 1\n\n\ndef test_fetch():\n    lib.fetch(FakeSource())\n"}};
  Files after = before;
  after["lib.py"] = "def fetch(source):\n    item = next(source)\n    return item\n";
  const std::string text = dive_of(before, after);
  EXPECT_FALSE(says(text, "Make a mock")) << text;
  EXPECT_FALSE(says(text, "as FakeSource")) << text;
}

TEST(Precision, ToolsGiveNoCalleeOfARun) {
  const Files before = {{"lib.py", "def size_of(group):\n    return 1\n"},
                        {"tools/convert.py",
                         "import lib\n\n\nclass FakeGroup:\n    def size(self):\n        return 1\n\n\n"
                         "lib.size_of(FakeGroup())\n"}};
  Files after = before;
  after["lib.py"] = "def size_of(group):\n    return group.size() + 1\n";
  EXPECT_FALSE(says(dive_of(before, after), "FakeGroup")) << dive_of(before, after);
}

TEST(Precision, ANewDeletionIsNotToldAsSomethingThatGoes) {
  const std::string text = explain_of({{"a.py", "def go(x):\n    y = x + 1\n    return y\n"}},
                                      {{"a.py", "def go(x):\n    y = x + 1\n    del x\n    return y\n"}});
  EXPECT_TRUE(says(text, "deletes the local name `x`")) << text;
  EXPECT_FALSE(says(text, "drops")) << text;
}

// What one branch makes does not reach another one on the same condition.
TEST(Precision, DataOfOneCaseDoesNotFlowIntoTheOther) {
  const std::string parts =
      "def make_one(x):\n    return x + 1\n\n\ndef make_two(x):\n    return x + 2\n\n\ndef finish(a):\n    return a * "
      "2\n";
  const auto edges_of = [&](const std::string& second) {
    const std::string fresh =
        "\n\ndef f(x, flag, other):\n    if flag:\n        a = make_one(x)\n    else:\n        a = "
        "make_two(x)\n    if " +
        second + ":\n        y = finish(a)\n    else:\n        y = x\n    return y\n";
    const std::string text = dive_of({{"a.py", parts}}, {{"a.py", parts + fresh}});
    std::size_t count = 0;
    for (std::size_t at = text.find("|\"finish\"|"); at != std::string::npos; at = text.find("|\"finish\"|", at + 1))
      ++count;
    return count;
  };
  EXPECT_EQ(edges_of("flag"), 1);
  EXPECT_EQ(edges_of("other"), 2);
}

// Two classes may hold classes of one name.
TEST(Precision, MethodsOfInnerClassesAreNotOneBox) {
  const std::string was =
      "class A:\n    class Config:\n        def check(self):\n            return 1\n\n\nclass B:\n    class Config:\n"
      "        def check(self):\n            assert self.x\n            return 2\n";
  const std::string now = replace_all(replace_all(was, "return 1", "return 3"), "            assert self.x\n",
                                      "            A.Config.check(self)\n            assert self.x\n");
  const std::string text = dive_of({{"a.py", was}}, {{"a.py", now}});
  EXPECT_TRUE(says(text, "[\"A.Config.check<br/>MODIFIED\"]")) << text;
  EXPECT_TRUE(says(text, "[\"B.Config.check<br/>MODIFIED\"]")) << text;
}

TEST(Precision, WhatIsQuotedOnceIsNotQuotedAgain) {
  const std::string added = "def go(x):\n    \"\"\"Go on with it until all is done.\"\"\"\n    return x\n";
  const std::string text =
      dive_of({{"a.py", "def other(x):\n    return x\n"}}, {{"a.py", "def other(x):\n    return x\n\n\n" + added}});
  const std::size_t from = text.find("## 1.");
  const std::string rationale = text.substr(from, text.find("## 4.") - from);
  const std::size_t first = rationale.find("\u201cGo on with it");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_EQ(rationale.find("\u201cGo on with it", first + 1), std::string::npos) << rationale;
  EXPECT_TRUE(says(rationale, "- `go` (new, `a.py:5`).")) << rationale;
}

TEST(Precision, WhatANewFunctionOnlyMayDoIsToldSo) {
  const std::string text = explain_of(
      {{"a.py", "import torch\n"}},
      {{"a.py",
        "import torch\n\n\ndef load(read):\n    if not torch.distributed.is_initialized():\n        return read()\n"
        "    torch.distributed.barrier()\n    data = read(True)\n    return data\n"}});
  EXPECT_TRUE(says(text, "`load` (new, `a.py:4`): can issue `barrier` over all ranks and returns `read()` or `data`."))
      << text;
}

TEST(Precision, ACallMadeInBothBranchesIsDrawnWithoutCondition) {
  const std::string before =
      "def scale(x):\n    return x\n\n\ndef step(x, split):\n    if split:\n        x = [scale(y) for y in x]\n"
      "    else:\n        x = scale(x)\n    return x\n\n\nif __name__ == \"__main__\":\n    step(1, True)\n";
  const std::string text =
      explain_of({{"a.py", before}},
                 {{"a.py", replace_all(before, "    return x\n\n\ndef step",
                                       "    check(x)\n    return x\n\n\ndef check(x):\n    print(x)\n\n\ndef step")}});
  EXPECT_TRUE(says(text, "scale(\u2026)")) << text;
  EXPECT_FALSE(says(text, "opt split")) << text;
}

TEST(Precision, OfSeveralWaysOutNoneIsDrawnAsTheEnd) {
  const std::string before = "def size(group):\n    return 1\n";
  const std::string text = explain_of(
      {{"a.py", before}},
      {{"a.py",
        before + "\n\ndef rank(group, table):\n    \"\"\"Find it.\"\"\"\n    if group is not None:\n"
                 "        return size(group)\n    if not table:\n        return 0\n    raise RuntimeError('no')\n"}});
  EXPECT_TRUE(says(text, "size(group)")) << text;
  EXPECT_FALSE(says(text, "-->>p1: 0")) << text;
  EXPECT_FALSE(says(text, "-->>p0: 0\n```")) << text;
}

TEST(Precision, OutNamesAllThatIsReturned) {
  const auto out_of = [](const std::string& body) {
    const std::string text = parts_of({{"a.py", "def f(x, y):\n    return x\n"}}, {{"a.py", "def f(x, y):\n" + body}});
    const std::size_t at = text.find("**Out:**");
    return at == std::string::npos ? text : text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_EQ(out_of("    if x:\n        return x\n    else:\n        return y\n"), "**Out:** `x` or `y`.");
  EXPECT_EQ(out_of("    if x:\n        return x\n    elif y:\n        return y\n"), "**Out:** `x`, `y` or `None`.");
  EXPECT_EQ(out_of("    if x:\n        return x\n    return None\n"), "**Out:** `x` or `None`.");
  EXPECT_EQ(out_of("    if x:\n        return x\n    y.close()\n"), "**Out:** `x` or \u2026.");
  EXPECT_EQ(out_of("    try:\n        return x\n    except ValueError:\n        raise\n"), "**Out:** `x`.");
  EXPECT_EQ(out_of("    if x > 1:\n        return 1\n    if x > 2:\n        return 2\n    if x > 3:\n        return 3\n"
                   "    if x > 4:\n        return 4\n    return y\n"),
            "**Out:** `1`, `2`, `3` or one of 2 more.");
}

TEST(Precision, WhatMovedInAFunctionIsToldAsMoved) {
  const std::string before =
      "def f(items, out):\n    first(items)\n    out.clear()\n    second(items)\n    third(items)\n"
      "    out.append(items)\n    return out\n";
  const std::string after =
      "def f(items, out):\n    first(items)\n    out.append(items)\n    second(items)\n    third(items)\n    return "
      "out\n";
  const std::string text = dive_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "# REMOVED: out.clear()")) << text;
  EXPECT_TRUE(says(text, "# MOVED up to line 3: out.append(items)")) << text;
  EXPECT_FALSE(says(text, "# REMOVED: out.append(items)")) << text;
}

TEST(Precision, WhatComesOfAStandInNeedBeNoObjectOfWhatTheCodeNames) {
  const std::string lib =
      "class Loop:\n    def run(self):\n        return 1\n\n\nclass Config:\n    def build(self):\n        return "
      "Loop()"
      "\n\n\nclass Manager:\n    def parse(self):\n        return Config()\n\n\ndef main():\n"
      "    config = Manager().parse()\n    loop: Loop = config.build()\n    return loop.run()\n";
  const auto explain_run = [&](const std::string& test) {
    const Files before = {{"lib.py", lib}, {"tests/test_lib.py", "import lib\n\n\n" + test}};
    return explain_of(before, with_edit(before, "lib.py", "return 1", "return 2"));
  };
  const std::string fake = "class Fake:\n    def parse(self):\n        return self\n\n\n";
  EXPECT_FALSE(says(explain_run(fake + "def test_main(monkeypatch):\n    monkeypatch.setattr(lib, 'Manager', Fake)\n"
                                       "    lib.main()\n"),
                    "Calls lead to it from the test"));
  EXPECT_TRUE(says(explain_run("def test_main():\n    lib.main()\n"), "Calls lead to it from the test `test_main`"));
  EXPECT_TRUE(says(explain_run(fake + "def test_main(monkeypatch):\n    monkeypatch.setattr(lib, 'Other', Fake)\n"
                                      "    lib.main()\n"),
                   "Calls lead to it from the test `test_main`"));
}

/// What may communicate in ways that are not known is not said to be free of communication.
TEST(Precision, WhatSpeaksOfCommunicationIsNotDenied) {
  const auto side = [](const std::string& body, const std::string& docstring) {
    return "def exchange(x):\n    \"\"\"" + docstring + "\"\"\"\n    return x.swapped()\n\n\ndef step(x):\n" + body +
           "\n\ndef train_step(x):\n    return step(x)\n\n\nimport torch\n";
  };
  const auto text_of = [&](const std::string& after, const std::string& docstring) {
    return explain_of({{"a.py", side("    return x\n", docstring)}}, {{"a.py", side(after, docstring)}});
  };
  for (const std::string& text :
       {text_of("    y = x.redistribute(placements=[1])\n    return y\n", "Gives it back."),
        text_of("    y = exchange(x)\n    return y\n", "Collective on the group of experts.")}) {
    EXPECT_FALSE(says(text, "No new collective")) << text;
  }
  EXPECT_TRUE(says(text_of("    y = x.redistribute(placements=[1])\n    return y\n", "Gives it back."),
                   "`x.redistribute(placements=[1])` in `step` (`a.py:7`) can move a DTensor between ranks"));
  EXPECT_TRUE(says(text_of("    y = exchange(x)\n    return y\n", "Collective on the group of experts."),
                   "The docstring of `exchange` (`a.py:1`), to which calls lead from `step`, speaks of communication"));
  EXPECT_TRUE(says(text_of("    y = exchange(x)\n    return y\n", "Gives it back."), "No new collective"));
  // Without a call it communicates nothing, whatever its result is for.
  const auto getter = [](const std::string& body) {
    return "def group_of(x):\n    \"\"\"The group of the all-reduce.\"\"\"\n    return x.group\n\n\ndef step(x):\n" +
           body + "\n\ndef train_step(x):\n    return step(x)\n";
  };
  EXPECT_FALSE(
      says(explain_of({{"a.py", getter("    return x\n")}}, {{"a.py", getter("    y = group_of(x)\n    return y\n")}}),
           "speaks of communication"));
}

/// What a table kept of a function before another took its place is called by another name: no recursion.
TEST(Precision, AKeptOriginalIsNoRecursion) {
  const std::string before =
      "KEPT = {}\n\n\ndef patched(x):\n    return x\n\n\ndef install(m):\n    KEPT[\"f\"] = m.f\n    m.f = patched\n";
  const Files after =
      with_edit({{"a.py", before}}, "a.py", "    return x\n", "    orig = KEPT[\"f\"]\n    return orig(x)\n");
  EXPECT_FALSE(says(explain_of({{"a.py", before}}, after), "calls itself"));
  const std::string own = "def f(x):\n    return x\n";
  EXPECT_TRUE(
      says(explain_of({{"a.py", own}}, with_edit({{"a.py", own}}, "a.py", "return x", "return f(x - 1) if x else x")),
           "calls itself"));
}

/// Of code that does not even load PyTorch nobody asks about collectives.
TEST(Precision, CodeWithoutTorchHasNoCostsOfTheGpu) {
  const std::string without = "import json\n\n\ndef read(path):\n    return json.load(open(path))\n";
  const Files after = with_edit({{"a.py", without}}, "a.py", "open(path)", "open(path, 'rb')");
  EXPECT_TRUE(says(explain_of({{"a.py", without}}, after), "N/A - the code that changes loads no PyTorch"));
  // Through another module it does.
  const Files lib = {{"a.py", "import b\n" + without}, {"b.py", "import torch\n"}};
  EXPECT_FALSE(says(explain_of(lib, with_edit(lib, "a.py", "open(path)", "open(path, 'rb')")), "loads no PyTorch"));
  const auto tells = [&](Files files) {
    return says(explain_of(files, with_edit(files, "a.py", "open(path)", "open(path, 'rb')")), "loads no PyTorch");
  };
  EXPECT_TRUE(tells({{"a.py", "import yaml\nimport b\n" + without}, {"b.py", "import requests\n"}}));
  // What an unknown package loads, or one that is named only when it runs, nobody knows.
  EXPECT_FALSE(tells({{"a.py", "import some_models\n" + without}}));
  EXPECT_FALSE(tells({{"a.py", "import importlib\n\nb = importlib.import_module(input())\n" + without}}));
  // Who loads it has PyTorch.
  EXPECT_FALSE(tells({{"a.py", without}, {"train.py", "import torch\nimport a\n\nprint(a.read(\"x\"), torch)\n"}}));
  EXPECT_TRUE(tells({{"a.py", without}, {"use.py", "import a\n\nprint(a.read(\"x\"))\n"}}));
}

/// A hook on states decides what a checkpoint holds, by whatever name.
TEST(Precision, AHookOnStatesIsAStateDictFunction) {
  const auto side = [](const std::string& value, const std::string& method) {
    return "class Linear:\n    def __init__(self):\n        self." + method +
           "(self._split)\n\n    def _split(self, state, prefix):\n        return " + value + "\n";
  };
  const auto text_of = [&](const std::string& method) {
    return explain_of({{"a.py", side("state", method)}}, {{"a.py", side("dict(state)", method)}});
  };
  const std::string hook = text_of("register_state_dict_post_hook");
  EXPECT_TRUE(says(hook, "`Linear._split` changed: do checkpoints written before still load")) << hook;
  EXPECT_FALSE(says(hook, "or state_dict function changes")) << hook;
  EXPECT_FALSE(says(text_of("register_forward_hook"), "do checkpoints written before still load"));
}

/// The first of many entries would read as all of them.
TEST(Precision, ATableIsToldByHowManyEntriesItHas) {
  const std::string before = "def pick(name):\n    return name\n";
  std::string table = "TABLE = {\n";
  for (int i = 0; i < 9; ++i)
    table += "    'agent_" + std::to_string(i) + "': 'package.module_" + std::to_string(i) + "',\n";
  const std::string text =
      explain_of({{"a.py", before}}, {{"a.py", table + "}\n\n\ndef pick(name):\n    return TABLE[name]\n"}});
  EXPECT_TRUE(says(text, "`TABLE` (new, `a.py:1`): a table of 9 entries.")) << text;
}

}  // namespace
}  // namespace lockstep::render
