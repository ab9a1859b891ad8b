#include "rules/syntax/super_calls.h"

#include "rules/syntax/expressions.h"

namespace lockstep::rules {

using namespace python;

bool is_method_of_super(const Expr* callee) {
  const auto* method = as<Attribute>(callee);
  const auto* object = method == nullptr ? nullptr : as<Call>(method->value);
  return object != nullptr && name_of(object->callee) == "super";
}

}  // namespace lockstep::rules
