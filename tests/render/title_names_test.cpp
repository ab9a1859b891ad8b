// What a title writes as code does, and which changed function carries the change then.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"
#include "render/markdown.h"
#include "report/documents/explain.h"

namespace lockstep::render {
namespace {

const std::string kLayers = R"(def backward(ctx, grad, weight):
    if ctx.fused:
        return None
    total = grad.sum()
    return total
)";

const std::string kArguments = R"(def validate(args):
    if args.fp16:
        args.dtype = 'half'
    return args
)";

std::string told(const std::string& title, const std::string& layers, const std::string& arguments) {
  const auto fixture = make_fixture({{"layers.py", kLayers}, {"arguments.py", kArguments}},
                                    {{"layers.py", layers}, {"arguments.py", arguments}}, title, "");
  return render_markdown(report::write_explain(fixture->inputs));
}

const std::string kChecks = replace_all(
    kArguments, "    return args",
    "    if args.wide_sum:\n        for name in ('a_sum', 'b_sum'):\n            if getattr(args, name, False):\n"
    "                setattr(args, name, False)\n                print('off, since main_grad sums widely')\n    return "
    "args");
const std::string kWidens =
    replace_all(kLayers, "    total = grad.sum()", "    total = grad.sum(dtype=weight.main_grad.dtype)");

TEST(TitleNames, CodeThatNamesWhatTheTitleNamesLeads) {
  const std::string text = told("fix: sum in the dtype of main_grad", kWidens, kChecks);
  ASSERT_TRUE(says(text, "- `backward` (changed")) << text;
  EXPECT_LT(text.find("- `backward` (changed"), text.find("- `validate` (changed")) << text;
}

// Where the title names nothing that one of them alone has, how much changes decides.
TEST(TitleNames, OthersAreToldByWhatChanges) {
  const std::string text = told("fix: sum widely", kWidens, kChecks);
  EXPECT_GT(text.find("- `backward` (changed"), text.find("- `validate` (changed")) << text;
  const std::string both =
      told("fix: sum in the dtype of main_grad", kWidens, replace_all(kChecks, "args.wide_sum", "args.main_grad"));
  EXPECT_GT(both.find("- `backward` (changed"), both.find("- `validate` (changed")) << both;
}

}  // namespace
}  // namespace lockstep::render
