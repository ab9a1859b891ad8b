// What the documents say of a step must hold of all runs: conditions, names, receivers and arguments are asked for
// before code is told as freed, renamed, moved, inlined or replaced.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

std::string told(const std::string& before, const std::string& after) {
  return explain_of({{"a.py", before}}, {{"a.py", after}}) + dive_of({{"a.py", before}}, {{"a.py", after}});
}

/// What stood behind a way out is come to in the same cases without its `else`.
// `x = f(); return x` that becomes `return f()` returns what it did.
TEST(ToldSteps, WhatIsReturnedWithoutANameIsReturnedStill) {
  const std::string was = "def f(x):\n    rows = tuple(x)\n    x.close()\n    return rows\n";
  const std::string is = "def f(x):\n    x.close()\n    return tuple(x)\n";
  const std::string text = explain_of({{"a.py", was}}, {{"a.py", is}});
  EXPECT_FALSE(says(text, "o longer returns")) << text;
  const std::string plain = explain_of({{"a.py", "def f(x):\n    rows = tuple(x)\n    return rows\n"}},
                                       {{"a.py", "def f(x):\n    return tuple(x)\n"}});
  EXPECT_FALSE(says(plain, "o longer returns") || says(plain, "in place of")) << plain;
}

TEST(ToldSteps, AnElseBehindAWayOutFreesNothing) {
  const auto before = [](const std::string& first) {
    return "def run(a, x):\n    if a:\n        " + first + "\n    else:\n        bar(x)\n    end(x)\n";
  };
  const auto after = [](const std::string& first) {
    return "def run(a, x):\n    if a:\n        " + first + "\n    bar(x)\n    end(x)\n";
  };
  const std::string freed = "omes to `bar(x)` also where `a` is set";
  const std::string text = told(before("return None"), after("return None"));
  EXPECT_FALSE(says(text, freed)) << text;
  EXPECT_TRUE(says(told(before("note(x)"), after("note(x)")), freed)) << told(before("note(x)"), after("note(x)"));
}

/// By name is given what was given to the parameter of that name.
TEST(ToldSteps, OnlyTheParameterOfTheNameIsGivenByName) {
  const auto text_of = [](const std::string& parameters, const std::string& before, const std::string& after) {
    const auto file = [&](const std::string& arguments) {
      return "def scale(" + parameters + "):\n    return x\n\n\ndef run(x, k, v, limit):\n    y = scale(" + arguments +
             ")\n    return y\n";
    };
    return told(file(before), file(after));
  };
  const std::string same = text_of("x, offset=1, factor=1", "x, k", "x, offset=k");
  EXPECT_TRUE(says(same, "ives `offset` to `scale` by name")) << same;
  const std::string other = text_of("x, factor=1, offset=1", "x, k", "x, offset=k");
  EXPECT_FALSE(says(other, "by name")) << other;
  EXPECT_TRUE(says(other, "`offset=k`")) << other;
  // One of two alike is still left out.
  const std::string one = text_of("x, lo=1, hi=1", "v, limit, limit", "v, hi=limit");
  EXPECT_FALSE(says(one, "by name")) << one;
  const std::string method = told(
      "class A:\n    def scale(self, x, offset):\n        return x\n\n    def run(self, x, k):\n        y = "
      "self.scale(x, k)\n        return y\n",
      "class A:\n    def scale(self, x, offset):\n        return x\n\n    def run(self, x, k):\n        y = "
      "self.scale(x, offset=k)\n        return y\n");
  EXPECT_TRUE(says(method, "ives `offset` to `self.scale` by name")) << method;
}

/// What only resembles the code that stood here is not that code.
TEST(ToldSteps, WhatDiffersThereIsNotTheCodeThatStoodHere) {
  const std::string before =
      "class T:\n    def step(self, batch):\n        self.timer.start(\"forward\", batch[\"ids\"])\n"
      "        out = self.model(batch[\"ids\"], batch[\"mask\"])\n"
      "        loss = self.criterion(out, batch[\"labels\"])\n        loss.backward()\n        return loss\n";
  const auto after = [](const std::string& value) {
    return "class T:\n    def step(self, batch):\n        loss = self._loss(batch)\n        loss.backward()\n"
           "        return loss\n\n    def _loss(self, batch):\n        self.timer.start(\"forward\", batch[\"ids\"])\n"
           "        out = self.model(batch[\"ids\"], batch[\"mask\"])\n" +
           value;
  };
  const std::string stood = "which has the code that stood here";
  const std::string same = told(before, after("        return self.criterion(out, batch[\"labels\"])\n"));
  EXPECT_TRUE(says(same, stood)) << same;
  const std::string differs =
      told(before, after("        loss = self.criterion(out.float(), batch[\"labels\"], weight=0.5)\n"
                         "        return loss\n"));
  EXPECT_FALSE(says(differs, stood)) << differs;
  EXPECT_TRUE(says(differs, "`self._loss(batch)`") || says(differs, "`loss = self._loss(batch)`")) << differs;
  const std::string sometimes = told(before, after("        if not self.skips:\n            return self.zero\n"
                                                   "        return self.criterion(out, batch[\"labels\"])\n"));
  EXPECT_FALSE(says(sometimes, stood)) << sometimes;
  const std::string opposite =
      told(before, after("        if self.skips:\n            return self.criterion(out, batch[\"labels\"])\n"
                         "        return self.zero\n"));
  EXPECT_FALSE(says(opposite, stood)) << opposite;
}

