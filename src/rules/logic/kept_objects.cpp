#include "rules/logic/kept_objects.h"

#include <array>
#include <vector>

#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/guards.h"
#include "rules/syntax/method_names.h"
#include "rules/syntax/word_tables.h"

namespace lockstep::rules {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

// Methods that put what they are given into a container, as it is.
constexpr auto kPutting = std::to_array<std::string_view>({"add", "append", "appendleft", "insert", "setdefault"});
// Containers of torch that are given a list or a dictionary.
constexpr auto kOfModules = std::to_array<std::string_view>({"ModuleDict", "ModuleList", "Sequential"});

/// Whether what a node of this kind gives holds the object that a part of it, `inner`, gives.
bool holds(const Node& node, const Node& inner) {
  if (const auto* choice = as<IfExp>(&node)) return choice->condition != &inner;
  if (const auto* call = as<Call>(&node)) {
    const std::string_view made = last_part_of(call->callee);
    return call->callee != &inner && (makes_container(made) || has(kOfModules, made));
  }
  return is<List>(&node) || is<Tuple>(&node) || is<Set>(&node) || is<Dict>(&node) || is<ListComp>(&node) ||
         is<DictComp>(&node) || is<SetComp>(&node) || is<Keyword>(&node);
}

/// "x" of the attribute of `self` that the target of an assignment is, or is a part of.
std::string_view attribute_of_target(const Expr* target) {
  while (const auto* item = as<Subscript>(target)) target = item->value;
  return first_attribute(target);
}

/// "x" where the statement or call around `object` puts it into `self.x`; empty where nothing surely does.
std::string_view stored_in(const Node& function, const Node& object) {
  const std::vector<const Node*> around = chain_to(function, object.span);
  const Node* inner = &object;
  for (auto node = around.rbegin(); node != around.rend(); inner = *node, ++node) {
    if (const auto* assign = as<Assign>(*node))
      return assign->value == inner ? attribute_of_target(assign->targets[0]) : std::string_view();
    if (const auto* assign = as<AnnAssign>(*node))
      return assign->value == inner ? attribute_of_target(assign->target) : std::string_view();
    const auto* call = as<Call>(*node);
    const auto* method = call == nullptr ? nullptr : as<Attribute>(call->callee);
    if (method != nullptr && method != inner && has(kPutting, method->name.text)) return first_attribute(method->value);
    if (!holds(**node, *inner)) return {};
  }
  return {};
}

/// What the one statement that gives a local variable a value gives it; null where several places may.
const Expr* value_of_local(const Node& function, std::string_view name) {
  const Expr* value = nullptr;
  walk_of<Assign>(function, Nested::kSkip, [&](const Assign* assign) {
    if (name_of(assign->targets[0]) == name) value = assign->value;
  });
  return bindings_of(function, name, Nested::kEnter) == 1 ? value : nullptr;
}

/// The variable whose one value the expression is; empty for anything else.
std::string_view local_of(const Node& function, const Expr& object) {
  std::string_view local;
  walk_of<Assign>(function, Nested::kSkip, [&](const Assign* assign) {
    if (assign->value == &object) local = name_of(assign->targets[0]);
  });
  return !local.empty() && value_of_local(function, local) == &object ? local : std::string_view();
}

/// Where what the variable holds is stored.
std::string_view variable_stored_in(const Node& function, std::string_view name) {
  std::string_view attribute;
  walk_of<Name>(function, Nested::kSkip, [&](const Name* one) {
    if (attribute.empty() && one->id == name && one->context == ExprContext::kLoad)
      attribute = stored_in(function, *one);
  });
  return attribute;
}

Keeping kept_in(std::string_view attribute) { return {!attribute.empty(), attribute}; }

}  // namespace

std::string_view first_attribute(const Expr* expression) {
  std::string_view first;
  while (const auto* attribute = as<Attribute>(expression)) {
    first = attribute->name.text;
    expression = attribute->value;
  }
  return name_of(expression) == "self" ? first : std::string_view();
}

Keeping keeping_of(const Program& program, FunctionId constructor, const Expr& object) {
  const Node& body = *program.functions()[constructor].node;
  if (const std::string_view part_of = first_attribute(&object); !part_of.empty()) return kept_in(part_of);
  if (program.resolve(constructor, object).kind == program::Reference::Kind::kClass) return {true, {}};
  if (is<Call>(&object)) {
    if (const std::string_view stored = stored_in(body, object); !stored.empty()) return kept_in(stored);
    const std::string_view local = local_of(body, object);
    return local.empty() ? Keeping() : kept_in(variable_stored_in(body, local));
  }
  const std::string_view name = name_of(&object);
  if (name.empty()) return {};
  if (!binds_name(body, name)) return kept_in(variable_stored_in(body, name));
  const Expr* value = value_of_local(body, name);
  return value == nullptr || is<Name>(value) ? Keeping() : keeping_of(program, constructor, *value);
}

}  // namespace lockstep::rules
