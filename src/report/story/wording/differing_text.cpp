#include "report/story/wording/differing_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "base/find_text.h"
#include "base/strings.h"
#include "report/document.h"
#include "text/shorten.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Words that one text has more often than the other.
std::vector<std::string> own_words_of(const std::string& text, const std::string& other) {
  const auto words = [](const std::string& of) {
    std::map<std::string, int> out;
    for (std::size_t i = 0; i < of.size();) {
      std::size_t end = i;
      while (end < of.size() && is_name_char(of[end])) ++end;
      if (end > i) ++out[of.substr(i, end - i)];
      i = std::max(end, i + 1);
    }
    return out;
  };
  const std::map<std::string, int> theirs = words(other);
  std::vector<std::string> out;
  for (const auto& [word, count] : words(text)) {
    const auto found = theirs.find(word);
    if (found == theirs.end() || found->second < count) out.push_back(word);
  }
  return out;
}

/// Whether two shortened texts show what differs between the whole ones: a word that one has and the other has not.
bool show_difference(const std::pair<std::string, std::string>& cut, const std::string& left,
                     const std::string& right) {
  if (cut.first == cut.second) return false;
  const std::vector<std::string> gone = own_words_of(left, right);
  const std::vector<std::string> come = own_words_of(right, left);
  if (gone.empty() && come.empty()) return true;
  const std::vector<std::string> shown_gone = own_words_of(cut.first, cut.second);
  const std::vector<std::string> shown_come = own_words_of(cut.second, cut.first);
  const auto shows = [](const std::vector<std::string>& all, const std::vector<std::string>& shown) {
    return std::any_of(all.begin(), all.end(), [&](const std::string& word) {
      return std::find(shown.begin(), shown.end(), word) != shown.end();
    });
  };
  return shows(gone, shown_gone) || shows(come, shown_come);
}

}  // namespace

std::pair<std::string, std::string> where_they_differ(const SourceText& before_source, Span before,
                                                      const SourceText& after_source, Span after, std::size_t limit) {
  const std::string left = one_line_whole(before_source, before);
  const std::string right = one_line_whole(after_source, after);
  std::size_t same = 0;
  while (same < left.size() && same < right.size() && left[same] == right[same]) ++same;
  if (same + 20 < limit || std::max(left.size(), right.size()) <= limit) {
    std::pair<std::string, std::string> cut = {one_line(before_source, before, limit),
                                               one_line(after_source, after, limit)};
    // A word that only one of the two has is what changed: with it cut off, the rest says little.
    const auto loses_own = [](const std::string& shown, const std::string& text, const std::string& other) {
      const std::vector<std::string> own = own_words_of(text, other);
      return std::any_of(own.begin(), own.end(), [&](const std::string& word) { return !contains(shown, word); });
    };
    // Of a long call the arguments that stay are no loss.
    const bool asks = contains(right, " if ") || contains(right, " and ") || contains(right, " or ");
    if (std::max(left.size(), right.size()) <= (asks ? 3 : 2) * limit &&
        (loses_own(cut.first, left, right) || loses_own(cut.second, right, left)))
      return {left, right};
    if (left == right || show_difference(cut, left, right)) return cut;
  }
  // What differs stood in a part that was left out.
  if (std::max(left.size(), right.size()) <= 2 * limit) return {left, right};
  // Where a bracket comes first, what differs is the first word that only one of the two has.
  if (const std::vector<std::string> come = own_words_of(right, left); !come.empty()) {
    const std::string_view shown = std::string_view(right).substr(same, limit / 2);
    const bool shows = std::any_of(come.begin(), come.end(), [&](const auto& word) { return contains(shown, word); });
    std::size_t first = std::string::npos;
    for (const std::string& word : come) first = std::min(first, right.find(word, same));
    if (!shows && first != std::string::npos && first < left.size()) same = first;
  }
  std::size_t end = 0;
  while (end < std::min(left.size(), right.size()) - same &&
         left[left.size() - end - 1] == right[right.size() - end - 1])
    ++end;
  // What differs is shown whole where it fits; what stands before it has the rest.
  const std::size_t longest = std::max(left.size(), right.size()) - same - end;
  const std::size_t lead = longest + limit / 3 <= limit   ? limit / 3
                           : longest + limit / 9 <= limit ? limit - longest
                                                          : limit / 9;
  std::size_t from = same > lead ? left.rfind(' ', same - lead) : std::string::npos;
  if (from == std::string::npos) from = 0;
  // A long word before the difference must not push it out.
  if (same > from + lead + limit / 9) from = same - lead;
  from = cut_at_character(left, from).size();
  // A name is shown whole or not at all, the one that differs always.
  const auto is_within = [](std::string_view text, std::size_t at) {
    return at > 0 && at < text.size() && is_name_char(text[at - 1]) && is_name_char(text[at]);
  };
  std::size_t begin = from;
  while (is_within(left, begin)) --begin;
  const bool has_room = same - begin + longest <= limit;
  while (!has_room && from < same && is_within(left, from)) ++from;
  if (has_room || is_within(left, from)) from = begin;
  // No bracket is closed that was opened before: from an argument on, or from what the brackets around it hold.
  if (from > 0) {
    std::vector<int> depth(same + 1, 0);
    for (std::size_t i = 0; i < same; ++i) {
      const bool opens = contains("([{", left.substr(i, 1));
      depth[i + 1] = depth[i] + (opens ? 1 : contains(")]}", left.substr(i, 1)) ? -1 : 0);
    }
    const auto starts_part = [&](std::size_t at) {
      const bool is_start = contains("([{", left.substr(at - 1, 1)) || (at > 1 && left.substr(at - 2, 2) == ", ");
      return is_start && *std::min_element(depth.begin() + static_cast<std::ptrdiff_t>(at), depth.end()) >= depth[at];
    };
    const bool closes = *std::min_element(depth.begin() + static_cast<std::ptrdiff_t>(from), depth.end()) < depth[from];
    for (std::size_t at = from; closes && at <= same; ++at) {
      if (!starts_part(at)) continue;
      from = at;
      break;
    }
  }
  const auto cut = [&](const std::string& text) {
    const std::string_view rest = std::string_view(text).substr(std::min(from, text.size()));
    std::string_view shown = cut_at_character(rest, limit);
    std::size_t last = shown.size();
    while (is_within(rest, last)) --last;
    if (last > limit / 2) shown = shown.substr(0, last);
    return "\u2026" + std::string(shown) + (shown.size() < rest.size() ? "\u2026" : "");
  };
  return {cut(left), cut(right)};
}