/// Where no call says what the locals are called there, those of the same name are the same.
TEST(ToldSteps, SwappedArgumentsAreNoRenamedLocals) {
  const std::string before =
      "def f(model, query, key):\n    scores = model.attend(query, key, scale=model.scale)\n"
      "    model.note(scores, \"attended\", model.step)\n    return model.finish(query)\n";
  const auto after = [](const std::string& arguments) {
    return "def f(model, query, key):\n    outer(model, query, key)\n    return model.finish(query)\n\n\n"
           "def outer(*args):\n    return core(*args)\n\n\ndef core(model, query, key):\n"
           "    scores = model.attend(" +
           arguments + ", scale=model.scale)\n    model.note(scores, \"attended\", model.step)\n    return scores\n";
  };
  const std::string moved = "`core`";
  const std::string same = told(before, after("query, key"));
  EXPECT_FALSE(says(same, "o longer sets `scores`")) << same;
  EXPECT_FALSE(says(same, "with changes")) << same;
  const std::string swapped = told(before, after("key, query"));
  EXPECT_TRUE(says(swapped, "o longer sets `scores`") || says(swapped, "with changes")) << swapped;
}

/// Only what stands where the function was called, in its blocks and with its names, is its code.
TEST(ToldSteps, OnlyTheSameWorkIsInlined) {
  const std::string reset =
      "    def reset(self):\n        self.position = self.layout.begin(0, \"left\")\n        "
      "self.clear(self.layout)\n\n";
  const std::string body = "        self.position = self.layout.begin(0, \"left\")\n        self.clear(self.layout)\n";
  const auto run = [](const std::string& steps) { return "    def run(self, x):\n" + steps + "        return x\n"; };
  const std::string text =
      told("class A:\n" + reset + run("        self.timer.reset()\n        self.reset()\n"), "class A:\n" + run(body));
  EXPECT_TRUE(says(text, "in place of the call of it")) << text;
  EXPECT_TRUE(says(text, "o longer calls `self.timer.reset()`")) << text;

  const std::string bind =
      "    def bind(self, x, layout):\n        if x.fresh:\n            self.clear(x)\n"
      "        self.position = self.layout.begin(0, \"left\")\n\n";
  const auto bound = [](const std::string& indent) {
    return "        if x.fresh:\n            self.clear(x)\n" + indent +
           "        self.position = self.layout.begin(0, \"left\")\n";
  };
  const std::string was = "class A:\n" + bind + run("        self.bind(x, self.layout)\n");
  const std::string same = told(was, "class A:\n" + run(bound("")));
  EXPECT_TRUE(says(same, "has the code of the removed `A.bind` itself")) << same;
  const std::string inside = told(was, "class A:\n" + run(bound("    ")));
  EXPECT_FALSE(says(inside, "has the code of")) << inside;

  const auto scaled = [](const std::string& call) {
    return "def scale(x, factor):\n    x.weight = x.weight.float() * factor\n    x.bias = None\n\n\n"
           "def run(x, factor):\n    " +
           call + "\n    return x\n";
  };
  const std::string now =
      "def run(x, factor):\n    x.weight = x.weight.float() * factor\n    x.bias = None\n    return x\n";
  const std::string own = told(scaled("scale(x, factor)"), now);
  EXPECT_TRUE(says(own, "has the code of the removed `scale` itself")) << own;
  EXPECT_FALSE(says(told(scaled("scale(x, 2.0)"), now), "has the code of"));
}

/// Each function whose code another one has now is told, and what else stood beside its call.
TEST(ToldSteps, AllInlinedFunctionsAreTold) {
  const std::string one = "    def one(self):\n        self.first = self.layout.begin(1, \"left\")\n\n";
  const std::string two = "    def two(self):\n        self.second = self.layout.begin(2, \"right\")\n\n";
  const std::string was = "class A:\n" + one + two +
                          "    def run(self, x, last):\n        self.one()\n        self.go(x)\n        if last:\n"
                          "            self.two()\n            self.end(x)\n        return x\n";
  const std::string now =
      "class A:\n    def run(self, x, last):\n        self.first = self.layout.begin(1, \"left\")\n        "
      "self.go(x)\n        self.second = self.layout.begin(2, \"right\")\n        return x\n";
  const Files before = {{"a.py", was}};
  const Files after = {{"a.py", now}};
  const std::string text = explain_of(before, after);
  for (const char* function : {"`A.one`", "`A.two`"})
    EXPECT_TRUE(says(text, std::string("as the code of the removed ") + function + " itself")) << text;
  EXPECT_FALSE(says(text, "rops the branch when `last`")) << text;
  EXPECT_TRUE(says(text, "o longer calls `self.end(x)`")) << text;
}

/// A check that asks otherwise there is told as changed.
TEST(ToldSteps, ACheckThatChangesOnTheWayIsToldSo) {
  const std::string before =
      "class A:\n    def run(self, x):\n        assert x.ndim == 2, self.describe(x)\n        return self.go(x)\n";
  const auto after = [](const std::string& check) {
    return "class A:\n    def run(self, x):\n        self.check(x)\n        return self.go(x)\n\n"
           "    def check(self, x):\n" +
           check;
  };
  const std::string left = "eaves the check `assert x.ndim == 2, self.describe(x)` to `A.check`";
  const std::string same = told(before, after("        assert x.ndim == 2, self.describe(x)\n"));
  EXPECT_TRUE(says(same, left)) << same;
  EXPECT_FALSE(says(same, "with changes")) << same;
  const std::string differs =
      told(before, after("        if self.strict:\n            assert x.ndim == 2, self.describe(x)\n"));
  EXPECT_TRUE(says(differs, left + ", with changes")) << differs;
}

/// An import that stood there replaces nothing.
TEST(ToldSteps, OnlyAnImportThatChangedIsOneInstead) {
  const std::string util = "class Foo:\n    pass\n\n\ndef keep():\n    return 1\n";
  const std::string kept = "def keep():\n    return 1\n";
  const auto text_of = [&](const std::string& was, const std::string& now) {
    const std::string legacy = "from pkg.util import Foo\n\n\ndef make():\n    return Foo()\n";
    return explain_of({{"pkg/__init__.py", was}, {"pkg/util.py", util}, {"pkg/legacy.py", legacy}},
                      {{"pkg/__init__.py", now}, {"pkg/util.py", kept}, {"pkg/legacy.py", legacy}});
  };
  const std::string same = text_of("", "");
  EXPECT_FALSE(says(same, "in place of which")) << same;
  EXPECT_FALSE(says(text_of("from .util import Foo\n", "from pkg.util import Foo\n"), "in place of which"));
  const std::string other = text_of("from .util import Foo\n", "from torch.nn import Foo\n");
  EXPECT_TRUE(says(other, "in place of which `torch.nn.Foo` is imported")) << other;
}

