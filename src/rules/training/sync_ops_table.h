// Which operations of torch make the host wait for the GPU, as measured.
//
// Source: each call was made behind a 12 ms sleep on the device and counted as blocking when it returned only after the
// sleep had ended, twice out of two; torch 2.11.0 with CUDA 13.0 on an NVIDIA H200. Data-dependent forms that did not
// block (`count_nonzero`, `one_hot` with num_classes, `repeat_interleave` with output_size, assigning a scalar through
// a mask, `.to("cpu", non_blocking=True)`) are not in the table.
#pragma once

#include <span>
#include <string_view>

namespace lockstep::rules {

inline constexpr std::string_view kSyncMeasuredOn = "torch 2.11.0+cu130 on an NVIDIA H200";

/// One operation that blocks.
struct SyncOp {
  enum class Form : std::uint8_t {
    kMethod,   ///< receiver.name(…)
    kTorch,    ///< torch.name(…) and receiver.name(…)
    kBuiltin,  ///< name(tensor)
    kCuda,     ///< The CUDA runtime itself: no tensor is needed as evidence.
  };
  std::string_view name;  ///< Last part; for kCuda the dotted name.
  Form form;
  /// With this keyword given (or, for the first two, this many positional arguments) it did not block; may be empty.
  std::string_view unless_keyword;
  int unless_positional = 0;  ///< 0: no such form.
  std::string_view fix;
};

std::span<const SyncOp> sync_ops();
/// The operation of this name in one of the forms for tensors (kMethod, kTorch), or null.
const SyncOp* find_tensor_sync_op(std::string_view name);

}  // namespace lockstep::rules
