// Functions around a change, each with what it is worth to a reader, why, and which of its lines matter: what the parts
// of pieces.h gather. Each way that leads to a function adds to its score.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "program/program.h"

namespace lockstep::writer {

/// One function on one side, why it may be shown, and which of its lines matter most.
struct Candidate {
  double score = 0;
  std::vector<std::pair<double, std::string>> why;
  std::map<std::uint32_t, std::uint32_t> lines;  ///< Calls, hunks, uses; and how many lines around each. Empty: all.
  std::set<std::string> paths;
  bool is_changed = false;

  void add_line(std::uint32_t line, std::uint32_t around) {
    std::uint32_t& known = lines[line];
    known = std::max(known, around);
  }
};

/// What leads to a function.
struct Lead {
  double score = 0;
  std::string why;   ///< Marked text.
  std::string path;  ///< The changed file that it comes from.
  std::optional<std::uint32_t> line = {};
  std::uint32_t around = 8;
};

class Candidates {
 public:
  /// (is before side, function)
  using Key = std::pair<bool, program::FunctionId>;

  void raise(Key key, Lead lead) {
    Candidate& candidate = all_[key];
    candidate.score += lead.score;
    const bool is_new = std::none_of(candidate.why.begin(), candidate.why.end(),
                                     [&](const auto& other) { return other.second == lead.why; });
    if (is_new) candidate.why.emplace_back(lead.score, std::move(lead.why));
    candidate.paths.insert(std::move(lead.path));
    if (lead.line) candidate.add_line(*lead.line, lead.around);
  }
  Candidate& operator[](Key key) { return all_[key]; }
  [[nodiscard]] const std::map<Key, Candidate>& all() const { return all_; }

 private:
  std::map<Key, Candidate> all_;
};

}  // namespace lockstep::writer
