#include "report/source/tested_tensors.h"

#include "python/tree_walk.h"
#include "rules/training/value_places.h"

namespace lockstep::report {

using namespace python;

namespace {

void add_tested(const Expr& condition, std::vector<const Call*>& out) {
  if (const auto* parts = as<BoolOp>(&condition)) {
    for (const Expr* part : parts->values) add_tested(*part, out);
  } else if (const auto* opposite = as<UnaryOp>(&condition);
             opposite != nullptr && opposite->op == UnaryOperator::kNot) {
    add_tested(*opposite->operand, out);
  } else if (const auto* call = as<Call>(&condition)) {
    out.push_back(call);
  }
}

/// The conditions of choices (`a if c else b`) in what the statement itself reckons.
void add_choices(const Node& node, std::vector<const Call*>& out) {
  for_each_child(node, [&](const Node* child) {
    if (is_statement(child) || is<Lambda>(child)) return;
    if (const auto* choice = as<IfExp>(child)) add_tested(*choice->condition, out);
    add_choices(*child, out);
  });
}

}  // namespace

std::vector<const Call*> tensors_tested(const program::Program& program, program::FunctionId function,
                                        const Node& statement) {
  std::vector<const Call*> out;
  if (!function.valid()) return out;
  if (const auto* branch = as<If>(&statement)) add_tested(*branch->condition, out);
  if (const auto* loop = as<While>(&statement)) add_tested(*loop->condition, out);
  if (const auto* claim = as<Assert>(&statement)) add_tested(*claim->test, out);
  add_choices(statement, out);
  const rules::ValuePlaces places(program);
  std::erase_if(out, [&](const Call* call) { return !rules::may_be_on_gpu(places.of(function, *call)); });
  return out;
}

}  // namespace lockstep::report
