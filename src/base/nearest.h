// A name that nothing has → what a person who typed it may have meant.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

/// Edit distance as people mistype: two neighbouring letters that change places count once; upper and lower case, "-"
/// and "_" count as equal. Gives up above `limit` (returns limit + 1).
std::size_t typing_distance(std::string_view a, std::string_view b, std::size_t limit);

/// How many mistakes in a name still tell which name is meant: one in three letters, two at least from five on.
std::size_t typing_limit(std::string_view wanted);

/// The candidates that are near to `wanted`, begin with it or hold it; the nearest first, at most `most`.
std::vector<std::string> nearest_names(std::string_view wanted, std::span<const std::string_view> candidates,
                                       std::size_t most);

/// The same of paths: the last part weighs most, the folders above it decide among those that are alike in it.
/// `paths`: of files; folders above them are candidates, too. What is given ends without "/".
std::vector<std::string> nearest_paths(std::string_view wanted, std::span<const std::string_view> paths,
                                       std::size_t most);

/// "did you mean 'a'?", "did you mean 'a', 'b' or 'c'?"; empty where there is none.
std::string did_you_mean(std::span<const std::string> names);
/// That question, or `otherwise` where there is no name.
std::string did_you_mean_or(std::span<const std::string> names, std::string_view otherwise);

}  // namespace lockstep
