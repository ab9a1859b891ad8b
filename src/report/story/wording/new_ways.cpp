#include "report/story/wording/new_ways.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/wording/words.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kLong = 420;  // Bytes, of what the steps come to.
constexpr std::size_t kFewest = 6;  // Steps: of fewer each can be told.

void add_once(std::vector<std::string>& out, std::string one) {
  if (std::find(out.begin(), out.end(), one) == out.end()) out.push_back(std::move(one));
}

/// The first, and how many others.
std::string listed(std::vector<std::string> all, std::size_t most, std::string_view joint) {
  if (all.size() > most + 1) {
    const std::size_t left = all.size() - most;
    all.resize(most);
    all.push_back(fmt::format("{} others", left));
  }
  return join_words(all, std::string(joint));
}

/// "`all_reduce`" of each ", which can issue `all_reduce`; …" in the words.
std::vector<std::string> can_issue(const std::string& words) {
  constexpr std::string_view kSays = "can issue ";
  std::vector<std::string> out;
  for (std::size_t at = words.find(kSays); at != std::string::npos; at = words.find(kSays, at + 1)) {
    const std::size_t begin = at + kSays.size();
    const std::size_t end = std::min({words.find(';', begin), words.find(", ", begin), words.size()});
    add_once(out, words.substr(begin, end - begin));
  }
  return out;
}

/// Whether nothing that runs behind step `index` where its branch is not taken differs from what ran before.
bool stays_behind(const std::vector<Step>& steps, std::size_t index) {
  const auto is_as_it_was = [](const Step& step) { return step.status == StepStatus::kKept; };
  return std::all_of(steps.begin() + static_cast<std::ptrdiff_t>(end_of(steps, index)), steps.end(), is_as_it_was);
}

}  // namespace

std::string new_way_words(const DocumentInputs& inputs, const Actor& actor, std::size_t index,
                          const WordsContext& context, const std::string& words) {
  const std::vector<Step>& steps = actor.steps.after;
  const auto* branch = steps[index].kind == StepKind::kIf ? as<If>(steps[index].node) : nullptr;
  const std::size_t end = end_of(steps, index);
  if (branch == nullptr || words.size() < kLong || steps[index].status != StepStatus::kAdded || steps[index].is_elif ||
      !branch->orelse.empty() || end - index <= kFewest)
    return {};
  std::size_t count = 0;
  for (std::size_t i = index + 1; i < end; ++i) {
    count += steps[i].kind == StepKind::kElse ? 0 : 1;
    if (steps[i].status != StepStatus::kAdded || steps[i].is_moved || steps[i].taken_from != nullptr) return {};
  }
  std::vector<program::FunctionId> fresh;
  for (const change::EntityChange& entity : inputs.change->entities) {
    if (entity.status == change::Status::kAdded && entity.after->function.valid())
      fresh.push_back(entity.after->function);
  }
  std::vector<std::string> calls;
  std::vector<std::string> issued;
  std::vector<std::string> returned;
  const auto look = [&](const Node* node) {
    const auto* call = as<Call>(node);
    const auto* back = as<Return>(node);
    if (back != nullptr && back->value != nullptr)
      add_once(returned, code(one_line(*context.source, *back->value, 50)));
    if (call == nullptr) return;
    const std::vector<program::FunctionId> callees = callees_of(*context.program, call);
    const bool calls_new = std::any_of(callees.begin(), callees.end(), [&](program::FunctionId one) {
      return std::find(fresh.begin(), fresh.end(), one) != fresh.end();
    });
    if (calls_new) add_once(calls, code(one_line(*context.source, *call->callee, 60)));
    const mesh::CollectiveSite* site = collective_at(context, call);
    if (site != nullptr) add_once(issued, code(std::string(site->operation)));
  };
  for (const Stmt* statement : branch->body) {
    look(statement);
    walk(*statement, Nested::kSkip, look);
  }
  if (calls.empty()) return {};
  const Stmt* last = branch->body[branch->body.size() - 1];
  const bool leaves = is<Return>(last) || is<Continue>(last) || is<Break>(last);
  const std::string_view ends = is<Continue>(last) ? ", then goes on with the next round"
                                : is<Break>(last)  ? ", then leaves the loop"
                                                   : "";
  constexpr std::size_t kMostCalls = 3;
  std::string out = fmt::format("when {}, goes a way of its own of {} steps, with {}",
                                condition_words(*branch->condition, *context.source), count,
                                listed(std::move(calls), kMostCalls, "and"));
  if (std::vector<std::string> below = can_issue(words); !below.empty())
    out += fmt::format(", which can issue {}", listed(std::move(below), kMostCalls, "and"));
  if (!issued.empty()) out += fmt::format(", and issues {}", listed(std::move(issued), kMostCalls, "and"));
  if (!returned.empty()) out += fmt::format(", and returns {}", listed(std::move(returned), 2, "or"));
  out += ends;
  if (leaves && stays_behind(steps, index)) out += "; otherwise as before";
  return out;
}

}  // namespace lockstep::report
