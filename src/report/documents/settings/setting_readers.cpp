#include "report/documents/settings/setting_readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/source/code.h"

namespace lockstep::report {

std::string readers_text(const Flag& flag, const std::string& without) {
  // Who reads a setting that the whole repository reads says nothing of the change.
  constexpr std::size_t kMostReaders = 8;
  const bool is_its_name = !flag.more_may_read || flag.is_new;
  if (!is_its_name || (!flag.is_new && !flag.is_changed && flag.readers > kMostReaders)) return {};
  std::vector<std::string> readers;
  for (const std::string& one : flag.reader_names) {
    if (one != without && std::find(readers.begin(), readers.end(), one) == readers.end()) readers.push_back(one);
  }
  if (readers.empty()) return {};
  if (flag.readers > flag.reader_names.size()) readers.emplace_back("others");
  // Code of modules, and what reads it off objects that are not known, is not counted.
  return fmt::format("Its name is read at least in {}.", join_words(readers));
}

}  // namespace lockstep::report
