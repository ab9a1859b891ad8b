#include "program/flow/outside_names.h"

#include <algorithm>
#include <array>

namespace lockstep::program::flow {
namespace {

// Sources: "py" docs.python.org/3/library; "torch" pytorch.org/docs/stable of the module in the name.

consteval std::size_t count_words(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), ' ')) + 1;
}

/// The words of a text that single spaces part.
template <std::size_t count>
consteval std::array<std::string_view, count> words(std::string_view text) {
  std::array<std::string_view, count> found;
  for (std::string_view& word : found) {
    const std::size_t end = std::min(text.find(' '), text.size());
    word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return found;
}

// Functions of torch and torch.nn.functional that return one tensor (torch docs, "Creation Ops", "Math operations").
constexpr std::string_view kTensorFunctionsText =
    "abs add addmm all amax amin any arange argmax argmin argsort as_strided as_tensor baddbmm bincount bmm "
    "broadcast_to cat ceil clamp clone concat cos cumsum diag div dot dropout einsum embedding empty empty_like "
    "empty_strided eq exp eye flatten floor from_numpy full full_like gather gelu ger histc index_select isinf isnan "
    "layer_norm linear linspace log log_softmax logical_and logical_not logical_or masked_fill masked_select matmul "
    "maximum mean minimum mm mul multinomial ne neg nonzero norm normal one_hot ones ones_like outer pad permute pow "
    "prod rand rand_like randint randn randn_like randperm reciprocal relu repeat_interleave reshape round rsqrt "
    "scaled_dot_product_attention scatter sigmoid sign silu sin softmax sqrt square squeeze stack sub sum t tanh "
    "tensor tile transpose tril triu unsqueeze vstack where zeros zeros_like";
constexpr auto kTensorFunctions = words<count_words(kTensorFunctionsText)>(kTensorFunctionsText);
static_assert(std::is_sorted(kTensorFunctions.begin(), kTensorFunctions.end()));

// Methods of torch.Tensor that do not return a tensor (torch.Tensor docs); all others are taken to.
constexpr std::string_view kNotTensorMethodsText =
    "backward chunk data_ptr dim element_size get_device is_complex is_contiguous is_floating_point is_pinned "
    "is_shared item max min nbytes ndimension nelement numel numpy register_hook register_post_accumulate_grad_hook "
    "size sort split storage stride tolist topk type unbind unique untyped_storage";
constexpr auto kNotTensorMethods = words<count_words(kNotTensorMethodsText)>(kNotTensorMethodsText);
static_assert(std::is_sorted(kNotTensorMethods.begin(), kNotTensorMethods.end()));

// Methods and fields of torch.Tensor (torch.Tensor docs) and of DTensor (torch.distributed.tensor docs); in-place
// forms are left out.
constexpr std::string_view kTensorMethodsText =
    "H T abs absolute acos acosh add addbmm addcdiv addcmul addmm addmv addr adjoint align_as align_to all allclose "
    "amax amin aminmax angle any apply arccos arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin argsort "
    "argwhere as_strided as_strided_scatter as_subclass asin asinh atan atan2 atanh backward baddbmm bernoulli "
    "bfloat16 bincount bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor bmm bool "
    "broadcast_to byte cauchy ccol_indices cdouble ceil cfloat chalf char cholesky cholesky_inverse cholesky_solve "
    "chunk clamp clamp_max clamp_min clip clone coalesce col_indices conj conj_physical contiguous copy copysign "
    "corrcoef cos cosh count_nonzero cov cpu cross crow_indices cuda cummax cummin cumprod cumsum data data_ptr "
    "deg2rad dense_dim dequantize det detach device device_mesh diag diag_embed diagflat diagonal diagonal_scatter "
    "diff digamma dim dim_order dist div divide dot double dsplit dtype element_size eq equal erf erfc erfinv exp "
    "exp2 expand expand_as expm1 exponential fill fill_diagonal fix flatten flip fliplr flipud float float_power "
    "floor floor_divide fmax fmin fmod frac frexp full_tensor gather gcd ge geometric geqrf ger get_device grad "
    "grad_fn greater greater_equal gt half hardshrink has_names heaviside histc histogram hsplit hypot i0 igamma "
    "igammac imag index index_add index_copy index_fill index_put index_reduce index_select indices inner int "
    "int_repr inverse ipu is_coalesced is_complex is_conj is_contiguous is_cpu is_cuda is_distributed "
    "is_floating_point is_inference is_leaf is_meta is_mps is_neg is_nonzero is_pinned is_quantized is_same_size "
    "is_set_to is_shared is_signed is_sparse is_sparse_csr is_xla is_xpu isclose isfinite isinf isnan isneginf "
    "isposinf isreal istft item itemsize kron kthvalue layout lcm ldexp le lerp less less_equal lgamma log log10 "
    "log1p log2 log_normal log_softmax logaddexp logaddexp2 logcumsumexp logdet logical_and logical_not logical_or "
    "logical_xor logit logsumexp long lt lu lu_solve mT main_grad map masked_fill masked_scatter masked_select matmul "
    "matrix_exp matrix_power max maximum mean median min minimum mm mode module_load moveaxis movedim msort mtia mul "
    "multinomial multiply mv mvlgamma name names nan_to_num nanmean nanmedian nanquantile nansum narrow narrow_copy "
    "nbytes ndim ndimension ne neg negative nelement new new_empty new_empty_strided new_full new_ones new_tensor "
    "new_zeros nextafter nonzero nonzero_static norm normal not_equal numel numpy orgqr ormqr outer output_nr permute "
    "pin_memory pinverse placements polygamma positive pow prelu prod put q_per_channel_axis q_per_channel_scales "
    "q_per_channel_zero_points q_scale q_zero_point qr qscheme quantile rad2deg random ravel real reciprocal "
    "record_stream redistribute refine_names register_hook register_post_accumulate_grad_hook reinforce relu "
    "remainder rename renorm repeat repeat_interleave requires_grad reshape reshape_as resize resize_as resolve_conj "
    "resolve_neg retain_grad retains_grad roll rot90 round row_indices rsqrt scatter scatter_add scatter_reduce "
    "select select_scatter set sgn shape share_memory short sigmoid sign signbit sin sinc sinh size slice_inverse "
    "slice_scatter slogdet smm softmax solve sort sparse_dim sparse_mask sparse_resize sparse_resize_and_clear split "
    "split_with_sizes sqrt square squeeze sspaddmm std stft storage storage_offset storage_type stride sub subtract "
    "sum sum_to_size svd swapaxes swapdims t take take_along_dim tan tanh tensor_split tile to to_dense to_local "
    "to_mkldnn to_padded_tensor to_sparse to_sparse_bsc to_sparse_bsr to_sparse_coo to_sparse_csc to_sparse_csr "
    "tolist topk trace transpose triangular_solve tril triu true_divide trunc type type_as unbind unflatten unfold "
    "uniform unique unique_consecutive unsafe_chunk unsafe_split unsqueeze untyped_storage values var vdot view "
    "view_as volatile vsplit where xlogy xpu zero";
constexpr auto kTensorMethods = words<count_words(kTensorMethodsText)>(kTensorMethodsText);
static_assert(std::is_sorted(kTensorMethods.begin(), kTensorMethods.end()));

// Functions of torch, and methods of tensors of the same name, that return several tensors (torch docs).
constexpr std::string_view kSeveralTensorsText =
    "broadcast_tensors chunk hsplit meshgrid sort split tensor_split topk unbind vsplit";
constexpr auto kSeveralTensors = words<count_words(kSeveralTensorsText)>(kSeveralTensorsText);
static_assert(std::is_sorted(kSeveralTensors.begin(), kSeveralTensors.end()));

// Methods of torch.nn.Module (torch.nn.Module docs): other names are fields that the class sets in ways not seen here.
constexpr std::string_view kModuleMethodsText =
    "__call__ __delattr__ __dir__ __getattr__ __init__ __repr__ __setattr__ __setstate__ _apply _call_impl "
    "_get_backward_hooks _get_name _load_from_state_dict _named_members _register_load_state_dict_pre_hook "
    "_register_state_dict_hook _save_to_state_dict _wrapped_call_impl add_module apply bfloat16 buffers children "
    "compile cpu cuda double eval extra_repr float forward get_buffer get_extra_state get_parameter get_submodule "
    "half ipu load_state_dict modules mtia named_buffers named_children named_modules named_parameters parameters "
    "register_backward_hook register_buffer register_forward_hook register_forward_pre_hook "
    "register_full_backward_hook register_full_backward_pre_hook register_load_state_dict_post_hook "
    "register_load_state_dict_pre_hook register_module register_parameter register_state_dict_post_hook "
    "register_state_dict_pre_hook requires_grad_ set_extra_state set_submodule share_memory state_dict to to_empty "
    "train type xpu zero_grad";
constexpr auto kModuleMethods = words<count_words(kModuleMethodsText)>(kModuleMethodsText);
static_assert(std::is_sorted(kModuleMethods.begin(), kModuleMethods.end()));

// torch.dtype's constants (torch docs, "Tensor Attributes"): code reads their fields and calls none of them.
constexpr std::string_view kDtypesText =
    "bfloat16 bool cdouble cfloat chalf complex128 complex32 complex64 double float float16 float32 float64 "
    "float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu half int int16 int32 int64 int8 long "
    "quint8 short uint16 uint32 uint64 uint8";
constexpr auto kDtypes = words<count_words(kDtypesText)>(kDtypesText);
static_assert(std::is_sorted(kDtypes.begin(), kDtypes.end()));

/// The deepest public names of torch have six parts (torch.distributed.algorithms.ddp_comm_hooks.default_hooks.…).
constexpr std::ptrdiff_t kMostDots = 6;

// Methods of str that return a string (py stdtypes).
constexpr std::string_view kStringMethodsText =
    "capitalize casefold center expandtabs format format_map join ljust lower lstrip removeprefix removesuffix "
    "replace rjust rstrip strip swapcase title translate upper zfill";
constexpr auto kStringMethods = words<count_words(kStringMethodsText)>(kStringMethodsText);
static_assert(std::is_sorted(kStringMethods.begin(), kStringMethods.end()));

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
    {"enum.Enum", "name value"},
    {"io.BytesIO",
     "close closed detach fileno flush getbuffer getvalue isatty read read1 readable readinto readinto1 readline "
     "readlines seek seekable tell truncate writable write writelines"},
    {"io.StringIO",
     "close closed detach encoding errors fileno flush getvalue isatty line_buffering newlines read readable readline "
     "readlines seek seekable tell truncate writable write writelines"},
    {"frozenset", "copy difference intersection isdisjoint issubset issuperset symmetric_difference union"},
    {"int", "as_integer_ratio bit_count bit_length conjugate from_bytes is_integer to_bytes"},
    {"list", "append clear copy count extend index insert pop remove reverse sort"},
    {"numpy.ndarray",
     "T all any argmax argmin argpartition argsort astype byteswap choose clip compress conj conjugate copy cumprod "
     "cumsum diagonal dot dump dumps fill flat flatten item max mean min newbyteorder nonzero partition prod ptp put "
     "ravel repeat reshape resize round searchsorted setflags sort squeeze std sum swapaxes take tobytes tofile tolist "
     "trace transpose var view"},
    {"set",
     "add clear copy difference difference_update discard intersection intersection_update isdisjoint issubset "
     "issuperset pop remove symmetric_difference symmetric_difference_update union update"},
    {"str",
     "capitalize casefold center count encode endswith expandtabs find format format_map index isalnum isalpha "
     "isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust "
     "lower lstrip maketrans partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit "
     "rstrip split splitlines startswith strip swapcase title translate upper zfill"},
    {"torch.autograd.function.FunctionCtx",
     "mark_dirty mark_non_differentiable needs_input_grad save_for_backward save_for_forward saved_tensors "
     "saved_variables set_materialize_grads"},
    {"tuple", "count index"},
});

