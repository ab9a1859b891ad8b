#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace lockstep::internal {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr,
               "lockstep: internal error: %s does not hold (%s:%d)\n"
               "This is a bug in Lockstep, not in your code. Please report it with the command that you ran.\n",
               condition, file, line);
  std::abort();
}

}  // namespace lockstep::internal
