// Arguments of calls in labels, which have little room: the ones that a change is about are shown.
#pragma once

#include <string>

#include "report/story/story.h"

namespace lockstep::report {

/// The call that step `index` makes, `lead` before its arguments, where `shown`, how a label has the step, leaves out
/// an argument in which the call differs from the other version's or, of a step that this has not, from the call of the
/// same function there: "attend(…, causal=True)", with "…" for arguments that are alike. On at most `lines` lines.
/// Empty where `shown` leaves out none, and for other steps.
std::string told_call(const Actor& actor, std::size_t index, const std::string& shown, const std::string& lead,
                      std::size_t lines);
/// The same of the old version's step.
std::string told_old_call(const Actor& actor, std::size_t index, const std::string& shown, const std::string& lead,
                          std::size_t lines);
/// The step of the new version that makes the call: a plain statement that does little else; Step::kNone for others.
std::size_t step_with_call(const Actor& actor, const python::Node* call);

}  // namespace lockstep::report
