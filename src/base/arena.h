// A bump allocator for values that die together and need no destructor (syntax trees).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/arena_blocks.h"

namespace lockstep {

/// Owns memory for trivially destructible values; everything is freed with the arena. Addresses are stable, also
/// when the arena is moved.
class Arena {
 public:
  Arena() = default;
  Arena(Arena&& other) noexcept : blocks_(std::move(other.blocks_)), last_(std::exchange(other.last_, {})) {}
  Arena& operator=(Arena&& other) noexcept {
    close();
    blocks_ = std::move(other.blocks_);
    last_ = std::exchange(other.last_, {});
    return *this;
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() { close(); }

  template <class T, class... Args>
  T* make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (allocate(sizeof(T), alignof(T))) T(std::forward<Args>(args)...);
  }

  /// Copies `values` into the arena.
  template <class T>
  std::span<T> copy(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (values.empty()) return {};
    void* place = allocate(sizeof(T) * values.size(), alignof(T));
    std::memcpy(place, values.data(), sizeof(T) * values.size());
    return {static_cast<T*>(place), values.size()};
  }

  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    char* place = static_cast<char*>(allocate(text.size(), 1));
    std::memcpy(place, text.data(), text.size());
    return {place, text.size()};
  }

  [[nodiscard]] void* allocate(std::size_t size_bytes, std::size_t alignment) {
    auto address = (reinterpret_cast<std::uintptr_t>(last_.next) + alignment - 1) & ~(alignment - 1);
    if (last_.next == nullptr || address + size_bytes > reinterpret_cast<std::uintptr_t>(last_.end)) {
      grow(size_bytes + alignment);
      address = (reinterpret_cast<std::uintptr_t>(last_.next) + alignment - 1) & ~(alignment - 1);
    }
    last_.next = reinterpret_cast<std::byte*>(address + size_bytes);
    return reinterpret_cast<void*>(address);
  }

  /// Nothing more is expected: leaves the rest of its memory to other arenas. What is in it stays.
  void close() {
    if (last_.next == nullptr) return;
    blocks_.push_back(last_.whole);
    give_back(std::exchange(last_, {}));
  }

 private:
  void grow(std::size_t at_least_bytes) {
    close();
    last_ = take_block(at_least_bytes);
  }

  std::vector<std::shared_ptr<void>> blocks_;
  ArenaBlock last_;  ///< The one that is being filled.
};

}  // namespace lockstep
