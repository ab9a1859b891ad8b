#include "text/shorten.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/find_text.h"
#include "base/strings.h"

namespace lockstep {

namespace {

constexpr std::string_view kEllipsis = "\u2026";

/// Code points, as far as the text is UTF-8.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
}

/// What no cut goes through: also what is written beyond ASCII.
bool is_of_word(char c) { return is_name_char(c) || (static_cast<unsigned char>(c) & 0x80u) != 0; }

/// Whether the quotation mark starts a string literal: not the apostrophe of "doesn't".
bool starts_literal(std::string_view text, std::size_t at) {
  std::size_t start = at;
  while (start > 0 && is_of_word(text[start - 1])) --start;
  const std::string_view prefix = text.substr(start, at - start);
  return prefix.size() <= 2 && prefix.find_first_not_of("rRbBfFuU") == std::string_view::npos;
}

bool is_quote(char c) { return c == '"' || c == '\''; }

/// The string literals of a text, asked for from front to back.
class Literals {
 public:
  explicit Literals(std::string_view text) : text_(text) {}

  /// Past the literal that starts at `at`; `at` where none does, or where it never ends.
  std::size_t end_of(std::size_t at) {
    const char quote = text_[at];
    if (!is_quote(quote) || !starts_literal(text_, at)) return at;
    // Where one never ends, no later one with its quotation mark does: what follows is escaped.
    bool& is_open = quote == '"' ? is_double_open_ : is_single_open_;
    if (is_open) return at;
    for (std::size_t i = at + 1; i < text_.size(); ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (text_[i] == quote) {
        return i + 1;
      }
    }
    is_open = true;
    return at;
  }

 private:
  std::string_view text_;
  bool is_double_open_ = false;
  bool is_single_open_ = false;
};

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
  if (open == 0 || !(is_of_word(text[open - 1]) || text[open - 1] == ')' || text[open - 1] == ']')) return false;
  const std::string_view inner = text.substr(open + 1, close - open - 1);
  return !inner.empty() && inner.size() <= kLongest && inner.find_first_of("()[]{},:") == std::string_view::npos;
}

