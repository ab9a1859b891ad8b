// What of the old code is told as what of the new: branches by what they hold, arguments by their names, messages by
// their words, waits by what they wait for; and what is no news because it was there before.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

std::string explain_edit(const std::string& before, const std::string& after) {
  return explain_of({{"a.py", before}}, {{"a.py", after}});
}

TEST(PairedEdits, ABranchThatHoldsSomethingElseIsAnotherOne) {
  const auto function = [](const std::string& body) {
    return "def set_streams(comp, comm):\n" + body + "    return comm\n";
  };
  const std::string text =
      explain_edit(function("    if comp is None:\n        comp = current()\n    store(comp, comm)\n"),
                   function("    if READY is None:\n        comm = fresh(comm)\n    store(None, comm)\n"));
  EXPECT_FALSE(says(text, "formerly when `comp` is `None`")) << text;
  // What it holds says that it is the same.
  const std::string same = explain_edit(function("    if comp is None:\n        comm = fresh(comm)\n"),
                                        function("    if READY is None:\n        comm = fresh(comm)\n"));
  EXPECT_TRUE(says(same, "when `READY` is `None`, formerly when `comp` is `None`")) << same;
}

TEST(PairedEdits, ABranchWhoseQuestionStandsElsewhereIsNotTheOneBesideIt) {
  const std::string before =
      "def post(self, r, probs):\n    if probs is not None:\n        if not r.prompt:\n            r.prompt = []\n"
      "        r.out.extend(probs)\n    else:\n        if self.last_only:\n            r.prompt = []\n            "
      "r.out = []\n    return r\n";
  const std::string after =
      "def post(self, r, probs):\n    if probs is not None:\n        if self.last_only and r.done:\n            "
      "r.prompt = []\n            r.out = []\n        if not r.prompt:\n            r.prompt = []\n        "
      "r.out.extend(probs)\n    return r\n";
  const std::string text = explain_edit(before, after);
  EXPECT_FALSE(says(text, "formerly when `r.prompt` is not set")) << text;
  EXPECT_FALSE(says(text, "formerly when `self.last_only` is set where")) << text;
}

TEST(PairedEdits, KeywordsAreComparedByTheirNames) {
  const auto config = [](const std::string& more, const std::string& count) {
    return "def make():\n    return Trainer.Config(\n        steps=10,\n" + more + "        trainer=Policy.Config(\n" +
           "            optimizer=Optimizer.Config(lr=1e-6), schedule=Schedule.Config(warmup=2, kind='linear')),\n" +
           "        generator=Generator.Config(\n            model=Model.Config(dim=4096), count=" + count +
           "),\n    )\n";
  };
  const std::string text =
      explain_edit(config("", "8"), config("        prompts=5,\n        samples=20,\n        "
                                           "env=Env.Config(seed=42),\n        other=Env.Config(seed=9),\n",
                                           "size"));
  EXPECT_TRUE(says(text,
                   "also passes `prompts=5`, `samples=20`, `env=Env.Config(seed=42)` and `other=Env.Config(seed=9)` to "
                   "`Trainer.Config` and gives `generator` another value"))
      << text;
  EXPECT_FALSE(says(text, "in what it returns")) << text;
}

TEST(PairedEdits, ArgumentsThatAreCutAlikeAreNotToldInsteadOfEachOther) {
  const auto config = [](const std::string& more, const std::string& training) {
    return "def make():\n    return Controller.Config(\n        steps=10,\n" + more +
           "        trainer=PolicyTrainer.Config(optimizer=default_adamw(lr=1e-6, fused=True), "
           "schedule=Schedule.Config(warmup=2, kind='linear', least=0.1)" +
           training + "),\n    )\n";
  };
  const std::string text = explain_edit(config("", ", training=TrainingConfig()"), config("        engines=3,\n", ""));
  EXPECT_TRUE(says(text, "also passes `engines=3` to `Controller.Config` and gives `trainer` another value")) << text;
  EXPECT_FALSE(says(text, "instead of")) << text;
}

