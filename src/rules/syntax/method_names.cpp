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

}  // namespace lockstep::rules
