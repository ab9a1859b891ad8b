#include "report/documents/runs/way_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "report/document.h"
#include "report/documents/runs/ways.h"
#include "report/story/wording/blocks_around.h"
#include "report/story/wording/words.h"
#include "rules/names/bindings.h"

namespace lockstep::report {

namespace {

constexpr std::size_t kMostConditions = 2;
constexpr std::size_t kMostGuards = 4;  ///< Branches: the outermost is often what switches the way on.
constexpr std::size_t kMostPlaces = 3;  ///< Of calls that lead to the same function.

std::string name_of(const program::Program& program, program::FunctionId function) {
  const program::Function& one = program.functions()[function];
  if (one.kind == program::FunctionKind::kModuleBody) return place(program.module_of(function).path);
  return code(short_name(program, function));
}

/// By line, each once.
using CallsByLine = std::map<std::uint32_t, const python::Node*>;

/// "`a.py:12` or `a.py:40`": the first few of them.
std::string call_places(const std::string& path, const CallsByLine& calls) {
  std::vector<std::string> out;
  for (const auto& [line, call] : calls) {
    if (out.size() < kMostPlaces) out.push_back(place(path, line));
  }
  if (calls.size() > kMostPlaces) out.push_back(fmt::format("{} more", calls.size() - kMostPlaces));
  return join_words(out, "or");
}

/// What the call waits for beside branches, in words: errors, cases and loops around it.
std::vector<std::string> blocks_words(const python::Node& body, Span call, const SourceText& source) {
  std::set<std::string> said;
  std::vector<std::string> out = loops_around(body, call, source);
  for (std::string& one : catches_around(body, nullptr, call, source)) out.push_back(std::move(one));
  for (std::string& one : cases_around(body, nullptr, call, source, said)) out.push_back(std::move(one));
  return out;
}

/// What each of the calls waits for alike, beside branches; at most a few.
std::vector<std::string> shared_blocks(const python::Node& body, const CallsByLine& calls, const SourceText& source) {
  std::vector<std::string> shared = blocks_words(body, calls.begin()->second->span, source);
  for (const auto& [line, call] : calls) {
    const std::vector<std::string> own = blocks_words(body, call->span, source);
    std::erase_if(shared, [&](const std::string& one) { return std::find(own.begin(), own.end(), one) == own.end(); });
  }
  if (shared.size() > kMostConditions) shared.erase(shared.begin(), shared.end() - kMostConditions);
  return shared;
}

/// Whether each of several calls waits for something of its own.
bool are_all_guarded(const python::Node& body, const CallsByLine& calls, const SourceText& source) {
  return calls.size() > 1 && std::all_of(calls.begin(), calls.end(), [&](const auto& one) {
           const std::vector<Guard> guards = guards_of(body, one.second->span);
           return !blocks_words(body, one.second->span, source).empty() ||
                  std::any_of(guards.begin(), guards.end(),
                              [](const Guard& guard) { return guard.condition != nullptr; });
         });
}

/// Whether each of several calls stands in a branch.
bool have_all_conditions(const python::Node& body, const CallsByLine& calls) {
  return calls.size() > 1 && std::all_of(calls.begin(), calls.end(), [&](const auto& one) {
           const std::vector<Guard> guards = guards_of(body, one.second->span);
           return std::any_of(guards.begin(), guards.end(), [](const Guard& guard) {
             return guard.condition != nullptr && python::is<python::If>(guard.statement);
           });
         });
}

/// What the branches ask for; says where more is asked than a cell holds. Empty for none.
std::string told_guards_words(const std::vector<Guard>& guards, const SourceText& source) {
  const std::string some = guards_words(guards, source, kMostGuards);
  const bool is_all = some == guards_words(guards, source, guards.size());
  return is_all ? some : some + ", among other conditions";
}

/// The conditions under which the frame's calls lead to `next`, in words; empty for none.
std::string conditions_of(const program::Program& program, const PathFrame& frame, program::FunctionId next,
                          const CallsByLine& calls) {
  const SourceText& source = source_of(program, frame.function);
  const python::Node* body = program.functions()[frame.function].node;
  std::vector<std::string> parts;
  if (body != nullptr) parts = shared_blocks(*body, calls, source);
  const std::string guards = told_guards_words(guards_of_all(program, frame, next), source);
  if (!guards.empty()) parts.push_back(guards);
  // The row is of these calls: on the other side others lead on.
  const std::string two_sided = told_guards_words(two_sided_of_all(program, frame, next), source);
  // What all have in common is nothing, or a loop; that does not make one of them unconditional.
  const bool is_guarded = !guards.empty() || !two_sided.empty();
  const bool has_own =
      body != nullptr && (parts.empty() && !is_guarded ? are_all_guarded(*body, calls, source)
                                                       : !is_guarded && have_all_conditions(*body, calls));
  if (has_own) parts.emplace_back("each under a condition of its own");
  std::vector<std::string> all;
  if (!parts.empty()) all.push_back(join(parts, " and "));
  if (!two_sided.empty()) all.push_back(fmt::format("{} (otherwise other calls lead on)", two_sided));
  return join(all, "; ");
}

/// Whether the frame's call enters what a variable of its function holds: who called that function decided what.
bool enters_what_it_holds(const program::Program& program, const PathFrame& frame) {
  const auto* call = python::as<python::Call>(frame.call);
  const auto* callee = call == nullptr ? nullptr : python::as<python::Name>(call->callee);
  const python::FunctionDef* def = program.functions()[frame.function].def();
  return callee != nullptr && def != nullptr &&
         (rules::parameter_named(def, callee->id) != nullptr || rules::binds_name(*def, callee->id));
}

}  // namespace

std::vector<std::vector<std::string>> way_rows(const DocumentInputs& inputs, const EntryPath& path) {
  const program::Program& program = *inputs.after;
  bool is_folded = false;
  for (std::size_t i = 0; i < path.frames.size(); ++i) is_folded = is_folded || is_only_counted(path.frames, i);
  std::vector<std::vector<std::string>> rows;
  if (!is_folded) return rows;
  for (std::size_t i = 0; i + 1 < path.frames.size(); ++i) {
    const PathFrame& frame = path.frames[i];
    const program::FunctionId next = path.frames[i + 1].function;
    std::string where = place_of(program, next);
    std::string conditions;
    if (frame.call != nullptr) {
      const SourceText& source = source_of(program, frame.function);
      CallsByLine calls;
      for (const python::Node* call : calls_on(program, frame, next))
        calls.emplace(source.line_of(call->span.begin), call);
      where = call_places(program.module_of(frame.function).path, calls);
      if (calls.size() > 1 && enters_what_it_holds(program, path.frames[i + 1]))
        where += " (what it gives decides which)";
      conditions = conditions_of(program, frame, next, calls);
    }
    if (frame.off_by_default != nullptr && !conditions.empty()) conditions += " (off by default)";
    rows.push_back({fmt::format("{} \u2192 {}", name_of(program, frame.function), name_of(program, next)), where,
                    conditions.empty() ? "-" : conditions});
  }
  return rows;
}

}  // namespace lockstep::report