TEST(PairedEdits, MessagesThatShareNoWordsAreTwo) {
  const auto log = [](const std::string& line) {
    return "import logging\n\nlogger = logging.getLogger(__name__)\n\n\ndef run(x):\n    y = x + 1\n" + line +
           "    return y\n";
  };
  const std::string text = explain_edit(log("    logger.info(\"=\" * 80)\n"),
                                        log("    logger.info(f\"Validation before training: {describe(y)}\")\n"));
  EXPECT_FALSE(says(text, "instead of `\"=\" * 80`")) << text;
}

TEST(PairedEdits, AFieldThatItsClassSetsAfterwardsIsNotAtItsDefault) {
  const auto params = [](const std::string& post) {
    return "from dataclasses import dataclass\n\n\n@dataclass\nclass Params:\n    top: int = 0\n    prompt: bool = "
           "False\n" +
           post;
  };
  const std::string before = "\n\ndef main(args):\n    return Params(top=args.top, prompt=args.prompt)\n";
  const std::string after = "\n\ndef main(args):\n    return Params(top=args.top)\n";
  EXPECT_TRUE(says(explain_edit(params("") + before, params("") + after), "which takes `False` without it"));
  const std::string post = "\n    def __post_init__(self):\n        self.prompt = self.top > 0\n";
  EXPECT_FALSE(says(explain_edit(params(post) + before, params(post) + after), "which takes `False` without it"));
}

TEST(PairedEdits, AnExceptionThatIsNewReachedNobody) {
  const auto caller = [](const std::string& head, const std::string& body) {
    return head + "def make(x):\n    return x\n\n\ndef start(x):\n" + body;
  };
  const std::string plain = "    y = make(x)\n    return y\n";
  const auto caught = [](const std::string& type) {
    return "    try:\n        y = make(x)\n    except " + type + ":\n        y = None\n    return y\n";
  };
  const std::string known = explain_edit(caller("", plain), caller("", caught("ValueError")));
  EXPECT_TRUE(says(known, "atches `ValueError`, which no longer reaches callers from `y = make(x)`")) << known;
  const std::string fresh =
      explain_edit(caller("", plain), caller("class Unsupported(Exception):\n    pass\n\n\n", caught("Unsupported")));
  EXPECT_TRUE(says(fresh, "atches `Unsupported` from `y = make(x)`")) << fresh;
  EXPECT_FALSE(says(fresh, "no longer reaches callers")) << fresh;
}

const std::string kStep = R"(import torch


class Machine:
    def should_run(self, it):
        will = torch.tensor([self.a], device='cuda')
        torch.distributed.all_reduce(will)
        return will.item() > 0


def train_step(m: Machine, it):
    return m.should_run(it)
)";

TEST(PairedEdits, AWaitThatTakesThePlaceOfAnotherOneIsNotNew) {
  const std::string after = replace_all(
      replace_all(kStep, "        return will.item() > 0\n", "        return self.any_of(will)\n"), "class Machine:\n",
      "class Machine:\n    def any_of(self, one):\n        return all(x > 0 for x in one.tolist())\n\n");
  const std::string text = explain_edit(kStep, after);
  EXPECT_FALSE(says(text, "New waits of the host")) << text;
  EXPECT_FALSE(says(text, "Waits of the host that are gone")) << text;
  // Each element by itself is another matter.
  const std::string each = replace_all(after, "all(x > 0 for x in one.tolist())", "all(x.item() > 0 for x in one)");
  EXPECT_TRUE(says(explain_edit(kStep, each), "New waits of the host")) << explain_edit(kStep, each);
}

TEST(PairedEdits, ATensorThatIsMadeOnTheHostIsReadWithoutWaiting) {
  const std::string before = replace_all(kStep, ", device='cuda'", "");
  const std::string text =
      explain_edit(before, replace_all(before, "        return will.item() > 0\n", "        return False\n"));
  EXPECT_FALSE(says(text, "waiting for the GPU")) << text;
  EXPECT_TRUE(
      says(explain_edit(kStep, replace_all(kStep, "        return will.item() > 0\n", "        return False\n")),
           "waiting for the GPU"));
}

