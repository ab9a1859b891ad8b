// What was done in any case and stands under a condition now, or the other way round: as statements, and as entries of
// a dictionary.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

std::string told(const std::string& before, const std::string& after) {
  return explain_of({{"a.py", before}}, {{"a.py", after}});
}

/// `written`: entries that the dictionary is written out with; `more`: what follows.
std::string metrics(const std::string& written, const std::string& more, const std::string& first = "") {
  return "def prep(rewards, ages, log):\n" + first + "    metrics = {\n        \"reward\": sum(rewards),\n" + written +
         "    }\n" + more + "    log(metrics)\n    return metrics\n";
}

const char* const kEntries =
    "        \"age\": sum(ages),\n        \"max_age\": max(ages),\n        \"min_age\": min(ages),\n"
    "        \"ages\": list(ages),\n";
const char* const kGuarded =
    "    if ages:\n        metrics |= {\n            \"age\": sum(ages),\n            \"max_age\": max(ages),\n"
    "            \"min_age\": min(ages),\n            \"ages\": list(ages),\n        }\n";

TEST(NewGuards, EntriesThatComeUnderAConditionAreTold) {
  const std::string text = told(metrics(kEntries, ""), metrics("", kGuarded));
  EXPECT_TRUE(says(text,
                   "sets 4 entries of `metrics`, `\"age\"`, `\"max_age\"`, `\"min_age\"` and 1 more, now only when "
                   "`ages` is set, formerly whenever it set `metrics`; otherwise they are absent."))
      << text;
  EXPECT_FALSE(says(text, "out of `metrics`")) << text;
  const std::string set =
      told(metrics("        \"age\": sum(ages),\n", ""),
           metrics("", "    if ages:\n        metrics[\"age\"] = max(ages)\n        log.flush(metrics)\n"));
  EXPECT_TRUE(says(set,
                   "sets the entry `\"age\"` of `metrics` now only when `ages` is set, formerly whenever it set "
                   "`metrics`; otherwise it is absent; gives `\"age\"` another value there"))
      << set;
  EXPECT_TRUE(says(set, "log.flush(metrics)")) << set;
  const std::string back = told(metrics("", kGuarded), metrics(kEntries, ""));
  EXPECT_TRUE(says(back,
                   "sets 4 entries of `metrics`, `\"age\"`, `\"max_age\"`, `\"min_age\"` and 1 more, whenever it sets "
                   "`metrics` now, formerly only when `ages` is set"))
      << back;
  EXPECT_FALSE(says(back, "drops the branch")) << back;
}

/// What ran only after a check that goes stood under what the check asks.
TEST(NewGuards, WhatStoodBehindACheckStoodUnderIt) {
  const auto steps = [](const std::string& first) {
    return "def run(model, ready, xs):\n    model.begin(xs)\n" + first;
  };
  const std::string done = "    model.load(xs)\n    model.flush(xs)\n";
  const std::string guarded =
      "    if ready:\n        model.load(xs)\n        model.flush(xs)\n        model.note(xs)\n";
  const std::string before = "before, without that condition";
  EXPECT_TRUE(says(told(steps(done), steps(guarded)), before)) << told(steps(done), steps(guarded));
  for (const std::string check :
       {"    assert ready\n", "    model.require(ready)\n", "    if not ready:\n        raise ValueError(xs)\n"}) {
    const std::string text = told(steps(check + done), steps(guarded));
    EXPECT_FALSE(says(text, before)) << text;
  }
}

/// A branch that takes over what a return asked lets nothing more run.
TEST(NewGuards, WhatAReturnHeldBackMayStandInABranchNow) {
  const std::string head = "def run(model, ready, xs):\n    model.begin(xs)\n";
  const std::string end = "    model.end(xs)\n";
  const std::string before = head + "    if ready.wait():\n        return\n    model.step(xs)\n" + end;
  const std::string text =
      told(before, head + "    if not ready.wait():\n        model.step(xs)\n        model.flush(xs)\n" + end);
  EXPECT_FALSE(says(text, "runs then, too: `model.step(xs)`")) << text;
}

/// What was taken out again where the condition does not hold was absent then before, too.
TEST(NewGuards, EntriesThatWereTakenOutAgainAreNoNews) {
  const std::string absent = "now only when";
  for (const std::string out : {"metrics.pop(\"age\")", "del metrics[\"age\"]"}) {
    const std::string text = told(metrics(kEntries, "    if not ages:\n        " + out + "\n"), metrics("", kGuarded));
    EXPECT_FALSE(says(text, absent)) << text;
  }
}

