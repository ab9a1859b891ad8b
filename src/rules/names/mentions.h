// Names that a piece of source mentions, in code and in texts: `--spec package.module get_spec` of a command line means
// the function as much as a call does. Knows no rule.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <unordered_map>

#include "program/program.h"
#include "python/tree.h"

namespace lockstep::rules {

/// The names that a text means: the whole of a text of one word (of a dotted word its last part), each dotted word's
/// last part and the word that follows it, and each word of a text that starts with `-` (a command line).
void for_each_name_in_text(std::string_view text, const std::function<void(std::string_view)>& visit);

/// Names, attributes, imported names and names in texts, in `node` and below it. The views live as long as the tree.
void for_each_mention(const python::Node& node, const std::function<void(std::string_view)>& visit);

/// How often `name` stands in `source` as a word, comments and texts included.
std::size_t times_written(std::string_view source, std::string_view name);

/// How often each of the `names` stands in a source, or in those of all modules, as above. Linear in the sources,
/// however many names there are.
std::unordered_map<std::string_view, std::size_t> times_written(std::string_view source,
                                                                std::span<const std::string_view> names);
std::unordered_map<std::string_view, std::size_t> times_written(const program::Program& program,
                                                                std::span<const std::string_view> names);

}  // namespace lockstep::rules
