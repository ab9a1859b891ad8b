// Slots with the values they hold, edges along which values move on, and uses that react to each new value. Knows
// nothing of Python.
//
// Laid out for the cache: a program of a million lines has millions of slots, visited in no order that a cache could
// foresee. A slot is 16 bytes; its only value and its only edge stand in it; sets of values are never moved once handed
// out, so that readers need no copies.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/huge_pages.h"
#include "program/flow/values.h"

namespace lockstep::program::flow {

enum class UseKind : std::uint8_t {
  kOperandA,       ///< a: op
  kOperandB,       ///< a: op
  kCallee,         ///< a: call record
  kBind,           ///< values are attributes of a class, read through a: receiver; b: slot for the result, c: op
  kBindCall,       ///< the same, then called; a: receiver, b: call record
  kKey,            ///< values are keys; a: container value, b: slot that is stored, or kNone; c: slot that is read into
  kStar,           ///< values are *args; a: star record
  kDoubleStar,     ///< values are **kwargs; a: star record
  kNext,           ///< values are iterators; b: slot for elements, c: op
  kModel,          ///< a: model record
  kAttributeName,  ///< values are names of attributes; a: call record of getattr (b: 0) or setattr (b: 1)
  kSetter,         ///< values are attributes of a class that is stored to; a: receiver, b: slot that is stored, c: op
  kForce,          ///< values are called with receiver a, as methods; b: call record
};

struct Use {
  UseKind kind;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
};

/// Values that a slot held at some moment; stays as it is when the slot takes more.
class ValueList {
 public:
  ValueList() = default;
  explicit ValueList(ValueId only) : only_(only), count_(1) {}
  ValueList(const ValueId* values, std::size_t count) : values_(values), count_(count) {}
  [[nodiscard]] const ValueId* begin() const { return values_ == nullptr ? &only_ : values_; }
  [[nodiscard]] const ValueId* end() const { return begin() + count_; }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] ValueId operator[](std::size_t i) const { return begin()[i]; }

 private:
  const ValueId* values_ = nullptr;  ///< Null: `only_` is all there is.
  ValueId only_ = 0;
  std::size_t count_ = 0;
};

class Graph {
 public:
  /// Sets wider than this stop growing: a slot that may hold more says nothing useful. Measured: twice as many give
  /// Megatron-LM 11 calls more of 88,738, not one of them sure, and NeMo, a large collection of models, a fifth
  /// more, at random, in three times the time.
  static constexpr std::size_t kMaxValues = 48;
  /// Sets wider than this take further values in their general form only (ValueTable::general): the first for values
  /// that are left out, the second for those that something else stands for.
  static constexpr std::size_t kMaxParticular = 8;
  static constexpr std::size_t kMaxRecords = 44;

  /// A use as it is kept.
  struct UseEntry {
    std::uint32_t a, b, c;
    std::uint32_t next : 28;
    std::uint32_t kind : 4;
  };

  explicit Graph(const ValueTable& values) : table_(values) {}

  /// Makes room for that many slots, edges and uses: a guess that saves copying.
  void reserve(std::size_t slots, std::size_t edges, std::size_t uses);
  /// Memory that so many slots, edges and uses will need.
  [[nodiscard]] std::vector<PageRange> pages_for(std::size_t slots, std::size_t edges, std::size_t uses);
  Slot add_slots(std::size_t count) {
    states_.resize(states_.size() + count);
    return static_cast<Slot>(states_.size() - count);
  }
  [[nodiscard]] std::size_t slot_count() const { return states_.size(); }

  void add_value(Slot slot, ValueId value);
  void add_edge(Slot from, Slot to);
  /// Adds the use; the caller must apply it to `settled(slot)` (values still on their way reach it by themselves).
  void add_use(Slot slot, const Use& use);

  [[nodiscard]] ValueList values(Slot slot) const { return first_values(states_[slot], states_[slot].count); }
  /// Values that all edges and uses have seen already; not those of a slot that has no edges and uses yet.
  [[nodiscard]] ValueList settled(Slot slot) const { return first_values(states_[slot], states_[slot].done); }
  [[nodiscard]] bool is_empty(Slot slot) const { return states_[slot].count == 0; }
  [[nodiscard]] bool is_full(Slot slot) const { return states_[slot].count >= kMaxValues; }

  /// The next slot with values that have not moved on, or kNone. Those values are moved along its edges and given in
  /// `fresh`; `uses` are those to apply them to, from the latest on.
  Slot next(ValueList& fresh, std::uint32_t& uses);
  /// The first use of a slot that `next` will give soon, to bring what it refers to towards the cache; null for none.
  [[nodiscard]] const UseEntry* upcoming_use() const {
    constexpr std::size_t kAhead = 3;
    if (queue_head_ + kAhead >= queue_.size()) return nullptr;
    const State& state = states_[queue_[queue_head_ + kAhead]];
    return state.uses == 0 ? nullptr : &uses_[state.uses];
  }
  /// Forgets edges and uses: values stay, and move no more.
  void release_moves();
  /// Takes one use off a list that `next` gave; false where it is empty.
  bool take_use(std::uint32_t& uses, Use& use) const {
    if (uses == 0) return false;
    const UseEntry& entry = uses_[uses];
    use = {static_cast<UseKind>(entry.kind), entry.a, entry.b, entry.c};
    uses = entry.next;
    return true;
  }

 private:
  struct State {
    std::uint32_t held = 0;       ///< The value if there is one, else the place of the set in the pool.
    std::uint32_t edges = 0;      ///< kInline + target of the only edge, else the start of a list.
    std::uint32_t uses = 0;       ///< Start of a list.
    std::uint16_t count = 0;      ///< Of values.
    std::uint16_t done : 15 = 0;  ///< Of values that have moved on.
    std::uint16_t is_queued : 1 = 0;
  };
  static_assert(sizeof(State) == 16);
  static constexpr std::uint32_t kInline = 0x80000000u;
  struct Edge {
    Slot to;
    std::uint32_t next;
  };
  static_assert(sizeof(UseEntry) == 16);

  // Sets of values lie in blocks that stay where they are; a set that grows moves and leaves its old place as it was.
  static constexpr std::uint32_t kBlockBits = 16;
  static constexpr std::uint32_t kBlockValues = 1u << kBlockBits;
  [[nodiscard]] ValueId* pooled(std::uint32_t place) const {
    return blocks_[place >> kBlockBits].get() + (place & (kBlockValues - 1));
  }
  [[nodiscard]] ValueList first_values(const State& state, std::size_t count) const {
    if (state.count <= 1) return count == 0 ? ValueList() : ValueList(state.held);
    return {pooled(state.held), count};
  }
  std::uint32_t place_for(std::size_t count);
  void append(State& state, ValueId value);
  /// Puts a slot in the queue, if it is not there: it has values that have not moved on, and somewhere to move them.
  void enqueue(Slot slot) {
    if (states_[slot].is_queued) return;
    states_[slot].is_queued = 1;
    queue_.push_back(slot);
  }
  void prefetch(std::size_t ahead) const;

  const ValueTable& table_;
  HugeVector<State> states_{1};
  HugeVector<Edge> edges_{1};     // 0 ends a list
  HugeVector<UseEntry> uses_{1};  // 0 ends a list
  std::vector<std::unique_ptr<ValueId[]>> blocks_;
  std::uint32_t block_used_ = kBlockValues;
  HugeVector<Slot> queue_;
  std::size_t queue_head_ = 0;
};

}  // namespace lockstep::program::flow
