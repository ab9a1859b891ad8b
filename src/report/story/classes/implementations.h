// A new class that takes the place of others where code that was there runs: objects of it are made by that code, and
// calls that do not know the class enter its methods. What it does in that place, the change does.
#pragma once

#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// A method of a new class that code which was there calls.
struct EnteredMethod {
  const Actor* actor = nullptr;
  /// Who makes these calls: functions outside tests and outside the class that were there before, in their order.
  std::vector<program::FunctionId> callers;
  std::size_t brought = 0;  ///< How many functions that the change brings it calls itself.
  bool overrides = false;   ///< One of a class above: the calls may know that one alone.
};

/// The methods of `cls`, a new class, that functions outside it which were there before call; those that call most of
/// what the change brings come first, those that only moved there last; special methods are left out. Empty for any
/// other entity.
std::vector<EnteredMethod> entered_methods(const DocumentInputs& inputs, const std::vector<Actor>& actors,
                                           const Actor& cls);

/// What such a class does leads its constructor, and the class leads what only checks and derives settings for it.
void weigh_implementations(const DocumentInputs& inputs, std::vector<Actor>& actors);

}  // namespace lockstep::report
