#include "report/documents/correctness/uncaught_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/checks/catches.h"
#include "report/story/wording/words.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

std::string_view last_of(std::string_view dotted) {
  const std::size_t dot = dotted.rfind('.');
  return dot == std::string_view::npos ? dotted : dotted.substr(dot + 1);
}

/// A `raise` that leaves a function.
struct Leaving {
  FunctionId function;
  const Raise* raise = nullptr;
  std::string error;
};

/// The first `raise` in the function of one of the types, with nothing around it that may take it.
std::optional<Leaving> raised_in(const Program& program, FunctionId function, const std::vector<std::string>& types) {
  const FunctionDef* def = program.functions()[function].def();
  if (def == nullptr) return std::nullopt;
  std::optional<Leaving> out;
  walk_of<Raise>(*def, Nested::kSkip, [&](const Raise* raise) {
    if (out || raise->exception == nullptr || rules::is_in_try(*def, raise->span)) return;
    const auto* made = as<Call>(raise->exception);
    const std::string error = dotted_text(made != nullptr ? made->callee : raise->exception);
    const bool is_it = std::any_of(types.begin(), types.end(), [&](const std::string& type) {
      return !error.empty() && !type.empty() && last_of(type) == last_of(error);
    });
    if (is_it && error != "NotImplementedError") out = Leaving{function, raise, error};
  });
  return out;
}

/// Functions that a call surely enters, methods of a new object's class included.
std::vector<FunctionId> surely_entered(const Program& program, program::CallId id) {
  std::vector<FunctionId> out;
  const program::CallSite& site = program.calls()[id];
  for (const program::CallTarget& target : site.targets) {
    if (target.function.valid() && target.kind != program::CallKind::kCallback &&
        program::surely_enters(site, target.function))
      out.push_back(target.function);
  }
  return out;
}

/// The same of a call, one function deeper where it itself raises none.
std::optional<Leaving> raised_by(const Program& program, const Call& call, const std::vector<std::string>& types) {
  const program::CallId id = program.call_of(&call);
  if (!id.valid()) return std::nullopt;
  for (const FunctionId entered : surely_entered(program, id)) {
    if (std::optional<Leaving> found = raised_in(program, entered, types)) return found;
    const Node* def = program.functions()[entered].node;
    for (const program::CallId below : program.functions()[entered].calls) {
      if (rules::is_in_try(*def, program.calls()[below].node->span)) continue;
      for (const FunctionId deeper : surely_entered(program, below)) {
        if (std::optional<Leaving> found = raised_in(program, deeper, types)) return found;
      }
    }
  }
  return std::nullopt;
}

/// Whether the step of the old version that this one was calls something of that name, too.
bool stood_before(const Actor& actor, std::size_t at, const Call& call) {
  const std::size_t partner = actor.steps.after[at].partner;
  if (partner == Step::kNone) return false;
  bool found = false;
  walk_of<Call>(*actor.steps.before[partner].node, Nested::kSkip,
                [&](const Call* one) { found = found || callee_name(*one) == callee_name(call); });
  return found;
}

}  // namespace

void add_uncaught_errors(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 2;
  const Program& program = *inputs.after;
  std::size_t told = 0;
  std::set<const Raise*> known;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function() || actor.is_module_code || actor.is_removed()) continue;
    for (const CatchChange& one : catch_changes(actor)) {
      if (one.is_gained || told == kMost) continue;
      std::optional<Leaving> found;
      const Call* through = nullptr;
      for (const std::size_t at : one.around) {
        walk_of<Call>(*actor.steps.after[at].node, Nested::kSkip, [&](const Call* call) {
          if (found || !stood_before(actor, at, *call)) return;
          found = raised_by(program, *call, one.types);
          through = call;
        });
      }
      if (!found || !known.insert(found->raise).second) continue;
      ++told;
      const program::Function& raising = program.functions()[found->function];
      const SourceText& source = source_of(program, found->function);
      const std::string when = guards_words(guards_of(*raising.node, found->raise->span), source, 1);
      const std::string name = code(short_name(inputs, *actor.change));
      const std::string concern = fmt::format(
          "{} no longer catches {} around {}; {} raises it still ({}{}).", name, code(found->error),
          code(one_line(*actor.steps.after_source, *through, 60)), code(short_name(program, found->function)),
          place_of(program, raising.module, found->raise->span), when.empty() ? "" : fmt::format(", if {}", when));
      const std::string asked = fmt::format("Is it meant to leave {} now?", name);
      risks.push_back({RiskKind::kCorrectness, concern, asked, false, concern + " " + asked});
    }
  }
}

}  // namespace lockstep::report
