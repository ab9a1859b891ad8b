// Lines that belong together since brackets which one opens are closed on another: a cut between them leaves code that
// nobody can read.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace lockstep::report {

/// Reads code line by line and says how many brackets are open.
class BracketReader {
 public:
  /// The number behind `line`; brackets in comments and strings do not count, and those that close what was not opened.
  int read(std::string_view line);
  [[nodiscard]] int depth() const { return depth_; }
  /// Behind a gap nothing is known to be open.
  void reset();

 private:
  std::size_t end_of_string(std::string_view line, std::size_t at);

  int depth_ = 0;
  char quote_ = 0;  ///< Of a string over several lines that is open.
};

/// The first and the last of the lines, which need not all be of it.
struct BracketGroup {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// `lines`: with their signs, "+ ", "- ", "  "; those with the sign `without` are of the other version.
std::vector<BracketGroup> bracket_groups(const std::vector<std::string_view>& lines, char without);

}  // namespace lockstep::report
