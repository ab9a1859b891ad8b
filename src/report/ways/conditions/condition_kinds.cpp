#include "report/ways/conditions/condition_kinds.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/source/held_settings.h"
#include "report/source/local_values.h"
#include "report/story/story.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

/// `os.environ` and `os.getenv(…)`.
bool reads_environment(const Node& node) {
  const auto* attribute = as<Attribute>(&node);
  return attribute != nullptr && (attribute->name.text == "environ" || attribute->name.text == "getenv");
}

bool calls_only_getattr(const Expr& value) {
  bool out = true;
  walk_of<Call>(value, Nested::kEnter,
                [&](const Call* call) { out = out && rules::name_of(call->callee) == "getattr"; });
  return out;
}

bool asks_for_setting(const Program& program, FunctionId function, const Node& root) {
  const program::ClassId owner = program.functions()[function].owner;
  bool found = !config_reads(root).empty();
  const auto visit = [&](const auto& self, const Node& node) -> void {
    found = found || reads_environment(node) || !setting_held_by(program, owner, node).name.empty();
    if (!found) for_each_child(node, [&](const Node* child) { self(self, *child); });
  };
  visit(visit, root);
  return found;
}

/// Whether a local only ever holds what it is given once, and that is a setting: `use_fp8 = config.fp8 is not None`.
bool holds_setting(const Program& program, FunctionId function, const FunctionDef& def, std::string_view name) {
  const Expr* value = only_value_of(def, name);
  return value != nullptr && calls_only_getattr(*value) && asks_for_setting(program, function, *value);
}

}  // namespace

ConditionKind kind_of_condition(const Program& program, FunctionId function, const Expr& condition) {
  if (asks_for_setting(program, function, condition)) return ConditionKind::kSetting;
  const FunctionDef* def = program.functions()[function].def();
  if (def == nullptr) return ConditionKind::kGiven;
  bool reads_local = false;
  bool reads_given = false;
  bool reads_setting = false;
  const auto visit = [&](const auto& self, const Node& node) -> void {
    if (const auto* name = as<Name>(&node); name != nullptr && name->context == ExprContext::kLoad) {
      const bool is_local = rules::binds_name(*def, name->id);
      const bool is_parameter = rules::parameter_named(def, name->id) != nullptr;
      reads_given = reads_given || is_parameter;
      reads_local = reads_local || (is_local && !is_parameter);
      reads_setting = reads_setting || (is_local && !is_parameter && holds_setting(program, function, *def, name->id));
    }
    for_each_child(node, [&](const Node* child) { self(self, *child); });
  };
  visit(visit, condition);
  if (reads_setting) return ConditionKind::kSetting;
  return reads_local && !reads_given ? ConditionKind::kLocal : ConditionKind::kGiven;
}

bool asks_for_inference(const Expr& condition, bool negated) {
  if (const auto* op = as<UnaryOp>(&condition))
    return op->op == UnaryOperator::kNot && asks_for_inference(*op->operand, !negated);
  if (const auto* op = as<BoolOp>(&condition)) {
    const auto asks = [&](const Expr* one) { return asks_for_inference(*one, negated); };
    return (op->op == BoolOperator::kAnd) != negated ? std::any_of(op->values.begin(), op->values.end(), asks)
                                                     : std::all_of(op->values.begin(), op->values.end(), asks);
  }
  const Expr* asked = &condition;
  if (const auto* compare = as<Compare>(&condition)) {
    if (compare->ops.size() != 1 || !rules::is_none(compare->comparators.front())) return false;
    if (compare->ops.front() == CompareOperator::kIs) negated = !negated;
    asked = compare->left;
  }
  if (const auto* call = as<Call>(asked)) asked = call->callee;
  if (negated) return false;
  const std::string text = to_lower(dotted_text(asked));
  const std::vector<std::string_view> names = split(text, '.');
  const bool asks_mode = !names.empty() && (names.back().ends_with("inference_mode") ||
                                            names.back().ends_with("is_inference") || names.back() == "in_inference");
  // `InferenceMode.is_active()`
  if (names.size() > 1 && names.back() == "is_active" && names[names.size() - 2].ends_with("inferencemode"))
    return true;
  return asks_mode || std::any_of(names.begin(), names.end(), [](std::string_view name) {
           return name.ends_with("inference_context") || name.ends_with("inference_params");
         });
}

bool ask_for_inference(const std::vector<Guard>& guards) {
  return std::any_of(guards.begin(), guards.end(), [](const Guard& guard) {
    return guard.condition != nullptr && asks_for_inference(*guard.condition, guard.negated);
  });
}

bool holds_only_in_inference(const Program& program, FunctionId predicate) {
  const FunctionDef* def = program.functions()[predicate].def();
  if (def == nullptr || def->is_async) return false;
  bool gives_any = false;
  bool is_other = false;
  walk_of<Return>(*def, Nested::kSkip, [&](const Return* returned) {
    if (returned->value == nullptr || rules::is_false(returned->value) || rules::is_none(returned->value)) return;
    gives_any = true;
    is_other = is_other ||
               !(asks_for_inference(*returned->value, false) || ask_for_inference(guards_of(*def, returned->span)));
  });
  return gives_any && !is_other;
}

bool ask_for_inference_on(const Program& program, program::ClassId self, const std::vector<Guard>& guards) {
  return ask_for_inference(guards) || ask_class_for_inference(program, self, guards);
}

bool ask_class_for_inference(const Program& program, program::ClassId self, const std::vector<Guard>& guards) {
  return self.valid() && std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
           const auto* call = guard.condition == nullptr || guard.negated ? nullptr : as<Call>(guard.condition);
           const std::string_view name = call == nullptr ? std::string_view() : rules::self_attribute(call->callee);
           const FunctionId method = name.empty() ? FunctionId() : program.find_method(self, name);
           return method.valid() && holds_only_in_inference(program, method);
         });
}

std::vector<Guard> weightiest(const Program& program, FunctionId function, const std::vector<Guard>& guards,
                              std::size_t most) {
  if (guards.size() <= most) return guards;
  std::vector<ConditionKind> kinds;
  for (const Guard& guard : guards) {
    kinds.push_back(guard.condition == nullptr ? ConditionKind::kLocal
                                               : kind_of_condition(program, function, *guard.condition));
  }
  std::vector<std::size_t> order(guards.size());
  std::iota(order.rbegin(), order.rend(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return kinds[a] < kinds[b]; });
  order.resize(most);
  std::sort(order.begin(), order.end());
  std::vector<Guard> out;
  for (const std::size_t i : order) out.push_back(guards[i]);
  return out;
}

std::vector<Guard> taken_apart(const std::vector<Guard>& guards) {
  std::vector<Guard> out;
  for (const Guard& guard : guards) {
    const auto* both = as<BoolOp>(guard.condition);
    if (both == nullptr || (both->op == BoolOperator::kAnd) == guard.negated) {
      out.push_back(guard);
      continue;
    }
    for (const Expr* value : both->values) out.push_back({guard.statement, value, guard.negated});
  }
  return out;
}

}  // namespace lockstep::report
