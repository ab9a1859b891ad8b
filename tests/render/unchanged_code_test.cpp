// What a change does to code that it leaves alone: who reads what it sets otherwise, which conditions another default
// decides otherwise, where the same statement stays as it was, which tests start the script.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kBuffer = R"(class Buffer:
    def __init__(self, params):
        self.offset = 0
        self.total_numel = sum(p.numel() // 2 for p in params)

    def split(self, size):
        if self.total_numel > size:
            return 2
        return 1


class Reader:
    def read(self, other):
        return other.total_numel
)";

TEST(UnchangedCode, ReadersOfWhatIsSetOtherwiseAreTold) {
  const std::string text =
      explain_of({{"a.py", kBuffer}}, {{"a.py", replace_all(kBuffer, "p.numel() // 2", "p.numel()")}});
  EXPECT_TRUE(says(text,
                   "**Read by unchanged code:** `self.total_numel` in `Buffer.split` (`a.py:7`: `if self.total_numel > "
                   "size`) and `Reader.read` (`a.py:14`: `return other.total_numel`)."))
      << text;
  // An object of the name may be another one where an unrelated class has such an attribute, too.
  const std::string other = kBuffer + "\n\nclass Pool:\n    def __init__(self):\n        self.total_numel = 0\n";
  const std::string unsure =
      explain_of({{"a.py", other}}, {{"a.py", replace_all(other, "p.numel() // 2", "p.numel()")}});
  EXPECT_TRUE(says(unsure, "in `Buffer.split` (`a.py:7`: `if self.total_numel > size`).")) << unsure;
  // Another way to write the same value is none.
  const std::string named = explain_of(
      {{"a.py", kBuffer}},
      {{"a.py",
        replace_all(kBuffer, "        self.total_numel = sum(p.numel() // 2 for p in params)\n",
                    "        numel = sum(p.numel() // 2 for p in params)\n        self.total_numel = numel\n")}});
  EXPECT_FALSE(says(named, "Read by unchanged code")) << named;
}

TEST(UnchangedCode, WhatEveryTensorHasIsReadByAnything) {
  const std::string body =
      "def mark(param):\n    param.requires_grad = True\n\n\ndef use(param):\n    return "
      "param.requires_grad\n";
  const std::string text = explain_of({{"a.py", body}}, {{"a.py", replace_all(body, "= True", "= param.is_leaf")}});
  EXPECT_FALSE(says(text, "Read by unchanged code")) << text;
}

const std::string kConfig = R"(from dataclasses import dataclass


@dataclass
class CompileConfig:
    mode: str = "aot"


@dataclass
class Config:
    compile: CompileConfig


class Trainer:
    def __init__(self, config: Config, pp):
        self.config = config
        if config.compile.mode == "fx" and pp:
            raise ValueError("no pipeline")

    def step(self, compile_config: CompileConfig):
        mode = compile_config.mode
        if mode != "fx":
            return 1
        return 2

    def other(self, mode):
        if mode != "fx":
            return 1
        return 2
)";

TEST(UnchangedCode, ConditionsThatAnotherDefaultDecidesOtherwiseAreTold) {
  const std::string text = explain_of({{"a.py", kConfig}}, {{"a.py", replace_all(kConfig, "= \"aot\"", "= \"fx\"")}});
  EXPECT_TRUE(says(text, "Where `mode` is not set, unchanged code decides otherwise:")) << text;
  EXPECT_TRUE(
      says(text,
           "`Trainer.__init__` (`a.py:17`): `config.compile.mode == \"fx\"` holds now, and with the rest of its "
           "condition it raises `ValueError`."))
      << text;
  EXPECT_TRUE(says(text, "`Trainer.step` (`a.py:22`): `mode != \"fx\"` no longer holds.")) << text;
  EXPECT_FALSE(says(text, "`Trainer.other`")) << text;
  // A default that decides nothing otherwise.
  const std::string same = explain_of({{"a.py", kConfig}}, {{"a.py", replace_all(kConfig, "= \"aot\"", "= \"jit\"")}});
  EXPECT_FALSE(says(same, "decides otherwise")) << same;
}

