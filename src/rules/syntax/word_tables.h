// Short tables of names that rules are written with, searched as they stand: they are too short for more to pay.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

namespace lockstep::rules {

inline bool has(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace lockstep::rules
