#include "base/huge_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace lockstep {
namespace {

std::size_t rounded(std::size_t size_bytes) {
  return (size_bytes + kHugeBlockBytes - 1) / kHugeBlockBytes * kHugeBlockBytes;
}

}  // namespace

void* map_huge(std::size_t size_bytes) {
  const std::size_t wanted = rounded(size_bytes);
  // One block more than wanted always holds an aligned one; what stands over is given back.
  const std::size_t mapped = wanted + kHugeBlockBytes;
  void* const start = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) throw std::bad_alloc();
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  const std::size_t skipped = (kHugeBlockBytes - address % kHugeBlockBytes) % kHugeBlockBytes;
  auto* const block = static_cast<std::byte*>(start) + skipped;
  if (skipped > 0) munmap(start, skipped);
  munmap(block + wanted, mapped - wanted - skipped);
  madvise(block, wanted, MADV_HUGEPAGE);  // a wish: without huge pages the memory is as good
  return block;
}

void unmap_huge(void* block, std::size_t size_bytes) noexcept { munmap(block, rounded(size_bytes)); }

}  // namespace lockstep
