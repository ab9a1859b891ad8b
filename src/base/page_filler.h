// Memory that will be written soon -> pages that are there when it is. Knows nothing of what they hold.
#pragma once

#include <vector>

#include "base/huge_pages.h"

namespace lockstep {

/// Asks the system for the pages of ranges; to be run beside whoever will write there: on a virtual machine a first
/// write can cost a millisecond for each megabyte. Changes no content. Ranges may be freed or moved in the meantime.
void fill_pages(const std::vector<PageRange>& ranges);

}  // namespace lockstep
