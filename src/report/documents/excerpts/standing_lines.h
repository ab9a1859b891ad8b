// The alternatives that stand beside a new one (story/steps/choice_chains.h), each in two lines: what is asked, and the
// one call or value that it comes to, its arguments left out. They show what comes before what.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/story/wording/choice_words.h"

namespace lockstep::report {

struct StandingLine {
  std::size_t step = 0;               ///< Of the after side.
  std::uint32_t line = 0;             ///< Its first one, from 0.
  std::string text;                   ///< With its indent: "    x = f(…)".
  bool is_header = false;             ///< `elif a:`, `else:`.
  std::uint32_t new_alternative = 0;  ///< The line of the new alternative that it stands beside, from 0.
};

/// In the order of the source, of chains of which the alternatives are few.
std::vector<StandingLine> standing_lines(const Actor& actor, const ToldChoices& choices);

}  // namespace lockstep::report
