#include "change/settings_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "change/summary.h"

namespace lockstep::change {

namespace {

using List = std::vector<std::string>;

/// What the first key of a mapping holds, where that is one short text.
std::string_view first_text(const YamlNode& item) {
  constexpr std::size_t kLongest = 100;
  std::string_view text = item.children.empty() ? std::string_view() : item.children.front().value;
  if (text.starts_with('[') && text.ends_with(']') && !contains(text, ","))
    text = trim(text.substr(1, text.size() - 2));
  return text.size() <= kLongest && !contains(text, "\n") ? without_quotes(text) : std::string_view();
}

/// What people call an item of a sequence of mappings. With `by_first`, one that has no name goes by what its first key
/// holds, if no other one of the sequence has that.
std::string item_name(const YamlNode& sequence, const YamlNode& item, std::size_t number, bool by_first) {
  for (const std::string_view key : {"name", "id", "uses"}) {
    const std::string_view text = item.text_of(key);
    if (!text.empty()) return std::string(text);
  }
  const std::string_view first = by_first ? first_text(item) : std::string_view();
  const auto is_same = [&](const YamlNode& one) { return first_text(one) == first; };
  const bool is_own = !first.empty() && std::count_if(sequence.children.begin(), sequence.children.end(), is_same) == 1;
  return is_own ? std::string(first) : std::to_string(number);
}

void flatten(const YamlNode& node, const std::string& path, bool by_first, Settings& out) {
  List items;
  std::size_t number = 0;  // As Python counts.
  const std::string dot = path.empty() ? "" : path + ".";
  for (const YamlNode& child : node.children) {
    if (child.is_item && child.children.empty()) {
      items.push_back(child.value);
    } else if (child.is_item) {
      flatten(child, fmt::format("{}[{}]", path, item_name(node, child, number++, by_first)), by_first, out);
    } else if (child.value.starts_with('[') && child.value.ends_with(']')) {
      out.lists.emplace_back(dot + child.key, child.items());
    } else if (child.children.empty()) {
      out.values.emplace_back(dot + child.key, child.value);
    } else {
      flatten(child, dot + child.key, by_first, out);
    }
  }
  if (!items.empty()) out.lists.emplace_back(path, std::move(items));
}

/// A line of TOML without its comment.
std::string_view toml_code(std::string_view line) {
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quote != '\0') {
      if (line[i] == quote) quote = '\0';
    } else if (line[i] == '"' || line[i] == '\'') {
      quote = line[i];
    } else if (line[i] == '#') {
      return trim(line.substr(0, i));
    }
  }
  return trim(line);
}

/// Brackets that stay open at the end, outside strings.
int open_arrays(std::string_view text) {
  int open = 0;
  char quote = '\0';
  for (const char c : text) {
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[') {
      ++open;
    } else if (c == ']') {
      --open;
    }
  }
  return open;
}

/// The strings of an array, else its comma-separated pieces.
List array_items(std::string_view text) {
  List out;
  text = text.substr(1, text.size() - 2);
  std::size_t begin = 0;
  char quote = '\0';
  int depth = 0;
  const auto take = [&](std::size_t end) {
    const std::string_view item = trim(text.substr(begin, end - begin));
    if (!item.empty()) out.emplace_back(without_quotes(item));
    begin = end + 1;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      take(i);
    }
  }
  take(text.size());
  return out;
}

/// Of a key that a file sets twice, what it sets last: so do readers of YAML that accept it.
template <class Value>
std::map<std::string, Value> by_path(const std::vector<std::pair<std::string, Value>>& settings) {
  std::map<std::string, Value> out;
  for (const auto& [path, value] : settings) out.insert_or_assign(path, value);
  return out;
}

/// Each path once, in the order of the file, with what it is set to last.
template <class Value>
std::vector<std::pair<std::string, Value>> once(const std::vector<std::pair<std::string, Value>>& settings,
                                                const std::map<std::string, Value>& last) {
  std::vector<std::pair<std::string, Value>> out;
  std::set<std::string_view> seen;
  for (const auto& [path, value] : settings) {
    if (seen.insert(path).second) out.emplace_back(path, last.at(path));
  }
  return out;
}

