// Why a call has no target, in words.
#include <algorithm>

#include "program/flow/solver.h"
#include "program/unresolved.h"

namespace lockstep::program::flow {
namespace {

std::string_view by_expression(const python::Expr* expression, bool is_parameter, bool has_callers, bool is_receiver) {
  using python::NodeKind;
  if (expression == nullptr) return "callee is unknown";
  if (is_parameter) {
    return has_callers ? "parameter's values are unknown" : "parameter without known callers";
  }
  switch (expression->kind) {
    case NodeKind::kName:
      return is_receiver ? "receiver's type is unknown" : "name's value is unknown";
    case NodeKind::kAttribute:
      return is_receiver ? "type of the receiver's field is unknown" : "field's value is unknown";
    case NodeKind::kCall:
      return "result of a call is unknown";
    case NodeKind::kSubscript:
      return "element of a container is unknown";
    default:
      return is_receiver ? "receiver's type is unknown" : "callee is unknown";
  }
}

}  // namespace

std::string_view Solver::why_unresolved(OpId id) const {
  const Op& op = op_of(id);
  if (makes_plain_[id]) return kNoConstructor;
  const auto* call_node = python::as<python::Call>(nodes_[id]);
  const python::Expr* subject = call_node != nullptr ? call_node->callee : nullptr;
  const bool is_method = op.code == OpCode::kMethodCall;
  if (is_method && subject != nullptr) subject = static_cast<const python::Attribute*>(subject)->value;
  const auto values = graph_.values(op.a);
  if (op.a == 0 || values.empty()) {
    const auto function = std::upper_bound(code_.begin(), code_.end(), op.a,
                                           [](Slot slot, const FunctionCode& code) { return slot < code.first_slot; });
    bool is_parameter = false;
    bool has_callers = true;
    if (op.a != 0 && function != code_.begin()) {
      // Parameters are the first slots of their function, so the last function that starts before is the one.
      const FunctionCode& code = *(function - 1);
      is_parameter = op.a <= code.first_slot + 2 * code.parameter_names.size();
      has_callers = has_callers_[code.id.index()];
    }
    return by_expression(subject, is_parameter, has_callers, is_method);
  }
  const auto is_kind = [&](ValueKind kind) {
    return std::all_of(values.begin(), values.end(), [&](ValueId value) { return values_[value].kind == kind; });
  };
  if (is_kind(ValueKind::kExternalResult) || is_kind(ValueKind::kBoundExternal)) {
    return "result of an external function is unknown";
  }
  if (is_method) {
    const bool is_found = op.b != 0 && !graph_.is_empty(op.b);
    if (is_found) return "field's value is not a known callable";
    if (is_kind(ValueKind::kInstance)) return "nothing is known of this attribute of the receiver's class";
    return "attribute is not known on the receiver";
  }
  return "callee is not a known callable";
}

}  // namespace lockstep::program::flow