/// Where two classes have a field of one name, more may read it than are known: that is no further reader.
TEST(ToldSteps, NoReaderIsMadeUp) {
  const std::string users =
      "from c import AConfig\n\n\ndef build(config: AConfig):\n    return config.hidden + config.size\n";
  const auto text_of = [&](const std::string& other) {
    const auto classes = [&](const std::string& field) {
      return "class AConfig:\n    size: int = 1\n" + field + "\n\nclass BConfig:\n    width: int = 1\n" + other;
    };
    return explain_of({{"c.py", classes("")}, {"use.py", users}},
                      {{"c.py", classes("    hidden: int = 2\n")}, {"use.py", users}});
  };
  EXPECT_TRUE(says(text_of(""), "Its name is read at least in `build`.")) << text_of("");
  const std::string two = text_of("    hidden: int = 3\n");
  EXPECT_TRUE(says(two, "Its name is read at least in `build`.")) << two;
}

/// What differs behind the place where words are cut is told.
TEST(ToldSteps, ConditionsAreComparedWhole) {
  const auto text_of = [](const std::string& was, const std::string& now) {
    const auto file = [](const std::string& condition) {
      return "def f(x, state):\n    if " + condition + ":\n        return x.first\n    return x.second\n";
    };
    return told(file(was), file(now));
  };
  const std::string call = "state.number_of_open_requests(x.first_element, x.second_element, limit=";
  const std::string opposite = "asks whether";
  const std::string turned = text_of(call + "1) == 1", call + "1) != 1");
  EXPECT_TRUE(says(turned, opposite)) << turned;
  const std::string other = text_of(call + "1) == 1", call + "2) != 1");
  EXPECT_FALSE(says(other, opposite)) << other;
  EXPECT_TRUE(says(other, "limit=2) != 1` holds, formerly when")) << other;
  const std::string more = replace_all(call, "x.first_element", "x.the_first_element_of_all_that_were_sent_before");
  const std::string cut = text_of(more + "1)", more + "2)");
  EXPECT_TRUE(says(cut, "limit=2)` holds, formerly when")) << cut;
}

/// Behind a branch that stands twice now, edits are still found.
TEST(ToldSteps, AnEditBehindABranchThatStandsTwiceIsOne) {
  const std::string head = "def f(a, b, c, p):\n";
  const std::string before =
      head + "    if a:\n        load(p, 1)\n        if b:\n            one(p)\n        end(p)\n    return p\n";
  const std::string after = head +
                            "    if c:\n        if a:\n            if b:\n                one(p)\n    if a:\n"
                            "        load(p, 2)\n        end(p)\n    return p\n";
  const std::string text = told(before, after);
  EXPECT_TRUE(says(text, "asses `2` to `load` instead of `1`")) << text;
  EXPECT_FALSE(says(text, "o longer calls `load(p, 1)`")) << text;
}

/// Work that a function leaves to a new one, in other words: told with where it went, where only one does it.
TEST(ToldSteps, WhatANewFunctionDoesNowIsToldWithIt) {
  const std::string before =
      "class Loop:\n    def run(self, step):\n        self.trainer.push_weights.call(step)\n        note(step)\n       "
      " return step\n";
  const auto text_of = [&](const std::string& more, const std::string& instead) {
    return explain_of(
        {{"a.py", before}},
        {{"a.py",
          "class Loop:\n    def run(self, step):\n        note(step)\n        " + instead + "\n        return step\n"},
         {"sync.py", "class Sync:\n    def _push(self, n):\n        self._trainer.push_weights.call(n)\n" + more}});
  };
  const std::string one = text_of("", "self.sync.start(step)");
  EXPECT_TRUE(says(one, "o longer calls `self.trainer.push_weights.call(step)`, which the new `Sync._push` does"))
      << one;
  const std::string two =
      text_of("\n    def _again(self, n):\n        self._trainer.push_weights.call(n)\n", "self.sync.start(step)");
  EXPECT_FALSE(says(two, ", which the new")) << two;
  const std::string still = text_of("", "other(self.trainer.push_weights.call(0))");
  EXPECT_FALSE(says(still, ", which the new")) << still;
}

TEST(ToldSteps, WhatStandsUnderATraceNowWasThere) {
  const std::string start = "def run(x, trace):\n    y = x + 1\n";
  const std::string end = "    z = y * 2\n    return z\n";
  const std::string text =
      explain_of({{"a.py", start + "    load(x)\n    keep(y)\n" + end}},
                 {{"a.py", start + "    with trace('load'):\n        load(x)\n        keep(y)\n" + end}});
  EXPECT_TRUE(says(text, "runs `load(x)` and `keep(y)`, which were there, under `trace('load')`")) << text;
}

/// A span of a trace that is called otherwise is another one, unless what stands in it says that it is the same.
TEST(ToldSteps, SpansOfATraceAreToldApart) {
  const auto file = [](const std::string& first, const std::string& second) {
    return "def run(x, trace):\n    y = x + 1\n    with trace('" + first + "'):\n        " + second +
           "\n    return y\n";
  };
  const std::string other = explain_of({{"a.py", file("push_weights_of_all", "push_weights(x)")}},
                                       {{"a.py", file("wait_for_weights_of_all", "wait_prev(y)")}});
  EXPECT_FALSE(says(other, " in place of ")) << other;
  EXPECT_TRUE(says(other, "o longer calls `push_weights(x)`")) << other;
  const std::string same = explain_of({{"a.py", file("push_weights_of_all", "push_weights(x)")}},
                                      {{"a.py", file("wait_for_weights_of_all", "push_weights(x)")}});
  EXPECT_TRUE(says(same, "wait_for_weights_of_all")) << same;
  EXPECT_FALSE(says(same, "no longer calls")) << same;
}

