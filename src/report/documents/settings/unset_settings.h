// What a new setting does to those who do not set it.
#pragma once

#include <cstdint>
#include <string>

#include "report/story/story.h"

namespace lockstep::report {

/// Who sets a setting that is a function someone has to hand over.
enum class HookSetters : std::uint8_t { kNoHook, kSome, kTestsAlone, kNobody };
HookSetters setters_of_hook(const DocumentInputs& inputs, const Flag& flag);

/// "Off unless set", "Where it is not set, `x` (place) counts in its place", "Configurations that do not give it get
/// the default": marked text of a new setting. `unset_is_silent`: all that changes stands under new settings.
/// `is_settled`: set to whether the text leaves nothing to watch out for.
std::string unset_text(const DocumentInputs& inputs, const Story& story, const Flag& flag, bool unset_is_silent,
                       bool& is_settled);

}  // namespace lockstep::report
