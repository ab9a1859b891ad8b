// What well-known calls of Python, PyTorch and their like do, as verb phrases for people. Sources: the documentation of
// torch 2.x (torch, torch.cuda, torch.distributed, torch.Tensor) and of Python 3.
#pragma once

#include <string_view>

namespace lockstep::report {

/// What kind of thing a known call is, for risks and concepts.
enum class ApiKind : unsigned char { kPlain, kAllocation, kHostSync, kStream, kShape, kCopy, kCommunication, kControl };

struct KnownApi {
  std::string_view name;    ///< Dotted external name, or ".method" for a method of an unknown receiver.
  std::string_view effect;  ///< "blocks the host until …"
  ApiKind kind = ApiKind::kPlain;
};

/// By the exact dotted name; null where it is not in the table.
const KnownApi* known_api(std::string_view dotted_name);
/// By method name ("item"): only names that mean one thing whatever the receiver is.
const KnownApi* known_method(std::string_view name);

}  // namespace lockstep::report
