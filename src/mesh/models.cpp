#include "mesh/models.h"

#include <algorithm>
#include <array>

namespace lockstep::mesh {
namespace {

using Effect = CollectiveEffect;

/// torch.distributed (torch 2.x; the positions are those of its signatures). Sorted by name.
constexpr CollectiveModel kCollectives[] = {
    {.name = "_all_gather_base",
     .operation = "all_gather_into_tensor",
     .effect = Effect::kBuffer,
     .buffer = 0,
     .input = 1,
     .group = 2,
     .async_op = 3,
     .shapes_must_match = true},
    {.name = "_reduce_scatter_base",
     .operation = "reduce_scatter_tensor",
     .effect = Effect::kSharded,
     .buffer = 0,
     .input = 1,
     .group = 3,
     .async_op = 4,
     .shapes_must_match = true},
    {.name = "all_gather",
     .operation = "all_gather",
     .effect = Effect::kBuffer,
     .buffer = 0,
     .input = 1,
     .group = 2,
     .async_op = 3},
    {.name = "all_gather_coalesced",
     .operation = "all_gather_coalesced",
     .effect = Effect::kBuffer,
     .buffer = 0,
     .input = 1,
     .group = 2,
     .async_op = 3},
    {.name = "all_gather_into_tensor",
     .operation = "all_gather_into_tensor",
     .effect = Effect::kBuffer,
     .buffer = 0,
     .input = 1,
     .group = 2,
     .async_op = 3,
     .shapes_must_match = true},
    {.name = "all_gather_object",
     .operation = "all_gather_object",
     .effect = Effect::kBuffer,
     .buffer = 0,
     .input = 1,
     .group = 2,
     .is_object = true},
    {.name = "all_reduce",
     .operation = "all_reduce",
     .effect = Effect::kBuffer,
     .buffer = 0,
     .group = 2,
     .async_op = 3,
     .shapes_must_match = true},
    {.name = "all_reduce_coalesced",
     .operation = "all_reduce_coalesced",
     .effect = Effect::kBuffer,
     .buffer = 0,
     .group = 2,
     .async_op = 3,
     .shapes_must_match = true},
    {.name = "all_to_all",
     .operation = "all_to_all",
     .effect = Effect::kSharded,
     .buffer = 0,
     .input = 1,
     .group = 2,
     .async_op = 3},
    {.name = "all_to_all_single",
     .operation = "all_to_all_single",
     .effect = Effect::kSharded,
     .buffer = 0,
     .input = 1,
     .group = 4,
     .async_op = 5},
    {.name = "barrier", .operation = "barrier", .group = 0, .async_op = 1},
    {.name = "batch_isend_irecv", .operation = "batch_isend_irecv", .is_point_to_point = true, .always_async = true},
    {.name = "broadcast",
     .operation = "broadcast",
     .effect = Effect::kBuffer,
     .buffer = 0,
     .root = 1,
     .group = 2,
     .async_op = 3,
     .shapes_must_match = true},
    {.name = "broadcast_object_list",
     .operation = "broadcast_object_list",
     .effect = Effect::kBuffer,
     .buffer = 0,
     .root = 1,
     .group = 2,
     .is_object = true},
    {.name = "gather",
     .operation = "gather",
     .effect = Effect::kNone,
     .buffer = 1,
     .input = 0,
     .root = 2,
     .group = 3,
     .async_op = 4},
    {.name = "gather_object",
     .operation = "gather_object",
     .effect = Effect::kNone,
     .buffer = 1,
     .input = 0,
     .root = 2,
     .group = 3,
     .is_object = true},
    {.name = "irecv", .operation = "irecv", .buffer = 0, .group = 2, .is_point_to_point = true, .always_async = true},
    {.name = "isend", .operation = "isend", .buffer = 0, .group = 2, .is_point_to_point = true, .always_async = true},
    {.name = "monitored_barrier", .operation = "monitored_barrier", .group = 0},
    {.name = "new_group", .operation = "new_group", .creates_group = true},
    {.name = "new_subgroups", .operation = "new_subgroups", .creates_group = true},
    {.name = "new_subgroups_by_enumeration", .operation = "new_subgroups_by_enumeration", .creates_group = true},
    {.name = "recv", .operation = "recv", .buffer = 0, .group = 2, .is_point_to_point = true},
    {.name = "recv_object_list",
     .operation = "recv_object_list",
     .buffer = 0,
     .group = 2,
     .is_point_to_point = true,
     .is_object = true},
    {.name = "reduce",
     .operation = "reduce",
     .effect = Effect::kNone,
     .buffer = 0,
     .root = 1,
     .group = 3,
     .async_op = 4,
     .shapes_must_match = true},
    {.name = "reduce_scatter",
     .operation = "reduce_scatter",
     .effect = Effect::kSharded,
     .buffer = 0,
     .input = 1,
     .group = 3,
     .async_op = 4},
    {.name = "reduce_scatter_tensor",
     .operation = "reduce_scatter_tensor",
     .effect = Effect::kSharded,
     .buffer = 0,
     .input = 1,
     .group = 3,
     .async_op = 4,
     .shapes_must_match = true},
    {.name = "ring_exchange", .operation = "ring_exchange", .is_point_to_point = true},
    {.name = "scatter",
     .operation = "scatter",
     .effect = Effect::kSharded,
     .buffer = 0,
     .root = 2,
     .group = 3,
     .async_op = 4},
    {.name = "scatter_object_list",
     .operation = "scatter_object_list",
     .effect = Effect::kSharded,
     .buffer = 0,
     .root = 2,
     .group = 3,
     .is_object = true},
    {.name = "send", .operation = "send", .buffer = 0, .group = 2, .is_point_to_point = true},
    {.name = "send_object_list",
     .operation = "send_object_list",
     .buffer = 0,
     .group = 2,
     .is_point_to_point = true,
     .is_object = true},
};

/// torch.distributed._functional_collectives and torch.distributed.nn.functional: they return the result. Sorted.
constexpr CollectiveModel kFunctional[] = {
    {.name = "all_gather", .operation = "all_gather", .effect = Effect::kReturned, .buffer = 0, .group = 1},
    {.name = "all_gather_tensor",
     .operation = "all_gather_into_tensor",
     .effect = Effect::kReturned,
     .buffer = 0,
     .group = 2},
    {.name = "all_gather_tensor_autograd",
     .operation = "all_gather_into_tensor",
     .effect = Effect::kReturned,
     .buffer = 0,
     .group = 2},
    {.name = "all_reduce", .operation = "all_reduce", .effect = Effect::kReturned, .buffer = 0, .group = 2},
    {.name = "all_to_all_single",
     .operation = "all_to_all_single",
     .effect = Effect::kReturnedShard,
     .buffer = 0,
     .group = 3},
    {.name = "all_to_all_single_autograd",
     .operation = "all_to_all_single",
     .effect = Effect::kReturnedShard,
     .buffer = 0,
     .group = 3},
    {.name = "broadcast", .operation = "broadcast", .effect = Effect::kReturned, .buffer = 0, .root = 1, .group = 2},
    {.name = "reduce_scatter_tensor",
     .operation = "reduce_scatter_tensor",
     .effect = Effect::kReturnedShard,
     .buffer = 0,
     .group = 3},
    {.name = "reduce_scatter_tensor_autograd",
     .operation = "reduce_scatter_tensor",
     .effect = Effect::kReturnedShard,
     .buffer = 0,
     .group = 3},
};

/// Methods of torch.distributed.checkpoint.utils._DistWrapper: each has all ranks of its group meet. What they carry
/// are pickled objects, some of which only the coordinator gets.
constexpr CollectiveModel kCheckpointWrapper[] = {
    {.name = "all_gather_object", .operation = "all_gather_object", .is_object = true, .is_of_object = true},
    {.name = "all_reduce", .operation = "all_reduce", .is_object = true, .is_of_object = true},
    {.name = "barrier", .operation = "barrier", .is_of_object = true},
    {.name = "broadcast", .operation = "broadcast", .is_object = true, .is_of_object = true},
    {.name = "broadcast_object", .operation = "broadcast_object_list", .is_object = true, .is_of_object = true},
    {.name = "gather_object", .operation = "gather_object", .is_object = true, .is_of_object = true},
    {.name = "reduce_scatter", .operation = "reduce_scatter", .is_object = true, .is_of_object = true},
    {.name = "scatter_object", .operation = "scatter_object_list", .is_object = true, .is_of_object = true},
};

constexpr CollectiveModel kInitDeviceMesh = {
    .name = "init_device_mesh", .operation = "init_device_mesh", .creates_group = true};
/// accelerate, deepspeed and friends: barriers under another name.
constexpr CollectiveModel kWaitForEveryone = {.name = "wait_for_everyone", .operation = "barrier"};

template <std::size_t N>
const CollectiveModel* find_in(const CollectiveModel (&table)[N], std::string_view name) {
  const auto* found = std::lower_bound(std::begin(table), std::end(table), name,
                                       [](const CollectiveModel& row, std::string_view key) { return row.name < key; });
  return found != std::end(table) && found->name == name ? found : nullptr;
}

std::string_view last_part(std::string_view dotted) {
  const auto dot = dotted.rfind('.');
  return dot == std::string_view::npos ? dotted : dotted.substr(dot + 1);
}

bool contains_functional(std::string_view dotted) {
  return dotted.find("._functional_collectives.") != std::string_view::npos ||
         dotted.find("distributed.nn.") != std::string_view::npos;
}

struct NamedSource {
  std::string_view name;
  SourceKind kind;
};

/// Whole dotted names. Sorted.
constexpr NamedSource kSources[] = {
    {"datetime.datetime.now", SourceKind::kClock},
    {"glob.glob", SourceKind::kListing},
    {"glob.iglob", SourceKind::kListing},
    {"math.ceil", SourceKind::kPure},
    {"math.floor", SourceKind::kPure},
    {"numpy.array", SourceKind::kPure},
    {"numpy.random.choice", SourceKind::kRandom},
    {"numpy.random.permutation", SourceKind::kRandom},
    {"numpy.random.rand", SourceKind::kRandom},
    {"numpy.random.randint", SourceKind::kRandom},
    {"numpy.random.seed", SourceKind::kSeed},
    {"numpy.random.uniform", SourceKind::kRandom},
    {"os._exit", SourceKind::kExit},
    {"os.environ.get", SourceKind::kEnvironment},
    {"os.getenv", SourceKind::kEnvironment},
    {"os.listdir", SourceKind::kListing},
    {"os.path.exists", SourceKind::kFileSystem},
    {"os.path.isdir", SourceKind::kFileSystem},
    {"os.path.isfile", SourceKind::kFileSystem},
    {"os.scandir", SourceKind::kListing},
    {"os.walk", SourceKind::kListing},
    {"psutil.virtual_memory", SourceKind::kMemory},
    {"random.choice", SourceKind::kRandom},
    {"random.randint", SourceKind::kRandom},
    {"random.random", SourceKind::kRandom},
    {"random.randrange", SourceKind::kRandom},
    {"random.sample", SourceKind::kRandom},
    {"random.seed", SourceKind::kSeed},
    {"random.uniform", SourceKind::kRandom},
    {"sys.exit", SourceKind::kExit},
    {"time.monotonic", SourceKind::kClock},
    {"time.perf_counter", SourceKind::kClock},
    {"time.time", SourceKind::kClock},
    {"torch.abs", SourceKind::kPure},
    {"torch.all", SourceKind::kPure},
    {"torch.any", SourceKind::kPure},
    {"torch.arange", SourceKind::kShaped},
    {"torch.as_tensor", SourceKind::kPure},
    {"torch.cat", SourceKind::kPure},
    {"torch.cuda.current_device", SourceKind::kNodeRank},
    {"torch.cuda.max_memory_allocated", SourceKind::kMemory},
    {"torch.cuda.mem_get_info", SourceKind::kMemory},
    {"torch.cuda.memory_allocated", SourceKind::kMemory},
    {"torch.cuda.memory_reserved", SourceKind::kMemory},
    {"torch.cuda.synchronize", SourceKind::kSynchronize},
    {"torch.empty", SourceKind::kShaped},
    {"torch.empty_like", SourceKind::kLike},
    {"torch.from_numpy", SourceKind::kPure},
    {"torch.full", SourceKind::kFilled},
    {"torch.full_like", SourceKind::kFilled},
    {"torch.isfinite", SourceKind::kPure},
    {"torch.isinf", SourceKind::kPure},
    {"torch.isnan", SourceKind::kPure},
    {"torch.max", SourceKind::kPure},
    {"torch.mean", SourceKind::kPure},
    {"torch.min", SourceKind::kPure},
    {"torch.nonzero", SourceKind::kPure},
    {"torch.npu.current_device", SourceKind::kNodeRank},
    {"torch.ones", SourceKind::kShaped},
    {"torch.ones_like", SourceKind::kLike},
    {"torch.rand", SourceKind::kShaped},
    {"torch.randn", SourceKind::kShaped},
    {"torch.stack", SourceKind::kPure},
    {"torch.sum", SourceKind::kPure},
    {"torch.tensor", SourceKind::kPure},
    {"torch.xpu.current_device", SourceKind::kNodeRank},
    {"torch.zeros", SourceKind::kShaped},
    {"torch.zeros_like", SourceKind::kLike},
};

/// Functions of torch.distributed that ask for ranks, by their last part.
SourceKind distributed_source(std::string_view name) {
  if (name == "get_rank") return SourceKind::kRank;
  if (name == "get_node_local_rank") return SourceKind::kNodeRank;
  if (name == "get_world_size") return SourceKind::kWorldSize;
  if (name == "get_process_group_ranks") return SourceKind::kGroupRanks;
  if (name == "get_global_rank") return SourceKind::kGlobalRank;
  if (name == "_get_default_group") return SourceKind::kGroupWorld;
  if (name == "init_device_mesh") return SourceKind::kDeviceMesh;
  return SourceKind::kNone;
}

bool is_distributed(std::string_view dotted) {
  return dotted.starts_with("torch.distributed.") || dotted.starts_with("deepspeed.comm.") ||
         dotted.starts_with("torch_npu.distributed.");
}

template <class Kind>
struct Row {
  std::string_view name;
  Kind kind;
};

template <class Kind, std::size_t N>
Kind kind_in(const Row<Kind> (&table)[N], std::string_view name) {
  const auto* found = std::lower_bound(std::begin(table), std::end(table), name,
                                       [](const Row<Kind>& row, std::string_view key) { return row.name < key; });
  return found != std::end(table) && found->name == name ? found->kind : Kind::kNone;
}

using B = BuiltinKind;
constexpr Row<B> kBuiltins[] = {
    {"abs", B::kPure},
    {"all", B::kReduce},
    {"any", B::kReduce},
    {"bool", B::kPure},
    {"dict", B::kSequence},
    {"divmod", B::kPure},
    {"enumerate", B::kEnumerate},
    {"exit", B::kExit},
    {"filter", B::kSequence},
    {"float", B::kPure},
    {"frozenset", B::kSet},
    {"getattr", B::kPure},
    {"int", B::kPure},
    {"iter", B::kSequence},
    {"len", B::kLength},
    {"list", B::kSequence},
    {"max", B::kReduce},
    {"min", B::kReduce},
    {"next", B::kPure},
    {"open", B::kOpen},
    {"quit", B::kExit},
    {"range", B::kRange},
    {"reversed", B::kSequence},
    {"round", B::kPure},
    {"set", B::kSet},
    {"sorted", B::kSorted},
    {"str", B::kPure},
    {"sum", B::kReduce},
    {"tuple", B::kSequence},
    {"zip", B::kEnumerate},
};

using M = MethodKind;
constexpr Row<M> kMethods[] = {
    {"add", M::kGrow},           {"all", M::kPropagate},        {"any", M::kPropagate},
    {"append", M::kGrow},        {"bfloat16", M::kPropagate},   {"bool", M::kPropagate},
    {"clone", M::kPropagate},    {"contiguous", M::kPropagate}, {"copy", M::kPropagate},
    {"copy_", M::kSetValue},     {"cpu", M::kPropagate},        {"cuda", M::kPropagate},
    {"detach", M::kPropagate},   {"double", M::kPropagate},     {"empty", M::kQueueState},
    {"endswith", M::kPropagate}, {"eq", M::kPropagate},         {"exists", M::kFileSystem},
    {"extend", M::kGrow},        {"fill_", M::kSetValue},       {"flatten", M::kPropagate},
    {"float", M::kPropagate},    {"ge", M::kPropagate},         {"get_nowait", M::kQueueState},
    {"glob", M::kListing},       {"gt", M::kPropagate},         {"half", M::kPropagate},
    {"index", M::kPropagate},    {"insert", M::kGrow},          {"int", M::kPropagate},
    {"is_dir", M::kFileSystem},  {"is_file", M::kFileSystem},   {"item", M::kPropagate},
    {"items", M::kPropagate},    {"iterdir", M::kListing},      {"keys", M::kPropagate},
    {"le", M::kPropagate},       {"long", M::kPropagate},       {"lower", M::kPropagate},
    {"lt", M::kPropagate},       {"max", M::kPropagate},        {"mean", M::kPropagate},
    {"min", M::kPropagate},      {"ne", M::kPropagate},         {"nonzero", M::kPropagate},
    {"norm", M::kPropagate},     {"numel", M::kExtent},         {"numpy", M::kPropagate},
    {"qsize", M::kQueueState},   {"reshape", M::kPropagate},    {"rglob", M::kListing},
    {"size", M::kExtent},        {"split", M::kPropagate},      {"startswith", M::kPropagate},
    {"strip", M::kPropagate},    {"sum", M::kPropagate},        {"t", M::kPropagate},
    {"to", M::kPropagate},       {"tolist", M::kPropagate},     {"update", M::kGrow},
    {"values", M::kPropagate},   {"view", M::kPropagate},       {"wait", M::kWait},
    {"zero_", M::kClear},
};

}  // namespace

const CollectiveModel* find_collective(std::string_view dotted_name) {
  if (is_distributed(dotted_name)) {
    const std::string_view name = last_part(dotted_name);
    if (contains_functional(dotted_name)) return find_in(kFunctional, name);
    if (name == "init_device_mesh") return &kInitDeviceMesh;
    if (dotted_name.find(".checkpoint.utils._DistWrapper.") != std::string_view::npos)
      return find_in(kCheckpointWrapper, name);
    if (dotted_name.starts_with("torch.distributed.rpc") || dotted_name.starts_with("torch.distributed.tensor") ||
        dotted_name.starts_with("torch.distributed.checkpoint")) {
      return nullptr;
    }
    return find_in(kCollectives, name);
  }
  const bool waits = dotted_name.starts_with("accelerate.") && last_part(dotted_name) == "wait_for_everyone";
  return waits ? &kWaitForEveryone : nullptr;
}

SourceKind find_source(std::string_view dotted_name) {
  if (is_distributed(dotted_name)) return distributed_source(last_part(dotted_name));
  const auto* found = std::lower_bound(std::begin(kSources), std::end(kSources), dotted_name,
                                       [](const NamedSource& row, std::string_view key) { return row.name < key; });
  return found != std::end(kSources) && found->name == dotted_name ? found->kind : SourceKind::kNone;
}

BuiltinKind find_builtin(std::string_view name) { return kind_in(kBuiltins, name); }
MethodKind find_method_model(std::string_view name) { return kind_in(kMethods, name); }

}  // namespace lockstep::mesh
