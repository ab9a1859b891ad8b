// A call of a new function that stands where a whole branch stood which the function has now.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kBranch = R"(import lib
import torch


def backward(grad, total, weight):
    if weight.fused:
        weight.main_grad = weight.get_main_grad()
        if lib.general_gemm is not None:
            lib.general_gemm(total, grad, out_dtype=weight.main_grad.dtype, layout="NT", out=weight.main_grad)
        else:
            torch.matmul(grad.t(), total, out=weight.main_grad)
    return weight
)";

const std::string kHelper = R"(import lib
import torch


def gemm_into(out, grad, total):
    if lib.general_gemm is not None:
        lib.general_gemm(total, grad, out_dtype=out.dtype, layout="NT", out=out)
    else:
        out.copy_(grad.t().matmul(total))
    return out


def backward(grad, total, weight):
    if weight.fused:
        weight.main_grad = weight.get_main_grad()
        gemm_into(weight.main_grad, grad, total)
    return weight
)";

TEST(HandedPairs, ACallInPlaceOfABranchIsNotOneInPlaceOfItsLastStatement) {
  const std::string text = explain_of({{"a.py", kBranch}}, {{"a.py", kHelper}});
  EXPECT_FALSE(says(text, "in place of `torch.matmul")) << text;
  EXPECT_TRUE(says(text, "`gemm_into(weight.main_grad, grad, total)`")) << text;
}

// Where nothing else of the branch went there, the one call took the place of the other.
TEST(HandedPairs, OneCallInPlaceOfAnotherIsToldAsThat) {
  const std::string was = "import torch\n\n\ndef f(x, out):\n    torch.matmul(x, x, out=out)\n    return out\n";
  const std::string is =
      "import torch\n\n\ndef product_into(a, b, out):\n    out.copy_(a @ b)\n\n\n"
      "def f(x, out):\n    product_into(x, x, out=out)\n    return out\n";
  EXPECT_TRUE(says(explain_of({{"a.py", was}}, {{"a.py", is}}), "in place of `torch.matmul(x, x, out=out)`"));
}

}  // namespace
}  // namespace lockstep::render
