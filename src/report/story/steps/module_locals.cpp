#include "report/story/steps/module_locals.h"

#include <fmt/format.h>

#include <algorithm>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "rules/names/bindings.h"

namespace lockstep::report {

using namespace python;

namespace {

bool holds_call(const Expr& value) {
  bool found = is<Call>(&value);
  walk_of<Call>(value, Nested::kEnter, [&](const Call*) { found = true; });
  return found;
}

/// The assignment of the name at the top of the module; null where there is none or several.
const Expr* value_in_module(const program::Program& program, program::FunctionId function, std::string_view name) {
  const Expr* out = nullptr;
  std::size_t count = 0;
  for (const Stmt* statement : program.module_of(function).facts->tree().body) {
    const Expr* target = nullptr;
    const Expr* value = assigned_value(statement, target);
    const auto* set = value == nullptr ? nullptr : as<Name>(target);
    if (set == nullptr || set->id != name) continue;
    out = value;
    ++count;
  }
  return count == 1 ? out : nullptr;
}

}  // namespace

std::string module_local_words(const Actor& actor, std::size_t index, const WordsContext& context,
                               const WordsContext& after) {
  const Expr* target = nullptr;
  const Expr* value = assigned_value(actor.steps.before[index].node, target);
  const auto* local = value == nullptr ? nullptr : as<Name>(target);
  if (local == nullptr || after.program == nullptr || context.program == nullptr || !after.function.valid() ||
      !context.function.valid() || holds_call(*value))
    return {};
  const FunctionDef* def = after.program->functions()[after.function].def();
  const FunctionDef* was = context.program->functions()[context.function].def();
  if (def == nullptr || was == nullptr || rules::binds_name(*def, local->id)) return {};
  const Expr* now = value_in_module(*after.program, after.function, local->id);
  if (now == nullptr || value_in_module(*context.program, context.function, local->id) != nullptr ||
      without_layout(*after.source, now->span) != without_layout(*context.source, value->span))
    return {};
  return fmt::format("takes {} from the module ({}), formerly a local of the same value", code(local->id),
                     place(after.program->module_of(after.function).path, after.source->line_of(now->span.begin)));
}

}  // namespace lockstep::report
