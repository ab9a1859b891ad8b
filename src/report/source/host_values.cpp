#include "report/source/host_values.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/bindings.h"
#include "rules/expressions.h"
#include "rules/signatures.h"

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

/// The values that statements of the class give `self.name`; empty where other statements do, or none.
std::vector<const Expr*> values_of_attribute(const ClassDef& cls, std::string_view name) {
  std::vector<const Expr*> values;
  std::size_t sets = 0;
  const auto is_it = [&](const Node* target) {
    const auto* attribute = as<Attribute>(target);
    return attribute != nullptr && attribute->name.text == name && attribute->context == ExprContext::kStore &&
           rules::name_of(attribute->value) == "self";
  };
  python::walk(cls, Nested::kEnter, [&](const Node* node) {
    sets += is_it(node) ? 1 : 0;
    const auto* assign = as<Assign>(node);
    if (assign != nullptr && assign->targets.size() == 1 && is_it(assign->targets.front()))
      values.push_back(assign->value);
  });
  return values.size() == sets ? values : std::vector<const Expr*>();
}

/// Follows a value to what makes it.
class Origin {
 public:
  Origin(const FunctionDef* def, const ClassDef* cls) : def_(def), cls_(cls) {}

  [[nodiscard]] bool is_host(const Expr* value, std::string_view outer = {}, int depth = 0) const {
    while (value != nullptr && !is<Name>(value)) {
      if (const auto* call = as<Call>(value)) {
        if (makes_host_value(*call)) return true;
        const auto* member = as<Attribute>(call->callee);
        const auto* library = member == nullptr ? nullptr : as<Name>(member->value);
        // What einops makes is what it is given.
        const bool is_einops = library != nullptr && library->id == "einops" && !call->arguments.empty();
        value = is_einops ? call->arguments.front() : call->callee;
      } else if (const auto* item = as<Subscript>(value)) {
        value = item->value;
      } else if (const auto* attribute = as<Attribute>(value)) {
        if (cls_ != nullptr && rules::name_of(attribute->value) == "self")
          return are_host(values_of_attribute(*cls_, attribute->name.text), {}, depth);
        value = attribute->value;
      } else {
        return false;
      }
    }
    const auto* name = as<Name>(value);
    if (name == nullptr) return false;
    if (name->id == "np" || name->id == "numpy" || name->id == outer) return true;
    return def_ != nullptr && are_host(values_of(*def_, name->id), name->id, depth);
  }

 private:
  [[nodiscard]] bool are_host(const std::vector<const Expr*>& values, std::string_view outer, int depth) const {
    if (values.empty() || depth == kMostDepth) return false;
    return std::all_of(values.begin(), values.end(), [&](const Expr* one) { return is_host(one, outer, depth + 1); });
  }

  /// `torch.zeros(n, device="cpu")`, `x.cpu()`.
  static bool makes_host_value(const Call& call) {
    const Expr* device = rules::keyword_value(call, "device");
    return rules::text_of(device) == "cpu" || (is<Attribute>(call.callee) && callee_name(call) == "cpu");
  }

  const FunctionDef* def_;
  const ClassDef* cls_;
};

}  // namespace

bool lives_on_host(const program::Program& program, program::FunctionId function, const Expr* value) {
  if (!function.valid()) return Origin(nullptr, nullptr).is_host(value);
  const program::ClassId owner = program.functions()[function].owner;
  return Origin(program.functions()[function].def(), owner.valid() ? program.classes()[owner].node : nullptr)
      .is_host(value);
}

const KnownApi* method_of_value(const program::Program& program, const Call& call) {
  const KnownApi* known = is<Attribute>(call.callee) ? known_method(callee_name(call)) : nullptr;
  if (known == nullptr || known->kind != ApiKind::kHostSync) return known;
  const program::CallId id = program.call_of(&call);
  const program::FunctionId function = id.valid() ? program.calls()[id].caller : program::FunctionId();
  // The method itself may be what brings the value to the host: what it is called on counts.
  return lives_on_host(program, function, as<Attribute>(call.callee)->value) ? nullptr : known;
}

}  // namespace lockstep::report
