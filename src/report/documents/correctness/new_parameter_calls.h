// The calls of functions that newly take a parameter with a default: which give it, and which do not.
#pragma once

#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Of one function and one of its new parameters; calls of tests are left out.
struct NewParameterCalls {
  program::FunctionId function;
  const python::Parameter* parameter = nullptr;
  std::vector<const program::CallSite*> giving;
  std::vector<const program::CallSite*> lacking;
  /// Calls with `*values` and without `**values`, of a function that takes no other positional arguments than before
  /// the new parameter: what they spread went into those before it.
  std::vector<const program::CallSite*> spreading;
};

/// Those of all changed functions outside tests, in the order of the story.
std::vector<NewParameterCalls> calls_of_new_parameters(const DocumentInputs& inputs, const Story& story);

/// Whether one of the calls stands at the same place.
bool has_call(const std::vector<const program::CallSite*>& sites, const program::CallSite& site);

/// Adds those that are not there.
void add_calls(std::vector<const program::CallSite*>& into, const std::vector<const program::CallSite*>& from);

}  // namespace lockstep::report
