// Two steps that do not need each other's results -> both done, at once where there are two threads to do them.
#pragma once

#include <cstddef>
#include <thread>

namespace lockstep {

/// Runs `first` on this thread and `second` beside it, or one after the other with less than two `jobs`; returns when
/// both are done. Neither may write what the other touches.
template <class First, class Second>
void side_by_side(std::size_t jobs, First&& first, Second&& second) {
  if (jobs < 2) {
    first();
    second();
    return;
  }
  std::thread other([&second] { second(); });
  first();
  other.join();
}

}  // namespace lockstep
