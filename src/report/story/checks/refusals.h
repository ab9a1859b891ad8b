// What a function refuses, before and after: under which conditions it raises or an assertion fails. A check that moves
// below another condition refuses less than before, one that asks for less refuses more, whatever the code looks like.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

class Refusals {
 public:
  explicit Refusals(const Actor& actor);

  /// Whether all that the check at this step of the old version refused is refused by one check of the new version.
  [[nodiscard]] bool is_still_refused(std::size_t before) const;
  /// The check of the old version that refused all that the one at this step of the new version refuses; Step::kNone
  /// where there is none.
  [[nodiscard]] std::size_t refused_before(std::size_t after) const;
  /// What the check at the step asks for beyond what that old one did: source texts of operands, as they have to be.
  [[nodiscard]] std::vector<Guard> further(std::size_t after, std::size_t before) const;

 private:
  /// All operands have to hold for the refusal.
  struct Refusal {
    std::size_t step = Step::kNone;
    std::vector<Guard> operands;
    std::set<std::string> texts;
  };
  static std::vector<Refusal> of(const std::vector<Step>& steps, const python::Node* function,
                                 const SourceText* source);
  static const Refusal* at(const std::vector<Refusal>& all, std::size_t step);
  /// Whether `narrow` holds only where `wide` does: each of its operands, or one alternative of it, is asked for.
  static bool implies(const Refusal& narrow, const Refusal& wide, const SourceText& source_of_wide);

  std::vector<Refusal> before_;
  std::vector<Refusal> after_;
  const SourceText* before_source_ = nullptr;
  const SourceText* after_source_ = nullptr;
};

}  // namespace lockstep::report
