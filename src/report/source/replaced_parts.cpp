#include "report/source/replaced_parts.h"

#include <algorithm>
#include <cstdint>

namespace lockstep::report {

std::string with_replaced(const SourceText& source, Span whole, std::vector<std::pair<Span, std::string>> parts) {
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first.begin < b.first.begin; });
  std::string out;
  std::uint32_t at = whole.begin;
  for (const auto& [span, text] : parts) {
    out += source.slice({at, span.begin});
    out += text;
    at = span.end;
  }
  out += source.slice({at, whole.end});
  return out;
}

}  // namespace lockstep::report
