// Settings that code gives another value than the declared one, after they were declared: where, and when.
#pragma once

#include <string>

#include "program/program.h"
#include "report/story/story.h"

namespace lockstep::report {

/// "`validate_args` (`arguments.py:40`) sets it to `True` where `args.fused` is set": the first place outside tests,
/// tools and examples, and how many more there are; and the first that switches it off (or on) again where it is set.
/// Constants only, given to an attribute of a configuration, or of `self` in the class that declares the setting.
/// Marked text, without a full stop; empty where there is none, and where the default is not a plain constant.
std::string set_elsewhere(const program::Program& program, const Flag& flag);

/// Whether code outside tests makes an object of the class that declares the setting, or of one that derives from it,
/// with another value for it: `CompileConfig(enable=True)` in the functions that configure runs. Then the declared
/// default says little of them.
bool is_made_otherwise(const program::Program& program, const Flag& flag);

}  // namespace lockstep::report
