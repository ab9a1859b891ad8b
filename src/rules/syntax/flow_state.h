// What is known of one variable at one place of a function: on which kinds of paths control can be there. Private to
// variable_flow.cpp and expression_flow.cpp.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rules/syntax/flow.h"
#include "rules/syntax/path_facts.h"

namespace lockstep::rules {

/// Context managers that swallow exceptions (contextlib.suppress, pytest.raises, …) may cut their body short.
bool may_swallow(const python::With& statement);
/// `case _:` and `case name:` without a guard.
bool is_irrefutable(const python::MatchCase& match_case);

/// A decision by which the variable stayed without a value.
struct Skipped {
  const python::Node* by = nullptr;
  UnboundUse::Skip kind = UnboundUse::Skip::kNone;
  Span branch;
};

struct Path {
  PathFacts facts;
  std::vector<Skipped> skips;
  bool narrowed = false;  ///< Another condition had to hold since the first skip.
  bool straight = true;   ///< No condition had to hold at all.
  /// What the handler by which the variable stayed without a value left behind: names and places that it assigned, and
  /// names computed from them. A condition that reads one may tell this path from the others in a way that we do not
  /// understand.
  std::vector<std::string> traces;
  int doubts = 0;  ///< How many such conditions had to hold.

  void add_trace(std::string text) {
    if (std::find(traces.begin(), traces.end(), text) == traces.end()) traces.push_back(std::move(text));
  }
};

inline void merge_into(std::optional<Path>& into, const std::optional<Path>& from) {
  if (!from) return;
  if (!into) {
    into = from;
    return;
  }
  into->facts.merge(from->facts);
  into->doubts = std::min(into->doubts, from->doubts);
  for (const std::string& trace : from->traces) into->add_trace(trace);
  const bool simpler = from->skips.size() < into->skips.size() ||
                       (from->skips.size() == into->skips.size() && into->narrowed && !from->narrowed);
  if (simpler) into->skips = from->skips;
  into->narrowed = into->narrowed && from->narrowed;
  into->straight = into->straight && from->straight;
}

struct State {
  std::optional<Path> unbound, weak, bound, carried;

  [[nodiscard]] bool alive() const { return unbound || weak || bound || carried; }
  void kill() { *this = State{}; }
  void merge(const State& other) {
    merge_into(unbound, other.unbound);
    merge_into(weak, other.weak);
    merge_into(bound, other.bound);
    merge_into(carried, other.carried);
  }
  /// The variable gets a value.
  void bind() {
    State next;
    for (auto* path : {&bound, &unbound, &weak, &carried}) merge_into(next.bound, *path);
    if (next.bound) next.bound->skips.clear();
    *this = std::move(next);
  }
  /// What was without a value is so only in a way that nobody would call a bug.
  void weaken() {
    merge_into(weak, unbound);
    unbound.reset();
  }
  template <class Action>
  void each(Action&& action) {
    for (auto* path : {&unbound, &weak, &bound, &carried}) {
      if (*path && !action(**path)) path->reset();
    }
  }
};

}  // namespace lockstep::rules
