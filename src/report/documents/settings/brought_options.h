// Options of a command line that come into being without a new field: code makes one of each field of a class, and
// leaves a field out no longer.
//   factory = ArgumentGroupFactory(Config, exclude=["a", "save_assets"])   # before
//   factory = ArgumentGroupFactory(Config, exclude=["a"])                  # after: "--save-assets"
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

struct BroughtOption {
  std::string name;           ///< Of the field.
  std::string argument;       ///< "--no-save-assets".
  program::ClassId cls;       ///< After the change: whose fields are made options.
  program::FunctionId maker;  ///< After the change: the function that has them made.
};

/// Those that changed functions outside tests bring, in the order of the fields' names. None where code spelled an
/// option of that name before, or where it cannot be told what option is made of the field.
std::vector<BroughtOption> brought_options(const DocumentInputs& inputs, const Story& story);

}  // namespace lockstep::report
