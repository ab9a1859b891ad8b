#include "report/source/numpy_values.h"

#include <cstddef>
#include <vector>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/bindings.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr int kMostDepth = 4;  // Locals that are made of locals.

/// The values that assignments alone give the local; empty where something else binds it, too.
std::vector<const Expr*> values_of(const FunctionDef& def, std::string_view local) {
  std::vector<const Expr*> values;
  if (rules::parameter_named(&def, local) != nullptr) return values;
  walk_of<Assign>(def, Nested::kSkip, [&](const Assign* assign) {
    for (const Expr* target : assign->targets) {
      const auto* name = as<Name>(target);
      if (name != nullptr && name->id == local) values.push_back(assign->value);
    }
  });
  return values.size() == rules::bindings_of(def, local, Nested::kSkip) ? values : std::vector<const Expr*>();
}

bool is_numpy(const FunctionDef* def, const Expr* value, std::string_view outer, int depth) {
  while (value != nullptr && !is<Name>(value)) {
    if (const auto* call = as<Call>(value)) {
      const auto* member = as<Attribute>(call->callee);
      const auto* library = member == nullptr ? nullptr : as<Name>(member->value);
      // What einops makes is what it is given.
      const bool is_einops = library != nullptr && library->id == "einops" && !call->arguments.empty();
      value = is_einops ? call->arguments.front() : call->callee;
    } else if (const auto* item = as<Subscript>(value)) {
      value = item->value;
    } else if (const auto* attribute = as<Attribute>(value)) {
      value = attribute->value;
    } else {
      return false;
    }
  }
  const auto* name = as<Name>(value);
  if (name == nullptr) return false;
  if (name->id == "np" || name->id == "numpy" || name->id == outer) return true;
  if (def == nullptr || depth == kMostDepth) return false;
  const std::vector<const Expr*> values = values_of(*def, name->id);
  bool out = !values.empty();
  for (const Expr* one : values) out = out && is_numpy(def, one, name->id, depth + 1);
  return out;
}

}  // namespace

bool is_made_by_numpy(const program::Program& program, program::FunctionId function, const Expr* value) {
  const FunctionDef* def = function.valid() ? program.functions()[function].def() : nullptr;
  return is_numpy(def, value, {}, 0);
}

const KnownApi* method_of_value(const program::Program& program, const Call& call) {
  const KnownApi* known = is<Attribute>(call.callee) ? known_method(callee_name(call)) : nullptr;
  if (known == nullptr) return nullptr;
  const program::CallId id = program.call_of(&call);
  const program::FunctionId function = id.valid() ? program.calls()[id].caller : program::FunctionId();
  return is_made_by_numpy(program, function, call.callee) ? nullptr : known;
}

}  // namespace lockstep::report
