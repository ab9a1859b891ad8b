// Slots with the values they hold, edges along which values move on, and uses that react to each new value. Knows
// nothing of Python.
#pragma once

#include <span>
#include <vector>

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

class Graph {
 public:
  /// Sets wider than this stop growing: a slot that may hold more says nothing useful.
  static constexpr std::size_t kMaxValues = 96;
  /// Sets wider than this take further values in their general form only (ValueTable::general): the first for values
  /// that are left out, the second for those that something else stands for.
  static constexpr std::size_t kMaxParticular = 8;
  static constexpr std::size_t kMaxRecords = 90;

  explicit Graph(const ValueTable& values) : table_(values) {}

  Slot add_slots(std::size_t count) {
    states_.resize(states_.size() + count);
    return static_cast<Slot>(states_.size() - count);
  }
  [[nodiscard]] std::size_t slot_count() const { return states_.size(); }

  void add_value(Slot slot, ValueId value);
  void add_edge(Slot from, Slot to);
  /// Adds the use; the caller must apply it to `settled(slot)` (values still on their way reach it by themselves).
  void add_use(Slot slot, const Use& use);

  [[nodiscard]] std::span<const ValueId> values(Slot slot) const {
    const State& state = states_[slot];
    if (state.count <= 1) return {&state.first, state.count};
    return more_[state.more];
  }
  /// Values that all edges and uses have seen already. A copy: reacting to them may change the slot.
  [[nodiscard]] std::vector<ValueId> settled(Slot slot) const {
    const auto all = values(slot);
    return {all.begin(), all.begin() + states_[slot].done};
  }
  [[nodiscard]] bool is_empty(Slot slot) const { return states_[slot].count == 0; }
  [[nodiscard]] bool is_full(Slot slot) const { return states_[slot].count >= kMaxValues; }

  /// The next slot with values that have not moved on, or kNone. Those values are moved along its edges and returned;
  /// `uses` gets the uses to apply them to.
  Slot next(std::vector<ValueId>& fresh, std::vector<Use>& uses);

 private:
  struct State {
    ValueId first = 0;
    std::uint32_t more = 0;
    std::uint32_t edges = 0;
    std::uint32_t uses = 0;
    std::uint16_t count = 0;
    std::uint16_t done = 0;
    bool is_queued = false;
  };
  struct Edge {
    Slot to;
    std::uint32_t next;
  };
  struct UseEntry {
    Use use;
    std::uint32_t next;
  };
  const ValueTable& table_;
  std::vector<State> states_{1};
  std::vector<std::vector<ValueId>> more_;
  std::vector<Edge> edges_{1};     // 0 ends a list
  std::vector<UseEntry> uses_{1};  // 0 ends a list
  std::vector<Slot> queue_;
  std::size_t queue_head_ = 0;
};

}  // namespace lockstep::program::flow
