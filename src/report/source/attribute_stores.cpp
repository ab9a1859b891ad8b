#include "report/source/attribute_stores.h"

#include <algorithm>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
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

}  // namespace

program::ClassId class_of_self(const program::Program& program, program::FunctionId function) {
  for (; function.valid(); function = program.functions()[function].enclosing) {
    if (program.functions()[function].owner.valid()) return program.functions()[function].owner;
  }
  return {};
}

const Expr* stored_on(const Node& node, std::string_view name) {
  if (const auto* attribute = as<Attribute>(&node))
    return attribute->context == ExprContext::kStore && attribute->name.text == name ? attribute->value : nullptr;
  const auto* call = as<Call>(&node);
  const std::size_t count = call == nullptr ? 0 : call->arguments.size();
  if (count < 2 || rules::text_of(call->arguments[count - 2]) != name) return nullptr;
  if (count == 3)
    return rules::name_of(call->callee) == "setattr" || callee_name(*call) == "__setattr__" ? call->arguments[0]
                                                                                            : nullptr;
  const auto* method = as<Attribute>(call->callee);
  return count == 2 && method != nullptr && method->name.text == "__setattr__" ? method->value : nullptr;
}

std::vector<AttributeStore> stores_of(const program::Program& program, std::string_view name) {
  std::vector<AttributeStore> out;
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::ModuleId id(i);
    const program::Module& module = program.modules()[id];
    if (program::is_test_path(module.path) || !module.facts->has_name(name)) continue;
    const auto add = [&](const Stmt& statement, const Expr* object, bool counts) {
      AttributeStore store;
      const program::FunctionId holder = program.function_at(id, statement.span.begin);
      store.function = holder.valid() ? holder : module.body;
      store.object = object;
      store.statement = &statement;
      store.line = module.facts->source().line_of(statement.span.begin);
      store.is_off_self = is_self(object);
      if (store.is_off_self) store.cls = class_of_self(program, store.function);
      store.counts = counts;
      out.push_back(store);
    };
    // A statement around others holds their stores, too: the innermost one is the one that stores.
    const Stmt* innermost = nullptr;
    walk(module.facts->tree(), Nested::kEnter, [&](const Node* node) {
      if (is_statement(node)) innermost = static_cast<const Stmt*>(node);
      if (innermost == nullptr) return;
      const Expr* object = stored_on(*node, name);
      if (object == nullptr) return;
      const auto* assign = as<Assign>(innermost);
      const auto* call = as<Call>(node);
      const Expr* value = call != nullptr ? call->arguments.back() : assign != nullptr ? assign->value : nullptr;
      add(*innermost, object, is<AugAssign>(innermost) || (value != nullptr && reads(*value, name)));
    });
  }
  return out;
}

}  // namespace lockstep::report