/// Paths and all that they lead through: "a.b.c" gives "a", "a.b" and "a.b.c".
std::set<std::string, std::less<>> prefixes(const Settings& settings) {
  std::set<std::string, std::less<>> out;
  const auto add = [&](const std::string& path) {
    for (std::size_t i = 1; i < path.size(); ++i) {
      if (path[i] == '.' || path[i] == '[') out.insert(path.substr(0, i));
    }
    out.insert(path);
  };
  for (const auto& [path, value] : settings.values) add(path);
  for (const auto& [path, value] : settings.lists) add(path);
  return out;
}

/// The outermost part of `path` that the other side lacks.
std::string outermost_missing(const std::string& path, const std::set<std::string, std::less<>>& other) {
  for (std::size_t i = 1; i < path.size(); ++i) {
    const bool ends_part = path[i] == '.' || path[i] == '[';
    if (ends_part && !other.contains(path.substr(0, i))) return path.substr(0, i);
  }
  return path;
}

bool is_short(std::string_view value) { return !value.empty() && value.size() <= 60 && !contains(value, "\n"); }

/// The package that an item of a list of dependencies names; the item itself otherwise.
std::string_view package_of(std::string_view item) {
  const auto end = std::ranges::find_if(item, [](char c) { return contains("=<>!~;@ [", std::string_view(&c, 1)); });
  return item.substr(0, static_cast<std::size_t>(end - item.begin()));
}

/// What one list gained and lost, packages paired by name.
std::vector<std::string> list_clauses(const std::string& path, const List& before, const List& after) {
  List gone, come;
  const auto has = [](const List& list, const std::string& item) {
    return std::find(list.begin(), list.end(), item) != list.end();
  };
  for (const std::string& item : before) {
    if (!has(after, item)) gone.push_back(item);
  }
  for (const std::string& item : after) {
    if (!has(before, item)) come.push_back(item);
  }
  std::vector<std::string> out, added, removed;
  for (const std::string& item : come) {
    const auto old = std::find_if(gone.begin(), gone.end(), [&](const std::string& other) {
      return package_of(other) == package_of(item) && !package_of(item).empty();
    });
    if (old == gone.end()) {
      added.push_back(quoted_name(item));
      continue;
    }
    out.push_back(fmt::format("{} → {} in {}", quoted_name(*old), quoted_name(item), quoted_name(path)));
    gone.erase(old);
  }
  for (const std::string& item : gone) removed.push_back(quoted_name(item));
  if (out.empty() && added.size() == 1 && removed.size() == 1 && before.size() == 1 && after.size() == 1)
    return {fmt::format("sets {} to {} (was {})", quoted_name(path), added.front(), removed.front())};
  if (!added.empty()) out.push_back(fmt::format("adds {} to {}", list_names(added), quoted_name(path)));
  if (!removed.empty()) out.push_back(fmt::format("removes {} from {}", list_names(removed), quoted_name(path)));
  return out;
}

/// Clauses on settings that stand on one side alone: of a whole missing part its name.
class OneSided {
 public:
  OneSided(std::string_view verb, const std::set<std::string, std::less<>>& other) : verb_(verb), other_(other) {}

  void add(const std::string& path, const std::string& value) {
    const std::string part = outermost_missing(path, other_);
    if (part == path && is_short(value) && verb_ == "adds") {
      clauses_.push_back(fmt::format("sets {} to {}", quoted_name(path), quoted_name(value)));
    } else if (told_.insert(part).second) {
      names_.push_back(quoted_name(part));
    }
  }
  void add(const std::string& path, const List& items) {
    List names;
    for (const std::string& item : items) names.push_back(quoted_name(item));
    const std::string part = outermost_missing(path, other_);
    if (part == path && !names.empty()) {
      clauses_.push_back(fmt::format("{} {} ({})", verb_, quoted_name(path), list_names(names)));
    } else if (told_.insert(part).second) {
      names_.push_back(quoted_name(part));
    }
  }
  [[nodiscard]] std::vector<std::string> take() {
    if (!names_.empty()) clauses_.push_back(fmt::format("{} {}", verb_, list_names(names_)));
    return std::move(clauses_);
  }

 private:
  std::string_view verb_;
  const std::set<std::string, std::less<>>& other_;
  std::set<std::string> told_;
  List names_;
  std::vector<std::string> clauses_;
};

