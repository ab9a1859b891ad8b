// Values that a function took from the state of a module and takes from an object now, or the other way round: ranks
// and sizes of process groups from a collection that is handed in (`pg.tp.size()`) instead of from global getters
// (`parallel_state.get_tensor_model_parallel_world_size()`). One decision of the author, however many lines it takes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// One function in which at least two values come from another source.
struct ChangedSource {
  const Actor* actor = nullptr;
  std::string getters;        ///< Path of the file that defines the getters.
  std::string object;         ///< What gives the values on the other side: "pg_collection", "self.groups".
  bool is_parameter = false;  ///< The object is a parameter of the function.
  bool to_object = true;      ///< From the getters to the object; else back to the getters.
  std::vector<std::pair<std::string, std::string>> values;  ///< Texts before and after, each pair once.
  std::vector<Span> left;  ///< Calls of getters of the same file that the new version still makes.
};

/// In the order of the actors; tests left out, and objects that the change has the function make itself.
std::vector<ChangedSource> changed_sources(const DocumentInputs& inputs, const Story& story);

}  // namespace lockstep::report
