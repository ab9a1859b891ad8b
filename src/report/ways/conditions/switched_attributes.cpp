#include "report/ways/conditions/switched_attributes.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/local_values.h"
#include "report/story/story.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::ModuleId;

namespace {

constexpr std::size_t kMostPlaces = 400;  // A name that stands at more places is anybody's.
constexpr std::size_t kMostOn = 3;

bool is_constructor(const program::Function& function) {
  return function.name == "__init__" || function.name == "__new__" || function.name == "__post_init__";
}

bool is_self(const Expr& expression) { return rules::name_of(&expression) == "self"; }

/// The attribute whose value the part asks for: of `x.a`, `x.a is not None`, `x.a == "b"`; null for others.
const Attribute* asked_attribute(const Expr& part) {
  const Expr* read = &part;
  if (const auto* compare = as<Compare>(&part)) {
    if (compare->ops.size() != 1 || value_of(compare->comparators[0]).kind == Value::Kind::kUnknown) return nullptr;
    const CompareOperator op = compare->ops[0];
    if (op != CompareOperator::kIs && op != CompareOperator::kIsNot && op != CompareOperator::kEq &&
        op != CompareOperator::kNotEq)
      return nullptr;
    read = compare->left;
  }
  const auto* attribute = as<Attribute>(read);
  return attribute != nullptr && is<Name>(attribute->value) ? attribute : nullptr;
}

/// Whether the value is made there, and neither given nor read from what somebody sets: `Thread()`, `[x]`.
bool is_made_there(const FunctionDef* def, const Expr& value) {
  if (const std::string_view local = rules::name_of(&value); !local.empty()) {
    if (def == nullptr || rules::parameter_named(def, local) != nullptr) return false;
    const Expr* held = only_value_of(*def, local);
    return held != nullptr && is<Call>(held) && is_made_there(nullptr, *held);
  }
  const auto* call = as<Call>(&value);
  if (call == nullptr || !config_reads(value).empty()) return false;
  static constexpr std::string_view kReading[] = {"bool", "int",    "getattr", "get", "any",
                                                  "all",  "getenv", "str",     "len"};
  const std::string_view callee = callee_name(*call);
  return !callee.empty() && std::find(std::begin(kReading), std::end(kReading), callee) == std::end(kReading);
}

/// `vars(x)` and `x.__dict__`: the object; null for others.
const Expr* object_of_dict(const Expr* expression) {
  if (const auto* attribute = as<Attribute>(expression))
    return attribute->name.text == "__dict__" ? attribute->value : nullptr;
  const auto* call = as<Call>(expression);
  const bool is_vars = call != nullptr && callee_name(*call) == "vars" && call->arguments.size() == 1;
  return is_vars ? call->arguments[0] : nullptr;
}

/// The objects to which the body stores attributes by computed names.
template <class Visit>
void for_each_computed(const Node& body, Nested nested, const Visit& visit) {
  walk_of<Call>(body, nested, [&](const Call* call) {
    const std::string_view callee = callee_name(*call);
    if ((callee == "setattr" || callee == "__setattr__") && call->arguments.size() == 3 &&
        rules::text_of(call->arguments[1]).empty())
      visit(*call->arguments[0]);
    const auto* method = as<Attribute>(call->callee);
    const Expr* object = method == nullptr ? nullptr : object_of_dict(method->value);
    if (object != nullptr && (method->name.text == "update" || method->name.text == "setdefault")) visit(*object);
  });
  walk_of<Subscript>(body, nested, [&](const Subscript* subscript) {
    const Expr* object = subscript->context == ExprContext::kStore ? object_of_dict(subscript->value) : nullptr;
    if (object != nullptr) visit(*object);
  });
  walk_of<Attribute>(body, nested, [&](const Attribute* attribute) {
    if (attribute->name.text == "__dict__" && attribute->context == ExprContext::kStore) visit(*attribute->value);
  });
}

}  // namespace

