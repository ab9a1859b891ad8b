#include "report/ways/functions/decorator_wrappers.h"

#include <algorithm>

#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using program::CallId;
using program::FunctionId;

bool DecoratorWrappers::enters(CallId call, FunctionId callee) const {
  if (!call.valid() || !callee.valid()) return false;
  if (!program_.depends_on_caller(call) && !calls_what_is_given(call)) return false;
  const auto [place, is_new] = known_.try_emplace(std::uint64_t{call.value} << 32 | callee.value, false);
  if (!is_new) return place->second;
  const program::CallSite& site = program_.calls()[call];
  const auto* written = python::as<python::Call>(site.node);
  place->second = written != nullptr && python::is<python::Name>(written->callee) &&
                  is_decorated_by(callee, site.caller) && signatures_.is_transparent(callee);
  return place->second;
}

bool DecoratorWrappers::calls_what_is_given(CallId call) const {
  const program::CallSite& site = program_.calls()[call];
  const auto* written = python::as<python::Call>(site.node);
  const FunctionId decorator = program_.functions()[site.caller].enclosing;
  const python::FunctionDef* def = decorator.valid() ? program_.functions()[decorator].def() : nullptr;
  const std::string_view name = written == nullptr ? std::string_view() : rules::name_of(written->callee);
  const python::FunctionDef* own = program_.functions()[site.caller].def();
  return def != nullptr && own != nullptr && !name.empty() && rules::parameter_named(def, name) != nullptr &&
         rules::parameter_named(own, name) == nullptr && !rules::binds_name(*own, name) &&
         !rules::binds_name(*def, name);
}

bool DecoratorWrappers::is_known_to_enter(CallId entering, CallId call, FunctionId callee) const {
  if (!entering.valid() || !program_.can_follow(entering, call, callee)) return false;
  if (is_named(entering, callee) && enters(call, callee)) return true;
  if (program_.can_follow(entering, call, FunctionId())) return false;
  const auto& targets = program_.calls()[call].targets;
  return std::all_of(targets.begin(), targets.end(), [&](const program::CallTarget& one) {
    return one.function == callee || (one.function.valid() && !program_.can_follow(entering, call, one.function));
  });
}

bool DecoratorWrappers::is_named(CallId entering, FunctionId callee) const {
  const program::CallSite& site = program_.calls()[entering];
  const auto* written = python::as<python::Call>(site.node);
  if (written == nullptr) return false;
  const program::Reference to = program_.resolve(site.caller, *written->callee);
  if (to.kind == program::Reference::Kind::kFunction) return to.function == callee;
  // A method of an object whose class is known.
  if (const auto* method = python::as<python::Attribute>(written->callee)) {
    const auto classes = program_.instance_classes(site.caller, *method->value);
    if (!classes.empty())
      return std::all_of(classes.begin(), classes.end(),
                         [&](program::ClassId cls) { return program_.find_method(cls, method->name.text) == callee; });
  }
  return to.kind == program::Reference::Kind::kClass && program_.find_method(to.cls, "__init__") == callee;
}

bool DecoratorWrappers::is_decorated_by(FunctionId function, FunctionId wrapper) const {
  const python::FunctionDef* def = program_.functions()[function].def();
  if (def == nullptr) return false;
  const FunctionId outer = program_.functions()[function].enclosing;
  const FunctionId from = outer.valid() ? outer : program_.module_of(function).body;
  for (const python::Expr* decorator : def->decorators) {
    const auto* made = python::as<python::Call>(decorator);
    const program::Reference to = program_.resolve(from, made != nullptr ? *made->callee : *decorator);
    FunctionId decorator_function = to.function;
    if (to.kind == program::Reference::Kind::kClass && made != nullptr)
      decorator_function = program_.find_method(to.cls, "__call__");
    if (!decorator_function.valid()) continue;
    for (FunctionId around = program_.functions()[wrapper].enclosing; around.valid();
         around = program_.functions()[around].enclosing) {
      if (around == decorator_function) return true;
    }
  }
  return false;
}

}  // namespace lockstep::report
