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

TEST(UnchangedCode, WhatALibraryMadeInTheFunctionIsNoOtherObject) {
  const auto side = [](const std::string& made, const std::string& read) {
    return std::string("import lib\n\n\ndef build(weight") + (made.empty() ? ", op" : "") + "):\n    " + made +
           "    op.first_weight = weight\n    return op\n\n\n"
           "def use(layer, op):\n    return " +
           read + ".first_weight\n";
  };
  const auto text = [&](const std::string& made, const std::string& read) {
    return explain_of({{"a.py", side(made, read)}},
                      {{"a.py", replace_all(side(made, read), "= weight\n", "= weight.t()\n")}});
  };
  EXPECT_TRUE(says(text("", "layer"), "`op.first_weight` in `use`")) << text("", "layer");
  const std::string made = "op = lib.Linear(weight)\n";
  EXPECT_FALSE(says(text(made, "layer"), "Read by unchanged code")) << text(made, "layer");
  EXPECT_TRUE(says(text(made, "op"), "`op.first_weight` in `use`")) << text(made, "op");
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

TEST(UnchangedCode, AttributesThatNobodyReadsAreTold) {
  const std::string before =
      "class Context:\n    def __init__(self, root):\n        self.root = root\n\n\n"
      "def root_of(context):\n    return context.root\n";
  const std::string after =
      replace_all(before, "        self.root = root\n", "        self.root = root\n        self.is_last = True\n");
  const std::string scope =
      "\n\ndef scope(contexts, is_last):\n    were = [(context, context.is_last) for context in contexts]\n"
      "    for context in contexts:\n        context.is_last = is_last\n    yield\n"
      "    for context, value in were:\n        context.is_last = value\n";
  const std::string test = "from a import Context\n\n\ndef test_it():\n    assert Context(1).is_last\n";
  const auto told = [&](const std::string& code, const std::string& other = "") {
    return explain_of({{"a.py", before}, {"b.py", other}},
                      {{"a.py", after + code}, {"b.py", other}, {"tests/test_a.py", test}});
  };
  EXPECT_TRUE(says(told(""),
                   "No Python code of the repository outside tests reads the new attribute `Context.is_last` "
                   "yet."))
      << told("");
  EXPECT_TRUE(says(told(scope),
                   "No Python code of the repository outside tests reads the new attribute "
                   "`Context.is_last` yet but `scope`, which keeps the value that was there to set it "
                   "again."))
      << told(scope);
  // Somebody reads it, by its name as a text, too, asks for it between, or takes all that the object has.
  for (const std::string& code :
       {std::string("\n\ndef ends(context):\n    return context.is_last\n"),
        std::string("\n\ndef ends(context):\n    return getattr(context, 'is_last', False)\n"),
        std::string("\n\ndef dump(context):\n    return vars(context)\n"),
        std::string("\n\ndef dump(context, name):\n    return getattr(context, name)\n"),
        scope + "\n\ndef flip(context):\n    if context.is_last:\n        context.is_last = False\n"})
    EXPECT_FALSE(says(told(code), "reads the new attribute")) << told(code);
  const std::string reader = "def run(context):\n    return step(context) if context.is_last else None\n";
  EXPECT_FALSE(says(told(scope, reader), "reads the new attribute")) << told(scope, reader);
  // Another class has one of that name for itself; one that derives from it has the same.
  const std::string other =
      "class Group:\n    def end(self):\n        \"\"\"Ask is_last.\"\"\"\n        return self.is_last or "
      "getattr(self, 'is_last', False)\n";
  EXPECT_TRUE(says(told(scope, other), "reads the new attribute `Context.is_last` yet but `scope`"))
      << told(scope, other);
  const std::string heir = "from a import Context\n\n\n" + replace_all(other, "Group:", "Group(Context):");
  EXPECT_FALSE(says(told(scope, heir), "reads the new attribute")) << told(scope, heir);
  // A library reads what it likes off its own classes.
  const auto derived = [](std::string code) {
    return "import torch\n\n\n" + replace_all(std::move(code), "class Context:", "class Context(torch.nn.Module):");
  };
  EXPECT_FALSE(says(explain_of({{"a.py", derived(before)}}, {{"a.py", derived(after)}}), "reads the new attribute"));
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

TEST(UnchangedCode, AVariableOfAnotherModuleIsNoReader) {
  const std::string before = "def save(x):\n    return x\n";
  const std::string after =
      "try:\n    from fast_io import Writer\n\n    HAVE_IO = True\nexcept ImportError:\n    HAVE_IO = False\n\n\n"
      "def save(x):\n    return Writer(x)\n";
  const std::string other = "HAVE_IO = True\n\n\ndef load(x):\n    return x if HAVE_IO else None\n";
  const std::string text = explain_of({{"a.py", before}, {"b.py", other}}, {{"a.py", after}, {"b.py", other}});
  EXPECT_TRUE(says(text, "No Python code of the repository reads the new `HAVE_IO`.")) << text;
  // It comes in by a star, or is read off the module.
  for (const std::string& reader :
       {std::string("from a import *\n\n\ndef load(x):\n    return x if HAVE_IO else None\n"),
        std::string("import a\n\nHAVE_IO = True\n\n\ndef load(x):\n    return x if a.HAVE_IO else None\n")}) {
    const std::string read = explain_of({{"a.py", before}, {"b.py", reader}}, {{"a.py", after}, {"b.py", reader}});
    EXPECT_FALSE(says(read, "No Python code of the repository reads")) << read;
  }
}

/// A check in a configuration that the command line takes its fields from.
TEST(UnchangedCode, ChecksOfAConfigurationThatNobodyMakesAreAskedAbout) {
  const std::string before =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass SaveConfig:\n    async_save: bool = False\n\n"
      "    def __post_init__(self):\n        self.name = \"save\"\n";
  const std::string after =
      before + "        if self.async_save:\n            assert has_io(), \"fast_io is not there\"\n";
  const auto with = [](const std::string& use) {
    return "from config import SaveConfig\nfrom factory import ArgumentGroup\n\n\ndef add(parser):\n" + use;
  };
  const auto told = [&](const std::string& use) {
    return explain_of({{"config.py", before}, {"arguments.py", with(use)}},
                      {{"config.py", after}, {"arguments.py", with(use)}});
  };
  const std::string text = told("    ArgumentGroup(SaveConfig, exclude=[]).build(parser)\n");
  EXPECT_TRUE(says(text,
                   "`SaveConfig.__post_init__` runs when a `SaveConfig` is made. No call outside tests that was "
                   "found makes one by its name; the class is only handed on, at `arguments.py:6`. Does that "
                   "make one? Else what changes there does nothing in the repository's own runs."))
      << text;
  const std::string made = told("    ArgumentGroup(SaveConfig).build(parser)\n    return SaveConfig()\n");
  EXPECT_FALSE(says(made, "is made. No call")) << made;
  const std::string kept = told("    kind = SaveConfig\n    return kind()\n");
  EXPECT_FALSE(says(kept, "is made. No call")) << kept;
}

/// A chain of loaders; `middle` and `top` take and hand on what the text says.
Files loaders(const std::string& taken, const std::string& handed, const std::string& last) {
  return {{"a.py", "def read(path" + taken + "):\n    return open_all(path" + (taken.empty() ? "" : ", group") +
                       ")\n\n\ndef middle(path" + taken + "):\n    return read(path" + handed +
                       ")\n\n\ndef probe(path):\n    return middle(path)\n\n\ndef top(path" + taken +
                       "):\n    return middle(path" + handed + ")\n"},
          {"b.py", "from a import top\n\n\ndef main(path, groups):\n    return top(" + last + ")\n"}};
}

TEST(UnchangedCode, ANewParameterThatNobodyGivesIsFollowedToWhereItComesFrom) {
  const std::string taken = ", group=None";
  const std::string handed = ", group=group";
  const std::string text = explain_of(loaders("", "", "path"), loaders(taken, handed, "path"));
  EXPECT_TRUE(says(text, "In all calls outside tests that were found, `group` stays at `None`")) << text;
  // Who may call `top` with anything is not known: what is found still gives nothing.
  Files before = loaders("", "", "path");
  Files after = loaders(taken, handed, "path");
  before["c.py"] = after["c.py"] = "from a import top\nfrom fire import Fire\n\n\ndef main():\n    Fire(top)\n";
  const std::string open = explain_of(before, after);
  EXPECT_TRUE(says(open,
                   "`group` comes from `top` alone, and no call of that outside tests that was found gives "
                   "`group`: it stays at `None`."))
      << open;
  EXPECT_TRUE(says(open, "One call still leaves `group` out: `probe` (`a.py:10`).")) << open;
  const std::string given = explain_of(loaders("", "", "path"), loaders(taken, handed, "path, groups.dp"));
  EXPECT_FALSE(says(given, "comes from")) << given;
  EXPECT_FALSE(says(given, "stays at")) << given;
  EXPECT_TRUE(says(given, "One call still leaves `group` out: `probe` (`a.py:10`).")) << given;
}

TEST(UnchangedCode, DefaultsThatStayElsewhereAreAskedAbout) {
  const auto config = [](const std::string& value) {
    return "from dataclasses import dataclass\n\nfrom policy import Policy\n\n\n@dataclass\nclass Config:\n"
           "    routing_policy: Policy = " +
           value + "\n";
  };
  const std::string server =
      "from policy import Policy\n\n\nclass Server:\n    def __init__(self, routing_policy=Policy.FIRST):\n"
      "        self.routing_policy = routing_policy\n";
  const Files before = {{"config.py", config("Policy.FIRST")}, {"server.py", server}};
  const std::string text = explain_of(before, {{"config.py", config("Policy.BALANCED")}, {"server.py", server}});
  EXPECT_TRUE(says(text,
                   "`routing_policy` has the default `Policy.BALANCED` now; `Server.__init__` (`server.py:5`) "
                   "keeps to `Policy.FIRST`. Is it meant to differ?"))
      << text;
  const std::string both = explain_of(
      before, {{"config.py", config("Policy.BALANCED")}, {"server.py", replace_all(server, "FIRST", "BALANCED")}});
  EXPECT_FALSE(says(both, "meant to differ")) << both;
  // A default that is another thing already is none that was left behind.
  const std::string other = replace_all(server, "Policy.FIRST", "None");
  const std::string none = explain_of({{"config.py", config("Policy.FIRST")}, {"server.py", other}},
                                      {{"config.py", config("Policy.BALANCED")}, {"server.py", other}});
  EXPECT_FALSE(says(none, "meant to differ")) << none;
}

TEST(UnchangedCode, ALimitThatAnotherCheckOfTheFunctionKeepsIsAskedAbout) {
  const auto code_of = [](const std::string& claimed, const std::string& asked) {
    return "def drain(units, queue):\n    assert len(units) <= " + claimed +
           "\n    for one in queue:\n        units.add(one)\n        if len(units) > " + asked +
           ":\n            queue.pop()\n";
  };
  const std::string text = explain_of({{"a.py", code_of("2", "2")}}, {{"a.py", code_of("2", "1")}});
  EXPECT_TRUE(says(text,
                   "`drain` asks `len(units) > 1` now, with `1` in place of `2`; `len(units) <= 2` (`a.py:2`) "
                   "stays. Is `2` still right there?"))
      << text;
  const std::string both = explain_of({{"a.py", code_of("2", "2")}}, {{"a.py", code_of("1", "1")}});
  EXPECT_FALSE(says(both, "still right there")) << both;
  const std::string other = explain_of({{"a.py", code_of("4", "2")}}, {{"a.py", code_of("4", "1")}});
  EXPECT_FALSE(says(other, "still right there")) << other;
}

TEST(UnchangedCode, CallsThatANewFunctionTakesOverAndOthersKeepAreAskedAbout) {
  const std::string chunk =
      "class Chunk:\n    def zero_buffer(self):\n        self.buffer = 0\n\n    def stage_params(self):\n"
      "        self.buffer = self.params\n";
  const std::string rerun =
      "def rerun(chunk):\n    chunk.zero_buffer()\n\n    def stage():\n"
      "        chunk.stage_params()\n\n    stage()\n";
  const std::string before =
      "def evaluate(chunk, run):\n    if run.reuses:\n        chunk.zero_buffer()\n        chunk.stage_params()\n"
      "    chunk.gather()\n";
  const std::string after =
      "def prepare(chunk, run):\n    if run.reuses and run.overlaps:\n        chunk.zero_buffer()\n"
      "        chunk.stage_params()\n\n\ndef evaluate(chunk, run):\n    prepare(chunk, run)\n    chunk.gather()\n";
  const std::string text = explain_of({{"a.py", before}, {"chunk.py", chunk}, {"b.py", rerun}},
                                      {{"a.py", after}, {"chunk.py", chunk}, {"b.py", rerun}});
  EXPECT_TRUE(says(text,
                   "`prepare` calls `stage_params` and `zero_buffer` now, which `evaluate` did itself before; "
                   "`rerun` (`b.py:1`) still does so itself. Should it use it, too?"))
      << text;
  // One of both is another thing.
  const std::string zeroes = "def rerun(chunk):\n    chunk.zero_buffer()\n";
  const std::string one = explain_of({{"a.py", before}, {"chunk.py", chunk}, {"b.py", zeroes}},
                                     {{"a.py", after}, {"chunk.py", chunk}, {"b.py", zeroes}});
  EXPECT_FALSE(says(one, "did itself before")) << one;
}

/// A setting that a check of the configuration takes back.
TEST(UnchangedCode, SettingsThatAreSwitchedOffAgainAreTold) {
  const std::string config =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass SaveConfig:\n    async_save: bool = False\n"
      "    \"\"\"Save in the background. Currently works only with one format. It is fast.\"\"\"\n";
  const auto arguments = [](const std::string& when) {
    return "def validate(args):\n    if " + when + ":\n        args.async_save = False\n    return args\n";
  };
  const auto told = [&](const std::string& when) {
    const std::string before = "def save(args, x):\n    return write(x)\n";
    const std::string after =
        "def save(args, x):\n    if args.async_save:\n        return write_later(x)\n    return write(x)\n";
    return explain_of({{"config.py", config}, {"arguments.py", arguments(when)}, {"a.py", before}},
                      {{"config.py", config}, {"arguments.py", arguments(when)}, {"a.py", after}});
  };
  const std::string text = told("args.async_save and not args.keeps_worker");
  EXPECT_TRUE(says(text,
                   "`validate` (`arguments.py:3`) sets it back to `False` where `args.async_save` is set and "
                   "`args.keeps_worker` is not set."))
      << text;
  EXPECT_TRUE(says(text, "“Save in the background. Currently works only with one format.”")) << text;
  // Whoever sets it for another reason may restore it as well.
  const std::string others = told("args.is_interactive");
  EXPECT_FALSE(says(others, "sets it back")) << others;
}

TEST(UnchangedCode, AStatementThatGetsAConditionOrGoesIsAskedForElsewhere) {
  const auto check = [](const std::string& body) {
    return "def check_arguments(args):\n    print(args)\n" + body + "    return args\n";
  };
  const std::string forced = "    args.moe_grouped_gemm = False\n";
  const std::string guarded = "    if not args.keeps_spec:\n        args.moe_grouped_gemm = False\n";
  const std::string text = explain_of({{"a.py", check(forced)}, {"b.py", check(forced)}},
                                      {{"a.py", check(guarded)}, {"b.py", check(forced)}});
  EXPECT_TRUE(says(text,
                   "`args.moe_grouped_gemm = False` of `check_arguments` stands only where `args.keeps_spec` is not "
                   "set now; as it was it still stands in `check_arguments` (`b.py:3`). Is it right there?"))
      << text;
  const std::string both = explain_of({{"a.py", check(forced)}, {"b.py", check(forced)}},
                                      {{"a.py", check(guarded)}, {"b.py", check(guarded)}});
  EXPECT_FALSE(says(both, "stands only where")) << both;

  const auto validate = [](const std::string& cls, const std::string& mean) {
    return "class " + cls + ":\n    def validate(self, losses):\n        total = sum(losses)\n" + mean +
           "        return total\n";
  };
  const std::string mean = "        total /= self.parallel_dims.replicas * len(losses)\n";
  const std::string gone =
      explain_of({{"a.py", validate("Validator", mean)}, {"b.py", validate("FluxValidator", mean)}},
                 {{"a.py", validate("Validator", "")}, {"b.py", validate("FluxValidator", mean)}});
  EXPECT_TRUE(says(gone,
                   "`total /= self.parallel_dims.replicas * len(losses)`, which `Validator.validate` has no longer, "
                   "still stands in `FluxValidator.validate` (`b.py:4`). Is it right there?"))
      << gone;
}

}  // namespace
}  // namespace lockstep::render
