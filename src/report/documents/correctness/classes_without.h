// Methods that a change newly calls on an object which may be of several classes, some of which do not have them:
//   wrap = A if config.a else B          # elsewhere; B has no `release`
//   model[0].release()                   # new
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// A question for each such method, where the value flow gives the receiver classes of one family (with an ancestor in
/// the repository that has few heirs), neither a condition around the call asks for the object nor anything in the file
/// for the classes that have it, and no class that lacks the method can get it in another way. None where the call
/// moved, where the old code asked the same of objects of the class, or the function another thing that they lack. At
/// most two.
void add_classes_without(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
