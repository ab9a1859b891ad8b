// A bump allocator for values that die together and need no destructor (syntax trees).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace lockstep {

/// Owns memory for trivially destructible values; everything is freed with the arena. Addresses are stable, also
/// when the arena is moved.
class Arena {
 public:
  Arena() = default;
  Arena(Arena&&) noexcept = default;
  Arena& operator=(Arena&&) noexcept = default;

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
    auto address = (reinterpret_cast<std::uintptr_t>(next_) + alignment - 1) & ~(alignment - 1);
    if (next_ == nullptr || address + size_bytes > reinterpret_cast<std::uintptr_t>(end_)) {
      grow(size_bytes + alignment);
      address = (reinterpret_cast<std::uintptr_t>(next_) + alignment - 1) & ~(alignment - 1);
    }
    next_ = reinterpret_cast<std::byte*>(address + size_bytes);
    return reinterpret_cast<void*>(address);
  }

  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }

 private:
  void grow(std::size_t at_least_bytes) {
    // Blocks double from 16 KiB to 1 MiB: small files stay small, large ones need few blocks.
    const std::size_t wanted = std::clamp<std::size_t>(size_bytes_, 16u << 10, 1u << 20);
    const std::size_t block_bytes = std::max(wanted, at_least_bytes);
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(block_bytes));
    next_ = blocks_.back().get();
    end_ = next_ + block_bytes;
    size_bytes_ += block_bytes;
  }

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* next_ = nullptr;
  std::byte* end_ = nullptr;
  std::size_t size_bytes_ = 0;
};

}  // namespace lockstep
