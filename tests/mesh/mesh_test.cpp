// The analysis as others use it: sites, spans, traces, configuration; and what hostile input costs.
#include "mesh/mesh.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "program/link.h"

namespace lockstep::mesh {
namespace {

program::Program link_files(const std::map<std::string, std::string>& files) {
  std::vector<program::SourceFile> sources;
  for (const auto& [path, bytes] : files) sources.push_back({path, python::extract_facts(bytes)});
  return program::link(std::move(sources), {});
}

program::Program link_one(std::string bytes) { return link_files({{"mod.py", std::move(bytes)}}); }

constexpr const char* kStep = R"(import torch.distributed as dist
from megatron.core import parallel_state as mpu


def step(x, names, group=None):
    dist.all_reduce(x, group=mpu.get_tensor_model_parallel_group())
    if mpu.is_pipeline_last_stage():
        for name in names:
            handle = dist.broadcast(x, 0, group=group, async_op=True)
            handle.wait()
    dist.barrier()


def outer(x):
    step(x, [], mpu.get_data_parallel_group())


def silent(x):
    return x
)";

// Only the members need to call `new_group(…, use_local_synchronization=True)`, as its documentation says.
TEST(Mesh, AGroupThatItsMembersMakeAloneIsNoMatterOfAllRanks) {
  const auto fires = [](const std::string& arguments) {
    const program::Program program = link_one(
        "import torch.distributed as dist\n\n\ndef make(ranks):\n    if "
        "dist.get_rank() in ranks:\n        dist.new_group(" +
        arguments + ")\n");
    return !analyse_mesh(program, {}).divergences().empty();
  };
  EXPECT_TRUE(fires("ranks"));
  EXPECT_TRUE(fires("ranks, use_local_synchronization=False"));
  EXPECT_FALSE(fires("ranks, use_local_synchronization=True"));
}

TEST(Mesh, TellsTheMakingOfGroupsFromCollectives) {
  const program::Program program = link_one(R"(import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh


def make(x):
    dist.new_group([0, 1])
    dist.new_subgroups(4)
    dist.new_subgroups_by_enumeration([[0], [1]])
    init_device_mesh("cuda", (2, 2))
    dist.all_reduce(x)
)");
  const MeshAnalysis analysis = analyse_mesh(program, {});
  const auto sites = analysis.collectives_of(program.find_function("mod.make"));
  ASSERT_EQ(sites.size(), 5u);
  for (const CollectiveSite& site : sites) EXPECT_EQ(site.creates_group, site.operation != "all_reduce");
}

TEST(Mesh, AGroupThatIsOneOfSeveralIsToldAsNoneOfThem) {
  const program::Program program = link_one(R"(import torch.distributed as dist
from megatron.core import parallel_state as mpu


def step(x, pg):
    group = pg.dp_cp_gtp or pg.dp_cp
    dist.all_reduce(x, group=group)
    dist.all_reduce(x, group=pg.dp_cp if x.wide else pg.tp)
    dist.all_reduce(x, group=pg.tp if x.wide else pg.more)
    dist.all_reduce(x, group=None or mpu.get_tensor_model_parallel_group())


def skip(x, pg):
    group = pg.more or mpu.get_tensor_model_parallel_group()
    if mpu.get_tensor_model_parallel_rank() == 0:
        dist.all_reduce(x, group=group)
)");
  const MeshAnalysis analysis = analyse_mesh(program, {});
  const auto sites = analysis.collectives_of(program.find_function("mod.step"));
  ASSERT_EQ(sites.size(), 4u);
  EXPECT_EQ(sites[0].group.kind, Group::Kind::kUnknown);
  EXPECT_TRUE(sites[0].group.span.empty());
  EXPECT_EQ(sites[0].group.text, "`pg.dp_cp_gtp or pg.dp_cp`");
  EXPECT_EQ(sites[1].group.kind, Group::Kind::kUnknown);
  EXPECT_EQ(sites[2].group.kind, Group::Kind::kUnknown);
  EXPECT_EQ(sites[3].group.kind, Group::Kind::kKnown);
  for (const Divergence& each : analysis.divergences()) EXPECT_FALSE(each.proven) << each.missing_step;
}

TEST(Mesh, WhatAMethodFallsBackOnIsNotTheGroupThatItReturns) {
  const program::Program program = link_one(R"(import torch.distributed as dist
from megatron.core import parallel_state as mpu


class Optimizer:
    def stats(self):
        if hasattr(self, "stats_ranks"):
            return self.stats_ranks
        return mpu.get_tensor_model_parallel_group()

    def plain(self):
        if self.off:
            return None
        return mpu.get_tensor_model_parallel_group()

    def either(self):
        if self.off:
            return mpu.get_pipeline_model_parallel_group()
        return mpu.get_tensor_model_parallel_group()

    def keep(self):
        self.kept = mpu.get_tensor_model_parallel_group()
        self.own = mpu.get_tensor_model_parallel_group()

    def step(self, x):
        dist.all_reduce(x, group=self.stats())
        dist.all_reduce(x, group=self.plain())
        dist.all_reduce(x, group=self.either())
        dist.all_reduce(x, group=self.kept)
        dist.all_reduce(x, group=self.own)


def make(ranks):
    optimizer = Optimizer()
    setattr(optimizer, "kept", ranks)
    return optimizer
)");
  const MeshAnalysis analysis = analyse_mesh(program, {});
  const auto sites = analysis.collectives_of(program.find_function("mod.Optimizer.step"));
  ASSERT_EQ(sites.size(), 5u);
  EXPECT_EQ(sites[0].group.kind, Group::Kind::kUnknown);
  EXPECT_TRUE(sites[0].group.span.empty());
  EXPECT_EQ(sites[1].group.kind, Group::Kind::kKnown);
  EXPECT_EQ(sites[2].group.kind, Group::Kind::kUnknown);
  EXPECT_EQ(sites[3].group.kind, Group::Kind::kUnknown);
  EXPECT_EQ(sites[4].group.kind, Group::Kind::kKnown);
}

TEST(Mesh, GivesTheCollectivesOfAFunction) {
  const program::Program program = link_one(kStep);
  const MeshAnalysis analysis = analyse_mesh(program, {});
  const auto sites = analysis.collectives_of(program.find_function("mod.step"));
  ASSERT_EQ(sites.size(), 3u);
  EXPECT_EQ(sites[0].operation, "all_reduce");
  EXPECT_EQ(sites[0].group.kind, Group::Kind::kKnown);
  EXPECT_EQ(analysis.describe(sites[0].group.span), "tp");
  EXPECT_EQ(sites[1].operation, "broadcast");
  EXPECT_EQ(sites[1].group.kind, Group::Kind::kParameter);
  EXPECT_EQ(sites[1].group.parameter, "group");
  EXPECT_FALSE(sites[1].is_async);  // Waited for in the next line.
  EXPECT_EQ(sites[2].group.kind, Group::Kind::kWorld);
  EXPECT_TRUE(sites[2].group.span.is_all());
  EXPECT_TRUE(analysis.may_communicate(program.find_function("mod.outer")));
  EXPECT_FALSE(analysis.may_communicate(program.find_function("mod.silent")));
  EXPECT_TRUE(analysis.collectives_of(program.find_function("mod.outer")).empty());
  EXPECT_TRUE(analysis.divergences().empty());
}

TEST(Mesh, GivesWhatACallComesToWithTheGroupsOfItsArguments) {
  const program::Program program = link_one(std::string(kStep) + R"(

def through(x):
    outer(x)
)");
  const std::vector<program::FunctionId> told = {program.find_function("mod.through")};
  MeshOptions options;
  options.told = &told;
  const MeshAnalysis analysis = analyse_mesh(program, options);
  const auto issued = [&](const char* function) {
    std::vector<std::string> out;
    for (const program::CallId call : program.functions()[program.find_function(function)].calls) {
      for (const CollectiveSite& site : analysis.issued_through(call))
        out.push_back(fmt::format("{} {}", site.operation, site.group.text));
    }
    return out;
  };
  EXPECT_EQ(issued("mod.through"),
            (std::vector<std::string>{"all_reduce tensor-parallel group (tp)", "broadcast data-parallel group (dp)",
                                      "barrier all ranks"}));
  EXPECT_TRUE(issued("mod.outer").empty());  // Not asked for.
}

// What a call comes to is known where all that it enters is seen: not what others call for it, or a property.
TEST(Mesh, KnowsAllOfACallWhereNothingIsHidden) {
  const program::Program program = link_one(R"(import torch.distributed as dist
from torch.utils.checkpoint import checkpoint


def spread(x):
    dist.all_reduce(x)
    return x


def match(x, sync):
    if sync:
        x = spread(x)
    return x


def again(x):
    return checkpoint(spread, x)


class Rows:
    @property
    def total(self):
        dist.barrier()
        return 1


def count(x):
    return Rows().total


def ask(x):
    match(x, False)
    match(x, True)
    again(x)
    count(x)
)");
  const std::vector<program::FunctionId> told = {program.find_function("mod.ask")};
  MeshOptions options;
  options.told = &told;
  const MeshAnalysis analysis = analyse_mesh(program, options);
  std::vector<std::string> found;
  for (const program::CallId call : program.functions()[told.front()].calls) {
    const auto& node = *program.calls()[call].node;
    found.push_back(fmt::format("{} {} {}", program.modules()[program::ModuleId(0)].facts->source().slice(node.span),
                                analysis.knows_all_of(call), analysis.issued_through(call).size()));
  }
  EXPECT_EQ(found, (std::vector<std::string>{"match(x, False) true 0", "match(x, True) true 1", "again(x) false 0",
                                             "count(x) false 0"}));
}

TEST(Mesh, WritesTracesForPeople) {
  const program::Program program = link_one(kStep);
  const MeshAnalysis analysis = analyse_mesh(program, {});
  EXPECT_EQ(analysis.trace_text(program.find_function("mod.step")),
            "all_reduce on tensor-parallel group (tp)  [line 6]\n"
            "if mpu.is_pipeline_last_stage()  (differs along pp)  [line 7]\n"
            "  for each of names  [line 8]\n"
            "    broadcast on `group`, asynchronous  [line 9]\n"
            "barrier on all ranks  [line 11]\n");
  EXPECT_EQ(
      analysis.trace_text(program.find_function("mod.outer")),
      "call mod.step  (all_reduce on tensor-parallel group (tp), broadcast on data-parallel group (dp), barrier on all "
      "ranks)  [line 15]\n");
  EXPECT_EQ(analysis.trace_text(program.find_function("mod.silent")), "");
}

TEST(Mesh, TellsTheStepsFromTheSourceToTheCollective) {
  const program::Program program = link_files({{"ranks.py",
                                                "import torch.distributed as dist\n\n\ndef is_first(group):\n"
                                                "    return dist.get_rank(group) == 0\n"},
                                               {"work.py",
                                                "import torch.distributed as dist\nfrom ranks import is_first\n\n\n"
                                                "def reduce(x, group):\n    dist.all_reduce(x, group=group)\n\n\n"
                                                "def run(x, tp_group):\n    if is_first(tp_group):\n"
                                                "        reduce(x, tp_group)\n"}});
  const MeshAnalysis analysis = analyse_mesh(program, {});
  ASSERT_EQ(analysis.divergences().size(), 1u);
  const Divergence& row = analysis.divergences()[0];
  EXPECT_TRUE(row.proven);
  EXPECT_EQ(analysis.describe(row.varies), "tp");
  EXPECT_EQ(row.path.size(), 1u);
  std::vector<std::string> steps;
  for (const Step& step : row.steps) {
    steps.push_back(fmt::format("{}:{}", program.modules()[step.module].path, step.line + 1));
  }
  EXPECT_EQ(steps, (std::vector<std::string>{"ranks.py:5", "work.py:10", "work.py:11", "work.py:6"}));
}

TEST(Mesh, TakesGettersFromTheConfiguration) {
  const program::Program program = link_one(R"(import torch.distributed as dist


def team():
    return _TEAM


def run(x):
    if dist.get_rank(team()) == 0:
        dist.all_reduce(x, group=team())
)");
  MeshOptions options;
  options.group_getters = {{"mod.team", {"rows"}}};
  const MeshAnalysis analysis = analyse_mesh(program, options);
  ASSERT_EQ(analysis.divergences().size(), 1u);
  EXPECT_EQ(analysis.describe(analysis.divergences()[0].varies), "rows");
  EXPECT_EQ(analysis.dimensions(), std::vector<std::string>{"rows"});
}

std::string result_of(const std::string& bytes) {
  const program::Program program = link_one(bytes);
  const MeshAnalysis analysis = analyse_mesh(program, {});
  std::string text;
  for (const Divergence& row : analysis.divergences()) {
    text += fmt::format("{} {} {}\n", row.place->span.begin, row.collective.operation, row.missing_step);
  }
  return text;
}

TEST(Mesh, SaysTheSameTwice) {
  std::string bytes = kStep;
  for (int i = 0; i < 20; ++i)
    bytes += fmt::format("\n\ndef f{0}(x):\n    if dist.get_rank() == {0}:\n        dist.all_reduce(x)\n", i);
  EXPECT_EQ(result_of(bytes), result_of(bytes));
  const std::string text = result_of(bytes);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 20);
}

