// Calls that the change newly prepares in one place, and that others make as before.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kHooks = R"(def disable_hooks(model, sync=True):
    for chunk in model:
        chunk.hooks.clear()


def copy_weights(chunk):
    chunk.buffer.copy_(chunk.weight)


def report(step):
    print(step)
)";

const std::string kTrain = R"(from hooks import copy_weights, disable_hooks, report


def train(model, step):
    step = step + 1
    if step > 3:
        disable_hooks(model)
    return step


def save(model):
    disable_hooks(model)
    return model
)";

std::string explained(const std::string& before, const std::string& after) {
  return explain_of({{"hooks.py", kHooks}, {"train.py", before}}, {{"hooks.py", kHooks}, {"train.py", after}});
}

std::string with_preparation(const std::string& code, const std::string& preparation) {
  return replace_all(code, "    if step > 3:\n", preparation + "    if step > 3:\n");
}

const std::string kCopies = "    for chunk in model:\n        copy_weights(chunk)\n";

TEST(UnpreparedCalls, ACallThatIsNewlyPreparedInOnePlaceIsAskedAboutElsewhere) {
  const std::string text = explained(kTrain, with_preparation(kTrain, kCopies));
  EXPECT_TRUE(says(text,
                   "`train` now calls `copy_weights` before `disable_hooks(model)` (`train.py:9`); `save` "
                   "(`train.py:14`) makes that without. Is it not needed there?"))
      << text;
}

TEST(UnpreparedCalls, WhatIsPreparedTooOrCalledOtherwiseIsNotAskedAbout) {
  const std::string other = replace_all(kTrain, "    disable_hooks(model)\n    return model",
                                        "    disable_hooks(model, sync=False)\n    return model");
  EXPECT_FALSE(says(explained(other, with_preparation(other, kCopies)), "makes that without"));
  const std::string done = replace_all(kTrain, "    disable_hooks(model)\n    return model",
                                       "    copy_weights(model[0])\n    disable_hooks(model)\n    return model");
  EXPECT_FALSE(says(explained(done, with_preparation(done, kCopies)), "makes that without"));
  // One more call of the same is no preparation.
  EXPECT_FALSE(says(explained(kTrain, with_preparation(kTrain, "    disable_hooks(model)\n")), "makes that without"));
  // What is on nothing that the call is given says nothing of it.
  EXPECT_FALSE(says(explained(kTrain, with_preparation(kTrain, "    report(step)\n")), "makes that without"));
}

}  // namespace
}  // namespace lockstep::render
