#include "report/story/steps/added_operand.h"

#include <cstddef>

#include "report/story/steps/steps.h"

namespace lockstep::report {

using namespace python;

const Expr* added_operand(const Expr& was, const SourceText& before, const Expr& is, const SourceText& after) {
  if (const auto* inverse = as<UnaryOp>(&is); inverse != nullptr && inverse->op == UnaryOperator::kNot) {
    const auto* old = as<UnaryOp>(&was);
    return old != nullptr && old->op == inverse->op ? added_operand(*old->operand, before, *inverse->operand, after)
                                                    : nullptr;
  }
  const auto* now = as<BoolOp>(&is);
  const auto* then = as<BoolOp>(&was);
  if (now == nullptr || then == nullptr || now->op != then->op) return nullptr;
  const auto is_same = [&](std::size_t old, std::size_t fresh) {
    return without_layout(before, then->values[old]->span) == without_layout(after, now->values[fresh]->span);
  };
  const std::size_t count = then->values.size();
  std::size_t first = 0;
  while (first < count && first < now->values.size() && is_same(first, first)) ++first;
  if (now->values.size() == count) {
    if (first == count) return nullptr;
    for (std::size_t i = first + 1; i < count; ++i) {
      if (!is_same(i, i)) return nullptr;
    }
    return added_operand(*then->values[first], before, *now->values[first], after);
  }
  if (now->values.size() != count + 1) return nullptr;
  for (std::size_t i = first; i < count; ++i) {
    if (!is_same(i, i + 1)) return nullptr;
  }
  return now->values[first];
}

}  // namespace lockstep::report
