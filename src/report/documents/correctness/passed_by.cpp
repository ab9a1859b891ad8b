#include "report/documents/correctness/passed_by.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "change/names.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/file_name.h"
#include "report/source/code.h"

namespace lockstep::report {

using program::FunctionId;

namespace {

/// Whether the method calls the one it stands for: `super().step(…)`, `Trainer.step(self, …)`.
bool calls_base(const program::Function& own) {
  bool found = false;
  python::walk_of<python::Attribute>(*own.node, python::Nested::kEnter, [&](const python::Attribute* member) {
    if (member->name.text != own.name) return;
    const auto* call = python::as<python::Call>(member->value);
    const auto* callee = call == nullptr ? nullptr : python::as<python::Name>(call->callee);
    // Also a class within another one: `Trainer.Config.update(self, …)`.
    const std::string dotted = dotted_text(member->value);
    const std::string_view cls = change::last_part(dotted);
    const bool names_class = !cls.empty() && cls.front() >= 'A' && cls.front() <= 'Z';
    found = found || names_class || (callee != nullptr && callee->id == "super");
  });
  return found;
}

bool is_touched(const DocumentInputs& inputs, FunctionId function) {
  return std::any_of(inputs.change->entities.begin(), inputs.change->entities.end(), [&](const auto& entity) {
    return entity.after && entity.after->function == function && !entity.is_cosmetic();
  });
}

/// Names with their places, the first few.
std::string list_of(const program::Program& program, const std::vector<FunctionId>& functions) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> names;
  for (const FunctionId one : functions) {
    if (names.size() == kMost - 1 && functions.size() > kMost) break;
    const SourceText& source = source_of(program, one);
    names.push_back(
        fmt::format("{} ({})", code(short_name(program, one)),
                    place(program.module_of(one).path, source.line_of(program.functions()[one].node->span.begin))));
  }
  if (names.size() < functions.size()) names.push_back(fmt::format("{} more", functions.size() - names.size()));
  return join_words(names);
}

}  // namespace

void add_passed_by(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  const program::Program& program = *inputs.after;
  for (const std::size_t index : story.central) {
    const Actor& actor = story.actors[index];
    const change::EntityChange& entity = *actor.change;
    if (entity.kind != change::EntityKind::kMethod || entity.status != change::Status::kModified || !entity.after ||
        !entity.after->function.valid() || entity.is_cosmetic())
      continue;
    const program::Function& base = program.functions()[entity.after->function];
    if (base.name.starts_with("__")) continue;
    std::vector<FunctionId> apart;
    std::vector<FunctionId> through;
    for (const FunctionId one : program.overrides_of(entity.after->function)) {
      const program::Function& own = program.functions()[one];
      if (own.node == nullptr || program::is_test_path(program.module_of(one).path) || is_touched(inputs, one))
        continue;
      (calls_base(own) ? through : apart).push_back(one);
    }
    if (apart.empty()) continue;
    Risk risk;
    risk.kind = RiskKind::kCorrectness;
    risk.concern =
        fmt::format("{} {} in the place of {} and {} not touched: what changes there does not reach {}.",
                    list_of(program, apart), apart.size() == 1 ? "stands" : "stand", code(short_name(inputs, entity)),
                    apart.size() == 1 ? "is" : "are", apart.size() == 1 ? "it" : "them");
    risk.status = through.empty() ? std::string("Do they need it, too?")
                                  : fmt::format("{} {} the changed one.", list_of(program, through),
                                                through.size() == 1 ? "calls" : "call");
    risks.push_back(std::move(risk));
  }
}

}  // namespace lockstep::report
