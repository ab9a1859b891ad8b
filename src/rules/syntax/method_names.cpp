#include "rules/syntax/method_names.h"

#include <algorithm>
#include <array>

namespace lockstep::rules {

bool works_in_place(std::string_view method) { return method.ends_with('_') && !method.ends_with("__"); }

bool fills(std::string_view method) {
  static constexpr auto kFilling =
      std::to_array<std::string_view>({"add", "append", "appendleft", "extend", "insert", "setdefault", "update"});
  return std::find(kFilling.begin(), kFilling.end(), method) != kFilling.end();
}

bool changes_container(std::string_view method) {
  static constexpr auto kChanging = std::to_array<std::string_view>(
      {"clear", "discard", "extendleft", "pop", "popitem", "popleft", "remove", "reverse", "sort"});
  return fills(method) || std::find(kChanging.begin(), kChanging.end(), method) != kChanging.end();
}

bool makes_container(std::string_view callee) {
  static constexpr auto kMakers =
      std::to_array<std::string_view>({"Counter", "OrderedDict", "defaultdict", "deque", "dict", "list", "set"});
  return std::find(kMakers.begin(), kMakers.end(), callee) != kMakers.end();
}

bool describes_tensor(std::string_view attribute) {
  static constexpr auto kDescribing = std::to_array<std::string_view>(
      {"device", "dtype", "is_cuda", "itemsize", "layout", "ndim", "requires_grad", "shape"});
  return std::find(kDescribing.begin(), kDescribing.end(), attribute) != kDescribing.end();
}

}  // namespace lockstep::rules
