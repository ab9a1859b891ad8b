#include "report/documents/excerpts/excerpt_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/strings.h"
#include "report/document.h"
#include "report/documents/excerpts/bracket_groups.h"
#include "report/source/source_sentences.h"

namespace lockstep::report {

namespace {

constexpr std::size_t kSign = 2;           ///< "+ ", "- ", "  ".
constexpr std::size_t kLongComment = 5;    ///< Lines from which a comment is cut in any case,
constexpr std::size_t kKeptOfComment = 2;  ///< to these.

std::string_view code_of(const std::string& line) { return trim(std::string_view(line).substr(kSign)); }

bool is_comment(const std::string& line) { return code_of(line).starts_with("#"); }

/// A line that holds nothing but a piece of a string: of a message over several lines the first one tells enough.
bool is_message(const std::string& line) {
  std::string_view text = code_of(line);
  while (!text.empty() && (text.front() == 'f' || text.front() == 'r')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ',' || text.back() == ')')) text.remove_suffix(1);
  return text.size() > 1 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
}

/// "else:", "for x in y:" of a function inside the function, whose steps nobody counted.
bool opens_block(const std::string& line) {
  constexpr std::string_view kOpening[] = {"if ",    "elif ",    "else:",  "for ",  "while ", "with ",  "try:",
                                           "except", "finally:", "match ", "case ", "def ",   "class ", "async "};
  const std::string_view text = code_of(line);
  return text.ends_with(":") && std::any_of(std::begin(kOpening), std::end(kOpening),
                                            [&](std::string_view word) { return text.starts_with(word); });
}

/// "continue", "raise …": without the line, what stands below its condition would seem to run under it.
bool leaves_block(const std::string& line) {
  constexpr std::string_view kJumps[] = {"continue", "break", "return", "raise"};
  const std::string_view text = code_of(line);
  return std::any_of(std::begin(kJumps), std::end(kJumps), [&](std::string_view jump) {
    return text.starts_with(jump) && (text.size() == jump.size() || text[jump.size()] == ' ');
  });
}

/// Which of the lines, comments that follow one another, have words that are `quoted`: those that it holds whole, and
/// the one before and behind them, which it may hold in part.
std::vector<bool> quoted_lines(const std::vector<std::string_view>& comment, std::string_view quoted) {
  constexpr std::size_t kFewLetters = 12;
  std::vector<bool> whole(comment.size(), false);
  for (std::size_t i = 0; i < comment.size() && !quoted.empty(); ++i) {
    const std::string letters = squeezed(comment[i]);
    whole[i] = letters.size() >= kFewLetters && contains(quoted, letters);
  }
  std::vector<bool> out = whole;
  for (std::size_t i = 0; i < comment.size(); ++i) {
    const bool is_beside = (i > 0 && whole[i - 1]) || (i + 1 < comment.size() && whole[i + 1]);
    if (is_beside && !squeezed(comment[i]).empty()) out[i] = true;
  }
  return out;
}

class Fitter {
 public:
  Fitter(const std::vector<DifferenceLine>& lines, std::size_t most, bool keeps_beginnings)
      : lines_(lines),
        most_(most),
        keeps_beginnings_(keeps_beginnings),
        is_cut_(lines.size(), false),
        is_part_(lines.size(), false) {}

