// CHECK: our own mistakes stop the program, in release builds too. Wrong input never does: it is a problem, a
// finding or a Result.
#pragma once

namespace lockstep::internal {
[[noreturn]] void check_failed(const char* condition, const char* file, int line);
}  // namespace lockstep::internal

#define CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::lockstep::internal::check_failed(#condition, __FILE__, __LINE__))
