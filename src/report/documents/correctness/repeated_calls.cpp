#include "report/documents/correctness/repeated_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/ways/objects/class_uses.h"
#include "rules/calls/signatures.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;

namespace {

using Names = std::set<std::string_view>;

constexpr std::size_t kFewest = 2;      ///< Calls that belong together.
constexpr std::size_t kMostPlaces = 3;  ///< Of functions that make them all.

/// The names by which calls in the node, as far as the span goes, call something.
void add_called(const Node& node, Span span, Nested nested, Names& names) {
  walk_of<Call>(node, nested, [&](const Call* call) {
    if (span.contains(call->span)) names.insert(rules::last_part_of(call));
  });
}

Names called_by(const FunctionDef& function, Nested nested) {
  Names out;
  for (const Stmt* statement : function.body) add_called(*statement, statement->span, nested, out);
  return out;
}

/// What the function calls no longer.
Names gone_from(const Actor& actor) {
  if (!actor.is_function() || actor.is_added() || actor.role == Role::kTest) return {};
  Names out;
  for (const Step& step : actor.steps.before) {
    if (step.status == StepStatus::kRemoved) add_called(*step.node, step.span, Nested::kSkip, out);
  }
  const auto* now = actor.change->after ? as<FunctionDef>(actor.change->after->node) : nullptr;
  const Names kept = now == nullptr ? Names() : called_by(*now, Nested::kEnter);
  std::erase_if(out, [&](std::string_view one) { return kept.contains(one); });
  return out;
}

/// What a function calls that the change brings; empty for others.
Names called_by_new(const Actor& actor) {
  const bool is_new = actor.is_function() && actor.is_added() && actor.role != Role::kTest;
  const auto* def = is_new ? as<FunctionDef>(actor.change->after->node) : nullptr;
  return def == nullptr ? Names() : called_by(*def, Nested::kSkip);
}

constexpr std::size_t kMostNamed = 24;  ///< Places of a name outside tests, imports and definitions among them.
constexpr std::size_t kFewNamed = 10;   ///< Of one of them at least: helpers that all use say nothing of who does.

/// At how many places outside tests the name of functions of the repository stands; too many for others.
std::size_t places_named(const program::Program& program, std::string_view name) {
  bool is_own = false;
  for (std::size_t i = 0; i < program.functions().size() && !is_own; ++i)
    is_own = program.functions()[FunctionId(i)].name == name;
  std::size_t places = 0;
  if (is_own) for_each_place(program, name, [&](program::ModuleId, std::uint32_t) { return ++places <= kMostNamed; });
  return is_own ? places : kMostNamed + 1;
}

/// The functions outside tests that call all of the names, on lines that the change leaves alone.
std::vector<FunctionId> callers_of_all(const DocumentInputs& inputs, const Names& names) {
  std::vector<FunctionId> out;
  for_each_place(*inputs.after, *names.begin(), [&](program::ModuleId module, std::uint32_t at) {
    // What a nested function calls, the one around it calls, too.
    for (FunctionId function = inputs.after->function_at(module, at); function.valid();
         function = inputs.after->functions()[function].enclosing) {
      const FunctionDef* def = inputs.after->functions()[function].def();
      if (def == nullptr || std::find(out.begin(), out.end(), function) != out.end()) break;
      const Names called = called_by(*def, Nested::kEnter);
      if (!std::includes(called.begin(), called.end(), names.begin(), names.end())) continue;
      out.push_back(function);
      break;
    }
    return out.size() <= kMostPlaces;
  });
  return out;
}

struct Regrouped {
  const Actor* from = nullptr;
  const Actor* to = nullptr;
  Names names;
};

std::vector<Regrouped> regrouped(const DocumentInputs& inputs, const Story& story) {
  std::vector<std::pair<const Actor*, Names>> fresh;  // The new functions, and what they call.
  for (const Actor& to : story.actors) {
    if (Names called = called_by_new(to); called.size() >= kFewest) fresh.emplace_back(&to, std::move(called));
  }
  std::map<std::string_view, std::size_t> places;  // Of what was asked: each asks the text of the whole repository.
  const auto named = [&](std::string_view name) {
    const auto [known, is_first] = places.try_emplace(name, 0);
    if (is_first) known->second = places_named(*inputs.after, name);
    return known->second;
  };
  std::vector<Regrouped> out;
  for (const Actor& from : story.actors) {
    if (fresh.empty()) break;
    const Names gone = gone_from(from);
    for (const auto& [to, called] : fresh) {
      Names common;
      std::set_intersection(gone.begin(), gone.end(), called.begin(), called.end(),
                            std::inserter(common, common.end()));
      if (common.size() < kFewest) continue;
      std::erase_if(common, [&](std::string_view one) { return named(one) > kMostNamed; });
      const bool is_telling =
          std::any_of(common.begin(), common.end(), [&](std::string_view one) { return named(one) <= kFewNamed; });
      if (common.size() >= kFewest && is_telling) out.push_back({&from, to, std::move(common)});
    }
  }
  // What takes over most, of several that call one another.
  std::stable_sort(out.begin(), out.end(),
                   [](const Regrouped& a, const Regrouped& b) { return a.names.size() > b.names.size(); });
  return out;
}

}  // namespace

void add_repeated_calls(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMostQuestions = 2;
  constexpr std::size_t kMostNames = 3;
  std::set<Names> told;
  std::set<std::pair<const Actor*, std::vector<FunctionId>>> asked_of;  // The new function, and who does so itself.
  for (const Regrouped& one : regrouped(inputs, story)) {
    if (told.size() == kMostQuestions) return;
    if (told.contains(one.names)) continue;
    std::vector<FunctionId> callers = callers_of_all(inputs, one.names);
    std::erase_if(callers, [&](FunctionId function) {
      return std::any_of(story.actors.begin(), story.actors.end(), [&](const Actor& actor) {
        return actor.change->after && actor.change->after->function == function;
      });
    });
    if (callers.empty() || callers.size() > kMostPlaces || !asked_of.emplace(one.to, callers).second) continue;
    told.insert(one.names);
    std::vector<std::string> places;
    for (const FunctionId function : callers)
      places.push_back(
          fmt::format("{} ({})", code(short_name(*inputs.after, function)), place_of(*inputs.after, function)));
    std::vector<std::string> names;
    for (const std::string_view name : one.names) {
      if (names.size() < kMostNames) names.push_back(code(std::string(name)));
    }
    const bool is_one = places.size() == 1;
    std::string concern =
        fmt::format("{} calls {} now, which {} did itself before; {} still {} so itself.",
                    code(short_name(inputs, *one.to->change)), join_words(names),
                    code(short_name(inputs, *one.from->change)), join_words(places), is_one ? "does" : "do");
    const std::string asked = fmt::format("Should {} use it, too?", is_one ? "it" : "they");
    risks.push_back({RiskKind::kCorrectness, concern, asked, false, concern + " " + asked});
  }
}

}  // namespace lockstep::report
