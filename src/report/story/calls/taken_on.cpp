#include "report/story/calls/taken_on.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "base/find_text.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/calls/calls.h"
#include "report/story/calls/new_callees.h"
#include "report/story/communication/handed_collectives.h"
#include "report/story/wording/words.h"

namespace lockstep::report {

using namespace python;

namespace {

/// "push_weights.call" of `self.trainer.push_weights.call()`; the name alone of what is called on `self` or nothing.
/// Empty for names that are too short to say that two calls are the same.
std::string work_of(const Call& call) {
  constexpr std::size_t kShortest = 8;
  std::string name = dotted_text(call.callee);
  const std::size_t last = name.rfind('.');
  if (last != std::string::npos && last > 0) {
    const std::size_t before = name.rfind('.', last - 1);
    if (before != std::string::npos) name.erase(0, before + 1);
  }
  for (const std::string_view own : {"self.", "cls."}) {
    if (name.starts_with(own)) name.erase(0, own.size());
  }
  while (name.starts_with("_")) name.erase(0, 1);
  // `out.append` is anybody's.
  return name.size() < kShortest || name.find('_') == std::string::npos ? std::string() : name;
}

bool does(const Node& code, const std::string& work) {
  bool found = false;
  walk_of<Call>(code, Nested::kEnter, [&](const Call* call) { found = found || work_of(*call) == work; });
  return found;
}

/// Whether the code makes the very call, with the same arguments.
bool makes(const Node& code, const SourceText& source, const std::string& callee, const std::string& whole) {
  bool found = false;
  walk_of<Call>(code, Nested::kSkip, [&](const Call* call) {
    found = found || (dotted_text(call->callee) == callee && one_line_whole(source, *call) == whole);
  });
  return found;
}

/// The function that was there and that changed lines of the actor surely enter now, which makes the call that goes;
/// none where none does.
program::FunctionId taker_called(const DocumentInputs& inputs, const Actor& actor, const Call& gone) {
  const std::string callee = dotted_text(gone.callee);
  const std::string whole = one_line_whole(*actor.steps.before_source, gone);
  if (callee.empty() || actor.steps.after_source == nullptr) return {};
  program::FunctionId taker;
  for (const Step& step : actor.steps.after) {
    if (step.status == StepStatus::kKept || taker.valid()) continue;
    walk_of<Call>(*step.node, Nested::kSkip, [&](const Call* call) {
      const program::CallId id = step.span.contains(call->span) ? inputs.after->call_of(call) : program::CallId();
      if (!id.valid() || taker.valid() || inputs.after->calls()[id].targets.empty()) return;
      const program::CallSite& site = inputs.after->calls()[id];
      const program::FunctionId entered = site.targets.front().function;
      if (!entered.valid() || entered == actor.change->after->function || !program::surely_enters(site, entered) ||
          inputs.after->functions()[entered].def() == nullptr)
        return;
      if (makes(*inputs.after->functions()[entered].node, source_of(*inputs.after, entered), callee, whole))
        taker = entered;
    });
  }
  return taker;
}

}  // namespace

bool is_done_by_callee(const DocumentInputs& inputs, const Actor& actor, const Step& gone) {
  const bool is_alone = gone.kind == StepKind::kPlain && is<ExprStmt>(gone.node) && actor.change->after;
  const Call* call = is_alone ? call_of_step(gone) : nullptr;
  return call != nullptr && taker_called(inputs, actor, *call).valid();
}

namespace {

/// Share of the words of the longer text that the other one has, too.
double common_words(std::string_view a, std::string_view b) {
  std::multiset<std::string_view> words;
  std::size_t in_a = 0;
  std::size_t in_b = 0;
  std::size_t common = 0;
  for_each_name(a, [&](std::string_view one) {
    words.insert(one);
    ++in_a;
  });
  for_each_name(b, [&](std::string_view one) {
    ++in_b;
    const auto known = words.find(one);
    if (known == words.end()) return;
    words.erase(known);
    ++common;
  });
  return std::max(in_a, in_b) == 0 ? 0 : static_cast<double>(common) / static_cast<double>(std::max(in_a, in_b));
}

/// The last name of what the statement calls first.
std::string_view first_called(const Node& statement) {
  const Call* first = first_call_in(statement, statement.span);
  return first == nullptr ? std::string_view() : callee_name(*first);
}

}  // namespace

bool is_alike_in(const Node& function, const SourceText& source, const Step& gone, const SourceText& gone_source) {
  constexpr double kAlike = 0.6;
  const std::string_view called = first_called(*gone.node);
  const std::string text = one_line_whole(gone_source, gone.span);
  bool found = false;
  walk_statements(function, Nested::kSkip, [&](const Stmt* statement) {
    found = found || (statement->kind == gone.node->kind && first_called(*statement) == called &&
                      common_words(text, one_line_whole(source, statement->span)) >= kAlike);
  });
  return found;
}

bool is_alike_in_new_function(const DocumentInputs& inputs, const Actor& actor, const Step& gone) {
  if (gone.kind != StepKind::kPlain || actor.steps.before_source == nullptr || actor.steps.after_source == nullptr ||
      !actor.change->after)
    return false;
  constexpr std::size_t kTelling = 40;  // Bytes: of what calls nothing, shorter ones stand anywhere.
  if (first_called(*gone.node).empty() && gone.span.size() < kTelling) return false;
  const auto holds = [&](const Node& function, const SourceText& source) {
    return is_alike_in(function, source, gone, *actor.steps.before_source);
  };
  for (const Step& step : actor.steps.after) {
    if (step.status == StepStatus::kAdded && is<FunctionDef>(step.node) && holds(*step.node, *actor.steps.after_source))
      return true;
  }
  for (const program::FunctionId callee : newly_called(*inputs.after, *actor.change)) {
    const program::Function& function = inputs.after->functions()[callee];
    const bool is_new = !inputs.before->find_function(function.qualified_name).valid();
    if (!is_new) continue;
    if (holds(*function.node, source_of(*inputs.after, callee))) return true;
    const Call* call = is<ExprStmt>(gone.node) ? call_of_step(gone) : nullptr;
    const mesh::CollectiveSite* site = call == nullptr ? nullptr : collective_at(context_before(inputs, actor), call);
    if (site != nullptr && handed_collective(inputs, *actor.change, *site, callee) != nullptr) return true;
  }
  return false;
}

std::string TakenOn::words(const Actor& actor, const Step& gone) {
  const auto* with = as<With>(gone.node);
  const bool is_one = gone.kind == StepKind::kPlain || (with != nullptr && with->body.size() == 1);
  if (gone.node == nullptr || !is_one || !actor.change->after) return {};
  if (const Call* call = is<ExprStmt>(gone.node) ? call_of_step(gone) : nullptr; call != nullptr) {
    if (const program::FunctionId taker = taker_called(inputs_, actor, *call); taker.valid())
      return fmt::format(", which {}, called now, does", code(short_name(*inputs_.after, taker)));
  }
  std::string work;
  walk_of<Call>(with != nullptr ? *with->body.front() : *gone.node, Nested::kSkip, [&](const Call* call) {
    // What every other function calls of a library says nothing of who does the work.
    if (work.empty() && external_callee(*inputs_.before, call).empty()) work = work_of(*call);
  });
  if (work.empty() || does(*actor.change->after->node, work)) return {};
  if (!takers_) {
    takers_.emplace();
    for (const change::EntityChange& entity : inputs_.change->entities) {
      const bool is_function =
          entity.kind == change::EntityKind::kFunction || entity.kind == change::EntityKind::kMethod;
      if (!is_function || entity.before || !entity.after || program::is_test_path(entity.after->path) ||
          entity.after->node == nullptr)
        continue;
      walk_of<Call>(*entity.after->node, Nested::kEnter, [&](const Call* call) {
        const auto [place, is_new] = takers_->try_emplace(work_of(*call), &entity);
        if (!is_new && place->second != &entity) place->second = nullptr;
      });
    }
  }
  const auto taker = takers_->find(work);
  return taker == takers_->end() || taker->second == nullptr
             ? std::string()
             : fmt::format(", which the new {} does", code(short_name(inputs_, *taker->second)));
}

}  // namespace lockstep::report
