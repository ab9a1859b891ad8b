#include "report/story/wording/partial_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/story/wording/words.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

class Partial {
 public:
  Partial(const SourceText& source, const std::function<Value(const Expr&)>& value_at,
          const std::function<const Expr*(std::string_view)>& stands_for)
      : source_(source), value_at_(value_at), stands_for_(stands_for) {}

  Remainder of(const Expr& condition, bool negated, int depth) const {
    constexpr int kDeepest = 8;
    if (const auto known = holds_with(condition, value_at_)) return {*known != negated, {}, false, true};
    const Remainder whole{std::nullopt, condition_words(condition, source_, negated), false, false, asks(condition)};
    if (depth == kDeepest) return whole;
    if (const auto* opposite = as<UnaryOp>(&condition); opposite != nullptr && opposite->op == UnaryOperator::kNot)
      return of(*opposite->operand, !negated, depth + 1);
    if (const auto* several = as<BoolOp>(&condition)) return of_several(*several, negated, depth);
    const std::string_view name = rules::name_of(&condition);
    const Expr* value = name.empty() ? nullptr : stands_for_(name);
    if (value == nullptr) return whole;
    const Remainder inner = of(*value, negated, depth + 1);
    return inner.known || inner.is_reduced ? inner : whole;
  }

 private:
  /// Whether a part of the expression is known.
  [[nodiscard]] bool asks(const Expr& condition) const {
    bool out = false;
    walk_expressions(condition, Nested::kSkip, [&](const Expr* part) {
      out = out || (!is<Constant>(part) && value_at_(*part).kind != Value::Kind::kUnknown);
    });
    return out;
  }

  /// `a and b`, `a or b`: what is known to change nothing goes; `negated`, each part is.
  [[nodiscard]] Remainder of_several(const BoolOp& condition, bool negated, int depth) const {
    const bool is_any = (condition.op == BoolOperator::kOr) != negated;
    std::vector<Remainder> open;
    Remainder out;
    for (const Expr* part : condition.values) {
      Remainder one = of(*part, negated, depth + 1);
      out.is_reduced = out.is_reduced || one.is_reduced || one.known;
      if (one.known && *one.known == is_any) return {is_any, {}, false, true};
      if (!one.known) open.push_back(std::move(one));
    }
    if (open.empty()) return {!is_any, {}, false, true};
    out.asks_known = std::any_of(open.begin(), open.end(), [](const Remainder& one) { return one.asks_known; });
    if (!out.is_reduced)
      return {std::nullopt, condition_words(condition, source_, negated), is_any, false, out.asks_known};
    if (open.size() == 1) {
      open.front().is_reduced = true;
      return open.front();
    }
    std::vector<std::string> words;
    for (const Remainder& one : open)
      words.push_back(one.joins_any && !is_any ? fmt::format("({})", one.words) : one.words);
    out.words = join(words, is_any ? " or " : " and ");
    out.joins_any = is_any;
    return out;
  }

  const SourceText& source_;
  const std::function<Value(const Expr&)>& value_at_;
  const std::function<const Expr*(std::string_view)>& stands_for_;
};

}  // namespace

Remainder remainder_of(const Expr& condition, bool negated, const SourceText& source,
                       const std::function<Value(const Expr&)>& value_at,
                       const std::function<const Expr*(std::string_view)>& stands_for) {
  return Partial(source, value_at, stands_for).of(condition, negated, 0);
}

}  // namespace lockstep::report