/// Other writers may give the entries where the condition does not hold.
TEST(NewGuards, EntriesThatOthersMayGiveAreNotSaidToBeAbsent) {
  const std::string absent = "now only when";
  const auto with = [&](const std::string& more, const std::string& first = "") {
    return told(metrics(kEntries, "", first), metrics("", kGuarded + more, first));
  };
  EXPECT_TRUE(says(with(""), absent));
  EXPECT_TRUE(says(with("    metrics[\"count\"] = 1\n"), absent));
  EXPECT_FALSE(says(with("    if not ages:\n        metrics[\"age\"] = 0\n"), absent));
  EXPECT_FALSE(says(with("    metrics.setdefault(\"age\", 0)\n"), absent));
  EXPECT_FALSE(says(with("    for key in log.keys:\n        metrics[key] = 0\n"), absent));
  EXPECT_FALSE(says(with("    metrics.update(log.rest)\n"), absent));
  EXPECT_FALSE(says(with("    other = metrics\n    other[\"age\"] = 0\n"), absent));
  EXPECT_FALSE(says(with("    else:\n        metrics = {\"age\": 0}\n"), absent));
  const auto unpacks = [&](const std::string& rest) {
    const std::string unpacked = "        **rest,\n";
    return told(metrics(kEntries + unpacked, "", rest), metrics(unpacked, kGuarded, rest));
  };
  EXPECT_TRUE(says(unpacks("    rest = {\"b\": 1}\n"), absent));
  EXPECT_FALSE(says(unpacks("    rest = {\"age\": 1}\n"), absent));
  EXPECT_FALSE(says(unpacks("    rest = log.rest()\n"), absent));
  const auto filled_by = [&](const std::string& key) {
    const std::string fill = "def fill(m):\n    m.setdefault(\"" + key + "\", 0)\n\n\n";
    return told(fill + metrics(kEntries, "    fill(metrics)\n"),
                fill + metrics("", std::string(kGuarded) + "    fill(metrics)\n"));
  };
  EXPECT_TRUE(says(filled_by("b"), absent)) << filled_by("b");
  EXPECT_FALSE(says(filled_by("age"), absent)) << filled_by("age");
}

TEST(NewGuards, WhatStoodOutsideOfANewBlockIsTold) {
  const auto run = [](const std::string& steps) {
    return "def run(model, ready, xs):\n    model.begin()\n" + steps + "    model.end()\n";
  };
  const std::string plain = "    model.step(xs)\n    model.count += 1\n";
  const std::string inner = "        model.step(xs)\n        model.count += 1\n";
  const std::string former = "before, without that condition: `model.step(xs)` and `model.count += 1`";
  const std::string all = told(run(plain), run("    if ready:\n" + inner));
  EXPECT_TRUE(says(all, "now only when `ready` is set, calls `model.step(xs)`")) << all;
  EXPECT_FALSE(says(all, "without that condition")) << all;
  const std::string more = told(run(plain), run("    if ready:\n" + inner + "        model.flush()\n"));
  EXPECT_TRUE(says(more, former)) << more;
  const std::string other = told(run(plain), run("    if ready:\n" + inner + "    else:\n        model.flush()\n"));
  EXPECT_TRUE(says(other, former)) << other;
  const std::string loop = told(run(plain), run("    for _ in range(2):\n" + inner));
  EXPECT_TRUE(says(loop, "before, these steps stood outside of that loop")) << loop;
  // What is done on both sides is done in any case.
  const std::string both =
      told(run(plain), run("    if ready:\n" + inner + "    else:\n        model.flush()\n" + inner));
  EXPECT_FALSE(says(both, "without that condition")) << both;
  // A way out asked the same before.
  const std::string exit = told(run("    if not ready:\n        return\n" + plain),
                                run("    if ready:\n" + inner + "        model.flush()\n"));
  EXPECT_FALSE(says(exit, "without that condition")) << exit;
}

TEST(NewGuards, AnEditUnderANewConditionSaysThatItIsNew) {
  const auto run = [](const std::string& steps) {
    return "def run(model, ready, xs, ys):\n    model.begin()\n" + steps + "    model.end()\n";
  };
  const std::string text = told(run("    model.last = model.step_all_of_them(xs, 1)\n"),
                                run("    if ready:\n        model.last = model.step_all_of_them(xs, 2)\n"));
  EXPECT_TRUE(says(text, "now only when `ready` is set") || says(text, "before, without that condition")) << text;
}

TEST(NewGuards, WhatIsFreedOfOneConditionIsOneSentence) {
  const auto run = [](const std::string& steps) {
    return "def run(model, ready, xs):\n    model.begin()\n" + steps + "    model.end()\n";
  };
  const std::string text = told(run("    if ready:\n        model.step(xs)\n        model.flush(xs)\n"
                                    "        model.count(xs)\n        model.note(xs)\n"),
                                run("    model.step(xs)\n    model.flush(xs)\n    model.count(xs)\n"
                                    "    model.note(xs)\n"));
  EXPECT_TRUE(says(text, "comes to `model.step(xs)`, `model.flush(xs)` and 2 more steps also where `ready` is not set"))
      << text;
}

/// However long what stands before it is, the new condition is shown.
TEST(NewGuards, TheNewConditionIsInTheExcerpts) {
  std::string before = "def prep(xs, log, ready):\n";
  std::string after = before;
  for (int i = 0; i < 70; ++i) {
    const std::string number = std::to_string(i);
    before += "    value_" + number + " = log.read(xs, " + number + ")\n";
    after += "    value_" + number + " = log.load(xs, " + number + ")\n";
  }
  for (int i = 0; i < 30; ++i) {
    before += "    log.keep_" + std::to_string(i) + "(xs)\n";
    after += "    log.keep_" + std::to_string(i) + "(xs)\n";
  }
  before += "    log.step(xs)\n    log.flush(xs)\n";
  after += "    if ready:\n        log.step(xs)\n        log.flush(xs)\n";
  const std::string explained = told(before, after);
  EXPECT_TRUE(says(explained, "+     if ready:\n+         log.step(xs)")) << explained;
  const std::string dived = dive_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(dived, "    if ready:\n") && says(dived, "        log.step(xs)\n")) << dived;
}

}  // namespace
}  // namespace lockstep::render
