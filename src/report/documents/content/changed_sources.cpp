#include "report/documents/content/changed_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "report/document.h"
#include "report/story/communication/changed_sources.h"

namespace lockstep::report {

namespace {

constexpr std::size_t kMostTold = 2;

}  // namespace

std::vector<std::string> changed_source_items(const DocumentInputs& inputs, const Story& story) {
  constexpr std::size_t kMostValues = 2;
  std::vector<std::pair<std::string, std::vector<std::string>>> told;  ///< What, and the functions that do it.
  for (const ChangedSource& one : changed_sources(inputs, story)) {
    std::vector<std::string> values;
    for (std::size_t i = 0; i < std::min(one.values.size(), kMostValues); ++i)
      values.push_back(fmt::format("{} for {}", code(one.values[i].second), code(one.values[i].first)));
    if (one.values.size() > kMostValues) values.push_back(fmt::format("{} more", one.values.size() - kMostValues));
    const std::string object = fmt::format("{}{}", one.is_parameter ? "its parameter " : "", code(one.object));
    const std::string getters = fmt::format("functions of {}", place(one.getters));
    std::string what =
        fmt::format("{} from {} instead of {}: {}.", count_of(one.values.size(), "value"),
                    one.to_object ? object : getters, one.to_object ? getters : object, join_words(values));
    const auto same = std::find_if(told.begin(), told.end(), [&](const auto& other) { return other.first == what; });
    if (same == told.end()) {
      told.push_back({std::move(what), {code(short_name(inputs, *one.actor->change))}});
    } else {
      same->second.push_back(code(short_name(inputs, *one.actor->change)));
    }
  }
  std::vector<std::string> out;
  for (const auto& [what, functions] : told) {
    if (out.size() < kMostTold)
      out.push_back(fmt::format("{} {} {}", join_words(functions), functions.size() > 1 ? "each take" : "takes", what));
  }
  return out;
}

void add_mixed_sources(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMostLeft = 2;
  std::size_t told = 0;
  for (const ChangedSource& one : changed_sources(inputs, story)) {
    if (one.left.empty() || told == kMostTold) continue;
    ++told;
    const SourceText& source = *one.actor->steps.after_source;
    std::vector<std::string> left;
    for (std::size_t i = 0; i < std::min(one.left.size(), kMostLeft); ++i)
      left.push_back(fmt::format("{} ({})", code(one_line(source, one.left[i], 60)),
                                 place(one.actor->change->after->path, source.line_of(one.left[i].begin))));
    if (one.left.size() > kMostLeft) left.push_back(fmt::format("{} more", one.left.size() - kMostLeft));
    const std::string concern =
        fmt::format("{} takes values from {} now, and still calls {}.", code(short_name(inputs, *one.actor->change)),
                    code(one.object), join_words(left));
    const std::string asked = "Are these the same process groups?";
    risks.push_back({RiskKind::kCorrectness, concern, asked, false, concern + " " + asked});
  }
}

}  // namespace lockstep::report
