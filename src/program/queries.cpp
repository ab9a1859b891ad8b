#include "program/queries.h"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

namespace lockstep::program {
namespace {

/// Bound on the partial paths that `call_paths` keeps: graphs with many equal paths must not use all memory.
constexpr std::size_t kMaxPartialPaths = 200'000;

template <class Visit>
void for_each_callee(const Program& program, FunctionId function, Visit&& visit) {
  for (const CallId call : program.functions()[function].calls) {
    for (const CallTarget& target : program.calls()[call].targets) {
      if (target.function.valid() && target.certainty != Certainty::kByName) visit(call, target.function);
    }
  }
}

/// Distances in calls to `target` from every function that reaches it; -1 elsewhere.
std::vector<int> distances_to(const Program& program, FunctionId target) {
  std::vector<int> distance(program.functions().size(), -1);
  std::deque<FunctionId> pending{target};
  distance[target.index()] = 0;
  while (!pending.empty()) {
    const FunctionId at = pending.front();
    pending.pop_front();
    for (const CallId call : program.callers_of(at)) {
      const FunctionId caller = program.calls()[call].caller;
      if (distance[caller.index()] >= 0) continue;
      distance[caller.index()] = distance[at.index()] + 1;
      pending.push_back(caller);
    }
  }
  return distance;
}

bool visits(const CallPath& path, FunctionId function) {
  return std::any_of(path.begin(), path.end(), [&](const PathStep& step) { return step.callee == function; });
}

}  // namespace

std::vector<ClassId> with_descendants(const Program& program, ClassId cls) {
  std::vector<ClassId> found{cls};
  std::set<ClassId> seen{cls};
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const ClassId below : program.subclasses_of(found[i])) {
      if (seen.insert(below).second) found.push_back(below);
    }
  }
  return found;
}

bool are_kin(const Program& program, ClassId a, ClassId b) {
  const auto derives = [&](ClassId from, ClassId to) {
    const auto& order = program.classes()[from].linearized;
    return std::find(order.begin(), order.end(), to) != order.end();
  };
  return a.valid() && b.valid() && (derives(a, b) || derives(b, a));
}

std::vector<Reached> reaching(const Program& program, FunctionId target, std::size_t limit) {
  std::vector<Reached> found;
  std::vector<bool> seen(program.functions().size());
  seen[target.index()] = true;
  found.push_back({target, 0});
  for (std::size_t next = 0; next < found.size() && found.size() <= limit; ++next) {
    const Reached at = found[next];
    for (const CallId call : program.callers_of(at.function)) {
      const FunctionId caller = program.calls()[call].caller;
      if (seen[caller.index()]) continue;
      seen[caller.index()] = true;
      found.push_back({caller, at.distance + 1});
    }
  }
  found.erase(found.begin());
  if (found.size() > limit) found.resize(limit);
  return found;
}

std::vector<Reached> reachable_from(const Program& program, std::span<const FunctionId> sources, std::size_t limit,
                                    const std::function<bool(FunctionId)>& leaves_out) {
  std::vector<Reached> found;
  std::vector<bool> seen(program.functions().size());
  const auto reach = [&](FunctionId function, int distance) {
    if (seen[function.index()]) return;
    seen[function.index()] = true;
    if (distance == 0 || !leaves_out || !leaves_out(function)) found.push_back({function, distance});
  };
  for (const FunctionId source : sources) reach(source, 0);
  for (std::size_t next = 0; next < found.size() && found.size() < limit; ++next) {
    const Reached at = found[next];
    for_each_callee(program, at.function, [&](CallId, FunctionId callee) { reach(callee, at.distance + 1); });
  }
  if (found.size() > limit) found.resize(limit);
  return found;
}

std::vector<CallPath> call_paths(const Program& program, FunctionId from, FunctionId to, std::size_t count) {
  std::vector<CallPath> found;
  if (count == 0) return found;
  const std::vector<int> distance = distances_to(program, to);
  if (distance[from.index()] < 0) return found;
  // Breadth first over partial paths, keeping only those that can still arrive: shortest first, ties in source order.
  struct Partial {
    CallPath path;
    FunctionId at;
  };
  std::deque<Partial> pending;
  pending.push_back({{}, from});
  std::size_t kept = 0;
  while (!pending.empty() && found.size() < count && kept < kMaxPartialPaths) {
    const Partial partial = std::move(pending.front());
    pending.pop_front();
    for_each_callee(program, partial.at, [&](CallId call, FunctionId callee) {
      if (!partial.path.empty() && !program.can_follow(partial.path.back().call, call, callee)) return;
      const bool is_cycle = callee == from || visits(partial.path, callee);
      if (distance[callee.index()] < 0 || is_cycle || found.size() >= count) return;
      CallPath longer = partial.path;
      longer.push_back({call, callee});
      if (callee == to) {
        found.push_back(std::move(longer));
      } else {
        pending.push_back({std::move(longer), callee});
        ++kept;
      }
    });
  }
  return found;
}

CallPath shortest_path(const Program& program, std::span<const FunctionId> sources, FunctionId to) {
  /// A function, once for each call that enters it where that decides what it calls.
  struct Place {
    FunctionId function;
    PathStep entered;
    std::size_t before;
  };
  std::vector<Place> places;
  std::vector<bool> seen(program.functions().size());
  std::set<std::pair<FunctionId, CallId>> seen_after;
  const auto depends = [&](FunctionId function) {
    const auto& calls = program.functions()[function].calls;
    return std::any_of(calls.begin(), calls.end(), [&](CallId call) { return program.depends_on_caller(call); });
  };
  const auto reach = [&](FunctionId function, const PathStep& step, std::size_t before) {
    const bool is_first = !seen[function.index()];
    seen[function.index()] = true;
    if (!is_first && !depends(function)) return;
    if (!is_first && !seen_after.insert({function, step.call}).second) return;
    places.push_back({function, step, before});
  };
  for (const FunctionId source : sources) {
    if (source == to) return {};
    reach(source, PathStep(), places.size());
  }
  for (std::size_t next = 0; next < places.size() && !seen[to.index()]; ++next) {
    const Place at = places[next];
    for_each_callee(program, at.function, [&](CallId call, FunctionId callee) {
      const bool fits = !at.entered.call.valid() || program.can_follow(at.entered.call, call, callee);
      if (fits && !seen[to.index()]) reach(callee, {call, callee}, next);
    });
  }
  CallPath path;
  if (!seen[to.index()]) return path;
  for (std::size_t at = places.size() - 1; places[at].entered.call.valid(); at = places[at].before)
    path.push_back(places[at].entered);
  std::reverse(path.begin(), path.end());
  return path;
}

bool surely_enters(const CallSite& site, FunctionId function) {
  return site.targets.size() == 1 && site.targets.front().function == function &&
         site.targets.front().certainty == Certainty::kExact;
}

}  // namespace lockstep::program
