#include "report/story/steps/other_operand.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// The chains of names and attributes in a condition, in order, each as a whole; what stands between them in `rest`.
std::vector<std::string> chains_of(const Expr& condition, const SourceText& source, std::string& rest) {
  std::vector<const Expr*> found;
  walk_expressions(condition, Nested::kSkip, [&](const Expr* expression) {
    const bool is_chain = !rules::dotted_text(expression).empty();
    if (is_chain) found.push_back(expression);
    return !is_chain;
  });
  std::sort(found.begin(), found.end(), [](const Expr* a, const Expr* b) { return a->span.begin < b->span.begin; });
  std::vector<std::string> chains;
  std::uint32_t at = condition.span.begin;
  for (const Expr* chain : found) {
    rest += without_layout(source, {at, chain->span.begin}) + "\n";
    chains.push_back(rules::dotted_text(chain));
    at = chain->span.end;
  }
  rest += without_layout(source, {at, condition.span.end});
  return chains;
}

}  // namespace

std::string other_operand_words(const Step& before, const SourceText& before_source, const Step& after,
                                const SourceText& after_source) {
  const auto* was = as<If>(before.node);
  const auto* is = as<If>(after.node);
  if (was == nullptr || is == nullptr || before.kind != StepKind::kIf || after.kind != StepKind::kIf) return {};
  std::string old_rest, new_rest;
  const std::vector<std::string> old_chains = chains_of(*was->condition, before_source, old_rest);
  const std::vector<std::string> new_chains = chains_of(*is->condition, after_source, new_rest);
  if (old_rest != new_rest || old_chains.size() != new_chains.size()) return {};
  std::string_view gone, come;
  for (std::size_t i = 0; i < old_chains.size(); ++i) {
    if (old_chains[i] == new_chains[i]) continue;
    if (!gone.empty() && (gone != old_chains[i] || come != new_chains[i])) return {};
    gone = old_chains[i];
    come = new_chains[i];
  }
  // A local that is called otherwise is no other object.
  const bool is_local = gone.find('.') == gone.npos && come.find('.') == come.npos;
  return gone.empty() || is_local ? std::string() : fmt::format("asks {} instead of {}", code(come), code(gone));
}

}  // namespace lockstep::report
