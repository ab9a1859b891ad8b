// Conditions: what a comparison, `and`, `or` and `x if c else y` vary along, what they say about names where they hold,
// and the choice that they leave in the trace.
#include <fmt/format.h>

#include <algorithm>

#include "base/hash.h"
#include "mesh/interpreter.h"

namespace lockstep::mesh {

using namespace python;

namespace {

bool is_zero_or_one(const Value& value) {
  return value.constant == ConstantTag::kInt && (value.number == 0 || value.number == 1);
}

bool is_minus_one(const Value& value) { return value.constant == ConstantTag::kInt && value.number == -1; }

/// `x == CONSTANT`: hashes of both sides, so that `x == A` and `x == B` are known to exclude each other.
void note_equality(const Expr& condition, std::string_view text, ConditionPart& part) {
  const auto* compare = as<Compare>(&condition);
  if (compare == nullptr || compare->ops.size() != 1) return;
  if (compare->ops[0] != CompareOperator::kEq && compare->ops[0] != CompareOperator::kNotEq) return;
  const Expr* right = compare->comparators[0];
  if (!is<Constant>(right) && !is<Attribute>(right)) return;
  const auto slice = [&](const Expr* side) {
    return text.substr(side->span.begin - condition.span.begin, side->span.size());
  };
  part.subject = hash64(slice(compare->left)) | 1;
  part.constant = hash64(slice(right)) | 1;
}

/// The condition without `not`, `!=` and `is not`, as a hash of its text; `negated` says whether it was turned around.
ConditionPart part_of(const Expr& condition, std::string_view text) {
  ConditionPart part;
  bool& negated = part.negated;
  const Expr* inner = &condition;
  while (const auto* unary = as<UnaryOp>(inner)) {
    if (unary->op != UnaryOperator::kNot) break;
    negated = !negated;
    inner = unary->operand;
  }
  std::string_view without_not = text.substr(inner->span.begin - condition.span.begin, inner->span.size());
  std::string key;
  for (const char c : without_not) {
    if (c != ' ' && c != '\n' && c != '\t') key.push_back(c);
  }
  if (const auto* compare = as<Compare>(inner); compare != nullptr && compare->ops.size() == 1) {
    const auto flip = [&](std::string_view from, std::string_view to) {
      if (const auto at = key.find(from); at != std::string::npos) {
        key.replace(at, from.size(), to);
        negated = !negated;
      }
    };
    if (compare->ops[0] == CompareOperator::kNotEq) flip("!=", "==");
    if (compare->ops[0] == CompareOperator::kIsNot) flip("isnot", "is");
    if (compare->ops[0] == CompareOperator::kNotIn) flip("notin", "in");
    if (compare->ops[0] == CompareOperator::kGt && key.ends_with(">0")) {
      key.replace(key.size() - 2, 2, "==0");
      negated = !negated;
    }
  }
  part.key = hash64(key) | 1;
  note_equality(condition, text, part);
  return part;
}

/// Asks whether the job is distributed, or how many ranks there are: the same everywhere, and true where it matters.
bool is_guard(const Expr& condition) {
  const auto says = [](std::string_view name) {
    if (DimensionTable::is_size_name(name)) return true;
    for (const std::string& word : words_of(name)) {
      if (word == "initialized" || word == "available" || word == "distributed" || word == "group" || word == "pg")
        return true;
    }
    return false;
  };
  const auto name_of = [](const Expr* expression) -> std::string_view {
    if (const auto* call = as<Call>(expression)) expression = call->callee;
    if (const auto* name = as<Name>(expression)) return name->id;
    if (const auto* attribute = as<Attribute>(expression)) return attribute->name.text;
    return {};
  };
  if (const auto* unary = as<UnaryOp>(&condition)) return is_guard(*unary->operand);
  if (const auto* both = as<BoolOp>(&condition)) {
    return std::all_of(both->values.begin(), both->values.end(), [](const Expr* value) { return is_guard(*value); });
  }
  if (const auto* compare = as<Compare>(&condition)) {
    return says(name_of(compare->left)) || name_of(compare->left) == "size" ||
           name_of(compare->left) == "get_world_size";
  }
  return says(name_of(&condition));
}

/// What a condition names: "is_first_stage" of `mpu.is_first_stage()`, of `not is_first_stage`.
std::string_view role_in(const Expr* condition, bool& negated) {
  if (const auto* unary = as<UnaryOp>(condition); unary != nullptr && unary->op == UnaryOperator::kNot) {
    negated = !negated;
    condition = unary->operand;
  }
  if (const auto* call = as<Call>(condition)) condition = call->callee;
  if (const auto* name = as<Name>(condition)) return name->id;
  if (const auto* attribute = as<Attribute>(condition)) return attribute->name.text;
  return {};
}

/// `is_first_stage and is_last_stage`: there is one stage only, which all ranks agree on.
bool asks_for_single_stage(const BoolOp& expression) {
  bool first = false;
  bool last = false;
  for (const Expr* value : expression.values) {
    bool negated = expression.op == BoolOperator::kOr;
    const std::string_view role = role_in(value, negated);
    if (negated) continue;
    first = first || role.find("first") != std::string_view::npos;
    last = last || role.find("last") != std::string_view::npos;
  }
  return first && last;
}

}  // namespace

/// The rank in the world, compared with something that is known neither as a number nor as a rank: `rank == src`.
bool FunctionRun::is_some_rank(const Value& rank, Ref other) const {
  return rank.is_rank && rank.value.sure == kEveryRank && other == kDull;
}

FunctionRun::Ref FunctionRun::evaluate_compare(const Compare& compare) {
  Value result;
  result.form = Form::kScalar;
  Ref left = evaluate(*compare.left);
  for (std::size_t i = 0; i < compare.ops.size(); ++i) {
    const Ref right = evaluate(*compare.comparators[i]);
    const Value& a = at(left);
    const Value& b = at(right);
    const CompareOperator op = compare.ops[i];
    const bool identity = op == CompareOperator::kIs || op == CompareOperator::kIsNot;
    if (identity && (a.constant != ConstantTag::kUnknown || a.group != 0) && b.constant == ConstantTag::kNone) {
      const bool is_none = a.constant == ConstantTag::kNone;
      const bool known = a.constant != ConstantTag::kUnknown ||
                         (in_.groups[a.group].kind != Group::Kind::kParameter && !result_.is_root);
      if (known && compare.ops.size() == 1) {
        result.constant = is_none == (op == CompareOperator::kIs) ? ConstantTag::kTrue : ConstantTag::kFalse;
      }
    }
    const bool containment = op == CompareOperator::kIn || op == CompareOperator::kNotIn;
    if (a.group == 0 && b.group == 0 && !(identity && a.is_rank)) {
      Variation varies;
      for (const Value* side : {&a, &b}) {
        if (identity) {
          varies.join(side->presence);
        } else if (side->form == Form::kScalar || (side->form == Form::kTensor && !containment)) {
          varies.join(side->value);
        }
      }
      const bool inequality = op == CompareOperator::kLt || op == CompareOperator::kLtE || op == CompareOperator::kGt ||
                              op == CompareOperator::kGtE;
      const bool below_zero = (op == CompareOperator::kLt && b.constant == ConstantTag::kInt && b.number <= 0) ||
                              (op == CompareOperator::kLtE && b.constant == ConstantTag::kInt && b.number < 0);
      if (a.is_rank && below_zero) {
        varies = {};  // no member of the group has such a rank
      } else if (containment) {
        varies = varies.somewhere();
      } else if ((a.is_rank && (is_minus_one(b) || (inequality && !is_zero_or_one(b)))) ||
                 (b.is_rank && (is_minus_one(a) || inequality)) ||
                 (a.is_rank && op == CompareOperator::kGtE && b.constant == ConstantTag::kInt && b.number == 0)) {
        varies = varies.somewhere();  // membership, or a part of the ranks
      } else if (a.is_rank && b.is_rank && a.value.sure != b.value.sure) {
        varies = varies.somewhere();
      } else if (is_some_rank(a, right) || is_some_rank(b, left)) {
        if (varies.sure == kEveryRank) varies.sure = kOneRank;
      }
      result.value.join(varies);
      const bool equality = op == CompareOperator::kEq || op == CompareOperator::kNotEq || is_zero_or_one(b);
      result.is_direct = compare.ops.size() == 1 && equality && (a.is_rank != b.is_rank);
      if (a.form == Form::kTensor || b.form == Form::kTensor) result.form = Form::kTensor;
    }
    if (compare.ops.size() == 1 && a.constant == ConstantTag::kInt && b.constant == ConstantTag::kInt) {
      const bool equal = a.number == b.number;
      if (op == CompareOperator::kEq) result.constant = equal ? ConstantTag::kTrue : ConstantTag::kFalse;
      if (op == CompareOperator::kNotEq) result.constant = equal ? ConstantTag::kFalse : ConstantTag::kTrue;
    }
    left = right;
  }
  return add(result);
}

FunctionRun::Ref FunctionRun::evaluate_choice(const IfExp& expression) {
  const Ref condition = evaluate(*expression.condition);
  if (const auto known = truth(condition)) return evaluate(*known ? *expression.body : *expression.orelse);
  const Variation varies = truth_variation(condition);
  Ref then_value = kDull;
  Ref else_value = kDull;
  Sequence then_trace;
  Sequence else_trace;
  const Environment before = env_;
  narrow(*expression.condition, true);
  under(varies, [&] { then_trace = traced([&] { then_value = evaluate(*expression.body); }); });
  env_ = before;
  narrow(*expression.condition, false);
  under(varies, [&] { else_trace = traced([&] { else_value = evaluate(*expression.orelse); }); });
  env_ = before;
  emit_choice(*expression.condition, varies, std::move(then_trace), std::move(else_trace), at(condition).is_direct);
  const Ref merged = merge_values(then_value, else_value, varies);
  // A group on one side and something else that is not None on the other: either may be meant.
  const auto is_open = [&](Ref one) { return at(one).group == 0 && at(one).constant == ConstantTag::kUnknown; };
  if (at(merged).group != 0 && (is_open(then_value) || is_open(else_value))) {
    Value one_of = at(merged);
    one_of.group = in_.groups.either(one_of.group, text(expression));
    return add(one_of);
  }
  // Two literals of the same text are one value.
  return text(*expression.body) == text(*expression.orelse) ? then_value : merged;
}

FunctionRun::Ref FunctionRun::evaluate_bool(const BoolOp& expression) {
  Value result;
  Variation so_far;
  const bool is_and = expression.op == BoolOperator::kAnd;
  bool all_known = true;
  bool direct = true;
  Ref group = kDull;
  std::vector<GroupId> arms;  // What the value may be; 0 for what nothing is known of.
  for (std::size_t i = 0; i < expression.values.size(); ++i) {
    Ref operand = kDull;
    Sequence trace = traced([&] { under(so_far, [&] { operand = evaluate(*expression.values[i]); }); });
    if (i == 0 || trace.empty()) {
      for (TraceNode& node : trace) trace_->push_back(std::move(node));
    } else {
      Sequence other;
      emit_choice(*expression.values[i - 1], so_far, std::move(is_and ? trace : other),
                  std::move(is_and ? other : trace), direct);
    }
    direct = direct && (at(operand).is_direct || truth_variation(operand).empty());
    const auto known = truth(operand);
    if (known && *known != is_and) {  // False and …, True or …
      Value decided;
      decided.constant = is_and ? ConstantTag::kFalse : ConstantTag::kTrue;
      return add(decided);
    }
    all_known = all_known && known.has_value();
    so_far.join(truth_variation(operand));
    // `group or default`: what is passed where it is known, the default where it is not.
    const bool is_parameter = in_.groups[at(operand).group].kind == Group::Kind::kParameter;
    if (!known.has_value() && std::find(arms.begin(), arms.end(), at(operand).group) == arms.end())
      arms.push_back(at(operand).group);
    if (at(operand).group != 0 && (group == kDull || is_parameter == false))
      group = group == kDull || result_.is_root ? operand : group;
    if (at(operand).form == Form::kTensor) result.form = Form::kTensor;
  }
  if (group != kDull && !is_and) {
    if (arms.size() < 2) return group;
    Value one_of = at(group);
    one_of.group = in_.groups.either(one_of.group, text(expression));
    return add(one_of);
  }
  if (asks_for_single_stage(expression)) so_far = {};
  result.value = so_far;
  result.form = Form::kScalar;
  result.is_direct = direct && !so_far.empty();
  if (all_known) result.constant = is_and ? ConstantTag::kTrue : ConstantTag::kFalse;
  return add(result);
}

/// Takes over what a condition says about names where it holds (or does not): `x is None`, `not x`, `x`, `a and b`.
void FunctionRun::narrow(const Expr& condition, bool holds) {
  if (const auto* unary = as<UnaryOp>(&condition); unary != nullptr && unary->op == UnaryOperator::kNot) {
    return narrow(*unary->operand, !holds);
  }
  if (const auto* both = as<BoolOp>(&condition); both != nullptr) {
    if (holds != (both->op == BoolOperator::kAnd)) return;
    for (const Expr* value : both->values) narrow(*value, holds);
    return;
  }
  const Expr* subject = &condition;
  bool is_none = !holds;
  bool certainly_none = false;
  if (const auto* compare = as<Compare>(&condition)) {
    const auto* constant = as<Constant>(compare->comparators[0]);
    const bool identity = compare->ops.size() == 1 &&
                          (compare->ops[0] == CompareOperator::kIs || compare->ops[0] == CompareOperator::kIsNot);
    if (!identity || constant == nullptr || constant->constant_kind != ConstantKind::kNone) return;
    subject = compare->left;
    is_none = holds == (compare->ops[0] == CompareOperator::kIs);
    certainly_none = is_none;
  }
  const std::string_view path = path_of(*subject);
  const auto found = path.empty() ? slots_.end() : slots_.find(path);
  if (found == slots_.end() || static_cast<std::size_t>(found->second) >= env_.size()) return;
  Value narrowed = at(env_[found->second]);
  if (certainly_none) {
    narrowed = {};
    narrowed.constant = ConstantTag::kNone;
  } else if (!is_none && (!narrowed.presence.empty() || narrowed.constant == ConstantTag::kNone)) {
    narrowed.presence = {};
    if (narrowed.constant == ConstantTag::kNone) narrowed.constant = ConstantTag::kUnknown;
  } else {
    return;
  }
  env_[found->second] = add(narrowed);
}

/// Parts of `a and b` (`a or b`) that are the same on all ranks: where the condition divides the ranks they all hold
/// (fail). Where one part alone varies, it is that part that divides them, and so on within it: `a and (b or varies)`.
void FunctionRun::uniform_parts(const Expr& condition, std::vector<Assumption>& out) {
  if (asking_parts_) return;
  asking_parts_ = true;  // parts are evaluated again: once, not once more for each level
  traced([&] {
    const Expr* dividing = &condition;
    while (dividing != nullptr) {
      if (const auto* unary = as<UnaryOp>(dividing); unary != nullptr && unary->op == UnaryOperator::kNot) {
        dividing = unary->operand;
        continue;
      }
      const auto* parts = as<BoolOp>(dividing);
      if (parts == nullptr) break;
      const bool holds = parts->op == BoolOperator::kAnd;
      std::vector<const Expr*> varying;
      for (const Expr* part : parts->values) {
        if (!truth_variation(evaluate(*part)).empty()) {
          varying.push_back(part);
          continue;
        }
        const ConditionPart known = part_of(*part, text(*part));
        out.push_back({known.key, holds != known.negated, known.subject, known.constant});
      }
      dividing = varying.size() == 1 ? varying.front() : nullptr;
    }
  });
  asking_parts_ = false;
}

void FunctionRun::emit_choice(const Expr& condition, const Variation& varies, Sequence then_trace, Sequence else_trace,
                              bool is_direct) {
  if (then_trace.empty() && else_trace.empty()) return;
  TraceNode node;
  node.kind = TraceKind::kChoice;
  node.place = &condition;
  node.varies = varies;
  node.is_direct = is_direct;
  if (!varies.empty()) uniform_parts(condition, node.uniform);
  node.is_guard = is_guard(condition);
  node.condition = part_of(condition, text(condition));
  if (const auto* parts = as<BoolOp>(&condition)) {
    node.parts_are_and = parts->op == BoolOperator::kAnd;
    for (const Expr* part : parts->values) node.parts.push_back(part_of(*part, text(*part)));
  }
  node.branches.push_back(std::move(then_trace));
  node.branches.push_back(std::move(else_trace));
  trace_->push_back(std::move(node));
}

}  // namespace lockstep::mesh
