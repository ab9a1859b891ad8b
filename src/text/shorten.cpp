#include "text/shorten.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/strings.h"

namespace lockstep {

namespace {

constexpr std::string_view kEllipsis = "\u2026";

/// Code points, as far as the text is UTF-8.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
}

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80u) != 0;
}

/// Whether the quotation mark starts a string literal: not the apostrophe of "doesn't".
bool starts_literal(std::string_view text, std::size_t at) {
  std::size_t start = at;
  while (start > 0 && is_name_char(text[start - 1])) --start;
  const std::string_view prefix = text.substr(start, at - start);
  return prefix.size() <= 2 && prefix.find_first_not_of("rRbBfFuU") == std::string_view::npos;
}

bool is_quote(char c) { return c == '"' || c == '\''; }

/// Past the string literal that starts at `at`; `at` where none does, or where it never ends.
std::size_t literal_end(std::string_view text, std::size_t at) {
  if (!is_quote(text[at]) || !starts_literal(text, at)) return at;
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text[at]) {
      return i + 1;
    }
  }
  return at;
}

/// A pair of brackets.
struct Group {
  std::size_t open = 0;
  std::size_t close = 0;
  std::size_t depth = 0;     ///< 1: within no other.
  bool is_droppable = true;  ///< Arguments, an index, elements; not what only groups: `(a or b) and c`.
  std::vector<std::size_t> commas;
};

/// `batch['tokens']`, `ranks[0]`: what the brackets hold says which one is meant.
bool is_key(std::string_view text, std::size_t open, std::size_t close) {
  constexpr std::size_t kLongest = 30;
  if (open == 0 || !(is_name_char(text[open - 1]) || text[open - 1] == ')' || text[open - 1] == ']')) return false;
  const std::string_view inner = text.substr(open + 1, close - open - 1);
  return !inner.empty() && inner.size() <= kLongest && inner.find_first_of("()[]{},:") == std::string_view::npos;
}

/// The groups that are closed, in the order of their closing brackets.
std::vector<Group> groups_of(std::string_view text) {
  std::vector<Group> out;
  std::vector<Group> open;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (const std::size_t end = literal_end(text, i); end > i) {
      i = end - 1;
    } else if (c == '(' || c == '[' || c == '{') {
      const bool follows_value = i > 0 && (is_name_char(text[i - 1]) || text[i - 1] == ')' || text[i - 1] == ']');
      open.push_back({i, 0, open.size() + 1, c != '(' || follows_value, {}});
    } else if (c == ',' && !open.empty()) {
      open.back().commas.push_back(i);
    } else if ((c == ')' || c == ']' || c == '}') && !open.empty()) {
      open.back().close = i;
      if (c == ']' && is_key(text, open.back().open, i)) open.back().is_droppable = false;
      out.push_back(std::move(open.back()));
      open.pop_back();
    }
  }
  return out;
}

/// With "…" in place of what the groups within others hold, of the last elements first, deepest and last groups first,
/// until it fits.
std::string without_inner(std::string_view text, std::size_t limit) {
  std::vector<Group> groups = groups_of(text);
  std::erase_if(groups, [](const Group& group) { return group.depth < 2 || !group.is_droppable; });
  std::sort(groups.begin(), groups.end(),
            [](const Group& a, const Group& b) { return a.depth != b.depth ? a.depth > b.depth : a.open > b.open; });
  std::vector<std::size_t> dropped(text.size(), 0);  // Where something goes: the end of it.
  std::size_t width = width_of(text);
  const auto shown_width = [&](std::size_t begin, std::size_t end) {
    std::size_t sum = 0;
    for (std::size_t i = begin; i < end;) {
      if (dropped[i] > i) {
        ++sum;
        i = dropped[i];
      } else {
        if ((static_cast<unsigned char>(text[i]) & 0xc0u) != 0x80u) ++sum;
        ++i;
      }
    }
    return sum;
  };
  for (const Group& group : groups) {
    if (width <= limit) break;
    const std::size_t inner = shown_width(group.open + 1, group.close);
    if (inner < 2) continue;
    // Of the one with which it fits, what has room stays.
    const auto fits = std::find_if(group.commas.rbegin(), group.commas.rend(), [&](std::size_t comma) {
      return width - inner + shown_width(group.open + 1, comma + 1) + 2 <= limit;
    });
    if (fits != group.commas.rend()) {
      dropped[*fits + 1] = group.close;
      break;
    }
    dropped[group.open + 1] = group.close;
    width -= inner - 1;
  }
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (dropped[i] > i) {
      if (text[i - 1] == ',') out += ' ';
      out += kEllipsis;
      i = dropped[i];
    } else {
      out += text[i++];
    }
  }
  return out;
}

