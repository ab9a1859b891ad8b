// A call of a way that is made on an object of one class or another, where both lead on: which setting chooses.
#pragma once

#include <string>

#include "report/story/story.h"

namespace lockstep::report {

/// "`main` makes that call on a `DynamicEngine` only when `args.engine` is `"dynamic"` (`run.py:82`); otherwise
/// `StaticEngine.generate` is called, which leads there, too." Of the first such call of the way, where the choice goes
/// by a setting; without the second half where there are several others, or the other one does not lead there. Empty
/// where there is none.
std::string receiver_choice_text(const program::Program& program, const EntryPath& path);

/// "`Layer.dispatch` makes that call on an object of `FastDispatcher` only once `Layer.forward` gave `self.dispatcher`
/// one, when `is_fast` is set (`layer.py:12`)." Of the last such call of the way; empty where there is none,
/// or where the way tells that condition.
std::string receiver_holding_text(const program::Program& program, const EntryPath& path);

/// "`train_step` makes that call on an object of `PlainOptimizer` only where `make_optimizer` returns `parts[0]`, when
/// `use_fsdp` is set (`optim.py:40`); otherwise it is one of `ChainedOptimizer`." Of the first such call of the way;
/// empty where there is none.
std::string receiver_made_text(const program::Program& program, const EntryPath& path);

}  // namespace lockstep::report
