#include "report/documents/costs/stream_table.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "report/documents/parts.h"
#include "report/story/communication/stream_orders.h"

namespace lockstep::report {

StreamTable stream_table(const DocumentInputs& inputs, const Story& story) {
  constexpr std::size_t kMostRows = 8;
  constexpr std::size_t kMostNames = 4;
  const auto cell = [&](std::vector<std::string> names) {
    if (names.empty()) return std::string("\u2014");
    const std::size_t all = names.size();
    if (all > kMostNames) names.resize(kMostNames - 1);
    return join(names, "; ") + (all > kMostNames ? fmt::format(" and {} more", all - names.size()) : "");
  };
  StreamTable out{{"Order on the GPU", "Before, by", "After, by"}, {}};
  for (const StreamOrder& one : changed_stream_orders(inputs, story, kMostRows))
    out.rows.push_back({capitalised(one.words), cell(one.before), cell(one.after)});
  return out;
}

}  // namespace lockstep::report
