#include "report/documents/unasked_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "rules/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

/// The attribute that is called: "norm" of `self.norm(x)` and of `apply_module(self.norm)(x)`; empty for others.
std::string_view called_attribute(const Expr* value) {
  const auto* call = as<Call>(value);
  if (call == nullptr) return {};
  if (const auto* member = as<Attribute>(call->callee)) return member->name.text;
  const auto* wrapped = as<Call>(call->callee);
  const auto* given =
      wrapped == nullptr || wrapped->arguments.size() != 1 ? nullptr : as<Attribute>(wrapped->arguments.front());
  return given == nullptr ? std::string_view() : given->name.text;
}

/// `isinstance(name, Kind)`: the name and the text of the kind; empty for others.
std::pair<std::string_view, std::string> asked_kind(const Expr* condition, const SourceText& source) {
  const auto* call = as<Call>(condition);
  if (call == nullptr || rules::name_of(call->callee) != "isinstance" || call->arguments.size() != 2) return {};
  return {rules::name_of(call->arguments[0]), one_line_whole(source, *call->arguments[1])};
}

/// The last value that a name gets before a place.
const Expr* value_before(const FunctionDef& def, std::string_view name, std::uint32_t before) {
  const Expr* value = nullptr;
  std::uint32_t at = 0;
  walk_of<Assign>(def, Nested::kSkip, [&](const Assign* assign) {
    const bool is_it = assign->targets.size() == 1 && rules::name_of(assign->targets.front()) == name;
    if (!is_it || assign->span.end > before || (value != nullptr && assign->span.begin < at)) return;
    value = assign->value;
    at = assign->span.begin;
  });
  return value;
}

/// Of an attribute: where its results are asked for their kind now.
struct Asked {
  std::string kind;
  std::set<std::string> functions;  ///< Marked text.
  std::size_t places = 0;
};

std::map<std::string, Asked> newly_asked(const DocumentInputs& inputs, const Story& story) {
  constexpr std::size_t kShortest = 6;  // `call`, `get`: too many have these names.
  std::map<std::string, Asked> out;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function() || actor.is_added() || actor.is_removed() ||
        actor.steps.after_source == nullptr || !actor.change->after->function.valid())
      continue;
    const FunctionDef* def = inputs.after->functions()[actor.change->after->function].def();
    if (def == nullptr) continue;
    for (const Step& step : actor.steps.after) {
      const auto* branch =
          step.kind == StepKind::kIf && step.status == StepStatus::kAdded ? as<If>(step.node) : nullptr;
      if (branch == nullptr) continue;
      auto [name, kind] = asked_kind(branch->condition, *actor.steps.after_source);
      if (name.empty()) continue;
      const std::string_view attribute = called_attribute(value_before(*def, name, branch->span.begin));
      if (attribute.size() < kShortest) continue;
      Asked& asked = out[std::string(attribute)];
      if (asked.kind.empty()) asked.kind = kind;
      if (asked.kind != kind) continue;
      asked.functions.insert(code(short_name(inputs, *actor.change)));
      ++asked.places;
    }
  }
  return out;
}

/// Whether the function asks for the kind of anything that it gets by calling the attribute.
bool asks_itself(const FunctionDef& def, std::string_view attribute, const SourceText& source) {
  bool found = false;
  walk_of<If>(def, Nested::kSkip, [&](const If* branch) {
    const auto [name, kind] = asked_kind(branch->condition, source);
    found = found || (!name.empty() && called_attribute(value_before(def, name, branch->span.begin)) == attribute);
  });
  return found;
}

std::vector<std::string> unasking(const Program& program, std::string_view attribute) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < program.functions().size(); ++i) {
    const FunctionId id(i);
    const FunctionDef* def = program.functions()[id].def();
    const program::Module& module = program.module_of(id);
    if (def == nullptr || program::is_test_path(module.path) || program::is_helper_path(module.path) ||
        !module.facts->has_name(attribute))
      continue;
    // A constructor makes what has the name.
    if (def->name.text == "__init__" || def->name.text == "__new__") continue;
    const SourceText& source = module.facts->source();
    if (!contains(source.slice(def->span), attribute) || asks_itself(*def, attribute, source)) continue;
    std::set<const Expr*> handed_on;  // What only gives the result on leaves it to others to ask.
    std::set<std::string_view> returned;
    walk_of<Return>(*def, Nested::kSkip, [&](const Return* result) {
      handed_on.insert(result->value);
      if (const std::string_view name = rules::name_of(result->value); !name.empty()) returned.insert(name);
    });
    walk_of<Assign>(*def, Nested::kSkip, [&](const Assign* assign) {
      if (assign->targets.size() == 1 && returned.contains(rules::name_of(assign->targets.front())))
        handed_on.insert(assign->value);
    });
    const Call* first = nullptr;
    walk_of<Call>(*def, Nested::kSkip, [&](const Call* call) {
      if (first == nullptr && called_attribute(call) == attribute && !handed_on.contains(call)) first = call;
    });
    if (first != nullptr)
      out.push_back(
          fmt::format("{} ({})", code(short_name(program, id)), place(module.path, source.line_of(first->span.begin))));
  }
  return out;
}

}  // namespace

void add_unasked_results(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 2;
  constexpr std::size_t kFewestPlaces = 2;
  constexpr std::size_t kMostNamed = 3;
  constexpr std::size_t kMany = 6;  // Where so many do not ask, another thing has that name.
  std::size_t told = 0;
  const std::map<std::string, Asked> all_asked = newly_asked(inputs, story);
  std::map<std::string, std::size_t> places;  // By the kind: one of them may be meant for one thing alone.
  for (const auto& [attribute, asked] : all_asked) places[asked.kind] += asked.places;
  for (const auto& [attribute, asked] : all_asked) {
    if (places[asked.kind] < kFewestPlaces || told == kMost) continue;
    std::vector<std::string> others = unasking(*inputs.after, attribute);
    if (others.empty() || others.size() > kMany) continue;
    const std::size_t all = others.size();
    if (all > kMostNamed) others.resize(kMostNamed);
    if (others.size() < all) others.push_back(fmt::format("{} more", all - others.size()));
    ++told;
    const std::vector<std::string> who(asked.functions.begin(), asked.functions.end());
    const std::string concern = fmt::format("{} {} now whether what {} gives is a {}; {} {} it without asking.",
                                            join_words(who), who.size() == 1 ? "asks" : "ask", code(attribute),
                                            code(asked.kind), join_words(others), all == 1 ? "takes" : "take");
    const std::string question = fmt::format("Can {} get one, too?", all == 1 ? "it" : "they");
    risks.push_back({RiskKind::kCorrectness, concern, question, false, concern + " " + question});
  }
}

}  // namespace lockstep::report
