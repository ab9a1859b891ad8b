#include "report/story/calls/read_where.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/defaults.h"
#include "report/source/given_arguments.h"
#include "report/source/held_settings.h"
#include "report/story/wording/words.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

/// The only function that the call enters, with what it gives as it is written; none where that is not known.
FunctionId callee_of(const Program& program, const Call& call) {
  const program::CallId id = program.call_of(&call);
  if (!id.valid() || program.calls()[id].targets.size() != 1) return {};
  const program::CallSite& site = program.calls()[id];
  const FunctionId callee = site.targets.front().function;
  return callee.valid() && gets_as_written(program, site, callee) ? callee : FunctionId();
}

bool names(const Expr& expression, std::string_view name) {
  bool found = false;
  walk_of<Name>(expression, Nested::kEnter, [&](const Name* one) { found = found || one->id == name; });
  return found;
}

/// The branches under which every reading of the parameter stands; empty where one stands under none, and where the
/// function gives the parameter another value or reads it in a function of its own.
std::vector<Guard> around_all_reads(const FunctionDef& def, std::string_view name) {
  std::optional<std::vector<Guard>> common;
  std::size_t reads = 0;
  std::size_t all_reads = 0;
  bool is_set = false;
  const auto note = [&](const Name* one) {
    if (one->id != name) return;
    is_set = is_set || one->context != ExprContext::kLoad;
    ++reads;
    std::vector<Guard> guards = guards_of(def, one->span);
    std::erase_if(guards, [&](const Guard& guard) {
      return guard.condition == nullptr || !is<If>(guard.statement) || names(*guard.condition, name);
    });
    if (!common) {
      common = std::move(guards);
      return;
    }
    std::erase_if(*common, [&](const Guard& guard) {
      return std::none_of(guards.begin(), guards.end(), [&](const Guard& other) {
        return other.condition == guard.condition && other.negated == guard.negated;
      });
    });
  };
  for (const Stmt* statement : def.body) {
    walk_of<Name>(*statement, Nested::kSkip, note);
    walk_of<Name>(*statement, Nested::kEnter, [&](const Name* one) { all_reads += one->id == name ? 1 : 0; });
  }
  return is_set || reads != all_reads || !common ? std::vector<Guard>() : *std::move(common);
}

/// Whether a run in which nobody sets anything meets all the conditions; none where the declared settings do not say.
std::optional<bool> hold_by_default(const Program& program, FunctionId function, const std::vector<Guard>& guards) {
  const Defaults defaults(program);
  const program::ClassId owner = program.functions()[function].owner;
  const auto value_at = [&](const Expr& part) {
    std::string_view name = config_attribute(part);
    if (name.empty() && owner.valid() && !attribute_of_self(part).empty()) {
      const HeldSetting held = setting_held_by(program, owner, part);
      if (held.stays) name = held.name;
    }
    return name.empty() ? Value() : defaults.value_of_name(name);
  };
  bool all = true;
  for (const Guard& guard : guards) {
    const std::optional<bool> holds = holds_with(*guard.condition, value_at);
    if (holds && *holds == guard.negated) return false;
    all = all && holds.has_value();
  }
  return all ? std::optional<bool>(true) : std::nullopt;
}

}  // namespace

std::vector<std::string> read_where_words(const DocumentInputs& inputs, const Actor& actor) {
  constexpr std::size_t kMost = 2;
  constexpr std::size_t kMostConditions = 2;
  std::vector<std::string> out;
  for (const ChangedArgument& argument : edited_arguments(inputs, actor)) {
    const FunctionId callee = callee_of(*inputs.after, *argument.after);
    const FunctionDef* def = callee.valid() ? inputs.after->functions()[callee].def() : nullptr;
    if (def == nullptr || out.size() == kMost || rules::parameter_named(def, argument.name) == nullptr) continue;
    const std::vector<Guard> guards = around_all_reads(*def, argument.name);
    if (guards.empty() || guards.size() > kMostConditions) continue;
    const SourceText& source = source_of(*inputs.after, callee);
    const std::optional<bool> by_default = hold_by_default(*inputs.after, callee, guards);
    out.push_back(
        fmt::format("{} reads {} only where {} ({}){}.", code(short_name(*inputs.after, callee)), code(argument.name),
                    guards_words(guards, source, kMostConditions),
                    place_of(*inputs.after, inputs.after->functions()[callee].module, guards.back().statement->span),
                    by_default.value_or(true) ? "" : ", which does not hold by default"));
  }
  return out;
}

}  // namespace lockstep::report
