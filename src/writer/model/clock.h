// Time and chance, as far as the client of a model needs them; tests bring their own.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace lockstep::writer {

/// Raised once the user wants no more (Ctrl-C); may be null where nobody can.
using StopFlag = const std::atomic<bool>*;

inline bool is_raised(StopFlag stop) { return stop != nullptr && stop->load(std::memory_order_relaxed); }

class Clock {
 public:
  virtual ~Clock() = default;
  /// Seconds since 1970.
  virtual double now() = 0;
  /// Comes back early once `stop` is raised.
  virtual void sleep(double seconds, StopFlag stop) = 0;
  /// Evenly from 0 to 1: what many clients wait must differ, or they all come back at once.
  virtual double chance() = 0;
};

std::unique_ptr<Clock> make_system_clock();

}  // namespace lockstep::writer
