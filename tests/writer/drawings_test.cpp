// Drawings that a model asks for: what leads from one box of a flowchart to the next, and what joins classes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "report/story/story.h"
#include "writer/author/placements.h"
#include "writer/author_fixture.h"

namespace lockstep::writer {
namespace {

using testing::AuthorFixture;
using ::testing::HasSubstr;

// Of two calls of one function the drawing takes the one that gets to what is drawn next.
TEST(Calls, TakeTheCallWhoseConstantsLeadOn) {
  const std::string load = R"(def load_checkpoint(path):
    common = load_base(path, quick=True)
    state = build(common)
    return load_base(path, quick=False, state=state)


def load_base(path, quick, state=None):
    return load_global(path, quick, state)


def load_global(path, quick, state):
    if quick:
        return read_common(path)
    return merge_all(path, state)


def read_common(path):
    return path


def merge_all(path, state):
    return state
)";
  const render::Files before = {{"load.py", load}};
  AuthorFixture author(render::make_fixture(
      before, render::with_edit(before, "load.py", "return state\n", "return [state]\n"), "T", ""));
  const report::Story story = report::find_story(author.fixture->inputs, {});
  const auto lines = [&](const std::string& chain) {
    const Filled drawn = draw_calls(author.fixture->inputs, story, chain);
    std::vector<std::string> out;
    if (drawn.blocks.empty()) return out;
    const auto& sequence =
        std::get<report::Sequence>(std::get<report::DiagramBlock>(drawn.blocks.front().value).diagram);
    for (const report::SequenceEvent& event : sequence.events) {
      if (event.kind == report::SequenceEvent::Kind::kCall) out.push_back(event.text.substr(0, event.text.find(':')));
    }
    return out;
  };
  EXPECT_THAT(lines("load_checkpoint -> load_base -> load_global -> merge_all"),
              ::testing::ElementsAre("line 4", "line 8", "line 14"));
  EXPECT_THAT(lines("load_checkpoint -> load_base -> load_global -> read_common"),
              ::testing::ElementsAre("line 2", "line 8", "line 13"));
  // Told in pieces it is the same run.
  EXPECT_THAT(lines("load_checkpoint -> load_base; load_base -> load_global; load_global -> merge_all"),
              ::testing::ElementsAre("line 4", "line 8", "line 14"));
}

// Where several calls lead on, the conditions of one alone need not hold.
TEST(Calls, NameNoConditionOfOneOfSeveralCalls) {
  const std::string run = R"(def run(x, quick):
    if x > 1:
        if quick:
            step(x)
        else:
            x = agree(x)
            step(x)
    return x


def agree(x):
    return x


def step(x):
    return agree(x) + 1
)";
  const render::Files before = {{"run.py", run}};
  AuthorFixture author(render::make_fixture(before, render::with_edit(before, "run.py", ") + 1", ") + 2"), "T", ""));
  const report::Story story = report::find_story(author.fixture->inputs, {});
  const auto drawn = [&](const std::string& request) {
    const Filled filled = draw_calls(author.fixture->inputs, story, request);
    std::vector<std::string> out;
    if (filled.blocks.empty()) return std::vector<std::string>{filled.faults.front().reason};
    const auto& sequence =
        std::get<report::Sequence>(std::get<report::DiagramBlock>(filled.blocks.front().value).diagram);
    for (const report::SequenceEvent& event : sequence.events) {
      if (event.kind != report::SequenceEvent::Kind::kEnd) out.push_back(event.text);
    }
    return out;
  };
  EXPECT_THAT(drawn("run -> step -> agree"),
              ::testing::ElementsAre("when x is more than 1", "one of 2 calls, under conditions: step(x)",
                                     "line 16: agree(x)"));
  EXPECT_THAT(
      drawn("run -> step:4; step -> agree"),
      ::testing::ElementsAre("when x is more than 1", "when quick is set", "line 4: step(x)", "line 16: agree(x)"));
}

