// Memory for arenas: large blocks in huge pages, which one arena after the other fills. A file's tree takes a hundred
// kilobytes: in a block of its own it would cost a page fault for every 4 KiB.
#pragma once

#include <cstddef>
#include <memory>

namespace lockstep {

/// A piece of a block and a share in all of it: the block is freed with the last who has one.
struct ArenaBlock {
  std::shared_ptr<void> whole;
  std::byte* next = nullptr;
  std::byte* end = nullptr;
};

/// A piece of at least `at_least_bytes`, for the caller alone: what is left of a block that was given back, else new.
/// From any thread. Throws std::bad_alloc where there is no memory.
ArenaBlock take_block(std::size_t at_least_bytes);
/// Leaves what stands from `next` on to others. From any thread.
void give_back(ArenaBlock rest);

}  // namespace lockstep
