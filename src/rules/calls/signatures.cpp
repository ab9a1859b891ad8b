#include "rules/calls/signatures.h"

#include <algorithm>
#include <array>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {

using namespace python;
using program::CallKind;
using program::CallSite;
using program::CallTarget;
using program::ClassId;
using program::FunctionId;
using program::Reference;
using Kind = Parameter::Kind;

namespace {

// Decorators of the standard library, torch and nvtx that call the function with the arguments they got.
constexpr auto kTransparent = std::to_array<std::string_view>({
    "abstractmethod", "allow_in_graph", "annotate",     "asynccontextmanager",
    "cache",          "classmethod",    "compile",      "contextmanager",
    "custom_bwd",     "custom_fwd",     "deprecated",   "disable",
    "enable_grad",    "export",         "final",        "ignore",
    "inference_mode", "lru_cache",      "no_grad",      "once_differentiable",
    "override",       "script",         "staticmethod", "unused",
});

bool is_known_transparent(std::string_view name) {
  return std::binary_search(kTransparent.begin(), kTransparent.end(), name);
}

bool is_variadic_only(const Parameters& parameters) {
  return parameters.all.size() == 2 && parameters.all[0]->parameter_kind == Kind::kVarArgs &&
         parameters.all[1]->parameter_kind == Kind::kVarKeywords;
}

/// A call `f(*args, **kwargs)` of exactly these two names.
bool passes_on(const Call& call, std::string_view args, std::string_view kwargs) {
  if (call.arguments.size() != 1 || call.keywords.size() != 1 || !call.keywords[0]->name.text.empty()) return false;
  const auto* starred = as<Starred>(call.arguments[0]);
  const auto* positional = starred == nullptr ? nullptr : as<Name>(starred->value);
  const auto* named = as<Name>(call.keywords[0]->value);
  return positional != nullptr && named != nullptr && positional->id == args && named->id == kwargs;
}

}  // namespace

std::string_view last_part_of(const Expr* expression) {
  if (const auto* call = as<Call>(expression)) return last_part_of(call->callee);
  if (const auto* attribute = as<Attribute>(expression)) return attribute->name.text;
  if (const auto* name = as<Name>(expression)) return name->id;
  return {};
}

std::optional<Signature> Signatures::of_function(FunctionId function, std::size_t skip) const {
  const program::Function& row = program_.functions()[function];
  const auto* def = as<FunctionDef>(row.node);
  const auto* lambda = as<Lambda>(row.node);
  if (def == nullptr && lambda == nullptr) return std::nullopt;
  Signature signature;
  const Parameters* parameters = def != nullptr ? def->parameters : lambda->parameters;
  for (const Parameter* parameter : parameters->all) {
    signature.parameters.push_back(
        {parameter->name.text, parameter->parameter_kind, parameter->default_value != nullptr});
  }
  while (skip > 0 && !signature.parameters.empty() && signature.parameters.front().kind <= Kind::kPositionalOrKeyword) {
    signature.parameters.erase(signature.parameters.begin());
    --skip;
  }
  return signature;
}

bool Signatures::has_decorator(FunctionId function, std::string_view last_part) const {
  const FunctionDef* def = program_.functions()[function].def();
  return def != nullptr && std::any_of(def->decorators.begin(), def->decorators.end(),
                                       [&](const Expr* decorator) { return last_part_of(decorator) == last_part; });
}

