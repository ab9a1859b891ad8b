#include "report/ways/objects/class_mentions.h"

#include <algorithm>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/source/registration.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::Program;

namespace {

bool is_plain(const Expr* expression) { return is<Name>(expression) || is<Attribute>(expression); }

/// `[A, B]`, `(A, B)`: kinds to look for.
template <typename T>
bool lists_kinds(const Node& node) {
  const auto* list = as<T>(&node);
  return list != nullptr && list->elements.size() > 1 &&
         std::all_of(list->elements.begin(), list->elements.end(), is_plain);
}

/// Calls `visit` for each name, and each attribute's, that stands for a value which goes on: not what is compared,
/// asked for as a kind, annotated or derived from.
template <typename Visit>
void for_each_value(const Node& node, const Visit& visit) {
  const auto go_on = [&](const Node* child) {
    if (child != nullptr) for_each_value(*child, visit);
  };
  if (const auto* name = as<Name>(&node)) {
    if (name->context == ExprContext::kLoad) visit(name->id);
    return;
  }
  if (const auto* attribute = as<Attribute>(&node)) {
    if (attribute->context == ExprContext::kLoad) visit(attribute->name.text);
    return go_on(attribute->value);
  }
  if (const auto* text = as<Constant>(&node)) {
    // "package.module.Class" or "module:Class", to be imported.
    const std::size_t dot = text->constant_kind == ConstantKind::kStr ? text->text.find_last_of(".:") : text->text.npos;
    if (dot != text->text.npos && text->text.find(' ') == text->text.npos) visit(text->text.substr(dot + 1));
    return;
  }
  if (is<Compare>(&node) || is<ExceptHandler>(&node) || lists_kinds<python::List>(node) || lists_kinds<Tuple>(node) ||
      lists_kinds<Set>(node)) {
    // The handler's body counts, its kind does not.
    if (const auto* handler = as<ExceptHandler>(&node)) {
      for (const Stmt* statement : handler->body) go_on(statement);
    }
    return;
  }
  if (const auto* call = as<Call>(&node)) {
    const std::string_view callee = callee_name(*call);
    if (callee == "isinstance" || callee == "issubclass" || callee == "super" || rules::is_log_call(call)) return;
  }
  if (const auto* declared = as<AnnAssign>(&node)) return go_on(declared->value);
  if (const auto* function = as<FunctionDef>(&node)) {
    for (const Parameter* parameter : function->parameters->all) go_on(parameter->default_value);
    for (const Stmt* statement : function->body) go_on(statement);
    return;
  }
  if (is<ClassDef>(&node)) return;  // Mentioned with its class.
  for_each_child(node, go_on);
}

/// `name` of the statement `name = value`, with the value; null for others.
std::pair<std::string_view, const Expr*> kept(const Stmt& statement) {
  if (const auto* assign = as<Assign>(&statement)) {
    const auto* name = assign->targets.size() == 1 ? as<Name>(assign->targets[0]) : nullptr;
    if (name != nullptr) return {name->id, assign->value};
  }
  if (const auto* declared = as<AnnAssign>(&statement)) {
    const auto* name = as<Name>(declared->target);
    if (name != nullptr && declared->value != nullptr) return {name->id, declared->value};
  }
  return {};
}

}  // namespace

ClassMentions::ClassMentions(const Program& program)
    : program_(program), is_in_text_(program.classes().size()), is_told_(program.classes().size()) {
  for (std::size_t i = 0; i < program.classes().size(); ++i) {
    names_.insert(program.classes()[ClassId(i)].name);
    classes_[program.classes()[ClassId(i)].name].emplace_back(i);
  }
  // A variable may hold what another holds.
  constexpr int kMostRounds = 3;
  for (int round = 0; round < kMostRounds; ++round) {
    const std::size_t known = names_.size();
    for (std::size_t i = 0; i < program.modules().size(); ++i) note(program::ModuleId(i));
    if (names_.size() == known) break;
  }
  std::unordered_set<std::string_view> mentioned;
  for (const program::Module& module : program.modules()) {
    if (program::is_test_path(module.path)) continue;
    const auto mention = [&](std::string_view name) { mentioned.insert(name); };
    for (const Stmt* statement : module.facts->tree().body) for_each_value(*statement, mention);
    walk(module.facts->tree(), Nested::kEnter, [&](const Node* node) {
      if (const auto* cls = as<ClassDef>(node)) {
        for (const Stmt* inner : cls->body) for_each_value(*inner, mention);
        return;
      }
      const auto* text = as<Constant>(node);
      if (text == nullptr || text->constant_kind != ConstantKind::kStr || text->text.find('.') == text->text.npos)
        return;
      const auto found = classes_.find(text->text.substr(text->text.find_last_of(".:") + 1));
      if (found == classes_.end()) return;
      for (const ClassId cls : found->second) is_in_text_[cls.index()] = true;
    });
  }
  const Registration registration(program);
  for (std::size_t i = 0; i < program.classes().size(); ++i) {
    const program::Class& cls = program.classes()[ClassId(i)];
    is_told_[i] = mentioned.contains(cls.name) && !registration.is_handed_on(cls.module, *cls.node);
  }
}

