#include "rules/loggers.h"

#include <algorithm>
#include <vector>

#include "python/tree_walk.h"
#include "rules/expressions.h"
#include "rules/signatures.h"

namespace lockstep::rules {

using namespace python;
using program::FunctionId;
using program::Program;
using program::Reference;

namespace {

/// Names, fields and functions that are followed one after another.
constexpr int kMostSteps = 6;

bool is_logger(const Program& program, FunctionId function, const Expr& expression, int steps);

bool is_logger_class(std::string_view dotted) {
  return dotted == "logging.Logger" || dotted == "logging.LoggerAdapter";
}

/// The annotation `logging.Logger`, or one with None beside it.
bool says_logger(const Program& program, FunctionId function, const Expr* annotation) {
  if (annotation == nullptr) return false;
  if (const auto* either = as<BinOp>(annotation))
    return says_logger(program, function, either->left) || says_logger(program, function, either->right);
  if (const auto* part = as<Subscript>(annotation); part != nullptr && last_part_of(part->value) == "Optional")
    return says_logger(program, function, part->index);
  return is_logger_class(program.resolve(function, *annotation).name);
}

/// Every value that the bindings of `name` in one scope give it is a logger.
bool is_bound_to_logger(const Program& program, FunctionId function, const Scope& scope, std::string_view name,
                        int steps) {
  std::size_t times = 0;
  for (const Binding& binding : scope.bindings) {
    if (binding.name != name || binding.kind == BindingKind::kAnnotation) continue;
    ++times;
    if (const auto* parameter = as<Parameter>(binding.node); parameter != nullptr) {
      if (!says_logger(program, function, parameter->annotation)) return false;
      continue;
    }
    const auto* assign = as<Assign>(binding.owner);
    const auto* annotated = as<AnnAssign>(binding.owner);
    const Expr* value = assign != nullptr ? assign->value : annotated != nullptr ? annotated->value : nullptr;
    const bool is_plain = assign == nullptr || std::all_of(assign->targets.begin(), assign->targets.end(),
                                                           [](const Expr* target) { return is<Name>(target); });
    if (annotated != nullptr && says_logger(program, function, annotated->annotation)) continue;
    if (is_none(value)) continue;
    if (value == nullptr || !is_plain || !is_logger(program, function, *value, steps - 1)) return false;
  }
  return times > 0;
}

/// A function of the repository whose annotation says that it returns a logger, or that returns nothing else.
bool gives_logger(const Program& program, FunctionId function, int steps) {
  const FunctionDef* def = program.functions()[function].def();
  if (def == nullptr || def->is_async) return false;
  if (says_logger(program, function, def->returns)) return true;
  bool sure = true;
  std::size_t times = 0;
  walk(*def, Nested::kSkip, [&](const Node* node) {
    if (is<Yield>(node) || is<YieldFrom>(node)) sure = false;
    const auto* back = as<Return>(node);
    if (back == nullptr || !sure) return;
    ++times;
    sure = back->value != nullptr && is_logger(program, function, *back->value, steps - 1);
  });
  return sure && times > 0;
}

/// A field of the class of a method: what its first assignment gives it, or its annotation says.
bool is_logger_field(const Program& program, FunctionId function, std::string_view name, int steps) {
  const program::ClassId owner = program.functions()[function].owner;
  const program::Field* field = owner.valid() ? program.find_field(owner, name) : nullptr;
  if (field == nullptr) return false;
  const FunctionId from = field->assigned_in.valid() ? field->assigned_in : function;
  if (says_logger(program, from, field->annotation)) return true;
  const auto* assign = as<Assign>(field->node);
  const auto* annotated = as<AnnAssign>(field->node);
  const Expr* value = assign != nullptr ? assign->value : annotated != nullptr ? annotated->value : nullptr;
  return value != nullptr && is_logger(program, from, *value, steps - 1);
}

bool is_logger(const Program& program, FunctionId function, const Expr& expression, int steps) {
  if (steps <= 0) return false;
  if (const auto* call = as<Call>(&expression)) {
    const Reference callee = program.resolve(function, *call->callee);
    if (callee.kind == Reference::Kind::kExternal)
      return callee.name == "logging.getLogger" || is_logger_class(callee.name);
    if (callee.kind == Reference::Kind::kFunction) return gives_logger(program, callee.function, steps - 1);
    const auto* method = as<Attribute>(call->callee);
    return method != nullptr && method->name.text == "getChild" &&
           is_logger(program, function, *method->value, steps - 1);
  }
  if (const std::string_view field = self_attribute(&expression); !field.empty())
    return is_logger_field(program, function, field, steps);
  if (const std::string_view name = name_of(&expression); !name.empty()) {
    // A local of the function, or of one around it.
    for (FunctionId id = function; id.valid(); id = program.functions()[id].enclosing) {
      const program::Function& row = program.functions()[id];
      if (row.kind == program::FunctionKind::kModuleBody) break;
      const FileFacts& facts = *program.modules()[row.module].facts;
      const auto scope = facts.scope_of_node.find(row.node);
      if (scope == facts.scope_of_node.end()) return false;
      const Scope& own = facts.scopes[scope->second];
      const bool is_local =
          std::any_of(own.bindings.begin(), own.bindings.end(), [&](const Binding& each) { return each.name == name; });
      const bool is_global =
          std::find(own.global_names.begin(), own.global_names.end(), name) != own.global_names.end();
      if (is_local && !is_global) return is_bound_to_logger(program, id, own, name, steps);
    }
  }
  const Reference named = program.resolve(function, expression);
  if (named.kind == Reference::Kind::kExternal) return named.name == "logging" || named.name == "logging.root";
  if (named.kind != Reference::Kind::kVariable || !named.module.valid()) return false;
  const program::Module& module = program.modules()[named.module];
  return is_bound_to_logger(program, module.body, module.facts->scopes[ScopeId(0)], named.name, steps);
}

}  // namespace

bool is_standard_logger(const Program& program, FunctionId function, const Expr& expression) {
  return is_logger(program, function, expression, kMostSteps);
}

}  // namespace lockstep::rules