TEST(UnchangedCode, AStatementThatStaysElsewhereIsAskedAfter) {
  const auto dispatchers = [](const std::string& deep, const std::string& flex) {
    const auto one = [](const std::string& name, const std::string& value) {
      return "class " + name + ":\n    def dispatch(self, tokens, probs):\n        self.indices = probs." + value +
             "\n        return tokens\n";
    };
    return one("Deep", deep) + "\n\n" + one("Flex", flex);
  };
  const std::string sorted = "argsort(dim=-1)[:, : self.router_topk]";
  const std::string top = "topk(self.router_topk, dim=-1).indices";
  const std::string text = explain_of({{"a.py", dispatchers(sorted, sorted)}}, {{"a.py", dispatchers(top, sorted)}});
  EXPECT_TRUE(says(text,
                   "of `Deep.dispatch` has another form now; as it was it still stands in `Flex.dispatch` "
                   "(`a.py:9`). Is it right there?"))
      << text;
  const std::string both = explain_of({{"a.py", dispatchers(sorted, sorted)}}, {{"a.py", dispatchers(top, top)}});
  EXPECT_FALSE(says(both, "as it was it still stands")) << both;
}

TEST(UnchangedCode, TestsThatStartTheScriptAreTold) {
  const Files before{
      {"tools/serve.py", "def answer(x):\n    return x\n\n\nif __name__ == '__main__':\n    answer(1)\n"},
      {"tests/recipes/serve.yaml", "spec:\n  script: |\n    python tools/serve.py --x 1\n"}};
  Files after = before;
  after["tools/serve.py"] = replace_all(before.at("tools/serve.py"), "return x", "return x + 1");
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text,
                   "No test function was found that reaches it by the call graph, and none that names it. Tests start "
                   "`tools/serve.py`, from which a run can get there (`tests/recipes/serve.yaml:3`); with which "
                   "settings was not followed."))
      << text;
  Files alone = after;
  alone["tests/recipes/serve.yaml"] = "spec:\n  script: |\n    python tools/observe.py\n";
  EXPECT_TRUE(says(explain_of(before, alone), "NOT TESTED: no test function was found")) << explain_of(before, alone);
}

TEST(UnchangedCode, AScriptThatNoLongerTakesAnOptionRefusesIt) {
  const std::string script =
      "import argparse\n\n\ndef get_args():\n    parser = argparse.ArgumentParser()\n"
      "    parser.add_argument('--use-fast', action='store_true')\n    parser.add_argument('--workers', type=int)\n"
      "    return parser.parse_args()\n";
  const std::string library = "def add(parser):\n    parser.add_argument('--use-fast', action='store_true')\n";
  const std::string gone = replace_all(script, "    parser.add_argument('--use-fast', action='store_true')\n", "");
  const std::string text =
      explain_of({{"tools/pack.py", script}, {"lib.py", library}}, {{"tools/pack.py", gone}, {"lib.py", library}});
  EXPECT_TRUE(says(text, "`tools/pack.py` no longer takes `--use-fast`. `parse_args` refuses what it does not know"))
      << text;
  // It takes it from the library now.
  const std::string through =
      "import lib\n" + replace_all(gone, "    return parser", "    lib.add(parser)\n    return parser");
  const std::string kept =
      explain_of({{"tools/pack.py", script}, {"lib.py", library}}, {{"tools/pack.py", through}, {"lib.py", library}});
  EXPECT_FALSE(says(kept, "no longer takes `--use-fast`")) << kept;
}

