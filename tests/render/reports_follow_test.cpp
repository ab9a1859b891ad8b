// What measures and reports follows what is done, unless the title speaks of it.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const Files kBefore = {
    {"train.py",
     "def build(args):\n    pool = Pool(args.size)\n    return pool\n\n\ndef collect_pool_metrics(pool):\n    out = "
     "{}\n"
     "    out['size'] = pool.size\n    out['used'] = pool.used\n    out['free'] = pool.free\n    return out\n\n\n"
     "def main(args):\n    pool = build(args)\n    print(collect_pool_metrics(pool))\n"},
};

std::string text_of(const std::string& title) {
  Files after = kBefore;
  std::string& code = after["train.py"];
  code = replace_all(code, "    pool = Pool(args.size)\n",
                     "    pool = Pool(args.size, args.owners)\n    pool.reserve(args.owners)\n    pool.start()\n");
  for (const char* name : {"size", "used", "free"})
    code = replace_all(code, std::string("out['") + name + "'] = pool." + name,
                       std::string("out['pool_") + name + "'] = pool.all_" + name);
  return explain_of(kBefore, after, title);
}

TEST(ReportsFollow, WhatMeasuresIsNotWhatIsDone) {
  const std::string text = text_of("Give each owner its share of the pool");
  EXPECT_LT(text.find("`build` (changed"), text.find("`collect_pool_metrics` (changed")) << text;
}

TEST(ReportsFollow, UnlessTheTitleSpeaksOfIt) {
  const std::string text = text_of("Rename the metrics of the pool");
  EXPECT_LT(text.find("`collect_pool_metrics` (changed"), text.find("`build` (changed")) << text;
}

}  // namespace
}  // namespace lockstep::render
