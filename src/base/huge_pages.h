// Memory for large tables in huge pages, where the system gives them on request (Linux: transparent huge pages in mode
// "madvise" or "always"). Tables that are read at random all over cost a page-table walk for nearly every read
// otherwise, and a page fault for every 4 KiB when they are filled.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>
#include <vector>

namespace lockstep {

/// Blocks from this size on are mapped by themselves, in huge pages where possible.
inline constexpr std::size_t kHugeBlockBytes = std::size_t{2} << 20;

/// Zeroed memory of at least `size_bytes`, aligned to kHugeBlockBytes; throws std::bad_alloc where there is none.
void* map_huge(std::size_t size_bytes);
/// Gives back what map_huge gave for `size_bytes`.
void unmap_huge(void* block, std::size_t size_bytes) noexcept;

/// Allocator for std::vector: large blocks in huge pages, small ones from the heap.
template <class T>
struct HugeAllocator {
  using value_type = T;

  HugeAllocator() = default;
  template <class Other>
  explicit(false) HugeAllocator(const HugeAllocator<Other>& /*other*/) {}

  T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    const std::size_t size_bytes = count * sizeof(T);
    if (size_bytes >= kHugeBlockBytes) return static_cast<T*>(map_huge(size_bytes));
    return static_cast<T*>(::operator new (size_bytes, std::align_val_t{alignof(T)}));
  }
  void deallocate(T* block, std::size_t count) noexcept {
    const std::size_t size_bytes = count * sizeof(T);
    if (size_bytes >= kHugeBlockBytes) return unmap_huge(block, size_bytes);
    ::operator delete (block, std::align_val_t{alignof(T)});
  }
  friend bool operator==(const HugeAllocator&, const HugeAllocator&) { return true; }
};

template <class T>
using HugeVector = std::vector<T, HugeAllocator<T>>;

/// Memory that will be written soon.
struct PageRange {
  std::byte* start = nullptr;
  std::size_t size_bytes = 0;
};

/// The part of a table's memory from element `first` to before element `end`, at most its capacity. Empty for tables
/// that have no pages of their own.
template <class T>
PageRange pages_of(HugeVector<T>& table, std::size_t first, std::size_t end) {
  end = std::min(end, table.capacity());
  if (table.capacity() * sizeof(T) < kHugeBlockBytes || first >= end) return {};
  return {reinterpret_cast<std::byte*>(table.data() + first), (end - first) * sizeof(T)};
}

}  // namespace lockstep
