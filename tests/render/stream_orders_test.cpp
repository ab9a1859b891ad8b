// Which CUDA stream waits for which, before and after a change.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kBefore = R"(import torch


class Module:
    def unshard(self):
        stream = self.context.gather_stream
        current = torch.cuda.current_stream()
        with torch.cuda.stream(stream):
            self.gather()
        current.wait_stream(stream)

    def forward(self):
        self.unshard()
        self.reshard()

    def reshard(self):
        self.free()
)";

const std::string kAfter = R"(import torch


class Module:
    def unshard(self):
        stream = self.context.gather_stream
        with torch.cuda.stream(stream):
            self.gather()
            self.ready_event = torch.cuda.current_stream().record_event()

    def forward(self):
        self.unshard()
        torch.cuda.current_stream().wait_event(self.ready_event)
        self.reshard()

    def reshard(self):
        if self.is_root:
            self.context.gather_stream.wait_stream(torch.cuda.current_stream())
        self.free()
)";

TEST(StreamOrders, WhatWaitsForWhatIsToldOnBothSides) {
  const std::string text = explain_of({{"a.py", kBefore}}, {{"a.py", kAfter}});
  EXPECT_TRUE(says(text, "### Which stream waits for which")) << text;
  EXPECT_TRUE(says(text, "| The current stream waits for `gather_stream` | `Module.unshard` | \u2014 |")) << text;
  EXPECT_TRUE(says(text,
                   "| The current stream waits for the event `ready_event`, recorded on `gather_stream` | \u2014 | "
                   "`Module.forward` |"))
      << text;
  EXPECT_TRUE(says(text,
                   "| `gather_stream` waits for the current stream | \u2014 | `Module.reshard` where `self.is_root` is "
                   "true |"))
      << text;
}

/// The same orders in other words, and one new order alone, make no table.
TEST(StreamOrders, OrdersThatStayAreNotTold) {
  const Files before = {{"a.py", kBefore}};
  const std::string other_words =
      explain_of(before, with_edit(with_edit(before, "a.py", "current.wait_stream(stream)",
                                             "torch.cuda.current_stream().wait_stream(self.context.gather_stream)"),
                                   "a.py", "        self.free()", "        self.free(1)"));
  EXPECT_FALSE(says(other_words, "Which stream waits for which")) << other_words;
  const std::string one =
      explain_of(before, with_edit(before, "a.py", "        self.free()",
                                   "        self.free()\n        self.stream.wait_stream(self.other_stream)"));
  EXPECT_FALSE(says(one, "Which stream waits for which")) << one;
}

/// What a work handle or a thread's event waits for is no order of streams; an event is recorded where its stream is.
TEST(StreamOrders, OnlyStreamsAndTheirEventsCount) {
  const std::string before = "def f(self, handle):\n    self.run()\n\n\ndef g(self):\n    self.run()\n";
  const std::string after =
      "def f(self, handle):\n    self.run()\n    handle.wait()\n    self.stop_event.wait(timeout)\n"
      "    self.done_event.record()\n\n\n"
      "def g(self):\n    self.run()\n    self.done_event.wait(self.copy_stream)\n"
      "    self.tensor.record_stream(self.copy_stream)\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text,
                   "| `copy_stream` waits for the event `done_event`, recorded on the stream current in `f` | \u2014 | "
                   "`g` |"))
      << text;
  EXPECT_TRUE(says(text,
                   "| The memory of `tensor` is not given to others before `copy_stream` is done with it | \u2014 | "
                   "`g` |"))
      << text;
  EXPECT_FALSE(says(text, "`stop_event` |")) << text;
}

/// What waits under another stream makes that one wait.
TEST(StreamOrders, AWaitThatComesUnderAnotherStreamIsThatStreams) {
  const auto side = [](const std::string& body) {
    return "import torch\n\n\nclass Pipeline:\n    def __init__(self):\n        self.stream = torch.cuda.Stream()\n    "
           "    "
           "self.queue = []\n\n    def drain(self, keep):\n        while len(self.queue) > keep:\n            event = "
           "self.queue.pop(0)\n            event.wait()\n\n    def limit(self, keep):\n" +
           body + "\n\ndef train_step(pipeline):\n    pipeline.limit(1)\n";
  };
  const auto text_of = [&](const std::string& context) {
    return explain_of({{"a.py", side("        self.drain(keep)\n")}},
                      {{"a.py", side("        with " + context + ":\n            self.drain(keep)\n")}});
  };
  const std::string text = text_of("torch.cuda.stream(self.stream)");
  EXPECT_TRUE(
      says(text, "`event.wait()` (`a.py:12`) makes that stream wait now, and no longer the one that was current"))
      << text;
  EXPECT_FALSE(says(text_of("torch.no_grad()"), "makes that stream wait"));
}

}  // namespace
}  // namespace lockstep::render
