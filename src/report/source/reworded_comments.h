// Comments that a change only words a little otherwise: what they say is no news.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "change/change.h"

namespace lockstep::report {

/// The sentences of the comments that a change takes out of one file.
class RemovedComments {
 public:
  RemovedComments(const change::Change& change, std::string_view path);

  /// Whether one of them is `sentence` but for a few words that turn nothing round: "on line 14" and "below".
  [[nodiscard]] bool say_nearly(std::string_view sentence) const;

 private:
  std::vector<std::vector<std::string>> sentences_;  ///< Words, in lower case, without marks around them.
};

}  // namespace lockstep::report
