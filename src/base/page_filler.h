// Memory that will be written soon -> pages that are there when it is. Knows nothing of what they hold.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "base/huge_pages.h"

namespace lockstep {

/// Asks the system for the pages of ranges, on a thread of its own beside whoever will write there: on a virtual
/// machine a first write can cost a millisecond for each megabyte. Changes no content; ends with its owner. What it is
/// told of may be freed or moved in the meantime.
class PageFiller {
 public:
  PageFiller() = default;
  PageFiller(const PageFiller&) = delete;
  PageFiller& operator=(const PageFiller&) = delete;
  ~PageFiller() { stop(); }
  void start(std::vector<PageRange> ranges);
  void stop();

 private:
  std::atomic<bool> stops_ = false;
  std::thread thread_;
};

}  // namespace lockstep
