#include "report/source/attribute_stores.h"

#include <algorithm>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/source/named_rows.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

bool is_self(const Expr* object) {
  const auto* name = as<Name>(object);
  return name != nullptr && name->id == "self";
}

/// Whether the expression reads the attribute, of whatever object.
bool reads(const Expr& value, std::string_view name) {
  bool found = false;
  const auto look = [&](const Attribute* one) { found = found || one->name.text == name; };
  if (const auto* own = as<Attribute>(&value)) look(own);
  walk_of<Attribute>(value, Nested::kEnter, look);
  return found;
}

/// What a node stores: the attribute `name` of `object`; none for others.
struct Stored {
  const Expr* object = nullptr;
  std::string_view name;
};

Stored stored_by(const Node& node) {
  if (const auto* attribute = as<Attribute>(&node))
    return attribute->context == ExprContext::kStore ? Stored{attribute->value, attribute->name.text} : Stored();
  const auto* call = as<Call>(&node);
  const std::size_t count = call == nullptr ? 0 : call->arguments.size();
  if (count != 2 && count != 3) return {};
  const std::string_view name = rules::text_of(call->arguments[count - 2]);
  if (name.empty()) return {};
  const bool is_dunder = callee_name(*call) == "__setattr__";
  if (count == 3)
    return rules::name_of(call->callee) == "setattr" || is_dunder ? Stored{call->arguments[0], name} : Stored();
  const auto* method = as<Attribute>(call->callee);
  return method != nullptr && is_dunder ? Stored{method->value, name} : Stored();
}

}  // namespace

program::ClassId class_of_self(const program::Program& program, program::FunctionId function) {
  for (; function.valid(); function = program.functions()[function].enclosing) {
    if (program.functions()[function].owner.valid()) return program.functions()[function].owner;
  }
  return {};
}

const Expr* stored_on(const Node& node, std::string_view name) {
  const Stored stored = stored_by(node);
  return stored.name == name ? stored.object : nullptr;
}

std::vector<AttributeStore> stores_of(const program::Program& program, std::string_view name) {
  const auto read = [&](program::ModuleId id, const auto& add) {
    const program::Module& module = program.modules()[id];
    // A statement around others holds their stores, too: the innermost one is the one that stores.
    const Stmt* innermost = nullptr;
    walk(module.facts->tree(), Nested::kEnter, [&](const Node* node) {
      if (is_statement(node)) innermost = static_cast<const Stmt*>(node);
      const Stored stored = innermost == nullptr ? Stored() : stored_by(*node);
      if (stored.object == nullptr) return;
      const auto* assign = as<Assign>(innermost);
      const auto* call = as<Call>(node);
      const Expr* value = call != nullptr ? call->arguments.back() : assign != nullptr ? assign->value : nullptr;
      AttributeStore store;
      const program::FunctionId holder = program.function_at(id, innermost->span.begin);
      store.function = holder.valid() ? holder : module.body;
      store.object = stored.object;
      store.statement = innermost;
      store.line = module.facts->source().line_of(innermost->span.begin);
      store.is_off_self = is_self(stored.object);
      if (store.is_off_self) store.cls = class_of_self(program, store.function);
      store.counts = is<AugAssign>(innermost) || (value != nullptr && reads(*value, stored.name));
      add(stored.name, store);
    });
  };
  return program.derived<NamedRows<AttributeStore>>().of(program, name, read);
}

}  // namespace lockstep::report
