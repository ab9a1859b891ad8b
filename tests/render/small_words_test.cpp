// Single steps in the words that fit them: what handlers catch, what is added up, what only moves.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

TEST(SmallWords, AnExceptionThatAHandlerTakesTooIsNamed) {
  const auto build = [](const std::string& types) {
    return "def build(path):\n    try:\n        library = load_inline(path)\n    except " + types +
           " as error:\n        warn(error)\n        return None\n    return library\n";
  };
  const std::string more = explain_of({{"a.py", build("(RuntimeError, ImportError, OSError)")}},
                                      {{"a.py", build("(RuntimeError, ImportError, OSError, BuildTimeout)")}});
  EXPECT_TRUE(says(more, "atches `BuildTimeout`, too")) << more;
  EXPECT_FALSE(says(more, "in place of `except")) << more;
  const std::string less = explain_of({{"a.py", build("(RuntimeError, ImportError, OSError)")}},
                                      {{"a.py", build("(RuntimeError, ImportError)")}});
  EXPECT_TRUE(says(less, "o longer catches `OSError`")) << less;
}

TEST(SmallWords, ArmsThatChangePlacesAreComparedWithWhereTheyStood) {
  const std::string train =
      "        out = fused_scan(x, self.weight, self.bias, chunk=self.chunk)\n        out = self.norm(out, gate)\n";
  const std::string prefill =
      "        x = self.conv(x)\n        x, b, c = torch.split(x, self.sizes, dim=-1)\n"
      "        out, state = scan(x, b, c, initial=None)\n        inference_context.states[self.layer] = state\n";
  const auto method = [](const std::string& name, const std::string& body) {
    return "    def " + name + "(self, x, gate, inference_context):\n" + body + "        return out\n\n";
  };
  const auto indented = [](const std::string& body) {
    return "    " + replace_all(body, "\n        ", "\n            ");
  };
  const std::string was =
      "class Mixer:\n    def forward(self, x, gate, inference_context):\n        if self.use_mem_eff_path and "
      "inference_context is None:\n" +
      indented(train) + "            check_weight(self.weight)\n        else:\n" + indented(prefill) +
      "        return out\n";
  const std::string now =
      "class Mixer:\n    def forward(self, x, gate, inference_context):\n        in_inference_mode = inference_context "
      "is not None and not "
      "self.training\n        if in_inference_mode or not self.use_mem_eff_path:\n"
      "            out = self.prefill(x, gate, inference_context)\n            check_weight(self.weight)\n        "
      "else:\n        "
      "    out = self.train_step(x, gate, "
      "inference_context)\n"
      "        return out\n\n" +
      method("prefill", prefill) + method("train_step", train);
  const std::string text = explain_of({{"a.py", was}}, {{"a.py", now}});
  EXPECT_TRUE(says(text, "formerly when `self.use_mem_eff_path` is false or `inference_context` is not `None`"))
      << text;
  EXPECT_FALSE(says(text, "formerly when `self.use_mem_eff_path` is true")) << text;
}

TEST(SmallWords, OfManyLongConditionsTheInnerOnesAreTold) {
  const std::string names[] = {"overlap_moe_expert_parallel_comm", "use_transformer_engine_op_fuser",
                               "moe_shared_expert_overlap_stream", "fine_grained_activation_offloading"};
  std::string code = "def replay(self, x):\n";
  std::string indent = "    ";
  for (const std::string& name : names) {
    code += indent + "if self.config." + name + " is not None and self.config." + name + "_mode == 'all':\n";
    indent += "    ";
  }
  const std::string before = code + indent + "self.run(x)\n";
  const std::string text =
      explain_of({{"a.py", before}}, {{"a.py", code + indent + "self.pad(x)\n" + indent + "self.run(x)\n"}});
  EXPECT_TRUE(says(text, "calls `self.pad(x)`")) << text;
  EXPECT_TRUE(says(text, "and more holds")) << text;
  EXPECT_FALSE(says(text, "where `self.config.overlap_moe_expert_parallel_comm`")) << text;
}

