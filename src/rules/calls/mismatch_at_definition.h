// Calls that do not fit one definition, told once at the definition: where a change breaks several callers outside of
// its own lines, and where a check of some files meets callers in others. Findings at calls in, the same with those
// calls put together out.
#pragma once

#include <functional>
#include <vector>

#include "rules/finding.h"
#include "rules/place.h"

namespace lockstep::rules {

/// Whether a line (from 0) of a file is one to speak about: changed by the review, or in a file that is checked.
using IsSubject = std::function<bool(std::string_view path, std::uint32_t line)>;

/// `findings`: of calls that do not fit, whose first evidence is the definition. From `fewest` calls on that are no
/// subject, of one definition that is, with one message, they become one finding there.
std::vector<Finding> told_at_definitions(std::vector<Finding> findings, const program::Program& program,
                                         const IsSubject& is_subject_call, const IsSubject& is_subject_definition,
                                         std::size_t fewest);

}  // namespace lockstep::rules
