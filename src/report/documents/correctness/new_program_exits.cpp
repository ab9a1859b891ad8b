#include "report/documents/correctness/new_program_exits.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/words.h"
#include "report/story/wording/words.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// The call of `sys.exit(1)`, `os._exit(code)` and `exit("message")` at the end of the branch; null where there is
/// none, or where it tells of success.
const Call* failing_exit(const If& branch, const SourceText& source) {
  const auto* call = branch.body.empty() ? nullptr : as<Call>(thrown_away_by(*branch.body.back()));
  const std::string name = call == nullptr ? std::string() : dotted_text(call->callee);
  if (name != "sys.exit" && name != "os._exit" && name != "exit") return nullptr;
  if (call->arguments.size() != 1 || !is<Constant>(call->arguments.front())) return nullptr;
  return rules::is_none(call->arguments.front()) || source.slice(call->arguments.front()->span) == "0" ? nullptr : call;
}

/// A new check, and the call that ends the program.
struct Exit {
  const If* branch = nullptr;
  const Call* call = nullptr;
};

/// In code of the actor that is new: of an edited function its added branches, of a new one all.
std::vector<Exit> exits_of(const Actor& actor) {
  std::vector<Exit> out;
  for (const Step& step : actor.steps.after) {
    const auto* branch = step.kind == StepKind::kIf ? as<If>(step.node) : nullptr;
    if (branch == nullptr || step.is_moved || step.taken_from != nullptr || step.elsewhere != nullptr ||
        !(actor.is_added() || step.status == StepStatus::kAdded))
      continue;
    if (const Call* call = failing_exit(*branch, *actor.steps.after_source)) out.push_back({branch, call});
  }
  return out;
}

/// Whether the function ended the program before, too: what it refuses is not compared.
bool ended_before(const Actor& actor, const Exit& exit) {
  if (actor.steps.before_source == nullptr) return false;
  const std::string condition = one_line_whole(*actor.steps.after_source, *exit.branch->condition);
  return std::any_of(actor.steps.before.begin(), actor.steps.before.end(), [&](const Step& step) {
    const auto* branch = step.kind == StepKind::kIf ? as<If>(step.node) : nullptr;
    return branch != nullptr && one_line_whole(*actor.steps.before_source, *branch->condition) == condition;
  });
}

std::string conditions_of(const Actor& actor, const std::vector<Exit>& exits) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> out;
  for (const Exit& exit : exits) {
    std::string words = condition_words(*exit.branch->condition, *actor.steps.after_source);
    if (out.size() < kMost && std::find(out.begin(), out.end(), words) == out.end()) out.push_back(std::move(words));
  }
  return join_words(out, "or when");
}

/// Whether a changed step of the actor calls the function.
bool calls_newly(const program::Program& program, const Actor& actor, program::FunctionId callee) {
  bool found = false;
  for (const Step& step : actor.steps.after) {
    if (step.status == StepStatus::kKept || step.is_moved || step.node == nullptr) continue;
    walk_of<Call>(*step.node, Nested::kEnter, [&](const Call* call) {
      const program::CallId id = step.span.contains(call->span) ? program.call_of(call) : program::CallId();
      found = found || (id.valid() && program::surely_enters(program.calls()[id], callee));
    });
  }
  return found;
}

}  // namespace

void add_new_program_exits(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 3;
  std::size_t told = 0;
  const auto add = [&](std::string concern) {
    if (told++ < kMost)
      risks.push_back(
          {RiskKind::kCompatibility, std::move(concern), "What went on there before ends there now", false});
  };
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function() || actor.is_removed() || actor.is_module_code ||
        actor.steps.after_source == nullptr || !actor.change->after->function.valid())
      continue;
    std::vector<Exit> exits = exits_of(actor);
    std::erase_if(exits, [&](const Exit& exit) { return ended_before(actor, exit); });
    if (exits.empty()) continue;
    const std::string name = code(short_name(inputs, *actor.change));
    const std::string exit = code(one_line(*actor.steps.after_source, *exits.front().call, 40));
    const std::string when = conditions_of(actor, exits);
    if (!actor.is_added()) {
      add(fmt::format("{} refuses more: it ends the program ({}) when {}.", name, exit, when));
      continue;
    }
    std::vector<std::string> callers;
    for (const Actor& other : story.actors) {
      if (other.role != Role::kTest && other.is_function() && !other.is_added() && !other.is_removed() &&
          other.steps.after_source != nullptr && calls_newly(*inputs.after, other, actor.change->after->function))
        callers.push_back(code(short_name(inputs, *other.change)));
    }
    if (callers.empty()) continue;
    add(fmt::format("{} {} {} now, which ends the program ({}) when {}.", join_words(callers),
                    callers.size() == 1 ? "calls" : "call", name, exit, when));
  }
}

}  // namespace lockstep::report