TEST(PairedEdits, AnOptionWithAnotherHelpIsNotNew) {
  const auto options = [](const std::string& help, const std::string& more) {
    return "def add(group):\n" + more +
           "    group.add_argument('--graph-scope', type=str, default='full', choices=['full', 'attn'],\n" +
           "                       help='" + help + "')\n    return group\n";
  };
  const std::string old_help = "Determines the scope. Valid values are full and attn. Full captures a whole layer.";
  const std::string help = "What to capture";
  const std::string more =
      "    group.add_argument('--graph-impl', type=str, default='none', choices=['none', 'local'],\n"
      "                       help='Determines the implementation. Valid values are none and local.')\n";
  const std::string text = explain_edit(options(old_help, ""), options(help, more));
  EXPECT_TRUE(says(text, "`--graph-impl`")) << text;
  EXPECT_FALSE(says(text, "`graph_scope` (new")) << text;
  EXPECT_FALSE(says(text, "New setting `graph_scope`")) << text;
}

TEST(PairedEdits, WhatARemovedFunctionWasForIsShown) {
  std::string gone = "def sweep(graph):\n    seen = set()\n";
  for (int i = 0; i < 30; ++i) gone += "    seen.add(graph.node(" + std::to_string(i) + "))\n";
  gone += "    graph.erase(seen)\n    graph.recompile()\n\n\n";
  const std::string text = explain_edit(gone + "def other():\n    return 1\n", "def other():\n    return 1\n");
  EXPECT_TRUE(says(text, "more lines)")) << text;
  EXPECT_TRUE(says(text, "    graph.recompile()\n")) << text;
}

TEST(PairedEdits, AReasonThatOnlyMovedIsNone) {
  const std::string comment = "# Build it upon import; this avoids issues.\n";
  const std::string before = comment + "LIBRARY = build()\n\n\ndef make():\n    return LIBRARY\n";
  const std::string after = "def make():\n    " + comment + "    library = build()\n    return library\n";
  EXPECT_FALSE(says(explain_edit(before, after), "\u201cBuild it")) << explain_edit(before, after);
}

TEST(PairedEdits, WhatMovesIntoAnInnerFunctionUnderOtherNamesIsNotGone) {
  const std::string before =
      "def forward(self, x, gate):\n    out = self.apply_norm(x, gate)\n    out = out.reshape(self.batch, self.length, "
      "-1)\n"
      "    out = out.transpose(0, 1).contiguous()\n    return self.project(out)\n";
  const std::string after =
      "def forward(self, x, gate):\n    def norm(x, gate):\n        inner = self.apply_norm(x, gate)\n"
      "        inner = inner.reshape(self.batch, self.length, -1)\n        inner = inner.transpose(0, 1).contiguous()\n"
      "        return inner\n\n    if self.recompute:\n        out = checkpoint(norm, x, gate)\n    else:\n        out "
      "= "
      "norm(x, gate)\n    return self.project(out)\n";
  const std::string text = explain_edit(before, after);
  EXPECT_FALSE(says(text, "o longer sets `out` to `out.reshape")) << text;
  EXPECT_FALSE(says(text, "o longer sets `out` to `out.transpose")) << text;
}

TEST(PairedEdits, ADecoratorWithOtherArgumentsIsNotNew) {
  const auto tests = [](const std::string& target) {
    return "from unittest.mock import patch\n\n\n@patch(\"" + target +
           "\")\ndef test_load(open_file):\n    assert open_file\n";
  };
  const std::string text =
      explain_of({{"tests/test_a.py", tests("core.open")}, {"a.py", "def f(x):\n    return x\n"}},
                 {{"tests/test_a.py", tests("core.files.open")}, {"a.py", "def f(x):\n    return x + 1\n"}});
  EXPECT_TRUE(says(text, "decorator `patch` with other arguments")) << text;
  EXPECT_FALSE(says(text, "new decorator")) << text;
}