std::vector<Switched> SwitchedAttributes::asked_by(FunctionId function, const Expr& condition, bool negated) const {
  std::vector<Switched> out;
  const auto add = [&](const auto& self, const Expr& part, bool wanted) -> void {
    const auto* both = as<BoolOp>(&part);
    const auto* unary = as<UnaryOp>(&part);
    if (unary != nullptr && unary->op == UnaryOperator::kNot) {
      self(self, *unary->operand, !wanted);
    } else if (both != nullptr) {
      if ((both->op == BoolOperator::kAnd) != wanted) return;
      for (const Expr* one : both->values) self(self, *one, wanted);
    } else if (auto one = switched(function, part, wanted)) {
      out.push_back(std::move(*one));
    }
  };
  add(add, condition, !negated);
  return out;
}

std::vector<Switched> SwitchedAttributes::asked_by(FunctionId function, const std::vector<Guard>& guards) const {
  std::vector<Switched> out;
  for (const Guard& guard : guards) {
    if (guard.condition == nullptr || is<While>(guard.statement)) continue;
    for (Switched& one : asked_by(function, *guard.condition, guard.negated)) out.push_back(std::move(one));
  }
  return out;
}

std::optional<Switched> SwitchedAttributes::switched(FunctionId function, const Expr& part, bool wanted) const {
  const Attribute* read = asked_attribute(part);
  if (read == nullptr) return std::nullopt;
  ClassId cls = program_.functions()[function].owner;
  if (!is_self(*read->value)) {
    const std::vector<ClassId> classes = program_.instance_classes(function, *read->value);
    if (classes.size() != 1) return std::nullopt;
    cls = classes.front();
  }
  if (!cls.valid()) return std::nullopt;
  const Stores& stores = stores_of(cls, read->name.text);
  if (!stores) return std::nullopt;
  Switched out{read, &part, {}, {}};
  bool is_made_off = false;
  for (const Store& store : *stores) {
    const Value value = value_of(store.value);
    const std::optional<bool> holds = holds_with(part, [&](const Expr& one) { return &one == read ? value : Value(); });
    if (holds && *holds != wanted) {
      if (out.initial.kind != Value::Kind::kUnknown && !is_same_value(out.initial, value)) return std::nullopt;
      out.initial = value;
      is_made_off = is_made_off || store.is_first;
      continue;
    }
    const FunctionDef* def = store.function.valid() ? program_.functions()[store.function].def() : nullptr;
    if (store.is_first || def == nullptr || store.value == nullptr || (!holds && !is_made_there(def, *store.value)))
      return std::nullopt;
    const bool is_known = std::any_of(out.on.begin(), out.on.end(),
                                      [&](const SwitchedOn& one) { return one.function == store.function; });
    if (!is_known) out.on.push_back({store.function, store.place, store.is_self});
  }
  if (!is_made_off || out.on.empty() || out.on.size() > kMostOn) return std::nullopt;
  return out;
}

bool SwitchedAttributes::is_related(ClassId one, ClassId other) const {
  if (program::are_kin(program_, one, other)) return true;
  // A mixin of the same heir.
  const std::vector<ClassId> heirs = program::with_descendants(program_, one);
  return std::any_of(heirs.begin(), heirs.end(), [&](ClassId heir) {
    const auto& own = program_.classes()[heir].linearized;
    return std::find(own.begin(), own.end(), other) != own.end();
  });
}

/// Whether no class that is not of the same family has an attribute or method of that name.
bool SwitchedAttributes::is_only_of(ClassId cls, std::string_view name) const {
  for (std::size_t i = 0; i < program_.classes().size(); ++i) {
    const program::Class& other = program_.classes()[ClassId(i)];
    const bool has = std::any_of(other.fields.begin(), other.fields.end(),
                                 [&](const program::Field& field) { return field.name == name; }) ||
                     std::any_of(other.methods.begin(), other.methods.end(),
                                 [&](FunctionId method) { return program_.functions()[method].name == name; });
    if (has && !is_related(ClassId(i), cls)) return false;
  }
  return true;
}