// Each of these is far beyond what people write. They must end, soon, and without a stack overflow.

std::string import_line() { return "import torch.distributed as dist\n\n\n"; }

TEST(Hostile, DeepNesting) {
  std::string ifs = import_line() + "def f(x):\n";
  for (int i = 0; i < 90; ++i) ifs += std::string(static_cast<std::size_t>(i) + 1, ' ') + "if dist.get_rank() == 0:\n";
  ifs += std::string(91, ' ') + "dist.barrier()\n";
  EXPECT_FALSE(result_of(ifs).empty());
  std::string parentheses =
      import_line() + "def f(x):\n    y = " + std::string(800, '(') + "x" + std::string(800, ')') + "\n";
  parentheses += "    z = " + std::string(2000, '-') + "x\n    dist.barrier()\n";
  EXPECT_TRUE(result_of(parentheses).empty());
  std::string conditions = import_line() + "def f(x):\n    y = ";
  for (int i = 0; i < 300; ++i) conditions += "1 if dist.get_rank() == 0 and x or (";
  conditions += "dist.barrier()" + std::string(300, ')');
  for (int i = 0; i < 300; ++i) conditions += " else 0";
  result_of(conditions + "\n");
}

TEST(Hostile, LongChainsAndCyclesOfCalls) {
  std::string bytes = import_line() + "def f0(x):\n    dist.barrier()\n";
  for (int i = 1; i < 3000; ++i) bytes += fmt::format("\n\ndef f{}(x):\n    if x:\n        f{}(x)\n", i, i - 1);
  bytes += "\n\ndef top(x):\n    if dist.get_rank() == 0:\n        f5(x)\n";
  bytes += "\n\ndef even(x):\n    odd(x)\n    dist.barrier()\n\n\ndef odd(x):\n    even(x)\n    dist.barrier()\n";
  result_of(bytes);
}

