#include "base/timings.h"

#include <fmt/format.h>
#include <sys/resource.h>

namespace lockstep {

Timings::Scope Timings::time(std::string phase) {
  phases_.push_back({std::move(phase), 0, 0});
  return Scope(*this, phases_.size() - 1);
}

Timings::Scope::~Scope() {
  Phase& phase = timings_.phases_[slot_];
  phase.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  phase.peak_memory_bytes = static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

std::string Timings::to_text() const {
  std::string text = fmt::format("{:<28}{:>12}{:>16}\n", "phase", "ms", "peak memory MB");
  for (const Phase& phase : phases_) {
    text += fmt::format("{:<28}{:>12.1f}", phase.name, phase.milliseconds);
    if (phase.peak_memory_bytes > 0)
      text += fmt::format("{:>16.1f}", static_cast<double>(phase.peak_memory_bytes) / 1e6);
    text += "\n";
  }
  return text;
}

}  // namespace lockstep
