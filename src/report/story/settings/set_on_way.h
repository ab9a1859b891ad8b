// Settings that the way to the changed code always sets: a function on it gives a configuration's field a value before
// it goes on, under no condition. Then the declared `None` is not what the changed code meets.
#pragma once

#include <string>

#include "report/story/story.h"

namespace lockstep::report {

/// "On the way told here, `train` (`training.py:40`) sets it to `optimizer.scale_loss` before": the last place on
/// `path` that does, of a setting whose default is `None` or `False`. Marked text, without a full stop; empty where
/// there is none, or where it may be another object's.
std::string set_on_way(const program::Program& program, const EntryPath& path, const Flag& flag);

}  // namespace lockstep::report
