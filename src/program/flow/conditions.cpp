// What the test of an `if` says about the code below it: isinstance narrows what variables hold, and where the test
// looks at nothing but parameters, what is passed for them decides which branch runs.
#include <algorithm>

#include "program/flow/lowering.h"

namespace lockstep::program::flow {

void Lowering::refine_name(const python::Name& name, Slot classes, bool holds, const python::Node* node) {
  const NameId id = name_id(name.id);
  const VariableId variable = find(*frame_->scope, id);
  if (variable == kNone || classes == 0) return;
  const Variable& found = frame_->variables[variable];
  if (found.current == 0 || found.current == nothing_ || found.is_shared) return;
  const Slot narrowed = emit_value(OpCode::kNarrow, node, found.current);
  code_.ops.back().b = classes;
  code_.ops.back().flags = holds ? 0 : 1;
  frame_->variables.set(variable, narrowed);
}

void Lowering::refine(const python::Expr* condition, bool holds) {
  if (const auto* inverted = python::as<python::UnaryOp>(condition)) {
    if (inverted->op == python::UnaryOperator::kNot) refine(inverted->operand, !holds);
    return;
  }
  if (const auto* combined = python::as<python::BoolOp>(condition)) {
    const bool all_hold = (combined->op == python::BoolOperator::kAnd) == holds;
    if (!all_hold) return;
    for (const python::Expr* value : combined->values) refine(value, holds);
    return;
  }
  const auto* call_node = python::as<python::Call>(condition);
  if (call_node == nullptr) return;
  const auto* function = python::as<python::Name>(call_node->callee);
  if (function == nullptr || function->id != "isinstance" || call_node->arguments.size() != 2) return;
  if (const auto* attribute = python::as<python::Attribute>(call_node->arguments[0])) {
    const auto* object = python::as<python::Name>(attribute->value);
    if (object == nullptr) return;
    const Slot base = load_name(object->id, call_node);
    const Slot classes = expression(call_node->arguments[1]);
    if (base != 0 && classes != 0) {
      frame_->refinements.push_back({base, name_id(attribute->name.text), classes, holds});
    }
    return;
  }
  const auto* name = python::as<python::Name>(call_node->arguments[0]);
  if (name == nullptr) return;
  // The classes were evaluated with the condition; here only their slot is wanted, without new call sites.
  refine_name(*name, expression(call_node->arguments[1]), holds, call_node);
}

// ---------------------------------------------------------------------------------------------------------------------
// Tests of parameters

/// kByParameters if parameters decide the test, at least in part; kNo if it names one that may hold something else than
/// what was passed.
Lowering::Decided Lowering::decided(const python::Expr* test) const {
  const auto both = [](Decided a, Decided b) {
    return a == Decided::kNo || b == Decided::kNo ? Decided::kNo : std::max(a, b);
  };
  if (const auto* inverted = python::as<python::UnaryOp>(test)) return decided(inverted->operand);
  if (const auto* combined = python::as<python::BoolOp>(test)) {
    Decided found = Decided::kOpen;
    for (const python::Expr* value : combined->values) found = both(found, decided(value));
    return found;
  }
  if (const auto* comparison = python::as<python::Compare>(test)) {
    if (comparison->comparators.size() != 1) return Decided::kOpen;
    return both(decided(comparison->left), decided(comparison->comparators[0]));
  }
  if (const auto* asked = python::as<python::Call>(test)) {
    return asked->arguments.size() == 1 ? decided(asked->arguments[0]) : Decided::kOpen;
  }
  const auto* name = python::as<python::Name>(test);
  const NameId known = name == nullptr ? kNone : name_ids_.find(code_.names, name->id);
  if (known == kNone || frame_->is_module) return Decided::kOpen;
  const auto& names = frame_->parameter_names;
  const auto found = std::find(names.begin(), names.end(), known);
  if (found == names.end()) return Decided::kOpen;
  const VariableId variable = find(*frame_->scope, known);
  if (variable == kNoVariable || frame_->variables[variable].is_shared) return Decided::kNo;
  const Slot passed = frame_->parameter_versions[static_cast<std::size_t>(found - names.begin())];
  return frame_->variables[variable].current == passed ? Decided::kByParameters : Decided::kNo;
}

/// An `if` was lowered: its condition's and branches' ops end at `ops`. Where parameters decide it, each branch runs
/// only for what decides so, and where one branch never goes on, neither does what follows in the block.
void Lowering::guard_branches(const python::If& node, const std::uint32_t (&ops)[3], const bool (&is_dead)[2],
                              std::uint32_t returns) {
  // Functions as large as this are not told apart by caller (lower.cpp).
  constexpr std::uint32_t kMostOps = 160;
  if (op_count() - code_.functions[frame_->function].first_op > kMostOps) return;
  if (frame_->is_module || (ops[0] == ops[2] && is_dead[0] == is_dead[1])) return;
  if (decided(node.condition) != Decided::kByParameters) return;
  if (ops[0] < ops[1]) frame_->guards.push_back({node.condition, true, ops[0], ops[1]});
  if (ops[1] < ops[2]) frame_->guards.push_back({node.condition, false, ops[1], ops[2]});
  if (is_dead[0] != is_dead[1]) {
    frame_->one_ways.push_back({{node.condition, is_dead[1], op_count(), 0}, frame_->returns});
  }
  // What it returns depends on what is passed: worth telling callers apart.
  frame_->returns_by_test = frame_->returns_by_test || frame_->returns > returns;
}

/// The end of a block: what only some calls of the function came to ends here.
void Lowering::close_guards(std::size_t mark) {
  while (frame_->one_ways.size() > mark) {
    auto [guard, returns] = frame_->one_ways.back();
    frame_->one_ways.pop_back();
    frame_->returns_by_test = frame_->returns_by_test || frame_->returns > returns;
    guard.end_op = op_count();
    if (guard.first_op < guard.end_op) frame_->guards.push_back(guard);
  }
}

}  // namespace lockstep::program::flow
