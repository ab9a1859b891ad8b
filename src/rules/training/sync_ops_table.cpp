#include "rules/training/sync_ops_table.h"

#include <array>

namespace lockstep::rules {
namespace {

using Form = SyncOp::Form;

constexpr std::string_view kKeepOnDevice =
    "Keep the value on the device (torch operations take 0-d tensors), or read it back once per logging interval.";
constexpr std::string_view kKnownShape =
    "Its result's shape depends on the data: use a form with a known shape (`torch.where` with three arguments, "
    "`masked_fill`, `nonzero_static`), or compute the counts on the host.";
constexpr std::string_view kCompareOnDevice = "Compare on the device and read the answer back only where it is needed.";

constexpr auto kOps = std::to_array<SyncOp>({
    {"item", Form::kMethod, "", 0, kKeepOnDevice},
    {"tolist", Form::kMethod, "", 0, kKeepOnDevice},
    {"cpu", Form::kMethod, "", 0,
     "Copy with `.to(\"cpu\", non_blocking=True)` into pinned memory, and wait for an event only where it is read."},
    {"nonzero", Form::kTorch, "", 0, kKnownShape},
    {"argwhere", Form::kTorch, "", 0, kKnownShape},
    {"masked_select", Form::kTorch, "", 0, kKnownShape},
    {"unique", Form::kTorch, "", 0, kKnownShape},
    {"unique_consecutive", Form::kTorch, "", 0, kKnownShape},
    {"bincount", Form::kTorch, "", 0, "Use `torch.zeros(n).scatter_add_(…)` with a known number of bins."},
    {"histc", Form::kTorch, "max", 4, "Pass `min` and `max`: without them the extremes are read back."},
    {"one_hot", Form::kTorch, "num_classes", 2, "Pass `num_classes`: without it the largest index is read back."},
    {"repeat_interleave", Form::kTorch, "output_size", 0,
     "Pass `output_size`: without it the sum of the repeats is read back."},
    {"equal", Form::kTorch, "", 0, kCompareOnDevice},
    {"allclose", Form::kTorch, "", 0, kCompareOnDevice},
    {"combinations", Form::kTorch, "", 0, kKnownShape},
    {"int", Form::kBuiltin, "", 0, kKeepOnDevice},
    {"float", Form::kBuiltin, "", 0, kKeepOnDevice},
    {"bool", Form::kBuiltin, "", 0, kKeepOnDevice},
    {"range", Form::kBuiltin, "", 0, "Take the bound from a shape or from the host, not from a tensor."},
    {"any", Form::kBuiltin, "", 0, "Use `torch.any`, which stays on the device."},
    {"all", Form::kBuiltin, "", 0, "Use `torch.all`, which stays on the device."},
    {"max", Form::kBuiltin, "", 0, "Use `torch.maximum` or `clamp`, which stay on the device."},
    {"min", Form::kBuiltin, "", 0, "Use `torch.minimum` or `clamp`, which stay on the device."},
    {"sorted", Form::kBuiltin, "", 0, "Use `torch.sort`, which stays on the device."},
    {"print", Form::kBuiltin, "", 0, "Print at a logging interval, or not in the step."},
    {"str", Form::kBuiltin, "", 0, "Format at a logging interval, or not in the step."},
    {"torch.cuda.synchronize", Form::kCuda, "", 0,
     "Wait for an event on the stream that needs it (`stream.wait_event`), which does not stop the host."},
    {"synchronize", Form::kCuda, "", 0,
     "Let the consuming stream wait (`stream.wait_event(event)`), which does not stop the host."},
});

}  // namespace

std::span<const SyncOp> sync_ops() { return kOps; }

const SyncOp* find_tensor_sync_op(std::string_view name) {
  for (const SyncOp& op : kOps) {
    if (op.name == name && (op.form == Form::kMethod || op.form == Form::kTorch)) return &op;
  }
  return nullptr;
}

}  // namespace lockstep::rules
