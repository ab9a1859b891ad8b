// What changes by the value of a setting that takes one of a few texts, or of another value that a function compares.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const Files kBefore = {
    {"pretrain.py",
     "import argparse\n\nfrom reduce import Wrapper\n\n\ndef main():\n    parser = argparse.ArgumentParser()\n"
     "    parser.add_argument('--strategy', choices=['none', 'grads', 'full'], default='none')\n"
     "    args = parser.parse_args()\n    Wrapper(args).finish(1, 2)\n\n\nif __name__ == '__main__':\n    main()\n"},
    {"reduce.py",
     "class Wrapper:\n    def __init__(self, args):\n        self.args = args\n        self.overwrites = True\n\n"
     "    def finish(self, params, last):\n        if self.args.strategy == 'full':\n            self.release(params)\n"
     "        shards = self.args.strategy in ['grads', 'full']\n        if shards or last:\n"
     "            self.reduce(params)\n        return params\n\n"
     "    def release(self, params):\n        params.clear()\n\n    def reduce(self, params):\n        "
     "params.sum()\n"}};

std::string table(const Files& after) {
  const std::string text = explain_of(kBefore, after);
  const std::size_t at = text.find("By the value of `strategy`");
  return at == std::string::npos ? std::string() : text.substr(at, text.find("\n\n", text.find("| What", at)) - at);
}

TEST(ValueCases, AConditionIsWorkedOutForEachValue) {
  const std::string text = table(with_edit(kBefore, "reduce.py", "strategy == 'full'", "strategy != 'none'"));
  EXPECT_TRUE(says(text, "argument `--strategy`):")) << text;
  EXPECT_TRUE(says(text, "`Wrapper.finish`: calls `self.release(params)` | `\"grads\"` | no | yes |")) << text;
  EXPECT_TRUE(says(text, "|  | `\"none\"` | no | as before |")) << text;
  EXPECT_TRUE(says(text, "|  | `\"full\"` | yes | as before |")) << text;
  EXPECT_FALSE(says(text, "self.reduce")) << text;
}

/// What the setting leaves open is told; a local stands for what it was worked out from.
TEST(ValueCases, WhatIsOpenIsAConditionOfTheCell) {
  const std::string text =
      table(with_edit(kBefore, "reduce.py", "if shards or last", "if shards or (last and params)"));
  EXPECT_TRUE(says(text,
                   "calls `self.reduce(params)` | `\"none\"` | when `last` is set | when `last` is set and "
                   "`params` is set |"))
      << text;
  EXPECT_TRUE(says(text, "|  | `\"grads\"`, `\"full\"` | yes | as before |")) << text;
}

/// What must hold in any case stands beside the step.
TEST(ValueCases, WhatAllCasesShareIsToldOnce) {
  const Files after = with_edit(
      kBefore, "reduce.py", "        return params\n",
      "        if last:\n            assert self.args.strategy in ['grads', 'full']\n        return params\n");
  const std::string text = table(after);
  EXPECT_TRUE(says(text,
                   "fails at the assertion `self.args.strategy in ['grads', 'full']`, where `last` is set | "
                   "`\"none\"` | no | yes |"))
      << text;
}

TEST(ValueCases, AnAttributeIsSetToWhatTheConditionGives) {
  const Files after =
      with_edit(kBefore, "reduce.py", "self.overwrites = True", "self.overwrites = args.strategy != 'none'");
  const std::string text = table(after);
  EXPECT_TRUE(says(text, "`Wrapper.__init__`: what `self.overwrites` is set to | `\"none\"` | `True` | `False` |"))
      << text;
}

TEST(ValueCases, AnAssertionFailsWithSomeValues) {
  const Files after = with_edit(kBefore, "reduce.py", "        return params\n",
                                "        assert self.args.strategy in ['grads', 'full']\n        return params\n");
  const std::string text = table(after);
  EXPECT_TRUE(says(text, "fails at the assertion `self.args.strategy in ['grads', 'full']` | `\"none\"` | no | yes |"))
      << text;
}

/// A setting that takes any text is a value like others. Nothing is said of what another object has, of a changed step
/// whose conditions stay, and of code that waits for an error.
TEST(ValueCases, WhereItIsNotKnownNothingIsSaid) {
  const Files open = {
      {"pretrain.py", replace_all(kBefore.at("pretrain.py"), "choices=['none', 'grads', 'full'], ", "")},
      {"reduce.py", kBefore.at("reduce.py")}};
  const std::string compared =
      explain_of(open, with_edit(open, "reduce.py", "strategy == 'full'", "strategy != 'none'"));
  EXPECT_FALSE(says(compared, "By the value of `strategy`")) << compared;
  EXPECT_TRUE(says(compared, "By the value of `self.args.strategy` in `Wrapper.finish`:")) << compared;
  EXPECT_EQ(table(with_edit(kBefore, "reduce.py", "self.reduce(params)", "self.reduce(last)")), "");
  EXPECT_EQ(table(with_edit(kBefore, "reduce.py", "strategy == 'full'", "strategy == params.strategy")), "");
  const Files caught = {
      {"pretrain.py", kBefore.at("pretrain.py")},
      {"reduce.py",
       replace_all(kBefore.at("reduce.py"),
                   "        if self.args.strategy == 'full':\n            self.release(params)\n",
                   "        try:\n            self.reduce(last)\n        except ValueError:\n"
                   "            if self.args.strategy == 'full':\n                self.release(params)\n")}};
  EXPECT_FALSE(says(explain_of(caught, with_edit(caught, "reduce.py", "strategy == 'full'", "strategy != 'none'")),
                    "calls `self.release(params)` | "));
}