TEST(ToldSteps, ACallIsNoEditOfAnotherVariable) {
  const auto text_of = [](const std::string& was, const std::string& now) {
    const auto file = [](const std::string& line) {
      return "class Loop:\n    def run(self, result):\n        first(result)\n        " + line +
             "\n        return result\n";
    };
    return explain_of({{"a.py", file(was)}}, {{"a.py", file(now)}});
  };
  const std::string other =
      text_of("self._policy_version = result.policy_version", "self._sync.start_push(version=result.policy_version)");
  EXPECT_FALSE(says(other, " in place of ")) << other;
  const std::string same =
      text_of("self.policy_version = result.policy_version", "setattr(self, 'policy_version', result.policy_version)");
  EXPECT_TRUE(says(same, " in place of ")) << same;
}

/// Of a branch of several steps that is taken in other cases: what it does is told by a call, or by what it sets last.
TEST(ToldSteps, ABranchThatIsTakenInMoreCasesIsToldByWhatItDoes) {
  const auto text_of = [](const std::string& body) {
    const auto file = [&](const std::string& asked) {
      return "class Model:\n    def mark(self, config):\n        if " + asked + ":\n" + body + "        return self\n";
    };
    return explain_of({{"a.py", file("config.fp8")}}, {{"a.py", file("config.fp8 or config.recipe")}});
  };
  const std::string first = "            if not self.parts:\n                parts = []\n";
  const std::string sets =
      text_of(first + "            for part in self.parts:\n                part.is_first = True\n");
  EXPECT_TRUE(says(sets, "takes the branch that sets `part.is_first` to `True` also when `config.recipe` is set"))
      << sets;
  const std::string calls = text_of(first + "            y = self.pad(config)\n            print(y)\n");
  EXPECT_TRUE(says(calls, "takes the branch that calls `self.pad` also when `config.recipe` is set")) << calls;
}

TEST(ToldSteps, ARefusalForAnotherReasonIsToldOnce) {
  const auto file = [](const std::string& asked, const std::string& words) {
    return "def check(config):\n    if config." + asked + " != 'bf16':\n        raise ValueError(f\"needs " + words +
           ", got {config." + asked + "}\")\n    return config\n";
  };
  const std::string text =
      explain_of({{"a.py", file("dtype", "the dtype")}}, {{"a.py", file("param", "parameters that are cast")}});
  EXPECT_TRUE(says(text,
                   "raises `ValueError` when `config.param` is not `'bf16'`, formerly when `config.dtype` is not "
                   "`'bf16'`."))
      << text;
}

/// An argument that is given no more, however deep in another call: with what is taken without it. What several
/// functions do alike is told though they are only counted.
TEST(ToldSteps, WhatIsTakenWithoutAnArgumentIsTold) {
  const auto files = [](const std::string& training, const std::string& rate) {
    Files out = {{"config.py",
                  "from dataclasses import dataclass\n\n\n@dataclass\nclass Training:\n    dtype: str = 'float32'\n"
                  "    steps: int = 3\n\n\ndef rate(start, decay=0.5):\n    return start * decay\n"}};
    out["run.py"] =
        "from config import Training, rate\n\n\ndef run(x):\n    y = make(x, name='a', training=" + training +
        ", level=4)\n    z = rate(" + rate + ")\n    return y, z\n";
    return out;
  };
  const Files before = files("Training(dtype='bf16', steps=2)", "x, decay=0.1");
  const std::string field = explain_of(before, files("Training(steps=2)", "x, decay=0.1"));
  EXPECT_TRUE(says(field, "no longer passes `dtype='bf16'` to `Training`, which takes `'float32'` without it"))
      << field;
  const std::string parameter = explain_of(before, files("Training(dtype='bf16', steps=2)", "x"));
  EXPECT_TRUE(says(parameter, "no longer passes `decay=0.1` to `rate`, which takes `0.5` without it")) << parameter;
  const std::string other = explain_of(before, files("Training(dtype='bf16', steps=9)", "x, decay=0.1"));
  EXPECT_TRUE(says(other, "passes `steps=9` to `Training` instead of `steps=2`")) << other;
}

TEST(ToldSteps, ACallBehindAnAndIsACall) {
  const std::string start = "def stop(x, log):\n    y = x + 1\n";
  const std::string text = explain_of({{"a.py", start + "    return y\n"}},
                                      {{"a.py", start + "    log and log.write({'time': x})\n    return y\n"}});
  EXPECT_TRUE(says(text, "calls `log.write({'time': x})` (only if `log` is set)")) << text;
  EXPECT_FALSE(says(text, "evaluates")) << text;
}

/// A method that changes a tensor in place stands for the store to its elements, and only on the same tensor.
TEST(ToldSteps, AnInPlaceMethodIsTheEditOfAStoreToItsElements) {
  const std::string before = "def release(self, blocks, one):\n    self.counts[blocks] -= 1\n    return self.counts\n";
  const auto with_line = [&](const std::string& line) {
    return explain_of({{"a.py", before}},
                      {{"a.py", "def release(self, blocks, one):\n    " + line + "\n    return self.counts\n"}});
  };
  const std::string text = with_line("self.counts.scatter_add_(0, blocks.flatten().long(), one.neg())");
  EXPECT_TRUE(says(text, "in place of `self.counts[blocks] -= 1`")) << text;
  const std::string other = with_line("self.sizes.scatter_add_(0, blocks.flatten().long(), one.neg())");
  EXPECT_FALSE(says(other, "in place of `self.counts[blocks] -= 1`")) << other;
}

