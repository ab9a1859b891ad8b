// The parameters that a change brings to functions, as it is told of them in "what": their documentation, and who gives
// them.
#pragma once

#include <set>
#include <string>

#include "report/story/story.h"

namespace lockstep::report {

/// What is told of new parameters, of each once, whichever functions take it.
class NewParameters {
 public:
  explicit NewParameters(const DocumentInputs& inputs) : inputs_(inputs) {}

  /// What is said of the new parameters with defaults of a changed function where they are documented best, in the
  /// author's words, and whether other code names or gives them: of at most two; empty where there is nothing to say.
  std::string words(const Actor& actor);

 private:
  const DocumentInputs& inputs_;
  std::set<std::string> told_;  ///< Sentences.
};

}  // namespace lockstep::report
