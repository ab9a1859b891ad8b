// Runs the interpreter over every function that can communicate and turns what it found into MeshAnalysis.
#include "mesh/mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "base/strings.h"
#include "mesh/divergence.h"
#include "mesh/handles.h"
#include "mesh/interpreter.h"
#include "mesh/partners.h"
#include "mesh/relevance.h"
#include "mesh/transfers.h"

namespace lockstep::mesh {

using program::CallId;
using program::FunctionId;

namespace {

/// Lines that trace_text gives at most.
constexpr std::size_t kMaxTraceLines = 400;
constexpr std::size_t kMaxQuote = 100;
/// Of what a call comes to: functions, and the events of these.
constexpr std::size_t kMostBelow = 60;
constexpr std::size_t kMostEventsBelow = 400;

void collect_events(const Sequence& sequence, FunctionId function, std::vector<TraceEvent>& events) {
  for (const TraceNode& node : sequence) {
    if (node.kind == TraceKind::kEvent && node.event.function == function) events.push_back(node.event);
    for (const Sequence& branch : node.branches) collect_events(branch, function, events);
  }
}

void collect_calls(const Sequence& sequence, std::vector<CallId>& calls) {
  for (const TraceNode& node : sequence) {
    if (node.kind == TraceKind::kCall) calls.push_back(node.call);
    for (const Sequence& branch : node.branches) collect_calls(branch, calls);
  }
}

/// The events of a trace and of what it calls, a bounded number of functions on.
void collect_events_below(const FunctionResult& result, std::set<const FunctionResult*>& seen,
                          std::vector<TraceEvent>& events) {
  if (seen.size() == kMostBelow || !seen.insert(&result).second) return;
  const auto collect = [&](const auto& self, const Sequence& sequence) -> void {
    for (const TraceNode& node : sequence) {
      if (events.size() == kMostEventsBelow) return;
      if (node.kind == TraceKind::kEvent) events.push_back(node.event);
      for (const FunctionResult* callee : node.callees) collect_events_below(*callee, seen, events);
      for (const Sequence& branch : node.branches) self(self, branch);
    }
  };
  collect(collect, result.trace);
}

std::string quote(std::string_view text) {
  std::string one_line;
  for (const char c : text) {
    const bool space = c == '\n' || c == '\r' || c == '\t' || c == ' ';
    if (space && (one_line.empty() || one_line.back() == ' ')) continue;
    one_line.push_back(space ? ' ' : c);
  }
  if (one_line.size() > kMaxQuote) one_line = std::string(cut_at_character(one_line, kMaxQuote)) + "…";
  std::replace(one_line.begin(), one_line.end(), '`', '\'');
  return one_line;
}

}  // namespace

/// Owns one run.
class MeshBuilder {
 public:
  MeshBuilder(const program::Program& program, const MeshOptions& options)
      : program_(program), in_(program, options), options_(options) {}

  MeshAnalysis build() {
    std::vector<bool> communicates;
    std::vector<FunctionId> order = find_communicating(program_, communicates);
    if (options_.extent == MeshExtent::kSites) {
      std::vector<bool> issues;
      order = find_issuing(program_, issues);
      in_.set_may_communicate(std::move(issues));
    } else {
      in_.set_may_communicate(communicates);
    }
    if (options_.roots != nullptr) order = below(order, *options_.roots);
    if (order.empty()) {
      result_.communicates_ = std::move(communicates);
      return std::move(result_);
    }
    in_.set_brings_back(find_bringing_back(in_, options_.jobs, options_.groundwork));
    note_point_to_point(in_);
    for (const FunctionId function : order) in_.run_root(function);
    choose_dimensions();
    result_.communicates_ = std::move(communicates);
    HandleChecker handles(program_);
    std::vector<RawHandle> unwaited;
    std::vector<FunctionId> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (const FunctionId function : sorted) publish_function(function, handles, unwaited);
    if (options_.told != nullptr) {
      for (const FunctionId function : *options_.told) {
        if (in_.may_communicate(function)) publish_calls(*in_.run_root(function));
      }
    }
    if (options_.extent == MeshExtent::kSites || options_.roots != nullptr) return std::move(result_);
    publish_divergences();
    publish_handles(unwaited);
    return std::move(result_);
  }

