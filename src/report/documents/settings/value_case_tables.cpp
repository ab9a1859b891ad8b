#include "report/documents/settings/value_case_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"

namespace lockstep::report {

void add_value_cases(Document& document, const Story& story, std::size_t most, std::size_t most_rows) {
  for (std::size_t i = 0; i < std::min(most, story.value_cases.size()); ++i) {
    const ValueCases& one = story.value_cases[i];
    std::vector<std::vector<std::string>> rows;
    std::size_t told = 0;
    for (; told < one.rows.size() && rows.size() < most_rows; ++told)
      rows.insert(rows.end(), one.rows[told].begin(), one.rows[told].end());
    document.paragraph(one.caption).table(one.header, rows);
    if (const std::size_t left = one.rows.size() - told; left > 0)
      document.paragraph(fmt::format("And {} that the value decides.", count_of(left, "more step")));
  }
}

}  // namespace lockstep::report
