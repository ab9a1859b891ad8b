// A new class that takes the place of others where code that was there runs: what it does there leads, and the methods
// that this code calls are told with who calls them.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const char* const kDispatch = R"(from dataclasses import dataclass

import torch


@dataclass
class Config:
    backend: str = "plain"
    sms: int = 4
    old_sms: int = 0

    def __post_init__(self):
        if self.sms < 0:
            raise ValueError("sms")


class Manager:
    def prepare(self, x):
        raise NotImplementedError

    def dispatch(self, x):
        raise NotImplementedError


class Plain(Manager):
    def prepare(self, x):
        self.x = x

    def dispatch(self, x):
        return x


class Dispatcher(torch.nn.Module):
    def __init__(self, config):
        self.config = config
        self.manager = Plain()

    def forward(self, x):
        self.manager.prepare(x)
        return self.manager.dispatch(x)


if __name__ == "__main__":
    Dispatcher(Config()).forward(1)
)";

std::string with_new_manager() {
  std::string text = kDispatch;
  text = replace_all(text, "        self.manager = Plain()\n",
                     "        if config.backend == \"fast\":\n            self.manager = Fast(config.sms)\n"
                     "        else:\n            self.manager = Plain()\n");
  text = replace_all(text, "            raise ValueError(\"sms\")\n",
                     "            raise ValueError(\"sms\")\n"
                     "        if self.backend == \"fast\" and self.sms == 0:\n"
                     "            raise ValueError(\"the fast backend needs sms, more than none of them\")\n"
                     "        if self.old_sms > 0:\n"
                     "            self.sms = self.old_sms\n"
                     "        if self.backend == \"slow\":\n"
                     "            raise ValueError(\"there is no slow backend, choose another one of them\")\n");
  return replace_all(text, "class Dispatcher(torch", R"(def start(sms):
    return sms + 1


def send(x, sms):
    return x * sms


class Fast(Manager):
    def __init__(self, sms):
        self.sms = sms
        self.started = False

    def _start(self):
        self.started = True
        self.count = start(self.sms)

    def prepare(self, x):
        self.x = x
        self.rows = x

    def dispatch(self, x):
        self._start()
        return send(x, self.count)


class Dispatcher(torch)");
}

TEST(Implementations, LeadWhatChecksSettingsForThem) {
  const std::string text = explain_of({{"a.py", kDispatch}}, {{"a.py", with_new_manager()}});
  EXPECT_LT(text.find("- `Fast` (new"), text.find("- `Config.__post_init__` (changed")) << text;
  EXPECT_TRUE(says(text, "Runs can reach `Fast`: ") || says(text, "Runs reach `Fast`: ")) << text;
}

TEST(Implementations, MethodsAreToldWithWhoCallsThem) {
  const std::string text = explain_of({{"a.py", kDispatch}}, {{"a.py", with_new_manager()}});
  EXPECT_TRUE(says(text, "| Method | Line | What it is for | Called by |")) << text;
  EXPECT_TRUE(says(text, "calls `self._start` and `send` | `Dispatcher.forward` |")) << text;
  EXPECT_TRUE(says(text, "sets `self.x` and `self.rows` | `Dispatcher.forward` |")) << text;
}

/// What only other new code calls has no callers that were there.
TEST(Implementations, AClassThatNothingOldCallsHasNoCallers) {
  const std::string after = std::string(kDispatch) + R"(

class Meter:
    def start(self):
        self.begin = 1

    def stop(self):
        return self.begin


def measure():
    meter = Meter()
    meter.start()
    return meter.stop()
)";
  const std::string text = explain_of({{"a.py", kDispatch}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "| Method | Line | What it is for |")) << text;
  EXPECT_FALSE(says(text, "Called by |")) << text;
}

/// What a new base does for those that come to derive from it is shown.
TEST(Implementations, OfANewBaseTheCodeThatItsHeirsCallIsShown) {
  const std::string before = R"(class Local:
    def combine(self, x):
        return x


class One(Local):
    def combine(self, x):
        return super().combine(x + 1)


class Two(Local):
    def combine(self, x):
        return super().combine(x + 1)


if __name__ == "__main__":
    One().combine(1)
    Two().combine(1)
)";
  std::string after = replace_all(before, "(Local):", "(Base):");
  after = replace_all(after, "super().combine(x + 1)", "self._global(x)");
  after = replace_all(after, "class One(", R"(class Base(Local):
    class Config(Local):
        pass

    def close(self):
        """Let go of what was opened."""

    def _global(self, x):
        rest = x % 4
        return rest * 8 + x // 4


class One()");
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "return rest * 8 + x // 4")) << text;
  EXPECT_FALSE(says(text, "### `Base.Config`")) << text;
}

}  // namespace
}  // namespace lockstep::render
