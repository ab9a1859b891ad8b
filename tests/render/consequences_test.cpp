// What a change means for the code around it: results of another form, fields that some leave out, imports that nobody
// uses any more, errors that no test expects, what helpers set besides what they replace.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

TEST(Consequences, AResultOfAnotherFormIsToldWithWhoTakesItAsItWas) {
  const auto step = [](const std::string& result) {
    return "def step(model):\n    loss = model.loss()\n    norm = model.norm()\n    return " + result + "\n";
  };
  const std::string callers =
      "from a import step\n\n\ndef train(model):\n    loss, norm = step(model)\n    return loss\n\n\n"
      "def evaluate(model):\n    return step(model)\n";
  const std::string text = explain_of({{"a.py", step("loss, norm")}, {"b.py", callers}},
                                      {{"a.py", step("{'loss': loss, 'norm': norm}")}, {"b.py", callers}});
  EXPECT_TRUE(says(text, "`step` returns a dictionary now, formerly a tuple of 2. `b.py:5` still takes it as it was."))
      << text;
  const std::string follows = replace_all(replace_all(callers, "loss, norm = step(model)", "out = step(model)"),
                                          "    return loss\n", "    return out['loss']\n");
  const std::string fits = explain_of({{"a.py", step("loss, norm")}, {"b.py", callers}},
                                      {{"a.py", step("{'loss': loss, 'norm': norm}")}, {"b.py", follows}});
  EXPECT_TRUE(says(fits,
                   "`step` returns a dictionary now, formerly a tuple of 2. Code outside the repository that takes "
                   "it apart has to follow."))
      << fits;
  const std::string more = explain_of({{"a.py", step("loss")}}, {{"a.py", step("loss, norm")}});
  EXPECT_TRUE(says(more, "`step` returns a tuple of 2 now, formerly one value.")) << more;
  // What may be a tuple already says nothing, nor does one whose length does not show.
  const std::string rest = explain_of({{"a.py", step("loss, *model.rest()")}}, {{"a.py", step("loss, norm")}});
  EXPECT_FALSE(says(rest, "formerly")) << rest;
  const std::string other = explain_of({{"a.py", step("model.both()")}}, {{"a.py", step("loss, norm")}});
  EXPECT_FALSE(says(other, "formerly one value")) << other;
}

TEST(Consequences, WhereADataclassIsMadeWithoutItsNewFieldIsAsked) {
  const auto config = [](const std::string& field) {
    return "from dataclasses import dataclass\n\n\n@dataclass\nclass WrapperConfig:\n    size: int\n" + field;
  };
  const auto make = [](const std::string& given) {
    return "from config import WrapperConfig\n\n\ndef make(args):\n    return WrapperConfig(size=args.size" + given +
           ")\n";
  };
  const std::string added = "    fp8: str = None\n";
  const std::string text =
      explain_of({{"config.py", config("")}, {"a.py", make("")}, {"b.py", make("")}},
                 {{"config.py", config(added)}, {"a.py", make(", fp8=args.fp8")}, {"b.py", make("")}});
  EXPECT_TRUE(says(text,
                   "`WrapperConfig` is made without the new `fp8` at `b.py:5`; `a.py:5` gives it. Is its default "
                   "right there?"))
      << text;
  const std::string all =
      explain_of({{"config.py", config("")}, {"a.py", make("")}, {"b.py", make("")}},
                 {{"config.py", config(added)}, {"a.py", make(", fp8=args.fp8")}, {"b.py", make(", fp8=args.fp8")}});
  EXPECT_FALSE(says(all, "is made without")) << all;
}

TEST(Consequences, AnImportThatTheLastUserLeavesIsNamed) {
  const std::string before =
      "import math\nimport os\n\n\ndef scale(n):\n    return 1 / math.sqrt(n)\n\n\n"
      "def root():\n    return os.getcwd()\n";
  const std::string after = replace_all(before, "1 / math.sqrt(n)", "n ** -0.5");
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "What is imported as `math` (`a.py:1`) is used there no longer.")) << text;
  EXPECT_FALSE(says(text, "`os` (")) << text;
  // Another module may take it from there.
  const std::string taker = "from a import math\n\n\ndef two():\n    return math.pi\n";
  const std::string taken = explain_of({{"a.py", before}, {"b.py", taker}}, {{"a.py", after}, {"b.py", taker}});
  EXPECT_FALSE(says(taken, "is used there no longer")) << taken;
}

