#include "base/worker_pool.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace lockstep {

std::size_t default_job_count() { return std::max(1u, std::thread::hardware_concurrency()); }

void parallel_for(std::size_t count, std::size_t jobs, const std::function<void(std::size_t)>& work) {
  jobs = std::min(std::max<std::size_t>(jobs, 1), count);
  if (jobs <= 1) {
    for (std::size_t i = 0; i < count; ++i) work(i);
    return;
  }
  std::atomic<std::size_t> next = 0;
  auto run = [&] {
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) work(i);
  };
  std::vector<std::thread> threads;
  threads.reserve(jobs - 1);
  for (std::size_t t = 1; t < jobs; ++t) threads.emplace_back(run);
  run();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace lockstep
