#include "report/story/wording/operand_edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/strings.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/wording/edits.h"

namespace lockstep::report {

using namespace python;

namespace {

/// The operands of a chain of `op`; the value itself where it is none.
std::vector<std::string> operands_of(const Expr& value, BoolOperator op, const SourceText& source) {
  std::vector<std::string> out;
  const auto* chain = as<BoolOp>(&value);
  if (chain == nullptr || chain->op != op) return {one_line_whole(source, value)};
  for (const Expr* one : chain->values) out.push_back(one_line_whole(source, *one));
  return out;
}

/// Those of `all` that are not among `others`; nothing where the others are not all there in the same order.
std::vector<std::string> beside(const std::vector<std::string>& all, const std::vector<std::string>& others) {
  std::vector<std::string> out;
  std::size_t next = 0;
  for (const std::string& one : all) {
    if (next < others.size() && one == others[next])
      ++next;
    else
      out.push_back(one);
  }
  return next == others.size() ? out : std::vector<std::string>();
}

std::string first_of(const std::vector<std::string>& operands) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(kMost, operands.size()); ++i) shown.push_back(short_code(operands[i], 60));
  if (operands.size() > kMost) shown.push_back(fmt::format("{} more", operands.size() - kMost));
  return join_words(shown);
}

/// Of two values.
std::string words_of_chain(const Expr& before, const SourceText& before_source, const Expr& after,
                           const SourceText& after_source) {
  const auto* was = as<BoolOp>(&before);
  const auto* is = as<BoolOp>(&after);
  if ((was == nullptr && is == nullptr) || (was != nullptr && is != nullptr && was->op != is->op)) return {};
  const BoolOperator op = is != nullptr ? is->op : was->op;
  const std::vector<std::string> old_operands = operands_of(before, op, before_source);
  const std::vector<std::string> new_operands = operands_of(after, op, after_source);
  const std::string_view kind = op == BoolOperator::kOr ? "alternatives" : "conditions";
  if (const std::vector<std::string> come = beside(new_operands, old_operands); !come.empty())
    return fmt::format("adds {} to the {} in what it returns", first_of(come), kind);
  if (const std::vector<std::string> gone = beside(old_operands, new_operands); !gone.empty())
    return fmt::format("takes {} out of the {} in what it returns", first_of(gone), kind);
  return {};
}

}  // namespace

std::string returned_operand_words(const Node& before, const SourceText& before_source, const Node& after,
                                   const SourceText& after_source) {
  const auto* was_returned = as<Return>(&before);
  const auto* returned = as<Return>(&after);
  if (was_returned != nullptr && returned != nullptr && was_returned->value != nullptr && returned->value != nullptr)
    return words_of_chain(*was_returned->value, before_source, *returned->value, after_source);
  return {};
}

}  // namespace lockstep::report
