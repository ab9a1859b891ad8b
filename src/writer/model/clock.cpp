#include "writer/model/clock.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

namespace lockstep::writer {

namespace {

// How soon a raised flag ends a sleep.
constexpr double kSliceSeconds = 0.1;

class SystemClock final : public Clock {
 public:
  double now() override {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  }

  void sleep(double seconds, StopFlag stop) override {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (!is_raised(stop)) {
      const double left = std::chrono::duration<double>(end - std::chrono::steady_clock::now()).count();
      if (left <= 0) return;
      std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, kSliceSeconds)));
    }
  }

  double chance() override { return std::uniform_real_distribution<double>(0, 1)(random_); }

 private:
  std::mt19937 random_{std::random_device{}()};
};

}  // namespace

std::unique_ptr<Clock> make_system_clock() { return std::make_unique<SystemClock>(); }

}  // namespace lockstep::writer
