#include "report/graph/trace.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "report/source/code.h"

namespace lockstep::report {

namespace {

using program::CallId;
using program::CallSite;
using program::CallTarget;
using program::FunctionId;
using program::Program;

constexpr std::size_t kMostWays = 3;  // of scripts; and of tests

struct Neighbour {
  CallId call;
  FunctionId function;
  program::Certainty certainty;
  std::uint32_t more_sites = 0;
};

void add_neighbour(std::vector<Neighbour>& found, std::unordered_map<FunctionId, std::size_t>& at,
                   const Neighbour& neighbour) {
  const auto [slot, is_new] = at.emplace(neighbour.function, found.size());
  if (is_new) {
    found.push_back(neighbour);
    return;
  }
  Neighbour& known = found[slot->second];
  ++known.more_sites;
  known.certainty = std::min(known.certainty, neighbour.certainty);
}

std::vector<Neighbour> callers(const Program& program, FunctionId function) {
  std::vector<Neighbour> found;
  std::unordered_map<FunctionId, std::size_t> at;
  for (const CallId call : program.callers_of(function)) {
    for (const CallTarget& target : program.calls()[call].targets) {
      if (target.function != function) continue;
      add_neighbour(found, at, {call, program.calls()[call].caller, target.certainty});
      break;
    }
  }
  // Code before the tests that call it.
  std::stable_partition(found.begin(), found.end(), [&](const Neighbour& neighbour) {
    return !program::is_test_path(program.module_of(neighbour.function).path);
  });
  return found;
}

std::vector<Neighbour> callees(const Program& program, FunctionId function) {
  std::vector<Neighbour> found;
  std::unordered_map<FunctionId, std::size_t> at;
  for (const CallId call : program.functions()[function].calls) {
    for (const CallTarget& target : program.calls()[call].targets) {
      if (target.function.valid() && target.certainty != program::Certainty::kByName) {
        add_neighbour(found, at, {call, target.function, target.certainty});
      }
    }
  }
  return found;
}

/// Builds one tree; levels are filled breadth first within the budget of lines, so that direct neighbours are never
/// crowded out by distant ones. A function's own neighbours are listed once.
class TreeMaker {
 public:
  TreeMaker(const Program& program, FunctionId root) : program_(program), root_(root) {}

  template <class Neighbours>
  TraceTree make(Neighbours neighbours) {
    std::unordered_set<FunctionId> expanded = {root_};
    std::vector<std::size_t> level = {kRoot};
    for (int depth = 1; depth <= kTraceDepth && !level.empty(); ++depth) {
      std::vector<std::size_t> next;
      for (const std::size_t parent : level) {
        for (const Neighbour& neighbour :
             neighbours(program_, parent == kRoot ? root_ : items_[parent].line.function)) {
          if (items_.size() >= kTraceLines) {
            ++tree_.left_out;
            continue;
          }
          const bool is_new = expanded.insert(neighbour.function).second;
          const std::size_t at = add(parent, neighbour, depth, !is_new);
          if (is_new) next.push_back(at);
        }
      }
      level = std::move(next);
    }
    std::vector<std::size_t> stack(roots_.rbegin(), roots_.rend());
    while (!stack.empty()) {
      const Item& item = items_[stack.back()];
      stack.pop_back();
      tree_.lines.push_back(item.line);
      stack.insert(stack.end(), item.children.rbegin(), item.children.rend());
    }
    return std::move(tree_);
  }

 private:
  static constexpr std::size_t kRoot = SIZE_MAX;
  struct Item {
    TraceLine line;
    std::size_t parent;
    std::vector<std::size_t> children;
  };

  std::size_t add(std::size_t parent, const Neighbour& neighbour, int depth, bool shown_before) {
    TraceLine line{depth,        neighbour.call, neighbour.function, neighbour.certainty, neighbour.more_sites,
                   shown_before, false};
    line.closes_cycle = neighbour.function == root_;
    for (std::size_t at = parent; at != kRoot && !line.closes_cycle; at = items_[at].parent) {
      line.closes_cycle = items_[at].line.function == neighbour.function;
    }
    const std::size_t at = items_.size();
    items_.push_back({line, parent, {}});
    (parent == kRoot ? roots_ : items_[parent].children).push_back(at);
    return at;
  }

