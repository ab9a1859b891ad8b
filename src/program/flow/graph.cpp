#include "program/flow/graph.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace lockstep::program::flow {

void Graph::reserve(std::size_t slots, std::size_t edges, std::size_t uses) {
  states_.reserve(slots);
  edges_.reserve(edges);
  uses_.reserve(uses);
  queue_.reserve(slots / 2);
}

std::vector<PageRange> Graph::pages_for(std::size_t slots, std::size_t edges, std::size_t uses) {
  return {pages_of(uses_, 0, uses), pages_of(edges_, 0, edges), pages_of(states_, states_.size(), slots)};
}

/// A place in the pool for `count` values, a power of two.
std::uint32_t Graph::place_for(std::size_t count) {
  if (block_used_ + count > kBlockValues) {
    blocks_.push_back(std::make_unique_for_overwrite<ValueId[]>(kBlockValues));
    block_used_ = 0;
    CHECK(blocks_.size() <= kBlockValues);
  }
  const std::uint32_t place = static_cast<std::uint32_t>(blocks_.size() - 1) << kBlockBits | block_used_;
  block_used_ += static_cast<std::uint32_t>(count);
  return place;
}

/// Adds a value to a set that has at least one.
void Graph::append(State& state, ValueId value) {
  const std::size_t count = state.count;
  if (count == 1) {
    const std::uint32_t place = place_for(2);
    pooled(place)[0] = state.held;
    state.held = place;
  } else if (std::has_single_bit(count)) {
    const std::uint32_t place = place_for(count * 2);
    std::copy_n(pooled(state.held), count, pooled(place));
    state.held = place;
  }
  pooled(state.held)[count] = value;
}

void Graph::add_value(Slot slot, ValueId value) {
  if (slot == 0) return;
  State& state = states_[slot];
  if (state.count >= kMaxParticular) {
    const ValueId general = table_.general(value);
    if (general == kNone) return;
    if (state.count >= kMaxRecords || table_[value].kind == ValueKind::kContainer) value = general;
  }
  if (state.count == 0) {
    state.held = value;
  } else {
    if (state.count >= kMaxValues) return;
    if (state.count == 1) {
      if (state.held == value) return;
    } else {
      const ValueId* const values = pooled(state.held);
      if (std::find(values, values + state.count, value) != values + state.count) return;
    }
    append(state, value);
  }
  ++state.count;
  if (state.edges != 0 || state.uses != 0) enqueue(slot);
}

void Graph::add_edge(Slot from, Slot to) {
  if (from == 0 || to == 0 || from == to) return;
  State& state = states_[from];
  if (state.edges == 0) {
    state.edges = to | kInline;
  } else if ((state.edges & kInline) != 0) {
    if (state.edges == (to | kInline)) return;
    edges_.push_back({state.edges & ~kInline, 0});
    edges_.push_back({to, static_cast<std::uint32_t>(edges_.size() - 1)});
    state.edges = static_cast<std::uint32_t>(edges_.size() - 1);
  } else {
    for (std::uint32_t at = state.edges, steps = 0; at != 0 && steps < 8; at = edges_[at].next, ++steps) {
      if (edges_[at].to == to) return;
    }
    edges_.push_back({to, state.edges});
    state.edges = static_cast<std::uint32_t>(edges_.size() - 1);
  }
  for (const ValueId value : settled(from)) add_value(to, value);
  if (state.done != state.count) enqueue(from);
}

void Graph::add_use(Slot slot, const Use& use) {
  if (slot == 0) return;
  State& state = states_[slot];
  CHECK(uses_.size() < (1u << 28));
  uses_.push_back({use.a, use.b, use.c, state.uses & 0x0fffffffu, static_cast<unsigned>(use.kind) & 15u});
  state.uses = static_cast<std::uint32_t>(uses_.size() - 1);
  if (state.done != state.count) enqueue(slot);
}

/// Brings what the slots next in the queue need towards the cache, a step further the nearer they are.
void Graph::prefetch(std::size_t ahead) const {
  if (queue_head_ + ahead < queue_.size()) __builtin_prefetch(&states_[queue_[queue_head_ + ahead]]);
  const std::size_t near = queue_head_ + ahead / 2;
  if (near >= queue_.size()) return;
  const State& state = states_[queue_[near]];
  if ((state.edges & kInline) != 0) {
    __builtin_prefetch(&states_[state.edges & ~kInline], 1);
  } else {
    __builtin_prefetch(&edges_[state.edges]);
  }
  __builtin_prefetch(&uses_[state.uses]);
}

void Graph::release_moves() {
  HugeVector<Edge>().swap(edges_);
  HugeVector<UseEntry>().swap(uses_);
  HugeVector<Slot>().swap(queue_);
}

Slot Graph::next(ValueList& fresh, std::uint32_t& uses) {
  constexpr std::size_t kAhead = 12;
  if (queue_head_ == queue_.size()) {
    queue_.clear();
    queue_head_ = 0;
    return kNone;
  }
  prefetch(kAhead);
  const Slot slot = queue_[queue_head_++];
  State& state = states_[slot];
  state.is_queued = 0;
  const ValueList all = first_values(state, state.count);
  fresh = state.count <= 1 && state.done == 0 ? all : ValueList(all.begin() + state.done, all.size() - state.done);
  state.done = static_cast<std::uint16_t>(state.count & 0x7fff);
  uses = state.uses;
  if ((state.edges & kInline) != 0) {
    const Slot to = state.edges & ~kInline;
    for (const ValueId value : fresh) add_value(to, value);
  } else {
    for (std::uint32_t at = state.edges; at != 0; at = edges_[at].next) {
      for (const ValueId value : fresh) add_value(edges_[at].to, value);
    }
  }
  return slot;
}

}  // namespace lockstep::program::flow
