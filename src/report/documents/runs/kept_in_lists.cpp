#include "report/documents/runs/kept_in_lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "report/document.h"
#include "report/source/code.h"
#include "report/source/local_values.h"
#include "report/ways/conditions/condition_kinds.h"
#include "report/ways/conditions/stored_settings.h"
#include "report/ways/functions/handed_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Whether the name at the place goes into a list: `xs.append(f)`, `xs.append(partial(f, …))`, `[f, …]`.
bool is_put_into_list(const program::Program& program, const HandedFunction& place) {
  const program::Module& module = program.module_of(place.by);
  const std::vector<const Node*> around = chain_to(module.facts->tree(), place.name);
  const Node* inner = around.empty() ? nullptr : around.back();
  for (std::size_t i = around.size(); i-- > 1;) {
    const Node* outer = around[i - 1];
    if (is<python::List>(outer)) return true;
    const auto* call = as<Call>(outer);
    if (call == nullptr || call->callee == inner) return false;
    if (callee_name(*call) == "append" && is<Attribute>(call->callee)) return true;
    if (callee_name(*call) != "partial" || call->arguments.empty() || call->arguments.front() != inner) return false;
    inner = outer;
  }
  return false;
}

/// Whether all hold where nobody sets anything, a local being the setting that it holds; none where that is not known.
std::optional<bool> hold_by_default(const program::Program& program, const FunctionDef& def,
                                    const std::vector<Guard>& guards) {
  DeclaredSettings declared(program);
  const auto value_at = [&](const Expr& part) {
    const Expr* read = &part;
    if (const std::string_view local = rules::name_of(read); !local.empty()) read = only_value_of(def, local);
    const std::string_view name = read == nullptr ? std::string_view() : config_attribute(*read);
    return name.empty() || declared.stored.contains(name) ? Value() : declared.defaults.value_of_name(name);
  };
  bool are_known = true;
  for (const Guard& guard : guards) {
    const std::optional<bool> holds = holds_with(*guard.condition, value_at);
    if (holds && *holds == guard.negated) return false;
    are_known = are_known && holds.has_value();
  }
  return are_known ? std::optional(true) : std::nullopt;
}

}  // namespace

std::string kept_in_list_text(const program::Program& program, const EntryPath& path) {
  constexpr std::size_t kNear = 4;
  constexpr std::size_t kMost = 2;
  for (std::size_t i = path.frames.size(); i-- > 1 && i + kNear > path.frames.size();) {
    const program::FunctionId kept = path.frames[i].function;
    const auto* call = as<Call>(path.frames[i - 1].call);
    if (call == nullptr || path.frames[i - 1].handing != Handing::kNone || !is<Name>(call->callee) ||
        callee_name(*call) == program.functions()[kept].name)
      continue;
    const std::vector<HandedFunction> places = handed_on_at(program, kept);
    if (places.size() != 1 || !is_put_into_list(program, places.front())) continue;
    const program::FunctionId by = places.front().by;
    const FunctionDef* def = program.functions()[by].def();
    if (def == nullptr || by == path.frames[i - 1].function) continue;
    std::vector<Guard> guards = guards_of(*def, places.front().name);
    std::erase_if(guards, [&](const Guard& guard) {
      return guard.condition == nullptr || kind_of_condition(program, by, *guard.condition) != ConditionKind::kSetting;
    });
    guards = weightiest(program, by, guards, kMost);
    const std::string words = guards.empty() ? std::string() : guards_words(guards, source_of(program, by), kMost);
    if (words.empty()) continue;
    const std::optional<bool> hold = hold_by_default(program, *def, guards);
    return fmt::format("{} puts {} into a list only when {} ({}){}.", code(short_name(program, by)),
                       code(short_name(program, kept)), words, place(program.module_of(by).path, places.front().line),
                       !hold   ? ""
                       : *hold ? ", which is so by default"
                               : ", which is not so by default");
  }
  return {};
}

}  // namespace lockstep::report
