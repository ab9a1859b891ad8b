// New early returns, and the call that a run does not come to then.
#include <gtest/gtest.h>

#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const Files kBefore = {{"assign.py", R"(import requests


def note(pr):
    print(pr)


def assign(pr, teams):
    url = f"https://example.org/{pr}"
    requests.post(url, json={"team": "oncall"})
    print("done")
)"}};

Files with_branch(std::string_view branch) {
  return with_edit(kBefore, "assign.py", "    url = f", std::string(branch) + "    url = f");
}

TEST(PassedOver, AReturnThatTheChangeBringsIsToldWithWhatDoesNotRunThen) {
  const Files after = with_branch("    if \"oncall\" in teams:\n        return\n");
  const std::string text = explain_of(kBefore, after);
  EXPECT_TRUE(says(text, "when `\"oncall\"` is in `teams`, returns before it comes to `requests.post(url, json={"))
      << text;
  const std::string dive = dive_of(kBefore, after);
  EXPECT_TRUE(says(dive,
                   "`assign`: Came to `requests.post(url, json={\"team\": \"oncall\"})` also when `\"oncall\"` is in "
                   "`teams`."))
      << dive;
  EXPECT_TRUE(says(dive, "if #quot;oncall#quot; in teams: return<br/>NEW")) << dive;
  EXPECT_TRUE(says(dive, "-->|\"else\"|")) << dive;
}

TEST(PassedOver, WhatReturnsAValueRefusesOrStoodThereIsNoSuchReturn) {
  for (const std::string_view branch :
       {"    if not teams:\n        raise ValueError(\"no team\")\n", "    if not teams:\n        return 1\n",
        "    if not teams:\n        return\n    else:\n        note(pr)\n", "    if not teams:\n        note(pr)\n"}) {
    const std::string text = explain_of(kBefore, with_branch(branch));
    EXPECT_FALSE(says(text, "before it comes to")) << branch << text;
  }
  const Files had = with_branch("    if not teams:\n        return\n");
  EXPECT_FALSE(says(explain_of(had, with_edit(had, "assign.py", "done", "assigned")), "before it comes to"));
}

/// What is only told, or changes itself, is not what the return leaves out.
TEST(PassedOver, ACallThatIsNewItselfIsNone) {
  const Files quiet = {{"lib.py", "def f(x):\n    print(x)\n"}};
  EXPECT_FALSE(
      says(explain_of(quiet, with_edit(quiet, "lib.py", "    print", "    if not x:\n        return\n    print")),
           "before it comes to"));
  const Files after = with_edit(with_branch("    if not teams:\n        return\n"), "assign.py",
                                "requests.post(url, json={\"team\": \"oncall\"})", "requests.post(url, json=teams)");
  EXPECT_FALSE(says(explain_of(kBefore, after), "before it comes to"));
}

/// That the old version came there then, too, is told only where that shows.
TEST(PassedOver, WhatDidNotShowBeforeIsNotSaidOfIt) {
  const auto body = [](std::string_view header, std::string_view steps) {
    return Files{{"send.py", "import requests\n\n\ndef send(" + std::string(header) + "):\n" + std::string(steps)}};
  };
  const std::string post = "    requests.post(url, json={\"kind\": 1})\n";
  const std::string exit = "    if done:\n        return\n";
  const auto tells = [](const Files& before, const Files& after) {
    return says(dive_of(before, after), "Came to `requests.post");
  };
  EXPECT_TRUE(tells(body("url, done", post), body("url, done", exit + post)));
  // The parameter is new.
  EXPECT_FALSE(tells(body("url", post), body("url, done=False", exit + post)));
  // The call stood under the condition.
  EXPECT_FALSE(tells(body("url, done", "    if not done:\n    " + post), body("url, done", exit + post)));
  // The old version refused it, or asked for it.
  EXPECT_FALSE(tells(body("url, done", "    assert not done\n" + post), body("url, done", exit + post)));
  EXPECT_FALSE(tells(body("url, done", "    if len(url) < 2:\n        raise ValueError(url)\n" + post),
                     body("url, done", exit + post)));
  EXPECT_FALSE(tells(body("url, done", "    print(done.wait())\n" + post),
                     body("url, done", exit + "    print(done.wait())\n" + post)));
}

}  // namespace
}  // namespace lockstep::render
