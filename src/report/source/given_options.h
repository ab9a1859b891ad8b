// Command-line options that scripts of shells and configuration files give: `--name value`, `--name=value`, `--name`,
// `--name: value` and `"--name": value`.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "report/source/defaults.h"

namespace lockstep::report {

/// What a file gives one option.
struct GivenOption {
  Value value;           ///< Unknown where it is worked out, takes several values, or is given twice.
  bool is_bare = false;  ///< The option alone, or with `true`.
};

/// By their whole spelling ("--x-y"), those outside comments.
std::map<std::string, GivenOption, std::less<>> given_options(std::string_view text);

}  // namespace lockstep::report
