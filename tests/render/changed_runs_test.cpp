// Command lines that a change gives tests, and the settings of the change that they give.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kConfig =
    "from dataclasses import dataclass\n\n\n@dataclass\nclass ParallelismConfig:\n    backend: str = \"default\"\n"
    "    degree: int = 1\n";
const std::string kBefore =
    "from lib.config import ParallelismConfig\n\n\ndef parallelize(model, parallelism: ParallelismConfig):\n    "
    "model.start()\n    model.shard(parallelism.degree)\n    return model\n";
const std::string kAfter =
    "from lib.config import ParallelismConfig\n\n\ndef parallelize(model, parallelism: ParallelismConfig):\n    "
    "model.start()\n    if parallelism.backend == \"types\":\n"
    "        model.shard_by_types(parallelism.degree)\n    else:\n        model.shard(parallelism.degree)\n"
    "    return model\n";

std::string explain_with(const std::string& old_runs, const std::string& new_runs) {
  const Files same = {{"lib/config.py", kConfig}};
  Files before = same, after = same;
  before["lib/models/kimi/parallelize.py"] = kBefore;
  after["lib/models/kimi/parallelize.py"] = kAfter;
  before["tests/integration_tests/models.py"] = old_runs;
  after["tests/integration_tests/models.py"] = new_runs;
  return explain_of(before, after);
}

std::string runs_with(const std::string& more) {
  return "from lib.runs import Run\n\n\ndef build_runs():\n    return [\n        Run(\n            [\n"
         "                [\"--module llama\", \"--parallelism.degree 2\"],\n            ],\n            \"Llama\",\n"
         "            \"llama_2d\",\n            ngpu=2,\n        ),\n" +
         more + "    ]\n";
}

TEST(ChangedRuns, ANewCommandLineThatGivesASettingOfTheChangeIsNamed) {
  const std::string run =
      "        Run(\n            [\n                [\n                    \"--module kimi --config small\",\n"
      "                    \"--parallelism.backend types\",\n                ],\n            ],\n"
      "            \"Kimi with types\",\n            \"kimi_types\",\n            ngpu=2,\n        ),\n";
  const std::string text = explain_with(runs_with(""), runs_with(run));
  EXPECT_TRUE(says(text,
                   "Tests that the change adds or edits: the command line `kimi_types` (new, "
                   "`tests/integration_tests/models.py:18`: with `--parallelism.backend types` and `--module kimi`)."))
      << text;
}

TEST(ChangedRuns, OneThatTheChangeEditsSaysSo) {
  const std::string text = explain_with(
      runs_with(""),
      replace_all(runs_with(""), "degree 2\"]", "degree 2\",\n                 \"--parallelism.backend types\"]"));
  EXPECT_TRUE(says(text,
                   "the command line `llama_2d` (changed, `tests/integration_tests/models.py:9`: with "
                   "`--parallelism.backend types`)"))
      << text;
}

TEST(ChangedRuns, OneWithoutASettingOfTheChangeOrWithItsDefaultIsNot) {
  for (const char* option : {"--training.steps 5", "--parallelism.backend default"}) {
    const std::string run =
        std::string("        Run([[\"--module kimi\", \"") + option + "\"]], \"Kimi\", \"kimi\"),\n";
    const std::string text = explain_with(runs_with(""), runs_with(run));
    EXPECT_FALSE(says(text, "the command line")) << text;
  }
}

}  // namespace
}  // namespace lockstep::render