TEST(Hostile, ManyBranchesLoopsAndHandles) {
  std::string bytes = import_line() + "def f(x):\n    rank = dist.get_rank()\n";
  for (int i = 0; i < 3000; ++i) bytes += fmt::format("    if rank == {0}:\n        a{0} = {0}\n        return\n", i);
  for (int i = 0; i < 1000; ++i) bytes += fmt::format("    h{} = dist.all_reduce(x, async_op=True)\n", i);
  bytes += "\n\ndef g(x):\n";
  for (int i = 0; i < 40; ++i)
    bytes += std::string(static_cast<std::size_t>(i) + 4, ' ') + fmt::format("for i{} in range(x):\n", i);
  bytes += std::string(44, ' ') + "x = x + dist.get_rank()\n" + std::string(44, ' ') + "dist.barrier()\n";
  EXPECT_FALSE(result_of(bytes).empty());
}

TEST(Hostile, ManyContexts) {
  std::string bytes =
      import_line() + "def f(a, b, c, d, e):\n    if a and b and c and d and e:\n        dist.barrier()\n";
  for (int i = 0; i < 32; ++i) {
    bytes += fmt::format("\n\ndef g{}():\n    r = dist.get_rank() == 0\n    f({}, {}, {}, {}, {})\n", i,
                         i & 1 ? "r" : "None", i & 2 ? "r" : "True", i & 4 ? "r" : "True", i & 8 ? "r" : "1",
                         i & 16 ? "r" : "1");
  }
  EXPECT_FALSE(result_of(bytes).empty());
}

TEST(Hostile, BrokenCode) {
  result_of("import torch.distributed as dist\ndef f(:\n  if dist.get_rank( == 0:\n dist.all_reduce(\n");
  result_of(
      "from torch.distributed import *\nall_reduce(*args, **kwargs)\nbroadcast()\nnew_group(*x)\n[dist.barrier() "
      "for]\n");
  result_of(import_line() +
            "dist.all_reduce\ndist.broadcast(src=)\ndist.all_gather(group=None)\nmesh[()]\nx[dist.get_rank()] = 1\n");
}

}  // namespace
}  // namespace lockstep::mesh
