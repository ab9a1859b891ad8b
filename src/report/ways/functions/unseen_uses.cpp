#include "report/ways/functions/unseen_uses.h"

#include <algorithm>
#include <vector>

#include "base/remembered.h"
#include "program/queries.h"
#include "report/source/code.h"
#include "report/ways/objects/class_uses.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::ModuleId;
using program::Program;
using program::Reference;

namespace {

/// The nodes around the place, outermost first.
std::vector<const Node*> nodes_around(const Program& program, ModuleId module, std::uint32_t at) {
  return chain_to(program.modules()[module].facts->tree(), {at, at + 1});
}

/// Whether the nodes end in a name or attribute that is read at the place.
bool is_read_at(const std::vector<const Node*>& around, std::uint32_t at) {
  if (around.size() < 2) return false;
  const auto* name = as<Name>(around.back());
  const auto* attribute = as<Attribute>(around.back());
  return (name != nullptr && name->context == ExprContext::kLoad) ||
         (attribute != nullptr && attribute->name.span.begin == at);
}

/// The module whose names an expression holds: `layers`, `sys.modules[__name__]`; none for others.
ModuleId module_of(const Program& program, ModuleId own, FunctionId function, const Expr& expression) {
  if (const auto* item = as<Subscript>(&expression))
    return rules::last_part_of(item->value) == "modules" && rules::name_of(item->index) == "__name__" ? own
                                                                                                      : ModuleId();
  const Reference to = program.resolve(function, expression);
  return to.kind == Reference::Kind::kModule ? to.module : ModuleId();
}

/// Whether the text that ends the nodes is looked up among names: `getattr(module, "f")`, `globals()["f"]`.
bool is_looked_up_text(const std::vector<const Node*>& around, std::string_view name) {
  const auto* text = around.size() < 2 ? nullptr : as<Constant>(around.back());
  if (text == nullptr || rules::text_of(text) != name) return false;
  const Node* parent = around[around.size() - 2];
  if (const auto* call = as<Call>(parent)) return rules::name_of(call->callee) == "getattr";
  const auto* item = as<Subscript>(parent);
  const auto* names = item == nullptr || item->index != text ? nullptr : as<Call>(item->value);
  return names != nullptr && (rules::name_of(names->callee) == "globals" || rules::name_of(names->callee) == "vars");
}

/// Whether what stands around `globals()` or `vars(module)` asks it for one name that is written there, or only sets
/// it.
bool asks_for_text(const std::vector<const Node*>& around, const Call& call) {
  const auto at = std::find(around.begin(), around.end(), static_cast<const Node*>(&call));
  const auto* item = at == around.begin() || at == around.end() ? nullptr : as<Subscript>(*(at - 1));
  return item != nullptr && item->value == &call &&
         (!rules::text_of(item->index).empty() || item->context != ExprContext::kLoad);
}

/// Whether names that are worked out are looked up in a module, by module.
struct LookedUpModules {
  explicit LookedUpModules(const Program& program) : modules(program.modules().size()) {
    const auto mark = [&](ModuleId module) {
      if (module.valid()) modules[module.index()] = true;
    };
    for (const std::string_view name : {"getattr", "globals", "vars", "__dict__"}) {
      for_each_place(program, name, [&](ModuleId module, std::uint32_t at) {
        const std::vector<const Node*> around = nodes_around(program, module, at);
        if (!is_read_at(around, at)) return true;
        const FunctionId reader = program.function_at(module, at);
        if (const auto* member = as<Attribute>(around.back())) {
          if (name == "__dict__") mark(module_of(program, module, reader, *member->value));
          return true;
        }
        const auto* call = as<Call>(around[around.size() - 2]);
        if (call == nullptr || call->callee != around.back() || asks_for_text(around, *call)) return true;
        if (call->arguments.empty()) {
          if (name == "globals") mark(module);
        } else if (name == "vars" ||
                   (name == "getattr" && call->arguments.size() > 1 && rules::text_of(call->arguments[1]).empty())) {
          mark(module_of(program, module, reader, *call->arguments.front()));
        }
        return true;
      });
    }
  }

