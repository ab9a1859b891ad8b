#include "report/source/registration.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::ModuleId;

namespace {

// Decorators of the standard library, torch and Triton that hand what they decorate to nobody.
constexpr auto kKept = std::to_array<std::string_view>({
    "abstractmethod", "asynccontextmanager", "cache",      "cached_property", "classmethod",    "compile",
    "contextmanager", "custom_bwd",          "custom_fwd", "dataclass",       "deprecated",     "enable_grad",
    "final",          "inference_mode",      "jit",        "lru_cache",       "no_grad",        "override",
    "property",       "runtime_checkable",   "setter",     "staticmethod",    "total_ordering", "wraps",
});

// Functions of Python that only ask what they are given.
constexpr auto kAsking = std::to_array<std::string_view>({
    "callable",
    "getattr",
    "hasattr",
    "isabstract",
    "isclass",
    "isfunction",
    "isinstance",
    "iscoroutinefunction",
    "issubclass",
    "repr",
    "signature",
    "str",
    "type",
    "update_wrapper",
    "wraps",
});

template <std::size_t N>
bool is_in(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Seq<Expr> decorators_of(const Node& definition) {
  if (const auto* function = as<FunctionDef>(&definition)) return function->decorators;
  if (const auto* cls = as<ClassDef>(&definition)) return cls->decorators;
  return {};
}

/// Whether `visit` holds for all nodes below `node`, each with what holds it.
template <typename Visit>
bool all_below(const Node& node, const Visit& visit) {
  bool holds = true;
  for_each_child(node, [&](const Node* child) {
    holds = holds && child != nullptr && visit(*child, node) && all_below(*child, visit);
  });
  return holds;
}

/// `inner` where the function does nothing else with what it returns than to define it: `def inner(f): …; return
/// inner`.
const FunctionDef* returned_function(const FunctionDef& def) {
  const auto* last = def.body.empty() ? nullptr : as<Return>(def.body[def.body.size() - 1]);
  const std::string_view name = last == nullptr ? std::string_view() : rules::name_of(last->value);
  const FunctionDef* found = nullptr;
  std::size_t returns = 0;
  std::size_t named = 0;
  walk(def, Nested::kSkip, [&](const Node* node) { returns += is<Return>(node) ? 1 : 0; });
  for (const Stmt* statement : def.body) {
    const auto* inner = as<FunctionDef>(statement);
    if (inner == nullptr || name.empty() || inner->name.text != name) continue;
    found = inner;
    ++named;
  }
  return returns == 1 && named == 1 ? found : nullptr;
}

}  // namespace

bool Registration::is_handed_on(ModuleId module, const Node& definition) const {
  const Seq<Expr> decorators = decorators_of(definition);
  return std::any_of(decorators.begin(), decorators.end(),
                     [&](const Expr* decorator) { return !is_kept(module, *decorator); });
}

bool Registration::is_collected(program::ClassId cls) const {
  const auto& chain = program_.classes()[cls].linearized;
  return std::any_of(chain.begin(), chain.end(), [&](program::ClassId each) {
    const auto& methods = program_.classes()[each].methods;
    return std::any_of(methods.begin(), methods.end(),
                       [&](FunctionId method) { return program_.functions()[method].name == "__init_subclass__"; });
  });
}

bool Registration::is_kept(ModuleId module, const Expr& decorator) const {
  const auto* call = as<Call>(&decorator);
  const Expr& name = call != nullptr ? *call->callee : decorator;
  const program::Reference to = program_.resolve(program_.modules()[module].body, name);
  if (to.kind == program::Reference::Kind::kFunction) {
    // `@x.setter` and what a class offers get more than what they decorate.
    if (program_.functions()[to.function].owner.valid()) return false;
    const std::uint64_t key = std::uint64_t{to.function.value} << 1 | (call != nullptr ? 1 : 0);
    const auto [place, is_new] = known_.try_emplace(key, false);
    if (!is_new) return place->second;
    const bool keeps = keeps_what_it_gets(to.function, call != nullptr);
    return known_[key] = keeps;
  }
  return to.kind != program::Reference::Kind::kClass && is_in(kKept, rules::last_part_of(&name));
}

bool Registration::keeps_what_it_gets(FunctionId decorator, bool is_called) const {
  const FunctionDef* def = program_.functions()[decorator].def();
  if (def == nullptr) return false;
  if (!is_called) return keeps(decorator, *def, 0, 0);
  const FunctionDef* inner = returned_function(*def);
  return inner != nullptr && keeps(decorator, *inner, 0, 0);
}

/// Whether the function does no more with what its parameter `index` gets than to ask, call and return it.
bool Registration::keeps(FunctionId function, const FunctionDef& def, std::size_t index, int depth) const {
  const auto& parameters = def.parameters->all;
  if (index >= parameters.size() || parameters[index]->parameter_kind > Parameter::Kind::kPositionalOrKeyword)
    return false;
  // What is asked while it is looked for comes back to itself.
  const auto [place, is_new] = keeping_.try_emplace(std::tuple(&def, index, depth), false);
  if (!is_new) return place->second;
  // A function inside may call it whenever it is called itself.
  std::unordered_set<std::string_view> names = {parameters[index]->name.text};
  walk_of<FunctionDef>(def, Nested::kEnter, [&](const FunctionDef* inner) { names.insert(inner->name.text); });
  const auto mentions_one = [&](const Node& node) {
    bool found = false;
    walk_of<Name>(node, Nested::kEnter, [&](const Name* name) { found = found || names.contains(name->id); });
    return found;
  };
  const ModuleId module = program_.functions()[function].module;
  const bool keeps = all_below(def, [&](const Node& node, const Node& parent) {
    if (const auto* inner = as<FunctionDef>(&node)) return !is_handed_on(module, *inner);
    if (is<ClassDef>(&node)) return !mentions_one(node);
    if (is<Lambda>(&node)) {
      const auto* call = as<Call>(&parent);
      return is<Return>(&parent) || (call != nullptr && call->callee == &node) || !mentions_one(node);
    }
    const auto* use = as<Name>(&node);
    return use == nullptr || !names.contains(use->id) || is_only_read(function, *use, parent, depth);
  });
  return place->second = keeps;
}

bool Registration::is_only_read(FunctionId function, const Name& use, const Node& parent, int depth) const {
  if (use.context != ExprContext::kLoad) return false;
  if (is<Attribute>(&parent) || is<Return>(&parent) || is<Compare>(&parent) || is<If>(&parent) || is<UnaryOp>(&parent))
    return true;
  const auto* call = as<Call>(&parent);
  if (call == nullptr) return false;
  if (call->callee == &use) return true;
  const program::Reference to = program_.resolve(function, *call->callee);
  if (to.kind != program::Reference::Kind::kFunction) return is_in(kAsking, callee_name(*call));
  constexpr int kMostDepth = 3;
  const FunctionDef* def = program_.functions()[to.function].def();
  const auto place = std::find(call->arguments.begin(), call->arguments.end(), &use);
  const bool has_rest = std::any_of(call->arguments.begin(), call->arguments.end(),
                                    [](const Expr* argument) { return is<Starred>(argument); });
  if (def == nullptr || place == call->arguments.end() || has_rest || depth == kMostDepth ||
      program_.functions()[to.function].owner.valid())
    return false;
  return keeps(to.function, *def, static_cast<std::size_t>(place - call->arguments.begin()), depth + 1);
}

}  // namespace lockstep::report
