#include "program/flow/graph.h"

#include <algorithm>

namespace lockstep::program::flow {

void Graph::add_value(Slot slot, ValueId value) {
  if (slot == 0) return;
  State& state = states_[slot];
  if (state.count >= kMaxParticular) {
    const ValueId general = table_.general(value);
    if (general == kNone) return;
    if (state.count >= kMaxRecords) value = general;
  }
  if (state.count == 0) {
    state.first = value;
  } else {
    if (state.count >= kMaxValues) return;
    if (state.count == 1) {
      if (state.first == value) return;
      state.more = static_cast<std::uint32_t>(more_.size());
      more_.push_back({state.first, value});
    } else {
      auto& values = more_[state.more];
      if (std::find(values.begin(), values.end(), value) != values.end()) return;
      values.push_back(value);
    }
  }
  ++state.count;
  if (!state.is_queued) {
    state.is_queued = true;
    queue_.push_back(slot);
  }
}

void Graph::add_edge(Slot from, Slot to) {
  if (from == 0 || to == 0 || from == to) return;
  for (std::uint32_t at = states_[from].edges, steps = 0; at != 0 && steps < 8; at = edges_[at].next, ++steps) {
    if (edges_[at].to == to) return;
  }
  edges_.push_back({to, states_[from].edges});
  states_[from].edges = static_cast<std::uint32_t>(edges_.size() - 1);
  for (std::size_t i = 0; i < states_[from].done; ++i) add_value(to, values(from)[i]);
}

void Graph::add_use(Slot slot, const Use& use) {
  if (slot == 0) return;
  uses_.push_back({use, states_[slot].uses});
  states_[slot].uses = static_cast<std::uint32_t>(uses_.size() - 1);
}

Slot Graph::next(std::vector<ValueId>& fresh, std::vector<Use>& uses) {
  if (queue_head_ == queue_.size()) {
    queue_.clear();
    queue_head_ = 0;
    return kNone;
  }
  const Slot slot = queue_[queue_head_++];
  State& state = states_[slot];
  state.is_queued = false;
  const auto all = values(slot);
  fresh.assign(all.begin() + state.done, all.end());
  state.done = state.count;
  for (std::uint32_t at = state.edges; at != 0; at = edges_[at].next) {
    for (const ValueId value : fresh) add_value(edges_[at].to, value);
  }
  uses.clear();
  for (std::uint32_t at = state.uses; at != 0; at = uses_[at].next) uses.push_back(uses_[at].use);
  return slot;
}

}  // namespace lockstep::program::flow