void ClassMentions::note(program::ModuleId id) {
  const program::Module& module = program_.modules()[id];
  if (program::is_test_path(module.path)) return;
  for (const Stmt* statement : module.facts->tree().body) {
    const auto [name, value] = kept(*statement);
    if (value != nullptr) keep(name, names_in(*value));
  }
  for (const ClassId cls : module.classes) keep(program_.classes()[cls].name, names_of_class(cls));
  for (const ImportedName& imported : module.facts->imports) {
    if (imported.bound_as != imported.name && names_.contains(imported.name)) keep(imported.bound_as, {imported.name});
  }
}

/// What the class's body mentions outside its methods, and its bases, which hold theirs.
std::vector<std::string_view> ClassMentions::names_of_class(ClassId cls) const {
  std::vector<std::string_view> out;
  for (const Stmt* statement : program_.classes()[cls].node->body) {
    if (is<FunctionDef>(statement)) continue;
    for (const std::string_view name : names_in(*statement)) out.push_back(name);
  }
  for (const ClassId base : program_.classes()[cls].bases) out.push_back(program_.classes()[base].name);
  return out;
}

void ClassMentions::keep(std::string_view name, const std::vector<std::string_view>& held) {
  if (held.empty()) return;
  names_.insert(name);
  std::vector<std::string_view>& all = held_[name];
  for (const std::string_view one : held) {
    if (one != name && std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  }
}

std::vector<std::string_view> ClassMentions::names_in(const Node& node) const {
  std::vector<std::string_view> out;
  for_each_value(node, [&](std::string_view name) {
    if (names_.contains(name) && std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  });
  return out;
}

const std::vector<std::string_view>& ClassMentions::in(FunctionId function) {
  const auto [place, is_new] = by_function_.try_emplace(function.value);
  if (!is_new) return place->second;
  std::vector<std::string_view> found;
  const program::Function& it = program_.functions()[function];
  if (it.kind == program::FunctionKind::kModuleBody) {
    for (const Stmt* statement : program_.modules()[it.module].facts->tree().body) {
      if (is<FunctionDef>(statement) || is<ClassDef>(statement) || kept(*statement).second != nullptr) continue;
      for (const std::string_view name : names_in(*statement)) found.push_back(name);
    }
  } else if (it.node != nullptr) {
    found = names_in(*it.node);
    // A name that the function itself binds is its own.
    const auto& facts = *program_.module_of(function).facts;
    const auto scope = facts.scope_of_node.find(it.node);
    if (scope != facts.scope_of_node.end()) {
      const auto& bindings = facts.scopes[scope->second].bindings;
      std::erase_if(found, [&](std::string_view name) {
        return std::any_of(bindings.begin(), bindings.end(), [&](const Binding& binding) {
          return binding.name == name && binding.kind != BindingKind::kImport;
        });
      });
    }
  }
  return by_function_[function.value] = std::move(found);
}

const std::vector<std::string_view>& ClassMentions::held_by(std::string_view name) const {
  static const std::vector<std::string_view> kNone;
  const auto found = held_.find(name);
  return found == held_.end() ? kNone : found->second;
}

const std::vector<ClassId>& ClassMentions::classes_named(std::string_view name) const {
  static const std::vector<ClassId> kNone;
  const auto found = classes_.find(name);
  return found == classes_.end() ? kNone : found->second;
}

}  // namespace lockstep::report