TEST(Consequences, ANewErrorThatNoTestExpectsIsAskedAbout) {
  const std::string before = "def plan(n):\n    return list(range(n))\n";
  const std::string after = "def plan(n):\n    if n < 0:\n        raise ValueError(\"n\")\n    return list(range(n))\n";
  const auto test = [](const std::string& body) {
    return "import pytest\n\nfrom a import plan\n\n\ndef test_plan():\n" + body;
  };
  const Files old = {{"a.py", before}, {"tests/test_a.py", test("    assert plan(1) == [0]\n")}};
  const std::string text = explain_of(old, {{"a.py", after}, {"tests/test_a.py", test("    assert plan(1) == [0]\n")}});
  EXPECT_TRUE(says(text,
                   "Does a test expect the `ValueError` of `plan` (`a.py:3`), which the change brings? No test "
                   "that names the code was found to expect it."))
      << text;
  const std::string expected = explain_of(
      old, {{"a.py", after}, {"tests/test_a.py", test("    with pytest.raises(ValueError):\n        plan(-1)\n")}});
  EXPECT_FALSE(says(expected, "Does a test expect")) << expected;
  const auto text_of_test = [&](const std::string& body) {
    return explain_of(old, {{"a.py", after}, {"tests/test_a.py", test(body)}});
  };
  // However it is laid out, among others, and by a class above it.
  const std::string laid_out =
      text_of_test("    with pytest.raises(\n        ValueError, match=\"n\"\n    ):\n        plan(-1)\n");
  EXPECT_FALSE(says(laid_out, "Does a test expect")) << laid_out;
  const std::string among = text_of_test("    with pytest.raises((TypeError, ValueError)):\n        plan(-1)\n");
  EXPECT_FALSE(says(among, "Does a test expect")) << among;
  const std::string above = text_of_test("    with pytest.raises(Exception):\n        plan(-1)\n");
  EXPECT_FALSE(says(above, "Does a test expect")) << above;
  const std::string another = text_of_test("    with pytest.raises(TypeError):\n        plan(-1)\n");
  EXPECT_TRUE(says(another, "Does a test expect the `ValueError`")) << another;
  // One of another function, or with another message, is none.
  const std::string beside = text_of_test(
      "    assert plan(1) == [0]\n\n\ndef test_int():\n    with pytest.raises(ValueError):\n        int(\"a\")\n");
  EXPECT_TRUE(says(beside, "Does a test expect the `ValueError`")) << beside;
  const std::string other = text_of_test("    with pytest.raises(ValueError, match=\"too many\"):\n        plan(10)\n");
  EXPECT_TRUE(says(other, "Does a test expect the `ValueError`")) << other;
  // One that is only worded otherwise is none.
  const std::string worded = explain_of({{"a.py", after}}, {{"a.py", replace_all(after, "\"n\"", "\"negative\"")}});
  EXPECT_FALSE(says(worded, "Does a test expect")) << worded;
}

TEST(Consequences, ANewErrorBesideOneThatTestsExpectIsAskedAbout) {
  const auto config = [](const std::string& check) {
    return "MODEL = \"model\"\nOPTIMIZER = \"optimizer\"\n\n\nclass Manager:\n    class Config:\n"
           "        def __init__(self, left_out):\n            if MODEL in left_out:\n"
           "                raise ValueError(f\"{MODEL} key shouldn't be left out.\")\n" +
           check + "            self.left_out = left_out\n";
  };
  const std::string now = config(
      "            if OPTIMIZER in left_out:\n"
      "                raise ValueError(f\"{OPTIMIZER} must stay with the scheduler.\")\n");
  const auto text_of = [&](const std::string& expected) {
    const std::string test =
        "import unittest\n\nfrom a import Manager\n\n\nclass TestManager(unittest.TestCase):\n"
        "    def setUp(self):\n        self.config = Manager.Config\n\n    def test_it(self):\n"
        "        with self.assertRaisesRegex(ValueError, " +
        expected + "):\n            self.config([\"model\"])\n";
    return explain_of({{"a.py", config("")}, {"tests/test_a.py", test}}, {{"a.py", now}, {"tests/test_a.py", test}});
  };
  const std::string other = text_of("\"model key shouldn't be left out.\"");
  EXPECT_TRUE(says(other, "Does a test expect the `ValueError` of `Manager.Config.__init__` (`a.py:11`)")) << other;
  for (const std::string fitting : {"\"stay with\"", "r\"optimizer.*scheduler\\.\"", "\"\"", "MESSAGE"}) {
    const std::string text = text_of(fitting);
    EXPECT_FALSE(says(text, "Does a test expect")) << text;
  }
}