  std::vector<std::string> run() {
    constexpr std::size_t kSlack = 2;
    cut_long_runs();
    std::vector<int> ranks(lines_.size());
    std::vector<std::size_t> order(lines_.size());
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      ranks[i] = rank_of(i);
      order[i] = lines_.size() - 1 - i;
    }
    // What opens brackets says as much as what changes in them, and what closes them as much as that.
    for (const char other : {'-', '+'}) {
      for (const BracketGroup& group : groups_of(other)) {
        for (std::size_t i = group.first; i <= group.last; ++i) {
          const bool is_inside_kept = lines_[group.first].text.front() == ' ' && lines_[i].text.front() != ' ';
          if (is_inside_kept && ranks[i] < kStays) ranks[group.first] = std::max(ranks[group.first], ranks[i]);
        }
        ranks[group.last] = std::max(ranks[group.last], ranks[group.first]);
      }
    }
    // Of lines that say equally much the last ones go first.
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ranks[a] < ranks[b]; });
    // What a few lines more would show whole, with the conditions that its steps stand under, is not cut at all.
    constexpr std::size_t kFewMore = 6;
    const bool is_nearly_whole = size() <= most_ + std::min(kFewMore, most_ / 3);
    for (std::size_t i = 0; i < order.size() && !is_nearly_whole && size() > most_ + kSlack; ++i) {
      if (ranks[order[i]] < kStays) is_cut_[order[i]] = true;
    }
    cut_with_twins();
    join_jumps();
    for (const char other : {'-', '+'}) keep_brackets(other);
    if (keeps_beginnings_) {
      for (const char other : {'-', '+'}) keep_first_statements(other);
    }
    const auto is_quoted = [](const DifferenceLine& line) { return line.is_quoted; };
    if (std::any_of(lines_.begin(), lines_.end(), is_quoted)) keep_lone();
    return written();
  }

 private:
  static constexpr int kStays = 1000;

  [[nodiscard]] bool is_same_run(std::size_t a, std::size_t b) const {
    return lines_[a].text.front() == lines_[b].text.front();
  }

  /// How many lines before this one stand in one run with it, as far as `holds` is true of them.
  template <typename Holds>
  [[nodiscard]] std::size_t place_in_run(std::size_t index, Holds holds) const {
    std::size_t place = 0;
    while (index > 0 && is_same_run(index - 1, index) && holds(lines_[index - 1].text)) --index, ++place;
    return place;
  }

  template <typename Holds>
  [[nodiscard]] std::size_t length_of_run(std::size_t index, Holds holds) const {
    std::size_t length = place_in_run(index, holds);
    for (; index < lines_.size() && holds(lines_[index].text); ++index, ++length) {
      if (index + 1 == lines_.size() || !is_same_run(index, index + 1)) return length + 1;
    }
    return length;
  }

  /// What is too long wherever it stands: comments, for they are quoted among the reasons, and what goes, for the words
  /// below tell it.
  void cut_long_runs() {
    const std::size_t most_removed = std::clamp<std::size_t>(most_ / 3, 6, 16);
    const auto any = [](const std::string&) { return true; };
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::string& text = lines_[i].text;
      if (text.front() == '-') {
        const std::size_t length = length_of_run(i, any);
        const std::size_t place = place_in_run(i, any);
        const std::size_t head = most_removed * 2 / 3;
        is_cut_[i] = length > most_removed + 1 && place >= head && place + most_removed < length + head;
      } else if (is_comment(text) && length_of_run(i, is_comment) >= kLongComment) {
        is_cut_[i] = place_in_run(i, is_comment) >= kKeptOfComment && !lines_[i].is_quoted;
      }
    }
  }

  /// A line that only moved goes with its twin: shown as removed alone, it would seem to be gone.
  void cut_with_twins() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (is_cut_[i] || lines_[i].text.front() != '-' || code_of(lines_[i].text).empty()) continue;
      bool is_hidden = false;
      bool is_shown = false;
      for (std::size_t k = 0; k < lines_.size(); ++k) {
        if (lines_[k].text.front() == '-' || code_of(lines_[k].text) != code_of(lines_[i].text)) continue;
        (is_cut_[k] ? is_hidden : is_shown) = true;
      }
      is_cut_[i] = is_hidden && !is_shown;
    }
  }

  /// The one changed line among lines that stay and are cut, which quoted lines left no room for, is written anyway: it
  /// stays where it stands among them.
  void keep_lone() {
    for (std::size_t i = 0; i < lines_.size();) {
      std::size_t end = i;
      std::size_t lone = i;
      std::size_t count = 0;
      for (; end < lines_.size() && is_cut_[end]; ++end) {
        if (is_around(end, end + 1)) continue;
        lone = end;
        ++count;
      }
      if (count == 1 && end > i + 1 && !is_part_[lone] && !lines_[lone].is_docstring) is_cut_[lone] = false;
      i = end + 1;
    }
  }

  /// What leaves a block is shown where the line that opens the block is, and goes where it goes.
  void join_jumps() {
    for (std::size_t i = 1; i < lines_.size(); ++i) {
      if (!leaves_block(lines_[i].text) || lines_[i].is_frame) continue;
      const std::size_t indent = indent_of(std::string_view(lines_[i].text).substr(kSign));
      std::size_t above = i;
      while (above > 0 && (code_of(lines_[above - 1].text).empty() ||
                           indent_of(std::string_view(lines_[above - 1].text).substr(kSign)) >= indent))
        --above;
      if (above > 0 && (lines_[above - 1].is_header || opens_block(lines_[above - 1].text)))
        is_cut_[i] = is_cut_[above - 1];
    }
  }

  /// Of the version whose lines do not have the sign `other`.
  [[nodiscard]] std::vector<BracketGroup> groups_of(char other) const {
    std::vector<std::string_view> texts;
    for (const DifferenceLine& line : lines_) texts.push_back(line.is_docstring ? std::string_view() : line.text);
    return bracket_groups(texts, other);
  }

  /// What opens brackets is shown with what closes them; where it goes, all that they hold goes. `other`: the sign of
  /// lines that are not of the version looked at.
  void keep_brackets(char other) {
    for (const BracketGroup& group : groups_of(other)) {
      if (!is_cut_[group.first]) {
        is_cut_[group.last] = false;
        continue;
      }
      for (std::size_t i = group.first; i <= group.last; ++i) {
        const char sign = lines_[i].text.front();
        if (sign == other || lines_[i].is_header || lines_[i].is_frame) continue;
        is_cut_[i] = true;
        is_part_[i] = i > group.first;
      }
    }
  }

  /// The next line after `index` that is of the version looked at; the number of lines where there is none.
  [[nodiscard]] std::size_t next_of(std::size_t index, char other) const {
    for (++index; index < lines_.size() && lines_[index].text.front() == other;) ++index;
    return index;
  }

  /// The last line of the statement, or of the head of the block, that begins at `index`.
  [[nodiscard]] std::size_t end_of_statement(std::size_t index, char other) const {
    BracketReader reader;
    while (reader.read(std::string_view(lines_[index].text).substr(kSign)) > 0 || lines_[index].text.ends_with('\\')) {
      const std::size_t next = next_of(index, other);
      if (next == lines_.size()) break;
      index = next;
    }
    return index;
  }

  /// What a block begins with stands below the line that opens it, where the change writes that and it is shown: alone
  /// it would hide what it is for.
  void keep_first_statements(char other) {
    constexpr std::size_t kMost = 5;      // Lines of the statement.
    constexpr std::size_t kMostMore = 9;  // Lines that come back.
    std::size_t more = 0;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const char sign = lines_[i].text.front();
      if (is_cut_[i] || lines_[i].is_frame || sign == other || sign == ' ' ||
          !(lines_[i].is_header || opens_block(lines_[i].text)))
        continue;
      const std::size_t indent = indent_of(std::string_view(lines_[i].text).substr(kSign));
      std::size_t first = next_of(end_of_statement(i, other), other);
      while (first < lines_.size() && (code_of(lines_[first].text).empty() || is_comment(lines_[first].text)))
        first = next_of(first, other);
      if (first >= lines_.size() || !is_cut_[first] ||
          indent_of(std::string_view(lines_[first].text).substr(kSign)) <= indent)
        continue;
      const std::size_t last = end_of_statement(first, other);
      std::size_t count = 0;
      for (std::size_t k = first; k <= last; ++k) count += lines_[k].text.front() != other ? 1 : 0;
      if (count > kMost || more + count > kMostMore) continue;
      more += count;
      for (std::size_t k = first; k <= last; ++k) {
        if (lines_[k].text.front() != other) is_cut_[k] = false;
      }
    }
  }

  /// The lower, the earlier it goes.
  [[nodiscard]] int rank_of(std::size_t index) const {
    constexpr std::size_t kFewRemoved = 3;
    constexpr int kDeepest = 100;
    const DifferenceLine& line = lines_[index];
    const char sign = line.text.front();
    if (line.is_frame) return kStays;
    if (code_of(line.text).empty()) return 0;
    const auto changes = [&](std::size_t at) { return at < lines_.size() && lines_[at].text.front() != ' '; };
    if (sign == ' ' && !changes(index + 1) && (index == 0 || !changes(index - 1))) return 1;
    const bool goes_on = place_in_run(index, is_comment) > 0;
    if (is_comment(line.text) || line.is_docstring) {
      if (sign != '+' || line.is_docstring) return sign != '+' ? 2 : 3;
      return goes_on && !line.is_quoted ? 5 : 9;
    }
    if (is_message(line.text) && place_in_run(index, is_message) > 0) return 6;
    const auto any = [](const std::string&) { return true; };
    if (sign == '-') return place_in_run(index, any) < kFewRemoved ? 8 : 7;
    // What stays goes before what changes; headers of branches stay, for what is in them would seem to stand outside.
    if (sign == ' ' && !line.is_header && !opens_block(line.text)) return 4;
    if (!line.starts_step) return 9;
    return 10 + (line.tells ? kDeepest : 0) + kDeepest - std::min(line.depth, kDeepest);
  }

  /// Of what is written.
  [[nodiscard]] std::size_t size() const {
    std::size_t out = 0;
    for (std::size_t i = 0; i < lines_.size(); ++i) out += !is_cut_[i] || i == 0 || !is_cut_[i - 1] ? 1u : 0u;
    return out;
  }

  /// A line or two take hardly more room than a note that they are left out, and do not make the reader guess.
  [[nodiscard]] std::vector<std::string> written() const {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < lines_.size();) {
      std::size_t end = i;
      while (end < lines_.size() && is_cut_[end]) ++end;
      if (end < i + 2 || (end < i + 3 && !is_around(i, end))) {
        out.push_back(lines_[i].text);
        ++i;
        continue;
      }
      if (!is_around(i, end)) {
        // One note is enough.
        if (!out.empty() && code_of(out.back()) == "\u2026") out.pop_back();
        for (const char sign : {'-', '+'}) {
          if (std::string one = note(i, end, sign); !one.empty()) out.push_back(std::move(one));
        }
      } else if (end < lines_.size() && (out.empty() || code_of(out.back()) != "\u2026")) {
        out.push_back(fmt::format("  {}\u2026", std::string(indent_within(i, end), ' ')));
      }
      i = end;
    }
    return out;
  }

  /// Whether [begin, end) holds nothing that changes.
  [[nodiscard]] bool is_around(std::size_t begin, std::size_t end) const {
    return std::all_of(
        lines_.begin() + static_cast<std::ptrdiff_t>(begin), lines_.begin() + static_cast<std::ptrdiff_t>(end),
        [](const DifferenceLine& line) { return line.text.front() == ' ' || code_of(line.text).empty(); });
  }

  /// The least in [begin, end).
  [[nodiscard]] std::size_t indent_within(std::size_t begin, std::size_t end) const {
    std::size_t indent = SIZE_MAX;
    for (std::size_t i = begin; i < end; ++i)
      indent = std::min(indent, indent_of(std::string_view(lines_[i].text).substr(kSign)));
    return indent == SIZE_MAX ? 0 : indent;
  }

  /// "+         … (5 more lines)", or the line itself where it is one, in place of those of [begin, end) that have the
  /// sign, as far in as what stood there; empty where there are none. What stays between them is not told.
  [[nodiscard]] std::string note(std::size_t begin, std::size_t end, char sign) const {
    bool comments = true;
    bool is_documentation = true;
    std::size_t count = 0;
    std::size_t last = begin;
    std::size_t indent = SIZE_MAX;
    for (std::size_t i = begin; i < end; ++i) {
      if (lines_[i].text.front() != sign) continue;
      ++count;
      last = i;
      comments = comments && is_comment(lines_[i].text);
      is_documentation = is_documentation && lines_[i].is_docstring;
      indent = std::min(indent, indent_of(std::string_view(lines_[i].text).substr(kSign)));
    }
    if (count == 0 || (count == 1 && code_of(lines_[last].text).empty())) return {};
    if (count == 1 && !is_part_[last] && !is_documentation) return lines_[last].text;
    return fmt::format("{} {}{}\u2026 ({}{})", sign, std::string(indent == SIZE_MAX ? 0 : indent, ' '),
                       comments ? "# " : "", count_of(count, "more line"), is_documentation ? " of the docstring" : "");
  }

  const std::vector<DifferenceLine>& lines_;
  std::size_t most_;
  bool keeps_beginnings_;
  std::vector<bool> is_cut_;
  std::vector<bool> is_part_;  ///< Of what stands in brackets that are cut with it.
};

}  // namespace

