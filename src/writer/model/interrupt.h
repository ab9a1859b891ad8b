// Ctrl-C while a document is written -> a flag: what the model has written so far is kept and the document is ended
// properly. A second Ctrl-C ends the program as usual.
#pragma once

#include "writer/model/clock.h"

namespace lockstep::writer {

/// While it lives, SIGINT and SIGTERM raise flag(). At most one lives at a time.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  [[nodiscard]] StopFlag flag() const;
};

}  // namespace lockstep::writer
