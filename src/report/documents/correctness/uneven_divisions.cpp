#include "report/documents/correctness/uneven_divisions.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/document.h"

namespace lockstep::report {

bool UnevenDivisions::ask(const std::string& divisor, const std::string& divided, const std::string& where,
                          bool is_never_zero, std::vector<Risk>& risks) {
  auto same = std::find_if(asked_.begin(), asked_.end(), [&](const Asked& one) {
    return one.divisor == divisor && one.is_never_zero == is_never_zero;
  });
  const bool is_new = same == asked_.end();
  if (is_new) {
    risks.push_back({RiskKind::kEdgeCases, {}, {}, false});
    same = asked_.insert(asked_.end(), {risks.size() - 1, divisor, is_never_zero, {}, {}});
  }
  const auto add = [](std::vector<std::string>& list, const std::string& text) {
    if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
  };
  add(same->divided, divided);
  add(same->places, where);
  const std::string all = join_words(same->divided);
  const std::string places = join_words(same->places);
  Risk& risk = risks[same->risk];
  risk.concern = is_never_zero ? fmt::format("Does {} always divide {} evenly?", divisor, all)
                               : fmt::format("Can {} be zero, or not divide {} evenly?", divisor, all);
  risk.status = "Open: see " + places;
  risk.question = fmt::format("{}: does {} always divide {} evenly here?", places, divisor, all);
  return is_new;
}

}  // namespace lockstep::report
