#include "program/flow/models.h"

#include <algorithm>
#include <array>

namespace lockstep::program::flow {
namespace {

// Sources: "py" docs.python.org/3/library; "torch" pytorch.org/docs/stable of the module in the name; "mcore"
// Megatron-LM's megatron/core; "te" transformer_engine.pytorch; "triton" triton-lang.org. Sorted by name.
constexpr auto kModels = std::to_array<Model>({
    {"<copy>", Effect::kSpecial},      // internal: elements of a container, places kept
    {"<elements>", Effect::kSpecial},  // internal: elements, as `for` gives them
    {"<next>", Effect::kSpecial},      // internal: next(iterator)
    {"<receiver>", Effect::kSpecial},  // internal: the second argument of super(C, self)
    {"abc.abstractclassmethod", Effect::kIdentity},
    {"abc.abstractmethod", Effect::kIdentity},  // py abc
    {"abc.abstractproperty", Effect::kSpecial},
    {"abc.abstractstaticmethod", Effect::kIdentity},
    {"argparse.ArgumentParser.add_argument", Effect::kKeeps, 9, "type"},  // py argparse
    {"argparse.ArgumentParser.add_argument_group", Effect::kInstance, 0, {}, "argparse.ArgumentParser"},
    {"argparse.ArgumentParser.add_mutually_exclusive_group", Effect::kInstance, 0, {}, "argparse.ArgumentParser"},
    {"argparse.ArgumentParser.add_subparsers", Effect::kInstance, 0, {}, "argparse._SubParsersAction"},
    {"argparse.ArgumentParser.parse_args", Effect::kInstance, 0, {}, "argparse.Namespace"},
    {"argparse.ArgumentParser.set_defaults", Effect::kFields, 0, {}, "argparse.Namespace"},
    {"argparse._SubParsersAction.add_parser", Effect::kInstance, 0, {}, "argparse.ArgumentParser"},
    {"asyncio.create_task", Effect::kIdentity},  // py asyncio-task: the coroutine's result
    {"asyncio.run", Effect::kIdentity},
    {"atexit.register", Effect::kKeeps, 0},  // py atexit
    {"builtins.abs", Effect::kSpecial},
    {"builtins.bool", Effect::kSpecial},
    {"builtins.bytes", Effect::kSpecial},
    {"builtins.classmethod", Effect::kSpecial},  // py functions
    {"builtins.dict", Effect::kDict},
    {"builtins.dir", Effect::kSpecial},
    {"builtins.enumerate", Effect::kRows},
    {"builtins.filter", Effect::kCallsElements, 0},
    {"builtins.float", Effect::kSpecial},
    {"builtins.format", Effect::kSpecial},
    {"builtins.frozenset", Effect::kElements, 0},
    {"builtins.getattr", Effect::kSpecial},
    {"builtins.hash", Effect::kSpecial},
    {"builtins.int", Effect::kSpecial},
    {"builtins.iter", Effect::kSpecial},
    {"builtins.len", Effect::kSpecial},
    {"builtins.list", Effect::kElements, 0},
    {"builtins.map", Effect::kCallsElements, 0},
    {"builtins.max", Effect::kKeeps, 9, "key"},
    {"builtins.min", Effect::kKeeps, 9, "key"},
    {"builtins.next", Effect::kNext, 0},
    {"builtins.property", Effect::kSpecial},
    {"builtins.repr", Effect::kSpecial},
    {"builtins.reversed", Effect::kElements, 0},
    {"builtins.round", Effect::kSpecial},
    {"builtins.set", Effect::kElements, 0},
    {"builtins.setattr", Effect::kSpecial},
    {"builtins.sorted", Effect::kElements, 0},
    {"builtins.staticmethod", Effect::kSpecial},
    {"builtins.str", Effect::kSpecial},
    {"builtins.super", Effect::kSpecial},
    {"builtins.tuple", Effect::kElements, 0},
    {"builtins.type", Effect::kSpecial},
    {"builtins.type.__new__", Effect::kSpecial},
    {"builtins.zip", Effect::kMerge},
    {"collections.OrderedDict", Effect::kDict},  // py collections
    {"collections.defaultdict", Effect::kSpecial},
    {"collections.deque", Effect::kElements, 0},
    {"contextlib.asynccontextmanager", Effect::kIdentity, 0},  // py contextlib: `with` runs the generator
    {"contextlib.contextmanager", Effect::kIdentity, 0},
    {"copy.copy", Effect::kIdentity, 0},  // py copy: the same kind of thing
    {"copy.deepcopy", Effect::kIdentity, 0},
    {"dataclasses.dataclass", Effect::kIdentity, 0},  // py dataclasses
    {"dataclasses.replace", Effect::kIdentity, 0},
    {"functools.cache", Effect::kIdentity, 0},  // py functools
    {"functools.cached_property", Effect::kSpecial},
    {"functools.lru_cache", Effect::kIdentity, 0},
    {"functools.partial", Effect::kPartial, 0},
    {"functools.partialmethod", Effect::kPartial, 0},
    {"functools.reduce", Effect::kReduce, 0},
    {"functools.singledispatch", Effect::kIdentity, 0},
    {"functools.total_ordering", Effect::kIdentity, 0},
    {"functools.wraps", Effect::kDecorator},
    {"importlib.import_module", Effect::kSpecial},  // py importlib
    {"itertools.chain", Effect::kChain},            // py itertools
    {"itertools.cycle", Effect::kElements, 0},
    {"itertools.islice", Effect::kElements, 0},
    {"itertools.product", Effect::kMerge},
    {"itertools.starmap", Effect::kKeeps, 0},
    {"itertools.zip_longest", Effect::kMerge},
    {"multiprocessing.Process", Effect::kKeeps, 1, "target"},  // py multiprocessing
    {"operator.attrgetter", Effect::kDecorator},
    {"threading.Thread", Effect::kKeeps, 1, "target"},  // py threading
    {"threading.Timer", Effect::kKeeps, 1, "function"},
    {"torch.Tensor.apply_", Effect::kKeeps, 0},
    {"torch.Tensor.register_hook", Effect::kKeeps, 0, "hook"},  // torch autograd
    {"torch.Tensor.register_post_accumulate_grad_hook", Effect::kKeeps, 0, "hook"},
    {"torch._dynamo.disable", Effect::kIdentity, 0, "fn"},
    {"torch.autograd.Variable", Effect::kIdentity, 0},
    {"torch.compile", Effect::kIdentity, 0, "model"},  // torch compile: calls the same code
    {"torch.compiler.disable", Effect::kIdentity, 0, "fn"},
    {"torch.cuda.make_graphed_callables", Effect::kIdentity, 0},
    {"torch.distributed.fsdp.FullyShardedDataParallel", Effect::kWraps, 0, "module"},
    {"torch.distributed.fsdp.fully_shard", Effect::kIdentity, 0},
    {"torch.enable_grad", Effect::kIdentity, 0},
    {"torch.func.vmap", Effect::kIdentity, 0},
    {"torch.inference_mode", Effect::kIdentity, 0},
    {"torch.jit.ignore", Effect::kIdentity, 0},
    {"torch.jit.script", Effect::kIdentity, 0},
    {"torch.library.custom_op", Effect::kDecorator},  // torch library
    {"torch.library.impl", Effect::kDecorator},
    {"torch.library.register_fake", Effect::kDecorator},
    {"torch.multiprocessing.Process", Effect::kKeeps, 1, "target"},
    {"torch.multiprocessing.spawn", Effect::kKeeps, 0, "fn"},
    {"torch.nn.DataParallel", Effect::kWraps, 0, "module"},
    {"torch.nn.Module.__call__", Effect::kSpecial},  // torch nn.Module: runs hooks and forward
    {"torch.nn.Module._call_impl", Effect::kSpecial},
    {"torch.nn.Module.add_module", Effect::kSpecial},  // torch nn.Module
    {"torch.nn.Module.apply", Effect::kKeeps, 0, "fn"},
    {"torch.nn.Module.register_backward_hook", Effect::kHook, 0, "hook"},
    {"torch.nn.Module.register_buffer", Effect::kSpecial},
    {"torch.nn.Module.register_forward_hook", Effect::kHook, 0, "hook"},
    {"torch.nn.Module.register_forward_pre_hook", Effect::kHook, 0, "hook"},
    {"torch.nn.Module.register_full_backward_hook", Effect::kHook, 0, "hook"},
    {"torch.nn.Module.register_full_backward_pre_hook", Effect::kHook, 0, "hook"},
    {"torch.nn.Module.register_load_state_dict_post_hook", Effect::kKeeps, 0, "hook"},
    {"torch.nn.Module.register_module", Effect::kSpecial},
    {"torch.nn.Module.register_parameter", Effect::kSpecial},
    {"torch.nn.ModuleDict", Effect::kDict, 0, "modules"},
    {"torch.nn.ModuleList", Effect::kElements, 0, "modules", "modules"},
    {"torch.nn.Parameter", Effect::kInstance, 0, {}, "torch.Tensor"},
    {"torch.nn.Sequential", Effect::kArgumentList},
    {"torch.nn.parallel.DistributedDataParallel", Effect::kWraps, 0, "module"},
    {"torch.nn.parameter.Parameter", Effect::kInstance, 0, {}, "torch.Tensor"},
    {"torch.no_grad", Effect::kIdentity, 0},
    {"torch.utils.checkpoint.checkpoint", Effect::kCalls, 0, "function"},  // torch utils.checkpoint
    {"torch.utils.checkpoint.checkpoint_sequential", Effect::kKeeps, 0},
    {"transformer_engine.pytorch.distributed.checkpoint", Effect::kCalls, 0},
    {"triton.autotune", Effect::kDecorator},  // triton: the kernel stays the kernel
    {"triton.heuristics", Effect::kDecorator},
    {"triton.jit", Effect::kIdentity, 0},
    {"types.MethodType", Effect::kIdentity, 0},
    {"typing.cast", Effect::kIdentity, 1},  // py typing
    {"typing.final", Effect::kIdentity, 0},
    {"typing.overload", Effect::kIdentity, 0},
    {"typing.runtime_checkable", Effect::kIdentity, 0},
    {"weakref.finalize", Effect::kKeeps, 1},  // py weakref
});

// Functions of torch and torch.nn.functional that return one tensor (torch docs, "Creation Ops", "Math operations").
constexpr auto kTensorFunctions = std::to_array<std::string_view>({
    "abs",
    "add",
    "addmm",
    "all",
    "amax",
    "amin",
    "any",
    "arange",
    "argmax",
    "argmin",
    "argsort",
    "as_strided",
    "as_tensor",
    "baddbmm",
    "bincount",
    "bmm",
    "broadcast_to",
    "cat",
    "ceil",
    "clamp",
    "clone",
    "concat",
    "cos",
    "cumsum",
    "diag",
    "div",
    "dot",
    "dropout",
    "einsum",
    "embedding",
    "empty",
    "empty_like",
    "empty_strided",
    "eq",
    "exp",
    "eye",
    "flatten",
    "floor",
    "from_numpy",
    "full",
    "full_like",
    "gather",
    "gelu",
    "ger",
    "histc",
    "index_select",
    "isinf",
    "isnan",
    "layer_norm",
    "linear",
    "linspace",
    "log",
    "log_softmax",
    "logical_and",
    "logical_not",
    "logical_or",
    "masked_fill",
    "masked_select",
    "matmul",
    "maximum",
    "mean",
    "minimum",
    "mm",
    "mul",
    "multinomial",
    "ne",
    "neg",
    "nonzero",
    "norm",
    "normal",
    "one_hot",
    "ones",
    "ones_like",
    "outer",
    "pad",
    "permute",
    "pow",
    "prod",
    "rand",
    "rand_like",
    "randint",
    "randn",
    "randn_like",
    "randperm",
    "reciprocal",
    "relu",
    "repeat_interleave",
    "reshape",
    "round",
    "rsqrt",
    "scaled_dot_product_attention",
    "scatter",
    "sigmoid",
    "sign",
    "silu",
    "sin",
    "softmax",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "sub",
    "sum",
    "t",
    "tanh",
    "tensor",
    "tile",
    "transpose",
    "tril",
    "triu",
    "unsqueeze",
    "vstack",
    "where",
    "zeros",
    "zeros_like",
});

// Methods of torch.Tensor that do not return a tensor (torch.Tensor docs); all others are taken to.
constexpr auto kNotTensorMethods = std::to_array<std::string_view>({
    "backward",
    "chunk",
    "data_ptr",
    "dim",
    "element_size",
    "get_device",
    "is_complex",
    "is_contiguous",
    "is_floating_point",
    "is_pinned",
    "is_shared",
    "item",
    "max",
    "min",
    "nbytes",
    "ndimension",
    "nelement",
    "numel",
    "numpy",
    "register_hook",
    "register_post_accumulate_grad_hook",
    "size",
    "sort",
    "split",
    "storage",
    "stride",
    "tolist",
    "topk",
    "type",
    "unbind",
    "unique",
    "untyped_storage",
});

// Functions of torch, and methods of tensors of the same name, that return several tensors (torch docs).
constexpr auto kSeveralTensors = std::to_array<std::string_view>(
    {"broadcast_tensors", "chunk", "hsplit", "meshgrid", "sort", "split", "tensor_split", "topk", "unbind", "vsplit"});

// Methods of torch.nn.Module (torch.nn.Module docs): other names are fields that the class sets in ways not seen here.
constexpr auto kModuleMethods = std::to_array<std::string_view>({
    "__call__",
    "__delattr__",
    "__dir__",
    "__getattr__",
    "__init__",
    "__repr__",
    "__setattr__",
    "__setstate__",
    "_apply",
    "_call_impl",
    "_get_backward_hooks",
    "_get_name",
    "_load_from_state_dict",
    "_named_members",
    "_register_load_state_dict_pre_hook",
    "_register_state_dict_hook",
    "_save_to_state_dict",
    "_wrapped_call_impl",
    "add_module",
    "apply",
    "bfloat16",
    "buffers",
    "children",
    "compile",
    "cpu",
    "cuda",
    "double",
    "eval",
    "extra_repr",
    "float",
    "forward",
    "get_buffer",
    "get_extra_state",
    "get_parameter",
    "get_submodule",
    "half",
    "ipu",
    "load_state_dict",
    "modules",
    "mtia",
    "named_buffers",
    "named_children",
    "named_modules",
    "named_parameters",
    "parameters",
    "register_backward_hook",
    "register_buffer",
    "register_forward_hook",
    "register_forward_pre_hook",
    "register_full_backward_hook",
    "register_full_backward_pre_hook",
    "register_load_state_dict_post_hook",
    "register_load_state_dict_pre_hook",
    "register_module",
    "register_parameter",
    "register_state_dict_post_hook",
    "register_state_dict_pre_hook",
    "requires_grad_",
    "set_extra_state",
    "set_submodule",
    "share_memory",
    "state_dict",
    "to",
    "to_empty",
    "train",
    "type",
    "xpu",
    "zero_grad",
});

struct BuiltinMethods {
  std::string_view type;
  std::string_view methods;
};

// Public methods of built-in classes, dir() of Python 3.13.
constexpr auto kBuiltinMethods = std::to_array<BuiltinMethods>({
    {"bool", "as_integer_ratio bit_count bit_length conjugate from_bytes is_integer to_bytes"},
    {"bytes",
     "capitalize center count decode endswith expandtabs find fromhex hex index isalnum isalpha isascii isdigit "
     "islower isspace istitle isupper join ljust lower lstrip maketrans partition removeprefix removesuffix "
     "replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title "
     "translate upper zfill"},
    {"dict", "clear copy fromkeys get items keys pop popitem setdefault update values"},
    {"float", "as_integer_ratio conjugate fromhex hex is_integer"},
    {"frozenset", "copy difference intersection isdisjoint issubset issuperset symmetric_difference union"},
    {"int", "as_integer_ratio bit_count bit_length conjugate from_bytes is_integer to_bytes"},
    {"list", "append clear copy count extend index insert pop remove reverse sort"},
    {"set",
     "add clear copy difference difference_update discard intersection intersection_update isdisjoint issubset "
     "issuperset pop remove symmetric_difference symmetric_difference_update union update"},
    {"str",
     "capitalize casefold center count encode endswith expandtabs find format format_map index isalnum isalpha "
     "isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust "
     "lower lstrip maketrans partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit "
     "rstrip split splitlines startswith strip swapcase title translate upper zfill"},
    {"tuple", "count index"},
});

template <std::size_t count>
bool has(const std::array<std::string_view, count>& sorted, std::string_view name) {
  return std::binary_search(sorted.begin(), sorted.end(), name);
}

}  // namespace

std::span<const Model> models() { return kModels; }

const Model* find_model(std::string_view name) {
  const auto before = [](const Model& model, std::string_view wanted) { return model.name < wanted; };
  const auto found = std::lower_bound(kModels.begin(), kModels.end(), name, before);
  return found != kModels.end() && found->name == name ? &*found : nullptr;
}

bool returns_tensor(std::string_view function) {
  const std::string_view prefix = function.substr(0, function.rfind('.') + 1);
  if (prefix != "torch." && prefix != "torch.nn.functional.") return false;
  return has(kTensorFunctions, function.substr(prefix.size()));
}

bool returns_tensors(std::string_view function) {
  const std::size_t dot = function.rfind('.');
  if (dot == std::string_view::npos) return false;
  const std::string_view owner = function.substr(0, dot);
  return (owner == "torch" || owner == "torch.Tensor") && has(kSeveralTensors, function.substr(dot + 1));
}

bool tensor_method_returns_tensor(std::string_view name) { return !has(kNotTensorMethods, name); }

bool may_have_method(std::string_view type, std::string_view method) {
  if (!type.starts_with("builtins.") || method.starts_with("__")) return true;
  const auto row = std::find_if(kBuiltinMethods.begin(), kBuiltinMethods.end(),
                                [&](const BuiltinMethods& each) { return each.type == type.substr(9); });
  if (row == kBuiltinMethods.end()) return true;
  for (std::string_view rest = row->methods; !rest.empty();) {
    const std::size_t end = rest.find(' ');
    if (rest.substr(0, end) == method) return true;
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  }
  return false;
}

bool is_module_method(std::string_view name) { return has(kModuleMethods, name); }

bool module_method_returns_self(std::string_view name) {
  static constexpr std::string_view kMethods[] = {
      "apply", "bfloat16",       "cpu",          "cuda", "double",   "eval",  "float", "half", "ipu",
      "mtia",  "requires_grad_", "share_memory", "to",   "to_empty", "train", "type",  "xpu"};
  return std::find(std::begin(kMethods), std::end(kMethods), name) != std::end(kMethods);
}

bool is_tensor_class(std::string_view name) {
  return name == "torch.Tensor" || name == "torch.nn.Parameter" || name == "torch.nn.parameter.Parameter" ||
         name == "torch.FloatTensor" || name == "torch.LongTensor" || name == "torch.IntTensor" ||
         name == "torch.BoolTensor" || name == "torch._tensor.Tensor";
}

bool is_module_class(std::string_view name) {
  return name.starts_with("torch.nn.") || name.starts_with("transformer_engine.pytorch.") ||
         name == "pytorch_lightning.LightningModule" || name == "lightning.LightningModule" ||
         name == "transformers.PreTrainedModel";
}

}  // namespace lockstep::program::flow