std::size_t indent_of(std::string_view line) {
  const std::size_t at = line.find_first_not_of(" \t");
  return at == std::string_view::npos ? SIZE_MAX : at;
}

void dedent(std::vector<std::string>& lines, std::size_t prefix) {
  std::size_t common = SIZE_MAX;
  for (const std::string& line : lines) {
    if (line.size() > prefix) common = std::min(common, indent_of(std::string_view(line).substr(prefix)));
  }
  if (common == SIZE_MAX || common == 0) return;
  for (std::string& line : lines) {
    if (line.size() >= prefix + common)
      line.erase(prefix, common);
    else
      line.resize(std::min(line.size(), prefix));
  }
}

bool fits_whole(const std::vector<std::string>& lines, std::size_t most) {
  constexpr std::size_t kFewMore = 6;  // What stands under a condition should not lose it for so little.
  return lines.size() <= most + kFewMore;
}

void fold_lines(std::vector<std::string>& lines, std::size_t first, std::size_t count) {
  const auto at = lines.begin() + static_cast<std::ptrdiff_t>(first);
  const std::size_t indent = indent_of(*at);
  *at = fmt::format("{}# \u2026 ({})", std::string(indent == SIZE_MAX ? 0 : indent, ' '), count_of(count, "more line"));
  lines.erase(at + 1, at + static_cast<std::ptrdiff_t>(count));
}

