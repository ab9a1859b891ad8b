#include "report/tests/reached_code.h"

#include <algorithm>
#include <unordered_set>

namespace lockstep::report {

using program::FunctionId;

bool reaches_any(const program::Program& program, const std::vector<FunctionId>& code,
                 const std::vector<FunctionId>& wanted, program::CallId without) {
  constexpr std::size_t kMostVisited = 4'000;
  std::unordered_set<std::uint32_t> seen;
  std::vector<FunctionId> pending;
  const auto add = [&](FunctionId one) {
    if (one.valid() && seen.insert(one.value).second) pending.push_back(one);
  };
  for (const FunctionId one : wanted) add(one);
  for (std::size_t next = 0; next < pending.size(); ++next) {
    if (next >= kMostVisited || std::find(code.begin(), code.end(), pending[next]) != code.end()) return true;
    for (const program::CallId call : program.callers_of(pending[next])) {
      if (call != without) add(program.calls()[call].caller);
    }
  }
  return false;
}

}  // namespace lockstep::report
