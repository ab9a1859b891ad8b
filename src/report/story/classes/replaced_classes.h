// New classes whose objects stand where those of another class stood before, always or where a condition chooses them:
//   self.head = Head(…)   ->   head = FusedHead if fused(config) else Head      # FusedHead is new
#pragma once

#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

struct ReplacedClass {
  program::ClassId now;  ///< New with the change.
  program::ClassId was;  ///< On the side before.
};

/// Of names of classes in changed steps outside tests. Each pair once.
std::vector<ReplacedClass> replaced_classes(const DocumentInputs& inputs, const Story& story);

}  // namespace lockstep::report
