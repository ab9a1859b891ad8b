#include "rules/readability/loggers.h"

#include <algorithm>
#include <array>

#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/names/attributes_of_class.h"
#include "rules/names/mentions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::ModuleId;
using program::Program;
using program::Reference;

namespace {

/// Names, fields and functions that are followed one after another.
constexpr int kMostSteps = 6;

bool is_logger_class(std::string_view dotted) {
  return dotted == "logging.Logger" || dotted == "logging.LoggerAdapter";
}

// Methods of logging.Logger that take a text and its arguments first.
constexpr auto kMethods =
    std::to_array<std::string_view>({"debug", "info", "warning", "warn", "error", "exception", "critical", "fatal"});

}  // namespace

std::optional<std::size_t> place_of_text(const Attribute& method) {
  if (method.name.text == "log") return 1;
  return std::find(kMethods.begin(), kMethods.end(), method.name.text) != kMethods.end() ? std::optional<std::size_t>(0)
                                                                                         : std::nullopt;
}

bool Loggers::is_standard(FunctionId function, const Expr& expression) {
  if (!is_logger(function, expression, kMostSteps)) return false;
  if (!is_changed_) {
    constexpr std::string_view kWays[] = {"setLogRecordFactory", "setLoggerClass"};
    const auto times = times_written(program_, kWays);
    is_changed_ = std::any_of(times.begin(), times.end(), [](const auto& each) { return each.second > 0; });
  }
  return !*is_changed_;
}

/// The answer to a question, found once. Each leads to others with fewer steps left, never to itself.
bool Loggers::remembered(const Question& question, const std::function<bool()>& answer) {
  if (const auto known = known_.find(question); known != known_.end()) return known->second;
  const bool is_so = answer();
  known_.emplace(question, is_so);
  return is_so;
}

/// The annotation `logging.Logger`, or one with None beside it.
bool Loggers::says_logger(FunctionId function, const Expr* annotation) const {
  if (annotation == nullptr) return false;
  if (const auto* either = as<BinOp>(annotation))
    return says_logger(function, either->left) || says_logger(function, either->right);
  if (const auto* part = as<Subscript>(annotation); part != nullptr && last_part_of(part->value) == "Optional")
    return says_logger(function, part->index);
  return is_logger_class(program_.resolve(function, *annotation).name);
}

/// Every value that the bindings of `name` in one scope of the function's file give it is a logger.
bool Loggers::is_bound_to_logger(FunctionId function, ScopeId scope, std::string_view name, int steps) {
  const program::Function& row = program_.functions()[function];
  const Scope& own = program_.modules()[row.module].facts->scopes[scope];
  return remembered({&own, std::string(name), steps}, [&] {
    std::size_t times = 0;
    for (const Binding* binding : names_.of(row.module).bindings(scope, name)) {
      if (binding->kind == BindingKind::kAnnotation) continue;
      ++times;
      if (const auto* parameter = as<Parameter>(binding->node); parameter != nullptr) {
        if (!says_logger(function, parameter->annotation)) return false;
        continue;
      }
      const auto* assign = as<Assign>(binding->owner);
      const auto* annotated = as<AnnAssign>(binding->owner);
      const Expr* value = assign != nullptr ? assign->value : annotated != nullptr ? annotated->value : nullptr;
      const bool is_plain = assign == nullptr || std::all_of(assign->targets.begin(), assign->targets.end(),
                                                             [](const Expr* target) { return is<Name>(target); });
      if (annotated != nullptr && says_logger(function, annotated->annotation)) continue;
      if (is_none(value)) continue;
      if (value == nullptr || !is_plain || !is_logger(function, *value, steps - 1)) return false;
    }
    return times > 0;
  });
}

