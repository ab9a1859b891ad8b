// Scoped timers: how long each phase took, in the order in which phases started (`--timings`).
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace lockstep {

/// The phases of one run. Not thread-safe: phases are timed by the thread that runs the pipeline.
class Timings {
 public:
  struct Phase {
    std::string name;
    double milliseconds = 0;
    std::size_t peak_memory_bytes = 0;  ///< The process's peak resident set when the phase ended.
  };

  /// Stops at the end of its scope.
  class Scope {
   public:
    Scope(Timings& timings, std::size_t slot) : timings_(timings), slot_(slot) {}
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope();

   private:
    Timings& timings_;
    std::size_t slot_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  };

  [[nodiscard]] Scope time(std::string phase);
  /// A part of a phase that was timed elsewhere (on another thread).
  void add(std::string phase, double milliseconds) { phases_.push_back({std::move(phase), milliseconds, 0}); }
  [[nodiscard]] const std::vector<Phase>& phases() const { return phases_; }
  /// A table for people, one phase a line.
  [[nodiscard]] std::string to_text() const;

 private:
  std::vector<Phase> phases_;
};

}  // namespace lockstep