/// Whether the function makes objects of the class, or is called on them where they are made.
bool SwitchedAttributes::runs_where_made(FunctionId function, ClassId cls) const {
  constexpr int kMostLevels = 3;
  if (is_constructor(program_.functions()[function])) return true;
  std::vector<ClassId> family = program::with_descendants(program_, cls);
  const auto& line = program_.classes()[cls].linearized;
  family.insert(family.end(), line.begin(), line.end());
  std::vector<FunctionId> level;
  for (const ClassId each : family) {
    for (const FunctionId method : program_.classes()[each].methods) {
      if (is_constructor(program_.functions()[method])) level.push_back(method);
    }
  }
  std::set<std::uint32_t> seen;
  for (int depth = 0; depth < kMostLevels; ++depth) {
    std::vector<FunctionId> next;
    for (const FunctionId at : level) {
      for (const program::CallId call : program_.functions()[at].calls) {
        for (const program::CallTarget& target : program_.calls()[call].targets) {
          const bool is_of_family = target.function.valid() && program_.functions()[target.function].owner.valid() &&
                                    is_related(program_.functions()[target.function].owner, cls);
          if (!is_of_family || !seen.insert(target.function.value).second) continue;
          if (target.function == function) return true;
          next.push_back(target.function);
        }
      }
    }
    level = std::move(next);
  }
  return false;
}

const SwitchedAttributes::Computed& SwitchedAttributes::computed() const {
  if (computed_) return *computed_;
  computed_.emplace();
  for (std::size_t i = 0; i < program_.functions().size(); ++i) {
    const program::Function& function = program_.functions()[FunctionId(i)];
    const program::Module& module = program_.modules()[function.module];
    // What is defined inside another function is walked with that one.
    if (function.node == nullptr || function.kind == program::FunctionKind::kLambda || function.enclosing.valid() ||
        program::is_test_path(module.path) ||
        (!module.facts->has_name("setattr") && !module.facts->has_name("__setattr__") &&
         !module.facts->has_name("__dict__") && !module.facts->has_name("vars")))
      continue;
    const Nested nested = function.kind == program::FunctionKind::kModuleBody ? Nested::kSkip : Nested::kEnter;
    for_each_computed(*function.node, nested,
                      [&](const Expr& object) { computed_->emplace_back(FunctionId(i), &object); });
  }
  return *computed_;
}

bool SwitchedAttributes::stores_by_computed_names(ClassId cls) const {
  const auto [known, is_new] = stores_computed_.try_emplace(cls.value, false);
  if (!is_new) return known->second;
  return known->second = std::any_of(computed().begin(), computed().end(), [&](const auto& one) {
           const auto& [function, object] = one;
           const ClassId owner = program_.functions()[function].owner;
           if (is_self(*object) && owner.valid()) return is_related(owner, cls);
           const std::vector<ClassId> classes = program_.instance_classes(function, *object);
           // Of what is not known: in the file of the class itself it may well be one.
           if (classes.empty()) return program_.functions()[function].module == program_.classes()[cls].module;
           return std::any_of(classes.begin(), classes.end(), [&](ClassId each) { return is_related(each, cls); });
         });
}

