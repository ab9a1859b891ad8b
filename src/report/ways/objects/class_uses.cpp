#include "report/ways/objects/class_uses.h"

#include <algorithm>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::ModuleId;
using program::Program;

namespace {

bool is_annotation(const Node& around, const Node& node) {
  const auto holds = [&](const Expr* part) { return part != nullptr && part->span.contains(node.span); };
  if (const auto* parameter = as<Parameter>(&around)) return holds(parameter->annotation);
  if (const auto* declared = as<AnnAssign>(&around)) return holds(declared->annotation);
  const auto* function = as<FunctionDef>(&around);
  return function != nullptr && holds(function->returns);
}

bool is_group(const Node& node) { return is<Tuple>(&node) || is<List>(&node) || is<Set>(&node); }

/// Whether the node around the name is a check that makes nothing of what stands there: `kind is Layer`,
/// `kind in (Layer, Block)`, `isinstance(x, Layer)`.
bool is_check(const std::vector<const Node*>& around, std::size_t at) {
  const Node* name = around.back();
  std::size_t inner = at + 1;
  while (inner + 1 < around.size() && is_group(*around[inner])) ++inner;
  if (is<Compare>(around[at])) return around[inner] == name;
  const auto* call = as<Call>(around[at]);
  if (call == nullptr) return false;
  const std::string_view callee = rules::name_of(call->callee);
  if (callee == "issubclass" && around[inner] == name) return true;
  return (callee == "isinstance" || callee == "issubclass") && call->arguments.size() > 1 &&
         call->arguments[1]->span.contains(name->span);
}

/// Whether `around` the class's name only a variable of the class is read or set: `Pool.buffer = None`.
bool is_of_variable(const Program& program, const std::vector<const Node*>& around,
                    const std::vector<ClassId>& classes) {
  const auto* member = around.size() < 2 ? nullptr : as<Attribute>(around[around.size() - 2]);
  if (member == nullptr || member->value != around.back()) return false;
  return member->context == ExprContext::kStore || std::any_of(classes.begin(), classes.end(), [&](ClassId cls) {
           return program.find_field(cls, member->name.text) != nullptr &&
                  !program.find_method(cls, member->name.text).valid();
         });
}

/// Whether the method `name` of the class is a static one, or one of the class, that makes no object of it: it names
/// the class for others of that kind, and for its variables, at most.
bool makes_nothing(const Program& program, ClassId cls, std::string_view name, int depth = 0) {
  constexpr int kMostDepth = 3;
  const program::FunctionId method = program.find_method(cls, name);
  const python::FunctionDef* def = method.valid() ? program.functions()[method].def() : nullptr;
  if (def == nullptr || depth > kMostDepth) return false;
  const auto is_decorated = [&](std::string_view kind) {
    return std::any_of(def->decorators.begin(), def->decorators.end(),
                       [&](const python::Expr* one) { return rules::name_of(one) == kind; });
  };
  const bool is_of_class = is_decorated("classmethod") && !def->parameters->all.empty();
  if (!is_of_class && !is_decorated("staticmethod")) return false;
  const std::string_view own = program.classes()[cls].name;
  const std::string_view bound = is_of_class ? def->parameters->all.front()->name.text : own;
  bool names_others = true;
  std::size_t holders = 0;
  std::size_t names = 0;
  walk_of<Attribute>(*def, Nested::kEnter, [&](const Attribute* member) {
    const std::string_view holder = rules::name_of(member->value);
    if (holder != own && holder != bound) return;
    ++holders;
    const bool is_variable = program.find_field(cls, member->name.text) != nullptr;
    names_others = names_others && (is_variable || makes_nothing(program, cls, member->name.text, depth + 1));
  });
  walk_of<Name>(*def, Nested::kEnter, [&](const Name* one) { names += one->id == own || one->id == bound ? 1 : 0; });
  return names_others && names == holders;
}

/// Whether `around` the class's name a method of the class itself is called on it that makes no objects.
bool is_of_class_method(const Program& program, const std::vector<const Node*>& around,
                        const std::vector<ClassId>& classes) {
  const auto* member = around.size() < 2 ? nullptr : as<Attribute>(around[around.size() - 2]);
  if (member == nullptr || member->value != around.back()) return false;
  return std::any_of(classes.begin(), classes.end(),
                     [&](ClassId cls) { return makes_nothing(program, cls, member->name.text); });
}

/// Whether the class's name at `at` may bring an object of it: not in an import, a definition, a check of a type, nor
/// in the body of one of `classes`.
bool is_use(const Program& program, ModuleId module, std::uint32_t at, const std::vector<const Node*>& around,
            const std::vector<ClassId>& classes) {
  if (around.empty()) return false;
  const auto* name = as<Name>(around.back());
  const auto* attribute = as<Attribute>(around.back());
  const auto* text = as<Constant>(around.back());
  if (name == nullptr && attribute == nullptr && text == nullptr) return false;
  if (name != nullptr && name->context != ExprContext::kLoad) return false;
  if (attribute != nullptr && attribute->name.span.begin != at) return false;
  // A sentence names nothing that is looked up.
  if (text != nullptr && contains(text->text, " ")) return false;
  if (is_of_variable(program, around, classes) || is_of_class_method(program, around, classes)) return false;
  for (std::size_t i = 0; i < around.size(); ++i) {
    const Node* node = around[i];
    if (i + 1 < around.size() && is_check(around, i)) return false;
    if (is_annotation(*node, *around.back())) return false;
    const auto* heir = as<ClassDef>(node);
    if (heir != nullptr && std::any_of(heir->bases.begin(), heir->bases.end(),
                                       [&](const Expr* base) { return base->span.contains(around.back()->span); }))
      return false;
    const auto* assign = as<Assign>(node);
    if (assign != nullptr && assign->targets.size() == 1 && rules::name_of(assign->targets[0]) == "__all__")
      return false;
    const bool is_own = is<ClassDef>(node) && std::any_of(classes.begin(), classes.end(), [&](ClassId cls) {
                          return program.classes()[cls].module == module && program.classes()[cls].node == node;
                        });
    if (is_own) return false;
  }
  return true;
}

}  // namespace

void for_each_place(const Program& program, std::string_view name,
                    const std::function<bool(ModuleId, std::uint32_t)>& visit) {
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::Module& module = program.modules()[ModuleId(i)];
    if (program::is_test_path(module.path)) continue;
    const python::FileFacts& facts = *module.facts;
    for (std::size_t at = facts.find_name(name); at != std::string_view::npos; at = facts.find_name(name, at + 1)) {
      if (!visit(ModuleId(i), static_cast<std::uint32_t>(at))) return;
    }
  }
}

bool for_each_use(const Program& program, const std::vector<ClassId>& classes,
                  const std::function<bool(const ClassUse&)>& visit) {
  constexpr std::size_t kMostPlaces = 400;
  std::size_t places = 0;
  bool goes_on = true;
  for (const ClassId each : classes) {
    if (program::is_test_path(program.module_of(each).path)) continue;
    for_each_place(program, program.classes()[each].name, [&](ModuleId id, std::uint32_t at) {
      const std::vector<const Node*> around = chain_to(program.modules()[id].facts->tree(), {at, at + 1});
      if (++places > kMostPlaces) return goes_on = false;
      if (!is_use(program, id, at, around, classes)) return true;
      return goes_on = visit({id, program.function_at(id, at), around.back()});
    });
    if (!goes_on) return false;
  }
  return true;
}

}  // namespace lockstep::report
