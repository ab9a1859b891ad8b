#include "report/story/wording/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "report/document.h"
#include "report/story/wording/words.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

/// What all has to hold for the condition to hold (negated: not to hold), one by one: `not (a or b)` asks that neither
/// does.
void add_operands(const Expr& condition, bool negated, std::vector<Guard>& out) {
  if (const auto* opposite = as<UnaryOp>(&condition); opposite != nullptr && opposite->op == UnaryOperator::kNot) {
    add_operands(*opposite->operand, !negated, out);
    return;
  }
  const auto* both = as<BoolOp>(&condition);
  if (both == nullptr || (both->op == BoolOperator::kAnd) == negated) {
    out.push_back({nullptr, &condition, negated});
    return;
  }
  for (const Expr* value : both->values) add_operands(*value, negated, out);
}

std::string operand_text(const Guard& operand, const SourceText& source) {
  return fmt::format("{}{}", operand.negated ? "not " : "", one_line_whole(source, operand.condition->span));
}

/// The operands of `and` in a condition, as texts.
std::set<std::string> operand_texts(const Expr& condition, const SourceText& source) {
  std::vector<Guard> all;
  add_operands(condition, false, all);
  std::set<std::string> out;
  for (const Guard& one : all) out.insert(operand_text(one, source));
  return out;
}

namespace {

/// `x not in ["a", "b"]` and `x != "a"`: the values that are let through; `x in (…)` and `x == "a"`: those that are
/// refused. Nothing for other conditions.
struct NamedValues {
  std::string of;
  std::vector<std::string> values;
  bool are_refused = false;
};

std::optional<NamedValues> named_values(const Expr& condition, bool negated, const SourceText& source) {
  const auto* compare = as<Compare>(&condition);
  if (compare == nullptr || compare->ops.size() != 1) return std::nullopt;
  const Expr* with = compare->comparators.front();
  const CompareOperator op = compare->ops.front();
  const bool is_in = op == CompareOperator::kIn || op == CompareOperator::kNotIn;
  const bool is_equal = op == CompareOperator::kEq || op == CompareOperator::kNotEq;
  if (!is_in && !is_equal) return std::nullopt;
  NamedValues out;
  out.of = one_line_whole(source, compare->left->span);
  out.are_refused = (op == CompareOperator::kIn || op == CompareOperator::kEq) != negated;
  std::vector<const Expr*> values = {with};
  if (const auto* list = as<python::List>(with); list != nullptr && is_in)
    values.assign(list->elements.begin(), list->elements.end());
  if (const auto* tuple = as<Tuple>(with); tuple != nullptr && is_in)
    values.assign(tuple->elements.begin(), tuple->elements.end());
  if (const auto* set = as<Set>(with); set != nullptr && is_in)
    values.assign(set->elements.begin(), set->elements.end());
  if (is_in && values.size() == 1 && values.front() == with) return std::nullopt;
  for (const Expr* value : values) {
    const std::string_view text = rules::text_of(value);
    if (!is<Constant>(value) && dotted_text(value).empty()) return std::nullopt;
    // 'a' and "a" are one value.
    out.values.push_back(text.empty() ? one_line_whole(source, value->span) : fmt::format("\"{}\"", text));
  }
  return out;
}

}  // namespace

std::optional<OtherValues> other_values(const Expr& was, const SourceText& before, const Expr& is,
                                        const SourceText& after) {
  std::vector<Guard> old_parts;
  std::vector<Guard> parts;
  add_operands(was, false, old_parts);
  add_operands(is, false, parts);
  const auto drop = [](std::vector<Guard>& from, const SourceText& source, const std::set<std::string>& texts) {
    std::erase_if(from, [&](const Guard& one) { return texts.contains(operand_text(one, source)); });
  };
  const std::set<std::string> old_texts = operand_texts(was, before);
  const std::set<std::string> texts = operand_texts(is, after);
  std::vector<Guard> common = parts;
  drop(parts, after, old_texts);
  drop(old_parts, before, texts);
  if (parts.size() != 1 || old_parts.size() != 1) return std::nullopt;
  const auto now = named_values(*parts.front().condition, parts.front().negated, after);
  const auto then = named_values(*old_parts.front().condition, old_parts.front().negated, before);
  if (!now || !then || now->of != then->of || now->are_refused != then->are_refused) return std::nullopt;
  OtherValues out{now->of, {}, {}, {}};
  const auto missing = [](const std::vector<std::string>& some, const std::vector<std::string>& others) {
    std::vector<std::string> found;
    std::copy_if(some.begin(), some.end(), std::back_inserter(found),
                 [&](const std::string& one) { return std::find(others.begin(), others.end(), one) == others.end(); });
    return found;
  };
  const std::vector<std::string> came = missing(now->values, then->values);
  const std::vector<std::string> went = missing(then->values, now->values);
  out.accepted = now->are_refused ? went : came;
  out.refused = now->are_refused ? came : went;
  std::erase_if(common, [&](const Guard& one) { return one.condition == parts.front().condition; });
  std::vector<std::string> others;
  for (const Guard& one : common) others.push_back(condition_words(*one.condition, after, one.negated));
  out.where = join_words(others);
  return out.accepted.empty() && out.refused.empty() ? std::nullopt : std::optional(out);
}

}  // namespace lockstep::report