 private:
  /// Of `order`, the roots and what they call, directly or not; in that order.
  [[nodiscard]] std::vector<FunctionId> below(const std::vector<FunctionId>& order,
                                              const std::vector<FunctionId>& roots) const {
    std::vector<bool> is_below(program_.functions().size(), false);
    std::vector<FunctionId> pending;
    const auto add = [&](FunctionId function) {
      if (is_below[function.index()]) return;
      is_below[function.index()] = true;
      pending.push_back(function);
    };
    for (const FunctionId root : roots) add(root);
    while (!pending.empty()) {
      const FunctionId at = pending.back();
      pending.pop_back();
      for (const CallId call : program_.functions()[at].calls) {
        for (const program::CallTarget& target : program_.calls()[call].targets) {
          if (target.function.valid()) add(target.function);
        }
      }
    }
    std::vector<FunctionId> out;
    std::copy_if(order.begin(), order.end(), std::back_inserter(out),
                 [&](FunctionId function) { return is_below[function.index()]; });
    return out;
  }

  /// Only dimensions that this repository uses become bits of DimensionSet.
  void choose_dimensions() {
    Bits used = 0;
    for (GroupId id = 1; id < in_.groups.size(); ++id) {
      if (in_.groups[id].span != kEveryRank) used |= in_.groups[id].span & kNamedBits;
    }
    for (const RawDivergence& raw : in_.reported) {
      if ((raw.bits & kNamedBits) != kNamedBits) used |= raw.bits & kNamedBits;
    }
    const auto& names = in_.dimensions.names();
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (((used >> i) & 1) == 0) continue;
      published_.push_back(static_cast<int>(i));
      result_.dimensions_.push_back(names[i]);
    }
  }

  DimensionSet publish(Bits bits) const {
    if ((bits & kNamedBits) == kNamedBits) return DimensionSet::all();
    DimensionSet set;
    for (std::size_t i = 0; i < published_.size(); ++i) {
      if ((bits >> published_[i]) & 1) set.bits |= 1u << i;
    }
    // "Some ranks, unknown which" has no name of its own outside.
    if (set.bits == 0 && (bits & kSomeRanks) != 0) return DimensionSet::all();
    return set;
  }

  CollectiveSite site(const TraceEvent& event) const {
    const GroupInfo& group = in_.groups[event.group];
    CollectiveSite result;
    result.function = event.function;
    result.call = event.call;
    result.operation = event.model->operation;
    result.group = {group.kind, publish(group.span & (kNamedBits | kSomeRanks)), group.text, group.parameter};
    // Of several groups that it may be none is told.
    if (group.either) result.group = {Group::Kind::kUnknown, {}, group.text, {}};
    if (group.kind == Group::Kind::kUnknown || group.kind == Group::Kind::kParameter) result.group.span = {};
    result.is_async = event.is_async;
    result.is_point_to_point = event.model->is_point_to_point;
    result.creates_group = event.model->creates_group;
    return result;
  }

  /// As people are told of it: between two peers the default group says nothing of who takes part.
  CollectiveSite published_site(const TraceEvent& event, std::optional<Waits>& waits) const {
    CollectiveSite result = site(event);
    const python::Node& function = *program_.functions()[event.function].node;
    const SourceText& source = program_.module_of(event.function).facts->source();
    if (result.is_point_to_point && result.group.kind == Group::Kind::kWorld) {
      result.group = {};
      if (result.operation == "batch_isend_irecv")
        result.group.text = group_of_operations(function, *event.call, source);
    }
    if (!result.is_async) return result;
    if (!waits) waits.emplace(function, source);
    result.is_async = !waits->waits_for(*event.call);
    return result;
  }

  void publish_function(FunctionId function, HandleChecker& handles, std::vector<RawHandle>& unwaited) {
    const FunctionResult* result = in_.run_root(function);
    std::vector<TraceEvent> events;
    collect_events(result->trace, function, events);
    if (options_.extent == MeshExtent::kEverything && has_events(result->trace)) {
      MeshAnalysis::Trace& trace = result_.traces_[function];
      trace.text = trace_to_text(program_, in_.dimensions, in_.groups, *result, kMaxTraceLines);
      collect_calls(result->trace, trace.calls);
      std::sort(trace.calls.begin(), trace.calls.end());
    }
    if (events.empty()) return;
    std::stable_sort(events.begin(), events.end(),
                     [](const TraceEvent& a, const TraceEvent& b) { return a.call->span.begin < b.call->span.begin; });
    std::vector<CollectiveSite>& sites = result_.collectives_[function];
    std::optional<Waits> waits;
    for (const TraceEvent& event : events) sites.push_back(published_site(event, waits));
    if (options_.extent == MeshExtent::kEverything) handles.check(function, events, unwaited);
  }