/// A choice between statements that becomes one between values: none of its sides alone is what became of it, and what
/// is new there is not left out for the branches that go.
TEST(ToldSteps, AChoiceThatBecomesAValueIsToldAsAWhole) {
  const std::string before = R"(class Attention:
    def __init__(self, config, spec):
        self.config = config
        if spec.norm is not None:
            self.norm = spec.norm(1)
        else:
            self.norm = None
)";
  const std::string after = R"(class Attention:
    def __init__(self, config, spec):
        self.config = config
        if self.config.use_norm:
            cls = spec.norm or Norm
        else:
            if spec.norm not in (None, Identity):
                raise ValueError("norm is off")
            cls = None
        self.norm = cls(1) if cls is not None else None
)";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "ets `self.norm` to `cls(1)` when `cls` is not `None`, else to `None`")) << text;
  EXPECT_TRUE(says(text, "when `self.config.use_norm` is true")) << text;
  EXPECT_FALSE(says(text, "otherwise as before")) << text;
  EXPECT_FALSE(says(text, "drops the branch")) << text;
  EXPECT_FALSE(says(text, "| Sets `self.norm` to `None`.")) << text;
  // Old runs come to the new check.
  EXPECT_TRUE(says(text,
                   "`Attention.__init__` refuses more: where `self.config.use_norm` is false: when `spec.norm` is "
                   "not in `(None, Identity)`, raises `ValueError` (`\"norm is off\"`)."))
      << text;
}

TEST(ToldSteps, AStatementStaysInItsBranchWhereAnotherOneEndsAlike) {
  const std::string was =
      "def f(layers):\n    for layer in layers:\n        if layer.mixer:\n            size = layer.mixer\n"
      "            break\n    return size\n";
  const std::string text =
      explain_of({{"a.py", was}}, {{"a.py", replace_all(was, "            break\n",
                                                        "            break\n        if layer.attention:\n"
                                                        "            size = layer.attention\n            break\n")}});
  EXPECT_TRUE(says(text, "when `layer.attention` is set, sets `size` to `layer.attention` and leaves the loop"))
      << text;
  EXPECT_FALSE(says(text, "leaves the loop where")) << text;
}

/// Items of what a loop goes over are written as much as attributes are; a dictionary of the function's own is not.
TEST(ToldSteps, ItemsThatALoopSetsAreWrites) {
  const std::string before = "def f(groups, lr):\n    for group in groups:\n        log(group)\n    return lr\n";
  const std::string after =
      "def f(groups, lr):\n    for group in groups:\n        group[\"max_lr\"] = lr\n        own = {}\n        "
      "own[\"a\"] = lr\n"
      "        log(group, own)\n    return lr\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "**Writes:** `group[\"max_lr\"]`.")) << text;
}

/// Behind new early returns a step runs only where none of them was taken.
TEST(ToldSteps, NewEarlyReturnsAreConditionsOfWhatFollows) {
  const std::string before = "def scale(self, x, group):\n    x = gather(x, group)\n    return orthogonal(x)\n";
  const std::string after = R"(def scale(self, x, group):
    if self.mode == "blockwise":
        return orthogonal(x)
    if self.mode == "duplicated":
        return orthogonal(gather(x, group))
    x = exchange(x, group)
    return orthogonal(x)
)";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "where `self.mode` is not `\"blockwise\"` and `self.mode` is not `\"duplicated\"`")) << text;
  // One that asks for the same value as the one before says enough.
  EXPECT_FALSE(says(text, "where `self.mode` is not `\"blockwise\"`: when `self.mode` is `\"duplicated\"`")) << text;
}

TEST(ToldSteps, OfWhatIsNewItIsToldWhatItRefuses) {
  const std::string before = "def run(x):\n    return x\n";
  const std::string after = R"(def normalized(x):
    """Gives the scale as a tensor."""
    scale = as_tensor(x)
    if scale.numel() != 1:
        raise ValueError("one element")
    return scale


def projected(x, width):
    """Projects what was not projected."""
    out = as_tensor(x)
    if out.size() == 2:
        return out
    if out.size() != width:
        raise RuntimeError("another width")
    return out


class Plan:
    """How many there are of each."""

    def __init__(self, heads):
        if heads % 2:
            raise ValueError("an even number")
        self.heads = heads

    def half(self):
        return self.heads // 2


def run(x):
    return normalized(x) + projected(x, 3) + Plan(2).half()
)";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "It raises `ValueError` when `scale.numel()` is not `1`.")) << text;
  EXPECT_TRUE(says(text, "Its `__init__` requires that")) << text;
  EXPECT_FALSE(says(text, "raises `RuntimeError`")) << text;  // not what every run is asked
}

/// `if a and b:` around `if c:` asks for three things, `if a and c:` for two of them: the other one is gone.
TEST(ToldSteps, WhatRunsUnderFewerPartsOfConditionsIsToldSo) {
  const std::string before = R"(class Context:
    def add(self, request):
        if self.is_hybrid and request.count == 0:
            self.allocate(request)
            if self.slots is not None:
                self.slots.store_offsets(request, self.current)
        self.total += 1
)";
  const std::string after = R"(class Context:
    def add(self, request):
        if self.is_hybrid and request.count == 0:
            self.allocate(request)
        if self.is_hybrid and self.slots is not None:
            self.slots.store_offsets(request, self.current)
        self.total += 1
)";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text,
                   "comes to `self.slots.store_offsets(request, self.current)` also where `request.count` is not "
                   "`0`"))
      << text;
}

/// A branch that comes before another one makes an `elif` of that, and nothing else.
TEST(ToldSteps, ABranchInFrontLeavesTheOthersAsTheyWere) {
  const std::string before =
      "def get(self, x):\n    if self.masks:\n        return {\"x\": x, \"mask\": self.mask}\n    else:\n        "
      "return "
      "{\"x\": x}\n";
  const std::string after =
      "def get(self, x):\n    if self.packs:\n        y = self.lengths(x)\n        result = {\"x\": x, \"lengths\": "
      "y}\n"
      "    elif self.masks:\n        result = {\"x\": x, \"mask\": self.mask}\n    else:\n        result = {\"x\": x}\n"
      "    return result\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "when `self.packs` is set")) << text;
  EXPECT_FALSE(says(text, "formerly when `self.masks` is set")) << text;
  EXPECT_FALSE(says(text, "no longer returns")) << text;
  // And the other way round.
  const std::string gone = explain_of({{"a.py", after}}, {{"a.py", before}});
  EXPECT_FALSE(says(gone, "formerly when `self.packs` is set")) << gone;
}

