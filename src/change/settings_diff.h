// Two versions of a configuration file (YAML, TOML) -> what is set otherwise: keys with their old and new values, items
// of lists that come and go. Clauses for summaries, with names in back-quotes.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "change/yaml_text.h"

namespace lockstep::change {

/// Settings by dotted path, in the order of the file.
struct Settings {
  std::vector<std::pair<std::string, std::string>> values;              ///< A scalar or several lines of text.
  std::vector<std::pair<std::string, std::vector<std::string>>> lists;  ///< Of plain items.
};

/// Items that are mappings go by their `name`, `id` or `uses`, else by their number, or, with `by_first`, by what their
/// first key holds.
Settings settings_of_yaml(const YamlNode& root, bool by_first = false);
/// Keys of tables; values over several lines are read where they are arrays.
Settings settings_of_toml(std::string_view text);

/// "sets `a.b` to `2` (was `1`)", "adds `x>=1` to `a.list`", "removes `c.d`": at most `most`, and then how many more.
/// Empty where nothing that can be told differs.
std::vector<std::string> setting_clauses(const Settings& before, const Settings& after, std::size_t most);

/// The same of two files of YAML; items of sequences that come or go move no others.
std::vector<std::string> yaml_clauses(const YamlNode& before, const YamlNode& after, std::size_t most);

}  // namespace lockstep::change
