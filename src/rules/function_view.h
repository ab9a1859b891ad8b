// What a rule that looks at one function at a time has at hand: the program, the function, its file, and where hits go.
#pragma once

#include <vector>

#include "rules/hits.h"

namespace lockstep::rules {

/// The base of such scans. `program` and `hits` must outlive it.
class FunctionView {
 protected:
  FunctionView(const program::Program& program, program::FunctionId function, std::vector<Hit>& hits)
      : program_(program),
        function_(function),
        row_(program.functions()[function]),
        facts_(*program.modules()[row_.module].facts),
        hits_(hits) {}
  ~FunctionView() = default;

  const program::Program& program_;
  const program::FunctionId function_;
  const program::Function& row_;
  const python::FileFacts& facts_;
  std::vector<Hit>& hits_;
};

}  // namespace lockstep::rules
