// The file names in a patch's headers: quotes, prefixes (a/ b/), timestamps. Private to this room.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace lockstep::repo {

/// A name of a header line, unquoted, as raw bytes with its prefix; "/dev/null" for none.
struct HeaderName {
  std::string raw;
  bool epoch =
      false;  ///< A timestamp of 1970-01-01 (or a time zone's view of it): `diff -N` for a file that is not there.
};

/// The name of a "--- " or "+++ " line, given what follows the marker.
HeaderName parse_file_line(std::string_view rest);
/// An unprefixed name ("rename from …").
std::string parse_plain_name(std::string_view rest);
/// The two names of "diff --git OLD NEW" with their prefixes, where they can be told apart (they name one file, or are
/// quoted).
std::optional<std::pair<std::string, std::string>> parse_git_names(std::string_view rest);

/// What both sides are called without their prefixes.
struct NamePair {
  std::string old_name;  ///< Empty for /dev/null.
  std::string new_name;
};
/// Drops "a/" and "b/" (or any other pair of first folders that differ); names that are equal have no prefix.
NamePair strip_prefixes(const std::string& old_name, const std::string& new_name);
/// Whether the pair of a "diff --git" line carries prefixes.
bool has_prefixes(const std::pair<std::string, std::string>& names);
/// The name without its first folder; empty when it has none.
std::string without_first_folder(std::string_view name);

}  // namespace lockstep::repo
