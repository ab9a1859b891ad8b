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
    const auto* opposite = as<UnaryOp>(&condition);
    const auto* several = as<BoolOp>(&condition);
    const std::string_view name = rules::name_of(&condition);
    const Expr* value = name.empty() ? nullptr : stands_for_(name);
    if (depth == kDeepest) return whole(condition, negated, false);
    if (opposite != nullptr && opposite->op == UnaryOperator::kNot) return of(*opposite->operand, !negated, depth + 1);
    if (several != nullptr) return of_several(*several, negated, depth);
    if (value == nullptr) return whole(condition, negated, false);
    Remainder inner = of(*value, negated, depth + 1);
    if (inner.known || inner.is_reduced) return inner;
    Remainder out = whole(condition, negated, false);
    out.asks_known = out.asks_known || inner.asks_known;
    return out;
  }

 private:
  /// All of the condition, in which nothing is known that takes a part of it out.
  [[nodiscard]] Remainder whole(const Expr& condition, bool negated, bool joins_any) const {
    bool asks_known = false;
    walk_expressions(condition, Nested::kSkip, [&](const Expr* part) {
      asks_known = asks_known || (!is<Constant>(part) && value_at_(*part).kind != Value::Kind::kUnknown);
    });
    return {std::nullopt, condition_words(condition, source_, negated), joins_any, false, asks_known};
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
    if (!out.is_reduced) return whole(condition, negated, is_any);
    if (open.size() == 1) {
      open.front().is_reduced = true;
      return open.front();
    }
    out.asks_known = std::any_of(open.begin(), open.end(), [](const Remainder& one) { return one.asks_known; });
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
