// What files are, and what their summaries say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  EXPECT_EQ(summary_of("a.yaml", "a: 1\nb:\n  c: 2\n", "a: 1\nb:\n  c: 3\nd: 4\n"), "adds key `d`; changes key `b`");
  EXPECT_EQ(summary_of("a.json", "{\n \"a\": {\"x\": 1},\n \"b\": 2\n}\n", "{\n \"a\": {\"x\": 2},\n \"b\": 2\n}\n"),
            "changes key `a`");
  EXPECT_EQ(summary_of("a.toml", "x = 1\n[t.u]\ny = 2\n", "x = 2\n[t.u]\ny = 3\n"), "changes tables `x` and `t.u`");
  EXPECT_EQ(summary_of(".github/workflows/a.yml", "on: push\njobs:\n  build:\n    x: 1\n  test:\n    y: 1\n",
                       "on: push\njobs:\n  build:\n    x: 1\n  test:\n    y: 2\n  lint:\n    z: 1\n"),
            "adds job `lint`; changes job `test`");
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

}  // namespace
}  // namespace lockstep::change