  const Program& program_;
  FunctionId root_;
  TraceTree tree_;
  std::vector<Item> items_;
  std::vector<std::size_t> roots_;
};

void find_ways(const Program& program, Trace& trace) {
  std::vector<int> kinds(program.functions().size(), -1);
  for (const program::Entry& entry : program::entry_points(program)) {
    if (entry.kind != program::EntryKind::kPublicApi) kinds[entry.function.index()] = static_cast<int>(entry.kind);
  }
  std::vector<program::Reached> near = program::reaching(program, trace.symbol, program.functions().size());
  for (const program::EntryKind kind : {program::EntryKind::kScript, program::EntryKind::kTest}) {
    std::size_t count = 0;
    for (const program::Reached& reached : near) {
      if (kinds[reached.function.index()] != static_cast<int>(kind)) continue;
      if (++count > kMostWays) continue;
      const FunctionId source[] = {reached.function};
      trace.ways.push_back({reached.function, kind, program::shortest_path(program, source, trace.symbol)});
    }
    (kind == program::EntryKind::kScript ? trace.scripts : trace.tests) = count;
  }
}

/// How many calls a path takes.
std::size_t calls_in(const TracePath& path) {
  return path.external_call.valid() ? path.distance + 1 : path.path.size();
}

void find_paths_inside(const Program& program, Trace& trace) {
  for (const FunctionId target : trace.to->functions) {
    const std::vector<program::CallPath> paths =
        program::call_paths(program, trace.symbol, target, kTracePathsSearched);
    trace.may_be_more = trace.may_be_more || paths.size() == kTracePathsSearched;
    for (const program::CallPath& path : paths) trace.paths.push_back({path, {}, {}});
  }
}

// One path for each call of an external function: the shortest to the function that makes it.
void find_paths_outside(const Program& program, Trace& trace) {
  const FunctionId source[] = {trace.symbol};
  std::size_t outside = 0;
  for (const program::Reached& reached : program::reachable_from(program, source, program.functions().size())) {
    for (const CallId call : program.functions()[reached.function].calls) {
      for (const CallTarget& target : program.calls()[call].targets) {
        if (target.function.valid() ||
            !std::binary_search(trace.to->external.begin(), trace.to->external.end(), target.external))
          continue;
        TracePath path;
        path.external_call = call;
        path.external = target.external;
        // Only paths that may be shown are spelt out.
        if (outside++ < kTracePaths) path.path = program::shortest_path(program, source, reached.function);
        path.distance = reached.distance;
        trace.paths.push_back(std::move(path));
        break;
      }
    }
  }
}

void find_unresolved_namesakes(const Program& program, Trace& trace) {
  const std::string_view name = program.functions()[trace.symbol].name;
  for (std::size_t i = 0; i < program.calls().size(); ++i) {
    const CallSite& site = program.calls()[CallId(i)];
    const auto* call = python::as<python::Call>(site.node);
    if (site.targets.empty() && call != nullptr && callee_name(*call) == name)
      trace.unresolved_namesakes.emplace_back(i);
  }
  std::stable_partition(trace.unresolved_namesakes.begin(), trace.unresolved_namesakes.end(), [&](CallId call) {
    return !program::is_test_path(program.module_of(program.calls()[call].caller).path);
  });
}

void count_unresolved(const Program& program, Trace& trace) {
  const FunctionId source[] = {trace.symbol};
  for (const program::Reached& reached : program::reachable_from(program, source, program.functions().size())) {
    for (const CallId call : program.functions()[reached.function].calls) {
      trace.unresolved += program.calls()[call].targets.empty() ? 1 : 0;
    }
  }
}

}  // namespace

Trace make_trace(const Program& program, FunctionId symbol, std::optional<TraceTarget> to) {
  Trace trace;
  trace.symbol = symbol;
  trace.to = std::move(to);
  if (!trace.to) {
    find_ways(program, trace);
    trace.callers = TreeMaker(program, symbol).make(callers);
    trace.callees = TreeMaker(program, symbol).make(callees);
    find_unresolved_namesakes(program, trace);
    return trace;
  }
  find_paths_inside(program, trace);
  if (!trace.to->external.empty()) find_paths_outside(program, trace);
  std::stable_sort(trace.paths.begin(), trace.paths.end(),
                   [](const TracePath& a, const TracePath& b) { return calls_in(a) < calls_in(b); });
  if (trace.paths.empty()) count_unresolved(program, trace);
  if (trace.paths.size() > kTracePaths) {
    trace.paths_left_out = trace.paths.size() - kTracePaths;
    trace.paths.resize(kTracePaths);
  }
  return trace;
}

}  // namespace lockstep::report
