#include "mesh/partners.h"

#include <algorithm>

namespace lockstep::mesh {

using namespace python;

namespace {

void collect(const Sequence& sequence, bool point_to_point, std::vector<TraceEvent>& out) {
  for (const TraceNode& node : sequence) {
    if (node.kind == TraceKind::kEvent && node.event.model->is_point_to_point == point_to_point)
      out.push_back(node.event);
    for (const Sequence& branch : node.branches) collect(branch, point_to_point, out);
  }
}

bool is_straight(const Sequence& sequence) {
  return std::all_of(sequence.begin(), sequence.end(),
                     [](const TraceNode& node) { return node.kind == TraceKind::kEvent; });
}

/// Source text of the buffer, where it is a plain name; empty otherwise.
std::string_view buffer_name(const TraceEvent& event) {
  const int position = event.model->buffer;
  if (position < 0 || static_cast<std::size_t>(position) >= event.call->arguments.size()) return {};
  const auto* name = as<Name>(event.call->arguments[position]);
  return name == nullptr ? std::string_view{} : name->id;
}

bool sends(std::string_view operation) {
  return operation == "send" || operation == "isend" || operation == "send_object_list";
}
bool receives(std::string_view operation) {
  return operation == "recv" || operation == "irecv" || operation == "recv_object_list";
}

}  // namespace

void note_point_to_point(Interpreter& interpreter) {
  for (const program::CallSite& site : interpreter.program.calls()) {
    for (const program::CallTarget& target : site.targets) {
      const CollectiveModel* model = target.external.empty() ? nullptr : find_collective(target.external);
      if (model == nullptr || !model->is_point_to_point) continue;
      if (!sends(model->operation)) interpreter.has_other_than_sends = true;
      if (!receives(model->operation)) interpreter.has_other_than_receives = true;
    }
  }
}

std::vector<TraceEvent> events_in(const Sequence& sequence, bool point_to_point) {
  std::vector<TraceEvent> events;
  collect(sequence, point_to_point, events);
  return events;
}

std::optional<TraceEvent> swapped_buffers(const TraceNode& choice) {
  if (!is_straight(choice.branches[0]) || !is_straight(choice.branches[1])) return std::nullopt;
  const std::vector<TraceEvent> a = events_in(choice.branches[0], false);
  const std::vector<TraceEvent> b = events_in(choice.branches[1], false);
  if (a.size() != b.size() || a.size() < 2) return std::nullopt;
  std::vector<std::string_view> names_a;
  std::vector<std::string_view> names_b;
  for (const TraceEvent& event : a) names_a.push_back(buffer_name(event));
  for (const TraceEvent& event : b) names_b.push_back(buffer_name(event));
  const auto first = std::mismatch(names_a.begin(), names_a.end(), names_b.begin()).first;
  if (first == names_a.end()) return std::nullopt;
  const auto at = static_cast<std::size_t>(first - names_a.begin());
  std::sort(names_a.begin(), names_a.end());
  std::sort(names_b.begin(), names_b.end());
  // The same buffers, each once, in another order.
  const bool distinct = std::adjacent_find(names_a.begin(), names_a.end()) == names_a.end();
  if (names_a != names_b || !distinct || names_a.front().empty()) return std::nullopt;
  return a[at];
}

std::optional<TraceEvent> without_partner(const Interpreter& interpreter, const TraceNode& choice) {
  const std::vector<TraceEvent> a = events_in(choice.branches[0], true);
  const std::vector<TraceEvent> b = events_in(choice.branches[1], true);
  if (a.empty() == b.empty()) return std::nullopt;
  const std::vector<TraceEvent>& only = a.empty() ? b : a;
  const bool all_send =
      std::all_of(only.begin(), only.end(), [](const TraceEvent& event) { return sends(event.model->operation); });
  const bool all_receive =
      std::all_of(only.begin(), only.end(), [](const TraceEvent& event) { return receives(event.model->operation); });
  if (!all_send && !all_receive) return std::nullopt;
  if (all_send ? interpreter.has_other_than_sends : interpreter.has_other_than_receives) return std::nullopt;
  return only.front();
}

std::optional<TraceEvent> uneven_transfer(const TraceNode& choice) {
  const std::vector<TraceEvent> a = events_in(choice.branches[0], true);
  const std::vector<TraceEvent> b = events_in(choice.branches[1], true);
  for (const TraceEvent& one : a) {
    for (const TraceEvent& other : b) {
      const bool pair = (sends(one.model->operation) && receives(other.model->operation)) ||
                        (receives(one.model->operation) && sends(other.model->operation));
      const bool same = !buffer_name(one).empty() && buffer_name(one) == buffer_name(other);
      if (pair && same && (one.extent.sure & choice.varies.sure) != 0) return one;
    }
  }
  return std::nullopt;
}

}  // namespace lockstep::mesh
