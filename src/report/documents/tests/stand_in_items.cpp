#include "report/documents/tests/stand_in_items.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/document.h"
#include "report/source/code.h"

namespace lockstep::report {

using program::FunctionId;

std::vector<std::string> stand_in_items(const DocumentInputs& inputs, const Story& story, std::size_t most) {
  constexpr std::size_t kMostNames = 4;
  const program::Program& program = *inputs.after;
  std::vector<FunctionId> told;
  std::vector<std::string> out;
  for (const auto& tests : story.tests) {
    if (out.size() == most) break;
    const auto own = std::find_if(tests.begin(), tests.end(),
                                  [&](const TestReach& reach) { return story.stand_ins.contains(reach.test); });
    const auto known = own == tests.end() ? story.stand_ins.end() : story.stand_ins.find(own->test);
    if (known == story.stand_ins.end() || known->second.empty() ||
        std::find(told.begin(), told.end(), known->first) != told.end())
      continue;
    told.push_back(known->first);
    std::vector<std::string> names = known->second;
    const std::size_t all = names.size();
    if (all > kMostNames + 1) names.resize(kMostNames);
    if (names.size() < all) names.push_back(fmt::format("{} more", all - names.size()));
    out.push_back(fmt::format("{} ({}) puts stand-ins in place of other code: {}.",
                              code(program.functions()[known->first].name), place_of(program, known->first),
                              join_words(names)));
  }
  return out;
}

}  // namespace lockstep::report