/// What a new function asks is told with the question that calls it.
TEST(ToldSteps, WhatANewPredicateAsksIsTold) {
  const std::string before = "class Pipe:\n    def put(self, group):\n        self.queue.put(group)\n";
  const std::string after =
      "class Pipe:\n    def put(self, group):\n        if self.drops(group):\n            self.dropped += 1\n          "
      "  "
      "return\n        self.queue.put(group)\n\n    def drops(self, group):\n        \"\"\"No signal.\"\"\"\n        "
      "if "
      "not self.filters:\n            return False\n        return group.spread() <= 1e-6\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text,
                   "(`self.drops(group)` being `False` where `self.filters` is not set, else `group.spread() <= "
                   "1e-6`)"))
      << text;
  // A longer one has its own place.
  const std::string longer = replace_all(after, "        return group.spread() <= 1e-6\n",
                                         "        self.asked += 1\n        return group.spread() <= 1e-6\n");
  EXPECT_FALSE(says(explain_of({{"a.py", before}}, {{"a.py", longer}}), "being `False` where"));
}

/// What a branch is for that asks one thing more.
TEST(ToldSteps, OfABranchThatAsksMoreWhatItDoesIsNamed) {
  const std::string body =
      "def pack(chunk, size, fits):\n    if size > 4:\n        emit(chunk)\n    return chunk\n\n\ndef emit(chunk):\n   "
      " "
      "chunk.clear()\n";
  std::string after = body;
  after.replace(after.find("size > 4"), 8, "size > 4 and not fits");
  EXPECT_TRUE(says(explain_of({{"a.py", body}}, {{"a.py", after}}),
                   "requires also that `fits` is not set for the branch on `size > 4`, which calls `emit`"))
      << explain_of({{"a.py", body}}, {{"a.py", after}});
  // A message is all that a branch is for where it does nothing else.
  const auto with_message = [](const std::string& code, const std::string& instead) {
    return replace_all(code, "        emit(chunk)\n", instead);
  };
  const std::string only = "        logger.warning(size)\n";
  EXPECT_TRUE(says(explain_of({{"a.py", with_message(body, only)}}, {{"a.py", with_message(after, only)}}),
                   "the branch on `size > 4`, which calls `logger.warning`"));
  const std::string both = only + "        emit(chunk)\n";
  EXPECT_FALSE(says(explain_of({{"a.py", with_message(body, both)}}, {{"a.py", with_message(after, both)}}),
                    "which calls `logger.warning`"));
}

/// What an assertion insists on now and what it did before, whole where the difference would be cut.
TEST(ToldSteps, AnAssertionThatInsistsOnSomethingElse) {
  const auto text_of = [](const std::string& was, const std::string& now) {
    const auto code = [](const std::string& test) {
      return "def check(args):\n    assert " + test + ", \"bad sizes\"\n    return args\n";
    };
    return explain_of({{"a.py", code(was)}}, {{"a.py", code(now)}});
  };
  EXPECT_TRUE(
      says(text_of("args.size > 2", "args.size > 3"),
           "insists that `args.size` is more than `3` (`\"bad sizes\"`), formerly that `args.size` is more than "
           "`2`."));
  const std::string product = "args.eval_global_batch_size % (args.eval_micro_batch_size * args.data_parallel_size";
  const std::string text = text_of(product + ") == 0", product + " * args.remat_size) == 0");
  EXPECT_TRUE(says(text, "insists that `" + product + " * args.remat_size) == 0` holds, formerly that `" + product +
                             ") == 0` holds."))
      << text;
  EXPECT_FALSE(says(text_of("args.size > 2", "args.size>2"), "formerly"));
}

/// The same value under another name is no row of a table.
TEST(ToldSteps, AValueUnderAnotherNameIsNoChange) {
  const std::string before =
      "def step(loss, total, logs):\n    if logs:\n        loss = loss.detach()\n        total.add_(loss)\n    return "
      "total\n";
  const std::string after =
      "def step(loss, total, logs):\n    kept = loss.detach()\n    check(kept.isfinite().all())\n    if logs:\n        "
      "total.add_(kept)\n    return total\n\n\ndef check(value):\n    assert value\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_FALSE(says(text, "| `total.add_(loss)`")) << text;
}

/// A step that leaves a branch runs in other cases: that it stands further up says nothing.
TEST(ToldSteps, AStepThatMovesOutOfABranchIsToldWithIt) {
  const std::string before = R"(def finish(runner, marks):
    for p in runner.all_params:
        p.ready = marks
    runner.done = True
    if runner.remat:
        for p in runner.remat_params:
            p.grad = None
            if hasattr(p, "added"):
                p.added = True
            p.hook()
)";
  const std::string check = "            if hasattr(p, \"added\"):\n                p.added = True\n";
  const std::string gone = replace_all(before, check, "");
  const std::string text = told(
      before, replace_all(gone, "        p.ready = marks\n",
                          "        p.ready = marks\n        if hasattr(p, \"added\"):\n            p.added = True\n"));
  EXPECT_TRUE(says(text,
                   "oves `if hasattr(p, \"added\"):` up, out of `if runner.remat:` and `for p in "
                   "runner.remat_params:`, into `for p in runner.all_params:`"))
      << text;
  // Within its block the direction is all that there is to tell.
  const std::string within =
      told(before, replace_all(gone, "            p.grad = None\n", check + "            p.grad = None\n"));
  EXPECT_FALSE(says(within, ", out of ")) << within;
}

