// A place in the code → the lines around it, for pages that show findings with their code.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace lockstep::report {

/// Lines from 0.
struct CodeFrame {
  std::string path;
  rules::Side side = rules::Side::kAfter;
  std::uint32_t first_line = 0;    ///< Of `lines`.
  std::vector<std::string> lines;  ///< Empty: no such text. Very long lines are cut, with "…".
  std::uint32_t marked_first = 0;  ///< What the frame is about, inclusive.
  std::uint32_t marked_last = 0;
};

/// `around` lines before and after [first, last], at most kMostFrameLines in all (the end is left out).
CodeFrame code_frame(const SourceAccess& sources, rules::Side side, std::string_view path, std::uint32_t first,
                     std::uint32_t last, std::uint32_t around);
inline constexpr std::uint32_t kMostFrameLines = 30;

}  // namespace lockstep::report