/// The groups that are closed, in the order of their closing brackets.
std::vector<Group> groups_of(std::string_view text) {
  std::vector<Group> out;
  std::vector<Group> open;
  Literals literals(text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (const std::size_t end = literals.end_of(i); end > i) {
      i = end - 1;
    } else if (c == '(' || c == '[' || c == '{') {
      const bool follows_value = i > 0 && (is_of_word(text[i - 1]) || text[i - 1] == ')' || text[i - 1] == ']');
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

/// A text of which pieces are left out, each for one "…".
class Pieces {
 public:
  explicit Pieces(std::string_view text) : text_(text), dropped_(text.size(), 0), width_(width_of(text)) {}

  [[nodiscard]] std::size_t width() const { return width_; }

  /// Shown characters between the brackets of the group.
  [[nodiscard]] std::size_t inner_width(const Group& group) const {
    std::size_t sum = 0;
    for (std::size_t i = group.open + 1; i < group.close; i = next(i)) sum += shows(i);
    return sum;
  }

  /// Drops the elements of the group behind the last comma with which the whole fits; false where none does.
  bool drop_last_elements(const Group& group, std::size_t inner, std::size_t limit) {
    std::size_t sum = 0;  // Of what the group shows up to `i`.
    std::size_t kept = 0;
    std::size_t best = 0;
    auto comma = group.commas.begin();
    for (std::size_t i = group.open + 1; i < group.close && comma != group.commas.end(); i = next(i)) {
      sum += shows(i);
      if (i != *comma) continue;
      if (width_ - inner + sum + 2 > limit) break;
      best = *comma++;
      kept = sum;
    }
    if (best == 0) return false;
    drop(best + 1, group.close, inner - kept, 2);
    return true;
  }

  /// Drops all that the group holds.
  void drop_inner(const Group& group, std::size_t inner) { drop(group.open + 1, group.close, inner, 1); }

  [[nodiscard]] std::string text() const {
    std::string out;
    for (std::size_t i = 0; i < text_.size(); i = next(i)) {
      if (dropped_[i] > i) {
        if (text_[i - 1] == ',') out += ' ';
        out += kEllipsis;
      } else {
        out += text_[i];
      }
    }
    return out;
  }

 private:
  void drop(std::size_t begin, std::size_t end, std::size_t shown, std::size_t instead) {
    dropped_[begin] = end;
    width_ = width_ - shown + instead;
  }
  [[nodiscard]] std::size_t next(std::size_t i) const { return dropped_[i] > i ? dropped_[i] : i + 1; }
  [[nodiscard]] std::size_t shows(std::size_t i) const {
    return dropped_[i] > i || (static_cast<unsigned char>(text_[i]) & 0xc0u) != 0x80u ? 1 : 0;
  }

  std::string_view text_;
  std::vector<std::size_t> dropped_;  ///< Where a piece goes: the end of it.
  std::size_t width_;
};

/// With "…" in place of what the groups within others hold, of the last elements first, deepest and last groups first,
/// until it fits.
std::string without_inner(std::string_view text, std::size_t limit) {
  std::vector<Group> groups = groups_of(text);
  std::erase_if(groups, [](const Group& group) { return group.depth < 2 || !group.is_droppable; });
  std::sort(groups.begin(), groups.end(),
            [](const Group& a, const Group& b) { return a.depth != b.depth ? a.depth > b.depth : a.open > b.open; });
  Pieces pieces(text);
  for (const Group& group : groups) {
    if (pieces.width() <= limit) break;
    const std::size_t inner = pieces.inner_width(group);
    if (inner < 2) continue;
    // Of the one with which it fits, what has room stays.
    if (pieces.drop_last_elements(group, inner, limit)) break;
    pieces.drop_inner(group, inner);
  }
  return pieces.text();
}

/// "f(a, …)", "f(…)": without the last elements of a group that stands in no other, the last of these first; nullopt
/// where no group leaves enough.
std::optional<std::string> without_last_elements(std::string_view text, std::size_t limit) {
  std::vector<Group> groups = groups_of(text);
  std::erase_if(groups, [](const Group& group) { return group.depth > 1 || !group.is_droppable; });
  Pieces pieces(text);
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    const std::size_t inner = pieces.inner_width(*group);
    if (pieces.drop_last_elements(*group, inner, limit)) return pieces.text();
    // A message says more than that there is one: its end goes, further down.
    const std::string_view held = text.substr(group->open + 1, group->close - group->open - 1);
    const std::size_t quote = held.find_first_of("\"'");
    const bool is_message = quote != std::string_view::npos && quote <= 2 && contains(held, " ");
    // So does the beginning of a comprehension: what it makes, and of what.
    const bool is_comprehension = contains(held, " for ") && contains(held, " in ");
    if (is_message || is_comprehension || group->close - group->open < 3) return std::nullopt;
    pieces.drop_inner(*group, inner);
    if (pieces.width() <= limit) return pieces.text();
  }
  return std::nullopt;
}

/// The quote and the brackets that a text leaves open, character by character.
class OpenMarks {
 public:
  /// Reads the character of `text` at `i`, behind those before it.
  void read(std::string_view text, std::size_t i) {
    const char c = text[i];
    if (quote_ != 0) {
      if (is_escaped_) {
        is_escaped_ = false;
      } else if (c == '\\') {
        is_escaped_ = true;
      } else if (c == quote_) {
        quote_ = 0;
      }
    } else if (is_quote(c) && starts_literal(text, i)) {
      quote_ = c;
    } else if (c == '(') {
      brackets_ += ')';
    } else if (c == '[') {
      brackets_ += ']';
    } else if (c == '{') {
      brackets_ += '}';
    } else if ((c == ')' || c == ']' || c == '}') && !brackets_.empty()) {
      brackets_.pop_back();
    }
  }

  [[nodiscard]] std::size_t size() const { return brackets_.size() + (quote_ != 0 ? 1 : 0); }
  /// What closes them, innermost first.
  [[nodiscard]] std::string closers() const {
    std::string out(brackets_.rbegin(), brackets_.rend());
    return quote_ != 0 ? quote_ + out : out;
  }

 private:
  std::string brackets_;
  char quote_ = 0;  ///< Of the literal that is open.
  bool is_escaped_ = false;
};

/// "…" for what stands behind the brackets that are open at `cut`, with a blank where there is one; empty for nothing.
std::string tail_behind(std::string_view text, std::size_t cut) {
  OpenMarks open;
  for (std::size_t i = 0; i < cut; ++i) open.read(text, i);
  std::size_t at = cut;
  if (open.size() == 0) return {};
  for (; at < text.size() && open.size() > 0; ++at) open.read(text, at);
  const std::size_t next = text.find_first_not_of(' ', at);
  if (open.size() > 0 || next == std::string_view::npos) return {};
  return (next > at ? " " : "") + std::string(kEllipsis);
}

/// Where to cut so that what stands before it fits, with "…" and what closes it: after a blank or an opening bracket
/// where one is far enough on, else between two names.
std::size_t end_within(std::string_view text, std::size_t limit) {
  std::size_t strong = 0;
  std::size_t weak = 0;
  std::size_t hard = 0;
  std::size_t width = 0;
  OpenMarks open;  // In what stands before `i`.
  for (std::size_t i = 0; i < text.size() && width < limit; ++i) {
    if (i > 0) open.read(text, i - 1);
    if ((static_cast<unsigned char>(text[i]) & 0xc0u) == 0x80u) continue;
    if (i > 0 && width + 1 + open.size() <= limit) {
      hard = i;
      if (!is_of_word(text[i - 1]) || !is_of_word(text[i])) weak = i;
      if (contains(" ([{", text.substr(i - 1, 1))) strong = i;
    }
    ++width;
  }
  const std::size_t cut = strong * 2 >= limit ? strong : weak;
  std::size_t name_end = cut;
  while (name_end < text.size() && is_of_word(text[name_end])) ++name_end;
  return width_of(text.substr(cut, name_end - cut)) >= limit ? hard : cut;
}

std::string ended_at(std::string_view text, std::size_t cut) {
  OpenMarks left;
  for (std::size_t i = 0; i < cut; ++i) left.read(text, i);
  return std::string(text.substr(0, cut)) + std::string(kEllipsis) + left.closers();
}

/// Without its end. What is left out behind the brackets in which it ends has a mark of its own, where there is room:
/// "(a or (b and …)) …".
std::string without_end(std::string_view text, std::size_t limit) {
  constexpr std::size_t kNarrow = 24;  // Where two characters say more than a mark.
  constexpr std::size_t kRoom = 2;
  std::size_t cut = end_within(text, limit);
  std::string out = ended_at(text, cut);
  std::string tail = tail_behind(text, cut);
  if (limit >= kNarrow && !tail.empty() && width_of(out) + width_of(tail) > limit) {
    cut = end_within(text, limit - kRoom);
    out = ended_at(text, cut);
    tail = tail_behind(text, cut);
  }
  return width_of(out) + width_of(tail) <= limit ? out + tail : out;
}

/// "\u2026.name(\u2026)" of a call whose dotted callee alone leaves too little: which method it is says more than the
/// class that it is read off. Nullopt for other texts.
std::optional<std::string> without_qualifier(std::string_view text, std::size_t limit) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos || !text.ends_with(')')) return std::nullopt;
  const std::string_view chain = text.substr(0, open);
  const std::size_t dot = chain.rfind('.');
  const bool is_chain = dot != std::string_view::npos && dot > 0 && dot + 1 < open &&
                        std::all_of(chain.begin(), chain.end(), [](char c) { return is_of_word(c) || c == '.'; });
  const std::vector<Group> groups = groups_of(text);
  const bool is_one = std::any_of(groups.begin(), groups.end(),
                                  [&](const Group& one) { return one.open == open && one.close + 1 == text.size(); });
  if (!is_chain || !is_one || width_of(chain) + 3 <= limit) return std::nullopt;
  std::string out(kEllipsis);
  out.append(chain.substr(dot)).append("(").append(kEllipsis).append(")");
  return width_of(out) <= limit ? std::optional(out) : std::nullopt;
}

}  // namespace

std::string shortened(std::string_view text, std::size_t limit) {
  if (width_of(text) <= limit) return std::string(text);
  // What lies far behind the limit is not looked at: a statement may be a table of thousands of lines.
  text = cut_at_character(text, 16 * limit + 400);
  const std::string outer = without_inner(text, limit);
  if (width_of(outer) <= limit) return outer;
  if (std::optional<std::string> first = without_last_elements(outer, limit)) return *first;
  if (std::optional<std::string> method = without_qualifier(outer, limit)) return *method;
  return without_end(text, limit);
}

}  // namespace lockstep