/// "f(a, …)", "f(…)": without the last elements of a group that stands in no other, the last of these first; nullopt
/// where no group leaves enough.
std::optional<std::string> without_last_elements(std::string_view text, std::size_t limit) {
  std::string out(text);
  std::vector<Group> groups = groups_of(text);
  std::erase_if(groups, [](const Group& group) { return group.depth > 1 || !group.is_droppable; });
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    // From the most to the fewest elements that may stay.
    std::vector<std::size_t> ends = group->commas;
    std::reverse(ends.begin(), ends.end());
    for (const std::size_t comma : ends) {
      const std::string kept = out.substr(0, comma + 1) + " " + std::string(kEllipsis) + out.substr(group->close);
      if (width_of(kept) <= limit) return kept;
    }
    // A message says more than that there is one: its end goes, further down.
    const std::string_view inner = text.substr(group->open + 1, group->close - group->open - 1);
    const std::size_t quote = inner.find_first_of("\"'");
    const bool is_message = quote != std::string_view::npos && quote <= 2 && contains(inner, " ");
    if (is_message || group->close - group->open < 3) return std::nullopt;
    out = out.substr(0, group->open + 1) + std::string(kEllipsis) + out.substr(group->close);
    if (width_of(out) <= limit) return out;
  }
  return std::nullopt;
}

/// What closes the quote and the brackets that the text leaves open, innermost first.
std::string closers_of(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_quote(c) && starts_literal(text, i)) {
      const std::size_t end = literal_end(text, i);
      if (end == i) {
        out += c;  // It goes on past the cut.
        break;
      }
      i = end - 1;
    } else if (c == '(') {
      out += ')';
    } else if (c == '[') {
      out += ']';
    } else if (c == '{') {
      out += '}';
    } else if ((c == ')' || c == ']' || c == '}') && !out.empty()) {
      out.pop_back();
    }
  }
  std::reverse(out.begin(), out.end());
  return out;
}

/// Without its end: after a blank or an opening bracket where one is far enough on, else between two names.
std::string without_end(std::string_view text, std::size_t limit) {
  std::size_t strong = 0;
  std::size_t weak = 0;
  std::size_t hard = 0;
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size() && width < limit; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0u) == 0x80u) continue;
    // What stands before `i`, the "…" and what closes it have to fit.
    if (i > 0 && width + 1 + closers_of(text.substr(0, i)).size() <= limit) {
      hard = i;
      if (!is_name_char(text[i - 1]) || !is_name_char(text[i])) weak = i;
      if (contains(" ([{", text.substr(i - 1, 1))) strong = i;
    }
    ++width;
  }
  std::size_t cut = strong * 2 >= limit ? strong : weak;
  std::size_t name_end = cut;
  while (name_end < text.size() && is_name_char(text[name_end])) ++name_end;
  if (width_of(text.substr(cut, name_end - cut)) >= limit) cut = hard;
  const std::string_view kept = text.substr(0, cut);
  return std::string(kept) + std::string(kEllipsis) + closers_of(kept);
}

}  // namespace

std::string shortened(std::string_view text, std::size_t limit) {
  if (width_of(text) <= limit) return std::string(text);
  // What lies far behind the limit is not looked at: a statement may be a table of thousands of lines.
  text = cut_at_character(text, 16 * limit + 400);
  const std::string outer = without_inner(text, limit);
  if (width_of(outer) <= limit) return outer;
  if (std::optional<std::string> first = without_last_elements(outer, limit)) return *first;
  return without_end(text, limit);
}

}  // namespace lockstep