  void publish_calls(const FunctionResult& result) {
    for (const auto& [call, is_all] : result.calls) {
      const auto [place, is_new] = result_.issued_through_.try_emplace(call);
      place->second.is_all = is_all && (is_new || place->second.is_all);
    }
    publish_below(result.trace);
  }

  void publish_below(const Sequence& sequence) {
    for (const TraceNode& node : sequence) {
      for (const Sequence& branch : node.branches) publish_below(branch);
      if (node.kind != TraceKind::kCall) continue;
      std::set<const FunctionResult*> seen;
      std::vector<TraceEvent> events;
      for (const FunctionResult* callee : node.callees) collect_events_below(*callee, seen, events);
      MeshAnalysis::Issued& issued = result_.issued_through_[node.call];
      std::vector<CollectiveSite>& sites = issued.sites;
      if (seen.size() == kMostBelow || events.size() == kMostEventsBelow) issued.is_all = false;
      for (const TraceEvent& event : events) {
        CollectiveSite one = site(event);
        const bool is_known = std::any_of(sites.begin(), sites.end(), [&](const CollectiveSite& other) {
          return other.call == one.call && other.group.text == one.group.text;
        });
        if (!is_known) sites.push_back(std::move(one));
      }
    }
  }

  Step step(FunctionId function, const python::Node& place, std::string message) const {
    const program::ModuleId module = program_.functions()[function].module;
    return {module, in_.line_of(module, place.span.begin), std::move(message)};
  }

  std::string text(FunctionId function, const python::Node& place) const {
    return quote(in_.text_of(program_.functions()[function].module, place));
  }

  /// Where the variation comes from -> the condition -> the calls -> the collective.
  std::vector<Step> steps_of(const RawDivergence& raw) const {
    std::vector<Step> steps;
    for (SourceId id = raw.source; id != 0 && steps.size() < 12; id = in_.sources[id].parent) {
      const Source& source = in_.sources[id];
      steps.push_back({source.module, in_.line_of(source.module, source.offset), source.message});
    }
    std::reverse(steps.begin(), steps.end());
    steps.push_back(step(raw.function, *raw.place, condition_message(raw)));
    for (const CallId call : raw.path) {
      const program::CallSite& row = program_.calls()[call];
      steps.push_back(step(row.caller, *row.node, fmt::format("calls `{}`", text(row.caller, *row.node))));
    }
    steps.push_back(step(raw.event.function, *raw.event.call,
                         fmt::format("`{}` needs {}", raw.event.model->operation, who(raw.event))));
    return steps;
  }

  std::string who(const TraceEvent& event) const {
    const GroupInfo& group = in_.groups[event.group];
    if (group.kind == Group::Kind::kWorld) return "every rank";
    return fmt::format("every rank of {}", (group.kind == Group::Kind::kKnown ? "the " : "") + group.text);
  }

  std::string condition_message(const RawDivergence& raw) const {
    const std::string quoted = text(raw.function, *raw.place);
    const std::string along = in_.dimensions.describe(raw.bits & kNamedBits);
    const std::string ranks =
        (raw.bits & kNamedBits) == 0 || along == "every rank" ? "from rank to rank" : "along " + along;
    switch (raw.kind) {
      case Divergence::Kind::kLoop:
        return fmt::format("the number of rounds over `{}` differs {}", quoted, ranks);
      case Divergence::Kind::kOrder:
        return fmt::format("the order of `{}` differs {}", quoted, ranks);
      case Divergence::Kind::kRoot:
        return fmt::format("the root `{}` differs {}", quoted, ranks);
      case Divergence::Kind::kShape:
        return fmt::format("the shape or type of `{}` differs {}", quoted, ranks);
      case Divergence::Kind::kOperation:
        return fmt::format("the operation `{}` differs {}", quoted, ranks);
      default:
        return fmt::format("`{}` differs {}", quoted, ranks);
    }
  }