std::optional<Signature> Signatures::of_target(const CallSite& site, const CallTarget& target) const {
  if (!target.function.valid()) return std::nullopt;
  const auto* call = as<Call>(site.node);
  const program::Function& row = program_.functions()[target.function];
  if (call == nullptr) return std::nullopt;
  switch (target.kind) {
    case CallKind::kConstructor:
      return row.name == "__init__" ? of_function(target.function, 1) : std::nullopt;
    case CallKind::kModuleCall:
      return row.owner.valid() ? of_function(target.function, 1) : std::nullopt;
    case CallKind::kAutograd:
      return row.name == "forward" ? of_function(target.function, 1) : std::nullopt;
    case CallKind::kDirect:
      break;
    default:
      return std::nullopt;
  }
  // A variable or call that merely leads to the function may have bound some of its arguments (functools.partial).
  if (is<Call>(call->callee) || last_part_of(call->callee) != row.name) return std::nullopt;
  if (!row.owner.valid()) {
    const Reference named = program_.resolve(site.caller, *call->callee);
    const bool is_it = named.kind == Reference::Kind::kFunction && named.function == target.function;
    return is_it ? of_function(target.function, 0) : std::nullopt;
  }
  const auto* attribute = as<Attribute>(call->callee);
  if (attribute == nullptr || has_decorator(target.function, "property")) return std::nullopt;
  if (has_decorator(target.function, "staticmethod")) return of_function(target.function, 0);
  if (has_decorator(target.function, "classmethod") || row.name == "__new__") return of_function(target.function, 1);
  const Reference base = program_.resolve(site.caller, *attribute->value);
  if (base.kind == Reference::Kind::kClass) return of_function(target.function, 0);  // Class.method(obj, …)
  // cls.method(obj, …), config_cls.method(obj, …): a class in a variable
  if (const auto* name = as<Name>(attribute->value);
      name != nullptr && (name->id == "cls" || name->id.ends_with("_cls"))) {
    return of_function(target.function, 0);
  }
  if (base.kind == Reference::Kind::kModule || base.kind == Reference::Kind::kExternal) return std::nullopt;
  return of_function(target.function, 1);
}

bool Signatures::is_transparent(FunctionId function) const {
  const FunctionDef* def = program_.functions()[function].def();
  if (def == nullptr) return true;
  return std::all_of(def->decorators.begin(), def->decorators.end(),
                     [&](const Expr* decorator) { return is_transparent_decorator(function, *decorator); });
}

bool Signatures::is_transparent_decorator(FunctionId context, const Expr& decorator) const {
  const auto* call = as<Call>(&decorator);
  const Expr& name = call != nullptr ? *call->callee : decorator;
  const FunctionId outer = program_.functions()[context].enclosing;
  const FunctionId from = outer.valid() ? outer : program_.module_of(context).body;
  const Reference reference = program_.resolve(from, name);
  if (reference.kind == Reference::Kind::kFunction) return passes_arguments_on(reference.function);
  // `@Traced("name")`: an object of a class that is called with the function.
  if (reference.kind == Reference::Kind::kClass && call != nullptr) {
    const FunctionId method = program_.find_method(reference.cls, "__call__");
    return method.valid() && passes_arguments_on(method);
  }
  return reference.kind != Reference::Kind::kClass && is_known_transparent(last_part_of(&name));
}

/// True for a function of the repository that holds a wrapper `def w(*args, **kwargs)` which calls what a parameter of
/// an enclosing function holds with exactly these.
bool Signatures::passes_arguments_on(FunctionId decorator) const {
  const FunctionDef* outer = program_.functions()[decorator].def();
  if (outer == nullptr) return false;
  bool found = false;
  bool other_wrapper = false;
  walk_of<FunctionDef>(*outer, Nested::kEnter, [&](const FunctionDef* inner) {
    if (!is_variadic_only(*inner->parameters)) return;
    const std::string_view args = inner->parameters->all[0]->name.text;
    const std::string_view kwargs = inner->parameters->all[1]->name.text;
    bool passes = false;
    walk_of<Call>(*inner, Nested::kEnter, [&](const Call* call) {
      passes = passes || (is<Name>(call->callee) && passes_on(*call, args, kwargs));
    });
    found = found || passes;
    other_wrapper = other_wrapper || !passes;
  });
  return found && !other_wrapper;
}

bool Signatures::is_sole_definition(FunctionId function) const {
  const program::Function& row = program_.functions()[function];
  const FileFacts& facts = *program_.module_of(function).facts;
  for (const Scope& scope : facts.scopes) {
    int bindings = 0;
    bool is_home = false;
    for (const Binding& binding : scope.bindings) {
      if (binding.name != row.name) continue;
      ++bindings;
      is_home = is_home || binding.node == row.node;
    }
    if (is_home) return bindings == 1;
  }
  return true;
}