/// A condition whose part only gets a name asks what it asked.
TEST(ToldSteps, AConditionThatOnlyGetsANameIsNotAnother) {
  const std::string before =
      "def run(pairs):\n    for p, g in pairs:\n        if g is not None and not getattr(p, \"added\", False):\n"
      "            p.total.add_(g)\n";
  const std::string named = R"(def run(pairs):
    for p, g in pairs:
        was_added = getattr(p, "added", False)
        if g is not None and not was_added:
            p.total.add_(g)
        if p.grad is not None and not was_added:
            p.total.add_(p.grad)
        p.added = True
)";
  for (const std::string_view other : {"formerly", "| `if g is not None"})
    EXPECT_FALSE(says(told(before, named), other)) << other << told(before, named);
  // A parameter that is set where it is not given may hold something else.
  const std::string sized = "def run(x):\n    if size_of() > 1:\n        x.seed()\n";
  const std::string given =
      "def run(x, size=None):\n    if size is None:\n        size = size_of()\n    if size > 1:\n        x.seed()\n";
  EXPECT_TRUE(says(told(sized, given), "formerly when `size_of()` is more than `1`")) << told(sized, given);
  // Other quotation marks are no difference.
  const std::string quoted = replace_all(named, "\"added\"", "'added'");
  EXPECT_FALSE(says(told(before, quoted), "formerly")) << told(before, quoted);
  const std::string other = replace_all(named, "\"added\"", "\"taken\"");
  EXPECT_TRUE(says(told(before, other), "formerly")) << told(before, other);
}

/// What a new short function gives stands beside the code that asks it; what is told by itself, and what takes more to
/// say, does not.
TEST(ToldSteps, WhatNewShortFunctionsGiveIsTold) {
  const auto text_of = [](const std::string& is_empty) {
    const std::string before =
        "class Pipe:\n    def stage(self, group):\n        self.count += 1\n        return group\n";
    const std::string after =
        "class Pipe:\n    def is_empty(self, one):\n        " + is_empty +
        "\n\n    def stage(self, group):\n        self.count += 1\n        kept = []\n        for one in group:\n"
        "            self.seen += 1\n            kept.append((one, self.is_empty(one)))\n"
        "        self.total = len(kept)\n        return kept\n";
    std::string others;  // So many heavier ones that the short function has no section of its own.
    for (int i = 0; i < 5; ++i) {
      others += fmt::format("\n\ndef heavy{}(pipe, x):\n    pipe.stage(x)\n", i);
      for (int line = 0; line < 30; ++line) others += fmt::format("    x.run{}({})\n", line, i);
    }
    return explain_of({{"a.py", before}}, {{"a.py", after}, {"b.py", "import a\n" + others}});
  };
  const std::string one = text_of("return not one.rows");
  EXPECT_TRUE(says(one, "`self.is_empty(one)` gives `not one.rows`.")) << one;
  const std::string more = text_of("rows = one.rows\n        return not rows");
  EXPECT_FALSE(says(more, "`self.is_empty(one)` gives")) << more;
}

/// Of two arms that become one statement nothing is lost.
TEST(ToldSteps, ArmsThatBecomeOneLoseNothing) {
  const auto side = [](const std::string& body) {
    return "import json\n\nimport storage\n\n\ndef save(path, payload, use_msc=False):\n" + body + "    return path\n";
  };
  const std::string before = side(
      "    if use_msc:\n        storage.makedirs(path)\n        for chunk in payload:\n            json.dump(chunk, "
      "path)\n"
      "    else:\n        os.makedirs(path)\n        for chunk in payload:\n            json.dump(chunk, path)\n");
  const std::string merged =
      side("    storage.makedirs(path)\n    for chunk in payload:\n        json.dump(chunk, path)\n");
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", merged}});
  EXPECT_FALSE(says(text, "o longer calls")) << text;
  EXPECT_FALSE(says(text, "rops the loop")) << text;
  // One arm alone did this.
  const std::string more = replace_all(before, "    else:\n", "        print(payload)\n    else:\n");
  EXPECT_TRUE(says(explain_of({{"a.py", more}}, {{"a.py", merged}}), "o longer calls `print(payload)`"));
  // The other arm asks something else with the same call.
  const auto arms = [&](const std::string& frozen) {
    return side("    if use_msc:\n        if path and torch.is_grad_enabled():\n            print(path)\n    else:\n" +
                frozen + "        json.dump(payload, path)\n");
  };
  const std::string frozen = "        if not torch.is_grad_enabled():\n            payload.eval()\n";
  EXPECT_TRUE(says(explain_of({{"a.py", arms(frozen)}}, {{"a.py", arms("")}}),
                   "drops the branch when `torch.is_grad_enabled()` is false, with `payload.eval()`"));
}

/// What the other side of a new branch does is told in whole words.
TEST(ToldSteps, TheOtherSideOfANewBranchKeepsItsWords) {
  const std::string text =
      explain_of({{"a.py", "def f(self, x):\n    y = self.layer(x)\n    return y\n"}},
                 {{"a.py",
                   "def f(self, x, old):\n    if self.mixes and len(old) > 1:\n        z = mix(old, x)\n        if "
                   "old[0]:\n            z = g(z)\n    else:\n        z = x\n"
                   "    y = self.layer(z)\n    return y\n"}});
  EXPECT_FALSE(says(text, "ohen")) << text;
  EXPECT_TRUE(says(text, "; when `self.mixes` is not set or `len(old)` is at most `1`, sets `z` to `x`")) << text;
}

TEST(ToldSteps, OfTheSmallestValuesThatIsSaid) {
  const auto text = [](const std::string& call) {
    return explain_of({{"a.py", "import torch\n\n\ndef oldest(x):\n    return x\n"}},
                      {{"a.py", "import torch\n\n\ndef oldest(x):\n    _, y = " + call + "\n    return y\n"}});
  };
  EXPECT_TRUE(says(text("torch.topk(x, k=2)"), "which takes the k largest values")) << text("torch.topk(x, k=2)");
  const std::string smallest = text("torch.topk(x, k=2, largest=False)");
  EXPECT_TRUE(says(smallest, "which takes the k smallest values")) << smallest;
  EXPECT_FALSE(says(text("torch.topk(x, 2, -1, x.any())"), "which takes the k"));
}