// Of conditions that stand too deep for blocks of their own none is left out.
TEST(Calls, JoinConditionsThatStandTooDeep) {
  const std::string run = R"(def main(x, on):
    if on:
        return run(x, 1, True, False)


def run(x, phase, lib, latent):
    if not phase:
        first(x)
    else:
        if latent:
            x = 0
        else:
            if lib:
                second(x)
    return x


def first(x):
    return x


def second(x):
    return x + 1
)";
  const render::Files before = {{"run.py", run}};
  AuthorFixture author(render::make_fixture(before, render::with_edit(before, "run.py", "x + 1", "x + 2"), "T", ""));
  const report::Story story = report::find_story(author.fixture->inputs, {});
  const Filled drawn = draw_calls(author.fixture->inputs, story, "main -> run; run -> first; run -> second");
  ASSERT_EQ(drawn.blocks.size(), 1u);
  const auto& sequence = std::get<report::Sequence>(std::get<report::DiagramBlock>(drawn.blocks.front().value).diagram);
  std::vector<std::string> blocks;
  for (const report::SequenceEvent& event : sequence.events) {
    if (event.kind == report::SequenceEvent::Kind::kOptional) blocks.push_back(event.text);
  }
  EXPECT_THAT(blocks, ::testing::ElementsAre("when on is set", "when phase is not set",
                                             "when phase is set and latent is not set", "when lib is set"));
}

// Where both sides of a branch give the same thing a value, its condition is none of the step.
TEST(Flow, NamesNoConditionOfWhatBothSidesSet) {
  const std::string fill = R"(class Buffer:
    def fill(self, offsets):
        count = size(offsets)
        if offsets is not None:
            self.view = take(self.kept, count)
        else:
            self.view = self.kept[:count]
        if count > 1:
            self.extra = count
)";
  const render::Files before = {{"buffer.py", fill}};
  AuthorFixture author(
      render::make_fixture(before, render::with_edit(before, "buffer.py", "count > 1", "count > 2"), "T", ""));
  const report::Story story = report::find_story(author.fixture->inputs, {});
  const Filled drawn = draw_flow(author.fixture->inputs, story, "buffer.py:3 -> :5; :3 -> :9", {});
  ASSERT_EQ(drawn.blocks.size(), 1u);
  const auto& chart = std::get<report::Flowchart>(std::get<report::DiagramBlock>(drawn.blocks.front().value).diagram);
  ASSERT_EQ(chart.edges.size(), 2u);
  EXPECT_EQ(chart.edges[0].label, "count");
  EXPECT_EQ(chart.edges[1].label, "count, when count is more than 2");
}

// What is called on a value of unknown class enters the one function of that name, and none where several have it.
TEST(Flow, LeadsToTheOnlyFunctionThatACallMayMean) {
  const std::string one = "class Interface:\n    def merge_ledgers(self):\n        return {}\n";
  const auto edges = [&](const std::string& owner) {
    const render::Files before = {{"owner.py", owner},
                                  {"run.py",
                                   "def collect(interface):\n    found = interface.merge_ledgers()\n    "
                                   "return found\n"}};
    AuthorFixture author(render::make_fixture(
        before, render::with_edit(before, "run.py", "return found", "return found or 1"), "T", ""));
    const report::Story story = report::find_story(author.fixture->inputs, {});
    return draw_flow(author.fixture->inputs, story, "run.py:2 -> owner.py:2; run.py:2 -> run.py:3", {}).faults.size();
  };
  EXPECT_EQ(edges(one), 0u);
  EXPECT_EQ(edges(one + "\n\nclass Other:\n    def merge_ledgers(self):\n        return []\n"), 1u);
}

// What stands behind a branch runs in any case: an arrow out of the branch alone would say that it does not.
/// An answer over HTTP: what one puts into it under a name, and the other reads of it.
TEST(Flow, LeadsFromAKeyThatIsSentToWhatIsReadOfTheAnswer) {
  const render::Files before = {
      {"server.py",
       "def complete(result):\n    found = result.key\n    return jsonify({\"id\": found, \"model\": 1})\n"},
      {"client.py",
       "def ask(client):\n    answer = client.post()\n    return answer.id\n\n\ndef other(answer):\n"
       "    found = answer.text\n    return found\n"}};
  AuthorFixture author(
      render::make_fixture(before, render::with_edit(before, "server.py", "\"model\": 1", "\"model\": 2"), "T", ""));
  const report::Story story = report::find_story(author.fixture->inputs, {});
  const Filled sent = draw_flow(author.fixture->inputs, story, "server.py:3 -> client.py:3", {});
  ASSERT_EQ(sent.blocks.size(), 1u) << (sent.faults.empty() ? "" : sent.faults.front().reason);
  const auto& chart = std::get<report::Flowchart>(std::get<report::DiagramBlock>(sent.blocks.front().value).diagram);
  ASSERT_EQ(chart.edges.size(), 1u);
  EXPECT_EQ(chart.edges.front().label, "\"id\"");
  // A local of one function is none of another's.
  const Filled local = draw_flow(author.fixture->inputs, story, "server.py:2 -> client.py:8", {});
  EXPECT_TRUE(local.blocks.empty());
  ASSERT_FALSE(local.faults.empty());
  EXPECT_THAT(local.faults.front().reason, HasSubstr("a local of one function is none of another's"));
}