std::optional<std::size_t> Signatures::returned_tuple(FunctionId function) const {
  const FunctionDef* def = program_.functions()[function].def();
  if (def == nullptr || def->is_async) return std::nullopt;
  std::optional<std::size_t> length;
  bool unclear = false;
  walk(*def, Nested::kSkip, [&](const Node* node) {
    unclear = unclear || is<Yield>(node) || is<YieldFrom>(node);
    const auto* returned = as<Return>(node);
    if (returned == nullptr) return;
    const auto* tuple = as<Tuple>(returned->value);
    const bool plain = tuple != nullptr && std::none_of(tuple->elements.begin(), tuple->elements.end(),
                                                        [](const Expr* e) { return is<Starred>(e); });
    if (!plain || (length && *length != tuple->elements.size())) unclear = true;
    if (plain) length = tuple->elements.size();
  });
  return unclear ? std::nullopt : length;
}

BoundCall Signatures::bind(const CallSite& site, FunctionId function) const {
  const auto* call = as<Call>(site.node);
  if (call == nullptr || !program::surely_enters(site, function) || !is_transparent(function) ||
      !is_sole_definition(function))
    return {};
  const std::optional<Signature> signature = of_target(site, site.targets.front());
  return signature ? BoundCall{true, bind_arguments(*signature, *call)} : BoundCall{};
}

std::optional<Signature> Signatures::of_dataclass(ClassId cls) const {
  Signature signature;
  const auto& order = program_.classes()[cls].linearized;
  for (std::size_t i = order.size(); i-- > 0;) {
    const program::Class& row = program_.classes()[order[i]];
    if (!row.external_bases.empty() && row.external_bases != std::vector<std::string>{"object"} &&
        row.external_bases != std::vector<std::string>{"abc.ABC"}) {
      return std::nullopt;
    }
    if (row.is_dataclass && !add_dataclass_fields(order[i], signature)) return std::nullopt;
  }
  return signature;
}

bool Signatures::add_dataclass_fields(ClassId cls, Signature& signature) const {
  const program::Class& row = program_.classes()[cls];
  bool keyword_only = false;
  for (const Expr* decorator : row.node->decorators) {
    const auto* call = as<Call>(decorator);
    if (last_part_of(decorator) != "dataclass") return false;  // Another decorator may add or take fields.
    if (call != nullptr && is_false(keyword_value(*call, "init"))) return false;
    keyword_only = keyword_only || (call != nullptr && is_true(keyword_value(*call, "kw_only")));
  }
  for (const program::Field& field : row.fields) {
    const auto* statement = as<AnnAssign>(field.node);
    if (!field.in_class_body || statement == nullptr || field.annotation == nullptr) continue;
    const Expr* type = field.annotation;
    if (const auto* subscript = as<Subscript>(type)) type = subscript->value;
    const auto* text = as<Constant>(type);
    if (last_part_of(type) == "ClassVar" || (text != nullptr && text->text.find("ClassVar") != std::string_view::npos))
      continue;
    if (last_part_of(type) == "KW_ONLY") {
      keyword_only = true;
      continue;
    }
    AcceptedParameter parameter{field.name, keyword_only ? Kind::kKeywordOnly : Kind::kPositionalOrKeyword,
                                statement->value != nullptr};
    if (const auto* call = as<Call>(statement->value); call != nullptr && last_part_of(call) == "field") {
      if (is_false(keyword_value(*call, "init"))) continue;
      if (is_true(keyword_value(*call, "kw_only"))) parameter.kind = Kind::kKeywordOnly;
      parameter.has_default =
          keyword_value(*call, "default") != nullptr || keyword_value(*call, "default_factory") != nullptr;
    }
    const auto earlier = std::find_if(signature.parameters.begin(), signature.parameters.end(),
                                      [&](const AcceptedParameter& p) { return p.name == parameter.name; });
    if (earlier != signature.parameters.end()) {
      *earlier = parameter;
    } else {
      signature.parameters.push_back(parameter);
    }
  }
  return true;
}

}  // namespace lockstep::rules
