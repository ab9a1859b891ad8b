// Which stream waits for which, before and after, as a table.
#pragma once

#include <string>
#include <vector>

#include "report/document.h"
#include "report/story/story.h"

namespace lockstep::report {

/// The order, and the functions that see to it on each side; empty where the change orders no streams otherwise.
struct StreamTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  ///< Marked text.
};
StreamTable stream_table(const DocumentInputs& inputs, const Story& story);

}  // namespace lockstep::report
