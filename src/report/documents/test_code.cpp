#include "report/documents/test_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "program/queries.h"
#include "report/document.h"

namespace lockstep::report {

using program::FunctionId;

namespace {

/// Whether calls that surely enter what they call lead from one function to one of the others.
bool leads_to(const program::Program& program, FunctionId from, const std::vector<FunctionId>& functions) {
  constexpr std::size_t kMostCalls = 4;
  constexpr std::size_t kMostFunctions = 2'000;
  std::vector<FunctionId> edge = {from};
  std::set<std::uint32_t> seen = {from.value};
  for (std::size_t calls = 0; calls < kMostCalls && !edge.empty(); ++calls) {
    std::vector<FunctionId> next;
    for (const FunctionId function : edge) {
      for (const program::CallId call : program.functions()[function].calls) {
        const auto& targets = program.calls()[call].targets;
        if (targets.size() != 1 || targets.front().certainty != program::Certainty::kExact ||
            !targets.front().function.valid())
          continue;
        const FunctionId entered = targets.front().function;
        if (std::find(functions.begin(), functions.end(), entered) != functions.end()) return true;
        if (seen.size() < kMostFunctions && seen.insert(entered.value).second) next.push_back(entered);
      }
    }
    edge = std::move(next);
  }
  return false;
}

}  // namespace

std::string leading_test_code(const DocumentInputs& inputs, const Story& story,
                              const std::vector<FunctionId>& functions) {
  constexpr std::size_t kMost = 2;
  std::vector<std::string> told;
  for (const Actor& actor : story.actors) {
    const auto& after = actor.change->after;
    if (actor.role != Role::kTest || !after || !after->function.valid() || told.size() == kMost) continue;
    const program::Function& function = inputs.after->functions()[after->function];
    if (function.kind == program::FunctionKind::kModuleBody || std::string_view(function.name).starts_with("test"))
      continue;
    if (leads_to(*inputs.after, after->function, functions))
      told.push_back(fmt::format("{} ({})", code(function.name), place_of(inputs, *actor.change)));
  }
  if (told.empty()) return {};
  return fmt::format("Test code of the change that is no test function leads there: {}", join_words(told));
}

}  // namespace lockstep::report
