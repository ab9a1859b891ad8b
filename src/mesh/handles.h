// Async collectives whose handle nobody waits for, or whose buffer is used before the wait. Looks at one function at a
// time, in the order of its statements.
//
// Left out: handles that are returned, stored or passed on (somebody else may wait), unless they are stored in an
// attribute that the whole program never reads.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mesh/trace.h"
#include "program/program.h"

namespace lockstep::mesh {

struct RawHandle {
  TraceEvent event;
  const python::Node* touched_at = nullptr;
  std::string buffer;
  bool dropped = false;
};

class HandleChecker {
 public:
  explicit HandleChecker(const program::Program& program) : program_(program) {}
  /// Appends what is wrong with the async events of `function` (all of them issued in it).
  void check(program::FunctionId function, const std::vector<TraceEvent>& events, std::vector<RawHandle>& found);

 private:
  bool attribute_is_read(std::string_view name);

  const program::Program& program_;
  std::unordered_map<std::string_view, bool> attribute_reads_;
};

}  // namespace lockstep::mesh
