// Rules that a misspelt id may mean.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::rules {

/// The ids, three at most, that may be meant by one that is no rule's, the nearest first (base/nearest.h).
std::vector<std::string> nearest_rules(std::string_view id);

}  // namespace lockstep::rules
