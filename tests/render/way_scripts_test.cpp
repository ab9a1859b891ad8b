// Which script a way is told from, and what leads there without a call that shows: decorators, requests, files that are
// scripts themselves.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kServer = R"(import asyncio
import functools


def traced(fn):
    if asyncio.iscoroutinefunction(fn):

        @functools.wraps(fn)
        async def wrapper(*args, **kwargs):
            try:
                return await fn(*args, **kwargs)
            finally:
                print(fn)

        return wrapper
    return fn


@traced
async def serve(port):
    return port + 1


@traced
async def watch(port):
    return port


@traced
async def drain(port):
    return port


@traced
async def stop(port):
    return port


async def start(port):
    await watch(port)
    await drain(port)
    await stop(port)
    await serve(port)


if __name__ == "__main__":
    asyncio.run(start(80))
)";

TEST(WayScripts, ACallOfADecoratedFunctionLeadsToIt) {
  const std::string text =
      explain_of({{"server.py", kServer}}, {{"server.py", replace_all(kServer, "port + 1", "port + 2")}});
  EXPECT_TRUE(says(text, "`server.py` \u2192 `start` (`server.py:39`) \u2192 `serve` (`server.py:20`)")) << text;
  EXPECT_FALSE(says(text, "wrapper")) << text;
}

const std::string kEndpoint = R"(from quart import Blueprint, request

bp = Blueprint("chat", __name__)


@bp.route("/chat", methods=["POST"])
@bp.post("/v1/chat")
async def chat():
    return await request.get_json()
)";

TEST(WayScripts, WhatAnswersRequestsIsCalledByTheServer) {
  const std::string text =
      explain_of({{"chat.py", kEndpoint}},
                 {{"chat.py", replace_all(kEndpoint, "request.get_json()", "request.get_json(silent=True)")}});
  EXPECT_TRUE(says(text,
                   "`chat` answers the requests `POST /chat` and `POST /v1/chat`: the server that its decorator "
                   "registers it with calls it for each of them."))
      << text;
}

const std::string kTraining = R"(from refit import swap


def train(args):
    if args.perform_rl_step:
        swap(args)
    return args
)";

Files scripts(std::string_view more = "") {
  const std::string script =
      "import argparse\nfrom training import train\n\n\nif __name__ == \"__main__\":\n"
      "    parser = argparse.ArgumentParser()\n"
      "    parser.add_argument(\"--perform-rl-step\", action=\"store_true\")\n    train(parser.parse_args())\n";
  return {{"pretrain_gpt.py", script},
          {"train_rl.py", script + std::string(more)},
          {"training.py", kTraining},
          {"refit.py", "def swap(args):\n    return 1\n"},
          {"README.md", "Run pretrain_gpt.py: pretrain_gpt.py trains, pretrain_gpt.py does.\n"}};
}

TEST(WayScripts, TheSettingThatAWayAsksForNamesItsScript) {
  const Files before = scripts();
  const std::string text = explain_of(before, with_edit(before, "refit.py", "return 1", "return 2"));
  EXPECT_TRUE(says(text, "`train_rl.py` \u2192 `train`")) << text;
  // One that nobody has to set names none.
  Files always = scripts();
  always["training.py"] = replace_all(kTraining, "if args.perform_rl_step:", "if args.rank == 0:");
  const std::string other = explain_of(always, with_edit(always, "refit.py", "return 1", "return 2"));
  EXPECT_TRUE(says(other, "`pretrain_gpt.py` \u2192 `train`")) << other;
}

TEST(WayScripts, WhatAFileDoesAsAScriptComesAfterWhatOthersDoWithIt) {
  const std::string check = R"(def check(x):
    return x + 1


if __name__ == "__main__":
    check(1)
)";
  const Files before = {{"training/gpu_check_test.py", check},
                        {"pretrain.py",
                         "from training.gpu_check_test import check\n\n\ndef train(x):\n    return check(x)\n\n\n"
                         "if __name__ == \"__main__\":\n    train(1)\n"}};
  const std::string text =
      explain_of(before, with_edit(before, "training/gpu_check_test.py", "x + 1", "x + 2"), "Change the gpu check");
  EXPECT_TRUE(says(text, "`pretrain.py` \u2192 `train`")) << text;
}

TEST(WayScripts, AScriptThatTrainsComesFirstForWhatItsOwnFileHolds) {
  const std::string gpt = R"(def loss_func(x):
    return x + 1


if __name__ == "__main__":
    loss_func(1)
)";
  const Files before = {
      {"pretrain_gpt.py", gpt},
      {"pretrain_vlm.py", "from pretrain_gpt import loss_func\n\n\nif __name__ == \"__main__\":\n    loss_func(1)\n"}};
  const std::string text =
      explain_of(before, with_edit(before, "pretrain_gpt.py", "x + 1", "x + 2"), "Change the loss");
  EXPECT_TRUE(says(text, "`pretrain_gpt.py` \u2192 `loss_func`")) << text;
}

/// A method runs in a script that loads what makes its objects, be it an example.
TEST(WayScripts, AMethodRunsWhereItsObjectsAreMade) {
  const auto loop = [](const std::string& sync) {
    return "class Loop:\n    def __init__(self, model):\n        self.model = model\n\n"
           "    def run(self):\n        return self.model.sync()\n\n\nclass Plain:\n    def sync(self):\n"
           "        return 1\n\n\nclass Mixed(Plain):\n    def sync(self):\n        return " +
           sync + "\n\n\ndef train(model: Plain):\n    return Loop(model).run()\n";
  };
  const std::string plain = "from core.loop import Plain, train\n\nif __name__ == '__main__':\n    train(Plain())\n";
  const std::string mixed = "from core.loop import Mixed, train\n\nif __name__ == '__main__':\n    train(Mixed())\n";
  const auto files = [&](const std::string& sync, bool has_example) {
    Files out = {{"core/__init__.py", ""}, {"core/loop.py", loop(sync)}, {"pretrain_plain.py", plain}};
    if (has_example) out["examples/mixed.py"] = mixed;
    return out;
  };
  const std::string text = explain_of(files("2", true), files("3", true));
  EXPECT_TRUE(says(text, "`examples/mixed.py` \u2192")) << text;
  EXPECT_FALSE(says(text, "pretrain_plain.py")) << text;
}

}  // namespace
}  // namespace lockstep::render
