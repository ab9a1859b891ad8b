#include "report/documents/correctness/excluded_refusals.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <vector>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/attribute_stores.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/guards.h"

namespace lockstep::report {

using namespace python;

namespace {

using Attributes = std::set<std::string_view>;

/// `SomeEnum.MEMBER`: a value, and nothing that is asked about.
bool is_constant_name(std::string_view name) {
  return std::none_of(name.begin(), name.end(), [](unsigned char c) { return std::islower(c) != 0; });
}

/// Adds the attributes that the condition reads: of `self.config.size` `size`; none that it calls.
void add_attributes(const Expr& condition, Attributes& out) {
  std::set<const Node*> inner;
  const auto look = [&](const Node* node) {
    if (const auto* call = as<Call>(node)) inner.insert(call->callee);
    const auto* attribute = as<Attribute>(node);
    if (attribute == nullptr) return;
    if (is<Attribute>(attribute->value)) inner.insert(attribute->value);
    if (!inner.contains(node) && !is_constant_name(attribute->name.text)) out.insert(attribute->name.text);
  };
  look(&condition);
  walk(condition, Nested::kSkip, look);
}

/// Whether the place in the function stands under a condition that reads one of the attributes.
bool is_asked_around(const program::Function& function, Span place, const Attributes& attributes) {
  if (function.node == nullptr) return false;
  const std::vector<Guard> guards = guards_of(*function.node, place);
  return std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
    return guard.condition != nullptr && std::any_of(attributes.begin(), attributes.end(), [&](std::string_view one) {
             return rules::mentions_attribute(*guard.condition, one);
           });
  });
}

/// Whether a place that calls the nested function or hands it on stands under such a condition.
bool is_used_under_condition(const program::Program& program, const program::Function& nested,
                             const Attributes& attributes) {
  const program::Function& around = program.functions()[nested.enclosing];
  bool found = false;
  walk_of<Name>(*around.node, Nested::kEnter, [&](const Name* name) {
    const bool is_use = name->id == nested.name && name->context == ExprContext::kLoad;
    found = found || (is_use && is_asked_around(around, name->span, attributes));
  });
  return found;
}

/// Whether all calls of the function outside tests, at least one, stand under such conditions.
bool are_calls_under_condition(const program::Program& program, program::FunctionId function,
                               const Attributes& attributes) {
  bool any = false;
  for (const program::CallId id : program.callers_of(function)) {
    const program::CallSite& site = program.calls()[id];
    if (program::is_test_path(program.module_of(site.caller).path)) continue;
    if (!is_asked_around(program.functions()[site.caller], site.node->span, attributes)) return false;
    any = true;
  }
  return any;
}

/// Whether code sets the attribute where it asks about one of the others.
bool is_set_by_others(const program::Program& program, std::string_view attribute, const Attributes& all) {
  Attributes others = all;
  others.erase(attribute);
  const std::vector<AttributeStore> stores = stores_of(program, attribute);
  return std::any_of(stores.begin(), stores.end(), [&](const AttributeStore& store) {
    return is_asked_around(program.functions()[store.function], store.statement->span, others);
  });
}

}  // namespace

bool may_be_excluded(const DocumentInputs& inputs, const Actor& actor, const Step& step) {
  const program::Program& program = *inputs.after;
  const program::FunctionId id = actor.change->after->function;
  if (!id.valid()) return false;
  const program::Function& function = program.functions()[id];
  Attributes asked;
  if (const auto* check = as<Assert>(step.node)) add_attributes(*check->test, asked);
  for (const Guard& guard : guards_of(*function.node, step.span)) {
    if (guard.condition != nullptr) add_attributes(*guard.condition, asked);
  }
  if (asked.empty()) return false;
  const bool is_used_so = function.enclosing.valid() ? is_used_under_condition(program, function, asked)
                                                     : are_calls_under_condition(program, id, asked);
  return is_used_so || (asked.size() > 1 && std::any_of(asked.begin(), asked.end(), [&](std::string_view one) {
                          return is_set_by_others(program, one, asked);
                        }));
}

}  // namespace lockstep::report