template <std::size_t count>
bool has(const std::array<std::string_view, count>& sorted, std::string_view name) {
  return std::binary_search(sorted.begin(), sorted.end(), name);
}

}  // namespace

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

std::string_view result_class(std::string_view function) {
  const std::size_t dot = function.rfind('.') + 1;
  const bool is_constant_or_class = dot < function.size() && function[dot] >= 'A' && function[dot] <= 'Z';
  if (function.starts_with("triton.language.") && !is_constant_or_class) return "triton.language.tensor";
  constexpr std::string_view kString = "builtins.str.";
  if (function.starts_with(kString) && has(kStringMethods, function.substr(kString.size()))) return "builtins.str";
  return {};
}

bool returns_strings(std::string_view function) {
  return function == "builtins.str.split" || function == "builtins.str.rsplit" ||
         function == "builtins.str.splitlines" || function == "builtins.str.partition" ||
         function == "builtins.str.rpartition";
}

bool is_namespace_class(std::string_view name) {
  return name == "argparse.Namespace" || name == "types.SimpleNamespace";
}

bool is_mock_class(std::string_view name) {
  return name == "unittest.mock.MagicMock" || name == "unittest.mock.Mock" || name == "unittest.mock.AsyncMock" ||
         name == "unittest.mock.NonCallableMock";
}