namespace {

/// How many brackets are open before each line, and behind the last one.
std::vector<int> depths_of(const std::vector<std::string>& lines) {
  std::vector<int> out = {0};
  BracketReader reader;
  for (const std::string& line : lines) out.push_back(reader.read(line));
  return out;
}

/// Whether a line is the last of the head of a block.
bool ends_head(std::string_view line) {
  const std::string_view text = trim(line.substr(0, line.find(" #")));
  return text.ends_with(":") && !text.starts_with("#");
}

/// Where the middle of the lines is cut out: as near to `head` lines at the start and `tail` at the end as whole
/// statements allow, else as elements of one bracket do; what was asked for where nothing fits.
std::pair<std::size_t, std::size_t> cut_between(const std::vector<std::string>& lines, std::size_t head,
                                                std::size_t tail) {
  constexpr std::size_t kFarthest = 8;
  const std::vector<int> depths = depths_of(lines);
  const std::size_t from = lines.size() - tail;
  for (const int depth : {0, 1}) {
    std::size_t begin = head;
    const std::size_t least = head > kFarthest + 1 ? head - kFarthest : 1;
    const auto is_place = [&](std::size_t at) { return depths[at] == depth && !ends_head(lines[at - 1]); };
    while (begin > least && !is_place(begin)) --begin;
    std::size_t end = from;
    while (end + 1 < lines.size() && depths[end] != depth) ++end;
    if (is_place(begin) && depths[end] == depth && end > begin) return {begin, end};
  }
  return {head, from};
}

}  // namespace