bool SwitchedAttributes::add_store(ModuleId module, std::uint32_t at, ClassId cls, std::string_view name,
                                   std::vector<Store>& out) const {
  const std::vector<const Node*> around = chain_to(program_.modules()[module].facts->tree(), {at, at + 1});
  if (around.empty()) return true;
  const Node* outer = around.size() < 2 ? nullptr : around[around.size() - 2];
  const FunctionId function = program_.function_at(module, at);
  const Expr* object = nullptr;
  const Expr* value = nullptr;
  if (const auto* attribute = as<Attribute>(around.back())) {
    if (attribute->context != ExprContext::kStore || attribute->name.span.begin != at) return true;
    object = attribute->value;
    if (const auto* assign = as<Assign>(outer)) value = assign->value;
    const auto* annotated = as<AnnAssign>(outer);
    if (annotated != nullptr && annotated->value == nullptr) return true;
    if (annotated != nullptr) value = annotated->value;
  } else if (const auto* text = as<Constant>(around.back())) {
    const auto* call = as<Call>(outer);
    const std::string_view callee = call == nullptr ? std::string_view() : callee_name(*call);
    if (text->text != name || call == nullptr || callee == "getattr" || callee == "hasattr") return true;
    const bool names_it = std::find(call->arguments.begin(), call->arguments.end(), text) != call->arguments.end();
    if (callee == "setattr" && call->arguments.size() == 3 && call->arguments[1] == text) {
      object = call->arguments[0];
      value = call->arguments[2];
    } else {
      // `self.register_buffer("name", …)`, `object.__setattr__(self, "name", …)`.
      const bool may_store = names_it && (callee.starts_with("register_") || callee.starts_with("add_") ||
                                          contains(callee, "setattr") || callee.starts_with("set"));
      return !may_store;
    }
  } else {
    return true;
  }
  if (!function.valid()) return false;
  const ClassId owner = program_.functions()[function].owner;
  const bool is_own = is_self(*object) && owner.valid();
  if (is_own) {
    if (!is_related(owner, cls)) return true;
  } else {
    const std::vector<ClassId> classes = program_.instance_classes(function, *object);
    const bool is_of = std::any_of(classes.begin(), classes.end(), [&](ClassId each) { return is_related(each, cls); });
    if (!classes.empty() && !is_of) return true;
    // An object of unknown class, and others have such an attribute: it may be one of these.
    if (classes.empty() && (rules::name_of(object).ends_with("args") || !is_only_of(cls, name))) return false;
  }
  out.push_back({function, value, around.back()->span, is_own, is_own && runs_where_made(function, cls)});
  return true;
}

const SwitchedAttributes::Stores& SwitchedAttributes::stores_of(ClassId cls, std::string_view name) const {
  const auto [known, is_new] = stores_.try_emplace({cls.value, name});
  if (is_new) known->second = find_stores(cls, name);
  return known->second;
}

SwitchedAttributes::Stores SwitchedAttributes::find_stores(ClassId cls, std::string_view name) const {
  if (program_.find_field(cls, name) == nullptr) return std::nullopt;
  std::vector<Store> out;
  std::vector<ClassId> family = program::with_descendants(program_, cls);
  const auto& line = program_.classes()[cls].linearized;
  family.insert(family.end(), line.begin(), line.end());
  for (const ClassId each : family) {
    const program::Class& row = program_.classes()[each];
    // A property, or something that is looked up.
    for (const FunctionId method : row.methods) {
      const std::string_view own = program_.functions()[method].name;
      if (own == name || own == "__getattr__" || own == "__setattr__" || own == "__getattribute__") return std::nullopt;
    }
    for (const program::Field& field : row.fields) {
      if (field.name != name || !field.in_class_body) continue;
      // Who makes the object may give it.
      if (row.is_dataclass) return std::nullopt;
      if (field.default_value != nullptr) out.push_back({FunctionId(), field.default_value, {}, false, true});
    }
  }
  std::size_t places = 0;
  for (std::size_t i = 0; i < program_.modules().size(); ++i) {
    const program::Module& module = program_.modules()[ModuleId(i)];
    if (program::is_test_path(module.path)) continue;
    for (std::size_t at = module.facts->find_name(name); at != std::string_view::npos;
         at = module.facts->find_name(name, at + 1)) {
      if (++places > kMostPlaces || !add_store(ModuleId(i), static_cast<std::uint32_t>(at), cls, name, out))
        return std::nullopt;
    }
  }
  if (out.empty() || stores_by_computed_names(cls)) return std::nullopt;
  return out;
}

}  // namespace lockstep::report