TEST(SmallWords, AStatementThatChoosesBetweenTwoCalls) {
  const std::string before = "def step(self, ready):\n    self.reduce(ready)\n    self.copy_to_model()\n";
  const std::string after = replace_all(before, "    self.copy_to_model()\n",
                                        "    self.copy_to_model() if not self.shared else self.copy_to_buffer()\n");
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(
      says(text, "calls `self.copy_to_model()` when `self.shared` is not set, and else calls `self.copy_to_buffer()`"))
      << text;
  EXPECT_FALSE(says(text, "no longer calls")) << text;
}

TEST(SmallWords, AnOptionIsComparedWithItselfAlone) {
  const auto declare = [](const std::string& options) {
    return "import argparse\n\n\ndef add_args(parser):\n    group = parser.add_argument_group('requests')\n" + options +
           "    return parser\n";
  };
  const std::string rate =
      "    group.add_argument('--requests-per-sec', type=float, default=100.0, help='requests a second')\n";
  const std::string before = declare(
      rate + "    group.add_argument('--requests-duration', type=float, default=10.0, help='seconds of requests')\n");
  const std::string after =
      declare("    group.add_argument('--requests-per-step', type=int, default=None, help='requests a step')\n" + rate);
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_FALSE(says(text, "The default of `requests_per_sec` changes")) << text;
  EXPECT_FALSE(says(text, "The default of `requests_per_step` changes")) << text;
  EXPECT_TRUE(says(text, "`requests_per_step`")) << text;
}

TEST(SmallWords, ABackwardPassIsRunByTestsThatAskForOne) {
  const auto code = [](const std::string& given, const std::string& nones) {
    return "import torch\n\n\nclass Scale(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x, by" +
           given +
           "):\n        ctx.by = by\n        return x * by\n\n    @staticmethod\n    def backward(ctx, grad):\n"
           "        grad = grad * ctx.by\n        return grad, None" +
           nones + "\n\n\ndef scale(x, by):\n    return Scale.apply(x, by" + (given.empty() ? "" : ", None") + ")\n";
  };
  const std::string tests =
      "import torch\nfrom a import scale\n\n\ndef test_aa_forward():\n    assert scale(torch.ones(2), 2.0).sum() == "
      "4\n\n\n"
      "def test_zz_gradient():\n    x = torch.ones(2, requires_grad=True)\n    scale(x, 2.0).sum().backward()\n"
      "    assert x.grad is not None\n";
  const std::string twice = replace_all(code("", ""), "grad = grad * ctx.by", "grad = grad * ctx.by * 2");
  const std::string text =
      explain_of({{"a.py", code("", "")}, {"tests/test_a.py", tests}}, {{"a.py", twice}, {"tests/test_a.py", tests}});
  EXPECT_TRUE(says(text, "`test_zz_gradient`")) << text;
  EXPECT_FALSE(says(text, "`test_aa_forward`")) << text;
  // One more input without a gradient is told with the forward pass.
  const std::string more = explain_of({{"a.py", code("", "")}}, {{"a.py", code(", out=None", ", None")}});
  EXPECT_FALSE(says(more, "returns `grad, None, None`")) << more;
  EXPECT_FALSE(says(more, "takes it apart")) << more;
}

TEST(SmallWords, AnErrorThatOnlyMovesIsNotNew) {
  const std::string check =
      "    if not engine.is_running:\n        raise EngineSuspendedError('the engine is suspended')\n";
  const std::string rest = "    engine.schedule()\n    return engine.generate()\n";
  const std::string test = "from a import step\n\n\ndef test_step(engine):\n    assert step(engine)\n";
  const std::string was = "def step(engine):\n" + check + rest;
  const std::string now =
      "def forward(engine):\n" + check + rest + "\n\ndef step(engine):\n    return forward(engine)\n";
  const std::string text =
      explain_of({{"a.py", was}, {"tests/test_a.py", test}}, {{"a.py", now}, {"tests/test_a.py", test}});
  EXPECT_FALSE(says(text, "Does a test expect")) << text;
  const std::string more = explain_of({{"a.py", "def step(engine):\n" + rest}, {"tests/test_a.py", test}},
                                      {{"a.py", was}, {"tests/test_a.py", test}});
  EXPECT_TRUE(says(more, "Does a test expect the `EngineSuspendedError`")) << more;
}

}  // namespace
}  // namespace lockstep::render