/// A function of the repository whose annotation says that it returns a logger, or that returns nothing else.
bool Loggers::gives_logger(FunctionId function, int steps) {
  const program::Function& row = program_.functions()[function];
  return remembered({&row, {}, steps}, [&] {
    const FunctionDef* def = row.def();
    if (def == nullptr || def->is_async) return false;
    if (says_logger(function, def->returns)) return true;
    bool sure = true;
    std::size_t times = 0;
    walk(*def, Nested::kSkip, [&](const Node* node) {
      if (is<Yield>(node) || is<YieldFrom>(node)) sure = false;
      const auto* back = as<Return>(node);
      if (back == nullptr || !sure) return;
      ++times;
      sure = back->value != nullptr && is_logger(function, *back->value, steps - 1);
    });
    return sure && times > 0;
  });
}

/// A field of the class of a method: all that its objects' classes and code that gets hold of objects give it are
/// loggers, or its annotation says so.
bool Loggers::is_logger_field(FunctionId function, std::string_view name, int steps) {
  const ClassId owner = program_.functions()[function].owner;
  const program::Field* field = owner.valid() ? program_.find_field(owner, name) : nullptr;
  if (field == nullptr) return false;
  const FunctionId from = field->assigned_in.valid() ? field->assigned_in : function;
  if (says_logger(from, field->annotation)) return true;
  return remembered({&program_.classes()[owner], std::string(name), steps}, [&] {
    std::size_t times = 0;
    const auto are_loggers = [&](const std::vector<FieldValues::Given>& values) {
      return std::all_of(values.begin(), values.end(), [&](const FieldValues::Given& given) {
        if (is_none(given.value)) return true;
        ++times;
        return given.value != nullptr && is_logger(given.by, *given.value, steps - 1);
      });
    };
    const ClassFamily family(program_, owner);
    return std::all_of(family.members().begin(), family.members().end(),
                       [&](ClassId cls) { return are_loggers(fields_.of(cls, name)); }) &&
           times > 0 && are_loggers(fields_.from_outside(name));
  });
}

/// A name of the function, of one around it, or of the module.
bool Loggers::is_named_logger(FunctionId function, const Expr& expression, std::string_view name, int steps) {
  for (FunctionId id = function; id.valid(); id = program_.functions()[id].enclosing) {
    const program::Function& row = program_.functions()[id];
    if (row.kind == program::FunctionKind::kModuleBody) break;
    const FileFacts& facts = *program_.modules()[row.module].facts;
    const auto scope = facts.scope_of_node.find(row.node);
    if (scope == facts.scope_of_node.end()) return false;
    if (names_.of(row.module).bindings(scope->second, name).empty()) continue;
    const auto& globals = facts.scopes[scope->second].global_names;
    if (std::find(globals.begin(), globals.end(), name) == globals.end())
      return is_bound_to_logger(id, scope->second, name, steps);
  }
  return is_logger_of_module(function, expression, steps);
}

bool Loggers::is_logger_of_module(FunctionId function, const Expr& expression, int steps) {
  const Reference named = program_.resolve(function, expression);
  if (named.kind == Reference::Kind::kExternal) return named.name == "logging" || named.name == "logging.root";
  if (named.kind != Reference::Kind::kVariable || !named.module.valid()) return false;
  return is_bound_to_logger(program_.modules()[named.module].body, ScopeId(0), named.name, steps);
}

bool Loggers::is_logger(FunctionId function, const Expr& expression, int steps) {
  if (steps <= 0) return false;
  if (const auto* call = as<Call>(&expression)) {
    const Reference callee = program_.resolve(function, *call->callee);
    if (callee.kind == Reference::Kind::kExternal)
      return callee.name == "logging.getLogger" || is_logger_class(callee.name);
    if (callee.kind == Reference::Kind::kFunction) return gives_logger(callee.function, steps - 1);
    const auto* method = as<Attribute>(call->callee);
    return method != nullptr && method->name.text == "getChild" && is_logger(function, *method->value, steps - 1);
  }
  if (const std::string_view field = self_attribute(&expression); !field.empty())
    return is_logger_field(function, field, steps);
  const std::string_view name = name_of(&expression);
  if (name.empty()) return is_logger_of_module(function, expression, steps);
  return remembered({&program_.functions()[function], std::string(name), steps},
                    [&] { return is_named_logger(function, expression, name, steps); });
}

}  // namespace lockstep::rules
