#include "program/flow/models.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lockstep::program::flow {
namespace {

// Sources: "py" docs.python.org/3/library; "torch" pytorch.org/docs/stable of the module in the name; "mcore"
// Megatron-LM's megatron/core; "te" transformer_engine.pytorch; "triton" triton-lang.org. Sorted by name.
constexpr auto kModels = std::to_array<Model>({
    {"<copy>", Effect::kSpecial},      // internal: elements of a container, places kept
    {"<elements>", Effect::kSpecial},  // internal: elements, as `for` gives them
    {"<next>", Effect::kSpecial},      // internal: next(iterator)
    {"<receiver>", Effect::kSpecial},  // internal: the second argument of super(C, self)
    {"<record>", Effect::kSpecial},    // internal: what a field's default_factory makes
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
    {"attr.ib", Effect::kField},             // attrs docs
    {"attrs.field", Effect::kField},
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
    {"builtins.max", Effect::kBest},
    {"builtins.min", Effect::kBest},
    {"builtins.next", Effect::kNext, 0},
    {"builtins.open", Effect::kInstance, 0, {}, "io.TextIOWrapper"},
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
    {"dataclasses.field", Effect::kField},            // py dataclasses
    {"dataclasses.replace", Effect::kIdentity, 0},
    {"decorator.decorator", Effect::kDecorator},  // decorator docs: calls the decorated function through another
    {"einops.rearrange", Effect::kInstance, 0, {}, "torch.Tensor"},  // einops docs
    {"einops.reduce", Effect::kInstance, 0, {}, "torch.Tensor"},
    {"einops.repeat", Effect::kInstance, 0, {}, "torch.Tensor"},
    {"functools.cache", Effect::kIdentity, 0},  // py functools
    {"functools.cached_property", Effect::kSpecial},
    {"functools.lru_cache", Effect::kIdentity, 0},
    {"functools.partial", Effect::kPartial, 0},
    {"functools.partialmethod", Effect::kPartial, 0},
    {"functools.reduce", Effect::kReduce, 0},
    {"functools.singledispatch", Effect::kIdentity, 0},
    {"functools.total_ordering", Effect::kIdentity, 0},
    {"functools.wraps", Effect::kDecorator},
    {"importlib.import_module", Effect::kSpecial},                         // py importlib
    {"inspect.signature", Effect::kInstance, 0, {}, "inspect.Signature"},  // py inspect
    {"io.TextIOWrapper.read", Effect::kInstance, 0, {}, "builtins.str"},   // py io
    {"io.TextIOWrapper.readline", Effect::kInstance, 0, {}, "builtins.str"},
    {"itertools.chain", Effect::kChain},  // py itertools
    {"itertools.cycle", Effect::kElements, 0},
    {"itertools.islice", Effect::kElements, 0},
    {"itertools.product", Effect::kMerge},
    {"itertools.starmap", Effect::kKeeps, 0},
    {"itertools.zip_longest", Effect::kMerge},
    {"json.dumps", Effect::kInstance, 0, {}, "builtins.str"},           // py json
    {"logging.getLogger", Effect::kInstance, 0, {}, "logging.Logger"},  // py logging
    {"multiprocessing.Process", Effect::kKeeps, 1, "target"},           // py multiprocessing
    {"operator.attrgetter", Effect::kDecorator},
    {"os.environ.get", Effect::kInstance, 0, {}, "builtins.str"},  // py os
    {"os.getcwd", Effect::kInstance, 0, {}, "builtins.str"},
    {"os.getenv", Effect::kInstance, 0, {}, "builtins.str"},
    {"os.path.abspath", Effect::kInstance, 0, {}, "builtins.str"},  // py os.path
    {"os.path.basename", Effect::kInstance, 0, {}, "builtins.str"},
    {"os.path.dirname", Effect::kInstance, 0, {}, "builtins.str"},
    {"os.path.expanduser", Effect::kInstance, 0, {}, "builtins.str"},
    {"os.path.join", Effect::kInstance, 0, {}, "builtins.str"},
    {"os.path.realpath", Effect::kInstance, 0, {}, "builtins.str"},
    {"pathlib.Path.absolute", Effect::kInstance, 0, {}, "pathlib.Path"},  // py pathlib
    {"pathlib.Path.as_posix", Effect::kInstance, 0, {}, "builtins.str"},
    {"pathlib.Path.cwd", Effect::kInstance, 0, {}, "pathlib.Path"},
    {"pathlib.Path.expanduser", Effect::kInstance, 0, {}, "pathlib.Path"},
    {"pathlib.Path.home", Effect::kInstance, 0, {}, "pathlib.Path"},
    {"pathlib.Path.joinpath", Effect::kInstance, 0, {}, "pathlib.Path"},
    {"pathlib.Path.read_text", Effect::kInstance, 0, {}, "builtins.str"},
    {"pathlib.Path.resolve", Effect::kInstance, 0, {}, "pathlib.Path"},
    {"pathlib.Path.with_name", Effect::kInstance, 0, {}, "pathlib.Path"},
    {"pathlib.Path.with_suffix", Effect::kInstance, 0, {}, "pathlib.Path"},
    {"pydantic.Field", Effect::kField},  // pydantic docs, Fields
    {"pydantic.fields.Field", Effect::kField},
    {"re.Match.group", Effect::kInstance, 0, {}, "builtins.str"},
    {"re.Pattern.fullmatch", Effect::kInstance, 0, {}, "re.Match"},
    {"re.Pattern.match", Effect::kInstance, 0, {}, "re.Match"},
    {"re.Pattern.search", Effect::kInstance, 0, {}, "re.Match"},
    {"re.compile", Effect::kInstance, 0, {}, "re.Pattern"},  // py re
    {"re.fullmatch", Effect::kInstance, 0, {}, "re.Match"},
    {"re.match", Effect::kInstance, 0, {}, "re.Match"},
    {"re.search", Effect::kInstance, 0, {}, "re.Match"},
    {"re.sub", Effect::kInstance, 0, {}, "builtins.str"},
    {"subprocess.run", Effect::kInstance, 0, {}, "subprocess.CompletedProcess"},  // py subprocess
    {"threading.Thread", Effect::kKeeps, 1, "target"},                            // py threading
    {"threading.Timer", Effect::kKeeps, 1, "function"},
    {"torch.Tensor.apply_", Effect::kKeeps, 0},
    {"torch.Tensor.register_hook", Effect::kKeeps, 0, "hook"},  // torch autograd
    {"torch.Tensor.register_post_accumulate_grad_hook", Effect::kKeeps, 0, "hook"},
    {"torch._dynamo.disable", Effect::kIdentity, 0, "fn"},
    {"torch.autograd.Variable", Effect::kIdentity, 0},
    {"torch.compile", Effect::kIdentity, 0, "model"},  // torch compile: calls the same code
    {"torch.compiler.disable", Effect::kIdentity, 0, "fn"},
    {"torch.cuda.current_stream", Effect::kInstance, 0, {}, "torch.cuda.Stream"},  // torch cuda
    {"torch.cuda.default_stream", Effect::kInstance, 0, {}, "torch.cuda.Stream"},
    {"torch.cuda.make_graphed_callables", Effect::kIdentity, 0},
    {"torch.distributed.DeviceMesh.get_group", Effect::kInstance, 0, {}, "torch.distributed.ProcessGroup"},
    {"torch.distributed.device_mesh.DeviceMesh.get_group", Effect::kInstance, 0, {}, "torch.distributed.ProcessGroup"},
    {"torch.distributed.device_mesh.init_device_mesh",
     Effect::kInstance,
     0,
     {},
     "torch.distributed.device_mesh.DeviceMesh"},
    {"torch.distributed.fsdp.FullyShardedDataParallel", Effect::kWraps, 0, "module"},
    {"torch.distributed.fsdp.fully_shard", Effect::kIdentity, 0},
    {"torch.distributed.init_device_mesh", Effect::kInstance, 0, {}, "torch.distributed.device_mesh.DeviceMesh"},
    {"torch.distributed.new_group", Effect::kInstance, 0, {}, "torch.distributed.ProcessGroup"},  // torch distributed
    // torch distributed.tensor
    {"torch.distributed.tensor.DTensor.full_tensor", Effect::kInstance, 0, {}, "torch.Tensor"},
    {"torch.distributed.tensor.DTensor.to_local", Effect::kInstance, 0, {}, "torch.Tensor"},
    {"torch.distributed.tensor.DeviceMesh.get_group", Effect::kInstance, 0, {}, "torch.distributed.ProcessGroup"},
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
    {"torch.optim.Optimizer.register_load_state_dict_post_hook", Effect::kKeeps, 0, "hook"},  // torch optim
    {"torch.optim.Optimizer.register_load_state_dict_pre_hook", Effect::kKeeps, 0, "hook"},
    {"torch.optim.Optimizer.register_state_dict_post_hook", Effect::kKeeps, 0, "hook"},
    {"torch.optim.Optimizer.register_state_dict_pre_hook", Effect::kKeeps, 0, "hook"},
    {"torch.optim.Optimizer.register_step_post_hook", Effect::kKeeps, 0, "hook"},
    {"torch.optim.Optimizer.register_step_pre_hook", Effect::kKeeps, 0, "hook"},
    {"torch.utils.checkpoint.checkpoint", Effect::kCalls, 0, "function"},  // torch utils.checkpoint
    {"torch.utils.checkpoint.checkpoint_sequential", Effect::kKeeps, 0},
    {"transformer_engine.pytorch.distributed.checkpoint", Effect::kCalls, 0},
    {"triton.autotune", Effect::kDecorator},  // triton: the kernel stays the kernel
    {"triton.heuristics", Effect::kDecorator},
    {"triton.jit", Effect::kIdentity, 0},
    {"types.MethodType", Effect::kIdentity, 0},
    {"types.SimpleNamespace", Effect::kNamespace},  // py types
    {"typing.cast", Effect::kIdentity, 1},          // py typing
    {"typing.final", Effect::kIdentity, 0},
    {"typing.overload", Effect::kIdentity, 0},
    {"typing.runtime_checkable", Effect::kIdentity, 0},
    {"urllib.parse.urlparse", Effect::kInstance, 0, {}, "urllib.parse.ParseResult"},  // py urllib.parse
    {"weakref.WeakMethod", Effect::kReference},                                       // py weakref
    {"weakref.finalize", Effect::kKeeps, 1},
    {"weakref.proxy", Effect::kIdentity, 0},
    {"weakref.ref", Effect::kReference},
    {"wrapt.decorator", Effect::kMakesDecorator, 0, "wrapper"},  // wrapt docs, Decorators
});

static_assert(std::is_sorted(kModels.begin(), kModels.end(),
                             [](const Model& a, const Model& b) { return a.name < b.name; }));

constexpr std::pair<std::string_view, Effect> kUserEffects[] = {
    {"calls", Effect::kCalls},         {"calls-elements", Effect::kCallsElements},
    {"decorator", Effect::kDecorator}, {"elements", Effect::kElements},
    {"hook", Effect::kHook},           {"identity", Effect::kIdentity},
    {"instance", Effect::kInstance},   {"keeps", Effect::kKeeps},
    {"partial", Effect::kPartial},     {"wraps", Effect::kWraps},
};

}  // namespace

std::span<const Model> models() { return kModels; }

const Model* find_model(std::string_view name) {
  const auto before = [](const Model& model, std::string_view wanted) { return model.name < wanted; };
  const auto found = std::lower_bound(kModels.begin(), kModels.end(), name, before);
  return found != kModels.end() && found->name == name ? &*found : nullptr;
}

std::vector<Model> user_models(std::span<const CallModel> given) {
  std::vector<Model> rows;
  for (const CallModel& each : given) {
    const auto found = std::find_if(std::begin(kUserEffects), std::end(kUserEffects),
                                    [&](const auto& row) { return row.first == each.effect; });
    if (found == std::end(kUserEffects)) continue;
    rows.push_back({each.name, found->second, each.argument, each.keyword, each.result});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Model& a, const Model& b) { return a.name < b.name; });
  return rows;
}

}  // namespace lockstep::program::flow