TEST(UnchangedCode, VariablesThatNobodyReadsAreTold) {
  const std::string before =
      "_STREAM = None\n_LIMIT = 4\n\n\ndef stream(x):\n    global _STREAM\n    if _STREAM is None:\n        _STREAM = "
      "fresh(x)\n    return _STREAM\n\n\ndef limit():\n    return _LIMIT\n";
  const std::string after =
      "_DYNAMIC = None\n_STREAM = None\n_LIMIT = 4\n\n\ndef stream(x):\n    return current(x)\n\n\n"
      "def limit():\n    return _LIMIT\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "No Python code of the repository reads the new `_DYNAMIC`.")) << text;
  EXPECT_TRUE(says(text, "No Python code of the repository reads `_STREAM` (`a.py:2`) any more; what sets it stays."))
      << text;
  EXPECT_FALSE(says(text, "_LIMIT")) << text;
  // Another module may get it by its name.
  const std::string named = explain_of({{"a.py", before}, {"b.py", "import a\nNAMES = ['_DYNAMIC', '_STREAM']\n"}},
                                       {{"a.py", after}, {"b.py", "import a\nNAMES = ['_DYNAMIC', '_STREAM']\n"}});
  EXPECT_FALSE(says(named, "No Python code of the repository reads")) << named;
}

TEST(UnchangedCode, AFunctionThatIsHandedOnInPlaceOfWhatItReturnsIsTold) {
  const auto plan = [](const std::string& body) {
    return "def stream():\n    return 1\n\n\nclass Node:\n    def __init__(self, model, stream):\n        self.stream "
           "= "
           "stream\n\n\ndef build(model):\n" +
           body;
  };
  const std::string text = explain_of({{"a.py", plan("    one = stream()\n    return Node(model, one)\n")}},
                                      {{"a.py", plan("    return Node(model, stream)\n")}});
  EXPECT_TRUE(says(text, "hands `stream` itself to `Node`, to be called there, instead of what it returns")) << text;
}

TEST(UnchangedCode, AnArgumentThatOneReturnLeavesUnreadIsAskedAfter) {
  const auto program = [](const std::string& rotate, const std::string& given) {
    return "def rotate(t, freqs, config, mscale=1.0):\n" + rotate +
           "\n\ndef attend(t, freqs, config):\n    return rotate(t, freqs, config" + given + ")\n";
  };
  const std::string fused =
      "    if config.fused:\n        return fused_rotate(t, freqs)\n    return plain_rotate(t, freqs * mscale)\n";
  const std::string text =
      explain_of({{"a.py", program(fused, "")}}, {{"a.py", program(fused, ", mscale=scale(config)")}});
  EXPECT_TRUE(
      says(text,
           "`attend` newly gives `mscale` to `rotate`, which returns without reading it where `config.fused` is "
           "set (`a.py:3`: `return fused_rotate(t, freqs)`). Is it meant to be left out there?"))
      << text;
  const std::string both =
      "    freqs = freqs * mscale\n    if config.fused:\n        return fused_rotate(t, freqs)\n    return "
      "plain_rotate(t, "
      "freqs)\n";
  const std::string read =
      explain_of({{"a.py", program(both, "")}}, {{"a.py", program(both, ", mscale=scale(config)")}});
  EXPECT_FALSE(says(read, "without reading it")) << read;
}

TEST(UnchangedCode, AnOptionThatAFieldDeclaresNowIsNotNew) {
  const std::string parser = "def add(parser):\n    parser.add_argument('--vocab-size', type=int, default=None)\n";
  const std::string config =
      "from dataclasses import dataclass, field\n\n\n@dataclass\nclass TokenizerConfig:\n    vocab_size: int = None\n"
      "    chat_template: str = None\n";
  const std::string text =
      explain_of({{"args.py", parser}}, {{"args.py", "def add(parser):\n    make(parser)\n"}, {"config.py", config}});
  EXPECT_TRUE(says(text, "New setting")) << text;
  EXPECT_TRUE(says(text, "`chat_template`")) << text;
  EXPECT_FALSE(says(text, "`vocab_size` (default `None`)")) << text;
}

}  // namespace
}  // namespace lockstep::render