std::vector<std::string> own_arguments(const SourceText& source, const Call& call, const SourceText& other_source,
                                       const Call& other) {
  constexpr std::size_t kMostText = 1u << 12;
  const auto text = [](const SourceText& of, const Expr& value) { return one_line_whole(of, value.span); };
  std::vector<std::string> parts;
  const auto add = [&](const std::string& part, bool is_same) {
    if (!is_same) {
      parts.push_back(lockstep::shortened(part, kMostText));
    } else if (parts.empty() || parts.back() != "\u2026") {
      parts.emplace_back("\u2026");
    }
  };
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const std::string own = text(source, *call.arguments[i]);
    add(own, i < other.arguments.size() && text(other_source, *other.arguments[i]) == own);
  }
  std::set<std::pair<std::string_view, std::string>> keywords;
  for (const Keyword* one : other.keywords) keywords.emplace(one->name.text, text(other_source, *one->value));
  for (const Keyword* keyword : call.keywords) {
    const std::string own = text(source, *keyword->value);
    const bool is_same = keywords.contains({keyword->name.text, own});
    add(keyword->name.text.empty() ? "**" + own : fmt::format("{}={}", keyword->name.text, own), is_same);
  }
  return parts;
}

std::optional<std::pair<std::string, std::string>> where_arguments_differ(const SourceText& before_source,
                                                                          const Step& before,
                                                                          const SourceText& after_source,
                                                                          const Step& after) {
  const Call* was = call_of_step(before);
  const Call* is = call_of_step(after);
  if (was == nullptr || is == nullptr) return std::nullopt;
  const auto lead = [](const SourceText& source, const Step& statement, const Call& call) {
    return one_line_whole(source, Span{statement.span.begin, call.callee->span.end});
  };
  const std::string start = lead(after_source, after, *is);
  if (lead(before_source, before, *was) != start) return std::nullopt;
  const std::string old_arguments = join(own_arguments(before_source, *was, after_source, *is), ", ");
  const std::string new_arguments = join(own_arguments(after_source, *is, before_source, *was), ", ");
  if (old_arguments == new_arguments) return std::nullopt;
  return std::make_pair(fmt::format("{}({})", start, old_arguments), fmt::format("{}({})", start, new_arguments));
}

std::pair<std::string, std::string> short_codes(std::string_view before, std::string_view after, std::size_t limit) {
  const SourceText left{std::string(before)};
  const SourceText right{std::string(after)};
  const auto [was, now] = where_they_differ(left, {0, static_cast<std::uint32_t>(before.size())}, right,
                                            {0, static_cast<std::uint32_t>(after.size())}, limit);
  return {code(was), code(now)};
}

}  // namespace lockstep::report
