#include "report/story/steps/turned_branches.h"

#include <vector>

#include "change/node_hash.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/story/calls/calls.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kMostTokens = 4'000;

void add_tokens(const SourceText& source, Seq<Stmt> block, std::vector<std::uint64_t>& out) {
  const change::NodeHasher hasher(source);
  for (const Stmt* statement : block) {
    if (!hasher.leaves_out(*statement)) hasher.tokens(*statement, kMostTokens, out);
  }
}

/// Runs of tokens of an arm and of what its calls surely enter.
std::vector<std::uint64_t> code_of(Seq<Stmt> arm, const WordsContext& context) {
  constexpr std::size_t kMostCalls = 6;
  std::vector<std::uint64_t> tokens;
  add_tokens(*context.source, arm, tokens);
  std::size_t calls = 0;
  for (const Stmt* statement : arm) {
    walk_of<Call>(*statement, Nested::kSkip, [&](const Call* call) {
      if (calls == kMostCalls) return;
      const std::vector<program::FunctionId> callees = callees_of(*context.program, call);
      if (callees.size() != 1) return;
      const FunctionDef* def = context.program->functions()[callees.front()].def();
      if (def == nullptr) return;
      ++calls;
      add_tokens(source_of(*context.program, callees.front()), def->body, tokens);
    });
  }
  return change::shingles(tokens);
}

}  // namespace

bool arms_change_places(const If& before, const WordsContext& before_context, const If& after,
                        const WordsContext& after_context) {
  constexpr double kMore = 0.5;  // Of the two likenesses together, each from 0 to 1.
  if (before.orelse.empty() || after.orelse.empty() || before_context.program == nullptr ||
      after_context.program == nullptr)
    return false;
  const auto old_body = code_of(before.body, before_context);
  const auto old_else = code_of(before.orelse, before_context);
  const auto new_body = code_of(after.body, after_context);
  const auto new_else = code_of(after.orelse, after_context);
  const double as_it_was = change::dice(old_body, new_body) + change::dice(old_else, new_else);
  const double turned = change::dice(old_body, new_else) + change::dice(old_else, new_body);
  return turned > as_it_was + kMore;
}

}  // namespace lockstep::report
