#include "base/page_filler.h"

#include <sys/mman.h>

#include <cstdint>

namespace lockstep {
namespace {

/// Ranges cut into pieces of one huge page, whole huge pages only: what is written a little at a time anyway stays.
std::vector<std::byte*> huge_pages_in(const std::vector<PageRange>& ranges) {
  std::vector<std::byte*> pages;
  for (const PageRange& range : ranges) {
    const auto start = reinterpret_cast<std::uintptr_t>(range.start);
    const std::uintptr_t end = start + range.size_bytes;
    for (std::uintptr_t page = (start + kHugeBlockBytes - 1) / kHugeBlockBytes * kHugeBlockBytes; page < end;
         page += kHugeBlockBytes) {
      pages.push_back(reinterpret_cast<std::byte*>(page));
    }
  }
  return pages;
}

void fill_page(std::byte* page) {
#ifdef MADV_POPULATE_WRITE
  madvise(page, kHugeBlockBytes, MADV_POPULATE_WRITE);  // a wish: where there is none, the first write asks
#else
  static_cast<void>(page);
#endif
}

}  // namespace

void fill_pages(const std::vector<PageRange>& ranges) {
  for (std::byte* const page : huge_pages_in(ranges)) fill_page(page);
}

}  // namespace lockstep