/// A value that is no setting: its texts are those of its annotation, or those that the conditions compare it with.
std::string muon(const std::string& annotation, const std::string& body) {
  return "class Muon:\n    def __init__(self, mode" + annotation +
         "):\n        self.mode = mode\n\n    def step(self, grad, group=None):\n        if group is None:\n"
         "            return self.local(grad)\n" +
         body +
         "\n    def local(self, grad):\n        return grad\n\n    def whole(self, grad):\n        return grad\n";
}
const std::string kGathers = "        return self.whole(grad)\n";
const std::string kChooses =
    "        if self.mode == 'blockwise':\n            return self.local(grad)\n        if self.mode == 'duplicated':\n"
    "            return self.whole(grad)\n        if grad.large:\n            self.note(grad)\n"
    "        return self.spread(grad)\n\n    def spread(self, grad):\n        return [grad]\n\n    def note(self, "
    "grad):\n"
    "        print(grad)\n";

std::string compared(const std::string& annotation, const std::string& before, const std::string& after) {
  const std::string text = explain_of({{"muon.py", muon(annotation, before)}}, {{"muon.py", muon(annotation, after)}});
  const std::size_t at = text.find("By the value of `self.mode`");
  return at == std::string::npos ? std::string() : text.substr(at, text.find("\n\n", text.find("| With", at)) - at);
}

TEST(ComparedTexts, EachValueIsToldWithWhatARunComesTo) {
  const std::string text = compared(": Literal['blockwise', 'duplicated', 'distributed']", kGathers, kChooses);
  EXPECT_TRUE(says(text, "By the value of `self.mode` in `Muon.step`, where `group` is not `None`:")) << text;
  EXPECT_TRUE(says(text, "| `\"blockwise\"` | returns `self.whole(grad)` | returns `self.local(grad)` |")) << text;
  EXPECT_TRUE(says(text, "| `\"duplicated\"` | returns `self.whole(grad)` | as before |")) << text;
  EXPECT_TRUE(says(text,
                   "| `\"distributed\"` | returns `self.whole(grad)` | calls `self.note(grad)`, where `grad.large` is "
                   "set; returns `self.spread(grad)` |"))
      << text;
  EXPECT_FALSE(says(text, "anything else")) << text;
}

TEST(ComparedTexts, WithoutADeclarationAnythingElseIsOneMore) {
  const std::string text = compared("", kGathers, kChooses);
  EXPECT_TRUE(says(text, "| anything else | returns `self.whole(grad)` | calls `self.note(grad)`, where")) << text;
}

TEST(ComparedTexts, MembersOfAnEnumerationAreValues) {
  const auto with_members = [](const std::string& code) {
    return replace_all(replace_all(code, "'blockwise'", "Mode.BLOCKWISE"), "'duplicated'", "Mode.DUPLICATED");
  };
  const std::string text = compared(": Mode", kGathers, with_members(kChooses));
  EXPECT_TRUE(says(text, "| `Mode.BLOCKWISE` | returns `self.whole(grad)` | returns `self.local(grad)` |")) << text;
}

/// A member that the change adds could not be asked for; what comes to other steps than those told is no "else".
TEST(ComparedTexts, AMemberThatIsNewWasNotThere) {
  const auto code = [](const std::string& members, const std::string& branch) {
    return "from enum import Enum\n\n\nclass Act(Enum):\n    RELU = 'relu'\n    GELU = 'gelu'\n" + members +
           "\n\ndef kernel(act):\n    if act == Act.RELU:\n        return relu\n    if act == Act.GELU:\n"
           "        return gelu\n" +
           branch + "    raise ValueError(act)\n";
  };
  const std::string text =
      explain_of({{"acts.py", code("", "")}},
                 {{"acts.py", code("    SWIGLU = 'swiglu'\n", "    if act == Act.SWIGLU:\n        return swiglu\n")}});
  EXPECT_TRUE(says(text, "| `Act.SWIGLU` | there is no such value | returns `swiglu` |")) << text;
  EXPECT_TRUE(says(text, "| `Act.RELU` | other steps | as before |")) << text;
  EXPECT_TRUE(says(text, "| anything else | raises `ValueError` | as before |")) << text;
}

/// Of a value that is also asked in another way, that the function sets, or that is compared with one text.
TEST(ComparedTexts, NothingIsSaidOfOthers) {
  EXPECT_EQ(compared("", kGathers, "        if self.mode:\n            print(grad)\n" + kChooses), "");
  EXPECT_EQ(compared("", kGathers, "        self.mode = grad.mode\n" + kChooses), "");
  EXPECT_EQ(compared("", kGathers, "        if self.mode == grad.mode:\n            print(grad)\n" + kChooses), "");
  EXPECT_EQ(compared("", kGathers, replace_all(kChooses, "'duplicated'", "'blockwise'")), "");
}

}  // namespace
}  // namespace lockstep::render