TEST(PairedEdits, ACheckOnAWordThatNobodyKnewRefusesNothingThatPassed) {
  const auto config = [](const std::string& allowed, const std::string& check) {
    return "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    modules: list = None\n    variant: "
           "str = "
           "None\n\n    def __post_init__(self):\n        allowed = {" +
           allowed + "}\n        assert not set(self.modules) - allowed, \"unknown\"\n" + check;
  };
  const auto check = [](const std::string& word) {
    return "        if \"" + word +
           "\" in self.modules:\n            if self.variant != \"gated\":\n"
           "                raise ValueError(\"not supported\")\n";
  };
  const std::string fresh =
      explain_edit(config("\"core\", \"mlp\"", ""), config("\"core\", \"mlp\", \"norm_out\"", check("norm_out")));
  EXPECT_FALSE(says(fresh, "refuses more")) << fresh;
}

TEST(PairedEdits, WhatComesToAChainOfAlternativesIsToldAlone) {
  const auto flaky = [](const std::string& more,
                        const std::string& first = "'free(): corrupted unsorted chunks' in logs") {
    return "def is_flaky(logs):\n    return (\n        " + first + "\n" + more +
           "        or 'uncorrectable ECC error encountered' in logs\n        or 'unspecified launch failure' in "
           "logs\n    )\n";
  };
  const std::string more = "        or 'Read timed out' in logs\n        or 'Connection broken' in logs\n";
  const std::string text = explain_edit(flaky(""), flaky(more));
  EXPECT_TRUE(says(text,
                   "adds `'Read timed out' in logs` and `'Connection broken' in logs` to the alternatives in what "
                   "it returns"))
      << text;
  EXPECT_FALSE(says(text, "in place of")) << text;
  const std::string back = explain_edit(flaky(more), flaky(""));
  EXPECT_TRUE(says(back,
                   "takes `'Read timed out' in logs` and `'Connection broken' in logs` out of the alternatives in "
                   "what it returns"))
      << back;
  const std::string other = explain_edit(flaky(""), flaky(more, "'NCCL error' in logs"));
  EXPECT_FALSE(says(other, "to the alternatives")) << "one gave way to another: " << other;
}

TEST(PairedEdits, WhatComesToListsInsideIsToldAlone) {
  const auto tests = [](const std::string& more, const std::string& name) {
    const std::string options =
        "[[" + more + "'--module graph_trainer.deepseek_v3', '--config debugmodel_of_deepseek']";
    return "def build():\n    return [\n        Override(" + options + "], '" + name +
           "', ngpu=8),\n        Override(" + options + "], 'second', ngpu=4),\n    ]\n";
  };
  const std::string text = explain_edit(tests("", "first"), tests("'--disable_cuda_graphs', ", "first"));
  EXPECT_TRUE(says(text, "adds `'--disable_cuda_graphs'` to 2 lists in what it returns")) << text;
  EXPECT_FALSE(says(text, "in place of")) << text;
  const std::string back = explain_edit(tests("'--disable_cuda_graphs', ", "first"), tests("", "first"));
  EXPECT_TRUE(says(back, "takes `'--disable_cuda_graphs'` out of 2 lists in what it returns")) << back;
  const std::string more = explain_edit(tests("", "first"), tests("'--disable_cuda_graphs', ", "other"));
  EXPECT_FALSE(says(more, "lists in what it returns")) << "the name changes, too: " << more;
}

// What a call gives otherwise is told with both values, before what it no longer gives.
TEST(PairedEdits, AnArgumentOfAnotherValueComesBeforeThoseThatGo) {
  const auto call = [](const std::string& given) {
    return "def setup(self, sizes):\n    return match_config(sizes, " + given + ")\n";
  };
  const std::string gone =
      "smallest_graph_size_of_steps=self.smallest_graph_size_of_the_steps_with_prefill, "
      "only_graphs_of_decode_steps=not self.use_graphs_for_steps_other_than_decode_steps, ";
  const std::string text = explain_of({{"a.py", call(gone + "match_counts=self.is_nccl")}},
                                      {{"a.py", call("match_counts=self.is_nccl or self.is_training")}});
  EXPECT_TRUE(says(text,
                   "asses `match_counts=self.is_nccl or self.is_training` to `match_config` instead of `self.is_nccl` "
                   "and no longer passes `smallest_graph_size_of_steps` and `only_graphs_of_decode_steps`."))
      << text;
}

}  // namespace
}  // namespace lockstep::render
