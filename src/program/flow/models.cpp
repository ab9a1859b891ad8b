#include "program/flow/models.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lockstep::program::flow {
namespace {

// Sources: "py" docs.python.org/3/library; "torch" pytorch.org/docs/stable of the module in the name; "mcore"
// Megatron-LM's megatron/core; "te" transformer_engine.pytorch; "triton" triton-lang.org. Sorted by name.
constexpr auto kModels = std::to_array<Model>({
    {"<actor>", Effect::kSpecial},     // internal: the class that a mesh of processes is to run as actors
    {"<bound>", Effect::kSpecial},     // internal: what a function is bound to
    {"<copy>", Effect::kSpecial},      // internal: elements of a container, places kept
    {"<elements>", Effect::kSpecial},  // internal: elements, as `for` gives them
    {"<item>", Effect::kSpecial},      // internal: a pair of a key and what stands under it
    {"<loaded>", Effect::kSpecial},    // internal: what a data loader asks for items
    {"<next>", Effect::kSpecial},      // internal: next(iterator)
    {"<receiver>", Effect::kSpecial},  // internal: the second argument of super(C, self)
    {"<record>", Effect::kSpecial},    // internal: what a field's default_factory makes
    {"PIL.Image.Image.convert", Effect::kTyped, 0, {}, "PIL.Image.Image"},
    {"PIL.Image.Image.copy", Effect::kTyped, 0, {}, "PIL.Image.Image"},
    {"PIL.Image.Image.crop", Effect::kTyped, 0, {}, "PIL.Image.Image"},
    {"PIL.Image.Image.resize", Effect::kTyped, 0, {}, "PIL.Image.Image"},
    {"PIL.Image.Image.rotate", Effect::kTyped, 0, {}, "PIL.Image.Image"},
    {"PIL.Image.Image.transpose", Effect::kTyped, 0, {}, "PIL.Image.Image"},
    {"PIL.Image.fromarray", Effect::kTyped, 0, {}, "PIL.Image.Image"},
    {"PIL.Image.new", Effect::kTyped, 0, {}, "PIL.Image.Image"},
    {"PIL.Image.open", Effect::kTyped, 0, {}, "PIL.Image.Image"},
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
    {"asyncio.AbstractEventLoop.call_later", Effect::kKeeps, 1, "callback"},
    {"asyncio.AbstractEventLoop.call_soon", Effect::kKeeps, 0, "callback"},
    {"asyncio.AbstractEventLoop.call_soon_threadsafe", Effect::kKeeps, 0, "callback"},
    {"asyncio.AbstractEventLoop.run_in_executor", Effect::kKeeps, 1, "func", "asyncio.Future"},  // py asyncio
    {"asyncio.Future.add_done_callback", Effect::kKeeps, 0, "fn"},
    {"asyncio.create_task", Effect::kIdentity},  // py asyncio-task: the coroutine's result
    {"asyncio.get_event_loop", Effect::kInstance, 0, {}, "asyncio.AbstractEventLoop"},
    {"asyncio.get_running_loop", Effect::kInstance, 0, {}, "asyncio.AbstractEventLoop"},
    {"asyncio.new_event_loop", Effect::kInstance, 0, {}, "asyncio.AbstractEventLoop"},
    {"asyncio.run", Effect::kIdentity},
    {"asyncio.run_coroutine_threadsafe", Effect::kInstance, 0, {}, "concurrent.futures.Future"},
    {"asyncio.to_thread", Effect::kCalls, 0, "func"},
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
    {"builtins.object.__new__", Effect::kSpecial},
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
    {"concurrent.futures.Executor.map", Effect::kCallsElements, 0, "fn"},  // py concurrent.futures
    {"concurrent.futures.Executor.submit", Effect::kKeeps, 0, "fn", "concurrent.futures.Future"},
    {"concurrent.futures.Future.add_done_callback", Effect::kKeeps, 0, "fn"},
    {"concurrent.futures.ProcessPoolExecutor", Effect::kInstance, 0, {}, "concurrent.futures.Executor"},
    {"concurrent.futures.ThreadPoolExecutor", Effect::kInstance, 0, {}, "concurrent.futures.Executor"},
    {"contextlib.ExitStack.callback", Effect::kKeeps, 0, "callback"},
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
    {"glob.glob", Effect::kTyped, 0, {}, "list[builtins.str]"},
    {"importlib.import_module", Effect::kSpecial},  // py importlib
    {"inspect.Parameter.name", Effect::kAttribute, 0, {}, "builtins.str"},
    {"inspect.Signature.parameters", Effect::kAttribute, 0, {}, "dict[builtins.str, inspect.Parameter]"},
    {"inspect.signature", Effect::kInstance, 0, {}, "inspect.Signature"},  // py inspect
    {"io.TextIOWrapper.read", Effect::kInstance, 0, {}, "builtins.str"},   // py io
    {"io.TextIOWrapper.readline", Effect::kInstance, 0, {}, "builtins.str"},
    {"io.TextIOWrapper.readlines", Effect::kTyped, 0, {}, "list[builtins.str]"},
    {"itertools.chain", Effect::kChain},  // py itertools
    {"itertools.cycle", Effect::kElements, 0},
    {"itertools.islice", Effect::kElements, 0},
    {"itertools.product", Effect::kMerge},
    {"itertools.starmap", Effect::kKeeps, 0},
    {"itertools.zip_longest", Effect::kMerge},
    {"json.dumps", Effect::kInstance, 0, {}, "builtins.str"},           // py json
    {"logging.getLogger", Effect::kInstance, 0, {}, "logging.Logger"},  // py logging
    {"multiprocessing.Process", Effect::kKeeps, 1, "target"},           // py multiprocessing
    {"multiprocessing.Process.start", Effect::kSpecial},
    {"multiprocessing.context.BaseContext.Process", Effect::kKeeps, 1, "target"},
    {"multiprocessing.get_context", Effect::kInstance, 0, {}, "multiprocessing.context.BaseContext"},
    {"numpy.arange", Effect::kTyped, 0, {}, "numpy.ndarray"},
    {"numpy.array", Effect::kTyped, 0, {}, "numpy.ndarray"},
    {"numpy.asarray", Effect::kTyped, 0, {}, "numpy.ndarray"},
    {"numpy.ascontiguousarray", Effect::kTyped, 0, {}, "numpy.ndarray"},
    {"numpy.concatenate", Effect::kTyped, 0, {}, "numpy.ndarray"},
    {"numpy.copy", Effect::kTyped, 0, {}, "numpy.ndarray"},
    {"numpy.cumsum", Effect::kTyped, 0, {}, "numpy.ndarray"},
    {"numpy.empty", Effect::kTyped, 0, {}, "numpy.ndarray"},
    {"numpy.empty_like", Effect::kTyped, 0, {}, "numpy.ndarray"},
    {"numpy.full", Effect::kTyped, 0, {}, "numpy.ndarray"},
    {"numpy.load", Effect::kTyped, 0, {}, "numpy.ndarray"},
    {"numpy.ndarray.astype", Effect::kTyped, 0, {}, "numpy.ndarray"},
    {"numpy.ndarray.copy", Effect::kTyped, 0, {}, "numpy.ndarray"},
    {"numpy.ndarray.flatten", Effect::kTyped, 0, {}, "numpy.ndarray"},
    {"numpy.ndarray.ravel", Effect::kTyped, 0, {}, "numpy.ndarray"},
    {"numpy.ndarray.reshape", Effect::kTyped, 0, {}, "numpy.ndarray"},
    {"numpy.ndarray.squeeze", Effect::kTyped, 0, {}, "numpy.ndarray"},
    {"numpy.ndarray.transpose", Effect::kTyped, 0, {}, "numpy.ndarray"},
    {"numpy.ones", Effect::kTyped, 0, {}, "numpy.ndarray"},
    {"numpy.ones_like", Effect::kTyped, 0, {}, "numpy.ndarray"},
    {"numpy.repeat", Effect::kTyped, 0, {}, "numpy.ndarray"},
    {"numpy.stack", Effect::kTyped, 0, {}, "numpy.ndarray"},
    {"numpy.where", Effect::kTyped, 0, {}, "numpy.ndarray"},
    {"numpy.zeros", Effect::kTyped, 0, {}, "numpy.ndarray"},
    {"numpy.zeros_like", Effect::kTyped, 0, {}, "numpy.ndarray"},
    {"operator.attrgetter", Effect::kDecorator},
    {"os.environ.get", Effect::kInstance, 0, {}, "builtins.str"},  // py os
    {"os.getcwd", Effect::kInstance, 0, {}, "builtins.str"},
    {"os.getenv", Effect::kInstance, 0, {}, "builtins.str"},
    {"os.listdir", Effect::kTyped, 0, {}, "list[builtins.str]"},
    {"os.path.abspath", Effect::kInstance, 0, {}, "builtins.str"},  // py os.path
    {"os.path.basename", Effect::kInstance, 0, {}, "builtins.str"},
    {"os.path.dirname", Effect::kInstance, 0, {}, "builtins.str"},
    {"os.path.expanduser", Effect::kInstance, 0, {}, "builtins.str"},
    {"os.path.join", Effect::kInstance, 0, {}, "builtins.str"},
    {"os.path.realpath", Effect::kInstance, 0, {}, "builtins.str"},
    {"os.path.split", Effect::kTyped, 0, {}, "tuple[builtins.str, builtins.str]"},
    {"os.path.splitext", Effect::kTyped, 0, {}, "tuple[builtins.str, builtins.str]"},
    {"os.walk", Effect::kTyped, 0, {}, "list[tuple[builtins.str, list[builtins.str], list[builtins.str]]]"},
    {"pathlib.Path.absolute", Effect::kInstance, 0, {}, "pathlib.Path"},  // py pathlib
    {"pathlib.Path.as_posix", Effect::kInstance, 0, {}, "builtins.str"},
    {"pathlib.Path.cwd", Effect::kInstance, 0, {}, "pathlib.Path"},
    {"pathlib.Path.expanduser", Effect::kInstance, 0, {}, "pathlib.Path"},
    {"pathlib.Path.glob", Effect::kTyped, 0, {}, "list[pathlib.Path]"},
    {"pathlib.Path.home", Effect::kInstance, 0, {}, "pathlib.Path"},
    {"pathlib.Path.iterdir", Effect::kTyped, 0, {}, "list[pathlib.Path]"},
    {"pathlib.Path.joinpath", Effect::kInstance, 0, {}, "pathlib.Path"},
    {"pathlib.Path.name", Effect::kAttribute, 0, {}, "builtins.str"},
    {"pathlib.Path.open", Effect::kTyped, 0, {}, "io.TextIOWrapper"},
    {"pathlib.Path.parent", Effect::kAttribute, 0, {}, "pathlib.Path"},
    {"pathlib.Path.parts", Effect::kAttribute, 0, {}, "list[builtins.str]"},
    {"pathlib.Path.read_text", Effect::kInstance, 0, {}, "builtins.str"},
    {"pathlib.Path.resolve", Effect::kInstance, 0, {}, "pathlib.Path"},
    {"pathlib.Path.rglob", Effect::kTyped, 0, {}, "list[pathlib.Path]"},
    {"pathlib.Path.stem", Effect::kAttribute, 0, {}, "builtins.str"},
    {"pathlib.Path.suffix", Effect::kAttribute, 0, {}, "builtins.str"},
    {"pathlib.Path.with_name", Effect::kInstance, 0, {}, "pathlib.Path"},
    {"pathlib.Path.with_suffix", Effect::kInstance, 0, {}, "pathlib.Path"},
    {"pydantic.Field", Effect::kField},  // pydantic docs, Fields
    {"pydantic.fields.Field", Effect::kField},
    // ray docs.ray.io/en/latest/ray-core: tasks and actors. `.remote(…)` stands for the call itself, and its reference
    // for the result that `ray.get` gives.
    {"ray.actor.ActorClass.options", Effect::kSpecial},
    {"ray.get", Effect::kIdentity, 0},
    {"ray.remote", Effect::kIdentity, 0},
    {"re.Match.group", Effect::kInstance, 0, {}, "builtins.str"},
    {"re.Match.groupdict", Effect::kTyped, 0, {}, "dict[builtins.str, builtins.str]"},
    {"re.Match.groups", Effect::kTyped, 0, {}, "list[builtins.str]"},
    {"re.Pattern.finditer", Effect::kTyped, 0, {}, "list[re.Match]"},
    {"re.Pattern.fullmatch", Effect::kInstance, 0, {}, "re.Match"},
    {"re.Pattern.match", Effect::kInstance, 0, {}, "re.Match"},
    {"re.Pattern.search", Effect::kInstance, 0, {}, "re.Match"},
    {"re.Pattern.sub", Effect::kTyped, 0, {}, "builtins.str"},
    {"re.compile", Effect::kInstance, 0, {}, "re.Pattern"},  // py re
    {"re.escape", Effect::kTyped, 0, {}, "builtins.str"},
    {"re.finditer", Effect::kTyped, 0, {}, "list[re.Match]"},
    {"re.fullmatch", Effect::kInstance, 0, {}, "re.Match"},
    {"re.match", Effect::kInstance, 0, {}, "re.Match"},
    {"re.search", Effect::kInstance, 0, {}, "re.Match"},
    {"re.split", Effect::kTyped, 0, {}, "list[builtins.str]"},
    {"re.sub", Effect::kInstance, 0, {}, "builtins.str"},
    {"subprocess.CompletedProcess.stderr", Effect::kAttribute, 0, {}, "builtins.str"},
    {"subprocess.CompletedProcess.stdout", Effect::kAttribute, 0, {}, "builtins.str"},
    {"subprocess.run", Effect::kInstance, 0, {}, "subprocess.CompletedProcess"},  // py subprocess
    {"threading.Thread", Effect::kKeeps, 1, "target"},                            // py threading
    {"threading.Thread.start", Effect::kSpecial},
    {"threading.Timer", Effect::kKeeps, 1, "function"},
    {"torch.Tensor.apply_", Effect::kKeeps, 0},
    {"torch.Tensor.register_hook", Effect::kKeeps, 0, "hook", "torch.utils.hooks.RemovableHandle"},  // torch autograd
    {"torch.Tensor.register_post_accumulate_grad_hook", Effect::kKeeps, 0, "hook", "torch.utils.hooks.RemovableHandle"},
    {"torch.Tensor.shape", Effect::kAttribute, 0, {}, "torch.Size"},
    {"torch.Tensor.tolist", Effect::kTyped, 0, {}, "builtins.list"},
    {"torch._dynamo.disable", Effect::kIdentity, 0, "fn"},
    {"torch.autograd.Variable", Effect::kIdentity, 0},
    {"torch.autograd.graph.saved_tensors_hooks", Effect::kKeeps, 0, "pack_hook"},  // torch autograd
    {"torch.compile", Effect::kIdentity, 0, "model"},                              // torch compile: calls the same code
    {"torch.compiler.disable", Effect::kIdentity, 0, "fn"},
    {"torch.cuda.current_stream", Effect::kInstance, 0, {}, "torch.cuda.Stream"},  // torch cuda
    {"torch.cuda.default_stream", Effect::kInstance, 0, {}, "torch.cuda.Stream"},
    {"torch.cuda.get_rng_state", Effect::kTyped, 0, {}, "torch.Tensor"},
    {"torch.cuda.make_graphed_callables", Effect::kIdentity, 0},
    {"torch.distributed.DeviceMesh.get_group", Effect::kInstance, 0, {}, "torch.distributed.ProcessGroup"},
    {"torch.distributed.all_gather", Effect::kTyped, 0, {}, "torch.distributed.Work"},
    {"torch.distributed.all_gather_into_tensor", Effect::kTyped, 0, {}, "torch.distributed.Work"},
    {"torch.distributed.all_reduce", Effect::kTyped, 0, {}, "torch.distributed.Work"},
    {"torch.distributed.all_to_all", Effect::kTyped, 0, {}, "torch.distributed.Work"},
    {"torch.distributed.all_to_all_single", Effect::kTyped, 0, {}, "torch.distributed.Work"},
    {"torch.distributed.barrier", Effect::kTyped, 0, {}, "torch.distributed.Work"},
    {"torch.distributed.batch_isend_irecv", Effect::kTyped, 0, {}, "list[torch.distributed.Work]"},
    {"torch.distributed.broadcast", Effect::kTyped, 0, {}, "torch.distributed.Work"},
    {"torch.distributed.device_mesh.DeviceMesh.get_group", Effect::kInstance, 0, {}, "torch.distributed.ProcessGroup"},
    {"torch.distributed.device_mesh.init_device_mesh",
     Effect::kInstance,
     0,
     {},
     "torch.distributed.device_mesh.DeviceMesh"},
    {"torch.distributed.fsdp.FullyShardedDataParallel", Effect::kWraps, 0, "module"},
    {"torch.distributed.fsdp.fully_shard", Effect::kIdentity, 0},
    {"torch.distributed.gather", Effect::kTyped, 0, {}, "torch.distributed.Work"},
    {"torch.distributed.init_device_mesh", Effect::kInstance, 0, {}, "torch.distributed.device_mesh.DeviceMesh"},
    {"torch.distributed.irecv", Effect::kTyped, 0, {}, "torch.distributed.Work"},
    {"torch.distributed.isend", Effect::kTyped, 0, {}, "torch.distributed.Work"},
    {"torch.distributed.new_group", Effect::kInstance, 0, {}, "torch.distributed.ProcessGroup"},  // torch distributed
    {"torch.distributed.reduce", Effect::kTyped, 0, {}, "torch.distributed.Work"},
    {"torch.distributed.reduce_scatter", Effect::kTyped, 0, {}, "torch.distributed.Work"},
    {"torch.distributed.reduce_scatter_tensor", Effect::kTyped, 0, {}, "torch.distributed.Work"},
    {"torch.distributed.scatter", Effect::kTyped, 0, {}, "torch.distributed.Work"},
    // torch distributed.tensor
    {"torch.distributed.tensor.DTensor.full_tensor", Effect::kInstance, 0, {}, "torch.Tensor"},
    {"torch.distributed.tensor.DTensor.to_local", Effect::kInstance, 0, {}, "torch.Tensor"},
    {"torch.distributed.tensor.DeviceMesh.get_group", Effect::kInstance, 0, {}, "torch.distributed.ProcessGroup"},
    {"torch.enable_grad", Effect::kIdentity, 0},
    {"torch.func.vmap", Effect::kIdentity, 0},
    {"torch.fx.Graph.call_function", Effect::kTyped, 0, {}, "torch.fx.Node"},
    {"torch.fx.Graph.call_method", Effect::kTyped, 0, {}, "torch.fx.Node"},
    {"torch.fx.Graph.call_module", Effect::kTyped, 0, {}, "torch.fx.Node"},
    {"torch.fx.Graph.create_node", Effect::kTyped, 0, {}, "torch.fx.Node"},
    {"torch.fx.Graph.find_nodes", Effect::kTyped, 0, {}, "list[torch.fx.Node]"},
    {"torch.fx.Graph.get_attr", Effect::kTyped, 0, {}, "torch.fx.Node"},
    {"torch.fx.Graph.node_copy", Effect::kTyped, 0, {}, "torch.fx.Node"},
    {"torch.fx.Graph.nodes", Effect::kAttribute, 0, {}, "list[torch.fx.Node]"},
    {"torch.fx.Graph.output", Effect::kTyped, 0, {}, "torch.fx.Node"},
    {"torch.fx.Graph.owning_module", Effect::kAttribute, 0, {}, "torch.fx.GraphModule"},
    {"torch.fx.Graph.placeholder", Effect::kTyped, 0, {}, "torch.fx.Node"},
    {"torch.fx.GraphModule.graph", Effect::kAttribute, 0, {}, "torch.fx.Graph"},
    {"torch.fx.Node.all_input_nodes", Effect::kAttribute, 0, {}, "list[torch.fx.Node]"},
    {"torch.fx.Node.graph", Effect::kAttribute, 0, {}, "torch.fx.Graph"},
    {"torch.fx.Node.kwargs", Effect::kAttribute, 0, {}, "builtins.dict"},
    {"torch.fx.Node.meta", Effect::kAttribute, 0, {}, "builtins.dict"},
    {"torch.fx.Node.name", Effect::kAttribute, 0, {}, "builtins.str"},
    {"torch.fx.Node.next", Effect::kAttribute, 0, {}, "torch.fx.Node"},
    {"torch.fx.Node.prev", Effect::kAttribute, 0, {}, "torch.fx.Node"},
    {"torch.fx.Node.users", Effect::kAttribute, 0, {}, "dict[torch.fx.Node, builtins.object]"},
    {"torch.fx.graph_module.GraphModule.graph", Effect::kAttribute, 0, {}, "torch.fx.Graph"},
    {"torch.get_rng_state", Effect::kTyped, 0, {}, "torch.Tensor"},
    {"torch.inference_mode", Effect::kIdentity, 0, {}, "decorator"},
    {"torch.jit.ignore", Effect::kIdentity, 0},
    {"torch.jit.script", Effect::kIdentity, 0},
    {"torch.library.CustomOpDef.register_autograd", Effect::kSpecial},  // torch library
    {"torch.library.CustomOpDef.register_fake", Effect::kDecorator},
    {"torch.library.CustomOpDef.register_kernel", Effect::kDecorator},
    {"torch.library.CustomOpDef.register_torch_dispatch", Effect::kDecorator},
    {"torch.library.CustomOpDef.register_vmap", Effect::kDecorator},
    {"torch.library.custom_op", Effect::kDecorator},  // torch library
    {"torch.library.impl", Effect::kDecorator},
    {"torch.library.register_fake", Effect::kDecorator},
    {"torch.multiprocessing.Process", Effect::kKeeps, 1, "target"},
    {"torch.multiprocessing.get_context", Effect::kInstance, 0, {}, "multiprocessing.context.BaseContext"},
    {"torch.multiprocessing.spawn", Effect::kKeeps, 0, "fn"},
    {"torch.nn.DataParallel", Effect::kWraps, 0, "module"},
    {"torch.nn.Module.__call__", Effect::kSpecial},  // torch nn.Module: runs hooks and forward
    {"torch.nn.Module._call_impl", Effect::kSpecial},
    {"torch.nn.Module.add_module", Effect::kSpecial},  // torch nn.Module
    {"torch.nn.Module.apply", Effect::kKeeps, 0, "fn"},
    {"torch.nn.Module.buffers", Effect::kTyped, 0, {}, "list[torch.Tensor]"},
    {"torch.nn.Module.children", Effect::kTyped, 0, {}, "list[torch.nn.Module]"},
    {"torch.nn.Module.get_buffer", Effect::kTyped, 0, {}, "torch.Tensor"},
    {"torch.nn.Module.get_parameter", Effect::kTyped, 0, {}, "torch.Tensor"},
    {"torch.nn.Module.get_submodule", Effect::kTyped, 0, {}, "torch.nn.Module"},
    {"torch.nn.Module.modules", Effect::kTyped, 0, {}, "list[torch.nn.Module]"},
    {"torch.nn.Module.named_buffers", Effect::kTyped, 0, {}, "list[tuple[builtins.str, torch.Tensor]]"},
    {"torch.nn.Module.named_children", Effect::kTyped, 0, {}, "list[tuple[builtins.str, torch.nn.Module]]"},
    {"torch.nn.Module.named_modules", Effect::kTyped, 0, {}, "list[tuple[builtins.str, torch.nn.Module]]"},
    {"torch.nn.Module.named_parameters", Effect::kTyped, 0, {}, "list[tuple[builtins.str, torch.Tensor]]"},
    {"torch.nn.Module.parameters", Effect::kTyped, 0, {}, "list[torch.Tensor]"},
    {"torch.nn.Module.register_backward_hook", Effect::kHook, 0, "hook", "torch.utils.hooks.RemovableHandle"},
    {"torch.nn.Module.register_buffer", Effect::kSpecial},
    {"torch.nn.Module.register_forward_hook", Effect::kHook, 0, "hook", "torch.utils.hooks.RemovableHandle"},
    {"torch.nn.Module.register_forward_pre_hook", Effect::kHook, 0, "hook", "torch.utils.hooks.RemovableHandle"},
    {"torch.nn.Module.register_full_backward_hook", Effect::kHook, 0, "hook", "torch.utils.hooks.RemovableHandle"},
    {"torch.nn.Module.register_full_backward_pre_hook", Effect::kHook, 0, "hook", "torch.utils.hooks.RemovableHandle"},
    {"torch.nn.Module.register_load_state_dict_post_hook", Effect::kKeeps, 0, "hook",
     "torch.utils.hooks.RemovableHandle"},
    {"torch.nn.Module.register_load_state_dict_pre_hook", Effect::kKeeps, 0, "hook",
     "torch.utils.hooks.RemovableHandle"},
    {"torch.nn.Module.register_module", Effect::kSpecial},
    {"torch.nn.Module.register_parameter", Effect::kSpecial},
    {"torch.nn.Module.register_state_dict_post_hook", Effect::kKeeps, 0, "hook", "torch.utils.hooks.RemovableHandle"},
    {"torch.nn.Module.register_state_dict_pre_hook", Effect::kKeeps, 0, "hook", "torch.utils.hooks.RemovableHandle"},
    {"torch.nn.Module.state_dict", Effect::kTyped, 0, {}, "dict[builtins.str, torch.Tensor]"},
    {"torch.nn.ModuleDict", Effect::kDict, 0, "modules"},
    {"torch.nn.ModuleList", Effect::kElements, 0, "modules", "modules"},
    {"torch.nn.Parameter", Effect::kInstance, 0, {}, "torch.Tensor"},
    {"torch.nn.Sequential", Effect::kArgumentList},
    {"torch.nn.functional.conv1d", Effect::kTyped, 0, {}, "torch.Tensor"},
    {"torch.nn.functional.conv2d", Effect::kTyped, 0, {}, "torch.Tensor"},
    {"torch.nn.functional.cosine_similarity", Effect::kTyped, 0, {}, "torch.Tensor"},
    {"torch.nn.functional.cross_entropy", Effect::kTyped, 0, {}, "torch.Tensor"},
    {"torch.nn.functional.group_norm", Effect::kTyped, 0, {}, "torch.Tensor"},
    {"torch.nn.functional.interpolate", Effect::kTyped, 0, {}, "torch.Tensor"},
    {"torch.nn.functional.kl_div", Effect::kTyped, 0, {}, "torch.Tensor"},
    {"torch.nn.functional.mse_loss", Effect::kTyped, 0, {}, "torch.Tensor"},
    {"torch.nn.functional.normalize", Effect::kTyped, 0, {}, "torch.Tensor"},
    {"torch.nn.functional.rms_norm", Effect::kTyped, 0, {}, "torch.Tensor"},
    {"torch.nn.functional.softplus", Effect::kTyped, 0, {}, "torch.Tensor"},
    {"torch.nn.parallel.DistributedDataParallel", Effect::kWraps, 0, "module"},
    {"torch.nn.parameter.Parameter", Effect::kInstance, 0, {}, "torch.Tensor"},
    {"torch.no_grad", Effect::kIdentity, 0},
    {"torch.optim.Optimizer.register_load_state_dict_post_hook", Effect::kKeeps, 0, "hook",
     "torch.utils.hooks.RemovableHandle"},  // torch optim
    {"torch.optim.Optimizer.register_load_state_dict_pre_hook", Effect::kKeeps, 0, "hook",
     "torch.utils.hooks.RemovableHandle"},
    {"torch.optim.Optimizer.register_state_dict_post_hook", Effect::kKeeps, 0, "hook",
     "torch.utils.hooks.RemovableHandle"},
    {"torch.optim.Optimizer.register_state_dict_pre_hook", Effect::kKeeps, 0, "hook",
     "torch.utils.hooks.RemovableHandle"},
    {"torch.optim.Optimizer.register_step_post_hook", Effect::kKeeps, 0, "hook", "torch.utils.hooks.RemovableHandle"},
    {"torch.optim.Optimizer.register_step_pre_hook", Effect::kKeeps, 0, "hook", "torch.utils.hooks.RemovableHandle"},
    {"torch.optim.lr_scheduler.LambdaLR", Effect::kKeeps, 1, "lr_lambda"},  // torch optim
    {"torch.set_grad_enabled", Effect::kIdentity, 0, {}, "decorator"},
    {"torch.utils.checkpoint.checkpoint", Effect::kCalls, 0, "function"},  // torch utils.checkpoint
    {"torch.utils.checkpoint.checkpoint_sequential", Effect::kKeeps, 0},
    {"torch.utils.data.DataLoader", Effect::kLoader, 6, "collate_fn", "torch.utils.data.DataLoader"},  // torch data
    {"torch.utils.data.DataLoader.__init__", Effect::kLoader, 6, "collate_fn", "torch.utils.data.DataLoader"},
    {"torchdata.stateful_dataloader.StatefulDataLoader", Effect::kLoader, 6, "collate_fn",
     "torchdata.stateful_dataloader.StatefulDataLoader"},  // torchdata: arguments as torch's
    {"torchdata.stateful_dataloader.StatefulDataLoader.__init__", Effect::kLoader, 6, "collate_fn",
     "torchdata.stateful_dataloader.StatefulDataLoader"},
    {"transformer_engine.pytorch.distributed.checkpoint", Effect::kCalls, 0},
    {"transformers.AutoConfig.from_pretrained", Effect::kTyped, 0, {}, "transformers.PretrainedConfig"},
    {"transformers.AutoModel.from_config", Effect::kTyped, 0, {}, "transformers.PreTrainedModel"},
    {"transformers.AutoModel.from_pretrained", Effect::kTyped, 0, {}, "transformers.PreTrainedModel"},
    {"transformers.AutoModelForCausalLM.from_config", Effect::kTyped, 0, {}, "transformers.PreTrainedModel"},
    {"transformers.AutoModelForCausalLM.from_pretrained", Effect::kTyped, 0, {}, "transformers.PreTrainedModel"},
    {"transformers.AutoModelForImageTextToText.from_config", Effect::kTyped, 0, {}, "transformers.PreTrainedModel"},
    {"transformers.AutoModelForImageTextToText.from_pretrained", Effect::kTyped, 0, {}, "transformers.PreTrainedModel"},
    {"transformers.AutoModelForSequenceClassification.from_config",
     Effect::kTyped,
     0,
     {},
     "transformers.PreTrainedModel"},
    {"transformers.AutoModelForSequenceClassification.from_pretrained",
     Effect::kTyped,
     0,
     {},
     "transformers.PreTrainedModel"},
    {"transformers.AutoModelForTokenClassification.from_config", Effect::kTyped, 0, {}, "transformers.PreTrainedModel"},
    {"transformers.AutoModelForTokenClassification.from_pretrained",
     Effect::kTyped,
     0,
     {},
     "transformers.PreTrainedModel"},
    {"transformers.AutoModelForVision2Seq.from_config", Effect::kTyped, 0, {}, "transformers.PreTrainedModel"},
    {"transformers.AutoModelForVision2Seq.from_pretrained", Effect::kTyped, 0, {}, "transformers.PreTrainedModel"},
    {"transformers.AutoProcessor.from_pretrained", Effect::kTyped, 0, {}, "transformers.ProcessorMixin"},
    {"transformers.AutoTokenizer.from_pretrained", Effect::kTyped, 0, {}, "transformers.PreTrainedTokenizerBase"},
    {"triton.autotune", Effect::kDecorator},  // triton: the kernel stays the kernel
    {"triton.heuristics", Effect::kDecorator},
    {"triton.jit", Effect::kIdentity, 0},
    {"types.FunctionType.__get__", Effect::kSpecial},  // py datamodel: binds the function
    {"types.MethodType", Effect::kSpecial},
    {"types.SimpleNamespace", Effect::kNamespace},  // py types
    {"typing.cast", Effect::kIdentity, 1},          // py typing
    {"typing.final", Effect::kIdentity, 0},
    {"typing.overload", Effect::kIdentity, 0},
    {"typing.runtime_checkable", Effect::kIdentity, 0},
    {"tyro.cli", Effect::kSpecial},  // tyro docs: `default` with what the command line says
    {"urllib.parse.ParseResult.netloc", Effect::kAttribute, 0, {}, "builtins.str"},
    {"urllib.parse.ParseResult.path", Effect::kAttribute, 0, {}, "builtins.str"},
    {"urllib.parse.ParseResult.query", Effect::kAttribute, 0, {}, "builtins.str"},
    {"urllib.parse.ParseResult.scheme", Effect::kAttribute, 0, {}, "builtins.str"},
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
