// The steps that a function loses laid beside those that another one gains: what the one calls by other names than the
// other, and which steps are the same but for them.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/story/steps/moves/moving_steps.h"

namespace lockstep::report {

struct MovedPair {
  std::size_t here = 0;   ///< Of the before side's steps.
  std::size_t there = 0;  ///< Of the holder's after side.
  bool is_telling = false;
};

/// How many steps may be compared with one another for one change.
class ComparisonBudget {
 public:
  /// Whether so many pairs of one connection may be compared; then they count.
  bool take(std::size_t pairs, bool is_loose);

 private:
  std::size_t compared_ = 0;  ///< Pairs of steps of all calls so far.
  std::size_t compared_loosely_ = 0;
};

/// What the call gives the parameters of its callee, as words.
Renaming renaming_of(const LosingFunction& from, const Connection& one);
/// Text of what the step of the call sets to the call's result; empty for others.
std::string result_of(const LosingFunction& from, const Connection& one);
/// What the step of the call does with the value it gives on; null where that is nothing.
const python::Expr* value_of_site(const LosingFunction& from, const Connection& one);
/// Whether the step of the before side sets `target`, a text without layout.
bool sets(const LosingFunction& from, const Step& step, std::string_view target);

/// Fills in what the holder calls the locals of this function, as most of what is alike has it. `open`: the steps of
/// the before side that may have gone there; `result`: result_of().
void find_names(const LosingFunction& from, const Connection& one, const std::vector<std::size_t>& open,
                std::string_view result, Renaming& names);
/// The pairs of a common subsequence with the most words.
std::vector<MovedPair> align(const LosingFunction& from, const Connection& one, const std::vector<std::size_t>& open,
                             const Renaming& names, std::string_view result);
/// Drops stretches of neighbours of which too few say enough.
void keep_telling(std::vector<MovedPair>& pairs, std::size_t fewest);
/// Adds to `partners` neighbours of what moved that only changed on the way, and their steps here to `similar`.
void add_similar(const LosingFunction& from, const Connection& one, const std::vector<std::size_t>& open,
                 const Renaming& names, std::map<std::size_t, std::size_t>& partners, std::set<std::size_t>& similar);

}  // namespace lockstep::report
