// Values that live on under names which other values had, values that names only start from, and values that were read
// back from data.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

TEST(TakenNames, AValueThatTakesOverTheNameOfAnotherIsRenamed) {
  const std::string before =
      "def names(mesh, children):\n    own = list(mesh.dims) if mesh.dims is not None else []\n"
      "    sub = [name for child in children for name in child.dims if name not in own]\n    return own + sub\n";
  const std::string after =
      "def names(mesh, children):\n    sub = list(mesh.dims) if mesh.dims is not None else []\n"
      "    flat = [name for child in children for name in child.dims if name not in sub]\n    return sub + flat\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_FALSE(says(text, "ets `sub` to")) << text;
  // Where the old name still has a value, the other one got another value.
  const std::string kept = replace_all(
      replace_all(before, "    sub = [name for child in children for name in child.dims if name not in own]\n",
                  "    sub = list(mesh.dims) if mesh.dims is not None else []\n"),
      "    own = list(mesh.dims) if mesh.dims is not None else []\n", "    own = compute(mesh)\n");
  EXPECT_TRUE(says(explain_of({{"a.py", before}}, {{"a.py", kept}}), "ets `sub` to"));
}

TEST(TakenNames, AnInitialValueThatABranchReplacesIsNoValueOfBefore) {
  const std::string before =
      "def read(result, wanted):\n    tokens = []\n    if result.tokens is not None:\n"
      "        tokens = result.tokens.copy()\n    show(tokens)\n    return wanted\n";
  const std::string after =
      "def read(result, wanted):\n    tokens = result['tokens'] or []\n    show(tokens)\n    return wanted\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_FALSE(says(text, "| `tokens = []` |") || says(text, "instead of `[]`")) << text;
  // Where nothing else gave it a value, that is what it was.
  const std::string only =
      replace_all(before, "    if result.tokens is not None:\n        tokens = result.tokens.copy()\n", "");
  EXPECT_TRUE(says(explain_of({{"a.py", only}}, {{"a.py", after}}), "instead of `[]`"));
}

const std::string kRequest = R"(import torch


class Request:
    tokens: torch.Tensor = None

    @classmethod
    def deserialize(cls, obj):
        request = cls()
        for name, value in obj.items():
            setattr(request, name, torch.tensor(value))
        return request
)";

TEST(TakenNames, AFieldThatMayHaveBeenReadBackFromDataMakesNothingWait) {
  const std::string before = "def answer(result):\n    values = []\n    return values\n";
  const std::string after = replace_all(before, "[]\n", "result.tokens[:4].tolist()\n");
  const std::string text =
      explain_of({{"a.py", before}, {"request.py", kRequest}}, {{"a.py", after}, {"request.py", kRequest}});
  EXPECT_FALSE(says(text, "waits of the host")) << text;
  const std::string plain = replace_all(kRequest, "setattr(request, name, torch.tensor(value))", "print(name)");
  EXPECT_TRUE(says(explain_of({{"a.py", before}, {"request.py", plain}}, {{"a.py", after}, {"request.py", plain}}),
                   "waits of the host"));
}

}  // namespace
}  // namespace lockstep::render
