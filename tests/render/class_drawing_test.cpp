// The drawing of classes: which calls relate two of them.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kLayer = R"(import torch


class Fused(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


class Layer(torch.nn.Module):
    def forward(self, x):
        return x


class Wide(Layer):
    def forward(self, x):
        return super().forward(x) + 1
)";

/// What the engine of autograd calls later is no call of the one that applies it.
TEST(ClassDrawing, OnlyCallsThatRunThenAreDrawn) {
  const std::string after = replace_all(kLayer, "        return x\n", "        return Fused.apply(x)\n");
  const std::string text = dive_of({{"layer.py", kLayer}}, {{"layer.py", after}});
  EXPECT_TRUE(says(text, ": calls forward")) << text;
  EXPECT_FALSE(says(text, ": calls backward")) << text;
}

/// What is made and handed to something else is no part of the maker.
TEST(ClassDrawing, OnlyWhatTheObjectKeepsIsAPartOfIt) {
  const std::string cache = "class Cache:\n    def __init__(self):\n        self.rows = []\n\n\n";
  const auto drawn = [&](const std::string& statement) {
    const std::string before = cache + "class Model:\n    def __init__(self, part):\n        self.part = part\n";
    return dive_of({{"model.py", before}}, {{"model.py", before + "        " + statement + "\n"}});
  };
  const std::string kept = drawn("self.cache = Cache()");
  EXPECT_TRUE(says(kept, "*-- c")) << kept;
  EXPECT_TRUE(says(kept, ": creates")) << kept;
  const std::string handed = drawn("setattr(part, \"cache\", Cache())");
  EXPECT_FALSE(says(handed, "*-- c")) << handed;
  EXPECT_TRUE(says(handed, ": creates")) << handed;
}

/// Of the methods that a call may enter one that only refuses is none that it is for; one that others override is.
TEST(ClassDrawing, AMethodThatOnlyRefusesIsNotCalled) {
  const std::string agents = R"(class Loud:
    def prepare(self, request):
        return request + 1


class Router:
    def prepare(self, request):
        """Routes."""
        raise NotImplementedError("routes only")


class Base:
    def prepare(self, request):
        raise NotImplementedError


class Last(Base):
    def prepare(self, request):
        return request + 2


class Line:
    def __init__(self, kind):
        self.agent = Loud() if kind == 1 else Router() if kind == 2 else Base() if kind == 3 else Last()

    def run(self, request):
        return request
)";
  const std::string after =
      replace_all(agents, "        return request\n", "        return self.agent.prepare(request)\n");
  const std::string text = dive_of({{"line.py", agents}}, {{"line.py", after}});
  EXPECT_TRUE(says(text, "[\"Loud\"]") && says(text, "[\"Base\"]")) << text;
  EXPECT_FALSE(says(text, "[\"Router\"]")) << text;
}

}  // namespace
}  // namespace lockstep::render
