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
  [[nodiscard]] bool has(Key key) const { return all_.contains(key); }
  /// Makes `inner`, which stands in lines `first` to `last`, part of `outer`; does nothing where it is none.
  void join(Key inner, Key outer, std::uint32_t first, std::uint32_t last) {
    const auto found = all_.find(inner);
    if (found == all_.end()) return;
    Candidate part = std::move(found->second);
    all_.erase(found);
    const bool is_known = all_.contains(outer);
    Candidate& whole = all_[outer];
    whole.score = std::max(whole.score, part.score) + kJoined * std::min(whole.score, part.score);
    for (auto& [score, why] : part.why) {
      const bool is_new =
          std::none_of(whole.why.begin(), whole.why.end(), [&](const auto& one) { return one.second == why; });
      if (is_new) whole.why.emplace_back(score, std::move(why));
    }
    whole.paths.merge(part.paths);
    whole.is_changed = whole.is_changed || part.is_changed;
    if (is_known && whole.lines.empty()) return;  // It is shown whole.
    for (const auto& [line, around] : part.lines) whole.add_line(line, around);
    for (std::uint32_t line = first; part.lines.empty() && line <= last; ++line) whole.add_line(line, 0);
  }

 private:
  static constexpr double kJoined = 0.3;  // of the smaller score of two that are one piece

  std::map<Key, Candidate> all_;
};

}  // namespace lockstep::writer
