#include "writer/pack/nested_functions.h"

#include "writer/pack/code_text.h"

namespace lockstep::writer {

namespace {

using program::FunctionId;
using program::FunctionKind;
using program::Program;

// The outermost function around `id` that is a candidate; for a lambda at least the innermost one.
FunctionId home_of(const Program& program, const Candidates& candidates, bool is_before, FunctionId id) {
  FunctionId home;
  FunctionId nearest;
  for (FunctionId at = program.functions()[id].enclosing; at.valid(); at = program.functions()[at].enclosing) {
    if (program.functions()[at].kind != FunctionKind::kFunction) continue;
    if (!nearest.valid()) nearest = at;
    if (candidates.has({is_before, at})) home = at;
  }
  return home.valid() || program.functions()[id].kind != FunctionKind::kLambda ? home : nearest;
}

void join_once(const Program& after, const Program* before, Candidates& candidates) {
  std::vector<std::pair<Candidates::Key, Candidates::Key>> joined;
  for (const auto& [key, candidate] : candidates.all()) {
    const Program* program = key.first ? before : &after;
    if (program == nullptr) continue;
    const FunctionId home = home_of(*program, candidates, key.first, key.second);
    if (home.valid()) joined.push_back({key, {key.first, home}});
  }
  for (const auto& [inner, outer] : joined) {
    const FunctionLines lines = lines_of(inner.first ? *before : after, inner.second);
    candidates.join(inner, outer, lines.first, lines.last);
  }
}

}  // namespace

void join_nested(const Program& after, const Program* before, Candidates& candidates) {
  // A lambda may bring a function around it that was none before.
  join_once(after, before, candidates);
  join_once(after, before, candidates);
}

}  // namespace lockstep::writer
