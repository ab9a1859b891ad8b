// The declared tables: what functions of torch.distributed and a few other libraries do to ranks. Dotted external names
// in, models out. Nothing of the analysed repository is in here.
#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep::mesh {

/// What a collective does to the values it is given.
enum class CollectiveEffect : std::uint8_t {
  kNone,      ///< barrier, send, new_group
  kBuffer,    ///< Argument `buffer` is the same on all ranks of the group afterwards.
  kSharded,   ///< Argument `buffer` holds this rank's part afterwards.
  kReturned,  ///< The result is the same on all ranks of the group (functional forms).
  kReturnedShard,
};

/// One operation that every rank of a group has to issue. Positions count from 0; -1: there is no such argument.
struct CollectiveModel {
  std::string_view name;       ///< Last part of the dotted name.
  std::string_view operation;  ///< For people and for comparing: "all_gather_into_tensor" for `_all_gather_base`, too.
  CollectiveEffect effect = CollectiveEffect::kNone;
  std::int8_t buffer = -1;  ///< The tensor or list it writes.
  std::int8_t input = -1;   ///< The tensor it reads, where that is another one.
  std::int8_t root = -1;    ///< `src` of a broadcast or scatter, `dst` of a reduce or gather.
  std::int8_t group = -1;
  std::int8_t async_op = -1;
  bool is_point_to_point = false;
  bool creates_group = false;
  bool is_object = false;  ///< Moves pickled objects: shapes may differ.
  bool shapes_must_match =
      false;                  ///< All ranks must pass the same number of elements (measured: hang or wrong values).
  bool always_async = false;  ///< isend, irecv, batch_isend_irecv.
  bool is_of_object = false;  ///< A method of an object that holds the group.
};

/// The model of an external function by its dotted name ("torch.distributed.all_reduce"); null where it is no
/// collective.
const CollectiveModel* find_collective(std::string_view dotted_name);

/// What an external function says about ranks, or how values flow through it.
enum class SourceKind : std::uint8_t {
  kNone,
  kRank,      ///< dist.get_rank(group)
  kNodeRank,  ///< Differs between nodes, or within one: LOCAL_RANK, current_device.
  kWorldSize,
  kGroupRanks,   ///< Global ranks of a group.
  kGlobalRank,   ///< get_global_rank(group, i): along everything but the group.
  kEnvironment,  ///< os.environ.get, os.getenv: by the name asked for.
  kClock,
  kRandom,
  kSeed,  ///< random.seed(x): what is drawn then varies as x does.
  kFileSystem,
  kListing,  ///< Listing of a folder: order and contents.
  kMemory,
  kPure,         ///< The result varies as the arguments do.
  kShaped,       ///< torch.zeros(size…): the extent varies as the arguments do.
  kFilled,       ///< torch.full(size, value), full_like(x, value).
  kLike,         ///< zeros_like(x): the extent of x, no contents.
  kGroupWorld,   ///< An expression for the default group.
  kDeviceMesh,   ///< init_device_mesh
  kSynchronize,  ///< torch.cuda.synchronize(): every handle is done.
  kExit,         ///< sys.exit, os._exit
};
SourceKind find_source(std::string_view dotted_name);

/// How a builtin (a bare name that nothing in the repository binds) passes variation on.
enum class BuiltinKind : std::uint8_t {
  kNone,
  kPure,
  kLength,
  kSorted,
  kSequence,
  kSet,
  kRange,
  kEnumerate,
  kReduce,
  kExit,
  kOpen
};
BuiltinKind find_builtin(std::string_view name);

/// How a method of an unknown object passes variation on.
enum class MethodKind : std::uint8_t {
  kNone,
  kPropagate,   ///< .item(), .sum(), .to(): as the receiver.
  kExtent,      ///< .numel(), .size(), .shape: as the receiver's extent.
  kGrow,        ///< .append(x), .extend(x), .update(x): the receiver takes up x.
  kSetValue,    ///< .fill_(x), .copy_(x): the receiver becomes x.
  kClear,       ///< .zero_()
  kQueueState,  ///< .empty(), .qsize(), .get_nowait() of a queue
  kListing,     ///< Path.iterdir(), .glob()
  kFileSystem,  ///< Path.exists(), .is_file()
  kWait,
};
MethodKind find_method_model(std::string_view name);

}  // namespace lockstep::mesh