/// A collection of groups that two schedules filled themselves.
TEST(Consequences, WhatAHelperSetsBesidesWhatItReplacesIsTold) {
  const std::string filled =
      "    groups = Groups()\n    groups.tp = state.tensor_group()\n    groups.pp = state.pipeline_group()\n";
  const auto schedule = [](const std::string& name, const std::string& body) {
    return "def " + name + "(state, run):\n" + body + "    return run(groups)\n";
  };
  const std::string head = "class Groups:\n    pass\n\n\n";
  const std::string before = head + schedule("first", filled) + "\n\n" + schedule("second", filled);
  const auto after = [&](const std::string& more) {
    return head + "def default_groups(state):\n" + filled + more + "    return groups\n\n\n" +
           schedule("first", "    groups = default_groups(state)\n") + "\n\n" +
           schedule("second", "    groups = default_groups(state)\n");
  };
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after("    groups.dp = state.data_group()\n")}});
  EXPECT_TRUE(says(text, "It also sets `dp`, which the code that it replaces in `first` and `second` did not."))
      << text;
  EXPECT_FALSE(says(text, "No longer sets")) << text;
  EXPECT_FALSE(says(text, "no longer sets")) << text;
  const std::string same = explain_of({{"a.py", before}}, {{"a.py", after("")}});
  EXPECT_FALSE(says(same, "also sets")) << same;
}

TEST(Consequences, AKeyUnderAnotherNameHoldsTheSame) {
  const auto reply = [](const std::string& key) {
    return "def reply(message, data):\n    message[\"" + key + "\"] = data[\"reasoning\"]\n    return message\n";
  };
  const std::string text = explain_of({{"a.py", reply("reasoning")}}, {{"a.py", reply("reasoning_content")}});
  EXPECT_TRUE(says(text,
                   "sets `message[\"reasoning_content\"]` in place of `message[\"reasoning\"]` to "
                   "`data[\"reasoning\"]`"))
      << text;
}

TEST(Consequences, TheLastOfManyBranchesIsToldWithoutTheOthers) {
  const auto save = [](const std::string& group) {
    return "def save(state, kind, format, group):\n"
           "    if kind == 'global' and format == 'distributed' and state.is_sharded:\n        first(state)\n"
           "    elif kind == 'global' and format in ['plain', 'tensors'] and state.is_whole:\n        second(state)\n"
           "    elif kind == 'local':\n        third(state, " +
           group + ")\n";
  };
  const std::string text = explain_of({{"a.py", save("None")}}, {{"a.py", save("group")}});
  EXPECT_TRUE(says(text, "where `kind` is `'local'` and no branch before that is taken")) << text;
}

TEST(Consequences, AnArgumentThatIsRequiredHasNoDefault) {
  const std::string arguments =
      "def add(parser):\n    parser.add_argument('--model-kind', type=str, required=True)\n    return parser\n";
  const std::string before = "def build(args):\n    return plain(args)\n";
  const std::string after =
      "def build(args):\n    if args.model_kind == 'hybrid':\n        return hybrid(args)\n    return plain(args)\n";
  const std::string text =
      explain_of({{"arguments.py", arguments}, {"a.py", before}}, {{"arguments.py", arguments}, {"a.py", after}});
  EXPECT_TRUE(says(text, "`model_kind`")) << text;
  EXPECT_FALSE(says(text, "`None`")) << text;
}

TEST(Consequences, WhoGivesTheArgumentThatSwitchesItOnIsTold) {
  const Files base = {
      {"arguments.py",
       "def add(parser):\n    parser.add_argument('--use-fused', action='store_true')\n    return parser\n"},
      {"a.py", "def build(args):\n    return plain(args)\n"},
      {"train.sh", "python train.py --use-fused-adam --lr 1\n"}};
  Files after = base;
  after["a.py"] = "def build(args):\n    if args.use_fused:\n        return fused(args)\n    return plain(args)\n";
  const auto told = [&](const Files& more) {
    Files before = base;
    Files now = after;
    for (const auto& [path, text] : more) before[path] = now[path] = text;
    return explain_of(before, now);
  };
  const std::string nowhere = told({});
  EXPECT_TRUE(says(nowhere, "No shell script or configuration file of the repository names `--use-fused`.")) << nowhere;
  const std::string given = told(
      {{"run.sh", "python train.py --use-fused \\\n"}, {"tests/configs/one.yaml", "ARGS:\n  --use-fused: true\n"}});
  EXPECT_TRUE(says(given, "`--use-fused` is given in `run.sh`, and in 1 file of tests.")) << given;
  const std::string tests = told({{"tests/configs/one.yaml", "ARGS:\n  --use-fused: true\n"}});
  EXPECT_TRUE(says(tests, "`--use-fused` is given in 1 file of tests and in no other script or configuration."))
      << tests;
  const std::string page = told({{"docs/run.md", "Run it with `--use-fused`.\n"}, {"CHANGELOG.md", "--use-fused\n"}});
  EXPECT_TRUE(says(page,
                   "No shell script or configuration file of the repository names `--use-fused`; the page "
                   "`docs/run.md` gives it."))
      << page;
  const std::string pages = told({{"docs/run.md", "Run it with `--use-fused`.\n"},
                                  {"docs/tune.md", "Add `--use-fused`.\n"},
                                  {"lib/README.md", "`--use-fused` is there.\n"}});
  EXPECT_TRUE(says(pages, "the pages `docs/run.md`, `docs/tune.md` and 1 more give it.")) << pages;
}

