#include "report/story/steps/turned_guards.h"

#include <algorithm>

#include "base/strings.h"
#include "mesh/mesh.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/words.h"

namespace lockstep::report {

using namespace python;

namespace {

/// The statements of a block as text without layout.
std::string text_of_block(Seq<Stmt> block, const SourceText& source) {
  std::string out;
  for (const Stmt* one : block) out += without_layout(source, one->span) + "\n";
  return out;
}

bool leaves(const Stmt& last) {
  return is<Return>(&last) || is<Raise>(&last) || is<Continue>(&last) || is<Break>(&last);
}

/// Where the block that holds the statement ends.
std::uint32_t end_of_block(const FunctionDef& function, const Stmt& held) {
  std::uint32_t end = function.span.end;
  std::uint32_t size = function.span.end - function.span.begin + 1;
  const auto look = [&](Seq<Stmt> block) {
    if (block.empty() || std::find(block.begin(), block.end(), &held) == block.end()) return;
    const std::uint32_t own = block.back()->span.end - block.front()->span.begin;
    if (own >= size) return;
    size = own;
    end = block.back()->span.end;
  };
  look(function.body);
  walk_statements(function, Nested::kSkip, [&](const Stmt* one) {
    if (const auto* loop = as<For>(one)) look(loop->body);
    if (const auto* loop = as<While>(one)) look(loop->body);
    if (const auto* with = as<With>(one)) look(with->body);
    if (const auto* branch = as<If>(one)) {
      look(branch->body);
      look(branch->orelse);
    }
  });
  return end;
}

}  // namespace

bool turns_guard(const If& before, const SourceText& before_source, const If& after, const SourceText& after_source) {
  if (!before.orelse.empty() || !after.orelse.empty() || before.body.empty() || after.body.empty() ||
      !leaves(*after.body.back()))
    return false;
  const std::string was = condition_words(*before.condition, before_source);
  const std::string is = condition_words(*after.condition, after_source);
  // What is cut may differ elsewhere.
  if (contains(was, "\u2026") || contains(is, "\u2026")) return false;
  return was == condition_words(*after.condition, after_source, true) &&
         is == condition_words(*before.condition, before_source, true) &&
         text_of_block(before.body, before_source) == text_of_block(after.body, after_source);
}

std::vector<std::string> collectives_behind(const If& guard, const WordsContext& context) {
  std::vector<std::string> out;
  if (context.mesh == nullptr || context.program == nullptr || !context.function.valid()) return out;
  const FunctionDef* def = context.program->functions()[context.function].def();
  if (def == nullptr) return out;
  const std::uint32_t end = end_of_block(*def, guard);
  for (const mesh::CollectiveSite& site : context.mesh->collectives_of(context.function)) {
    if (site.creates_group || site.call == nullptr || site.call->span.begin < guard.span.end ||
        site.call->span.begin > end)
      continue;
    std::string name = code(site.operation);
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(std::move(name));
  }
  return out;
}

void weigh_turned_guards(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  constexpr double kLeads = 1.05;
  constexpr double kTurned = 10;
  double top = 0;
  for (const Actor& actor : actors) {
    if (actor.role == Role::kSupporting) top = std::max(top, actor.weight);
  }
  for (Actor& actor : actors) {
    if (actor.role != Role::kSupporting || !actor.is_function() || actor.is_added() || actor.is_removed()) continue;
    bool turns = false;
    bool communicates = false;
    for (const Step& step : actor.steps.after) {
      if (step.status != StepStatus::kChanged || step.partner == Step::kNone) continue;
      const auto* is = as<If>(step.node);
      const auto* was = as<If>(actor.steps.before[step.partner].node);
      if (is == nullptr || was == nullptr ||
          !turns_guard(*was, *actor.steps.before_source, *is, *actor.steps.after_source))
        continue;
      turns = true;
      communicates = communicates || !collectives_behind(*is, context_after(inputs, actor)).empty();
    }
    if (turns) actor.weight += kTurned;
    if (communicates) actor.weight = std::max(actor.weight, kLeads * top);
  }
}

}  // namespace lockstep::report
