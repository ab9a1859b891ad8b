// A local that is worked out otherwise now and goes on to a function that others give a value of their own.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kReduce = R"(def reduce_grad(grad, async_op=False):
    return grad.sum()


def widened(grad):
    return grad.float()
)";

const std::string kLinear = R"(from reduce import reduce_grad, widened


def linear_backward(ctx, grad, wide):
    weight_grad = ctx.product(grad)
    weight_grad = reduce_grad(weight_grad)
    return weight_grad
)";

const std::string kEmbedding = R"(from reduce import reduce_grad


def embedding_backward(ctx, grad):
    rows = ctx.rows(grad)
    return reduce_grad(rows)
)";

std::string explained(const std::string& linear, const std::string& embedding) {
  return explain_of({{"reduce.py", kReduce}, {"linear.py", kLinear}, {"embedding.py", embedding}},
                    {{"reduce.py", kReduce}, {"linear.py", linear}, {"embedding.py", embedding}});
}

const std::string kWidens = replace_all(kLinear, "    weight_grad = ctx.product(grad)\n",
                                        "    if wide:\n        weight_grad = widened(ctx.product(grad))\n    else:\n"
                                        "        weight_grad = ctx.product(grad)\n");

TEST(OtherGivers, WhoElseGivesTheTakerAValueIsAskedAbout) {
  const std::string text = explained(kWidens, kEmbedding);
  EXPECT_TRUE(says(text,
                   "`weight_grad` goes on to `reduce_grad` (`linear.py:9`) and can be `widened(ctx.product(grad))` now "
                   "(`linear.py:6`); `embedding_backward` (`embedding.py:6`) gives it a value of its own, as before. "
                   "Is the change meant for that, too?"))
      << text;
}

TEST(OtherGivers, ConstantsChangedCallersAndNewLocalsAreNot) {
  const std::string constant = replace_all(kEmbedding, "reduce_grad(rows)", "reduce_grad(0)");
  EXPECT_FALSE(says(explained(kWidens, constant), "goes on to"));
  // The same edit in both.
  const std::string both =
      explain_of({{"reduce.py", kReduce}, {"linear.py", kLinear}, {"embedding.py", kEmbedding}},
                 {{"reduce.py", kReduce},
                  {"linear.py", kWidens},
                  {"embedding.py", replace_all(kEmbedding, "ctx.rows(grad)", "widened(ctx.rows(grad))")}});
  EXPECT_FALSE(says(both, "goes on to"));
  // What only a new setting switches on.
  const std::string parser = "import argparse\n\n\ndef parse():\n    parser = argparse.ArgumentParser()\n";
  const Files before = {{"arguments.py", parser + "    return parser.parse_args()\n"},
                        {"reduce.py", kReduce},
                        {"linear.py", kLinear},
                        {"embedding.py", kEmbedding}};
  Files after = before;
  after["arguments.py"] =
      parser + "    parser.add_argument(\"--wide-grads\", action=\"store_true\")\n    return parser.parse_args()\n";
  after["linear.py"] = replace_all(kWidens, "if wide:", "if ctx.args.wide_grads:");
  const std::string set = explain_of(before, after);
  EXPECT_TRUE(says(set, "`wide_grads`")) << set;
  EXPECT_FALSE(says(set, "goes on to")) << set;
  // What the same function gives, of other arguments.
  const std::string other_argument = replace_all(kLinear, "ctx.product(grad)", "ctx.product(grad, wide)");
  EXPECT_FALSE(says(explained(other_argument, kEmbedding), "goes on to"));
  // A value that only gets a name of its own.
  const std::string named =
      replace_all(kLinear, "    weight_grad = reduce_grad(weight_grad)\n",
                  "    wide_grad = widened(weight_grad)\n    weight_grad = reduce_grad(weight_grad)\n");
  EXPECT_FALSE(says(explained(named, kEmbedding), "goes on to"));
}

}  // namespace
}  // namespace lockstep::render