  void publish_divergences() {
    // One finding for each place: the proven one where contexts disagree.
    std::map<std::tuple<FunctionId, std::uint32_t, int>, const RawDivergence*> unique;
    for (const RawDivergence& raw : in_.reported) {
      const auto key =
          std::make_tuple(raw.function, raw.place->span.begin, raw.kind == Divergence::Kind::kOrder ? 1 : 0);
      const auto [place, is_new] = unique.try_emplace(key, &raw);
      if (!is_new && raw.proven && !place->second->proven) place->second = &raw;
    }
    for (const auto& [key, raw] : unique) {
      Divergence divergence;
      divergence.kind = raw->kind;
      divergence.function = raw->function;
      divergence.place = raw->place;
      divergence.varies = publish(raw->bits);
      divergence.collective = site(raw->event);
      divergence.path = raw->path;
      divergence.proven = raw->proven;
      divergence.missing_step = raw->doubt;
      divergence.environment = !raw->proven && in_.sources[raw->source].stays_here;
      divergence.outcome = raw->outcome;
      divergence.steps = steps_of(*raw);
      result_.divergences_.push_back(std::move(divergence));
    }
    sort_by_place(result_.divergences_, [](const Divergence& row) { return row.place; });
  }

  void publish_handles(const std::vector<RawHandle>& unwaited) {
    for (const RawHandle& raw : unwaited) {
      UnwaitedHandle handle;
      handle.function = raw.event.function;
      handle.collective = site(raw.event);
      handle.touched_at = raw.touched_at;
      handle.buffer = quote(raw.buffer);
      handle.handle_dropped = raw.dropped;
      result_.unwaited_.push_back(std::move(handle));
    }
    sort_by_place(result_.unwaited_,
                  [](const UnwaitedHandle& row) -> const python::Node* { return row.collective.call; });
  }

  template <class Row, class Place>
  void sort_by_place(std::vector<Row>& rows, Place place) const {
    std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
      const std::string& path_a = program_.module_of(a.function).path;
      const std::string& path_b = program_.module_of(b.function).path;
      if (path_a != path_b) return path_a < path_b;
      return place(a)->span.begin < place(b)->span.begin;
    });
  }

  const program::Program& program_;
  Interpreter in_;
  const MeshOptions& options_;
  MeshAnalysis result_;
  std::vector<int> published_;
};

std::string MeshAnalysis::describe(DimensionSet set) const {
  if (set.is_all()) return "every rank";
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    if ((set.bits >> i) & 1u) parts.push_back(dimensions_[i]);
  }
  if (parts.empty()) return "no dimension";
  std::string text = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) text += (i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

std::span<const CollectiveSite> MeshAnalysis::collectives_of(FunctionId function) const {
  const auto found = collectives_.find(function);
  return found == collectives_.end() ? std::span<const CollectiveSite>{}
                                     : std::span<const CollectiveSite>(found->second);
}

std::span<const CollectiveSite> MeshAnalysis::issued_through(CallId call) const {
  const auto found = issued_through_.find(call);
  return found == issued_through_.end() ? std::span<const CollectiveSite>{}
                                        : std::span<const CollectiveSite>(found->second.sites);
}

bool MeshAnalysis::knows_all_of(CallId call) const {
  const auto found = issued_through_.find(call);
  return found != issued_through_.end() && found->second.is_all;
}

bool MeshAnalysis::may_communicate(FunctionId function) const {
  return function.valid() && function.index() < communicates_.size() && communicates_[function.index()];
}

std::string MeshAnalysis::trace_text(FunctionId function) const {
  const auto found = traces_.find(function);
  return found == traces_.end() ? std::string{} : found->second.text;
}

std::span<const CallId> MeshAnalysis::calls_in_trace(FunctionId function) const {
  const auto found = traces_.find(function);
  return found == traces_.end() ? std::span<const CallId>{} : std::span<const CallId>(found->second.calls);
}

bool runs_now(const program::CallTarget& target, const program::Program& program) {
  if (!target.function.valid() || target.certainty == program::Certainty::kByName) return false;
  if (target.kind == program::CallKind::kCallback) return false;
  if (target.kind == program::CallKind::kAutograd) return program.functions()[target.function].name == "forward";
  return true;
}

MeshAnalysis analyse_mesh(const program::Program& program, const MeshOptions& options) {
  return MeshBuilder(program, options).build();
}

}  // namespace lockstep::mesh
