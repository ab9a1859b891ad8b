#include "repo/patch_names.h"

#include <array>
#include <cctype>

#include "base/strings.h"

namespace lockstep::repo {
namespace {

constexpr std::string_view kNoFile = "/dev/null";

// A name in double quotes with C escapes, as Git writes it; gives the name and the rest of the line after it.
struct Quoted {
  std::string name;
  std::string_view rest;
};

std::optional<Quoted> parse_quoted(std::string_view text) {
  if (!text.starts_with('"')) return std::nullopt;
  constexpr std::string_view kEscapes = "abtnvfr\"\\";
  constexpr std::string_view kMeanings = "\a\b\t\n\v\f\r\"\\";
  Quoted quoted;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '"') {
      quoted.rest = text.substr(at + 1);
      return quoted;
    }
    if (text[at] != '\\') {
      quoted.name += text[at];
      continue;
    }
    if (++at == text.size()) return std::nullopt;
    const auto octal = [&](std::size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '7'; };
    if (const std::size_t known = kEscapes.find(text[at]); known != std::string_view::npos) {
      quoted.name += kMeanings[known];
    } else if (octal(at) && text[at] <= '3' && octal(at + 1) && octal(at + 2)) {
      quoted.name += static_cast<char>((text[at] - '0') * 64 + (text[at + 1] - '0') * 8 + (text[at + 2] - '0'));
      at += 2;
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "2002-02-21 23:30:39…" at the start of `text`.
bool starts_with_date(std::string_view text) {
  constexpr std::string_view kShape = "dddd-dd-dd dd:dd";
  if (text.size() < kShape.size()) return false;
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    if (kShape[i] == 'd' ? !is_digit(text[i]) : text[i] != kShape[i]) return false;
  }
  return true;
}

// 1970-01-01 in UTC is 1969-12-31 west of it. BSD's diff writes "Thu Jan  1 01:00:00 1970".
bool is_epoch(std::string_view stamp) {
  if (stamp.starts_with("1970-01-01 ") || stamp.starts_with("1969-12-31 ")) return true;
  return (contains(stamp, " Jan  1 ") && stamp.ends_with(" 1970")) ||
         (contains(stamp, " Dec 31 ") && stamp.ends_with(" 1969"));
}

std::string_view first_folder(std::string_view name) {
  const std::size_t slash = name.find('/');
  return slash == std::string_view::npos ? std::string_view() : name.substr(0, slash);
}

}  // namespace

HeaderName parse_file_line(std::string_view rest) {
  if (std::optional<Quoted> quoted = parse_quoted(rest)) {
    return {std::move(quoted->name), is_epoch(trim(quoted->rest))};
  }
  std::size_t end = rest.find('\t');
  if (end == std::string_view::npos) {
    // Some tools put a space before the timestamp. The first one wins; names rarely contain a date and time.
    for (std::size_t at = rest.find(' '); at != std::string_view::npos; at = rest.find(' ', at + 1)) {
      if (!starts_with_date(rest.substr(at + 1))) continue;
      end = at;
      break;
    }
  }
  const std::string_view name = rest.substr(0, end);
  const std::string_view stamp = end == std::string_view::npos ? std::string_view() : trim(rest.substr(end));
  return {std::string(name), is_epoch(stamp)};
}

std::string parse_plain_name(std::string_view rest) {
  if (std::optional<Quoted> quoted = parse_quoted(rest)) return std::move(quoted->name);
  return std::string(rest);
}

std::string without_first_folder(std::string_view name) {
  const std::size_t slash = name.find('/');
  return slash == std::string_view::npos ? std::string() : std::string(name.substr(slash + 1));
}

std::optional<std::pair<std::string, std::string>> parse_git_names(std::string_view rest) {
  if (std::optional<Quoted> first = parse_quoted(rest)) {
    if (!first->rest.starts_with(' ')) return std::nullopt;
    return std::pair(std::move(first->name), parse_plain_name(first->rest.substr(1)));
  }
  if (rest.ends_with('"')) {
    const std::size_t quote = rest.find(" \"");
    if (quote == std::string_view::npos) return std::nullopt;
    return std::pair(std::string(rest.substr(0, quote)), parse_plain_name(rest.substr(quote + 1)));
  }
  // Names may contain spaces, but both are one file's: equal, or equal without their first folder. Prefixes mostly have
  // one length, so the middle is tried first; then a bounded number of other places.
  const auto matches = [&](std::size_t space) {
    const std::string_view left = rest.substr(0, space), right = rest.substr(space + 1);
    if (left.empty() || right.empty()) return false;
    return left == right || (left.find('/') != std::string_view::npos && right.find('/') != std::string_view::npos &&
                             left.substr(left.find('/')) == right.substr(right.find('/')));
  };
  const auto at = [&](std::size_t space) {
    return std::pair(std::string(rest.substr(0, space)), std::string(rest.substr(space + 1)));
  };
  const std::size_t middle = rest.size() / 2;
  if (middle < rest.size() && rest[middle] == ' ' && matches(middle)) return at(middle);
  int tries = 64;
  for (std::size_t space = rest.find(' '); space != std::string_view::npos && tries-- > 0;
       space = rest.find(' ', space + 1)) {
    if (matches(space)) return at(space);
  }
  return std::nullopt;
}

bool has_prefixes(const std::pair<std::string, std::string>& names) { return names.first != names.second; }

NamePair strip_prefixes(const std::string& old_name, const std::string& new_name) {
  const auto alone = [](const std::string& name, char prefix) {
    // Only one name to judge by: Git's usual prefix is taken as one.
    return name.size() > 2 && name[0] == prefix && name[1] == '/' ? name.substr(2) : name;
  };
  if (old_name == kNoFile) return {"", new_name == kNoFile ? "" : alone(new_name, 'b')};
  if (new_name == kNoFile) return {alone(old_name, 'a'), ""};
  if (old_name == new_name) return {old_name, new_name};
  const std::string old_rest = without_first_folder(old_name), new_rest = without_first_folder(new_name);
  if (!old_rest.empty() && !new_rest.empty() &&
      (old_rest == new_rest || (first_folder(old_name) == "a" && first_folder(new_name) == "b"))) {
    return {old_rest, new_rest};
  }
  return {old_name, new_name};
}

}  // namespace lockstep::repo