  std::vector<bool> modules;
};

/// What UnseenUses::may_call has answered.
struct UnseenCalls {
  explicit UnseenCalls(const Program&) {}
  Remembered<FunctionId, bool> answers;
};

}  // namespace

bool UnseenUses::may_call(FunctionId function) const {
  return program_.derived<UnseenCalls>().answers.of(function, [&] { return is_used_unseen(function); });
}

bool UnseenUses::is_used_unseen(FunctionId function) const {
  const program::Function& asked = program_.functions()[function];
  if (asked.def() == nullptr || asked.name == "__init__") return false;
  if (!asked.owner.valid() && !asked.enclosing.valid() && may_look_up(asked.module, asked.name)) return true;
  const std::span<const program::CallId> callers = program_.callers_of(function);
  constexpr std::size_t kMostPlaces = 2'000;
  std::size_t places = 0;
  bool out = false;
  for_each_place(program_, asked.name, [&](ModuleId module, std::uint32_t at) {
    const std::vector<const Node*> around = nodes_around(program_, module, at);
    // A name that stands in so many places says nothing.
    if (++places > kMostPlaces || is_looked_up_text(around, asked.name)) {
      out = true;
      return false;
    }
    if (!is_read_at(around, at)) return true;
    const Node* parent = around[around.size() - 2];
    const auto* called = as<Call>(parent);
    if ((called != nullptr && called->callee == around.back()) || is<Attribute>(parent) || is<Compare>(parent))
      return true;
    const bool is_followed = std::any_of(around.begin(), around.end(), [&](const Node* node) {
      return is<Call>(node) && std::find(callers.begin(), callers.end(), program_.call_of(node)) != callers.end();
    });
    if (is_followed) return true;
    const FunctionId reader = program_.function_at(module, at);
    const Reference to = program_.resolve(reader, *static_cast<const Expr*>(around.back()));
    const auto* member = as<Attribute>(around.back());
    const ClassId own = program_.functions()[reader].owner;
    const bool is_own = member != nullptr && asked.owner.valid() && own.valid() &&
                        rules::name_of(member->value) == "self" &&
                        (program_.derives_from(own, program_.classes()[asked.owner].qualified_name) ||
                         program_.derives_from(asked.owner, program_.classes()[own].qualified_name));
    out = is_own || (to.kind == Reference::Kind::kFunction && to.function == function);
    return !out;
  });
  return out;
}

bool UnseenUses::may_look_up(ModuleId declared_in, std::string_view name) const {
  const std::vector<bool>& all = program_.derived<LookedUpModules>().modules;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i]) continue;
    if (ModuleId(i) == declared_in) return true;
    const auto& imports = program_.modules()[ModuleId(i)].facts->imports;
    const bool binds = std::any_of(imports.begin(), imports.end(), [&](const ImportedName& imported) {
      return imported.name == name || imported.name == "*";
    });
    if (binds) return true;
  }
  return false;
}

bool UnseenUses::may_list(ClassId cls) const {
  bool out = false;
  for_each_place(program_, "__subclasses__", [&](ModuleId module, std::uint32_t at) {
    const std::vector<const Node*> around = nodes_around(program_, module, at);
    const auto* member = is_read_at(around, at) ? as<Attribute>(around.back()) : nullptr;
    if (member == nullptr) return true;
    const FunctionId reader = program_.function_at(module, at);
    const Reference to = program_.resolve(reader, *member->value);
    if (to.kind == Reference::Kind::kExternal) return true;
    const std::string_view object = rules::name_of(member->value);
    const bool is_own = object == "cls" || object == "self";
    const ClassId above = is_own ? program_.functions()[reader].owner : to.cls;
    // Of any other value it does not show whose heirs it gives.
    out = !above.valid() || program_.derives_from(cls, program_.classes()[above].qualified_name);
    return !out;
  });
  return out;
}

}  // namespace lockstep::report