bool tensor_method_returns_tensor(std::string_view name) { return !has(kNotTensorMethods, name); }

bool may_have_method(std::string_view type, std::string_view method) {
  if (method.starts_with("__")) return true;
  if (type.starts_with("builtins.")) type.remove_prefix(9);
  if (is_tensor_class(type) || type.ends_with(".DTensor") || type.ends_with(".FakeTensor")) {
    // In-place forms end in '_'.
    return has(kTensorMethods, method) ||
           (method.ends_with('_') && has(kTensorMethods, method.substr(0, method.size() - 1)));
  }
  if (type == "torch.nn.Module") return has(kModuleMethods, method);
  const auto row = std::find_if(kBuiltinMethods.begin(), kBuiltinMethods.end(),
                                [&](const BuiltinMethods& each) { return each.type == type; });
  if (row == kBuiltinMethods.end()) return true;
  for (std::string_view rest = row->methods; !rest.empty();) {
    const std::size_t end = rest.find(' ');
    if (rest.substr(0, end) == method) return true;
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  }
  return false;
}

bool may_have_attribute(std::string_view dotted, std::string_view attribute) {
  if (dotted.starts_with("torch.") && has(kDtypes, dotted.substr(6))) return false;
  if (std::count(dotted.begin(), dotted.end(), '.') >= kMostDots) return false;
  // Parts repeat side by side only (datetime.datetime, tqdm.tqdm): others come from following values in a circle.
  const std::size_t last = dotted.rfind('.');
  if (last == std::string_view::npos) return true;
  std::string_view rest = dotted.substr(0, last);
  if (dotted.substr(last + 1) == attribute) return !rest.ends_with(attribute);
  for (;;) {
    const std::size_t dot = rest.rfind('.');
    if (rest.substr(dot + 1) == attribute) return false;
    if (dot == std::string_view::npos) return true;
    rest = rest.substr(0, dot);
  }
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
