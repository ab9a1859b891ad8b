// Names of groups and ranks, as repositories spell them.
#include "mesh/dimensions.h"

#include <gtest/gtest.h>

namespace lockstep::mesh {
namespace {

std::string group(std::string_view name) {
  const DimensionTable table;
  const auto named = table.group_named(name);
  return named ? table.describe(named->bits) : "-";
}

std::string rank(std::string_view name) {
  const DimensionTable table;
  const auto bits = table.rank_named(name);
  return bits ? table.describe(*bits) : "-";
}

TEST(Names, AreCutIntoWords) {
  EXPECT_EQ(words_of("get_tensor_model_parallel_group"),
            (std::vector<std::string>{"get", "tensor", "model", "parallel", "group"}));
  EXPECT_EQ(words_of("getTensorGroup"), (std::vector<std::string>{"get", "tensor", "group"}));
  EXPECT_EQ(words_of("_TP_GROUP"), (std::vector<std::string>{"tp", "group"}));
  EXPECT_TRUE(words_of("___").empty());
}

/// A dimension may be split into two: a group of one of them holds only some of its ranks.
TEST(Groups, OfAPartOfADimensionHoldSomeOfItsRanks) {
  const DimensionTable table;
  for (const std::string_view part : {"get_outer_fsdp_group", "inner_dp_group", "dp_replicate_group"})
    EXPECT_TRUE(table.group_named(part)->subset_only) << part;
  for (const std::string_view whole : {"fsdp_group", "get_data_parallel_group"})
    EXPECT_FALSE(table.group_named(whole)->subset_only) << whole;
}

TEST(Groups, SpanWhatTheirNamesSay) {
  EXPECT_EQ(group("get_tensor_model_parallel_group"), "tp");
  EXPECT_EQ(group("tp_group"), "tp");
  EXPECT_EQ(group("_PIPELINE_MODEL_PARALLEL_GROUP"), "pp");
  EXPECT_EQ(group("get_data_parallel_group_gloo"), "dp");
  EXPECT_EQ(group("get_tensor_and_context_parallel_group"), "tp and cp");
  EXPECT_EQ(group("get_tensor_and_data_parallel_group"), "tp and dp");
  EXPECT_EQ(group("get_model_parallel_group"), "tp and pp");
  EXPECT_EQ(group("get_expert_model_parallel_group"), "ep");
  EXPECT_EQ(group("get_expert_tensor_parallel_group"), "etp");
  EXPECT_EQ(group("get_expert_tensor_and_model_parallel_group"), "ep and etp");
  EXPECT_EQ(group("get_expert_tensor_model_pipeline_parallel_group"), "pp, ep and etp");
  EXPECT_EQ(group("get_expert_data_parallel_group"), "edp");
  EXPECT_EQ(group("expt_dp_group"), "edp");
  EXPECT_EQ(group("tp_ep_group"), "ep and etp");
  EXPECT_EQ(group("dp_cp_group"), "dp and cp");
  EXPECT_EQ(group("world_group"), "every rank");
  EXPECT_EQ(group("get_embedding_group"), "pp");
}

TEST(Groups, AreNotWhatOnlySpeaksOfThem) {
  for (const char* name :
       {"tp_group_size", "param_groups", "data_parallel_group_ranks", "get_tensor_model_parallel_world_size",
        "create_data_parallel_group", "is_tensor_parallel_group", "group", "num_query_groups", "tensor", "tp_rank",
        "bucket_group"}) {
    EXPECT_EQ(group(name), "-") << name;
  }
}

TEST(Ranks, VaryAlongWhatTheirNamesSay) {
  EXPECT_EQ(rank("get_tensor_model_parallel_rank"), "tp");
  EXPECT_EQ(rank("pp_rank"), "pp");
  EXPECT_EQ(rank("get_data_parallel_rank"), "dp");
  EXPECT_EQ(rank("rank"), "every rank");
  EXPECT_EQ(rank("local_rank"), "every rank");
  EXPECT_EQ(rank("global_rank"), "every rank");
}

TEST(Ranks, AreNotThoseOfOthers) {
  for (const char* name : {"src_rank", "get_tensor_model_parallel_src_rank", "lora_rank", "num_ranks", "ranks",
                           "next_rank", "get_virtual_pipeline_model_parallel_rank", "world_size", "rank_offset"}) {
    EXPECT_EQ(rank(name), "-") << name;
  }
}

TEST(Dimensions, OfMeshesAreAddedByName) {
  DimensionTable table;
  EXPECT_EQ(table.describe(table.mesh_dimension("tp")), "tp");
  EXPECT_EQ(table.describe(table.mesh_dimension("dp_shard")), "dp");
  EXPECT_EQ(table.describe(table.mesh_dimension("loss")), "dp and cp");
  EXPECT_EQ(table.mesh_dimension("world"), kEveryRank);
  const Bits rows = table.mesh_dimension("rows");
  EXPECT_EQ(rows, table.mesh_dimension("rows"));
  EXPECT_NE(rows, table.mesh_dimension("columns"));
  EXPECT_EQ(table.describe(rows), "rows");
}

TEST(Dimensions, BeyondThirtyTwoAreNotFollowed) {
  DimensionTable table;
  for (int i = 0; i < 100; ++i)
    table.mesh_dimension("axis" + std::string(1, static_cast<char>('a' + i % 26)) + std::to_string(i));
  EXPECT_LE(table.names().size(), 32u);
  EXPECT_EQ(table.mesh_dimension("onemore"), Bits{0});
}

}  // namespace
}  // namespace lockstep::mesh
