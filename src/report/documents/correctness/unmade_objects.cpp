#include "report/documents/correctness/unmade_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/strings.h"
#include "program/queries.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/ways/objects/class_uses.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;

namespace {

/// Whether the name is nothing but an argument of a call.
bool is_handed_to_call(const program::Program& program, const ClassUse& use) {
  const std::vector<const Node*> around = chain_to(program.modules()[use.module].facts->tree(), use.node->span);
  const auto* call = around.empty() ? nullptr : as<Call>(around.back());
  return call != nullptr && call->callee != use.node;
}

/// Where the class is handed to calls, as marked places; empty where one of it or its heirs may be made otherwise.
std::vector<std::string> handed_places(const program::Program& program, ClassId cls) {
  std::vector<std::string> out;
  const bool is_all = for_each_use(program, program::with_descendants(program, cls), [&](const ClassUse& use) {
    if (!is_handed_to_call(program, use)) return false;
    std::string where = place_of(program, use.module, use.node->span);
    if (std::find(out.begin(), out.end(), where) == out.end()) out.push_back(std::move(where));
    return true;
  });
  return is_all ? out : std::vector<std::string>();
}

}  // namespace

void add_unmade_objects(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMostPlaces = 3;
  for (const Actor& actor : story.actors) {
    const auto& side = actor.change->after;
    if (actor.role == Role::kTest || actor.is_removed() || !actor.is_function() || !side->function.valid()) continue;
    const program::Function& function = inputs.after->functions()[side->function];
    if (function.name != "__post_init__" || !function.owner.valid()) continue;
    const std::vector<std::string> places = handed_places(*inputs.after, function.owner);
    if (places.empty() || places.size() > kMostPlaces) continue;
    const std::string cls = code(short_name(*inputs.after, function.owner));
    risks.push_back(
        {RiskKind::kCorrectness,
         fmt::format("{} runs when a {} is made. No call outside tests that was found makes one by its name; "
                     "the class is only handed on, at {}.",
                     code(short_name(inputs, *actor.change)), cls, join_words(places)),
         fmt::format("Does that make one? Else {} does nothing in the repository's own runs.",
                     actor.is_added() ? "this code" : "what changes there"),
         false});
  }
}

}  // namespace lockstep::report