std::vector<std::string> without_repetition(std::vector<std::string> lines, std::size_t most,
                                            std::string_view ellipsis) {
  if (fits_whole(lines, most)) return lines;
  const std::size_t wanted = most * 2 / 3;
  const auto [head, from] = cut_between(lines, wanted, most - wanted - 1);
  std::vector<std::string> out(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(head));
  const std::size_t indent = indent_of(lines[head]);
  out.push_back(std::string(indent == SIZE_MAX ? 0 : indent, ' ') +
                fmt::format("{} ({})", ellipsis, count_of(from - head, "more line")));
  out.insert(out.end(), lines.begin() + static_cast<std::ptrdiff_t>(from), lines.end());
  return out;
}

std::vector<std::string> fit_statement(std::vector<std::string> lines, std::size_t most) {
  constexpr std::size_t kSlack = 2;  // A note and the end take as much room.
  if (lines.size() <= most + kSlack || most < 3) return lines;
  const std::vector<int> depths = depths_of(lines);
  std::size_t head = most - 2;
  while (head > 1 && depths[head] > 1) --head;
  const std::size_t indent = indent_of(lines[head]);
  std::string note = fmt::format("{}# ... ({})", std::string(indent == SIZE_MAX ? 0 : indent, ' '),
                                 count_of(lines.size() - 1 - head, "more line"));
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(head), lines.end() - 1);
  lines.insert(lines.end() - 1, std::move(note));
  return lines;
}

