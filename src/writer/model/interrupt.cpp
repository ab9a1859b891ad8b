#include "writer/model/interrupt.h"

#include <csignal>

namespace lockstep::writer {

namespace {

// A signal handler can reach nothing but what is static.
std::atomic<bool> is_interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void interrupt(int) { is_interrupted.store(true, std::memory_order_relaxed); }

void set_handler(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  // The second signal finds the default again: a program that hangs can always be ended.
  action.sa_flags = handler == &interrupt ? SA_RESETHAND : 0;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

InterruptWatch::InterruptWatch() {
  is_interrupted.store(false);
  set_handler(&interrupt);
}

InterruptWatch::~InterruptWatch() { set_handler(SIG_DFL); }

StopFlag InterruptWatch::flag() const { return &is_interrupted; }

}  // namespace lockstep::writer