/// What is set under a name that callers give leads to who reads it.
TEST(Flow, LeadsFromWhatIsSetByNameToItsReader) {
  const render::Files before = {
      {"lib.py",
       "def set_all(configs, name, value):\n    for config in configs:\n        setattr(config, name, value)\n\n\n"
       "def infer(configs):\n    set_all(configs, \"graph_mode\", \"local\")\n\n\nclass Layer:\n"
       "    def run(self, x):\n        mode = self.config.graph_mode\n        return mode\n\n"
       "    def other(self, x):\n        kind = self.config.graph_kind\n        return kind\n"}};
  AuthorFixture author(
      render::make_fixture(before, render::with_edit(before, "lib.py", "\"local\"", "\"none\""), "T", ""));
  const report::Story story = report::find_story(author.fixture->inputs, {});
  EXPECT_TRUE(draw_flow(author.fixture->inputs, story, "lib.py:3 -> lib.py:12", {}).faults.empty());
  EXPECT_FALSE(draw_flow(author.fixture->inputs, story, "lib.py:3 -> lib.py:16", {}).faults.empty());
}

/// "f -> path:12": a statement of the function before, in its place among the calls.
TEST(Calls, TakeStatementsIntoAChain) {
  const render::Files before = {
      {"lib.py",
       "def inner(x):\n    return x\n\n\ndef outer(x):\n    y = inner(x)\n    z = y + 1\n    return inner(z)\n\n\n"
       "def main(x):\n    return outer(x)\n"}};
  AuthorFixture author(render::make_fixture(before, render::with_edit(before, "lib.py", "y + 1", "y + 2"), "T", ""));
  const report::Story story = report::find_story(author.fixture->inputs, {});
  const Filled drawn = draw_calls(author.fixture->inputs, story, "main -> outer -> lib.py:7 -> inner:8");
  EXPECT_TRUE(drawn.faults.empty()) << drawn.faults.front().reason;
  ASSERT_EQ(drawn.blocks.size(), 1u);
  const auto& sequence = std::get<report::Sequence>(std::get<report::DiagramBlock>(drawn.blocks.front().value).diagram);
  std::vector<std::string> texts;
  for (const report::SequenceEvent& event : sequence.events)
    texts.push_back(event.text.substr(0, event.text.find(':')));
  EXPECT_THAT(texts, ::testing::ElementsAre("line 12", "line 7", "line 8"));
}

TEST(Flow, DrawsTheWayPastABranch) {
  const std::string step = R"(def step(self, parts, clip, limit):
    norm = total_norm(parts)
    for part in parts:
        if clip > 0.0:
            part.scale(norm)
        if norm > limit:
            skip = True
    done = finish(parts, norm)
    return done
)";
  const render::Files before = {{"opt.py", step}};
  AuthorFixture author(render::make_fixture(
      before, render::with_edit(before, "opt.py", "norm > limit", "norm >= limit"), "Skip at the limit", ""));
  const report::Story story = report::find_story(author.fixture->inputs, {});
  const auto edges = [&](const std::string& arrows) {
    const Filled drawn = draw_flow(author.fixture->inputs, story, arrows, {});
    std::vector<std::string> out;
    if (drawn.blocks.empty()) return out;
    const auto& chart = std::get<report::Flowchart>(std::get<report::DiagramBlock>(drawn.blocks.front().value).diagram);
    const auto line = [&](std::size_t node) {
      const std::string& label = chart.nodes[node].label;
      return label.substr(label.rfind(':') + 1);
    };
    for (const report::FlowEdge& edge : chart.edges)
      out.push_back(fmt::format("{} -{}-> {}", line(edge.from), edge.label, line(edge.to)));
    return out;
  };
  EXPECT_THAT(edges("opt.py:2 -> :5 -> :6"), ::testing::ElementsAre("2 -norm, when clip is more than 0.0-> 5",
                                                                    "5 --> 6", "2 -when clip is at most 0.0-> 6"));
  // From the condition itself it is "no", also where the arrow was drawn without a word.
  EXPECT_THAT(edges("opt.py:6 -> :7 -> :8"), ::testing::ElementsAre("6 -yes-> 7", "7 --> 8", "6 -no-> 8"));
  EXPECT_THAT(edges("opt.py:6 -> :7 -> :8; :6 -> :8"), ::testing::ElementsAre("6 -yes-> 7", "7 --> 8", "6 -no-> 8"));
}

