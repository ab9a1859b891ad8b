// What the ranks of a group surely agree on; and that nothing is said of what is not known.
#include "mesh/agreement.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "program/link.h"
#include "python/tree_walk.h"

namespace lockstep::mesh {
namespace {

/// "pp", "pp by name", "part pp": what is known of the `if`s around the only all_reduce of `f`; empty for nothing.
std::string agreed(const std::string& source) {
  std::vector<program::SourceFile> files;
  files.push_back({"a.py", python::extract_facts(source)});
  const program::Program program = program::link(std::move(files), {});
  const MeshAnalysis mesh = analyse_mesh(program, {});
  const program::FunctionId function = program.find_function("a.f");
  const auto sites = function.valid() ? mesh.collectives_of(function) : std::span<const CollectiveSite>();
  EXPECT_EQ(sites.size(), 1u) << source;
  if (sites.size() != 1) return "no site";
  std::vector<const python::Expr*> conditions;
  python::walk_statements(*program.functions()[function].node, python::Nested::kSkip, [&](const python::Stmt* one) {
    const auto* branch = python::as<python::If>(one);
    if (branch != nullptr && branch->span.contains(sites[0].call->span)) conditions.push_back(branch->condition);
  });
  std::string out;
  for (const AgreedCondition& one : agreement_on(program, mesh, sites[0], function, conditions).conditions) {
    out += fmt::format("{}{}{}{}", out.empty() ? "" : "; ", one.is_whole ? "" : "part ", join(one.along, " and "),
                       one.is_by_name ? " by name" : "");
  }
  return out;
}

/// The same of `if condition:` around an all_reduce over `group`.
std::string agreed(const std::string& condition, const std::string& group, const std::string& others = {}) {
  return agreed("import torch.distributed as dist\nfrom megatron.core import parallel_state as mpu\n\n" + others +
                "\n\ndef f(x, args, pgs, tp_group, dp_group, cp_group, ep_group, pp_group, group):\n    if " +
                condition + ":\n        dist.all_reduce(x, group=" + group + ")\n");
}

TEST(Agreement, RanksOfOneStageAgreeOnTheStage) {
  EXPECT_EQ(agreed("mpu.is_pipeline_last_stage()", "tp_group"), "pp");
  EXPECT_EQ(agreed("not mpu.is_pipeline_last_stage()", "dp_group"), "pp");
  EXPECT_EQ(agreed("mpu.is_pipeline_last_stage() and args.x", "dp_group"), "part pp");
  EXPECT_EQ(agreed("mpu.is_pipeline_last_stage() and mpu.get_data_parallel_world_size() > 1", "dp_group"), "pp");
  EXPECT_EQ(agreed("pp_group.rank() == pp_group.size() - 1", "ep_group"), "pp");
  EXPECT_EQ(agreed("dist.get_rank(group=pp_group) == 0", "tp_group"), "pp");
  EXPECT_EQ(agreed("pgs.pp_has_last_stage", "dp_group"), "pp by name");
  EXPECT_EQ(agreed("mpu.get_tensor_model_parallel_rank() == 0", "dp_group"), "tp");
}

TEST(Agreement, NothingIsSaidOfWhatTheGroupSpans) {
  EXPECT_EQ(agreed("mpu.is_pipeline_last_stage()", "pp_group"), "");
  EXPECT_EQ(agreed("mpu.get_tensor_model_parallel_rank() == 0", "tp_group"), "");
  EXPECT_EQ(agreed("mpu.is_pipeline_last_stage() and mpu.get_tensor_model_parallel_rank() == 0", "tp_group"), "");
  EXPECT_EQ(agreed("mpu.is_pipeline_last_stage()", "None"), "");
}

/// Experts cut the same ranks in another way; what is left for data parallelism may hold context parallelism.
TEST(Agreement, DimensionsThatAreNotApart) {
  EXPECT_EQ(agreed("mpu.get_tensor_model_parallel_rank() == 0", "ep_group"), "");
  EXPECT_EQ(agreed("mpu.get_context_parallel_rank() == 0", "dp_group"), "");
  EXPECT_EQ(agreed("mpu.get_context_parallel_rank() == 0", "tp_group"), "cp");
}

TEST(Agreement, NothingIsSaidOfWhatIsNotKnown) {
  EXPECT_EQ(agreed("args.sequence_parallel", "tp_group"), "");
  EXPECT_EQ(agreed("mpu.is_pipeline_last_stage()", "group"), "");
  EXPECT_EQ(agreed("mpu.is_pipeline_last_stage() == args.x", "tp_group"), "");
  EXPECT_EQ(agreed("is_virtual_last_stage", "tp_group"), "");
  EXPECT_EQ(agreed("last()", "tp_group", "def last():\n    return STATE and mpu.is_pipeline_last_stage()\n"), "");
}

TEST(Agreement, FunctionsAndNamesAreFollowed) {
  const std::string helper =
      "def last(group):\n    if group is None:\n        return False\n"
      "    return rank_in(group) == group.size() - 1\n\n\n"
      "def rank_in(group):\n    return group.rank()\n";
  EXPECT_EQ(agreed("last(pp_group)", "tp_group", helper), "pp");
  EXPECT_EQ(agreed("last(group)", "tp_group", helper), "");
  const std::string head = "import torch.distributed as dist\n\n\ndef f(x, pp_group, tp_group, args):\n";
  const std::string tail = "    if at:\n        dist.all_reduce(x, group=tp_group)\n";
  EXPECT_EQ(agreed(head + "    at = pp_group.rank() == 0\n" + tail), "pp");
  EXPECT_EQ(agreed(head + "    at = pp_group.rank() == 0\n    if args.x:\n        at = True\n" + tail), "");
  EXPECT_EQ(agreed(head + "    at = pp_group.rank() == 0\n    for at in args.x:\n        pass\n" + tail), "");
}

/// A field that one method alone sets, and that no other code changes.
TEST(Agreement, FieldsAreFollowed) {
  const std::string cls =
      "import torch.distributed as dist\n\n\nclass A:\n    def __init__(self, pp_group):\n"
      "        self.at = pp_group.rank() == 0\n\n";
  const std::string method =
      "def use(self, x, tp_group):\n        if self.at:\n"
      "            dist.all_reduce(x, group=tp_group)\n\n";
  const auto agreed_in_class = [&](const std::string& others) {
    std::vector<program::SourceFile> files;
    files.push_back({"a.py", python::extract_facts(cls + "    " + method + others)});
    const program::Program program = program::link(std::move(files), {});
    const MeshAnalysis mesh = analyse_mesh(program, {});
    const program::FunctionId use = program.find_function("a.A.use");
    const CollectiveSite& site = mesh.collectives_of(use)[0];
    const python::Expr* condition = nullptr;
    python::walk_of<python::If>(*program.functions()[use].node, python::Nested::kSkip,
                                [&](const python::If* one) { condition = one->condition; });
    return agreement_on(program, mesh, site, use, std::span(&condition, 1)).conditions.size();
  };
  EXPECT_EQ(agreed_in_class(""), 1u);
  EXPECT_EQ(agreed_in_class("    def turn(self, x):\n        self.at = x\n"), 0u);
  EXPECT_EQ(agreed_in_class("\ndef turn(a, x):\n    a.at = x\n"), 0u);
  EXPECT_EQ(agreed_in_class("\ndef turn(a, x):\n    setattr(a, 'at', x)\n"), 0u);
  EXPECT_EQ(agreed_in_class("\nclass B(A):\n    def turn(self, x):\n        self.at = x\n"), 0u);
}

/// One of two groups: neither spans the pipeline.
TEST(Agreement, AGroupThatIsOneOfTwo) {
  EXPECT_EQ(agreed("mpu.is_pipeline_last_stage()", "getattr(pg_collection, 'dp_cp_gtp', None) or pg_collection.dp_cp"),
            "pp");
  EXPECT_EQ(agreed("mpu.is_pipeline_last_stage()", "group or pg_collection.dp_cp"), "");
}

/// A mesh is asked for by name; a flattened one is as wide as what it was made from.
TEST(Agreement, MeshesThatAreAskedForByName) {
  const std::string dims =
      "import torch.distributed as dist\n\n\nclass Dims:\n    def get_optional_mesh(self, name):\n"
      "        return self.table.get(name)\n\n\ndef f(x, stage, dims: Dims):\n";
  EXPECT_EQ(agreed(dims + "    m = Dims().get_optional_mesh(\"loss\")\n    if stage.has_last_stage:\n"
                          "        dist.all_reduce(x, group=m.get_group())\n"),
            "pp by name");
  EXPECT_EQ(agreed(dims + "    m = Dims().get_optional_mesh(\"pp\")\n    if stage.has_last_stage:\n"
                          "        dist.all_reduce(x, group=m.get_group())\n"),
            "");
}

}  // namespace
}  // namespace lockstep::mesh
