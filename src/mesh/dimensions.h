// Names of mesh dimensions and what identifiers say about them: "get_tensor_model_parallel_group", "tp_group",
// "pg_collection.dp_cp", mesh_dim_names=("dp_shard", "tp"). Identifier words in, sets of dimensions out.
//
// Inside the analysis a set of dimensions is 64 bits: named dimensions, then the unnamed groups that one function or
// class knows only as a symbol (a parameter `group`), then "some ranks, along unknown dimensions".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::mesh {

using Bits = std::uint64_t;

inline constexpr int kNamedDimensions = 32;
/// Groups known only as a parameter or a local name of the function at hand.
inline constexpr int kFirstLocalSymbol = 32;
inline constexpr int kLocalSymbols = 16;
/// Groups known only as an attribute of the class at hand.
inline constexpr int kFirstAttributeSymbol = 48;
inline constexpr int kAttributeSymbols = 14;
/// Varies between some ranks, but along which dimensions cannot be told: `rank // 8`, `rank in ranks`.
inline constexpr Bits kSomeRanks = Bits{1} << 62;
/// One rank stands apart, but which cannot be told (`rank == src`): groups of such ranks alone may well exist.
inline constexpr Bits kOneRank = Bits{1} << 63;
inline constexpr Bits kEveryRank = ~Bits{0};
inline constexpr Bits kNamedBits = (Bits{1} << kNamedDimensions) - 1;

/// Lower-case words of an identifier: "getTensorParallelGroup" and "get_tensor_parallel_group" alike.
std::vector<std::string> words_of(std::string_view identifier);

/// What the words of an identifier say. `bits` is kEveryRank for "world".
struct NamedDimensions {
  Bits bits = 0;
  bool subset_only = false;  ///< The group holds only some ranks along its dimensions (embedding groups).
};

/// The repository's dimensions: the well-known ones have fixed bits, others are added as mesh_dim_names bring them.
class DimensionTable {
 public:
  DimensionTable();

  /// Dimensions in an identifier ("tensor_and_context_parallel": tp, cp); no bits where it names none.
  [[nodiscard]] NamedDimensions dimensions_in(std::string_view identifier) const;
  /// The process group that a name surely stands for; none where the name does not say "group".
  [[nodiscard]] std::optional<NamedDimensions> group_named(std::string_view identifier) const;
  /// The rank that a name stands for ("tensor_model_parallel_rank", "local_rank", "rank"): along which dimensions it
  /// varies. None for names that are no rank of this process (src_rank, world_size, lora_rank, num_ranks).
  [[nodiscard]] std::optional<Bits> rank_named(std::string_view identifier) const;
  /// A role that only some ranks have: "is_first_stage", "is_main_process". Bits along which it varies.
  [[nodiscard]] std::optional<Bits> role_named(std::string_view identifier) const;
  /// True for "is_rank_in_embedding_group", "is_in_group": membership of a group.
  [[nodiscard]] static bool is_membership_name(std::string_view identifier);
  /// True for names of things that count: ranks, ids, sizes.
  [[nodiscard]] static bool is_number_name(std::string_view identifier);
  /// True for names of values that are the same everywhere by definition: world sizes.
  [[nodiscard]] static bool is_size_name(std::string_view identifier);
  /// True for objects whose fields are process groups: "pg_collection", "process_groups".
  [[nodiscard]] static bool is_group_holder(std::string_view identifier);
  /// True for names of device meshes.
  [[nodiscard]] static bool is_mesh_name(std::string_view identifier);

  /// Dimensions of one entry of mesh_dim_names; adds a new dimension for a word that is not known.
  Bits mesh_dimension(std::string_view name);
  /// Bit of a dimension by its own name, added if need be; no bits when all 32 are taken.
  Bits named(std::string_view name);

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// "tp", "dp and cp", "every rank".
  [[nodiscard]] std::string describe(Bits bits) const;
  /// "tensor-parallel group (tp)", "the group over dp and cp", "all ranks".
  [[nodiscard]] std::string describe_group(Bits bits) const;

 private:
  std::vector<std::string> names_;
};

}  // namespace lockstep::mesh
