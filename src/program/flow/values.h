// Abstract values: what a slot may hold. Interned, so that a value is a 4-byte id and equal values have equal ids.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "base/huge_pages.h"
#include "program/flow/code.h"

namespace lockstep::program::flow {

using ValueId = std::uint32_t;
using FrameId = std::uint32_t;

/// Stands for all records of a class that were made somewhere, in sets that hold too many of them.
inline constexpr std::uint32_t kAnyRecord = 0xffffffffu;

/// Added to the name of a member of an enumeration: which of its class's instances it is.
inline constexpr std::uint32_t kEnumMember = 0x80000000u;

enum class ValueKind : std::uint8_t {
  kFunction,          ///< a: FunctionId, b: frame that made it
  kBound,             ///< a: function value, b: receiver value
  kClass,             ///< a: ClassId
  kInstance,          ///< a: ClassId, b: op that made it + 1 for classes told apart by it, kEnumMember + name,
                      ///< kAnyRecord, else 0
  kModule,            ///< a: ModuleId
  kNamespace,         ///< a: name of a package without __init__.py
  kExternal,          ///< a: dotted name outside the repository
  kExternalInstance,  ///< a: dotted name of its class; b: tells kinds apart that share fields with none but their own
  kExternalResult,    ///< a: dotted name of the function that returned it; nothing else is known
  kBoundExternal,     ///< a: dotted name of a method outside, b: receiver value
  kContainer,         ///< a: object
  kContainerMethod,   ///< a: container value, b: name
  kText,              ///< a: the string, as a name
  kInteger,           ///< a: the number
  kGenerator,         ///< a: value of the generator function that was called
  kSuper,             ///< a: class after which the search starts, b: receiver value
  kStaticMethod,      ///< a: wrapped value
  kClassMethod,       ///< a: wrapped value
  kIdentity,          ///< A callable that returns its first argument (a decorator such as functools.wraps(f)).
  kAutograd,          ///< a: ClassId; its `apply`
  kAttributes,        ///< a: a class; its `__dict__`
};

struct Value {
  ValueKind kind;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  friend bool operator==(const Value&, const Value&) = default;
};

inline std::uint64_t mix(std::uint64_t key) {
  key ^= key >> 32;
  key *= 0x9e3779b97f4a7c15ull;
  key ^= key >> 29;
  key *= 0xbf58476d1ce4e5b9ull;
  return key ^ (key >> 32);
}

/// How many entries an open-addressing table of `size` places takes. Three quarters: half the memory at a step more
/// for each search.
constexpr std::size_t room_for(std::size_t size) { return size / 4 * 3; }

/// Open-addressing map from non-zero 64-bit keys to 32-bit values.
class KeyMap {
 public:
  KeyMap() : slots_(1024) {}

  /// Makes room for that many keys: a guess that saves moving them.
  void reserve(std::size_t keys) {
    std::size_t size = slots_.size();
    while (room_for(size) < keys) size *= 2;
    if (size > slots_.size()) grow(size);
  }
  /// The value at `key`, kNone where there is none.
  [[nodiscard]] std::uint32_t find(std::uint64_t key) const {
    const Entry& entry = slots_[place(key)];
    return entry.key == 0 ? kNone : entry.value;
  }
  /// The value at `key`; where there is none, it is put there as kNone first. Invalidated by the next call.
  std::uint32_t& at(std::uint64_t key) {
    if (count_ + 1 > room_for(slots_.size())) grow(slots_.size() * 2);
    Entry& entry = slots_[place(key)];
    if (entry.key == 0) {
      entry.key = key;
      entry.value = kNone;
      ++count_;
    }
    return entry.value;
  }

 private:
  struct Entry {
    std::uint64_t key = 0;
    std::uint32_t value = kNone;
  };
  [[nodiscard]] std::size_t place(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = mix(key) & mask;
    while (slots_[at].key != 0 && slots_[at].key != key) at = (at + 1) & mask;
    return at;
  }
  void grow(std::size_t size) {
    HugeVector<Entry> old(size);
    old.swap(slots_);
    for (const Entry& entry : old) {
      if (entry.key != 0) slots_[place(entry.key)] = entry;
    }
  }
  HugeVector<Entry> slots_;
  std::size_t count_ = 0;
};

inline std::uint64_t pair_key(std::uint32_t first, std::uint32_t second) {
  return (std::uint64_t{first} + 1) << 32 | second;
}

class ValueTable {
 public:
  ValueTable() : slots_(1024) {}

  /// Makes room for that many values: a guess that saves moving them.
  void reserve(std::size_t values) {
    std::size_t size = slots_.size();
    while (room_for(size) < values) size *= 2;
    if (size > slots_.size()) grow(size);
    general_.reserve(values);
    values_.reserve(values);
  }
  ValueId intern(ValueKind kind, std::uint32_t a = 0, std::uint32_t b = 0) {
    Entry& entry = slots_[place(kind, a, b)];
    if (entry.id != kNone) return entry.id;
    const auto id = static_cast<ValueId>(values_.size());
    entry = {a, b, id, kind};
    values_.push_back({kind, a, b});
    if (values_.size() > room_for(slots_.size())) grow(slots_.size() * 2);
    const ValueId general = generalize(kind, a, b, id);
    general_.resize(values_.size(), kNone);
    general_[id] = general;
    return id;
  }
  [[nodiscard]] const Value& operator[](ValueId id) const { return values_[id]; }

  /// What stands for the value in a set that has grown large: the value itself where it matters which one it is
  /// (functions, classes, instances), any instance of its class, or kNone: it is left out.
  [[nodiscard]] ValueId general(ValueId id) const { return general_[id]; }
  void leave_out_of_large_sets(ValueId id) { general_[id] = kNone; }
  void keep_in_large_sets(ValueId id) { general_[id] = id; }
  void stand_for(ValueId id, ValueId general) { general_[id] = general; }

 private:
  ValueId generalize(ValueKind kind, std::uint32_t a, std::uint32_t b, ValueId own) {
    switch (kind) {
      case ValueKind::kInstance:
        return b == 0 || b == kAnyRecord ? own : intern(ValueKind::kInstance, a, kAnyRecord);
      case ValueKind::kText:
      case ValueKind::kInteger:
      case ValueKind::kContainerMethod:
      case ValueKind::kExternalResult:
      case ValueKind::kBoundExternal:
        return kNone;
      default:
        return own;
    }
  }

  struct Entry {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    ValueId id = kNone;  ///< kNone: free.
    ValueKind kind{};
  };
  [[nodiscard]] std::size_t place(ValueKind kind, std::uint32_t a, std::uint32_t b) const {
    const std::size_t mask = slots_.size() - 1;
    const std::uint64_t key = std::uint64_t{b} << 32 | a;
    std::size_t at = mix(key ^ static_cast<std::uint64_t>(kind) * 0x9e3779b97f4a7c15ull) & mask;
    for (; slots_[at].id != kNone; at = (at + 1) & mask) {
      const Entry& entry = slots_[at];
      if (entry.a == a && entry.b == b && entry.kind == kind) break;
    }
    return at;
  }
  void grow(std::size_t size) {
    HugeVector<Entry> old(size);
    old.swap(slots_);
    for (const Entry& entry : old) {
      if (entry.id != kNone) slots_[place(entry.kind, entry.a, entry.b)] = entry;
    }
  }

  HugeVector<Entry> slots_;
  HugeVector<ValueId> general_;
  HugeVector<Value> values_;
};

}  // namespace lockstep::program::flow
