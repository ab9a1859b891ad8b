// The methods of a new class as a table: which of them code that was there calls, and what each one is for or does.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

struct MethodTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  ///< Marked cells; empty where there is nothing to say.
  std::size_t left = 0;                        ///< Methods that have no row.
};

/// At most `most` of the methods: those first that calls enter which knew a class above, then in the order of the class
/// with inner ones last. Where not all have a row, only methods that say what they do have one.
MethodTable method_table(const DocumentInputs& inputs, const Story& story, const Actor& cls, std::size_t most);

}  // namespace lockstep::report