/// An option of two names is given by who gives either.
TEST(Consequences, AnArgumentIsGivenUnderAllItsSpellings) {
  const Files base = {
      {"arguments.py",
       "def add(parser):\n    parser.add_argument('--use-fused_adam', '--use-fused-adam', '-f', action='store_true', "
       "dest='use_fused_adam')\n    return parser\n"},
      {"a.py", "def build(args):\n    return plain(args)\n"},
      {"train.sh", "rm -f log\npython train.py --use-fused-adam-w\n"}};
  const auto told = [&](const Files& more) {
    Files before = base;
    before.insert(more.begin(), more.end());
    Files now = before;
    now["a.py"] = "def build(args):\n    if args.use_fused_adam:\n        return fused(args)\n    return plain(args)\n";
    return explain_of(before, now);
  };
  const std::string both = told({{"run.sh", "python train.py --use-fused-adam \\\n"},
                                 {"tests/configs/one.yaml", "ARGS:\n  --use-fused_adam: true\n"},
                                 {"tests/configs/two.yaml", "ARGS:\n  --use-fused-adam: true\n"}});
  EXPECT_TRUE(says(both, "is given in `run.sh`, and in 2 files of tests")) << both;
  EXPECT_TRUE(says(both, "is the same option.")) << both;
  const std::string nowhere = told({});
  EXPECT_TRUE(says(nowhere, "No shell script or configuration file of the repository names `--use-fused")) << nowhere;
}

TEST(Consequences, AMethodThatBecomesAPropertyIsNoLongerCalled) {
  const std::string method = "class Module:\n    def groups(self):\n        return [self.a]\n";
  const std::string property = "class Module:\n    @property\n    def groups(self):\n        return [self.a]\n";
  const std::string text = explain_of({{"a.py", method}}, {{"a.py", property}});
  EXPECT_TRUE(says(text,
                   "`Module.groups` is a property now, formerly a method. Code outside the repository that calls it "
                   "calls what it gives."))
      << text;
  const std::string back = explain_of({{"a.py", property}}, {{"a.py", method}});
  EXPECT_TRUE(says(back, "`Module.groups` is a method now, formerly a property.")) << back;
}

TEST(Consequences, TheElseOfANewChainIsBehindAllItsBranches) {
  const auto convert = [](const std::string& body) {
    return "def convert(placement, out):\n    if placement.is_partial:\n" + body + "    return out\n";
  };
  const std::string text = explain_of(
      {{"a.py", convert("        raise TypeError(placement)\n")}},
      {{"a.py", convert("        if placement.op == 'avg':\n            name = mean(placement)\n"
                        "        elif placement.op == 'sum':\n            name = total(placement)\n        else:\n"
                        "            raise ValueError(placement)\n        out.append(name)\n")}});
  EXPECT_TRUE(says(text, "therwise, when `placement.op` is `'sum'`")) << text;
}

TEST(Consequences, WhatFollowsAReturnThatIsGoneRunsThenToo) {
  const std::string before =
      "def step(self, local):\n    result = self.run()\n    if result is not None:\n        if not local:\n"
      "            return result\n        self.finish(result)\n    self.count += 1\n    self.trace.pop()\n    return "
      "{}\n";
  const std::string after =
      "def step(self, local):\n    result = self.run()\n    if result is not None:\n        self.finish(result)\n"
      "    self.count += 1\n    self.trace.pop()\n    return {}\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "what follows runs then, too: `self.count += 1` and `self.trace.pop()`")) << text;
  // Another way out may be in its place.
  const std::string raises =
      replace_all(after, "        self.finish(result)\n",
                  "        if not local:\n            raise ValueError(local)\n        self.finish(result)\n");
  const std::string other = explain_of({{"a.py", before}}, {{"a.py", raises}});
  EXPECT_FALSE(says(other, "what follows runs")) << other;
}

