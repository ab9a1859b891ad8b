// What divisions of one function by the same number leave over, asked in one question.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

class UnevenDivisions {
 public:
  /// Asks in `risks` whether `divisor` divides `divided`, both marked texts, evenly at `where`; with what was asked of
  /// the same divisor already, where it was. `is_never_zero`: only that. Returns whether the question is a new one.
  bool ask(const std::string& divisor, const std::string& divided, const std::string& where, bool is_never_zero,
           std::vector<Risk>& risks);

 private:
  struct Asked {
    std::size_t risk = 0;  ///< Index.
    std::string divisor;
    bool is_never_zero = false;
    std::vector<std::string> divided;
    std::vector<std::string> places;
  };
  std::vector<Asked> asked_;
};

}  // namespace lockstep::report
