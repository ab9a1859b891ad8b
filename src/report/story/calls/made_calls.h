// The calls that the changed steps of a function make, before and after: which of them are new, which are gone.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// A call that one version of a function makes, for the comparison with the other.
struct MadeCall {
  const python::Call* call = nullptr;
  std::string callee;       ///< What it calls, by a name that both sides share.
  std::size_t repeats = 0;  ///< Loops and comprehensions around it.
};

/// By name: in how many loops each call that is gone stood.
using GoneCalls = std::map<std::string, std::multiset<std::size_t>>;

/// The calls of `steps`, but for those of steps that stay in `others` as they are and are made as often.
std::vector<MadeCall> changed_calls(const program::Program& program, const std::vector<Step>& steps,
                                    const std::vector<Step>& others);

/// All calls of the steps.
std::vector<MadeCall> all_calls(const program::Program& program, const std::vector<Step>& steps);

/// Whether a call is more than a means: it enters code of the repository, or does what is known to communicate, to
/// wait, to allocate and the like.
bool is_work(const program::Program& program, const python::Call& call);

/// Takes out one call of this name that is repeated at least as often; false where there is none.
bool take_call(GoneCalls& gone, const MadeCall& wanted);

/// Calls of the old version of a function that made the host wait for the GPU (ApiKind::kHostSync, and those of
/// tensors whose truth was asked) and that are gone. None where its changed lines make such a call still, in whatever
/// words.
std::vector<MadeCall> gone_waits(const DocumentInputs& inputs, const Actor& actor);

/// The same of calls that allocated on the device (ApiKind::kAllocation), but for those of one element or of none.
std::vector<MadeCall> gone_allocations(const DocumentInputs& inputs, const Actor& actor);

/// Waits that are gone from a loop where those that the changed lines make stand in fewer loops; none elsewhere.
std::vector<MadeCall> waits_gone_from_loops(const DocumentInputs& inputs, const Actor& actor);

/// "no longer calls `x.item()`, which reads one value to the host, …"; empty where there are none.
std::string gone_wait_words(const DocumentInputs& inputs, const Actor& actor);

}  // namespace lockstep::report