TEST(Consequences, WhatWasNotDoneIsNoReason) {
  const std::string after =
      "def adapt(optimizer):\n    \"\"\"Attach hooks to an optimizer.\n\n    Alternatives considered:\n"
      "        - Generating a subclass for each optimizer, because hooks may be lost. This adds machinery.\n\n"
      "    Args:\n        optimizer: What is adapted.\n    \"\"\"\n    optimizer.register(before)\n";
  const std::string text =
      explain_of({{"a.py", "def before():\n    return 1\n"}}, {{"a.py", "def before():\n    return 1\n\n\n" + after}});
  EXPECT_TRUE(says(text, "Attach hooks to an optimizer.")) << text;
  EXPECT_FALSE(says(text, "“Generating a subclass")) << text;
}

TEST(Consequences, WhatALongValueThatIsAddedDiffersInIsShown) {
  const auto report = [](const std::string& value) {
    return "def report(name):\n    text = name\n    text += " + value + "\n    return text\n";
  };
  const std::string text =
      explain_of({{"a.py", report("' | allocated: {}'.format(torch.cuda.memory_allocated() / mega_bytes)")}},
                 {{"a.py", report("f\" | allocated: {torch.cuda.memory_allocated() / mega_bytes:.2f}\"")}});
  EXPECT_TRUE(says(text, "mega_bytes:.2f}\"` to `text` instead of `' | allocated: {}'.format(")) << text;
}

TEST(Consequences, AKeywordThatCallsGaveBeforeItWasTakenIsTold) {
  const auto send = [](const std::string& more) {
    return "class Sender:\n    def combine(self, x" + more + "):\n        return x * 2\n";
  };
  const std::string caller =
      "from send import Sender\n\n\ndef run(x):\n    sender = Sender()\n    return sender.combine(x, limit=3)\n";
  const std::string text = explain_of({{"send.py", send("")}, {"run.py", caller}},
                                      {{"send.py", send(", *, limit: int")}, {"run.py", caller}});
  EXPECT_TRUE(says(text, "The unchanged call at `run.py:6` gives it already; the old signature refused that;")) << text;
  // One that the change adapts, and one that any keyword took.
  const std::string old_call = replace_all(caller, ", limit=3", "");
  const std::string adapted = explain_of({{"send.py", send("")}, {"run.py", old_call}},
                                         {{"send.py", send(", *, limit: int")}, {"run.py", caller}});
  EXPECT_FALSE(says(adapted, "gives it already")) << adapted;
  const std::string any = explain_of({{"send.py", send(", **options")}, {"run.py", caller}},
                                     {{"send.py", send(", *, limit: int, **options")}, {"run.py", caller}});
  EXPECT_FALSE(says(any, "gives it already")) << any;
}

TEST(Consequences, OptionsThatAClassDeclaresNowAreNotGone) {
  const std::string config =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass StragglerConfig:\n    log_straggler: bool = False\n"
      "    straggler_port: int = 65535\n";
  const std::string head =
      "import argparse\nfrom factory import ArgumentGroupFactory\nfrom config import StragglerConfig\n\n\n"
      "def add_args(parser):\n";
  const std::string was =
      head +
      "    group = parser.add_argument_group('straggler')\n"
      "    group.add_argument('--log-straggler', action='store_true', help='log them')\n"
      "    group.add_argument('--straggler-port', type=int, default=65535, help='port')\n    return parser\n";
  const std::string now =
      head + "    ArgumentGroupFactory(StragglerConfig).build_group(parser, 'straggler')\n    return parser\n";
  const std::string factory = "class ArgumentGroupFactory:\n    def __init__(self, cls):\n        self.cls = cls\n";
  const std::string text = explain_of({{"args.py", was}, {"config.py", config}, {"factory.py", factory}},
                                      {{"args.py", now}, {"config.py", config}, {"factory.py", factory}});
  EXPECT_FALSE(says(text, "o longer calls `group.add_argument('--log-straggler'")) << text;
  const std::string gone =
      explain_of({{"args.py", was}, {"config.py", ""}, {"factory.py", factory}},
                 {{"args.py", head + "    return parser\n"}, {"config.py", ""}, {"factory.py", factory}});
  EXPECT_TRUE(says(gone, "--log-straggler")) << gone;
}

}  // namespace
}  // namespace lockstep::render
