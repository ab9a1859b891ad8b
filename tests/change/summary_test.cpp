// What files are, and what their summaries say.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "change/fixture.h"
#include "change/summary.h"

namespace lockstep::change {
namespace {

/// The summary of the only file that differs.
std::string summary_of(const std::string& path, const std::string& before, const std::string& after) {
  const auto compared = compare_files({{path, before}}, {{path, after}});
  EXPECT_EQ(compared->change.files.size(), 1u);
  return compared->change.files.empty() ? "" : compared->change.files[0].summary;
}

TEST(Category, ByPathAndName) {
  EXPECT_EQ(file_category("megatron/core/utils.py"), FileCategory::kSource);
  EXPECT_EQ(file_category("tests/unit_tests/test_x.py"), FileCategory::kTest);
  EXPECT_EQ(file_category("tests/functional_tests/golden.json"), FileCategory::kTest);
  EXPECT_EQ(file_category("src/test_utils.py"), FileCategory::kTest);
  EXPECT_EQ(file_category("contest/a.py"), FileCategory::kSource);
  EXPECT_EQ(file_category(".github/workflows/ci.yml"), FileCategory::kCi);
  EXPECT_EQ(file_category(".gitlab-ci.yml"), FileCategory::kCi);
  EXPECT_EQ(file_category("requirements/requirements-dev.txt"), FileCategory::kDependencies);
  EXPECT_EQ(file_category("uv.lock"), FileCategory::kDependencies);
  EXPECT_EQ(file_category("pyproject.toml"), FileCategory::kBuild);
  EXPECT_EQ(file_category("docker/Dockerfile.ci"), FileCategory::kBuild);
  EXPECT_EQ(file_category("docs/guide.md"), FileCategory::kDocs);
  EXPECT_EQ(file_category("docs/diagram.svg"), FileCategory::kDocs);
  EXPECT_EQ(file_category("README"), FileCategory::kDocs);
  EXPECT_EQ(file_category("conf/model.yaml"), FileCategory::kConfig);
  EXPECT_EQ(file_category("kernels/attention.cu"), FileCategory::kNative);
  EXPECT_EQ(file_category("examples/train.sh"), FileCategory::kScript);
  EXPECT_EQ(file_category("data/x.jsonl"), FileCategory::kData);
  EXPECT_EQ(file_category("a/notebook.ipynb"), FileCategory::kNotebook);
  EXPECT_EQ(file_category("images/a.PNG"), FileCategory::kBinary);
  EXPECT_EQ(file_category("something.xyz"), FileCategory::kOther);
}

TEST(Summary, Python) {
  EXPECT_EQ(summary_of("m.py", "import os\ndef f(): return 1\ndef g(a): return a\n",
                       "import re\ndef f(b): return 1\ndef h(): return 1\nX = 1\n"),
            "adds `h` and `X`; removes `g`; changes `f` (new parameter `b`) and the module's own code (imports `re`)");
  EXPECT_EQ(summary_of("m.py", "def f(): return 1\n", "def f(): return 1  # one\n"),
            "only comments, docstrings or layout of `f`");
  EXPECT_EQ(summary_of("m.py", "import torch.distributed as d\ndef f(x): return x\n",
                       "import torch.distributed as d\ndef f(x):\n    d.all_reduce(x)\n    return x.y()\n"),
            "changes `f` (issues `all_reduce`)");
  // A default that follows its class's new name hides nothing else.
  const std::string body = ":\n    FAST = 1\n    SLOW = 2\n\n    def speed(self):\n        return self.FAST\n\n\n";
  EXPECT_EQ(summary_of("m.py", "class Mode" + body + "def f(x, limit=3, mode=Mode.FAST): return x\n",
                       "class PoolMode" + body + "def f(x, limit, mode=PoolMode.FAST): return x\n"),
            "renames `Mode` to `PoolMode`; changes `f` (`limit` has no default any more)");
}

/// A name that is bound to something of another kind now is not gone.
TEST(Summary, OfANameThatIsOfAnotherKindNow) {
  EXPECT_EQ(summary_of("m.py", "class Kinds:\n    A = 1\n    B = 2\n",
                       "class _Kinds:\n    def __call__(self, x):\n        return x + 1\n\n\nKinds = _Kinds()\n"),
            "adds `_Kinds`; makes `Kinds` a variable instead of a class");
  EXPECT_EQ(summary_of("m.py", "def f(x): return x + 1\nX = 1\n", "X = 1\n"), "removes `f`");
}

/// An assertion that stood in a function which goes is no new one.
TEST(Summary, OfAnAssertionThatStoodInWhatGoes) {
  const std::string gone =
      "def get(request):\n    assert isinstance(request.model, Raw), 'raw'\n    return request.x\n\n\n";
  const std::string keeps = "def run(request):\n    size = request.size\n    return make(request, size)\n";
  const std::string gains = replace_all(keeps, "(request):\n    size",
                                        "(request):\n    assert isinstance(request.model, Raw), "
                                        "'raw'\n    size");
  EXPECT_EQ(summary_of("m.py", gone + keeps, gains), "removes `get`; changes `run`");
  EXPECT_EQ(summary_of("m.py", keeps, gains), "changes `run` (new assertion)");
}

TEST(Summary, OfANameFromAnotherModule) {
  const std::string use = "f(x)\n";
  EXPECT_EQ(summary_of("m.py", "from a.old import g, x\n" + use, "from a.new import x\nfrom a.old import g\n" + use),
            "imports `x` from `a.new` instead of `a.old`");
  // Two modules of the same last name are two modules; and what goes by another name is another name.
  EXPECT_EQ(summary_of("m.py", "import a.x\n" + use, "import b.x\n" + use),
            "changes the module's own code (imports `b.x`)");
  EXPECT_EQ(summary_of("m.py", "from a import y as x\n" + use, "from b import x\n" + use),
            "changes the module's own code (imports `b.x`)");
  // Beside other changes it is one of them.
  EXPECT_EQ(summary_of("m.py", "from a.old import x\ndef f(): return 1\n", "from a.new import x\ndef f(b): return 1\n"),
            "changes `f` (new parameter `b`) and the module's own code (imports `x` from `a.new` instead of `a.old`)");
}

TEST(Summary, NothingInThePlaceOfWhatATryDefinesIsNoDefinition) {
  const std::string before = "class Linear:\n    pass\nclass Fast(Linear):\n    size = 1\n";
  const std::string defined =
      "class Linear:\n    pass\ntry:\n    from lib import Fast as LibFast\n    class Fast(LibFast):\n        size = "
      "1\n";
  // The base goes by the name that the file gives it.
  EXPECT_EQ(summary_of("m.py", before, defined + "except ImportError:\n    Fast = None\n"),
            "changes `Fast` (new base `LibFast`) and the module's own code (new branch)");
  EXPECT_EQ(summary_of("m.py", before, defined + "except ImportError:\n    Slow = None\n"),
            "adds `Slow`; changes `Fast` (new base `LibFast`) and the module's own code (new branch)");
}

TEST(Summary, ABranchThatLosesTheOneAroundItKeepsItsCondition) {
  const std::string inner = "if x.thread:\n    x.thread.join()\n    x.thread = None\n";
  std::string deep = "        " + inner;
  for (std::size_t at = deep.find("\n    "); at != std::string::npos; at = deep.find("\n    ", at + 9))
    deep.insert(at + 1, "        ");
  std::string flat = "    " + inner;
  for (std::size_t at = flat.find("\n    "); at != std::string::npos; at = flat.find("\n    ", at + 5))
    flat.insert(at + 1, "    ");
  EXPECT_EQ(summary_of("m.py", "def f(x):\n    if x.on:\n" + deep, "def f(x):\n" + flat),
            "changes `f` (branch removed)");
  EXPECT_EQ(summary_of("m.py", "def f(x):\n" + flat, "def f(x):\n    if x.on:\n" + deep),
            "changes `f` (new branch on `x.on`)");
}

TEST(Summary, WhatStandsElsewhereInAFunctionIsNotGone) {
  const std::string start = "import torch.distributed as d\ndef f(x):\n";
  EXPECT_EQ(summary_of("m.py", start + "    d.all_reduce(x)\n    return x\n", start + "    return x\n"),
            "changes `f` (no longer calls `all_reduce` itself)");
  EXPECT_EQ(summary_of("m.py", start + "    d.all_reduce(x)\n    d.all_reduce(x)\n    return x\n",
                       start + "    d.all_reduce(x)\n    return x\n"),
            "changes `f`");
  EXPECT_EQ(summary_of("m.py", start + "    g(x)\n    g(x, 1)\n    return x\n", start + "    g(x)\n    return x\n"),
            "changes `f`");
}

// What a function calls anew may raise in its stead.
TEST(Summary, ARaiseThatMayHaveMovedIsNoLongerItsOwn) {
  const std::string check = "    if x < 0:\n        raise ValueError(x)\n";
  const std::string end = "    return x\n";
  EXPECT_EQ(summary_of("m.py", "def f(x):\n" + check + end,
                       "def check(x):\n" + check + end + "\n\ndef f(x):\n    check(x)\n" + end),
            "adds `check`; changes `f` (no longer raises `ValueError` itself)");
  EXPECT_EQ(summary_of("m.py", "def f(x):\n" + check + end, "def f(x):\n" + end),
            "changes `f` (no longer raises `ValueError`)");
  EXPECT_EQ(summary_of("m.py", "def f(x):\n" + check + end, "def f(x):\n    if x < 0:\n        print(x)\n" + end),
            "changes `f` (no longer raises `ValueError`)");
}

TEST(Summary, WhatIsReturnedIsNamedWhereItIsShort) {
  EXPECT_EQ(summary_of("m.py", "def f(x): return x\n", "def f(x): return x + 1\n"),
            "changes `f` (returns `x + 1` instead of `x`)");
  const std::string end = "[" + std::string(80, '1') + "]\n";
  EXPECT_EQ(summary_of("m.py", "def f(x): return x\n", "def f(x): return " + end), "changes `f`");
}

TEST(Summary, AllParametersThatComeOrGoAreNamed) {
  EXPECT_EQ(summary_of("m.py", "def f(x): return x\n", "def f(x, a, b, c): return x\n"),
            "changes `f` (new parameters `a`, `b` and `c`)");
  EXPECT_EQ(summary_of("m.py", "def f(x): return x\n", "def f(x, a, b, c, d, e): return x\n"),
            "changes `f` (new parameters `a`, `b`, `c` and 2 more)");
  EXPECT_EQ(summary_of("m.py", "def f(x, a, b): return x\n", "def f(x): return x\n"),
            "changes `f` (parameters `a` and `b` removed)");
}

TEST(Summary, AClassWhoseMethodsChangeIsNotOnlyCommented) {
  const std::string head = "class Packer:\n    \"\"\"Packs.\"\"\"\n\n    def pack(self, rows):\n        return rows\n";
  EXPECT_EQ(
      summary_of(
          "m.py", head,
          "class Packer:\n    \"\"\"Packs aligned.\"\"\"\n\n    def pack(self, rows, align):\n        return rows\n"),
      "changes `Packer.pack` (new parameter `align`)");
  EXPECT_EQ(summary_of("m.py", head,
                       "class Packer:\n    \"\"\"Packs all.\"\"\"\n\n    def pack(self, rows):\n        return rows\n"),
            "only comments, docstrings or layout of `Packer`");
}

TEST(Summary, NewFilesListWhatTheyDefine) {
  const auto compared = compare_files({}, {{"m.py", "class C:\n    def m(self): pass\ndef f(): pass\n"}});
  EXPECT_EQ(compared->change.files[0].summary, "new file; defines `C` and `f`");
  EXPECT_EQ(compared->change.files[0].lines_added, 3u);
}

TEST(Summary, Documents) {
  EXPECT_EQ(summary_of("a.md", "# A\ntext\n# B\ntext\n# C\nx\n",
                       "# A\nother\n# B\ntext\n```\n# no heading\n```\n## D\nnew\n"),
            "adds section `D`; changes sections `A` and `B`; removes section `C`");
  EXPECT_EQ(summary_of("a.rst", "Title\n=====\ntext\n", "Title\n=====\nother\n"), "changes section `Title`");
}

TEST(Summary, Configuration) {
  EXPECT_EQ(summary_of("a.yaml", "a: 1\nb:\n  c: 2\n", "a: 1\nb:\n  c: 3\nd: 4\n"),
            "sets `b.c` to `3` (was `2`); sets `d` to `4`");
  // A key that stands there twice on both sides is no edit.
  EXPECT_EQ(summary_of("a.yaml", "a:\n  b: 0\n  c: 2\n  b: 1\n", "a:\n  b: 0\n  c: 2\n  b: 1\n  d: 1\n"),
            "sets `a.d` to `1`");
  EXPECT_EQ(summary_of("a.json", "{\n \"a\": {\"x\": 1},\n \"b\": 2\n}\n", "{\n \"a\": {\"x\": 2},\n \"b\": 2\n}\n"),
            "changes key `a`");
  EXPECT_EQ(summary_of("a.toml", "x = 1\n[t.u]\ny = 2\n", "x = 2\n[t.u]\ny = 3\n"),
            "sets `x` to `2` (was `1`); sets `t.u.y` to `3` (was `2`)");
  EXPECT_EQ(summary_of(".github/workflows/a.yml", "on: push\njobs:\n  build:\n    x: 1\n  test:\n    y: 1\n",
                       "on: push\njobs:\n  build:\n    x: 1\n  test:\n    y: 2\n  lint:\n    z: 1\n"),
            "adds job `lint`; job `test`: sets `y` to `2` (was `1`)");
}

constexpr const char* kWorkflow = R"(name: Nightly
on:
  push:
    branches: [main, "release/*"]
  schedule:
    - cron: "0 6 * * *"  # early
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: Make
        run: |
          # notes
          make all
        env:
          JOBS: 2
  test:
    needs: [build]
    runs-on: gpu
    strategy:
      matrix:
        python-version: ['3.10']
    steps:
      - name: Run
        run: make test
)";

TEST(Summary, Workflows) {
  const std::string path = ".github/workflows/nightly.yml";
  const auto with = [&](std::string_view from, std::string_view to) {
    return summary_of(path, kWorkflow, replace_all(kWorkflow, from, to));
  };
  EXPECT_EQ(summary_of(path, "", kWorkflow),
            "runs on `push` to `main` and `release/*` and `schedule` at `0 6 * * *`; adds jobs `build` and `test`");
  EXPECT_EQ(with("0 6 * * *", "0 9 * * *"), "runs on `schedule` at `0 9 * * *` instead of `schedule` at `0 6 * * *`");
  EXPECT_EQ(with("  schedule:\n    - cron: \"0 6 * * *\"  # early\n", ""),
            "no longer runs on `schedule` at `0 6 * * *`");
  const std::string branches = "    branches: [main, \"release/*\"]\n";
  EXPECT_EQ(with(branches, branches + "    paths: [\"docs/**\", a.py, b.py, c.py]\n"),
            "runs on `push` to `main` and `release/*` (only for changes in `docs/**`, `a.py` and 2 more) instead of "
            "`push` to `main` and `release/*`");
  EXPECT_EQ(with(branches, "    paths-ignore:\n      - docs/**\n"),
            "runs on `push` (only for changes outside `docs/**`) instead of `push` to `main` and `release/*`");
  EXPECT_EQ(with("checkout@v4", "checkout@v5"),
            "job `build`: step `actions/checkout` takes `actions/checkout` at `v5` instead of `v4`");
  EXPECT_EQ(with("make all", "make all\n          make check"), "job `build`: step `Make` also runs `make check`");
  EXPECT_EQ(with("JOBS: 2", "JOBS: 3\n          MODE: fast"),
            "job `build`: changes step `Make` (sets `env.JOBS` to `3` (was `2`), sets `env.MODE` to `fast`)");
  EXPECT_EQ(with("    needs: [build]\n    runs-on: gpu\n", "    uses: ./.github/workflows/test.yml\n"),
            "job `test`: now calls `./.github/workflows/test.yml`, no longer waits for `build`, removes `runs-on`");
  EXPECT_EQ(with("['3.10']", "['3.11']"), "job `test`: sets `strategy.matrix.python-version` to `3.11` (was `3.10`)");
  EXPECT_EQ(with("      - name: Run\n        run: make test\n", "      - name: Walk\n        run: make test\n"),
            "job `test`: adds step `Walk`, drops step `Run`");
  // What is written otherwise but says the same falls back to the outline.
  EXPECT_EQ(with("# notes", "# other notes"), "changes job `build`");
}

TEST(Summary, OptionsOfShellScripts) {
  const std::string before = "# see --old-help\ntrain.py \\\n  --lr 1 \\\n  --quant-cfg ${CFG}\n";
  EXPECT_EQ(summary_of("run.sh", before, "# see --new-help\ntrain.py \\\n  --lr 1 \\\n  --recipe ${CFG}\n"),
            "2 lines added, 2 removed; newly names `--recipe`; no longer names `--quant-cfg`");
  EXPECT_EQ(summary_of("run.sh", before, "# see --old-help\ntrain.py \\\n  --lr 2 \\\n  --quant-cfg ${CFG}\n"),
            "1 line added, 1 removed");
  EXPECT_EQ(summary_of("run.sh", "a --lr 1  # not --wd\n", "a --lr 1 -- --wd 2 x--no\n"),
            "1 line added, 1 removed; newly names `--wd`");
}

TEST(Summary, Settings) {
  EXPECT_EQ(summary_of("pyproject.toml",
                       "[project]\nrequires-python = \">=3.10\"\ndependencies = [\n  \"torch>=2.1\",  # core\n  "
                       "\"old\",\n]\n[project.optional-dependencies]\nckpt = [\"saver>=1\"]\n",
                       "[project]\nrequires-python = \">=3.11\"\ndependencies = [\n  \"torch>=2.2\",\n  "
                       "\"saver>=1\",\n]\n"),
            "sets `project.requires-python` to `>=3.11` (was `>=3.10`); `torch>=2.1` → `torch>=2.2` in "
            "`project.dependencies`; adds `saver>=1` to `project.dependencies`; removes `old` from "
            "`project.dependencies`; removes `project.optional-dependencies`");
  EXPECT_EQ(summary_of("a.toml", "[[p.q]]\nname = \"a\"\nv = 1\n[[p.q]]\nname = \"b\"\nv = 1\n",
                       "[[p.q]]\nname = \"a\"\nv = 1\n[[p.q]]\nname = \"b\"\nv = 2\n"),
            "sets `p.q[b].v` to `2` (was `1`)");
  EXPECT_EQ(summary_of("a.toml", "[t]\nx = \"\"\"\na = 1\n\"\"\"\n", "[t]\nx = \"\"\"\na = 2\n\"\"\"\n"),
            "changes table `t`");
  EXPECT_EQ(summary_of("a.yml", "x:\n- name: one\n  run: a\n- name: two\n  run: b\n",
                       "x:\n- name: one\n  run: a\n- name: two\n  run: c\n"),
            "sets `x[two].run` to `c` (was `b`)");
  // An item that comes before another moves it no further.
  EXPECT_EQ(summary_of("a.yml", "x:\n- case: [one]\n  run: a\n- case: [two]\n  run: b\n",
                       "x:\n- case: [one]\n  run: a\n- case: [new]\n  run: a\n- case: [two]\n  run: c\n"),
            "sets `x[two].run` to `c` (was `b`); adds `x[new]`");
  std::string many = "a: 1\n", other = "a: 1\n";
  for (int i = 0; i < 9; ++i) {
    many += fmt::format("k{}: 1\n", i);
    other += fmt::format("k{}: 2\n", i);
  }
  EXPECT_EQ(summary_of("a.yml", many, other), "changes keys `k0`, `k1`, `k2` and 6 more");
}

TEST(Summary, HostileYamlIsRead) {
  std::string deep;
  for (std::size_t i = 0; i < 3000; ++i) deep += std::string(i, ' ') + "a:\n";
  EXPECT_FALSE(summary_of("a.yml", deep, deep + "b: 1\n").empty());
  EXPECT_FALSE(summary_of("a.yml", std::string(5000, '-') + "\n", "a: [\n").empty());
  EXPECT_FALSE(summary_of(".github/workflows/a.yml", "jobs: {a: {b: 1}}\n", "jobs:\n- x\n").empty());
}

TEST(Summary, Dependencies) {
  EXPECT_EQ(summary_of("requirements.txt", "torch==2.1\nnumpy\nold\n", "torch==2.2\nnumpy\nnew>=1\n"),
            "adds `new>=1`, removes `old` and `torch==2.1` → `torch==2.2`");
  EXPECT_EQ(
      summary_of("uv.lock", "[[package]]\nname = \"a\"\nversion = \"1\"\n[[package]]\nname = \"b\"\nversion = \"1\"\n",
                 "[[package]]\nname = \"a\"\nversion = \"2\"\n[[package]]\nname = \"b\"\nversion = \"1\"\n"),
      "changes package `a`");
}

TEST(Summary, NativeCodeAndScripts) {
  EXPECT_EQ(summary_of("k.cu", "__global__ void __launch_bounds__(256) scale(float* x) {\n  x[0] = 1;\n}\n",
                       "__global__ void __launch_bounds__(256) scale(float* x) {\n  x[0] = 2;\n}\nstatic int other(int "
                       "a) {\n  return a;\n}\n"),
            "adds function `other`; changes function `scale`");
  EXPECT_EQ(summary_of("a.sh", "build() {\n  make\n}\n", "build() {\n  make all\n}\n"), "changes function `build`");
  EXPECT_EQ(summary_of("Dockerfile", "FROM a AS base\nRUN x\n", "FROM a AS base\nRUN y\n"), "changes stage `base`");
}

TEST(Summary, BinariesDataAndTheRest) {
  const std::string binary("\0\1\2", 3);
  EXPECT_EQ(summary_of("a.bin", binary, binary + std::string(2000, '\0')), "binary, 3 B → 2.0 KB");
  EXPECT_EQ(summary_of("a.csv", "1,2\n", "1,2\n3,4\n"), "4 B → 8 B");
  EXPECT_EQ(summary_of("a.xyz", "a\nb\n", "a\nc\nd\n"), "2 lines added, 1 removed");
}

TEST(Summary, HostileNamesAreMadeSafe) {
  EXPECT_EQ(quoted_name("a`b\nc"), "`a'b c`");
  EXPECT_EQ(quoted_name(std::string(300, 'x')).size(), 100 + 3 + 2u);
}

TEST(Summary, WithoutContentsTheLinesSpeak) {
  const auto compared = compare_files({{"a.yaml", "a: 1\n"}}, {{"a.yaml", "a: 2\n"}});
  const Change change = compare(compared->before, compared->after, compared->diff);
  EXPECT_EQ(change.files[0].summary, "1 line added, 1 removed");
}

TEST(Summary, NamesNoCalleeByAPieceOfAnother) {
  const std::string before = "def f(self, x):\n    return self.proj(x)\n";
  EXPECT_EQ(summary_of("a.py", before, "def f(self, x):\n    return typed(self.proj)(x)\n"),
            "changes `f` (calls `typed`)");
  EXPECT_EQ(summary_of("a.py", "def f(self, x):\n    y = self.proj(x)\n    g(y)\n",
                       "def f(self, x):\n    y = typed(self.proj)(x)\n    g(y)\n"),
            "changes `f` (calls `typed`)");
  EXPECT_EQ(summary_of("a.py", "def f(x):\n    g(x)\n", "def f(x):\n    g(x.unsqueeze(0))\n"),
            "changes `f` (calls `g` with other arguments)");
  // An alias says nothing new.
  const std::string alias = "def g(x):\n    pass\n\n\ngo = g\n\n\ndef f(x):\n    y = ";
  EXPECT_FALSE(contains(summary_of("a.py", alias + "g(x)\n", alias + "go(x)\n"), "with other arguments"));
}

}  // namespace
}  // namespace lockstep::change
