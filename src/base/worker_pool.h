// Data-parallel loops. Work items write into slots of their own, so results never depend on the thread count.
#pragma once

#include <cstddef>
#include <functional>

namespace lockstep {

/// How many threads to use when the user names none: the cores of this machine, at least 1.
std::size_t default_job_count();

/// Runs `work(i)` for every i in [0, count), on at most `jobs` threads; returns when all are done. Items are taken in
/// order, so put the largest first. `work` must only write to what belongs to its own item.
void parallel_for(std::size_t count, std::size_t jobs, const std::function<void(std::size_t)>& work);

}  // namespace lockstep
