#include "report/ways/conditions/partial_givings.h"

#include <algorithm>
#include <string_view>

#include "report/source/code.h"
#include "report/ways/conditions/asked_parameters.h"
#include "report/ways/objects/class_uses.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;

namespace {

bool is_off(const Expr* value) { return rules::is_false(value) || rules::is_none(value); }

/// Parameters without which none of the places runs.
std::vector<std::string_view> wanted_at_all(const FunctionDef& def, const std::vector<Span>& places) {
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::vector<std::string_view> own = parameters_wanted_at(def, places[i]);
    if (i == 0) out = own;
    std::erase_if(out, [&](std::string_view one) { return std::find(own.begin(), own.end(), one) == own.end(); });
  }
  return out;
}

/// Whether the call surely is of something else than the function.
bool is_of_another(const program::Program& program, const Call& call, FunctionId function) {
  const program::CallId id = program.call_of(&call);
  if (!id.valid() || program.calls()[id].targets.empty()) return false;
  const auto& targets = program.calls()[id].targets;
  return std::none_of(targets.begin(), targets.end(), [&](const program::CallTarget& one) {
    return one.function == function || one.certainty == program::Certainty::kByName;
  });
}

}  // namespace

std::vector<Required> required_by_partials(const program::Program& program, const RequiredSettings& required,
                                           FunctionId function, const std::vector<Span>& places) {
  constexpr std::size_t kMostPlaces = 60;
  const FunctionDef* def = function.valid() ? program.functions()[function].def() : nullptr;
  if (def == nullptr || places.empty()) return {};
  std::vector<Required> out;
  for (const std::string_view parameter : wanted_at_all(*def, places)) {
    std::vector<Required> all;
    std::size_t made = 0;
    std::size_t seen = 0;
    bool is_known = true;
    for_each_place(program, parameter, [&](program::ModuleId id, std::uint32_t at) {
      if (++seen > kMostPlaces) is_known = false;
      if (!is_known) return false;
      const std::vector<const Node*> around = chain_to(program.modules()[id].facts->tree(), {at, at + 1});
      const auto* keyword = around.empty() ? nullptr : as<Keyword>(around.back());
      const auto* call = around.size() < 2 ? nullptr : as<Call>(around[around.size() - 2]);
      if (keyword == nullptr || call == nullptr || is_off(keyword->value)) return true;
      if (callee_name(*call) != "partial" || call->arguments.empty()) {
        is_known = is_of_another(program, *call, function);
        return is_known;
      }
      const FunctionId maker = program.function_at(id, at);
      const program::Reference named = program.resolve(maker, *call->arguments[0]);
      if (named.kind == program::Reference::Kind::kFunction && named.function != function) return true;
      const std::vector<Required> own = required.common_at(maker, {call->span});
      all = made++ == 0 ? own : common_of(all, own);
      return true;
    });
    // Positional arguments give it, too, where a call has as many.
    for (const program::CallId id : program.callers_of(function)) {
      const auto* call = as<Call>(program.calls()[id].node);
      const auto& list = def->parameters->all;
      const auto taken =
          std::find_if(list.begin(), list.end(), [&](const Parameter* one) { return one->name.text == parameter; });
      is_known = is_known && call != nullptr && !rules::has_spread_arguments(*call) &&
                 call->arguments.size() <= static_cast<std::size_t>(taken - list.begin());
    }
    if (!is_known || made == 0) continue;
    // Names of the functions that make the partials say nothing here.
    std::copy_if(all.begin(), all.end(), std::back_inserter(out),
                 [](const Required& one) { return !is<Name>(one.read); });
  }
  return out;
}

}  // namespace lockstep::report
