// What changed code asks of optional libraries, and reasons that checks gave.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

std::string code_with(const std::string& import, const std::string& body) {
  return import + "\n\ndef make(group, size, sms=None):\n    kwargs = {}\n    kwargs['size'] = size\n" + body +
         "    return FastBuffer(group=group, **kwargs)\n";
}

const std::string kOptional =
    "try:\n    from fast_comm import FastBuffer\nexcept ImportError:\n    FastBuffer = None\n";

TEST(LibraryKeywords, WhatAnOptionalLibraryNewlyGetsIsAskedAbout) {
  const std::string more = "    if sms is not None:\n        kwargs['num_sms'] = sms\n";
  const std::string text = explain_of({{"a.py", code_with(kOptional, "")}}, {{"a.py", code_with(kOptional, more)}});
  EXPECT_TRUE(says(text,
                   "`make` newly gives `num_sms` to `FastBuffer` (`a.py:12`) of the optional library `fast_comm`, and "
                   "asks for no version of it. Which version takes it?"))
      << text;
  // One that is always there comes with the version that the repository asks for.
  const std::string always = "from fast_comm import FastBuffer\n";
  EXPECT_FALSE(says(explain_of({{"a.py", code_with(always, "")}}, {{"a.py", code_with(always, more)}}), "optional"));
  const std::string asks = "    if sms is not None and library_version() > 2:\n        kwargs['num_sms'] = sms\n";
  EXPECT_FALSE(says(explain_of({{"a.py", code_with(kOptional, "")}}, {{"a.py", code_with(kOptional, asks)}}),
                    "optional library"));
  const std::string answered =
      kOptional + "import inspect\n\nHAS_SMS = 'num_sms' in inspect.signature(FastBuffer).parameters\n";
  const std::string guarded = "    if sms is not None and HAS_SMS:\n        kwargs['num_sms'] = sms\n";
  EXPECT_FALSE(says(explain_of({{"a.py", code_with(answered, "")}}, {{"a.py", code_with(answered, guarded)}}),
                    "optional library"));
  // Code of the repository takes what it declares.
  const Files own = {{"a.py", code_with(kOptional, "")}, {"fast_comm.py", "class FastBuffer:\n    pass\n"}};
  Files now = own;
  now["a.py"] = code_with(kOptional, more);
  EXPECT_FALSE(says(explain_of(own, now), "optional library"));
}

std::string check(const std::string& question, const std::string& message) {
  return "def plan(tokens, requests):\n    assert tokens " + question +
         " requests, (\n        f\"tokens ({tokens}) must " + message + "\n    )\n    return tokens\n";
}

TEST(LibraryKeywords, AReasonThatACheckNoLongerGivesIsAskedAbout) {
  const std::string reason =
      "equal requests. \"\n        \"This is required for synchronizing expert ranks: graph "
      "pools need equal granularity.\"";
  const std::string text =
      explain_of({{"a.py", check("==", reason)}}, {{"a.py", check(">=", "be at least requests.\"")}});
  EXPECT_TRUE(
      says(text,
           "In `plan` the message of a check no longer says why (`a.py:2` before the change): “This is required "
           "for synchronizing expert ranks: graph pools need equal granularity.” Does that no longer hold?"))
      << text;
  const std::string kept =
      explain_of({{"a.py", check("==", reason)}}, {{"a.py", check(">=", replace_all(reason, "equal requests", "be"))}});
  EXPECT_FALSE(says(kept, "no longer says why")) << kept;
  const std::string gone =
      explain_of({{"a.py", check("==", reason)}}, {{"a.py", "def plan(tokens, requests):\n    return tokens\n"}});
  EXPECT_FALSE(says(gone, "no longer says why")) << gone;
  const std::string plain = explain_of({{"a.py", check("==", "equal requests, which are all given before.\"")}},
                                       {{"a.py", check(">=", "be at least requests.\"")}});
  EXPECT_FALSE(says(plain, "no longer says why")) << plain;
}

TEST(LibraryKeywords, WhatAnAssertionAsksForIsBeforeAndAfterNotItsMessage) {
  const auto plan = [](const std::string& sign, const std::string& words) {
    return "def plan(max_tokens, max_requests, num_speculative):\n    assert max_tokens " + sign +
           " max_requests * (num_speculative + 1), (\n        f\"max_tokens ({max_tokens}) must " + words +
           " max_requests * \"\n        f\"(num_speculative + 1) ({max_requests * (num_speculative + 1)}).\"\n    )\n"
           "    return max_tokens\n";
  };
  const std::string parts = parts_of({{"a.py", plan("==", "equal")}}, {{"a.py", plan(">=", "be at least")}});
  EXPECT_TRUE(says(parts,
                   "| `plan`, check | `assert max_tokens == max_requests * (num_speculative + 1)` | `assert max_tokens "
                   ">= max_requests * (num_speculative + 1)` |"))
      << parts;
}

TEST(LibraryKeywords, AConditionAroundAnotherCheckHoldsForBoth) {
  const auto plan = [](const std::string& question) {
    return "def plan(tokens, requests, graphs=None):\n    if graphs is not None:\n        print(graphs)\n        "
           "assert "
           "tokens " +
           question + " requests, 'many'\n    return tokens\n";
  };
  const std::string text = explain_of({{"a.py", plan("==")}}, {{"a.py", plan(">=")}});
  EXPECT_TRUE(says(text,
                   "where `graphs` is not `None`: insists that `tokens` is at least `requests` (`'many'`), "
                   "formerly that `tokens` equals `requests`"))
      << text;
}

}  // namespace
}  // namespace lockstep::render