TEST(Flow, NoArrowLeavesABranchThatReturns) {
  const std::string loss = R"(def reduce(x, group, late):
    if group is not None:
        handle = start(x, group)
        if late:
            return handle
        else:
            handle.wait()
            return x
    handle = x
    return handle
)";
  const render::Files before = {{"lib/__init__.py", ""}, {"lib/loss.py", loss}};
  render::Files after = before;
  after["lib/loss.py"] = replace_all(loss, "    handle = x\n", "    handle = x + 1\n");
  AuthorFixture author(render::make_fixture(before, after, "Add one", ""));
  const report::Story story = report::find_story(author.fixture->inputs, {});
  const auto flow = [&](const std::string& arrows) { return draw_flow(author.fixture->inputs, story, arrows, {}); };
  const Filled back = flow("lib/loss.py:3 -> :9");
  EXPECT_TRUE(back.blocks.empty());
  ASSERT_EQ(back.faults.size(), 1u);
  EXPECT_THAT(back.faults.front().reason, HasSubstr("a run leaves at the end of the block that holds the one"));
  // Only what was asked for is drawn.
  const Filled drawn = flow("lib/loss.py:2 -> :3; :3 -> :4; :4 -> :5; :4 -> :7");
  ASSERT_EQ(drawn.blocks.size(), 1u);
  const auto& chart = std::get<report::Flowchart>(std::get<report::DiagramBlock>(drawn.blocks.front().value).diagram);
  EXPECT_EQ(chart.edges.size(), 4u);
}

TEST(Flow, SaysAConditionInWordsThatIsTooLongForItsBox) {
  const std::string cache = R"(class Context:
    def build(self):
        if (
            self.is_hybrid_model
            and self.config.prefix_caching_budget_gb is not None
            and self.config.prefix_caching_budget_gb > 0
            and self.config.enable_prefix_caching
        ):
            self.cache = allocate(self.config)
        self.ready = True
)";
  const render::Files before = {{"cache.py", cache}};
  AuthorFixture author(
      render::make_fixture(before, render::with_edit(before, "cache.py", "> 0", "> 1"), "Ask for more", ""));
  const report::Story story = report::find_story(author.fixture->inputs, {});
  const Filled drawn = draw_flow(author.fixture->inputs, story, "cache.py:3 -> :9; :3 -> :10", {});
  ASSERT_EQ(drawn.blocks.size(), 1u);
  const auto& chart = std::get<report::Flowchart>(std::get<report::DiagramBlock>(drawn.blocks.front().value).diagram);
  EXPECT_EQ(chart.nodes.front().label,
            "self.is_hybrid_model is true,\nself.config.prefix_caching_budget_gb is not None,\n"
            "self.config.prefix_caching_budget_gb is more than 1\nand self.config.enable_prefix_caching is true?\n"
            "cache.py:3");
}

TEST(Flow, WhatHappensDoesNotCallWhatHappensNext) {
  const std::string loss = "def f(x):\n    return g(x)\n\n\ndef g(x):\n    return x\n";
  const render::Files before = {{"loss.py", loss}};
  AuthorFixture author(render::make_fixture(
      before, render::with_edit(before, "loss.py", "return x\n", "return x + 1\n"), "Add one", ""));
  const report::Story story = report::find_story(author.fixture->inputs, {});
  const auto label = [&](const std::string& request, const std::vector<std::string>& words) {
    const Filled drawn = draw_flow(author.fixture->inputs, story, request, words);
    const auto& chart = std::get<report::Flowchart>(std::get<report::DiagramBlock>(drawn.blocks.front().value).diagram);
    return chart.edges.front().label;
  };
  EXPECT_EQ(label("f -> g", {}), "calls");
  EXPECT_EQ(label("f \"1\" -> g", {"it starts"}), "calls");
  EXPECT_EQ(label("f \"1\" -> g \"2\"", {"it starts", "one is added"}), "");
}