void append(std::vector<std::string>& to, std::vector<std::string> from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

std::string value_clause(const std::string& path, const std::string& old_value, const std::string& value) {
  if (!is_short(value) || !is_short(old_value)) return fmt::format("changes {}", quoted_name(path));
  return fmt::format("sets {} to {} (was {})", quoted_name(path), quoted_name(value), quoted_name(old_value));
}

/// How many items of sequences are mappings.
std::size_t mappings_in(const YamlNode& node) {
  std::size_t out = node.is_item && !node.children.empty() ? 1 : 0;
  for (const YamlNode& child : node.children) out += mappings_in(child);
  return out;
}

}  // namespace

Settings settings_of_yaml(const YamlNode& root, bool by_first) {
  Settings out;
  flatten(root, "", by_first, out);
  return out;
}

std::vector<std::string> yaml_clauses(const YamlNode& before, const YamlNode& after, std::size_t most) {
  // Where items come or go, those behind them have other numbers.
  const bool by_first = mappings_in(before) != mappings_in(after);
  return setting_clauses(settings_of_yaml(before, by_first), settings_of_yaml(after, by_first), most);
}

Settings settings_of_toml(std::string_view text) {
  constexpr std::size_t kMostLines = 20'000;
  Settings out;
  std::string table;
  const std::vector<std::string_view> lines = split_lines(text);
  for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i) {
    const std::string_view line = toml_code(lines[i]);
    if (line.starts_with('[') && line.ends_with(']')) {
      const std::size_t begin = line.find_first_not_of('[');
      const std::size_t end = line.find(']');
      if (begin == std::string_view::npos || begin >= end) continue;
      table = std::string(trim(line.substr(begin, end - begin)));
      // One of an array of tables goes by its name.
      const std::string_view next = i + 1 < lines.size() ? toml_code(lines[i + 1]) : std::string_view();
      if (begin > 1 && next.starts_with("name = ")) table += fmt::format("[{}]", without_quotes(next.substr(7)));
      continue;
    }
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    const std::string key(without_quotes(line.substr(0, equals)));
    std::string value(trim(line.substr(equals + 1)));
    if (value.starts_with('[')) {
      for (int open = open_arrays(value); open > 0 && i + 1 < lines.size(); ++i) {
        const std::string_view more = toml_code(lines[i + 1]);
        open += open_arrays(more);
        value.append(" ").append(more);
      }
    }
    // Text over several lines may hold anything.
    if (value == "\"\"\"" || value == "'''") {
      while (i + 1 < lines.size() && !contains(lines[i + 1], value)) ++i;
      ++i;
      value = "several lines";
    }
    const std::string path = table.empty() ? key : table + "." + key;
    if (value.starts_with('[') && value.ends_with(']')) {
      out.lists.emplace_back(path, array_items(value));
    } else {
      out.values.emplace_back(path, std::string(without_quotes(value)));
    }
  }
  return out;
}

std::vector<std::string> setting_clauses(const Settings& before, const Settings& after, std::size_t most) {
  const auto old_values = by_path(before.values), new_values = by_path(after.values);
  const auto old_lists = by_path(before.lists), new_lists = by_path(after.lists);
  const auto on_left = prefixes(before), on_right = prefixes(after);
  std::vector<std::string> out;
  OneSided added("adds", on_left), removed("removes", on_right);
  for (const auto& [path, value] : once(after.values, new_values)) {
    const auto old = old_values.find(path);
    if (old == old_values.end()) {
      added.add(path, value);
    } else if (old->second != value) {
      out.push_back(value_clause(path, old->second, value));
    }
  }
  for (const auto& [path, list] : once(after.lists, new_lists)) {
    const auto old = old_lists.find(path);
    if (old == old_lists.end()) {
      added.add(path, list);
    } else {
      append(out, list_clauses(path, old->second, list));
    }
  }
  for (const auto& [path, value] : once(before.values, old_values)) {
    if (!new_values.contains(path)) removed.add(path, value);
  }
  for (const auto& [path, list] : once(before.lists, old_lists)) {
    if (!new_lists.contains(path)) removed.add(path, list);
  }
  append(out, added.take());
  append(out, removed.take());
  if (out.size() > most) {
    const std::size_t rest = out.size() - most;
    out.resize(most);
    out.push_back(count_of(rest, "more setting"));
  }
  return out;
}

}  // namespace lockstep::change
