// A chain that gets a new alternative (steps/choice_chains.h), in words: what the new one takes the place of, and what
// goes on as before.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "report/story/steps/choice_chains.h"

namespace lockstep::report {

/// "calls `f`", "sets `x` to `y`", "returns `z`", "raises `E`", "does nothing". `whole`: with the arguments of the
/// call.
std::string act_words(const Act& act, const SourceText& source, bool whole = false);

/// What is told of the chains of a function, and the steps that are told with them.
class ToldChoices {
 public:
  explicit ToldChoices(const Actor& actor);

  [[nodiscard]] const std::vector<ChoiceChain>& chains() const { return chains_; }
  /// "when `a` is set, calls `f` in place of `g` (where `b` is set, too) or `h`; otherwise as before" of the new
  /// alternative that begins at this step of the after side; empty for other steps.
  [[nodiscard]] std::string words(std::size_t after_step) const;
  /// The conditions under which the new alternative that begins at this step is asked for, the outer first.
  [[nodiscard]] std::vector<std::string> where(std::size_t after_step) const;
  /// Whether a chain tells the step, or it stands there as it did.
  [[nodiscard]] bool tells_after(std::size_t step) const { return after_.contains(step); }
  [[nodiscard]] bool tells_before(std::size_t step) const { return before_.contains(step); }

 private:
  struct Place {
    std::size_t chain;
    std::size_t alternative;
  };
  [[nodiscard]] std::optional<Place> place_of_step(std::size_t after_step) const;

  const Actor& actor_;
  std::vector<ChoiceChain> chains_;
  std::set<std::size_t> after_;
  std::set<std::size_t> before_;
};

}  // namespace lockstep::report
