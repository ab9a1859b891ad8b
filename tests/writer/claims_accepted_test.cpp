// True sentences that look like false ones: the place of a call beside who calls, functions that are handed on to be
// called, messages in back-quotes. Beside each what must stay rejected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "writer/author/claims.h"
#include "writer/author_fixture.h"

namespace lockstep::writer {
namespace {

using testing::AuthorFixture;
using ::testing::ElementsAre;

constexpr const char* kRun = R"(import torch


def finish(x):
    return x


def step(x):
    """Take a step."""
    size = x.size(0)
    torch.cuda.synchronize()
    y = finish(
        x,
    )
    return y + size


def late(x):
    return x


def deep(f, x):
    return f(x)


def deeper(f, x):
    return deep(f, x)


def run(f, x):
    return deeper(f, x)


def spare(x):
    return x


def check(size, parts, name):
    if size % parts:
        raise ValueError(
            f"The number of heads ({size}) must be a multiple of "
            f"the parts, got {parts}"
        )
    assert name, "A name (of the group) is needed here"


def main():
    run(late, 1)
    run(f=step, x=2)
    return spare(3)
)";

class Accepted : public ::testing::Test {
 protected:
  Accepted()
      : author_(render::make_fixture({{"lib/run.py", kRun}, {"b.py", "x = 1\n"}},
                                     {{"lib/run.py", kRun}, {"b.py", "x = 2\n"}}, "Set x")),
        checker_(author_.fixture->inputs, *author_.sides) {}

  [[nodiscard]] std::vector<std::string> faults(std::string_view sentence) const {
    std::vector<std::string> kinds;
    for (const Fault& fault : checker_.check(sentence, Material()).faults) kinds.emplace_back(fault.kind);
    return kinds;
  }

  AuthorFixture author_;
  ClaimChecker checker_;
};

TEST_F(Accepted, AFunctionBesideTheLineOnWhichItCalls) {
  EXPECT_THAT(faults("`step` (`lib/run.py:8`): takes a step."), ElementsAre());
  EXPECT_THAT(faults("`step` (`lib/run.py:12`): hands x on."), ElementsAre());
  EXPECT_THAT(faults("`step` (`lib/run.py:12`) → `finish` (`lib/run.py:4`) is the way."), ElementsAre());
  // The callee beside the line that calls it.
  EXPECT_THAT(faults("`finish` (`lib/run.py:12`): gets x."), ElementsAre());
  EXPECT_THAT(faults("`finish` (`lib/run.py:13`): gets x."), ElementsAre());
  // A line of its body that leads nowhere, of another function, a library's call.
  EXPECT_THAT(faults("`step` (`lib/run.py:15`): takes a step."), ElementsAre("symbol"));
  EXPECT_THAT(faults("`step` (`lib/run.py:11`): takes a step."), ElementsAre("symbol"));
  EXPECT_THAT(faults("`late` (`lib/run.py:12`): takes a step."), ElementsAre("symbol"));
  EXPECT_THAT(faults("`finish` (`lib/run.py:27`): gets x."), ElementsAre("symbol"));
}

TEST_F(Accepted, ArrowsToWhatIsHandedOnToBeCalled) {
  EXPECT_THAT(faults("A run calls `main` → `run` → `late`."), ElementsAre());
  EXPECT_THAT(faults("A run calls `main` → `run` → `step` → `finish`."), ElementsAre());
  // What nobody hands on, and the way back.
  EXPECT_THAT(faults("A run calls `run` → `spare`."), ElementsAre("call"));
  EXPECT_THAT(faults("A run calls `late` → `run`."), ElementsAre("call"));
  EXPECT_THAT(faults("A run calls `deep` → `spare`."), ElementsAre("call"));
}

TEST_F(Accepted, WordsOfMessages) {
  for (const std::string_view sentence :
       {"It raises `The number of heads (7) must be a multiple of the parts`.",
        "It raises `ValueError: The number of heads ({size}) must be a multiple of the parts, got {parts}`.",
        "It raises `ValueError(\"The number of heads (7) must be a multiple of the parts, got 2\")`.",
        "It says `heads ({size}) must be a multiple of the`.", "It says `A name (of the group) is needed here`."}) {
    EXPECT_THAT(faults(sentence), ::testing::Not(::testing::Contains("quoted code"))) << sentence;
  }
  for (const std::string_view sentence :
       {"It raises `The number of heads (7) must divide the parts`.", "It says `A name (of the rank) is needed here`.",
        "It says `is needed (here)`.", "It sets `heads = size * parts(size)`."}) {
    EXPECT_THAT(faults(sentence), ::testing::Contains("quoted code")) << sentence;
  }
}

}  // namespace
}  // namespace lockstep::writer
