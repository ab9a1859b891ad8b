#include "report/documents/swallowed_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

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

/// The name of `**kwargs` where nothing is done with it but to take what comes; empty where there is none, where it is
/// handed on, and where the function has a text `gone`.
std::string_view taker_of_any(const FunctionDef& def, std::string_view gone) {
  const auto& all = def.parameters->all;
  const auto taker = std::find_if(all.begin(), all.end(), [](const Parameter* one) {
    return one->parameter_kind == Parameter::Kind::kVarKeywords;
  });
  if (taker == all.end()) return {};
  const std::string_view name = (*taker)->name.text;
  bool is_used = false;
  walk(def, Nested::kEnter, [&](const Node* node) {
    const auto* read = as<Name>(node);
    const auto* text = as<Constant>(node);
    is_used = is_used || (read != nullptr && read->id == name) || (text != nullptr && rules::text_of(text) == gone);
  });
  return is_used ? std::string_view() : name;
}

/// Where calls outside tests that surely enter the function give it the argument.
std::vector<std::string> givers(const Program& program, FunctionId function, std::string_view name) {
  std::vector<std::string> out;
  for (const program::CallId id : program.callers_of(function)) {
    const program::CallSite& site = program.calls()[id];
    const auto* call = as<Call>(site.node);
    const program::Module& module = program.module_of(site.caller);
    if (call == nullptr || program::is_test_path(module.path) || rules::keyword_value(*call, name) == nullptr) continue;
    out.push_back(fmt::format("{} ({})", code(short_name(program, site.caller)),
                              place(module.path, module.facts->source().line_of(call->span.begin))));
  }
  return out;
}

}  // namespace

void add_swallowed_arguments(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 2;
  constexpr std::size_t kMostPlaces = 3;
  const Program& program = *inputs.after;
  std::size_t told = 0;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function() || actor.is_added() || actor.is_removed() ||
        !actor.change->after->function.valid())
      continue;
    const FunctionId function = actor.change->after->function;
    const FunctionDef* def = program.functions()[function].def();
    if (def == nullptr) continue;
    for (const change::Difference& one : actor.change->differences) {
      if (one.kind != change::DifferenceKind::kParameterRemoved || told == kMost) continue;
      const std::string_view taker = taker_of_any(*def, one.name);
      if (taker.empty()) continue;
      std::vector<std::string> places = givers(program, function, one.name);
      if (places.empty()) continue;
      const std::size_t all = places.size();
      if (all > kMostPlaces) places.resize(kMostPlaces);
      if (places.size() < all) places.push_back(fmt::format("{} more", all - places.size()));
      ++told;
      const std::string concern =
          fmt::format("{} has no parameter {} any more; {} {} it, and {} takes it unread.",
                      code(short_name(inputs, *actor.change)), code(one.name), join_words(places),
                      all == 1 ? "still passes" : "still pass", code("**" + std::string(taker)));
      const std::string asked = "Does what it gave matter there?";
      risks.push_back({RiskKind::kCorrectness, concern, asked, false, concern + " " + asked});
    }
  }
}

}  // namespace lockstep::report