/// Of two calls that each are given one entry the keys say which is which.
TEST(ToldSteps, TheOneKeyOfACallIsShown) {
  const std::string before = "def train(logger, done):\n    print(done)\n    return done\n";
  const std::string text = explain_of(
      {{"m.py", before}},
      {{"m.py",
        "def train(logger, done):\n    if done:\n"
        "        logger.log_metrics({'app_train_loop_finish_time': logger.get_timestamp_in_milliseconds()})\n"
        "    print(done)\n    logger.log_metrics({'app_finish_time': logger.get_timestamp_in_milliseconds_of_app()})\n"
        "    return done\n"}});
  EXPECT_TRUE(says(text, "calls `logger.log_metrics({'app_train_loop_finish_time': …})`")) << text;
  EXPECT_TRUE(says(text, "alls `logger.log_metrics({'app_finish_time': …})`")) << text;
}

TEST(ToldSteps, WhatASideAloneDoesHasTheRoomOfBoth) {
  const std::string was =
      "class Scheduler:\n    def step(self, increment):\n        self.num_steps = increment\n\n\n"
      "def load(args, groups, scheduler: Scheduler):\n    restore(groups)\n    return groups\n\n\n"
      "def restore(groups):\n    groups.clear()\n";
  const std::string now = replace_all(
      was, "    restore(groups)\n",
      "    restore(groups)\n    if args.override:\n        if groups is None:\n            print(\"nothing to set\")\n"
      "        else:\n            for group in groups:\n                low = args.low\n"
      "                group[\"low\"] = low\n                group[\"high\"] = args.high\n"
      "            if scheduler.num_steps != args.samples:\n                print(\"differs\")\n"
      "                scheduler.num_steps = args.samples\n            scheduler.step(increment=0)\n"
      "            print(\"done\")\n");
  const std::string text = explain_of({{"a.py", was}}, {{"a.py", now}});
  EXPECT_TRUE(says(text,
                   "after the loop, when `scheduler.num_steps` differs from `args.samples`, sets `scheduler.num_steps` "
                   "to `args.samples`; either way, calls `scheduler.step(increment=0)`"))
      << text;
}

TEST(ToldSteps, WhatOtherCodeReadsComesBeforeLocals) {
  const std::string was =
      "def f(store, a, b, c, d, e):\n    total = a + b + c + d + e\n    store.close(total)\n    return total\n";
  const std::string now = replace_all(was, "    total =",
                                      "    a = a * 2\n    b = b * 2\n    c = c * 2\n    d = d * 2\n    e = e * 2\n"
                                      "    store.limit = a\n    total =");
  const std::string text = explain_of({{"a.py", was}}, {{"a.py", now}});
  EXPECT_TRUE(says(text, "ets `store.limit` to `a`")) << text;
  EXPECT_TRUE(says(text, "2 more edits")) << text;
}

/// What a new `try` catches is told with it, however much it holds, and once.
TEST(ToldSteps, HandlersAreToldWithTheirTry) {
  const std::string start =
      "def write(rows, part):\n    \"\"\"Write the rows to one part of the store.\"\"\"\n    part.put(rows)\n";
  const auto file = [&](const std::string& handler, std::size_t writes) {
    std::string body;
    for (std::size_t i = 0; i < writes; ++i)
      body += fmt::format(
          "        if store.has_{0}:\n            write(rows, store.part_{0})\n"
          "            store.flush_part_{0}(rows, store.limit_of_part_{0})\n",
          i);
    return start + "\n\ndef save_all(store, rows):\n    store.open(rows)\n    try:\n" + body + handler;
  };
  const Files before = {{"a.py", start + "\n\ndef save_all(store, rows):\n    store.open(rows)\n"}};
  const std::string logs =
      "    except Exception as error:\n        import traceback\n\n        logger.error(error)\n"
      "        logger.error(traceback.format_exc())\n";
  for (const std::size_t writes : {2, 9}) {
    const std::string text = explain_of(before, {{"a.py", file(logs, writes)}});
    EXPECT_TRUE(says(text, "; on `Exception`, only logs.")) << text;
    const std::string what = text.substr(0, text.find("## 2."));
    EXPECT_EQ(what.find("n `Exception`"), what.rfind("n `Exception`")) << text;
  }
  const std::string passes =
      "    except OSError:\n        pass\n    except ValueError:\n        raise KeyError(rows)\n";
  const std::string text = explain_of(before, {{"a.py", file(passes, 2)}});
  EXPECT_TRUE(says(text, "; on `OSError`, does nothing; on `ValueError`, raises `KeyError`.")) << text;
  // What is only raised again is let through.
  const std::string again =
      "    except Exception:\n        raise\n    except ValueError:\n        raise KeyError(rows)\n";
  const std::string let_through = explain_of(before, {{"a.py", file(again, 2)}});
  EXPECT_TRUE(says(let_through, "; on `ValueError`, raises `KeyError`.")) << let_through;
  EXPECT_FALSE(says(let_through, "on `Exception`")) << let_through;
  // Long bodies are shortened; without a `try` nothing is caught.
  EXPECT_TRUE(says(explain_of(before, {{"a.py", file(logs, 9)}}), " more steps; on `Exception`"));
  const std::string plain = replace_all(file("", 2), "    try:\n", "    if rows:\n");
  EXPECT_FALSE(says(explain_of(before, {{"a.py", plain}}), "; on `"));
}

/// What a handler does that comes to code which was there is told by itself.
TEST(ToldSteps, AHandlerThatComesToOldCodeIsToldByItself) {
  const Files before = {{"a.py", "def save(store, rows):\n    store.open()\n    store.write(rows)\n"}};
  const Files after = {{"a.py",
                        "def save(store, rows):\n    store.open()\n    try:\n        store.write(rows)\n"
                        "    except OSError:\n        logger.error(rows)\n"}};
  EXPECT_TRUE(says(explain_of(before, after), "n `OSError`, only logs")) << explain_of(before, after);
}

}  // namespace
}  // namespace lockstep::render
