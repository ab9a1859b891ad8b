// Annotations of parameters as filters: instances of classes that a parameter is not declared to take are kept out, so
// that one badly known call does not spread everything everywhere. Only annotations that name classes alone are
// believed.
#include <algorithm>

#include "base/strings.h"
#include "program/flow/solver.h"
#include "python/tree_walk.h"

namespace lockstep::program::flow {
namespace {

constexpr int kMaxAnnotationDepth = 8;

}  // namespace

/// True if an argument `value` may be what the annotation of seed number `seed` says.
bool Solver::fits(std::uint32_t seed, ValueId value) {
  const Value of = values_[value];
  const bool is_judged = of.kind == ValueKind::kInstance || of.kind == ValueKind::kExternalInstance ||
                         of.kind == ValueKind::kContainer || of.kind == ValueKind::kFunction ||
                         of.kind == ValueKind::kClass;
  if (!is_judged) return true;
  Declared& declared = declared_[seed];
  if (declared.state == Declared::State::kNew) {
    const bool is_closed = declare(seed_modules_[seed], seeds_[seed].scope, seeds_[seed].annotation, 0, declared);
    declared.state = is_closed ? Declared::State::kClosed : Declared::State::kOpen;
  }
  if (declared.state == Declared::State::kOpen) return true;
  if (of.kind != ValueKind::kInstance) return fits_from_outside(declared, of);
  const ClassId cls(std::size_t{of.a});
  const auto& order = program_.classes()[cls].linearized;
  const bool is_listed = std::any_of(declared.classes.begin(), declared.classes.end(), [&](ClassId wanted) {
    return std::find(order.begin(), order.end(), wanted) != order.end();
  });
  if (is_listed) return true;
  const bool is_external = std::any_of(declared.external.begin(), declared.external.end(), [&](const auto& wanted) {
    return program_.derives_from(cls, wanted) || (wanted == "torch.nn.Module" && is_module_subclass(cls));
  });
  return is_external || is_asked_about(seed, cls) || wraps(cls, declared);
}

/// True if the class stands in for one that is declared: its constructor takes one of that class, declared so, and it
/// has a public method of the same name. Nobody but a checker of types misses the common base.
bool Solver::wraps(ClassId cls, const Declared& declared) {
  const FunctionId constructor = program_.find_method(cls, "__init__");
  const python::FunctionDef* def = constructor.valid() ? program_.functions()[constructor].def() : nullptr;
  if (def == nullptr || program_.functions()[constructor].owner != cls) return false;
  for (const ClassId wanted : declared.classes) {
    const auto [known, is_new] = wraps_.try_emplace({cls.value, wanted.value}, false);
    if (is_new) {
      const auto is_of_wanted = [&](const python::Parameter* parameter) {
        if (parameter->annotation == nullptr) return false;
        const Reference found =
            resolver_.resolve(program_.functions()[constructor].module, python::ScopeId(0), *parameter->annotation);
        return found.kind == Reference::Kind::kClass && found.cls == wanted;
      };
      const auto is_shared = [&](FunctionId method) {
        const std::string_view name = program_.functions()[method].name;
        return !name.starts_with("_") && program_.find_method(wanted, name).valid();
      };
      const auto& methods = program_.classes()[cls].methods;
      known->second = std::any_of(def->parameters->all.begin(), def->parameters->all.end(), is_of_wanted) &&
                      std::any_of(methods.begin(), methods.end(), is_shared);
    }
    if (known->second) return true;
  }
  return false;
}

/// True if the function asks whether its parameter is of that class: it is written for it, whatever the annotation
/// says.
bool Solver::is_asked_about(std::uint32_t seed, ClassId cls) {
  const Seed& of = seeds_[seed];
  if (!declared_[seed].has_asked) {
    declared_[seed].has_asked = true;
    const python::FunctionDef* def = program_.functions()[code_[of.function].id].def();
    if (def == nullptr) return false;
    const auto parameter = std::find_if(def->parameters->all.begin(), def->parameters->all.end(),
                                        [&](const python::Parameter* one) { return one->annotation == of.annotation; });
    if (parameter == def->parameters->all.end()) return false;
    const auto& scopes = program_.modules()[seed_modules_[seed]].facts->scope_of_node;
    const auto own = scopes.find(def);  // What it imports itself counts.
    const python::ScopeId scope = own == scopes.end() ? of.scope : own->second;
    const auto take = [&](const python::Expr* expression) {
      const Reference found = resolver_.resolve(seed_modules_[seed], scope, *expression);
      if (found.kind == Reference::Kind::kClass) declared_[seed].asked.push_back(found.cls);
    };
    python::walk_of<python::Call>(*def, python::Nested::kEnter, [&](const python::Call* call) {
      const auto* callee = python::as<python::Name>(call->callee);
      if (callee == nullptr || callee->id != "isinstance" || call->arguments.size() != 2) return;
      const auto* object = python::as<python::Name>(call->arguments[0]);
      if (object == nullptr || object->id != (*parameter)->name.text) return;
      if (const auto* several = python::as<python::Tuple>(call->arguments[1])) {
        for (const python::Expr* one : several->elements) take(one);
      } else {
        take(call->arguments[1]);
      }
    });
  }
  const auto& order = program_.classes()[cls].linearized;
  const std::vector<ClassId>& asked = declared_[seed].asked;
  return std::any_of(asked.begin(), asked.end(),
                     [&](ClassId wanted) { return std::find(order.begin(), order.end(), wanted) != order.end(); });
}

/// The same for values that are no instances of the repository's classes.
bool Solver::fits_from_outside(const Declared& declared, const Value& of) const {
  const auto lists = [&](auto&& wanted) {
    return std::any_of(declared.external.begin(), declared.external.end(), wanted);
  };
  const auto is_tensor = [](const std::string& name) { return is_tensor_class(name); };
  const bool only_tensors = declared.classes.empty() && !declared.external.empty() &&
                            std::all_of(declared.external.begin(), declared.external.end(), is_tensor);
  switch (of.kind) {
    case ValueKind::kFunction:
    case ValueKind::kClass:
      return !only_tensors;
    case ValueKind::kContainer: {
      const ContainerKind kind = objects_[of.a].kind;
      if (kind == ContainerKind::kModules || kind == ContainerKind::kWrapper) return !only_tensors;
      return lists([](const std::string& name) { return name.starts_with("builtins."); });
    }
    default: {
      const std::string& name = names_[of.a];
      if (is_tensor_class(name)) return lists(is_tensor);
      if (name.starts_with("builtins.")) return lists([&](const std::string& wanted) { return wanted == name; });
      return !only_tensors;
    }
  }
}

/// Adds what `annotation` names to `out`; false where it says less than a list of classes.
bool Solver::declare(ModuleId module, python::ScopeId scope, const python::Expr* annotation, int depth, Declared& out) {
  if (annotation == nullptr || depth > kMaxAnnotationDepth) return false;
  if (const auto* text = python::as<python::Constant>(annotation)) {
    if (text->constant_kind == python::ConstantKind::kNone) return true;
    if (text->constant_kind != python::ConstantKind::kStr) return false;
    for (const std::string_view part : split(text->text, '|')) {
      const std::string_view name = trim(part);
      const bool is_dotted = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
      });
      if (!is_dotted || (name != "None" && !declare_reference(resolver_.resolve(module, name), out))) return false;
    }
    return true;
  }
  if (const auto* either_type = python::as<python::BinOp>(annotation)) {
    return declare(module, scope, either_type->left, depth + 1, out) &&
           declare(module, scope, either_type->right, depth + 1, out);
  }
  if (const auto* generic = python::as<python::Subscript>(annotation)) {
    const Reference head = resolver_.resolve(module, scope, *generic->value);
    if (head.name != "typing.Optional" && head.name != "typing.Union") {
      // list[X], dict[K, V]: a container, so no instance of a class of the repository.
      const bool is_builtin_generic = head.kind == Reference::Kind::kExternal && head.name.starts_with("builtins.");
      if (is_builtin_generic) out.external.push_back(head.name);
      return is_builtin_generic;
    }
    if (const auto* several = python::as<python::Tuple>(generic->index)) {
      return std::all_of(several->elements.begin(), several->elements.end(),
                         [&](const python::Expr* part) { return declare(module, scope, part, depth + 1, out); });
    }
    return declare(module, scope, generic->index, depth + 1, out);
  }
  return declare_reference(resolver_.resolve(module, scope, *annotation), out);
}

bool Solver::declare_reference(const Reference& found, Declared& out) {
  if (found.kind == Reference::Kind::kClass) {
    // Protocols and abstract bases are met by classes that do not name them.
    const auto& ancestors = program_.classes()[found.cls].external_ancestors;
    const bool is_open = std::any_of(ancestors.begin(), ancestors.end(), [](const std::string& name) {
      return name == "typing.Protocol" || name == "typing_extensions.Protocol" || name == "abc.ABC";
    });
    out.classes.push_back(found.cls);
    return !is_open;
  }
  if (found.kind != Reference::Kind::kExternal) return false;
  const bool is_builtin_type = found.name.starts_with("builtins.") && found.name != "builtins.object" &&
                               found.name != "builtins.callable" && found.name != "builtins.any";
  const bool is_torch_type = is_tensor_class(found.name) || found.name == "torch.nn.Module" ||
                             found.name == "torch.device" || found.name == "torch.dtype" ||
                             found.name == "torch.distributed.ProcessGroup";
  if (!is_builtin_type && !is_torch_type) return false;
  out.external.push_back(found.name);
  return true;
}

}  // namespace lockstep::program::flow