TEST(Flow, WhatWentIntoAFunctionOfItsOwnIsNotNew) {
  const std::string whole = R"(def forward(x, group, late):
    y = x * 2
    y = y.transpose(0, 1)
    y = exchange(y, group)
    return project(y)
)";
  const std::string taken_out = R"(def forward(x, group, late):
    def exchanged(x):
        y = x * 2
        y = y.transpose(0, 1)
        y = exchange(y, group)
        return y

    y = checkpoint(exchanged, x) if late else exchanged(x)
    return project(y)
)";
  AuthorFixture author(render::make_fixture({{"layer.py", whole}}, {{"layer.py", taken_out}}, "Recompute", ""));
  const report::Story story = report::find_story(author.fixture->inputs, {});
  const Filled drawn = draw_flow(author.fixture->inputs, story, "layer.py:3 -> :4 -> :5; layer.py:8 -> exchanged", {});
  ASSERT_EQ(drawn.blocks.size(), 1u);
  const auto& chart = std::get<report::Flowchart>(std::get<report::DiagramBlock>(drawn.blocks.front().value).diagram);
  ASSERT_EQ(chart.nodes.size(), 5u);
  EXPECT_EQ(chart.nodes[0].mark, report::Mark::kNone);
  EXPECT_EQ(chart.nodes[1].mark, report::Mark::kNone);
  EXPECT_EQ(chart.nodes[2].mark, report::Mark::kNone);
  EXPECT_NE(chart.nodes[3].mark, report::Mark::kNone);
  EXPECT_EQ(chart.nodes[4].mark, report::Mark::kNew);
}

TEST(Classes, DrawsWhatHasToDoWithTheChange) {
  const std::string code = R"(import torch


class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad


class Pool:
    def take(self, key):
        return key

    def count(self):
        return 1


class Base:
    def __init__(self, pool: Pool):
        self.pool = pool

    def step(self, x):
        return self.scale(x)

    def scale(self, x):
        return x

    def report(self):
        return self.pool.count()


class Child(Base):
    def scale(self, x):
        return Norm.apply(self.pool.take(x))


class Reporter:
    def __init__(self, base: Base):
        self.base = base

    def show(self):
        return self.base.report()
)";
  const render::Files before = {{"lib.py", code}};
  AuthorFixture author(render::make_fixture(
      before, render::with_edit(before, "lib.py", "Norm.apply(self.pool.take(x))", "Norm.apply(self.pool.take(x) + 1)"),
      "Add one", ""));
  const report::Story story = report::find_story(author.fixture->inputs, {});
  const Filled drawn = draw_classes(author.fixture->inputs, story, "Norm, Pool, Base, Child, Reporter");
  ASSERT_EQ(drawn.blocks.size(), 1u);
  const auto& diagram =
      std::get<report::ClassDiagram>(std::get<report::DiagramBlock>(drawn.blocks.front().value).diagram);
  std::vector<std::string> relations;
  for (const report::ClassRelation& one : diagram.relations)
    relations.push_back(
        fmt::format("{} {} {}", diagram.classes[one.from].name, one.label, diagram.classes[one.to].name));
  // An autograd function is applied; a call on self that a subclass may take, and one that the change has nothing to do
  // with, are no relations, but for a class that would stand alone.
  EXPECT_THAT(relations, ::testing::UnorderedElementsAre("Child extends Base", "Child calls apply Norm",
                                                         "Child calls take Pool", "Reporter calls report Base"));
}

TEST(Classes, DrawsWhatIsHandedOver) {
  const std::string shared = "def merge_rows(rows):\n    return sum(rows)\n";
  const std::string factory = "class Factory:\n    def __init__(self, merge):\n        self.merge = merge\n";
  const std::string layer =
      "from factory import Factory\nfrom shared import merge_rows\n\n\ndef build(rows):\n    return "
      "Factory(merge_rows)\n";
  const render::Files before = {{"factory.py", factory}, {"shared.py", shared}, {"layer.py", layer}};
  AuthorFixture author(render::make_fixture(before, render::with_edit(before, "shared.py", "sum(rows)", "sum(rows, 0)"),
                                            "Start at zero", ""));
  const report::Story story = report::find_story(author.fixture->inputs, {});
  const Filled drawn = draw_classes(author.fixture->inputs, story, "layer.py, shared.py, Factory");
  ASSERT_EQ(drawn.blocks.size(), 1u);
  const auto& diagram =
      std::get<report::ClassDiagram>(std::get<report::DiagramBlock>(drawn.blocks.front().value).diagram);
  std::vector<std::string> relations;
  for (const report::ClassRelation& one : diagram.relations)
    relations.push_back(
        fmt::format("{} {} {}", diagram.classes[one.from].name, one.label, diagram.classes[one.to].name));
  EXPECT_THAT(relations, ::testing::UnorderedElementsAre("layer.py passes merge_rows to Factory shared.py",
                                                         "layer.py creates Factory"));
}

}  // namespace
}  // namespace lockstep::writer