void shorten_comments(std::vector<std::string>& lines, std::string_view quoted) {
  const auto counts = [](const std::string& line) { return trim(line).starts_with("#"); };
  std::vector<std::string> out;
  for (std::size_t i = 0; i < lines.size();) {
    std::size_t end = i;
    while (end < lines.size() && counts(lines[end])) ++end;
    if (end - i < kLongComment) {
      out.push_back(lines[i]);
      ++i;
      continue;
    }
    const std::vector<bool> is_quoted = quoted_lines(
        {lines.begin() + static_cast<std::ptrdiff_t>(i), lines.begin() + static_cast<std::ptrdiff_t>(end)}, quoted);
    const std::string indent = lines[i].substr(0, lines[i].find('#'));
    for (std::size_t at = i; at < end;) {
      std::size_t folded = at;
      while (folded < end && folded - i >= kKeptOfComment && !is_quoted[folded - i]) ++folded;
      if (folded < at + 2) {
        out.push_back(lines[at++]);
        continue;
      }
      out.push_back(fmt::format("{}# \u2026 ({})", indent, count_of(folded - at, "more line")));
      at = folded;
    }
    i = end;
  }
  lines = std::move(out);
}

void mark_quoted(std::vector<DifferenceLine>& lines, std::string_view quoted) {
  const auto counts = [](const DifferenceLine& line) { return line.text.front() == '+' && is_comment(line.text); };
  for (std::size_t i = 0; i < lines.size();) {
    std::vector<std::string_view> comment;
    for (std::size_t end = i; end < lines.size() && counts(lines[end]); ++end) comment.push_back(lines[end].text);
    const std::vector<bool> is_quoted = quoted_lines(comment, quoted);
    for (std::size_t k = 0; k < comment.size(); ++k) lines[i + k].is_quoted = is_quoted[k];
    i += comment.size() + 1;
  }
}

std::vector<std::string> fit_difference(const std::vector<DifferenceLine>& lines, std::size_t most,
                                        bool keeps_beginnings) {
  return Fitter(lines, most, keeps_beginnings).run();
}

}  // namespace lockstep::report
