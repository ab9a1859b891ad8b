// Functions that follow others of the change, however long they are: new private ones do the work of what others do
// with them, what fits checkpoints follows the rest of its class.
//   def register_view(self, name): self._check_ranks(name)    # new
//   def _check_ranks(self, name): …                           # new, long
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

/// Where the heaviest entity is a new private function that the title does not name, the weightiest of the public
/// functions of the change that stand beside it and call it, by other private functions, too, comes before it, if it
/// weighs something itself and more of it changes than that call. What only functions of other classes call is what
/// they share.
void weigh_helpers(const DocumentInputs& inputs, std::vector<Actor>& actors);

/// Whether a name says that the function measures or reports what others do ("collect_metrics", "log_load"), where the
/// title does not speak of that. `title_words`: by name_words() of it.
bool reports_by_name(std::string_view name, const std::set<std::string>& title_words);

/// Where the heaviest entity is such a function, the weightiest other one comes before it, if it weighs something
/// itself: what is measured follows what is done.
void weigh_reports(const DocumentInputs& inputs, std::vector<Actor>& actors);

/// Where the heaviest entity reads or writes checkpoints (`sharded_state_dict`), of which the title does not speak, the
/// weightiest other method of its class comes before it, if it weighs something itself: what is saved follows what is
/// made and done.
void weigh_checkpoint_code(const DocumentInputs& inputs, std::vector<Actor>& actors);

}  // namespace lockstep::report
