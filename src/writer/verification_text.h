// A verification → text for people, and JSON. Lines become 1-based here.
#pragma once

#include <string>
#include <string_view>

#include "writer/verify.h"

namespace lockstep::writer {

/// `LINE: KIND: 'TEXT': REASON; nearest: …`, nothing in it that a terminal would obey.
std::string problem_text(const CitationProblem& problem);
/// "2 things are false in 6 places, 4 names and 3 quoted lines."; then how much code without a place was not held.
std::string verification_summary(const Verification& verification);
/// `NAME:LINE: KIND: 'TEXT': REASON; nearest: …`, one line a problem, then a line that counts what was held.
std::string verification_text(const Verification& verification, std::string_view name);
/// `{"lockstep", "document", "held": {"places", "names", "lines"}, "not_held": [{"line", "lines"}], "problems":
/// [{"line", "kind", "text", "reason", "nearest"}]}`; "nearest" is null where nothing is near.
std::string verification_json(const Verification& verification, std::string_view name);

}  // namespace lockstep::writer
