// The words that names are made of.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace lockstep::report {

/// Lower-case words of a title or name, split at everything that is no letter or digit and at capitals, of `shortest`
/// letters or more.
std::set<std::string> name_words(std::string_view text, std::size_t shortest = 3);
/// The same split at everything that is no letter or digit alone, of two letters or more: "RL".
std::set<std::string> split_words(std::string_view text);

}  // namespace lockstep::report
