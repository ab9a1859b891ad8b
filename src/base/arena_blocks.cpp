#include "base/arena_blocks.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "base/huge_pages.h"

namespace lockstep {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{4} << 20;
/// Values from this size on get memory of their own, so that no block is left for them half used.
constexpr std::size_t kLargeBytes = kBlockBytes / 8;
/// A rest below this is not worth keeping.
constexpr std::size_t kSmallestRestBytes = std::size_t{4} << 10;

struct Spares {
  std::mutex mutex;
  std::vector<ArenaBlock> blocks;  ///< As many as arenas are filled at once.
};

/// Never destroyed: arenas may be, after all else.
Spares& spares() {
  static auto* const all = new Spares;
  return *all;
}

ArenaBlock own_memory(std::size_t size_bytes) {
  std::shared_ptr<std::byte[]> memory(new std::byte[size_bytes]);
  std::byte* const start = memory.get();
  return {std::move(memory), start, start + size_bytes};
}

ArenaBlock new_block() {
  auto* const start = static_cast<std::byte*>(map_huge(kBlockBytes));
  return {std::shared_ptr<void>(start, [](void* block) { unmap_huge(block, kBlockBytes); }), start,
          start + kBlockBytes};
}

}  // namespace

ArenaBlock take_block(std::size_t at_least_bytes) {
#ifdef __SANITIZE_ADDRESS__
  // A write past the end of one arena must not look like one into the next.
  return own_memory(std::max(at_least_bytes, kSmallestRestBytes));
#endif
  if (at_least_bytes >= kLargeBytes) return own_memory(at_least_bytes);
  {
    Spares& all = spares();
    const std::lock_guard lock(all.mutex);
    while (!all.blocks.empty()) {
      ArenaBlock block = std::move(all.blocks.back());
      all.blocks.pop_back();
      if (static_cast<std::size_t>(block.end - block.next) >= at_least_bytes) return block;
    }
  }
  return new_block();
}

void give_back(ArenaBlock rest) {
  if (static_cast<std::size_t>(rest.end - rest.next) < kSmallestRestBytes) return;
  Spares& all = spares();
  const std::lock_guard lock(all.mutex);
  all.blocks.push_back(std::move(rest));
}

}  // namespace lockstep
